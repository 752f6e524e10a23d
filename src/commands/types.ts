/** What a command written by hand is, and what it is handed. */
import type { Endpoint, Endpoints } from '../catalogue/endpoint.js'
import type { Param } from '../catalogue/params.js'
import type { Failure } from '../errors.js'
import type { Ask, Client, Credential, ListEnd, Whole, WireRequest } from '../http/types.js'
import type { Made, People, Reader } from '../output/types.js'
import type { Profile, Session } from '../profile/types.js'
import type { Tally } from '../terminal/streams/meter.js'
import type { Globals } from './globals.js'

/** A positional argument of a command. */
export interface Argument {
  readonly name: string
  readonly required: boolean
  readonly variadic: boolean
  readonly help: string
  /** The API parameter it fills, by the API's own name. */
  readonly parameter?: string
  readonly param?: Param
  /** A file: shells complete it, and `-` is its text from standard input, no list of objects. */
  readonly file?: true
  /**
   * What it may be, for completion, where no parameter says so.
   * @param before the arguments before it
   * @param current what was typed of it
   */
  readonly values?: (before: readonly string[], current: string) => Promise<readonly Suggestion[]>
}

/** A value with what it is, where that needs saying. */
export interface Suggestion {
  readonly value: string
  readonly text?: string
}

/** A flag of a command: a parameter of an endpoint, or one that only the tool knows. */
export interface Flag {
  /** Kebab-case, without dashes. */
  readonly name: string
  readonly param: Param
  /** The API parameter it fills; absent on the tool's own flags. */
  readonly parameter?: string
  readonly short?: string
  /** Other spellings that are accepted and not shown. */
  readonly aliases?: readonly string[]
  readonly required: boolean
  /** Fills a placeholder of the path. */
  readonly path?: true
  /** Picks an endpoint among those of the command. */
  readonly selects?: true
  /** Goes past the catalogue (`--param`, `--input`): never a value of its own. */
  readonly beyond?: true
  /** Runs the command again and again: only for those that may be repeated. */
  readonly repeats?: true
  readonly hidden?: true
  /** A value may be left out (`--watch [seconds]`). */
  readonly optionalValue?: true
  /** Key and value are two words (`--report junit lint.xml`). */
  readonly pair?: true
  /** A boolean that is on by itself: only `--no-…` is shown, with this text. */
  readonly refusal?: string
  readonly group?: FlagGroup
}
export type FlagGroup = 'command' | 'paging' | 'instance' | 'output'

/** What the person asked of a command, parsed and checked, before an endpoint is chosen. */
export interface Given {
  /** Texts given by position, in order; `-` already replaced by the lines of standard input. */
  readonly args: readonly string[]
  /** Parsed values of the flags that were given, by flag name. */
  readonly flags: Readonly<Record<string, unknown>>
  /** `--param`: name → value. */
  readonly extra: Readonly<Record<string, unknown>>
  /** `--input`: attributes by API name. */
  readonly input?: Readonly<Record<string, unknown>>
}

/** One call that a command decided on: which endpoint, with which values. */
export interface Plan extends Ask {
  readonly key: string
  /** How the object is called in notes and outcomes (`42`, `platform/app!42`). */
  readonly label?: string
}

/** What a confirmation is about, a line each; a function is called only when somebody is asked. */
export type Details = readonly string[] | (() => Promise<readonly string[]>)

export interface Emit {
  readonly columns?: readonly string[]
  /** The secret is the answer that was asked for: shown even without --show-secrets. */
  readonly reveal?: boolean
  /** Whose answer it is: columns and secret fields come from it. */
  readonly endpoint?: Endpoint
  /** What people see of it, where that is not the records themselves. */
  readonly people?: People
  /** A column that comes first in tables, whatever fields were asked for. */
  readonly lead?: string
  /** Notes told it to people already; only the other formats print it. */
  readonly noted?: boolean
}

