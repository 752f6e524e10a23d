/**
 * Stores the plans of agents, a file each, and has a person approve or discard them (`mcp plans
 * approve
 * discard`).
 */

import { createHash } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { writeWhole } from '../../base/files/files.js'
import { makeFolders, readRegular } from '../../base/files/regular.js'
import { describeDistrust, distrust } from '../../base/files/trust.js'
import { currentIo } from '../../base/io.js'
import { parseExact, stringifyExact } from '../../base/json/json.js'
import { type Fields, isObject } from '../../base/objects.js'
import { createRandomBytes } from '../../base/random.js'
import { insertFlags } from '../../base/shell-words.js'
import { formatCount } from '../../base/text.js'
import { getLevelName } from '../../catalogue/levels.js'
import { volatileFields } from '../../client/snapshot-manifest.js'
import type { Services } from '../../engine/command/services.js'
import type { RunOrigin } from '../../engine/command/types.js'
import { createExitRow, createNoteRow, type Rows, yieldRecords } from '../../engine/rows.js'
import { Failure, getErrorCode, usage } from '../../errors.js'
import { fileFailure } from '../../profile/files.js'
import { getPaths } from '../../profile/index.js'
import { type Arguments, define } from '../define.js'
import { type AgentDraft, formatCommandLine, previewLine } from './planning.js'

/** A stored plan. */
export interface AgentPlan extends AgentDraft {
  readonly id: string
  /** ISO, UTC. */
  readonly made_at: string
  readonly expires_at: string
}

/** So many may wait, and so long, in milliseconds. */
const maxOpen = 20
const planLifetime = 24 * 3_600_000

const idForm = /^p-[a-z]{8}$/
const getFolder = (env: NodeJS.ProcessEnv): string => join(getPaths(env).state, 'plans')
const getFile = (env: NodeJS.ProcessEnv, id: string): string => join(getFolder(env), `${id}.json`)

const createId = (): string =>
  `p-${[...createRandomBytes(8)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('')}`

const getDigest = (plan: unknown): string =>
  createHash('sha256').update(JSON.stringify(plan)).digest('hex')

/** As it comes back from a file. */
const toPlain = (draft: AgentDraft): unknown => JSON.parse(JSON.stringify(draft))

