/** What a command says of the actions that it asks for: how they are planned, and how they are carried out. */
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

/** How an action is planned for each object of a line. */
export interface ActionOptions {
  /** Values that go along with what was asked for. */
  readonly preset?: JsonValues
  /** The objects that one text names (`ben,dov`); by default the text itself. */
  readonly split?: (text: string) => readonly string[]
  /** What an object is planned as that is given by a name, until `complete` knows its ID. */
  readonly standIn?: (text: string) => string
  /** Completes an action: reads what stays as it is, looks names up, checks. A Failure is what became of its object. */
  readonly complete?: (plan: Plan) => Plan | Promise<Plan>
  /** `complete` reads from the instance: several at once. */
  readonly reads?: true
  /** All are planned before the first is carried out. */
  readonly planFirst?: true
  /** Those that one request could take together are apart. */
  readonly apart?: true
  /** Plans what was asked of one project or group, where no endpoint of the command does. */
  readonly plansFor?: (given: Given) => Promise<readonly Plan[]>
}

/** How a list is asked for, and shown. */
export interface ListActionOptions extends ActionOptions {
  readonly view?: RecordView | undefined
}

/** What a request was answered with; the body of a file is still to be read. */
export type ReceivedAnswer =
  | { readonly whole: WholeAnswer }
  | { readonly download: Download }
  | { readonly failure: Failure }

/** How actions are carried out, and what is shown of them. */
export interface WriteOptions {
  /** Past tense for notes: `paused`, `deleted`. */
  readonly done?: string
  /** What is lost, where the endpoint does not say it. */
  readonly loses?: Loss | (() => Loss | undefined) | undefined
  /** Several requests that go as one. */
  readonly merge?: Merge
  /** Follows a request to its end, and returns what is shown. It never decides whether to send. */
  readonly finish?: (plan: Plan, came: ReceivedAnswer) => Promise<PlanAnswer>
  /** No request is followed before all are sent. */
  readonly finishWhen?: 'all sent'
  /** How the answer is shown. */
  readonly view?: RecordView
  /** Presents other records in the place of the answer about one object. */
  readonly present?:
    | ((
        plan: Plan,
        answer: PlanAnswer,
      ) => { readonly records: readonly unknown[]; readonly emit: RecordView })
    | undefined
  /** Why the run cannot be resumed, where it does more than a journal says. */
  readonly final?: string
  /** An address that is not the run's own instance. */
  readonly to?: Receiver
  /** Refuses an object as it is now: `--dry-run` asks, too. */
  readonly check?: (plan: Plan) => Promise<unknown>
  /** Sends in its own way, and keeps its own record. */
  readonly send?: (plan: Plan) => Promise<PlanAnswer>
}

/** Whose rules and ways a client takes: a session, or a part of one. */
export type ClientIdentity = Partial<Pick<Session, 'profile' | 'user' | 'renew'>>

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