/** The services of the program that a command may use. */
export interface Context {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly globals: Globals
  /**
   * Who reads the answer: how it is written is the output's affair, but a command may ask the
   * instance for more to tell people more.
   */
  readonly reader: Reader
  /** True when standard output is a terminal. */
  readonly terminal: boolean
  /** Display columns of the terminal (80 where it does not say). */
  readonly width: number
  /** True when questions may be asked. */
  readonly interactive: boolean
  readonly signal: AbortSignal
  readonly now: () => Date

  /** Columns for several records of an endpoint that answers with one: those of its area's list. */
  columnsFor(endpoint: Endpoint): Promise<readonly string[]>
  /** The tool's version. */
  about(): { readonly version: string }
  /** Every command there is, areas first, in the order of the catalogue. */
  commands(): Promise<readonly Command[]>
  session(): Promise<Session>
  /** Another profile's session; without a name, what flags and environment alone make. */
  sessionOf(profile: string | undefined): Promise<Session>
  /** A client for the endpoint's kind of credential; without endpoint, the user's. */
  client(
    endpoint?: Pick<Endpoint, 'credential' | 'route' | 'safe'>,
    long?: boolean,
  ): Promise<Client>
  /** The profile in force, where there is one: for what goes elsewhere than to its instance. */
  profile(): Promise<Profile | undefined>
  /**
   * A client of an address, with this credential and no other. A party's profile says how its own
   * instance is reached, and keeps the record of what is written.
   */
  anonymous(
    baseUrl: string,
    credential: Credential,
    party?: Partial<Pick<Session, 'profile' | 'user' | 'renew'>>,
  ): Promise<Client>

  /** Chooses the endpoint and checks the values as every derived command does. */
  plan(given: Given, override?: Readonly<Record<string, unknown>>): Promise<Plan>
  /** The plans of a verb that takes several objects: one for each. */
  plans(given: Given, override?: Readonly<Record<string, unknown>>): Promise<readonly Plan[]>
  request(ask: Ask): Promise<WireRequest>
  /** One call, its answer whole. Under --curl prints the request and throws nothing. */
  call(ask: Ask): Promise<Whole>
  /** A paginated list straight to the output, honouring --limit, --page, --per-page, --fields. */
  list(plan: Plan, emit?: Emit): Promise<ListEnd>
  /** Confirms and runs plans as every derived command does, several with an outcome each. */
  perform(plans: readonly Plan[], options?: Perform): Promise<void>
  /** All records of a list, parsed, up to `limit`: for commands that need them in hand. */
  gather(ask: Ask, limit?: number): Promise<readonly unknown[]>
  /**
   * The records that `list` would print, in hand: honours --limit, --page, --per-page, and says on
   * standard error where there are none or more.
   */
  collect(plan: Plan): Promise<readonly unknown[]>

