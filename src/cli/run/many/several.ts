/** Several plans of one command: an outcome each, shown as they become known. */
import { writes } from '../../../catalogue/endpoint.js'
import type { Plan } from '../../../commands/described.js'
import type { Many, PlanAnswer } from '../../../commands/services.js'
import { Failure } from '../../../errors.js'
import { ClosedPipe } from '../../../terminal/streams/stdout.js'
import { about, below, belowOf, identityOf, leadOf, toldApart } from '../answer/about.js'
import { printedValue, showsNothing } from '../answer/outcome.js'
import { Breaker } from './breaker.js'
import { callOf, doneText, type Engine, eachOf, objectOf, widthOf } from './each.js'
import { InOrder } from './in-order.js'

interface Result {
  readonly plan: Plan
  readonly outcome?: PlanAnswer
  readonly failure?: Failure
}

/** How far an interrupted run came: what was done, what failed, what may have been done. */
const stateOf = (results: readonly Result[], begun: ReadonlySet<Plan>): string => {
  const labels = (of: (result: Result) => boolean): string =>
    results
      .filter(of)
      .map(({ plan }) => plan.label)
      .join(', ')
  const failed = labels(({ failure }) => failure !== undefined)
  const open = labels(
    ({ plan, outcome, failure }) =>
      begun.has(plan) && writes(plan.endpoint) && outcome === undefined && failure === undefined,
  )
  return [
    `interrupted; done before that: ${labels(({ outcome }) => outcome !== undefined) || 'none'}`,
    ...(failed === '' ? [] : [`failed: ${failed}`]),
    ...(open === '' ? [] : [`under way, so that the outcome is not known: ${open}`]),
  ].join('; ')
}

/** Several plans under way. */
export interface Several {
  /** What became of each, so far. */
  readonly results: readonly Result[]
  /** The same in order, each as soon as it is known. */
  readonly known: InOrder<Result>
  /** Hands out nothing more; what is under way ends. */
  readonly stop: () => void
  /** Never rejects: what ended it early is thrown where the results are read. */
  readonly ended: Promise<void>
  /** The failure for which it stopped by itself, where it did. */
  readonly cause: () => Failure | undefined
}

/** Runs plans, bounded in number, continuing past failures. */
export const several = (engine: Engine, plans: readonly Plan[], options: Many): Several => {
  const results: Result[] = plans.map((plan) => ({ plan }))
  const known = new InOrder<Result>()
  const run = options.run ?? callOf(engine)
  const begun = new Set<Plan>()
  const breaker = new Breaker()
  let stopped = false
  const outcomeOf = async (plan: Plan): Promise<Result> => {
    try {
      return { plan, outcome: await run(plan) }
    } catch (error) {
      if (!(error instanceof Failure) || error.category === 'interrupted') throw error
      return { plan, failure: error }
    }
  }
  const tally = engine.person.tally(plans.length)
  const work = eachOf(plans, widthOf(engine), engine.signal, async (plan, i) => {
    if (stopped || breaker.cause !== undefined) return
    begun.add(plan)
    const result = await outcomeOf(plan)
    breaker.observe(result.failure)
    results[i] = result
    tally.add(1, result.failure !== undefined)
    known.put(i, result)
  }).catch((error: unknown) => {
    if (error instanceof Failure && error.category === 'interrupted')
      engine.person.note(stateOf(results, begun))
    throw error
  })
  const ended = work.finally(tally.end).then(
    () => known.end(),
    (error: unknown) => known.end(error),
  )
  return {
    results,
    known,
    ended,
    cause: () => breaker.cause,
    stop: () => {
      stopped = true
    },
  }
}

/** What one object of several is under -o json where the API answers with nothing: what became of it. */
const recordOf = ({ plan, outcome, failure }: Result): unknown => {
  const id = { ...belowOf(plan), ...identityOf(plan) }
  if (failure !== undefined) return { ...id, outcome: 'failed', ...failure.toJSON() }
  if (outcome?.unchanged === true) return { ...id, outcome: 'unchanged' }
  return { ...id, outcome: 'done' }
}

/** Says of one result what the answer does not show. */
const tell = (
  engine: Engine,
  { plan, outcome, failure }: Result,
  options: Many,
  inline: boolean,
): void => {
  if (failure !== undefined && !inline)
    engine.person.report(
      new Failure(failure.category, `${objectOf(plan)}: ${failure.message}`, failure.details),
    )
  else if (outcome?.unchanged === true)
    engine.person.note(`${objectOf(plan)}: ${plan.endpoint.unchanged ?? 'already so'}`)
  else if (outcome !== undefined && showsNothing(outcome))
    engine.person.note(`${objectOf(plan)}: ${doneText(plan, outcome, options)}`)
}

