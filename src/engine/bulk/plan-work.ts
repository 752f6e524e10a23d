/** What runs over plans share: the engine that they need, the failures that they tolerate, and the names of objects and outcomes. */
import { writes } from '../../catalogue/endpoint.js'
import { Failure } from '../../errors.js'
import type { FleetGate } from '../../http/gate.js'
import type { WholeAnswer } from '../../http/types.js'
import { getCommandName } from '../command/derive.js'
import type { Globals } from '../command/globals.js'
import { getAnswerFacts, isTolerated, type TolerateFlag, toAnswer } from '../command/running.js'
import type { AnswerService, Many, UiService } from '../command/services.js'
import type { CommandFacts, Plan } from '../command/types.js'
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

/** The failure that was tolerated for an object; undefined where there was none. */
export const ignoredError = (answer: PlanAnswer | undefined): Failure | undefined =>
  answer !== undefined && 'tolerated' in answer && answer.tolerated instanceof Failure
    ? answer.tolerated
    : undefined

/** Wraps the work on one object: a failure that `--tolerate` accepts leaves the object unchanged. */
export const ignoringErrors =
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

/** The failure of an answer's printing, once something was written. */
export const unprinted = ({ category, message, details }: Failure, done: string): Failure =>
  new Failure(category, `${message}; ${done}`, {
    cause: details.cause,
    hint: 'Check the object before you send the request again.',
  })

/** The failure of an output that could not be ended, once all that its command does was done. */
export const unprintedRun = (error: unknown, command: CommandFacts): unknown =>
  error instanceof Failure
    ? unprinted(error, `${getCommandName(command)} was completed before that`)
    : error

/** A `null` has no more bytes with the blanks around it: longer answers are not parsed for that. */
const maxNullBytes = 16

/** Opens the journal of a run. */
export type Keeper = () => Promise<JournaledRun>

/** What a run came to, for whoever cannot print the rest of its answer: the one way back from there. */
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

/** What the work of a run goes through. */
export interface Engine {
  readonly send: (plan: Plan) => Promise<WholeAnswer>
  readonly answer: AnswerService
  readonly ui: UiService
  readonly globals: Pick<Globals, 'concurrency' | 'fields' | 'journal' | 'maxFailures' | 'tolerate'>
  readonly signal: AbortSignal
  /** Is told what to say where the answer of a write cannot be printed. */
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
   * What opens the journal of a run with such plans; undefined where it keeps none.
   * @param single it is one object, named on the line
   * @param final why the run cannot be resumed
   */
  readonly keeper?: (first: Plan, single: boolean, final?: string) => Keeper | undefined
}

/** A plan of a run that was planned before, refused where its object is not as it was then. */
export const asPlanned = async (
  { resumed, asPlanned }: Engine,
  item: Item,
  plan: Plan,
): Promise<Plan> => {
  const header = resumed?.()?.past.header
  return header?.planned === undefined ? plan : ((await asPlanned?.(item, plan)) ?? plan)
}

/** A few answer `null` where the documents have nothing to show, or in the place of what they wrote. */
const saysNull = ({ endpoint }: Plan, whole: WholeAnswer): boolean => {
  const shown = endpoint.returns.kind === 'one' && !writes(endpoint)
  return !shown && whole.bytes.length < maxNullBytes && whole.data === null
}

/** What a plan came to by its answer. */
export const toPlanAnswer = (plan: Plan, whole: WholeAnswer): PlanAnswer =>
  saysNull(plan, whole) ? getAnswerFacts(whole) : toAnswer(whole)

/** What one plan comes to when it is simply sent. */
export const createCall =
  ({ send }: Pick<Engine, 'send'>) =>
  async (plan: Plan): Promise<PlanAnswer> =>
    toPlanAnswer(plan, await send(plan))

/** Past tense of what became of a plan's object: the command's word, else the endpoint's. */
export const describeDone = ({ endpoint }: Plan, { done }: Pick<Many, 'done'>): string =>
  done ?? endpoint.done ?? 'done'

/** What a plan works on, for confirmations and outcomes: `merge request 42 of platform/app`. */
export const getObjectName = (plan: Plan): string => {
  if (plan.label === undefined && plan.parent !== undefined) return plan.parent.name
  // A full reference says where it belongs by itself.
  if (plan.label !== undefined && /.[!#]\d+$/.test(plan.label)) return plan.label
  const holder = getHolder(plan.endpoint)
  const name = holder === undefined ? undefined : String(plan.values[holder.name])
  const of = holder === undefined || name === plan.label ? '' : ` of ${holder.type} ${name}`
  return `${plan.label ?? plan.endpoint.route}${of}`
}

/** What is said of an object whose answer shows nothing; of one that should show a record, that too. */
export const doneText = (plan: Plan, { status }: PlanAnswer, options: Many): string =>
  status === undefined || plan.endpoint.returns.kind !== 'one'
    ? describeDone(plan, options)
    : `${describeDone(plan, options)}, according to the status only: the instance answered ${status} without the record`