  /**
   * Prints the answer of one call, its bytes passed on where nothing needs its fields. The items of
   * an answer that is a list are records.
   */
  printAnswer(plan: Pick<Emit, 'endpoint'>, outcome: Outcome, emit?: Emit): Promise<void>
  /** Prints the request as a curl command, credentials replaced by a variable. */
  showCurl(ask: Ask): Promise<void>
  showRequest(request: WireRequest): Promise<void>
  /** Refuses a write where the profile only reads. */
  guard(request: WireRequest): Promise<void>
  /** A list that the catalogue does not know, straight to the output. */
  listRequest(request: WireRequest): Promise<void>
  /** The project or group at hand: flag, environment, git remote. */
  scope(kind: 'project' | 'group'): Promise<string | undefined>
  /** Prints one object, or several as a list. */
  print(value: unknown, emit?: Emit): Promise<void>
  /** Prints one object that makes no rows: as JSON where the format has nothing else. */
  printDocument(value: unknown): Promise<void>
  printMany(values: Iterable<unknown> | AsyncIterable<unknown>, emit?: Emit): Promise<void>
  /** Raw text or bytes on standard output. */
  write(chunk: string | Uint8Array): Promise<void>
  /** Hands on what was written so far: for commands that go on running. */
  flush(): Promise<void>
  /** Text from outside with its control characters made visible. */
  safe(text: string): string
  /** A symbol that reads without its colour. */
  mark(kind: 'good' | 'bad' | 'warn'): string
  /** Emphasised, where colours are on. */
  strong(text: string): string
  /** Text from outside, folded to the terminal: further lines begin where the first does, at `indent`. */
  hanging(text: string, indent: number): string
  /** A bar of `width` columns, filled to `fraction` (0 to 1). */
  bar(fraction: number, width: number): string
  /** A line on standard error; silenced by --quiet. */
  note(text: string): void
  warn(text: string): void
  /** Reports a failure without ending: for commands that go on with the rest. */
  report(failure: Failure): void
  /** Asks before something is destroyed; refuses without a terminal unless --yes. */
  confirm(
    what: string,
    details?: Details,
    of?: Pick<Session, 'profile' | 'baseUrl' | 'sudo'>,
  ): Promise<void>
  /** The objects of plans by their names, as a confirmation lists them. */
  naming(plans: readonly Plan[]): Promise<readonly string[]>
  /** Reads standard input to its end. */
  stdin(): Promise<string>
  /** A hidden answer, or undefined where nobody can be asked. */
  askSecret(question: string): Promise<string | undefined>
  ask(question: string, initial?: string): Promise<string | undefined>
  /** Shows on a terminal how far work on so many objects is, until it ends. */
  tally(total?: number): Tally
  /** A line of progress on standard error while `work` goes on. */
  progress<T>(
    text: string,
    work: (say: (text: string, fraction?: number) => void) => Promise<T>,
  ): Promise<T>
  /** Waits, unless interrupted. */
  sleep(milliseconds: number): Promise<void>
  /** Sets the exit code of a run that otherwise ends well (`ci lint`: 1). */
  exit(code: number): void
  /** Runs `work` over items, at most `--concurrency` (default 4) at once. */
  each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void>
}

export interface Perform {
  /** What happens to one plan; the default calls and returns the answer's data. */
  readonly run?: (plan: Plan) => Promise<Outcome>
  /** Past tense for notes: `paused`, `deleted`. */
  readonly done?: string
  readonly emit?: Emit
  /** The confirmation was given already. */
  readonly confirmed?: boolean
  /** Print a list even for one object (ids came from standard input). */
  readonly list?: boolean
}

export interface Outcome {
  /** Bytes of the answer's JSON value, or a value; undefined where there is none. */
  readonly bytes?: Uint8Array
  readonly value?: unknown
  readonly unchanged?: boolean
  /** The status of an answer that showed nothing. */
  readonly status?: number
}

/** A command of the tool. Derived ones have no `run`; a special adds what the catalogue cannot say. */
export interface Command {
  readonly area: string
  /** The words after the area: `list`, `rules get`. Empty for `doctor`, `commands` … */
  readonly words: string
  readonly summary: string
  readonly description?: readonly string[]
  readonly args: readonly Argument[]
  readonly flags: readonly Flag[]
  /** Endpoints it reaches, by key of the area. */
  readonly endpoints: Endpoints
  readonly examples?: readonly string[]
  /** Takes --param and --input though it reaches no endpoint of the catalogue. */
  readonly open?: true
  /** Goes on until it is interrupted: its output is shown at once, without a pager. */
  readonly lasts?: true
  /** Fields that its tables show beside those of the API's records; every format selects them. */
  readonly made?: Made
  readonly run?: (ctx: Context, given: Given) => Promise<void>
}

/** A flag that only the tool knows. */
export type OwnFlag = Param & {
  readonly short?: string
  /** The API parameter that it fills in place of the derived flag, through the command's `run`. */
  readonly parameter?: string
  readonly optionalValue?: true
  /** Key and value are two words (`--report junit lint.xml`). */
  readonly pair?: true
}

/** What a special says: only what differs from the derived command. */
export interface Special {
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
  /** Takes --param and --input though it reaches no endpoint of the catalogue. */
  readonly open?: true
  /** Goes on until it is interrupted: its output is shown at once, without a pager. */
  readonly lasts?: true
  /** Fields that its tables show beside those of the API's records; every format selects them. */
  readonly made?: Made
  readonly run: (ctx: Context, given: Given) => Promise<void>
}
