/**
 * The services that every command receives: the instance, the answer, the terminal and the workspace.
 * `answer/line-run.ts` creates them.
 */

import type { Readable, Writable } from 'node:stream'
import type { CountedWork, ProgressListener, ShownWork, TimeLimit } from '../../base/interaction.js'
import type { JsonValues } from '../../base/objects.js'
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
import type { WorkRunner } from '../work/run.js'
import type {
  ActionOptions,
  Actions,
  ClientIdentity,
  ListActionOptions,
  WriteOptions,
} from './actions.js'
import type { RunClock } from './clock.js'
import type { CommandFacts, Given, Plan, RunOrigin } from './description.js'
import type { Globals } from './globals.js'
import type { Details } from './reversal.js'

// Commands that run within another command, with values as input and records as output.

/**
 * Limits the requests of a command that runs within another. `checks` sends nothing and only validates the values.
 * `reads` sends GET and HEAD, and other requests that the catalogue marks as reading. `previews` sends only GET and
 * HEAD, and returns a preview of the writes. `writes` sends everything that needs no confirmation.
 */
export type RunMode = 'checks' | 'reads' | 'previews' | 'writes'

export interface SubcommandCall {
  readonly command: Pick<CommandFacts, 'area' | 'words'>
  /** Runs the command as derived from its endpoints, without the handwritten part. */
  readonly withoutSpecial?: boolean
  readonly mode: RunMode
  /** Values by the names that `getData` returns. Texts are literal: `-` and `@file` have no special meaning. */
  readonly values: JsonValues
  /** Further arguments as a person would type them; they follow the values. */
  readonly args?: readonly string[]
  /** The fields to return; a dot selects a nested field. All fields if absent. */
  readonly fields?: readonly string[]
  /** Returns only this page of a list. */
  readonly page?: number
  readonly perPage?: number
  readonly signal: AbortSignal
}

export interface InnerAnswer {
  /** The command as its instance has it, with the parsed input; undefined if the input was invalid. */
  readonly asked?: { readonly command: CommandFacts; readonly given: Given }
  /** The records of the answer with masked secrets. Each is the bytes of one JSON value. */
  readonly records: readonly Uint8Array[]
  /** True if the list has further records. */
  readonly more: boolean
  /** The notes that the command printed on standard error. */
  readonly notes: readonly string[]
  readonly code: number
  readonly failure?: Failure
}

/** Runs a command within another. It never rejects: `failure` in the answer says what went wrong. */
type SubcommandRunner = (ask: SubcommandCall) => Promise<InnerAnswer>

// Command lines that run within a command as if a person had typed them.

export interface LineParent {
  readonly column: string
  readonly name: string
}

/** Options for saving a dry run as a planned run. */
export interface PlannedLine {
  readonly by: 'agent' | 'person'
  readonly reason?: string | undefined
  /** Receives the ID of the saved run, and the line that carries it out. */
  readonly onSaved: (id: string, line: string) => void
  /** Receives the failure if the run could not be saved. Without this function the failure is thrown. */
  readonly onFailure?: (failure: Failure) => void
}

export interface ReadingLine {
  /** The words of the line, without `svcctl`. */
  readonly words: readonly string[]
  /** Allows a line that writes: only GET and HEAD are sent, and the records are a preview of the changes. */
  readonly previews?: true
  /** Options for saving the preview as a planned run, if the line writes. */
  readonly planned?: PlannedLine | undefined
  /** Ends the line early, as the run's own signal does. */
  readonly signal?: AbortSignal
  /** Environment variables for this line, added to those of the run. */
  readonly env?: Readonly<Record<string, string>>
  /** Names of the global flags that a reading line may have. */
  readonly allowed?: readonly string[]
  /** Additional conditions (--where). A record needs to match only one of them. */
  readonly where?: readonly string[]
  /**
   * True if each condition was joined from several that were written apart. An empty result then gets no hint about a
   * mistake.
   */
  readonly composed?: boolean
  /** The folder of the snapshot that answers; by default the one that the command itself uses. */
  readonly from?: string | undefined
  /**
   * Receives each record as it arrives: the bytes of one JSON value with masked secrets. The buffer is reused, so copy
   * what you keep.
   * @param parent the project or group of the record, if several are read
   */
  readonly takeRecord: (record: Uint8Array, parent: LineParent | undefined) => void
  /** A cache of answers that several lines share, so that each request is sent once. */
  readonly reads?: SharedReads | undefined
  /** Sends no conditions to the instance, so that lines with different conditions can share one list. */
  readonly whole?: boolean
  readonly parents?: {
    /** Chooses which projects or groups are read, and in which order. */
    readonly choose: (names: readonly string[]) => readonly string[]
    /** Called after all records of a parent were received, in the chosen order. */
    readonly finishParent: (name: string, failure: Failure | undefined) => Promise<void> | void
  }
}

export interface LineAnswer {
  /** The command of the line; undefined if the line could not be parsed. */
  readonly command?: CommandFacts
  /** The list that the line read. */
  readonly plan?: Plan
  /** The columns of the groups, if the line groups its records. */
  readonly columns?: readonly string[]
  readonly notes: readonly string[]
  readonly code: number
  readonly failure?: Failure | undefined
}

