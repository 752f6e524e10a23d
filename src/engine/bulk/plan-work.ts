/** Declares the services that runs of plans share, and handles tolerated failures and the names of objects and outcomes. */
import { openBrace, openBracket } from '../../base/json/tokens.js'
import { writes } from '../../catalogue/endpoint.js'
import { Failure, isInterruption } from '../../errors.js'
import type { FleetGate } from '../../http/gate.js'
import type { WholeAnswer } from '../../http/types.js'
import type { AnswerService, UiService } from '../command/context.js'
import { getCommandName } from '../command/derive.js'
import type { Globals } from '../command/globals.js'
import {
  getAnswerFacts,
  isTolerated,
  type TolerateFlag,
  toCallAnswer,
} from '../command/outcomes.js'
import type { CommandFacts, Plan, RecordingOptions, WriteOptions } from '../command/types.js'
import type { JournaledRun } from '../journaling/journaled-run.js'
import type { UnfinishedRun } from '../journaling/runs.js'
import { getHolder } from '../records/object-rows.js'
import type { PlanAnswer, Rows } from '../rows.js'
import { getShapeFields } from '../where/shape.js'
import type { Item } from '../work/report.js'
import { parseTreePlace, TurnQueue } from '../work/turns.js'

// `--tolerate`: accepted failures become notes.

/** The answer for an object whose failure `--tolerate` accepts. */
interface ToleratedAnswer extends PlanAnswer {
  readonly tolerated: Failure
}

/** Returns the failure that was tolerated for an object; undefined if there was none. */
export const getToleratedFailure = (answer: PlanAnswer | undefined): Failure | undefined =>
  answer !== undefined && 'tolerated' in answer && answer.tolerated instanceof Failure
    ? answer.tolerated
    : undefined

/** Waits for the answer about one object. A failure that `--tolerate` accepts leaves the object unchanged. */
const ignoreTolerated = (
  globals: TolerateFlag,
  answer: Promise<PlanAnswer>,
): Promise<PlanAnswer | ToleratedAnswer> =>
  answer.catch((error: unknown) => {
    if (!(error instanceof Failure) || !isTolerated(globals, error)) throw error
    return { unchanged: true, tolerated: error }
  })

// Failures that occur while answers are printed.

/** Creates the failure of printing an answer after a write. */
export const createUnprintedFailure = (
  { category, message, details }: Failure,
  done: string,
): Failure =>
  new Failure(category, `${message}; ${done}`, {
    cause: details.cause,
    hint: 'Check the object before you send the request again.',
  })

/** Converts the failure of closing the output after the command has completed its work. */
export const toUnprintedRun = (error: unknown, command: CommandFacts): unknown =>
  error instanceof Failure
    ? createUnprintedFailure(error, `${getCommandName(command)} was completed before that`)
    : error

/** The largest answer, in bytes, that may have no record, with white space around it. */
const maxBareBytes = 16

/** Opens the journal of a run. */
export type Keeper = () => Promise<JournaledRun>

/** Describes the result of a run if its answer can no longer be printed. The failure is then the only way to report it. */
export class RunReport {
  #describe: ((lost: unknown) => unknown) | undefined

  /** Sets the function that creates the error to throw instead of a printing failure. */
  set(describe: (lost: unknown) => unknown): void {
    this.#describe = describe
  }

  /** Returns the error to throw instead of a printing failure. */
  describe(lost: unknown): unknown {
    return this.#describe === undefined ? lost : this.#describe(lost)
  }
}

/** The options for running plans. */
export interface BulkOptions
  extends RecordingOptions,
    Pick<
      WriteOptions,
      'done' | 'innerFirst' | 'isList' | 'loses' | 'present' | 'toRecord' | 'view'
    > {
  /** Runs one plan. By default, it sends the plan's request and returns the data of the answer. */
  readonly run?: (plan: Plan) => Promise<PlanAnswer>
  /** Sends all plans at once, after they are recorded and before each of them is run. */
  readonly sendTogether?: ((plans: readonly Plan[]) => Promise<void>) | undefined
  /** Sends one request for several plans, after they are recorded and before each of them is run. */
  readonly merging?:
    | {
        /** Returns the same key for plans that one request can merge; undefined for a plan that cannot be merged. */
        readonly getKey: (plan: Plan) => string | undefined
        readonly send: (plans: readonly Plan[]) => Promise<void>
      }
    | undefined
  /** False if the requests are recorded in another journal. */
  readonly kept?: false
}

/** The services that a run of plans uses. */
export interface Engine {
  readonly send: (plan: Plan) => Promise<WholeAnswer>
  readonly answer: AnswerService
  readonly ui: UiService
  readonly globals: Pick<Globals, 'concurrency' | 'fields' | 'journal' | 'maxFailures' | 'tolerate'>
  readonly signal: AbortSignal
  /** Describes the result of a write if its answer can no longer be printed. */
  readonly report: RunReport
  /** True if the objects come from standard input. The answer is then a list, even for one object. */
  readonly listed: boolean
  /** Ends a run whose shard has no objects. */
  readonly endEmptyShard: () => Rows
  /** Returns why a plan cannot be undone; undefined if it can. */
  readonly explainIrreversible: (plan: Plan) => string | undefined
  /** Returns the gate through which all requests to the run's instance pass. */
  readonly getGate: () => Promise<FleetGate>
  /** Returns the run that is resumed, if any. */
  readonly getResumed?: () => UnfinishedRun | undefined
  /** Refuses a plan whose object has changed since the resumed run was planned. */
  readonly checkAsPlanned?: (item: Item, plan: Plan) => Promise<Plan>
  /**
   * Returns the function that opens the journal of a run with such plans; undefined if the run keeps none.
   * @param single true if the run is about one object, named on the line
   */
  readonly createKeeper?: (
    first: Plan,
    single: boolean,
    how?: RecordingOptions,
  ) => Keeper | undefined
}