const listIds = (env: NodeJS.ProcessEnv): readonly string[] => {
  try {
    const names = readdirSync(getFolder(env)).map((name) => name.replace(/\.json$/, ''))
    return names.filter((name) => idForm.test(name))
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return []
    throw fileFailure('read', getFolder(env), error)
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isTextOrNull = (value: unknown): boolean => value === null || isText(value)
const isTextOrAbsent = (value: unknown): boolean => value === undefined || isText(value)
const isTime = (value: unknown): boolean => isText(value) && !Number.isNaN(Date.parse(value))
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)

const isJson = (value: unknown): boolean => {
  try {
    parseExact(String(value))
    return true
  } catch {
    return false
  }
}

/** Returns true if a value is a plan of this ID: its digest does not say that svcctl wrote it. */
const isAgentPlan = (value: unknown, id: string): value is AgentPlan =>
  isObject(value) &&
  value.id === id &&
  isText(value.command) &&
  [value.made_at, value.expires_at].every(isTime) &&
  isTextOrAbsent(value.reason) &&
  [value.words, value.changes].every(areTexts) &&
  Array.isArray(value.changes) &&
  value.changes.every(isJson) &&
  isObject(value.exact) &&
  areTexts(value.exact.words) &&
  isTextOrAbsent(value.exact.input) &&
  isObject(value.by) &&
  isText(value.by.instance) &&
  [value.by.profile, value.by.user, value.by.sudo].every(isTextOrNull)

/**
 * The plan in a file; undefined where the file is damaged or is gone.
 * @throws Failure `usage` for a file that cannot be read, or that others may have written
 */
const readPlan = (file: string): AgentPlan | undefined => {
  const distrusted = distrust(file)
  if (distrusted !== undefined) {
    const { message, remedy } = describeDistrust(distrusted)
    throw usage(`the plan cannot be trusted: ${message}`, `If it is correct, run: ${remedy}`)
  }
  try {
    const value: unknown = JSON.parse(readRegular(file).toString())
    if (!isObject(value) || value.format !== 1 || !isObject(value.plan)) return undefined
    const { plan, sha256 } = value
    if (sha256 === getDigest(plan) && isAgentPlan(plan, basename(file, '.json'))) return plan
  } catch (error) {
    if (!(error instanceof SyntaxError) && getErrorCode(error) !== 'ENOENT')
      throw fileFailure('read', file, error)
  }
  return undefined
}

const isExpired = ({ expires_at }: AgentPlan, now: Date): boolean =>
  Date.parse(expires_at) <= now.getTime()

/** Plans that wait, the newest first. Those that expired or are damaged are removed. */
const openPlans = (env: NodeJS.ProcessEnv, now: Date): readonly AgentPlan[] => {
  const plans = listIds(env).flatMap((id) => {
    const plan = readPlan(getFile(env, id))
    if (plan !== undefined && !isExpired(plan, now)) return [plan]
    rmSync(getFile(env, id), { force: true })
    return []
  })
  return plans.toSorted((a, b) => (a.made_at < b.made_at ? 1 : -1))
}

/**
 * Stores a plan; an identical plan that is waiting is returned instead.
 * @throws Failure `conflict` if too many plans are waiting; errors of the file system
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
    expires_at: new Date(now.getTime() + planLifetime).toISOString(),
  }
  makeFolders(getFolder(env), 0o700)
  const text = `${JSON.stringify({ format: 1, plan, sha256: getDigest(plan) })}\n`
  await writeWhole(getFile(env, plan.id), text, { own: true })
  return plan
}

/**
 * Returns a plan by its ID.
 * @throws Failure `not_found` if it is gone, expired or damaged
 */
export const getPlan = (env: NodeJS.ProcessEnv, id: string, now: Date): AgentPlan => {
  const plan = openPlans(env, now).find((one) => one.id === id)
  if (plan !== undefined) return plan
  throw new Failure('not_found', `no plan ${id} is waiting`, {
    hint: 'A plan lasts 24 hours and one approval. List those that wait with: svcctl mcp plans',
  })
}

/** Removes a plan. @returns whether it was there: of several who remove it, one is told so */
const removePlan = (env: NodeJS.ProcessEnv, { id }: Pick<AgentPlan, 'id'>): boolean => {
  try {
    rmSync(getFile(env, id))
    return true
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return false
    throw fileFailure('remove', getFile(env, id), error)
  }
}

// `mcp approve`, `mcp plans` and `mcp discard`: what a person does with the plans of agents.

// Who approves: a person at a terminal, and the same as the plan was made by.

/** @throws Failure `usage` where no person can read the plan and answer */
const checkPerson = async ({ place, ui }: Services): Promise<void> => {
  const { quiet, yes } = place.globals
  if (yes || quiet)
    throw usage(
      `mcp approve does not allow --${yes ? 'yes' : 'quiet'}: a person must read the plan`,
    )
  if (!ui.interactive || !(await currentIo().hasTerminal()))
    throw usage(
      'mcp approve requires a terminal with a person at it',
      'Run it in a terminal, without CI and SVC_NO_PROMPT. --dry-run shows the plan without one.',
    )
}

const toName = (value: string | null): string => value ?? 'none'

/** @throws Failure `usage` where a plan was made for somebody else, or elsewhere */
const checkMaker = ({ id, by }: AgentPlan, now: RunOrigin): void => {
  for (const what of ['instance', 'profile', 'user', 'sudo'] as const)
    if (by[what] !== now[what])
      throw usage(
        `plan ${id} was made for the ${what === 'sudo' ? '--sudo user' : what} ${toName(by[what])}, and this is ${toName(now[what])}`,
        by.profile === null
          ? undefined
          : `Approve it with: svcctl mcp approve ${id} -p ${by.profile}`,
      )
}

// What would become of each object, in lines for people.

const valueText = (attribute: string, value: unknown): string =>
  getLevelName(attribute, value) ?? stringifyExact(value) ?? '-'

/** @param request the method says which side there is: nothing is left of what is deleted */
const attributeLine = (change: unknown, { request, read }: Fields): string => {
  if (!isObject(change)) return String(change)
  const { now, new: next, already_so: same } = change
  const attribute = String(change.attribute)
  const [old, wanted] = [valueText(attribute, now), valueText(attribute, next)]
  if (same === true) return `${attribute}: ${wanted} (already in this state)`
  if (read !== true) return `${attribute}: ${wanted}`
  return `${attribute}: ${/^DELETE /.test(String(request)) ? old : `${old} → ${wanted}`}`
}

/** What stands in the text of a change. */
const parseChange = (text: string): unknown => {
  const value = parseExact(text)
  return isObject(value) && isObject(value.record) ? value.record : value
}

const formatChange = (text: string): readonly string[] => {
  const record = parseChange(text)
  if (!isObject(record) || !Array.isArray(record.changes)) return [`  ${text}`]
  return [
    `  ${String(record.request)}`,
    ...record.changes.map((change: unknown) => `    ${attributeLine(change, record)}`),
  ]
}

/** A change without what changes by itself. */
const withoutVolatile = (text: string): string => {
  const record = parseChange(text)
  if (!isObject(record) || !Array.isArray(record.changes)) return text
  const changes = record.changes.filter(
    (change: unknown) => !isObject(change) || !volatileFields.has(String(change.attribute)),
  )
  return stringifyExact({ ...record, changes }) ?? ''
}

/** Changes that are on one side only. */
const findMissing = (some: readonly string[], others: readonly string[]): readonly string[] => {
  const known = new Set(others.map(withoutVolatile))
  return some.filter((text) => !known.has(withoutVolatile(text)))
}

// Approving.

const getTitle = ({ words }: AgentPlan): string => formatCommandLine(words, [])

const showPlan = ({ answer, ui }: Services, plan: AgentPlan): void => {
  const say = (text: string): void => ui.note(answer.text.safe(text))
  say(`Plan ${plan.id}, made by an agent at ${plan.made_at}:`)
  say(`  ${getTitle(plan)}`)
  if (plan.reason !== undefined) say(`Reason that the agent gives (not checked): "${plan.reason}"`)
  say(`Changes to ${formatCount(plan.changes.length, 'object')}:`)
  for (const line of plan.changes.flatMap(formatChange)) say(line)
}

/**
 * Reads the objects again.
 * @throws Failure `conflict` where one is not as the plan has it
 */
const checkUnchanged = async ({ answer, place, ui }: Services, plan: AgentPlan): Promise<void> => {
  const { changes, failure } = await previewLine(place.runs, plan.words, place.clock.signal)
  if (failure !== undefined && !['conflict', 'not_found'].includes(failure.category)) throw failure
  const [before, after] = [findMissing(plan.changes, changes), findMissing(changes, plan.changes)]
  if (before.length === 0 && after.length === 0 && failure === undefined) return
  const tell = (title: string, some: readonly string[]): void => {
    if (some.length > 0) ui.note(title)
    for (const line of some.flatMap(formatChange)) ui.note(answer.text.safe(line))
  }
  tell('The plan has:', before)
  tell('It would be now:', after)
  const what = failure === undefined ? 'the objects' : `the objects (${failure.message})`
  throw new Failure('conflict', `${what} changed since plan ${plan.id} was made`, {
    hint: `Nothing was changed. Ask the agent for a new plan, and remove this one with: svcctl mcp discard ${plan.id}`,
  })
}

async function* approvePlan(services: Services, given: Arguments<Record<never, never>>): Rows {
  const { place, ui } = services
  const { dryRun } = place.globals
  if (!dryRun) await checkPerson(services)
  const plan = getPlan(place.env, given.args[0] ?? '', place.clock.now())
  const session = await place.session()
  checkMaker(plan, await place.identity())
  showPlan(services, plan)
  await checkUnchanged(services, plan)
  if (dryRun) return
  const { profile } = session
  await ui.confirm(`This approves plan ${plan.id}.`, [], session, plan.changes.length)
  if (!removePlan(place.env, plan)) throw new Failure('conflict', `plan ${plan.id} is gone`)
  const { words, input } = plan.exact
  // It was shown and confirmed above, with what a profile asks for.
  const agreed = ['--yes', ...(profile?.protected === true ? ['--confirm', profile.name] : [])]
  yield createExitRow(await place.runs.typed({ words: insertFlags(words, agreed), input }))
}

export const approve = define({
  summary: 'Carry out the plan of an agent',
  description: [
    'Shows the plan with the reason that the agent gives, reads its objects again, and asks you to confirm. If an object changed since the plan was made, nothing is done and the exit code is 5. The changes are made to the objects of the plan and no others, with a journal that journal undo can revert.',
    'You must be at a terminal: --yes, --quiet, CI and SVC_NO_PROMPT are not allowed. A plan lasts 24 hours and one approval. It belongs to the instance, profile and user for which it was made.',
    'This is a rule for agents that use only the protocol. An agent that has a shell with your credentials can do what you can do.',
  ],
  writes: true,
  args: [{ name: 'plan', required: true, variadic: false, help: 'ID of the plan' }],
  examples: ['mcp approve p-abcdefgh --dry-run', 'mcp approve p-sunshine --dry-run'],
  rows: approvePlan,
})

// Plans that wait.

const toPlanRow = (plan: AgentPlan) => ({
  id: plan.id,
  command: getTitle(plan),
  objects: plan.changes.length,
  reason: plan.reason ?? null,
  profile: plan.by.profile,
  instance: plan.by.instance,
  made_at: plan.made_at,
  expires_at: plan.expires_at,
})

async function* listPlans({ place }: Services): Rows {
  const plans = openPlans(place.env, place.clock.now())
  if (plans.length === 0) yield createNoteRow('no plans are waiting')
  yield* yieldRecords(plans.map(toPlanRow), {
    columns: ['id', 'command', 'objects', 'reason', 'expires_at'],
    stacks: 'cut',
  })
}

export const plans = define({
  summary: 'List plans of agents that wait for approval',
  examples: ['mcp plans', 'mcp plans -o json'],
  rows: listPlans,
})

export const discard = define({
  summary: 'Remove plans of agents',
  args: [{ name: 'plan', required: true, variadic: true, help: 'ID of the plan' }],
  examples: ['mcp discard p-abcdefgh', 'mcp discard p-abcdefgh p-sunshine'],
  rows: async function* ({ place }, { args }) {
    const found = args.map((id) => getPlan(place.env, id, place.clock.now()))
    for (const plan of found) removePlan(place.env, plan)
    yield createNoteRow(found.map(({ id }) => `${id} discarded`).join('\n'))
  },
})
