/** Several plans of one command on the engine: confirmed already, shown as their outcomes become known. */
import { writes } from '../../../catalogue/endpoint.js'
import type { Plan } from '../../../commands/described.js'
import type { Many, PlanAnswer } from '../../../commands/services.js'
import { Failure } from '../../../errors.js'
import { Frugal } from '../../../fleet/frugal.js'
import { closingLine } from '../../../fleet/progress.js'
import { type Report, verdict } from '../../../fleet/report.js'
import { type Run, run } from '../../../fleet/run.js'
import { callOf, type Engine } from './each.js'
import { mostOf, unfinished } from './ending.js'
import type { Intake, Numbered } from './intake.js'
import type { Keeping } from './journal/keeping.js'
import { Showing } from './showing.js'
import { Standings } from './standings.js'
import { tolerant } from './tolerated.js'

/** The engine with this run's work: one plan after the other, each outcome counted as it comes. */
const started = async (
  engine: Engine,
  { items, queued, total }: Intake,
  standings: Standings,
  options: Many,
  keeping: Keeping | undefined,
): Promise<Run<PlanAnswer, Numbered>> => {
  const send = tolerant(engine.globals, options.run ?? callOf(engine))
  const gate = await engine.gate()
  const tally = engine.person.tally(total(), () => gate.waiting)
  const frugal = await Frugal.begin()
  let known = total()
  const going = run<PlanAnswer, Numbered>({
    items,
    gate,
    signal: engine.signal,
    ...mostOf(engine),
    queued,
    record: keeping?.record,
    look: keeping && ((item: Numbered) => keeping.look(item)),
    work: async (item) => {
      const { plan } = item
      standings.begun(plan)
      const result = await (keeping === undefined ? send(plan) : keeping.do(item, plan, send))
      return { state: result.unchanged === true ? 'unchanged' : 'done', result }
    },
    told: (settled) => {
      standings.settled(settled)
      tally.add(1, 'failure' in settled.outcome)
      frugal.look()
      if (known === undefined) {
        known = total()
        if (known !== undefined) tally.total(known)
      }
    },
  })
  going.report
    .finally(tally.end)
    .finally(() => frugal.end())
    .catch(() => {})
  return going
}

const again = (count: number): string =>
  count === 1
    ? 'one object was given more than once: it is done once'
    : `${count} objects were given once more: each is done once`

/** Sends what goes as one request for all, once all of them are on record. */
const sendTogether = async (
  { held = [] }: Intake,
  { together }: Many,
  keeping: Keeping | undefined,
): Promise<void> => {
  if (together === undefined) return
  // What may have been done is only looked at.
  const due = held.filter(({ how }) => how !== 'read')
  await keeping?.prepare(due)
  await Promise.all(due.map((item) => keeping?.record.begun(item)))
  if (due.length > 0) await together(due.map(({ plan }) => plan))
}

/** How a run came to its end. */
interface Ended {
  readonly engine: Engine
  readonly report: Report
  readonly standings: Standings
  readonly keeping: Keeping | undefined
  /** What its answers could not be printed for. */
  readonly lost: unknown
  readonly wrote: boolean
  readonly cut: boolean
}

/** The end of a run: what is said of it, and what it throws. */
const end = ({ engine, report, standings, keeping, lost, wrote, cut }: Ended): void => {
  const { person, signal } = engine
  const closing = (): void => {
    if (keeping === undefined) return
    const { file, again } = keeping
    person.note(closingLine(report, { file, again, cut }))
  }
  if (report.end === 'interrupted' || signal.aborted) {
    person.note(standings.line())
    closing()
    throw new Failure('interrupted', 'interrupted')
  }
  closing()
  const failure = wrote ? unfinished(report, lost) : undefined
  if (failure !== undefined) throw failure
  if (lost !== undefined) throw lost
  const came = verdict(report)
  const { failed, unknown } = report.counts
  if (keeping === undefined && failed + unknown > report.failures.length)
    person.note(closingLine(report))
  if (came !== undefined) throw came
}

/**
 * Runs plans, continuing past failures, and shows what becomes of each.
 * @throws Failure for what the run as a whole came to
 */
export const several = async (
  engine: Engine,
  intake: Intake,
  options: Many,
  keeping?: Keeping,
  leaveOff: () => void = () => {},
): Promise<void> => {
  const first: Plan | undefined = intake.first
  if (first === undefined) return
  const standings = new Standings()
  const shown = await Showing.of(engine, intake, options)
  await sendTogether(intake, options, keeping)
  const going = await started(engine, intake, standings, options, keeping)
  let lost: unknown
  try {
    await shown.show(going)
  } catch (error) {
    lost = error
  }
  const report = await going.report
  const cut = intake.cut?.() ?? false
  leaveOff()
  await keeping?.end(report.end)
  if (intake.twice() > 0) engine.person.note(again(intake.twice()))
  end({ engine, report, standings, keeping, lost, wrote: writes(first.endpoint), cut })
}
