/** Several plans of one command on the engine: confirmed already, shown as their outcomes become known. */
import { writes } from '../../../catalogue/endpoint.js'
import type { Plan } from '../../../commands/described.js'
import type { Many, PlanAnswer } from '../../../commands/services.js'
import { Failure } from '../../../errors.js'
import { closingLine } from '../../../fleet/progress.js'
import { type Report, verdict } from '../../../fleet/report.js'
import { type Run, run } from '../../../fleet/run.js'
import { callOf, type Engine } from './each.js'
import { mostOf, unfinished } from './ending.js'
import type { Intake, Numbered } from './intake.js'
import { Showing } from './showing.js'
import { Standings } from './standings.js'
import { tolerant } from './tolerated.js'

/** The engine with this run's work: one plan after the other, each outcome counted as it comes. */
const started = async (
  engine: Engine,
  { items, queued, total }: Intake,
  standings: Standings,
  options: Many,
): Promise<Run<PlanAnswer, Numbered>> => {
  const send = tolerant(engine.globals, options.run ?? callOf(engine))
  const tally = engine.person.tally(total())
  let known = total()
  const going = run<PlanAnswer, Numbered>({
    items,
    gate: await engine.gate(),
    signal: engine.signal,
    ...mostOf(engine),
    queued,
    work: async ({ plan }) => {
      standings.begun(plan)
      const result = await send(plan)
      return { state: result.unchanged === true ? 'unchanged' : 'done', result }
    },
    told: (settled) => {
      standings.settled(settled)
      tally.add(1, 'failure' in settled.outcome)
      if (known === undefined) {
        known = total()
        if (known !== undefined) tally.total(known)
      }
    },
  })
  going.report.finally(tally.end).catch(() => {})
  return going
}

const again = (count: number): string =>
  count === 1
    ? 'one object was given more than once: it is done once'
    : `${count} objects were given once more: each is done once`

/** The end of a run: what is said of it, and what it throws. */
const ended = (
  engine: Engine,
  report: Report,
  standings: Standings,
  lost: unknown,
  wrote: boolean,
): void => {
  const { person, signal } = engine
  if (report.end === 'interrupted' || signal.aborted) {
    person.note(standings.line())
    throw new Failure('interrupted', 'interrupted')
  }
  const failure = wrote ? unfinished(report, lost) : undefined
  if (failure !== undefined) throw failure
  if (lost !== undefined) throw lost
  const came = verdict(report)
  if (report.counts.failed + report.counts.unknown > report.failures.length)
    person.note(closingLine(report, engine.command))
  if (came !== undefined) throw came
}

/**
 * Runs plans, continuing past failures, and shows what becomes of each.
 * @throws Failure for what the run as a whole came to
 */
export const several = async (engine: Engine, intake: Intake, options: Many): Promise<void> => {
  const first: Plan | undefined = intake.first
  if (first === undefined) return
  const standings = new Standings()
  const shown = await Showing.of(engine, intake, options)
  const going = await started(engine, intake, standings, options)
  let lost: unknown
  try {
    await shown.show(going)
  } catch (error) {
    lost = error
  }
  const report = await going.report
  if (intake.twice() > 0) engine.person.note(again(intake.twice()))
  ended(engine, report, standings, lost, writes(first.endpoint))
}
