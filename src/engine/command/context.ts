/** The context of a command: what it is handed. `answer/line-run.ts` puts it together. */
import type { JsonValues } from '../../base/objects.js'
import type { CountedWork, ProgressListener, ShownWork, TimeLimit } from '../../base/progress.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import type { Reader } from '../../catalogue/views.js'
import type { SharedReads } from '../../client/shared-reads.js'
import type { Input, ListEndpoint, RecordOf, TypedAnswer } from '../../client/types.js'
import type { Failure } from '../../errors.js'
import type {
  Ask,
  Credential,
  Answer as Download,
  WholeAnswer,
  WireRequest,
} from '../../http/types.js'
import type { Profile, Session } from '../../profile/types.js'
import type { Rows } from '../rows.js'
import type {
  ActionOptions,
  Actions,
  ClientIdentity,
  ListActionOptions,
  WriteOptions,
} from './actions.js'
import type { CommandFacts, Given, Plan, RunOrigin } from './description.js'
import type { Globals } from './globals.js'
import type { Details } from './running.js'

// A command that is run within another: asked by data, answered by data.

/**
 * The requests that such a run may send. `checks` sends nothing, and says whether the values are valid; `reads` sends
 * GET and HEAD, and what the catalogue marks as reading; `tries` sends GET and HEAD alone, and shows what would be
 * written; `writes` does it, as far as no confirmation is needed.
 */
export type RunMode = 'checks' | 'reads' | 'tries' | 'writes'

export interface WithinAsk {
  readonly command: Pick<CommandFacts, 'area' | 'words'>
  /** As its endpoints alone make it, without what was written by hand. */
  readonly plain?: boolean
  readonly manner: RunMode
  /** By the names of `getData`: each is what it is, and stands for nothing else. */
  readonly values: JsonValues
  /** Arguments that stand behind those: of whoever asks, as they would be typed. */
  readonly args?: readonly string[]
  /** The fields that are wanted, dots reach inside; all where it is absent. */
  readonly fields?: readonly string[]
  /** Of a list: this page, and no other. */
  readonly page?: number
  readonly perPage?: number
  readonly signal: AbortSignal
}

export interface WithinAnswer {
  /** The command as its instance has it, and what was asked of it, checked; undefined where that was refused. */
  readonly asked?: { readonly command: CommandFacts; readonly given: Given }
  /** The answer's records, their secrets masked, each the bytes of a JSON value. */
  readonly records: readonly Uint8Array[]
  /** True if the list goes on. */
  readonly more: boolean
  /** The notes that were printed beside the records. */
  readonly notes: readonly string[]
  readonly code: number
  readonly failure?: Failure
}

/** It never rejects: what went wrong is the answer's `failure`. */
type SubcommandRunner = (ask: WithinAsk) => Promise<WithinAnswer>

// A line, run within a command as a person would have typed it.

export interface LineParent {
  readonly column: string
  readonly name: string
}

/** The options by which a dry run is kept as a run that has not begun. */
export interface PlannedLine {
  readonly by: 'agent' | 'person'
  readonly reason?: string | undefined
  /** Takes the ID of the kept run. */
  readonly kept: (id: string) => void
  /** Takes the failure if it could not be kept; without this function the failure is thrown. */
  readonly failed?: (failure: Failure) => void
}

export interface LineAsk {
  /** Its words, without `svcctl`. */
  readonly words: readonly string[]
  /** It may write: then it sends GET and HEAD alone, and its records are what would be changed. */
  readonly tries?: true
  /** The options for keeping what is shown, if the line writes. */
  readonly planned?: PlannedLine | undefined
  /** Ends it, besides the signal of the run. */
  readonly signal?: AbortSignal
  /** Variables that it sees besides. */
  readonly env?: Readonly<Record<string, string>>
  /** Global flags that it may have, where it reads. */
  readonly allowed?: readonly string[]
  /** Conditions that it gets besides (--where); each is enough. */
  readonly where?: readonly string[]
  /** Each of these is joined of conditions that were written apart: that nothing matches one is no mistake. */
  readonly composed?: boolean
  /** The folder of the snapshot that answers; by default as the command itself. */
  readonly from?: string | undefined
  /**
   * Takes the records as they come, each the bytes of a JSON value, its secrets masked; who keeps them copies them.
   * @param parent the project or group that it belongs to, where several are read
   */
  readonly take: (record: Uint8Array, parent: LineParent | undefined) => void
  /** Answers that several lines share: none of them is asked for twice. */
  readonly reads?: SharedReads | undefined
  /** No condition is sent, so that lines with other conditions read the same list. */
  readonly whole?: boolean
  readonly parents?: {
    /** Chooses which of several projects or groups are read, and in which order. */
    readonly choose: (names: readonly string[]) => readonly string[]
    /** Takes the name of each parent in that order, when all its records were taken. */
    readonly settled: (name: string, failure: Failure | undefined) => Promise<void> | void
  }
}