/** Shows the results of plans of one endpoint, each as soon as it is known. */
export const showSeveral = async (
  engine: Engine,
  plans: readonly Plan[],
  results: AsyncIterable<Result>,
  options: Many,
): Promise<void> => {
  const [only] = plans
  if (only === undefined) return
  const endpoint = options.emit?.endpoint ?? only.endpoint
  const columns = options.emit?.columns ?? (await engine.answer.columnsFor(endpoint))
  const { lead } = leadOf(engine.globals.fields ?? columns, plans)
  const parent = only.parent === undefined ? {} : { parent: only.parent.column }
  const programs = engine.answer.reader === 'programs'
  const asked = engine.globals.fields !== undefined
  const recordFor = (plan: Plan, value: unknown): unknown => {
    if (programs && !asked) return toldApart(plan, value)
    return programs || lead !== undefined ? about(plan, value) : value
  }
  const rowOf = (plan: Plan, value: unknown): unknown => below(plan, recordFor(plan, value))
  const inline = programs && (writes(only.endpoint) || only.parent !== undefined)
  const shown = (async function* () {
    for await (const result of results) {
      tell(engine, result, options, inline && only.parent === undefined)
      const { outcome } = result
      if (outcome !== undefined && !showsNothing(outcome))
        yield rowOf(result.plan, printedValue(outcome))
      else if (inline) yield recordOf(result)
    }
  })()
  const first = await shown.next()
  if (first.done === true && !inline) return
  const rows = (async function* () {
    if (first.done !== true) yield first.value
    yield* shown
  })()
  await engine.answer.printMany(rows, {
    endpoint,
    ...options.emit,
    columns: lead === undefined ? columns : [lead, ...columns],
    ...parent,
    ...(lead === undefined ? {} : { lead }),
  })
  await engine.answer.flush()
}

const isOpen = ({ outcome, failure }: Result): boolean =>
  outcome === undefined && failure === undefined

/** A run that stopped by itself has one cause, whatever was done before. */
const halted = (results: readonly Result[], cause: Failure): Failure => {
  const left = results.filter(isOpen).length
  const failed = results.filter(({ failure }) => failure !== undefined).length
  const why =
    cause.category === 'auth'
      ? 'the credential was refused ten times in a row'
      : 'twenty objects in a row could not be reached'
  const counts = `${results.length - failed - left} done, ${failed} failed, ${left} not tried`
  const { hint } = cause.details
  return new Failure(
    cause.category,
    `stopped: ${why}; ${counts}`,
    hint === undefined ? {} : { hint },
  )
}

/**
 * The failure of a run over several objects, or undefined when all went well.
 * @param cause the failure for which it stopped by itself
 */
export const verdict = (results: readonly Result[], cause?: Failure): Failure | undefined => {
  if (cause !== undefined && results.some(isOpen)) return halted(results, cause)
  const failures = results.flatMap((r) => (r.failure === undefined ? [] : [r.failure]))
  const [first] = failures
  if (first === undefined) return undefined
  const alike = failures.every((f) => f.category === first.category)
  if (failures.length === results.length && alike)
    return new Failure(first.category, `all ${results.length} failed`)
  return new Failure('partial', `${failures.length} of ${results.length} failed`)
}

/** What becomes of writes whose answers cannot be printed any more; undefined where that is not it. */
export const unfinished = (results: readonly Result[], lost: unknown): Failure | undefined => {
  const closed = lost instanceof ClosedPipe
  if (!closed && !(lost instanceof Failure && lost.category === 'failed')) return undefined
  const done = results.filter(({ outcome }) => outcome !== undefined).length
  const failed = results.filter(({ failure }) => failure !== undefined).length
  const left = results.length - done - failed
  const counts = [
    `${done} of ${results.length} done`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(left === 0 ? [] : [`${left} not tried`]),
  ].join(', ')
  if (!closed) return unprinted(lost, counts)
  if (left === 0) return verdict(results)
  return new Failure('partial', `standard output was closed: ${counts}`)
}

/** The failure of an answer's printing, once something was written. */
export const unprinted = ({ category, message, details }: Failure, done: string): Failure =>
  new Failure(category, `${message}; ${done}`, {
    cause: details.cause,
    hint: 'Look at what is there before you send it again.',
  })