/** Runs a line that reads. It never rejects: `failure` in the answer says what went wrong. */
type ReadLine = (ask: ReadingLine) => Promise<LineAnswer>

/** A line to run as if a person had typed it, with its own output, questions and journal. */
export interface TypedLine {
  /** The words of the line, without `svcctl` and without flags that name the instance. */
  readonly words: readonly string[]
  /** The standard input of the line. */
  readonly input?: string | undefined
}

/** Runs other commands and lines within this run. */
export interface InnerRuns {
  /** The stream for what shell commands print; undefined for the standard error of the process, which they get themselves. */
  readonly shellOutput: Writable | undefined
  readonly runCommand: SubcommandRunner
  readonly readLine: ReadLine
  /**
   * Checks a line that reads: its words, its flags with their values, and its conditions. Nothing is sent.
   * @throws Failure `usage` for a mistake
   */
  readonly checkLine: (ask: Pick<ReadingLine, 'allowed' | 'where' | 'words'>) => Promise<void>
  /**
   * Runs a line with its own output.
   * @returns the exit code of the line
   * @throws Failure if anything ends the line early
   */
  readonly runLine: (ask: TypedLine) => Promise<number>
}

export type { Details, Loss } from './reversal.js'

/** The services that a command receives, and the functions that carry out its actions. */
export interface Context {
  readonly instance: InstanceService
  readonly answer: AnswerService
  readonly ui: UiService
  readonly place: WorkspaceService
  /** The vocabulary of the instance. */
  readonly naming: CommandFacts['naming']
  /** False if requests are only printed (--curl) or previewed (--dry-run). */
  readonly sends: boolean
  /** Plans an action for each object of the line, in each of its projects or groups. */
  planActions(given: Given, how?: ActionOptions): Promise<Actions>
  /** Yields the records of the line's list, in each of its projects or groups. */
  list(given: Given, how?: ListActionOptions): Rows
  /**
   * Carries out actions: sends them, prints them or previews them. All calls of one command write to the same journal.
   * @throws Failure the failure of a single object, or of the run as a whole
   */
  write(actions: Actions, how?: WriteOptions): Rows
}

/**
 * The instance of the command. `createPlans`, `send` and `collect` serve the request that the person typed; `call` and
 * `readRecords` serve requests that the command adds.
 */
export interface InstanceService {
  /** Chooses the endpoint, checks the values and returns a plan for each object. */
  createPlans(given: Given, override?: JsonValues): Promise<readonly Plan[]>
  /** Sends one call and returns its complete answer. */
  call<const E extends Endpoint>(endpoint: E, input: Input<E>): Promise<TypedAnswer<E>>
  /** Sends one planned call and returns its complete answer. */
  send(plan: Plan): Promise<WholeAnswer>
  /** Reads all records of a list into memory. */
  readRecords<const E extends ListEndpoint>(
    endpoint: E,
    input: Input<E>,
    how?: RecordQuery<RecordOf<E>>,
  ): Promise<readonly RecordOf<E>[]>
  /**
   * Reads the records of a planned list into memory: those that `list` would print, with the same notes about none or
   * further records. With `whole`, reads all records.
   */
  collect(plan: Plan, how?: CollectOptions): Promise<readonly unknown[]>
  /** Runs `work` for each item. --concurrency and the instance's rate limit how many run at once. */
  each<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void>
  /**
   * Carries out work on objects as `Context.write` carries out actions: as many at once as the gate of the instance admits, with progress,
   * --max-failures and Ctrl-C, and with an early end if the instance does not answer.
   * @throws an error that concerns more than one object: the record cannot be written, or a defect
   */
  readonly carryOut: WorkRunner
  /** Starts a download and returns it with an unread body. */
  open(plan: Plan, headers?: Readonly<Record<string, string>>): Promise<Download>
  /**
   * Creates a client for another address, with this credential only. The profile of `party` says how that address is
   * reached and where writes are recorded.
   */
  createClientFor(
    baseUrl: string,
    credential: Credential | undefined,
    party?: ClientIdentity,
  ): ExternalClient
  /**
   * Sends a request that is not in the catalogue.
   * @param called the documented endpoint whose credential the request uses
   */
  sendUndocumented(request: WireRequest, called?: Endpoint): Promise<WholeAnswer>
}

/** The output of a command on standard output. */
export interface AnswerService {
  /**
   * The audience of the answer. The format decides how records look, but a command may read more from the instance for
   * a person.
   */
  readonly reader: Reader
  /** True if standard output is a terminal. */
  readonly terminal: boolean
  /** The width of the terminal in columns; 80 if unknown. */
  readonly width: number
  readonly text: Text
  /** Returns the columns for several records of an endpoint that returns one: those of the area's list. */
  borrowColumns(endpoint: Endpoint): Promise<readonly string[]>
  /** Sets the exit code of a command that succeeds otherwise (`ci lint`: 1). */
  setExitCode(code: number): void
}