export interface LineAnswer {
  /** The command of the line; undefined if the line was not understood. */
  readonly command?: CommandFacts
  /** The list that was asked for. */
  readonly plan?: Plan
  /** The columns of its groups, where its records are grouped. */
  readonly columns?: readonly string[]
  readonly notes: readonly string[]
  readonly code: number
  readonly failure?: Failure | undefined
}

/** It never rejects: what went wrong is the answer's `failure`. */
type ReadLine = (ask: LineAsk) => Promise<LineAnswer>

/** A line that is done as if a person had typed it: with its own answer, questions and journal. */
export interface TypedAsk {
  /** Its words, without `svcctl` and the flags that name the instance. */
  readonly words: readonly string[]
  /** The text that `-` reads. */
  readonly input?: string | undefined
}

/** Runs within a run. */
export interface InnerRuns {
  readonly command: SubcommandRunner
  readonly line: ReadLine
  /** @returns its exit code; @throws Failure for whatever ended it */
  readonly typed: (ask: TypedAsk) => Promise<number>
}

export type { Details, Loss } from './running.js'

/** What a command is handed: four services, and the members that carry out its actions. */
export interface Context {
  readonly instance: InstanceService
  readonly answer: AnswerService
  readonly ui: UiService
  readonly place: WorkspaceService
  /** False where requests are only printed, or shown beside what is there. */
  readonly sends: boolean
  /** Plans an action for each object of the line, in each of its projects or groups. */
  actions(given: Given, how?: ActionOptions): Promise<Actions>
  /** Lists what a list endpoint has, in each project or group of the line. */
  list(given: Given, how?: ListActionOptions): Rows
  /**
   * Carries actions out: sends them, prints them, or shows what they would change. What follows in the same line is on
   * record in the same run.
   * @throws Failure what became of the one object, or of all as a whole
   */
  write(actions: Actions, how?: WriteOptions): Rows
}

/**
 * The instance that a command talks to. What was planned is what the person asked for; `call` and
 * `records` are what a command wants to know besides.
 */
export interface InstanceService {
  /** Chooses the endpoint and checks the values: a plan for each object. */
  plans(given: Given, override?: JsonValues): Promise<readonly Plan[]>
  /** Sends one call, and returns its whole answer. */
  call<const E extends Endpoint>(endpoint: E, input: Input<E>): Promise<TypedAnswer<E>>
  /** Sends one planned call, and returns its whole answer. */
  send(plan: Plan): Promise<WholeAnswer>
  /** All records of a list, in hand. */
  records<const E extends ListEndpoint>(
    endpoint: E,
    input: Input<E>,
    how?: RecordQuery<RecordOf<E>>,
  ): Promise<readonly RecordOf<E>[]>
  /**
   * The records of a planned list, in hand: those that `list` would print, with a word about it where there
   * are none or more; `whole` all there are.
   */
  collect(plan: Plan, how?: CollectOptions): Promise<readonly unknown[]>
  /** Runs `work` over items, as many at once as `--concurrency` says and the gate has room for. */
  each<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void>
  /** A download: one request, its body to be read. */
  open(plan: Plan, headers?: Readonly<Record<string, string>>): Promise<Download>
  /**
   * An address, with this credential and no other. A party's profile says how its own instance is reached,
   * and keeps the record of what is written.
   */
  elsewhere(
    baseUrl: string,
    credential: Credential | undefined,
    party?: ClientIdentity,
  ): ExternalClient
  /**
   * A request that the catalogue does not make.
   * @param called the documented endpoint by whose credential it goes
   */
  raw(request: WireRequest, called?: Endpoint): Promise<WholeAnswer>
}

/** Standard output. */
export interface AnswerService {
  /** The reader of the answer. The output decides how it is written, but a command may ask the instance for more to show people more. */
  readonly reader: Reader
  /** True when standard output is a terminal. */
  readonly terminal: boolean
  /** Display columns of the terminal (80 where it does not say). */
  readonly width: number
  readonly text: Text
  /** Columns for several records of an endpoint that answers with one: those of its area's list. */
  columnsFor(endpoint: Endpoint): Promise<readonly string[]>
  /** Sets the exit code of a run that otherwise ends well (`ci lint`: 1). */
  exit(code: number): void
}

