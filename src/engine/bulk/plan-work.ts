/** Parts that runs over plans share: the engine that they need, the failures that they tolerate, and the names of objects and outcomes. */
import { writes } from '../../catalogue/endpoint.js'
import { Failure } from '../../errors.js'
import type { FleetGate } from '../../http/gate.js'
import type { WholeAnswer } from '../../http/types.js'
import type { AnswerService, UiService } from '../command/context.js'
import { getCommandName } from '../command/derive.js'
import type { Globals } from '../command/globals.js'
import { getAnswerFacts, isTolerated, type TolerateFlag, toCallAnswer } from '../command/running.js'
import type { CommandFacts, Plan, WriteOptions } from '../command/types.js'
import type { JournaledRun } from '../journaling/journaled-run.js'
import type { UnfinishedRun } from '../journaling/runs.js'
import { getHolder } from '../records/object-rows.js'
import type { PlanAnswer, Rows } from '../rows.js'
import type { Item } from '../work/report.js'

// `--tolerate`: refusals that are noted, and count as no failures.

/** The answer for an object whose failure `--tolerate` accepts. */
interface ToleratedAnswer extends PlanAnswer {
  readonly tolerated: Failure
}

/** Returns the failure that was tolerated for an object; undefined if there was none. */
export const getToleratedFailure = (answer: PlanAnswer | undefined): Failure | undefined =>
  answer !== undefined && 'tolerated' in answer && answer.tolerated instanceof Failure
    ? answer.tolerated
    : undefined

/** Wraps the work on one object: a failure that `--tolerate` accepts leaves the object unchanged. */
export const ignoreTolerated =
  (globals: TolerateFlag, work: (plan: Plan) => Promise<PlanAnswer>) =>
  async (plan: Plan): Promise<PlanAnswer | ToleratedAnswer> => {
    try {
      return await work(plan)
    } catch (error) {
      if (!(error instanceof Failure) || !isTolerated(globals, error)) throw error
      return { unchanged: true, tolerated: error }
    }
  }

// When a run ends early: as many failures as may be, or answers that cannot be printed any more.

/** Creates the failure of an answer's printing, once something was written. */
export const createUnprintedFailure = (
  { category, message, details }: Failure,
  done: string,
): Failure =>
  new Failure(category, `${message}; ${done}`, {
    cause: details.cause,
    hint: 'Check the object before you send the request again.',
  })

/** Converts the failure of an output that could not be ended, once all that its command does was done. */
export const toUnprintedRun = (error: unknown, command: CommandFacts): unknown =>
  error instanceof Failure
    ? createUnprintedFailure(error, `${getCommandName(command)} was completed before that`)
    : error

/** A `null` has no more bytes with the blanks around it: longer answers are not parsed for that. */
const maxNullBytes = 16

/** Opens the journal of a run. */
export type Keeper = () => Promise<JournaledRun>

/** Describes what a run came to, in case the rest of its answer cannot be printed: the only way to report it from there. */
export class RunReport {
  #describe: ((lost: unknown) => unknown) | undefined

  /** Sets what is thrown in the place of the failure to print. */
  set(describe: (lost: unknown) => unknown): void {
    this.#describe = describe
  }

  /** Returns what is thrown for a failure to print. */
  describe(lost: unknown): unknown {
    return this.#describe === undefined ? lost : this.#describe(lost)
  }
}

/** The options with which plans are run: those of the command, and how its requests go. */
export interface BulkOptions
  extends Pick<WriteOptions, 'done' | 'final' | 'loses' | 'present' | 'view'> {
  /** Runs one plan; the default sends it and returns the answer's data. */
  readonly run?: (plan: Plan) => Promise<PlanAnswer>
  /** Sends all of them before the first is run; they are on record by then. */
  readonly together?: ((plans: readonly Plan[]) => Promise<void>) | undefined
  /** Sends one request for several plans, before each of them is run; they are on record by then. */
  readonly merging?:
    | {
        /** Returns an equal key for plans that go together; undefined for one that goes alone. */
        readonly keyOf: (plan: Plan) => string | undefined
        readonly send: (plans: readonly Plan[]) => Promise<void>
      }
    | undefined
  /** Its requests are on record elsewhere. */
  readonly kept?: false
}

