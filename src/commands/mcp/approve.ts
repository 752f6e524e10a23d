/** `mcp approve`, `mcp plans` and `mcp discard`: what a person does with the plans of agents. */
import { closeSync, openSync } from 'node:fs'
import { isatty } from 'node:tty'
import { parseExact, stringifyExact } from '../../base/json/json.js'
import { type Fields, isObject } from '../../base/objects.js'
import { insertFlags } from '../../base/shell-words.js'
import { volatileFields } from '../../client/snapshot/manifest.js'
import type { Services } from '../../engine/command/services.js'
import type { MadeBy } from '../../engine/command/types.js'
import { Failure, usage } from '../../errors.js'
import { getLevelName } from '../../output/columns.js'
import { define, type GivenBy } from '../define.js'
import { formatCommandLine } from './line.js'
import { tryLine } from './planning.js'
import { type AgentPlan, getPlan, openPlans, removePlan } from './plans.js'

// Who approves: a person at a terminal, and the same as the plan was made by.

const hasTerminal = (): boolean => {
  if (process.platform === 'win32') return true
  try {
    const descriptor = openSync('/dev/tty', 'r+')
    const is = isatty(descriptor)
    closeSync(descriptor)
    return is
  } catch {
    return false
  }
}

/** @throws Failure `usage` where no person can read the plan and answer */
const checkPerson = ({ place, ui }: Services): void => {
  const { quiet, yes } = place.globals
  if (yes || quiet)
    throw usage(
      `mcp approve does not allow --${yes ? 'yes' : 'quiet'}: a person must read the plan`,
    )
  if (!ui.interactive || !hasTerminal())
    throw usage(
      'mcp approve requires a terminal with a person at it',
      'Run it in a terminal, without CI and SVC_NO_PROMPT. --dry-run shows the plan without one.',
    )
}

const nameOf = (value: string | null): string => value ?? 'none'

/** @throws Failure `usage` where a plan was made for somebody else, or elsewhere */
const checkMaker = ({ id, by }: AgentPlan, now: MadeBy): void => {
  for (const what of ['instance', 'profile', 'user', 'sudo'] as const)
    if (by[what] !== now[what])
      throw usage(
        `plan ${id} was made for the ${what === 'sudo' ? '--sudo user' : what} ${nameOf(by[what])}, and this is ${nameOf(now[what])}`,
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
const recordIn = (text: string): unknown => {
  const value = parseExact(text)
  return isObject(value) && isObject(value.record) ? value.record : value
}

const linesOf = (text: string): readonly string[] => {
  const record = recordIn(text)
  if (!isObject(record) || !Array.isArray(record.changes)) return [`  ${text}`]
  return [
    `  ${String(record.request)}`,
    ...record.changes.map((change: unknown) => `    ${attributeLine(change, record)}`),
  ]
}

/** A change without what changes by itself. */
const steady = (text: string): string => {
  const record = recordIn(text)
  if (!isObject(record) || !Array.isArray(record.changes)) return text
  const changes = record.changes.filter(
    (change: unknown) => !isObject(change) || !volatileFields.has(String(change.attribute)),
  )
  return stringifyExact({ ...record, changes }) ?? ''
}

/** Changes that are on one side only. */
const missingIn = (some: readonly string[], others: readonly string[]): readonly string[] => {
  const known = new Set(others.map(steady))
  return some.filter((text) => !known.has(steady(text)))
}

// Approving.

const titleOf = ({ words }: AgentPlan): string => formatCommandLine(words, [])

const show = ({ answer, ui }: Services, plan: AgentPlan): void => {
  const say = (text: string): void => ui.note(answer.text.safe(text))
  say(`Plan ${plan.id}, made by an agent at ${plan.made_at}:`)
  say(`  ${titleOf(plan)}`)
  if (plan.reason !== undefined) say(`Reason that the agent gives (not checked): "${plan.reason}"`)
  say(`Changes to ${countOf(plan.changes)}:`)
  for (const line of plan.changes.flatMap(linesOf)) say(line)
}

const countOf = ({ length }: readonly unknown[]): string =>
  `${length} ${length === 1 ? 'object' : 'objects'}`

/**
 * Reads the objects again.
 * @throws Failure `conflict` where one is not as the plan has it
 */
const checkUnchanged = async ({ answer, place, ui }: Services, plan: AgentPlan): Promise<void> => {
  const { changes, failure } = await tryLine(place.runs, plan.words, place.clock.signal)
  if (failure !== undefined && !['conflict', 'not_found'].includes(failure.category)) throw failure
  const [before, after] = [missingIn(plan.changes, changes), missingIn(changes, plan.changes)]
  if (before.length === 0 && after.length === 0 && failure === undefined) return
  const tell = (title: string, some: readonly string[]): void => {
    if (some.length > 0) ui.note(title)
    for (const line of some.flatMap(linesOf)) ui.note(answer.text.safe(line))
  }
  tell('The plan has:', before)
  tell('It would be now:', after)
  const what = failure === undefined ? 'the objects' : `the objects (${failure.message})`
  throw new Failure('conflict', `${what} changed since plan ${plan.id} was made`, {
    hint: `Nothing was changed. Ask the agent for a new plan, and remove this one with: svcctl mcp discard ${plan.id}`,
  })
}

const approving = async (
  services: Services,
  given: GivenBy<Record<never, never>>,
): Promise<void> => {
  const { answer, place, ui } = services
  const { dryRun } = place.globals
  if (!dryRun) checkPerson(services)
  const plan = getPlan(place.env, given.args[0] ?? '', place.clock.now())
  const session = await place.session()
  checkMaker(plan, await place.identity())
  show(services, plan)
  await checkUnchanged(services, plan)
  if (dryRun) return
  const { profile } = session
  await ui.confirm(`This approves plan ${plan.id}.`, [], session, plan.changes.length)
  if (!removePlan(place.env, plan)) throw new Failure('conflict', `plan ${plan.id} is gone`)
  const { words, input } = plan.exact
  // It was shown and confirmed above, with what a profile asks for.
  const agreed = ['--yes', ...(profile?.protected === true ? ['--confirm', profile.name] : [])]
  answer.exit(await place.runs.typed({ words: insertFlags(words, agreed), input }))
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
  run: approving,
})

// Plans that wait.

const summaryOf = (plan: AgentPlan) => ({
  id: plan.id,
  command: titleOf(plan),
  objects: plan.changes.length,
  reason: plan.reason ?? null,
  profile: plan.by.profile,
  instance: plan.by.instance,
  made_at: plan.made_at,
  expires_at: plan.expires_at,
})

const listPlans = async ({ answer, place, ui }: Services): Promise<void> => {
  const plans = openPlans(place.env, place.clock.now())
  if (plans.length === 0) ui.note('no plans are waiting')
  await answer.printMany(plans.map(summaryOf), {
    columns: ['id', 'command', 'objects', 'reason', 'expires_at'],
    stacks: 'cut',
  })
}

export const plans = define({
  summary: 'List plans of agents that wait for approval',
  examples: ['mcp plans', 'mcp plans -o json'],
  run: listPlans,
})

export const discard = define({
  summary: 'Remove plans of agents',
  args: [{ name: 'plan', required: true, variadic: true, help: 'ID of the plan' }],
  examples: ['mcp discard p-abcdefgh', 'mcp discard p-abcdefgh p-sunshine'],
  run: async ({ place, ui }, { args }) => {
    const found = args.map((id) => getPlan(place.env, id, place.clock.now()))
    for (const plan of found) removePlan(place.env, plan)
    ui.note(found.map(({ id }) => `${id} discarded`).join('\n'))
  },
})
