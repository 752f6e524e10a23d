/** A plan that was agreed to, done: carried out, read once more, told of. */

import type { PlannedAction } from '../../desired/actions.js'
import { type ExecutionResult, executePlan } from '../../desired/applying/execute.js'
import { type Verified, verify } from '../../desired/applying/verifying.js'
import { concurrencyLimit } from '../../engine/command/globals.js'
import type { Services } from '../../engine/command/services.js'
import type { Attributes } from '../../engine/journal/lines.js'
import { recordIn } from '../../engine/journal/record.js'
import { keptAs } from '../../engine/journaling/runs.js'
import { closingLine, parseFailureLimit, verdict } from '../../engine/work/report.js'
import { exitCodes, Failure } from '../../errors.js'
import { type readSecrets, toWritable } from '../plan/instance.js'
import type { MadePlan } from '../plan/making.js'
import { printPlan } from '../plan/printing.js'
import type { ActionEnd, Reported } from '../plan/rows.js'
import type { OwnRun } from './journal.js'

export interface ApplyRun {
  readonly services: Services
  readonly made: MadePlan
  readonly actions: readonly PlannedAction[]
  readonly secrets: Awaited<ReturnType<typeof readSecrets>>
  readonly run: OwnRun
  /** Whether what was written is read once more. */
  readonly verify: boolean
  readonly reported: Reported
  /** Writes the reports again, with what became of actions. */
  report(ends: ReadonlyMap<string, ActionEnd>): Promise<void>
}

// What became of a plan: on standard error for people, with the plan for programs.

/** What is told of an action in the plan's document. */
interface Told {
  readonly outcome: 'done' | 'unchanged' | 'failed' | 'unknown' | 'skipped' | 'not_tried'
  readonly error?: unknown
  readonly unkept?: Verified['unkept'][number]['found']
}

const toldOf = (id: string, { outcomes, skipped }: ExecutionResult, { unkept }: Verified): Told => {
  const outcome = outcomes.get(id)
  if (outcome === undefined) return { outcome: 'not_tried' }
  if ('failure' in outcome) {
    const state = skipped.has(id) ? 'skipped' : outcome.state
    return { outcome: state, error: outcome.failure.toJSON().error }
  }
  const found = unkept.find(({ action }) => action.id === id)?.found
  return { outcome: outcome.state, unkept: found }
}

/** Failures in full, what was not kept, and the counts. */
const tellDone = async (
  { services: { ui, place }, run }: ApplyRun,
  { report }: ExecutionResult,
  { unkept, unread }: Verified,
): Promise<void> => {
  for (const { item, failure } of report.failures) ui.report(failure, item.object)
  for (const { action, found } of unkept)
    for (const { text } of found) ui.warn(`${action.id}: ${text}`)
  for (const { action, failure } of unread)
    ui.warn(`${action.id}: could not be read again: ${failure.message}`)
  ui.note(closingLine(report, keptAs(run.journal, 'apply', place.globals)))
}

const endsOf = ({ outcomes }: ExecutionResult): ReadonlyMap<string, ActionEnd> =>
  new Map(
    [...outcomes].map(([id, outcome]) => {
      const failed = 'failure' in outcome
      return [id, { failed, text: failed ? outcome.failure.message : outcome.state }]
    }),
  )

const nothingVerified: Verified = { unkept: [], unread: [] }

/** Carries the plan out, each action on record. */
const carried = async ({
  services,
  made,
  actions,
  secrets,
  run,
}: ApplyRun): Promise<ExecutionResult> => {
  const { ui, place } = services
  const tally = ui.tally(actions.length)
  const record =
    run.journal &&
    recordIn(run.journal, {
      facts: ({ status }: { readonly status?: number } = {}) => ({ status }),
      mask: (attributes: Attributes) => attributes,
    })
  return executePlan(actions, {
    instance: toWritable(services),
    view: made.view,
    secrets: secrets.values,
    // How many are sent at once is the gate's affair: every request passes it.
    gate: { width: concurrencyLimit(place.globals) },
    failureLimit: parseFailureLimit(place.globals.maxFailures),
    signal: place.clock.signal,
    record,
    numbered: ({ id }) => run.places.get(id),
    told: ({ outcome }) => tally.add(1, 'failure' in outcome),
  }).finally(tally.end)
}

const isDone = ({ outcomes }: ExecutionResult, { id }: PlannedAction): boolean => {
  const outcome = outcomes.get(id)
  return outcome !== undefined && !('failure' in outcome)
}

/** What was set of secrets is known the next time. */
const remembered = async (
  { services, secrets, actions }: ApplyRun,
  { outcomes }: ExecutionResult,
): Promise<void> => {
  const set = actions.flatMap(({ id }) => {
    const outcome = outcomes.get(id)
    return outcome?.state === 'done' ? outcome.result.set : []
  })
  try {
    if (secrets.unusable === undefined) await secrets.record.remember(set)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    services.ui.warn(`cannot record which secrets were set: ${why}`)
  }
}

const verified = async (doing: ApplyRun, all: ExecutionResult): Promise<Verified> => {
  const { services, made, actions } = doing
  if (!doing.verify || services.place.clock.signal.aborted) return nothingVerified
  const { each } = toWritable(services)
  const { sleep } = services.place.clock
  return services.ui.progress('verifying the changes', () =>
    verify(
      { view: made.view, each, sleep },
      actions.filter((action) => isDone(all, action)),
    ),
  )
}

/** What the run ends with, beside what could not be read for its plan. */
const endedWith = async (
  { services }: ApplyRun,
  { report }: ExecutionResult,
  { unkept, unread }: Verified,
): Promise<void> => {
  const failure = verdict(report)
  if (failure !== undefined && services.place.clock.signal.aborted) throw failure
  if (unread.length > 0) services.answer.exit(exitCodes.partial)
  if (failure !== undefined) throw failure
  if (unkept.length > 0)
    throw new Failure(
      'failed',
      `the instance did not apply all changes to ${unkept.length} objects`,
      {
        hint: 'Change the files to the values that the instance keeps, or check whether its version supports the attribute.',
      },
    )
}

/** @throws Failure for what it came to as a whole */
export const done = async (doing: ApplyRun): Promise<void> => {
  const { run } = doing
  try {
    const all = await carried(doing)
    await remembered(doing, all)
    await run.end(all.report.end)
    const looked = await verified(doing, all)
    await tellDone(doing, all, looked)
    const ends = endsOf(all)
    await doing.report(ends)
    await printPlan(doing.services, { ...doing.reported, ends }, (id) => toldOf(id, all, looked))
    await endedWith(doing, all, looked)
  } finally {
    await run.close()
  }
}