/** The functions that write text for people. */
export interface Text {
  /** For a screen reader: words in place of symbols and bars, nothing side by side. */
  readonly accessible: boolean
  /** Text from outside with its control characters made visible. */
  safe(text: string): string
  /** A symbol that reads without its colour, or a word: a verdict, or what to do next. */
  mark(kind: 'good' | 'bad' | 'warn' | 'next'): string
  /** Emphasised, where colours are on; its control characters are made visible. */
  strong(text: string): string
  /** Text from outside, folded to the terminal: further lines begin where the first does, at `indent`. */
  hanging(text: string, indent: number): string
  /** A bar of `width` columns, filled to `fraction` (0 to 1). */
  bar(fraction: number, width: number): string
}

/** The person at the terminal: standard error, and questions. */
export interface UiService {
  /** True when questions may be asked. */
  readonly interactive: boolean
  /** A line on standard error; silenced by --quiet. */
  note(text: string): void
  warn(text: string): void
  /**
   * Reports a failure without ending: for commands that go on with the rest.
   * @param of which of several objects it is about
   */
  report(failure: Failure, of?: string): void
  /** Returns an answer; undefined if there is no terminal to ask on. */
  ask(question: string, initial?: string): Promise<string | undefined>
  /** Asks as `ask` does, but without echo; `name` is what the secret is called. */
  askSecret(question: string, name: string): Promise<string | undefined>
  /** Asks before something is destroyed; refuses without a terminal unless --yes. `count`: of how many. */
  confirm(what: string, details?: Details, of?: Owner, count?: number): Promise<void>
  /** Refuses what would have to be confirmed without a terminal to ask on, before anything is done for it. */
  confirmable(what: string): Promise<void>
  /** The objects of plans by their names, as a confirmation lists them. */
  naming(plans: readonly Plan[]): Promise<readonly string[]>
  /** Shows on a terminal how far work on so many objects is, until it ends. */
  counter(total?: number, waiting?: () => TimeLimit | undefined): CountedWork
  /** Shows a line of progress on standard error until the work is said to have ended. */
  beginProgress(text: string): ShownWork
  /** Shows a line of progress while `work` goes on. */
  progress<T>(text: string, work: (say: ProgressListener) => Promise<T>): Promise<T>
}

/** Standard input. */
export interface PipedInput {
  /** Reads it to its end. */
  text(): Promise<string>
  /** Yields it as it comes. */
  chunks(): AsyncIterable<string>
  /** Returns true if it is a file, or ends within a second: then all of it is checked before anything is done. */
  endsSoon(): Promise<boolean>
}

/** The place where a command runs: its process, its profile, the project or group at hand. */
export interface WorkspaceService {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** The flags that every command has. */
  readonly globals: Globals
  readonly clock: RunClock
  readonly stdin: PipedInput
  /** The session in force, or that of another profile; without a name, what flags and environment alone make. */
  session(of?: { readonly profile: string | undefined }): Promise<Session>
  /** The profile in force, where there is one: for what goes elsewhere than to its instance. */
  profile(): Promise<Profile | undefined>
  /** Returns the origin of the run, as journals have it. */
  identity(how?: 'asked' | 'known'): Promise<RunOrigin>
  /** The project or group at hand: flag, environment, git remote. */
  scope(kind: 'project' | 'group'): Promise<string | undefined>
  /**
   * Checks files that the command found and is about to read.
   * @throws Failure `usage` if the line would overwrite one of them
   */
  checkInputs(files: readonly string[]): Promise<void>
  /** Runs others within this command: by data, or as a line that reads. */
  readonly runs: InnerRuns
  /** Every command there is, areas first, in the order of the catalogue. */
  commands(): Promise<readonly CommandFacts[]>
}

/** The clock of a command. Waiting ends at the latest when the run is interrupted. */
export interface RunClock {
  readonly now: () => Date
  /** Returns the time that ages count from: when the snapshot was read that answers, else now. */
  readonly asOf: () => Promise<Date>
  /** Waits, unless interrupted. */
  readonly sleep: (milliseconds: number) => Promise<void>
  readonly signal: AbortSignal
}

/** The condition and the number of the records that are wanted. */
export interface RecordQuery<R> {
  /** The maximum number of records. */
  readonly limit?: number | 'all'
  /** Returns true for a record that is wanted. */
  readonly where?: (record: R) => boolean
}

/** The facts of an instance that a confirmation shows before something of it is destroyed. */
export type Owner = Pick<Session, 'profile' | 'baseUrl' | 'sudo' | 'title'>

/** The part of a list that is collected. */
export interface CollectOptions {
  /** All of it, or a Failure. */
  readonly whole?: boolean
  /** Returns true for a record that is kept of the whole list. */
  readonly where?: (record: unknown) => boolean
}

/** An address that is not the run's own instance. */
export interface ExternalClient {
  /** The request of an ask, in the words of whose address it is. */
  build(ask: Ask): Promise<WireRequest>
  /** Sends one request, and returns its whole answer. */
  call(request: WireRequest): Promise<WholeAnswer>
}
