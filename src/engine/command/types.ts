/** What a command is: what it says of itself, and what it does. */
import type { JsonValues } from '../../base/objects.js'
import type { Param } from '../../catalogue/params.js'
import type { Failure } from '../../errors.js'
import type { Credential, Answer as Download, WholeAnswer, WireRequest } from '../../http/types.js'
import type { PlanAnswer, RecordView, Rows } from '../rows.js'
import type {
  Argument,
  CommandFacts,
  CommandTraits,
  Given,
  Plan,
  PlanSource,
} from './description.js'
import type { Loss } from './running.js'
import type { ClientIdentity, Services } from './services.js'

export type * from './description.js'

/** What a request was answered with; the body of a file is still to be read. */
export type ReceivedAnswer =
  | { readonly whole: WholeAnswer }
  | { readonly download: Download }
  | { readonly failure: Failure }

/**
 * What a command does with each of its objects: how the request is made, followed and shown. The engine plans, confirms,
 * previews, prints, sends and journals it; a command only reads.
 */
export interface Operation {
  /** What of the line is planned, where that is not all of it. */
  readonly given?: Given
  /** Values that go along with what was asked for. */
  readonly preset?: JsonValues
  /** The objects that one text names (`ben,dov`); by default the text itself. */
  readonly split?: (text: string) => readonly string[]
  /** What an object is planned as that is given by a name, until `complete` knows its ID. */
  readonly standIn?: (text: string) => string
  /** Makes a request complete: reads what stays as it is, looks names up, checks. A Failure is what became of its object. */
  readonly complete?: (plan: Plan) => Plan | Promise<Plan>
  /** `complete` reads from the instance: several at once. */
  readonly reads?: true
  /** All requests are made before the first is sent. */
  readonly planFirst?: true
  /** What is lost, where the endpoint does not say it. */
  readonly loses?: Loss | (() => Loss | undefined)
  /** Several requests that go as one. */
  readonly merge?: Merge
  /** Follows a request to its end, and gives what is printed. It never decides whether to send. */
  readonly finish?: (plan: Plan, came: ReceivedAnswer) => Promise<PlanAnswer>
  /** No request is followed before all are sent. */
  readonly finishWhen?: 'all sent'
  /** Once, when all are settled. */
  readonly after?: () => Promise<readonly Plan[] | undefined>
  /** What goes on while it works, for whoever leaves meanwhile or waits. */
  readonly around?: (work: () => Rows) => Rows
  /** Past tense for notes: `paused`, `deleted`. */
  readonly done?: string
  /** How the answer is shown. */
  readonly emit?: RecordView
  /** Rows of its own in the place of the answer about one object. */
  readonly present?: (
    plan: Plan,
    answer: PlanAnswer,
  ) => { readonly records: readonly unknown[]; readonly emit: RecordView }
  /** Why it cannot be resumed, where it does more than a journal says. */
  readonly final?: string
  /** An address that is not the run's own instance. */
  readonly to?: Receiver
  /** Its answer, where nothing is planned and sent: it is another command's. */
  readonly instead?: Rows
  /** What is sent, where it is not planned from the line. */
  readonly plans?: readonly Plan[] | PlanSource
  /** The same for what was asked of one project or group: a request of its own for each of several. */
  readonly plansFor?: (given: Given) => Promise<readonly Plan[]>
  /** The answer is a list, page by page. */
  readonly lists?: true
  /** Refuses an object as it is now: `--dry-run` asks, too. */
  readonly check?: (plan: Plan) => Promise<unknown>
  /** Sends in its own way, and keeps its own record. */
  readonly send?: (plan: Plan) => Promise<PlanAnswer>
}

/** An address that is not the run's own instance, and what goes there. */
interface Receiver {
  readonly origin: string
  readonly credential: Credential
  readonly party?: ClientIdentity | undefined
  /** The request as it travels. */
  readonly request?: (request: WireRequest) => WireRequest
}

/** Requests that differ in one parameter and are sent together. */
export interface Merge {
  /** The one request for all of them. */
  readonly request: (plans: readonly Plan[]) => Plan
  /** What became of each, in their order; undefined where it went well. */
  readonly outcomes: (
    plans: readonly Plan[],
    whole: WholeAnswer,
  ) => Promise<readonly (Failure | undefined)[]>
}

/** Every command there is, by its words: what a command knows of the others. */
export interface Registry {
  /** Undefined where there is none of that name. */
  readonly named: (area: string, words: string) => Promise<Command | undefined>
  readonly all: () => Promise<readonly Command[]>
}

/** A command of the tool: what it does with its objects, or what it does by itself. Derived ones have neither. */
export interface Command extends CommandFacts {
  readonly registry: Registry
  readonly operation?: (services: Services, given: Given) => Operation | Promise<Operation>
  /** The rows of its answer; absent where its endpoints, or its operation, say what is done. */
  readonly rows?: (services: Services, given: Given) => Rows
}

/** A flag that only the tool knows. */
export type OwnFlag = Param & {
  readonly short?: string
  /** Earlier spellings that are accepted and not shown. */
  readonly aliases?: readonly string[]
  /** The API parameter that it fills in place of the derived flag, through the command's `rows`. */
  readonly parameter?: string
  readonly optionalValue?: true
  /** Left out, nothing changes: its default is what a new one gets. */
  readonly stays?: true
}

/** What a special says: only what differs from the derived command. */
export interface Special extends CommandTraits {
  readonly summary?: string
  readonly description?: readonly string[]
  readonly examples?: readonly string[]
  /** Replaces the derived arguments. */
  readonly args?: readonly Argument[]
  /** Flags that only the tool knows, by name. */
  readonly flags?: Readonly<Record<string, OwnFlag>>
  /** Derived flags that this command does not have, by API parameter; or all but the path's. */
  readonly without?: readonly string[] | 'attributes'
  /** Parameters that the API requires and this command fills where they are not given. */
  readonly fills?: readonly string[]
  /** Keys of the area's endpoints; by default those whose `command` is this one. */
  readonly endpoints?: readonly string[]
  readonly operation?: NonNullable<Command['operation']>
  readonly rows?: NonNullable<Command['rows']>
}
