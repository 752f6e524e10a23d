/** Plans of agents that wait for a person: a file each, in the state folder of the tool. */
import { createHash, randomInt } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { writeWhole } from '../../base/files/files.js'
import { makeFolders } from '../../base/files/folders.js'
import { readRegular } from '../../base/files/regular.js'
import { describeDistrust, distrust } from '../../base/files/trust.js'
import { isObject } from '../../base/objects.js'
import type { MadeBy } from '../../engine/command/types.js'
import { Failure, getErrorCode, usage } from '../../errors.js'
import { fileFailure } from '../../profile/files.js'
import { getPaths } from '../../profile/index.js'

/** What an agent wants to be done. */
export interface AgentDraft {
  readonly by: MadeBy
  readonly command: string
  /** The line that was planned, without the program and the flags that name the instance. */
  readonly words: readonly string[]
  /** The line that does it to these very objects, and what its `-` reads. */
  readonly exact: { readonly words: readonly string[]; readonly input?: string }
  /** Why, in the words of the agent. */
  readonly reason?: string | undefined
  /** What would become of each object: JSON texts, as the dry run prints them. */
  readonly changes: readonly string[]
}

export interface AgentPlan extends AgentDraft {
  readonly id: string
  /** ISO, UTC. */
  readonly made_at: string
  readonly expires_at: string
}

/** So many may wait, and so long, in milliseconds. */
const maxOpen = 20
const lasts = 24 * 3_600_000

const named = /^p-[a-z]{8}$/
const folderOf = (env: NodeJS.ProcessEnv): string => join(getPaths(env).state, 'plans')
const fileOf = (env: NodeJS.ProcessEnv, id: string): string => join(folderOf(env), `${id}.json`)

const createId = (): string =>
  `p-${Array.from({ length: 8 }, () => String.fromCharCode(97 + randomInt(26))).join('')}`

const digestOf = (plan: unknown): string =>
  createHash('sha256').update(JSON.stringify(plan)).digest('hex')

/** As it comes back from a file. */
const toPlain = (draft: AgentDraft): unknown => JSON.parse(JSON.stringify(draft))

const idsIn = (env: NodeJS.ProcessEnv): readonly string[] => {
  try {
    const names = readdirSync(folderOf(env)).map((name) => name.replace(/\.json$/, ''))
    return names.filter((name) => named.test(name))
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return []
    throw fileFailure('read', folderOf(env), error)
  }
}

/**
 * The plan in a file; undefined where the file is damaged or is gone.
 * @throws Failure `usage` for a file that cannot be read, or that others may have written
 */
const planIn = (file: string): AgentPlan | undefined => {
  const distrusted = distrust(file)
  if (distrusted !== undefined) {
    const { message, remedy } = describeDistrust(distrusted)
    throw usage(`the plan cannot be trusted: ${message}`, `If it is correct, run: ${remedy}`)
  }
  try {
    const value: unknown = JSON.parse(readRegular(file).toString())
    if (isObject(value) && value.format === 1 && value.sha256 === digestOf(value.plan))
      return value.plan as AgentPlan
  } catch (error) {
    if (!(error instanceof SyntaxError) && getErrorCode(error) !== 'ENOENT')
      throw fileFailure('read', file, error)
  }
  return undefined
}

const isExpired = ({ expires_at }: AgentPlan, now: Date): boolean =>
  Date.parse(expires_at) <= now.getTime()

/** Plans that wait, the newest first. Those that expired or are damaged are removed. */
export const openPlans = (env: NodeJS.ProcessEnv, now: Date): readonly AgentPlan[] => {
  const plans = idsIn(env).flatMap((id) => {
    const plan = planIn(fileOf(env, id))
    if (plan !== undefined && !isExpired(plan, now)) return [plan]
    rmSync(fileOf(env, id), { force: true })
    return []
  })
  return plans.toSorted((a, b) => (a.made_at < b.made_at ? 1 : -1))
}

/**
 * Keeps a plan; one that waits already is the same.
 * @throws Failure `conflict` where too many wait; the system's error
 */
export const savePlan = async (
  env: NodeJS.ProcessEnv,
  draft: AgentDraft,
  now: Date,
): Promise<AgentPlan> => {
  const open = openPlans(env, now)
  const same = open.find(({ id: _, made_at: __, expires_at: ___, ...one }) =>
    isDeepStrictEqual(toPlain(one), toPlain(draft)),
  )
  if (same !== undefined) return same
  if (open.length >= maxOpen)
    throw new Failure('conflict', `${maxOpen} plans are waiting for approval`)
  const plan: AgentPlan = {
    ...draft,
    id: createId(),
    made_at: now.toISOString(),
    expires_at: new Date(now.getTime() + lasts).toISOString(),
  }
  makeFolders(folderOf(env), 0o700)
  const text = `${JSON.stringify({ format: 1, plan, sha256: digestOf(plan) })}\n`
  await writeWhole(fileOf(env, plan.id), text, { own: true })
  return plan
}

/** @throws Failure `not_found` for a plan that is gone, expired or damaged */
export const getPlan = (env: NodeJS.ProcessEnv, id: string, now: Date): AgentPlan => {
  const plan = openPlans(env, now).find((one) => one.id === id)
  if (plan !== undefined) return plan
  throw new Failure('not_found', `no plan ${id} is waiting`, {
    hint: 'A plan lasts 24 hours and one approval. List those that wait with: svcctl mcp plans',
  })
}

/** Removes a plan. @returns whether it was there: of several who remove it, one is told so */
export const removePlan = (env: NodeJS.ProcessEnv, { id }: Pick<AgentPlan, 'id'>): boolean => {
  try {
    rmSync(fileOf(env, id))
    return true
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return false
    throw fileFailure('remove', fileOf(env, id), error)
  }
}