/** What the work of a run uses. */
export interface Engine {
  readonly send: (plan: Plan) => Promise<WholeAnswer>
  readonly answer: AnswerService
  readonly ui: UiService
  readonly globals: Pick<Globals, 'concurrency' | 'fields' | 'journal' | 'maxFailures' | 'tolerate'>
  readonly signal: AbortSignal
  /** The report that says what to throw if the answer of a write cannot be printed. */
  readonly report: RunReport
  /** The objects came from standard input: the answer is a list, however many there are. */
  readonly listed: boolean
  /** Area and verb. */
  readonly command: string
  /** Ends a run that has no objects in its shard. */
  readonly endEmptyShard: () => Rows
  /** Why nothing takes back what a plan does; undefined where it can be undone. */
  readonly irreversible: (plan: Plan) => string | undefined
  /** The gate that all requests to the run's instance pass. */
  readonly gate: () => Promise<FleetGate>
  /** The run that is gone on with. */
  readonly resumed?: () => UnfinishedRun | undefined
  /** Refuses what is not as it was when the run that is gone on with was planned. */
  readonly asPlanned?: (item: Item, plan: Plan) => Promise<Plan>
  /**
   * Returns the function that opens the journal of a run with such plans; undefined if the run keeps none.
   * @param single true if the run is about one object, named on the line
   * @param final why the run cannot be resumed
   */
  readonly keeper?: (first: Plan, single: boolean, final?: string) => Keeper | undefined
}

/** Checks a plan of a run that was planned before: it is refused if its object is not as it was then. */
export const checkPlannedState = async (
  { resumed, asPlanned }: Engine,
  item: Item,
  plan: Plan,
): Promise<Plan> => {
  const header = resumed?.()?.past.header
  return header?.planned === undefined ? plan : ((await asPlanned?.(item, plan)) ?? plan)
}

/** True if an answer is `null`. A few endpoints answer so where the documents have nothing to show, or in the place of what they wrote. */
const isNullAnswer = ({ endpoint }: Plan, whole: WholeAnswer): boolean => {
  const shown = endpoint.returns.kind === 'one' && !writes(endpoint)
  return !shown && whole.bytes.length < maxNullBytes && whole.data === null
}

/** Converts what the instance answered to the answer of a plan. A bare `null` counts as an answer without a record. */
export const toPlanAnswer = (plan: Plan, whole: WholeAnswer): PlanAnswer =>
  isNullAnswer(plan, whole) ? getAnswerFacts(whole) : toCallAnswer(whole)

/** Creates the function that runs a plan by sending its request and nothing else. */
export const createCall =
  ({ send }: Pick<Engine, 'send'>) =>
  async (plan: Plan): Promise<PlanAnswer> =>
    toPlanAnswer(plan, await send(plan))

/** Returns the past tense of what became of a plan's object: the command's word, else the endpoint's. */
export const getDoneWord = ({ endpoint }: Plan, { done }: Pick<BulkOptions, 'done'>): string =>
  done ?? endpoint.done ?? 'done'

/** Returns the name of a plan's object for confirmations and outcomes: `merge request 42 of platform/app`. */
export const getObjectName = (plan: Plan): string => {
  if (plan.label === undefined && plan.parent !== undefined) return plan.parent.name
  // A full reference says where it belongs by itself.
  if (plan.label !== undefined && /.[!#]\d+$/.test(plan.label)) return plan.label
  const holder = getHolder(plan.endpoint)
  const name = holder === undefined ? undefined : String(plan.values[holder.name])
  const of = holder === undefined || name === plan.label ? '' : ` of ${holder.type} ${name}`
  return `${plan.label ?? plan.endpoint.route}${of}`
}

/** Describes the outcome of an object whose answer has no record, and says so if the endpoint should have returned one. */
export const describeBareOutcome = (
  plan: Plan,
  { status }: PlanAnswer,
  options: BulkOptions,
): string =>
  status === undefined || plan.endpoint.returns.kind !== 'one'
    ? getDoneWord(plan, options)
    : `${getDoneWord(plan, options)}, according to the status only: the instance answered ${status} without the record`
