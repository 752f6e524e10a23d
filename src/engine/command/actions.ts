/** Types for the actions that a command plans and carries out: one action is one planned request. */
import type { Fields, JsonValues } from '../../base/objects.js'
import type { Failure } from '../../errors.js'
import type { Credential, Answer as Download, WholeAnswer, WireRequest } from '../../http/types.js'
import type { Session } from '../../profile/types.js'
import type { PlanAnswer, RecordView } from '../rows.js'
import type { Outcome } from '../work/report.js'
import type { Given, Plan, PlanSource } from './description.js'
import type { Loss } from './reversal.js'

/** A list of planned actions, or a source that plans each action when its object arrives. */
export type Actions = readonly Plan[] | PlanSource

/** True if the actions are planned one by one as their objects arrive. */
export const isSource = (actions: Actions): actions is PlanSource => 'planOf' in actions

/** Options for planning an action for each object of a line. */
export interface ActionOptions {
  /** Values that are merged into those of the line. */
  readonly preset?: JsonValues
  /** Returns the objects that one argument names (`ben,dov` names two); by default the argument itself. */
  readonly split?: (text: string) => readonly string[]
  /** Returns a placeholder for the ID of an object that is given by name. `complete` replaces it. */
  readonly createPlaceholder?: (text: string) => string
  /**
   * Completes a plan: reads attributes that must be repeated, looks names up, checks values. A failure is the outcome
   * of that object alone.
   */
  readonly complete?: (plan: Plan) => Plan | Promise<Plan>
  /** True if `complete` reads from the instance: several plans are then completed at once. */
  readonly reads?: true
  /** Plans all objects before the first request is sent. */
  readonly planFirst?: true
  /** Prevents plans from being merged into one request. */
  readonly apart?: true
  /** Plans the actions for one project or group, if no endpoint of the command can. */
  readonly createPlans?: (given: Given) => Promise<readonly Plan[]>
}

/** Options for reading a list and for showing it. */
export interface ListActionOptions extends ActionOptions {
  readonly view?: RecordView | undefined
}

/** An answer as it arrives: a whole body in memory, a download whose body is still unread, or a failure. */
export type ReceivedAnswer =
  | { readonly whole: WholeAnswer }
  | { readonly download: Download }
  | { readonly failure: Failure }

/** Options for carrying out actions and for showing their answers. */
export interface WriteOptions {
  /** Past tense for notes: `paused`, `deleted`. */
  readonly done?: string
  /** The loss that a person has to confirm, if the endpoint does not name it. */
  readonly loses?: Loss | (() => Loss | undefined) | undefined
  /** Merges plans that differ in one parameter into one request. */
  readonly merge?: Merge
  /**
   * Waits until the work that a request started has ended, and returns the answer to show. It never decides whether to
   * send.
   */
  readonly finish?: (plan: Plan, came: ReceivedAnswer) => Promise<PlanAnswer>
  /** Sends all requests before waiting for the work of any. */
  readonly finishWhen?: 'all sent'
  /** The columns and fields that the answer shows. */
  readonly view?: RecordView
  /** Replaces the records that the answer about one object shows. */
  readonly present?:
    | ((
        plan: Plan,
        answer: PlanAnswer,
      ) => { readonly records: readonly unknown[]; readonly emit: RecordView })
    | undefined
  /** True if the answer is a list, even for one object. */
  readonly isList?: boolean
  /** Creates the record that the answer has for each object, in place of the instance's. */
  readonly toRecord?: (plan: Plan, outcome: Outcome<PlanAnswer>) => unknown
  /** The reason why the run cannot be resumed: it does more than a journal records. */
  readonly final?: string
  /** Sends the requests to this address instead of the run's own instance. */
  readonly to?: Receiver
  /**
   * Checks an object in its present state, before it is begun and in a dry run. Returns false if it is as wanted already.
   * @throws Failure that refuses the object
   */
  readonly check?: (plan: Plan) => Promise<boolean>
  /** True if a group is changed after everything inside it. */
  readonly innerFirst?: true
  /** The run that these actions revert. Each plan has the change that it takes back. */
  readonly reverts?: RevertedRun
}

/** A run that is reverted, as far as the journal of the new run repeats it. */
export interface RevertedRun {
  readonly area: string
  readonly undoes: string
  readonly input: Fields
  readonly names?: Readonly<Record<string, string>> | undefined
  /** The facts that a redo needs, or that this run is one. */
  readonly redo?: true
  readonly redoes?: {
    readonly command: string
    readonly endpoint: string
    readonly lacks: readonly string[]
  }
}

/** The options that decide how the journal of a run is kept. */
export type RecordingOptions = Pick<WriteOptions, 'check' | 'final' | 'reverts'>

/** The parts of a session that a client to another address takes over: profile, user, origin and renewal of the credential. */
export type ClientIdentity = Partial<
  Pick<Session, 'profile' | 'user' | 'renew' | 'title' | 'variable'>
> & {
  /** Allows writes there, although the command only reads from its own instance: `plan --note`. */
  readonly mayWrite?: true
}

/** An address other than the run's own instance, with the credential that is sent there. */
interface Receiver {
  readonly origin: string
  readonly credential: Credential
  readonly party?: ClientIdentity | undefined
  /** Rewrites a request for this address before it is sent. */
  readonly request?: (request: WireRequest) => WireRequest
}

/** Requests that differ in one parameter and are sent together. */
export interface Merge {
  /** Creates the one request for all plans. */
  readonly request: (plans: readonly Plan[]) => Plan
  /** Returns a failure for each plan, in their order; undefined for each that succeeded. */
  readonly parseOutcomes: (
    plans: readonly Plan[],
    whole: WholeAnswer,
  ) => Promise<readonly (Failure | undefined)[]>
}
