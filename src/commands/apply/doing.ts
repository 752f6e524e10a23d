/** A plan that was agreed to, done: carried out, read once more, told of. */
import { mostAtOnce } from '../../base/ahead.js'
import type { PlannedAction } from '../../desired/actions.js'
import type { Carried } from '../../desired/applying/carrying.js'
import type { Verified } from '../../desired/applying/verifying.js'
import { exitCodes, Failure } from '../../errors.js'
import type { Attributes } from '../../fleet/journal/lines.js'
import { writableOf } from '../plan/instance.js'
import type { ApplyRun } from './run.js'
import { printDone, tellDone } from './telling.js'

const nothingVerified: Verified = { unkept: [], unread: [] }

/** Carries the plan out, each action on record. */
const carried = async ({ services, made, actions, secrets, run }: ApplyRun): Promise<Carried> => {
  const { person, place } = services
  const [{ carryOut }, { recordIn }, { parseMostFailures }] = await Promise.all([
    import('../../desired/applying/carrying.js'),
    import('../../fleet/journal/record.js'),
    import('../../fleet/report.js'),
  ])
  const { concurrency = 'auto', maxFailures } = place.globals
  const tally = person.tally(actions.length)
  const record =
    run.journal &&
    recordIn(
      run.journal,
      (result: { readonly status?: number } = {}) =>
        result.status === undefined ? {} : { status: result.status },
      (attributes: Attributes) => attributes,
    )
  return carryOut(actions, {
    instance: writableOf(services),
    sight: made.sight,
    secrets: secrets.values,
    // How many are sent at once is the gate's affair: every request passes it.
    gate: { width: concurrency === 'auto' ? mostAtOnce : concurrency },
    ...(maxFailures === undefined ? {} : { mostFailures: parseMostFailures(maxFailures) }),
    signal: place.clock.signal,
    record,
    numbered: ({ id }) => run.places.get(id),
    told: ({ outcome }) => tally.add(1, 'failure' in outcome),
  }).finally(tally.end)
}

const isDone = ({ outcomes }: Carried, { id }: PlannedAction): boolean => {
  const outcome = outcomes.get(id)
  return outcome !== undefined && !('failure' in outcome)
}

/** What was set of secrets is known the next time. */
const remembered = async (
  { services, secrets, actions }: ApplyRun,
  { outcomes }: Carried,
): Promise<void> => {
  const set = actions.flatMap(({ id }) => {
    const outcome = outcomes.get(id)
    return outcome?.state === 'done' ? outcome.result.set : []
  })
  try {
    if (secrets.unusable === undefined) await secrets.record.remember(set)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    services.person.warn(`which secrets were set cannot be kept: ${why}`)
  }
}

const verified = async (doing: ApplyRun, all: Carried): Promise<Verified> => {
  const { services, made, actions, verify } = doing
  if (!verify || services.place.clock.signal.aborted) return nothingVerified
  const engine = await import('../../desired/applying/verifying.js')
  const { each } = writableOf(services)
  const { sleep } = services.place.clock
  return services.person.progress('looking whether the instance has it', () =>
    engine.verify(
      { sight: made.sight, each, sleep },
      actions.filter((action) => isDone(all, action)),
    ),
  )
}

/** What the run ends with, beside what could not be read for its plan. */
const endedWith = async (
  { services }: ApplyRun,
  { report }: Carried,
  { unkept, unread }: Verified,
): Promise<void> => {
  const { verdict } = await import('../../fleet/report.js')
  const failure = verdict(report)
  if (failure !== undefined && services.place.clock.signal.aborted) throw failure
  if (unread.length > 0) services.answer.exit(exitCodes.partial)
  if (failure !== undefined) throw failure
  if (unkept.length > 0)
    throw new Failure(
      'failed',
      `the instance did not keep what was written to ${unkept.length} of its objects`,
      {
        hint: 'Put what it keeps into the files, or look whether this version knows the attribute.',
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
    await printDone(doing, all, looked)
    await endedWith(doing, all, looked)
  } finally {
    await run.close()
  }
}
