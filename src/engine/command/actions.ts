/** The actions that a command asks for: options for planning them, and for carrying them out. */
import type { JsonValues } from '../../base/objects.js'
import type { Failure } from '../../errors.js'
import type { Credential, Answer as Download, WholeAnswer, WireRequest } from '../../http/types.js'
import type { Session } from '../../profile/types.js'
import type { PlanAnswer, RecordView } from '../rows.js'
import type { Given, Plan, PlanSource } from './description.js'
import type { Loss } from './running.js'

/** Actions in hand, or planned as their objects come. */
export type Actions = readonly Plan[] | PlanSource

/** Returns true if actions are planned as their objects come. */
export const isSource = (actions: Actions): actions is PlanSource => 'planOf' in actions

/** Options for planning an action for each object of a line. */
export interface ActionOptions {
  /** Values that go along with what was asked for. */
  readonly preset?: JsonValues
  /** Returns the objects that one text names (`ben,dov`); by default the text itself. */
  readonly split?: (text: string) => readonly string[]
  /** Returns what stands for the ID of an object that is given by a name, until `complete` knows it. */
  readonly standIn?: (text: string) => string
  /** Completes an action: reads what stays as it is, looks names up, checks. A Failure is what became of its object. */
  readonly complete?: (plan: Plan) => Plan | Promise<Plan>
  /** `complete` reads from the instance: several at once. */
  readonly reads?: true
  /** All are planned before the first is carried out. */
  readonly planFirst?: true
  /** Keeps apart those that one request could take together. */
  readonly apart?: true
  /** Plans what was asked of one project or group, where no endpoint of the command does. */
  readonly plansFor?: (given: Given) => Promise<readonly Plan[]>
}

/** Options for asking for a list, and for showing it. */
export interface ListActionOptions extends ActionOptions {
  readonly view?: RecordView | undefined
}

/** The answer to a request; the body of a file is still to be read. */
export type ReceivedAnswer =
  | { readonly whole: WholeAnswer }
  | { readonly download: Download }
  | { readonly failure: Failure }

/** Options for carrying actions out, and for showing them. */
export interface WriteOptions {
  /** Past tense for notes: `paused`, `deleted`. */
  readonly done?: string
  /** The loss that has to be confirmed, where the endpoint does not name it. */
  readonly loses?: Loss | (() => Loss | undefined) | undefined
  /** Several requests that go as one. */
  readonly merge?: Merge
  /** Follows a request to its end, and returns what is shown. It never decides whether to send. */
  readonly finish?: (plan: Plan, came: ReceivedAnswer) => Promise<PlanAnswer>
  /** No request is followed before all are sent. */
  readonly finishWhen?: 'all sent'
  /** The view of the answer. */
  readonly view?: RecordView
  /** Presents other records in the place of the answer about one object. */
  readonly present?:
    | ((
        plan: Plan,
        answer: PlanAnswer,
      ) => { readonly records: readonly unknown[]; readonly emit: RecordView })
    | undefined
  /** The reason that the run cannot be resumed: it does more than a journal holds. */
  readonly final?: string
  /** An address that is not the run's own instance. */
  readonly to?: Receiver
  /** Refuses an object as it is now: `--dry-run` asks, too. */
  readonly check?: (plan: Plan) => Promise<unknown>
  /** Sends in its own way, and keeps its own record. */
  readonly send?: (plan: Plan) => Promise<PlanAnswer>
}

/** The session whose rules and ways a client takes, or a part of one. */
export type ClientIdentity = Partial<Pick<Session, 'profile' | 'user' | 'renew'>> & {
  /** It may write, although the command only reads from its instance: `plan --note`. */
  readonly mayWrite?: true
}

/** An address that is not the run's own instance, and what goes there. */
interface Receiver {
  readonly origin: string
  readonly credential: Credential
  readonly party?: ClientIdentity | undefined
  /** Returns the request as it travels. */
  readonly request?: (request: WireRequest) => WireRequest
}

/** Requests that differ in one parameter and are sent together. */
export interface Merge {
  /** Makes the one request for all of them. */
  readonly request: (plans: readonly Plan[]) => Plan
  /** Tells what became of each, in their order; undefined where it went well. */
  readonly outcomes: (
    plans: readonly Plan[],
    whole: WholeAnswer,
  ) => Promise<readonly (Failure | undefined)[]>
}