/** Checks a plan of a resumed run. The plan is refused if its object has changed since it was planned. */
export const checkPlannedState = async (
  { getResumed, checkAsPlanned }: Engine,
  item: Item,
  plan: Plan,
): Promise<Plan> => {
  const header = getResumed?.()?.past.header
  return header?.planned === undefined ? plan : ((await checkAsPlanned?.(item, plan)) ?? plan)
}

/** The answers of writes that have no record, by what is documented. A few endpoints return these instead of a record. */
const bareAnswers: Readonly<Record<string, readonly string[]>> = {
  one: ['null', '{}'],
  empty: ['null', 'true', '{}', '[]'],
}

/** True if an answer has no record, such as `null`, or an empty object after a write. */
const isBareAnswer = ({ endpoint }: Plan, { bytes }: WholeAnswer): boolean => {
  const { kind } = endpoint.returns
  const shown = kind === 'one' && !writes(endpoint)
  if (shown || bytes.length >= maxBareBytes) return false
  const text = Buffer.from(bytes).toString().replaceAll(/\s/g, '')
  return (bareAnswers[kind] ?? ['null']).includes(text)
}

/** Converts the answer of the instance to that of a plan. `null` and `{}` count as answers without a record. */
export const toPlanAnswer = (plan: Plan, answer: WholeAnswer): PlanAnswer =>
  isBareAnswer(plan, answer) ? getAnswerFacts(answer) : toCallAnswer(answer)

/** Creates the function that runs a plan by sending its request and nothing else. */
export const createCall =
  ({ send }: Pick<Engine, 'send'>) =>
  async (plan: Plan): Promise<PlanAnswer> =>
    toPlanAnswer(plan, await send(plan))

/**
 * Carries out a plan.
 * @param begin records the start of an object that is checked, as soon as it is known that it needs a request
 */
export type PlanSender = (plan: Plan, begin?: () => Promise<void>) => Promise<PlanAnswer>

/** Creates the function that carries out the plans of a run, each in its turn and after its check. */
export const createSender = (
  engine: Pick<Engine, 'globals' | 'send'>,
  { check, innerFirst, run = createCall(engine) }: BulkOptions,
): PlanSender => {
  const turns = new TurnQueue()
  const send: PlanSender = async (plan, begin) => {
    if (check !== undefined && plan.refused === undefined && !(await check(plan)))
      return { unchanged: true }
    await begin?.()
    return run(plan)
  }
  return (plan, begin) => {
    const place = innerFirst === true ? parseTreePlace(plan.parent?.name) : undefined
    return ignoreTolerated(
      engine.globals,
      turns.runAfterInner(place, () => send(plan, begin)),
    )
  }
}

/** Returns the past participle for the outcome of a plan: the command's, else the endpoint's. */
export const getDoneWord = ({ endpoint }: Plan, { done }: Pick<BulkOptions, 'done'>): string =>
  done ?? endpoint.done ?? 'done'

/** Returns the name of a plan's object for confirmations and outcomes: `merge request 42 of platform/app`. */
export const getObjectName = (plan: Plan): string => {
  if (plan.label === undefined && plan.parent !== undefined) return plan.parent.name
  // A full reference includes the project.
  if (plan.label !== undefined && /.[!#]\d+$/.test(plan.label)) return plan.label
  const holder = getHolder(plan.endpoint)
  const name = holder === undefined ? undefined : String(plan.values[holder.name])
  // An object without a name is the only one of its kind in its project or group.
  if (plan.label === '' && name !== undefined) return name
  const of = holder === undefined || name === plan.label ? '' : ` of ${holder.type} ${name}`
  return `${plan.label ?? plan.endpoint.route}${of}`
}

/** Describes the outcome of an object without a record, and whether the endpoint should have returned one. */
export const describeBareOutcome = (
  plan: Plan,
  { status }: PlanAnswer,
  options: BulkOptions,
): string =>
  status === undefined || plan.endpoint.returns.kind !== 'one'
    ? getDoneWord(plan, options)
    : `${getDoneWord(plan, options)}, according to the status only: the instance answered ${status} without the record`

/** Says that an answer is no object although the documents have one; undefined for any other answer. */
export const describeOtherShape = (
  { endpoint: { returns } }: Plan,
  { bytes }: PlanAnswer,
): string | undefined => {
  const first = bytes?.find((byte) => byte > 0x20)
  if (first === undefined || first === openBrace) return undefined
  if (returns.kind !== 'one' || getShapeFields(returns.shape, 0).length === 0) return undefined
  const what = first === openBracket ? 'a list' : 'a single value'
  return `the instance answered with ${what} instead of an object (another version or edition?)`
}

/** Creates the handler of an interrupted write. If it was not sent, its object failed, so that a resumed run sends it. */
export const createWithheldHandler =
  ({ endpoint }: Plan) =>
  (error: unknown): never => {
    if (!writes(endpoint) || !isInterruption(error) || error.details.withheld !== true) throw error
    throw new Failure('failed', 'interrupted before it was sent', { withheld: true })
  }