/** Formats text for people. */
export interface Text {
  /** True for screen readers: words replace symbols and bars, and nothing stands side by side. */
  readonly accessible: boolean
  /** Makes the control characters of text from outside visible. */
  safe(text: string): string
  /** Returns a symbol for a verdict or a next step that is clear without color; for screen readers a word. */
  mark(kind: 'good' | 'bad' | 'warn' | 'next'): string
  /** Emphasizes text if colors are on, and makes its control characters visible. */
  emphasize(text: string): string
  /** Wraps text from outside to the terminal's width; continuation lines start at column `indent`. */
  wrapHanging(text: string, indent: number): string
  /** Draws a bar `width` columns wide, filled to `fraction` (0 to 1). */
  drawBar(fraction: number, width: number): string
}

/** The person at the terminal: notes on standard error, questions and confirmations. */
export interface UiService {
  /** True if the command may ask questions. */
  readonly interactive: boolean
  /** Prints a line on standard error, unless --quiet is set. */
  note(text: string): void
  warn(text: string): void
  /**
   * Reports a failure and continues, for commands that have further work.
   * @param of the name of the object that failed, if there are several
   */
  report(failure: Failure, of?: string): void
  /** Asks a question and returns the answer; undefined if there is no terminal. */
  ask(question: string, initial?: string): Promise<string | undefined>
  /** Asks as `ask` does, without echo. `name` is the name of the secret. */
  askSecret(question: string, name: string): Promise<string | undefined>
  /**
   * Asks for confirmation before something is destroyed. Without a terminal it fails unless --yes is set. `count` is
   * the number of objects.
   */
  confirm(what: string, details?: Details, of?: Owner, count?: number): Promise<void>
  /** Fails early if a later confirmation will be needed and there is no terminal to ask on. */
  checkConfirmable(what: string): Promise<void>
  /** Returns the names of the plans' objects as a confirmation lists them. */
  nameObjects(plans: readonly Plan[]): Promise<readonly string[]>
  /** Shows on a terminal how many of `total` objects are done, until the counter is closed. */
  startCounter(total?: number, waiting?: () => TimeLimit | undefined): CountedWork
  /** Shows a line of progress on standard error until the returned handle is closed. */
  beginProgress(text: string): ShownWork
  /** Shows a line of progress while `work` runs. */
  showProgress<T>(text: string, work: (say: ProgressListener) => Promise<T>): Promise<T>
}

/** The standard input of the line. */
export interface PipedInput {
  /** Returns true if the line was started from a terminal, even if its streams are redirected. */
  hasTerminal(): Promise<boolean>
  /** Opens the stream itself, for a reader that limits its own waits. */
  open(): Readable
  /** Reads standard input to its end. */
  text(): Promise<string>
  /** Yields the text of standard input as it arrives. */
  readChunks(): AsyncIterable<string>
  /** Yields the bytes of standard input as they arrive. */
  readBytes(): AsyncIterable<Uint8Array>
  /**
   * Returns true if standard input is a file or ends within a second: all of it can then be checked before the first
   * write.
   */
  endsSoon(): Promise<boolean>
}

/** The surroundings of a command: environment, folder, global flags, session, project or group at hand. */
export interface WorkspaceService {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** The values of the global flags. */
  readonly globals: Globals
  readonly clock: RunClock
  readonly stdin: PipedInput
  /**
   * Opens the active session or that of another profile; with `profile: undefined`, the session of flags and
   * environment alone.
   */
  session(of?: { readonly profile: string | undefined }): Promise<Session>
  /** Returns the active profile, if any, for requests to other addresses than its instance. */
  profile(): Promise<Profile | undefined>
  /** Returns the origin of the run as journals record it. */
  getOrigin(how?: 'asked' | 'known'): Promise<RunOrigin>
  /** Returns the project or group from the flag, the environment or the git remote. */
  findScope(kind: 'project' | 'group'): Promise<string | undefined>
  /**
   * Checks files that the command is about to read.
   * @throws Failure `usage` if the line would overwrite one of them
   */
  checkInputs(files: readonly string[]): Promise<void>
  /** Runs other commands and lines within this command. */
  readonly runs: InnerRuns
  /** Returns all commands in the order of the catalogue. */
  listCommands(): Promise<readonly CommandFacts[]>
}

/** Limits which records of a list are returned. */
export interface RecordQuery<R> {
  /** The maximum number of records. */
  readonly limit?: number | 'all'
  /** Returns true for a record to return. */
  readonly where?: (record: R) => boolean
}

/** The facts about an instance that a confirmation shows before it destroys an object. */
export type Owner = Pick<Session, 'profile' | 'baseUrl' | 'sudo' | 'title'>

/** Options for collecting the records of a list. */
export interface CollectOptions {
  /** Reads all records, or fails. */
  readonly whole?: boolean
  /** Returns true for a record to keep; it is applied to the whole list. */
  readonly where?: (record: unknown) => boolean
}

/** A client for another address than the run's own instance. */
export interface ExternalClient {
  /** Builds the request of an ask, in the vocabulary of that address. */
  build(ask: Ask): Promise<WireRequest>
  /** Sends one request and returns its complete answer. */
  call(request: WireRequest): Promise<WholeAnswer>
}
