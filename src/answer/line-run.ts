/** Runs a line on one instance: puts the parts of the run together, hands them to the command, and ends the run. */

import { NobodyTakesError } from '../base/async.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import { createCall, type Engine, RunReport, toUnprintedRun } from '../engine/bulk/plan-work.js'
import { BulkRunner } from '../engine/bulk/runner.js'
import type { InstanceService } from '../engine/command/context.js'
import { isFullySent, isPreview, mayChangeInstance } from '../engine/command/derive.js'
import { getConcurrencyLimit } from '../engine/command/globals.js'
import { yieldNone } from '../engine/command/outcomes.js'
import { describeIrreversible } from '../engine/command/reversal.js'
import type { Given, Parent, Plan } from '../engine/command/types.js'
import { LineContext } from '../engine/context.js'
import { Caller } from '../engine/instance/caller.js'
import { InstanceExchange } from '../engine/instance/exchange.js'
import { ListReader } from '../engine/instance/listing.js'
import { type LineTargets, type PlanReads, RunPlanner } from '../engine/instance/planning.js'
import type { LineParts, SingleReadOptions } from '../engine/line-parts.js'
import type { OpenSessions } from '../engine/options.js'
import type { CurlPrinter } from '../engine/perform/curl.js'
import { LiveInstance } from '../engine/perform/live.js'
import type { Previewer } from '../engine/perform/preview.js'
import { createSingleReporter, mayAskSingles } from '../engine/records/budget.js'
import { toPartOfAnswer } from '../engine/records/object-rows.js'
import type { RecordFilter } from '../engine/records/where.js'
import type { PollScreen } from '../engine/repeat.js'
import { createNoteRow, type Rows } from '../engine/rows.js'
import type { Item } from '../engine/work/report.js'
import { addWorkspaceHint } from '../engine/workspace/hints.js'
import { RunSessions, Workspace } from '../engine/workspace/workspace.js'
import { ClosedPipe, Failure } from '../errors.js'
import { AnswerPrinter } from './answer-printer.js'
import type { AnswerOptions, RunEnd, Streams } from './options.js'
import type { PageSource } from './page-view.js'
import { printRows } from './print-rows.js'
import { Prompter, SilentPrompter } from './prompter.js'
import type { RunAnswer } from './run-answer.js'
import { RunJournal } from './run-journal.js'
import { createLogger, openStreams } from './streams.js'

/** Creates the functions by which planning reads objects. With `--curl` they read nothing. */
const createReads = (exchange: InstanceExchange, options: AnswerOptions): PlanReads => {
  if (options.globals.curl) return { readData: async () => undefined, checksAnswers: false }
  return {
    readData: async (ask) =>
      (await (await exchange.getClient(ask.endpoint)).call(await exchange.buildAndRecord(ask)))
        .data,
    checksAnswers: isFullySent(options),
  }
}

/** The modules that only some runs load: for `--curl` and for `--web`. */
interface LoadedModules {
  readonly curl: typeof import('../engine/perform/curl.js') | undefined
  readonly web: typeof import('./answer-file.js') | undefined
}

const loadModules = async ({ globals }: AnswerOptions): Promise<LoadedModules> => ({
  curl: globals.curl ? await import('../engine/perform/curl.js') : undefined,
  web: globals.web && !globals.curl ? await import('./answer-file.js') : undefined,
})

/** One run of a line on one instance. Nothing is sent before the command asks for it. */
export class LineRun implements LineParts {
  readonly options: AnswerOptions
  readonly context: LineContext
  /** The instance for commands. */
  readonly instance: InstanceService
  readonly place: Workspace
  readonly answer: RunAnswer
  readonly ui: Prompter
  readonly exchange: InstanceExchange
  readonly planning: RunPlanner
  readonly caller: Caller
  readonly lists: ListReader
  readonly singleReads: SingleReadOptions
  readonly bulk: BulkRunner
  /** Prints requests as curl commands (`--curl`); undefined without the flag. */
  readonly curl: CurlPrinter | undefined
  /** Opens the previews of a dry run (`--dry-run`); undefined without the flag. */
  readonly preview: (() => Promise<Previewer>) | undefined
  /** The printer of the answer, which has the exit code. */
  readonly printing: AnswerPrinter
  readonly polls: PollScreen
  readonly #screen: Streams
  readonly #sessions: OpenSessions
  readonly #report = new RunReport()
  readonly #engine: Engine
  readonly #footers: (() => void)[] = []
  readonly #journal: RunJournal

  private constructor(options: AnswerOptions, screen: Streams, loaded: LoadedModules) {
    const { command, globals, inner } = options
    this.options = options
    this.#screen = screen
    this.polls = screen.polls
    this.#sessions = inner?.sessions ?? new RunSessions(options, screen.notes)
    const isFiled = globals.open || (globals.to ?? '-') !== '-'
    const file = isFiled ? screen.plain : undefined
    this.place = new Workspace(options, this.#sessions, () => this.exchange, file)
    this.exchange = new InstanceExchange(
      options,
      this.place,
      createLogger(options.io, screen, globals.verbose),
    )
    this.printing = this.#createPrinter()
    this.answer = this.#createAnswer(loaded)
    this.ui = this.#createPrompter()
    const reads = createReads(this.exchange, options)
    this.planning = new RunPlanner(options, screen, this.place, reads)
    this.singleReads = this.#createSingleReads(reads)
    this.lists = this.#createLists()
    this.caller = new Caller(this.exchange, this.ui, this.answer, globals, command.naming)
    const { exchange, place, planning, ui } = this
    const journaled = { exchange, place, planning, ui, getInstance: () => this.instance }
    this.#journal = new RunJournal(options, journaled, this.addFooter)
    this.#engine = this.#createEngine()
    this.bulk = new BulkRunner(this.#engine)
    this.preview = isPreview(options) ? this.#openPreviews : undefined
    this.curl = loaded.curl && new loaded.curl.CurlPrinter(this)
    this.instance = new (loaded.curl?.UnsentInstance ?? LiveInstance)(this)
    this.context = this.createContext(this.instance)
  }

  /** Opens the streams of a run, and loads the modules that its flags need. */
  static async open(options: AnswerOptions): Promise<LineRun> {
    const { screen = await openStreams(options) } = options
    return new LineRun(options, screen, await loadModules(options))
  }

  /** Adds a note below the output. */
  readonly addFooter = (text: string, level: 'note' | 'warn' = 'note'): void => {
    this.#footers.push(() => this.#screen.notes[level](text))
  }

  /** Returns the choice among the records of a list; undefined if all records are wanted. Its modules are loaded then. */
  readonly chooseRecords = async (
    endpoint?: Endpoint,
    parent?: Parent,
  ): Promise<RecordFilter | undefined> => {
    const { command, globals, inner, part, signal } = this.options
    const { where } = globals
    if (where === undefined) {
      if (!mayAskSingles(command, globals)) return undefined
      const { getSingleFields } = await import('../engine/records/single.js')
      const emit = endpoint === undefined ? {} : { endpoint }
      if ((await getSingleFields({ command, emit }, globals)) === undefined) return undefined
    }
    const { RecordFilter } = await import('../engine/records/where.js')
    const { budget } = this.printing
    const { clock } = this.place
    const [now, asOf] = [clock.now(), await clock.asOf()]
    const whole = inner?.whole
    const filtering = { paging: globals, asked: globals, now, asOf, budget, signal, whole }
    const composed = inner?.composed
    const named = [part, parent].filter((one) => one !== undefined)
    const target = Object.fromEntries(named.map(({ column, name }) => [column, name]))
    return new RecordFilter(where ?? [], {
      command,
      composed,
      target,
      ...filtering,
      ...this.singleReads,
    })
  }

  /** Creates the context of a command for an instance. */
  createContext(instance: InstanceService, targets?: LineTargets): LineContext {
    const { answer, options } = this
    // A command on one of several projects, groups or instances sees only a part of the answer.
    const isPart = options.part !== undefined || instance !== this.instance
    return new LineContext(
      this,
      { answer: isPart ? toPartOfAnswer(answer) : answer, instance },
      targets,
    )
  }

  /** Yields the rows of the run's command. @param targets the targets of the line, if its arguments do not name them */
  yieldRows(given: Given, targets?: LineTargets): Rows {
    const { rows } = this.options.command
    const context = this.createContext(this.instance, targets)
    return rows === undefined ? context.followEndpoints(given) : rows(context, given)
  }

  /** Prints rows to the output of the run. */
  readonly print = (rows: Rows): Promise<void> => {
    const { answer, curl, options } = this
    const observed = this.#watchRows(curl === undefined ? rows : curl.yieldUnanswered(rows))
    if (options.part !== undefined)
      return options.part.writeRows(observed).catch((error: unknown) => {
        // The output of all instances ended, so that this run reports how far it came.
        throw error instanceof NobodyTakesError ? this.#report.describe(new ClosedPipe()) : error
      })
    return printRows(observed, { answer, describe: (lost) => this.#report.describe(lost) })
  }

  /** Passes rows on, except notes and the exit code, which it handles. It also adds the notes on the ends of lists. */
  async *#watchRows(rows: Rows): Rows {
    const ended = this.options.inner?.onEnded
    for await (const row of rows) {
      if (row.kind === 'exit') this.answer.setExitCode(row.code)
      // The prompter adds the name of the instance to a note if the line has several.
      if (row.kind === 'note') this.ui.note(row.text)
      else yield row
      if (row.kind !== 'end' || row.target !== undefined) continue
      if (ended !== undefined) {
        if (row.more !== undefined) ended(row.more)
        // The shared answer of several instances adds the note itself, since it knows the limit of all.
      } else if (row.note !== undefined && this.options.part === undefined) this.addFooter(row.note)
    }
  }

  /** Ends the output, and prints the notes below it. */
  readonly close = async (end: RunEnd = { code: 0 }): Promise<void> => {
    const { inner, part } = this.options
    const { note } = this.printing.budget
    for (const { text, unknown } of this.caller.yieldWarnings())
      this.addFooter(text, unknown ? 'warn' : 'note')
    if (note !== undefined) this.addFooter(note)
    await this.exchange.close()
    // The sessions of an outer run stay open for its next line.
    if (inner?.sessions === undefined) await this.#sessions.close()
    const printFooters = (): void => {
      for (const printFooter of this.#footers) printFooter()
    }
    if (part === undefined) return this.#screen.finish(printFooters, end)
    part.printLater(printFooters)
  }

  #createPrinter(): AnswerPrinter {
    const line = { ...this.options, raw: () => this.options.journaling.raw }
    const origin = { getSource: this.#getPageSource, clock: this.place.clock }
    return new AnswerPrinter(line, this.#screen, this.addFooter, origin)
  }

  #createPrompter(): Prompter {
    const { command, globals } = this.options
    const { peek } = this.exchange
    const subject = { command, getOwner: () => this.place.session(), peek }
    const UserPrompter = isFullySent(this.options) ? Prompter : SilentPrompter
    return new UserPrompter(globals, this.#screen, subject)
  }

  #createSingleReads({ readData }: PlanReads): SingleReadOptions {
    const { globals } = this.options
    return {
      width: getConcurrencyLimit(globals),
      planCommand: (other, given) => this.planning.planCommand(other, given),
      readData: readData,
      reportFailure: createSingleReporter(this.ui, this.answer, globals.from),
    }
  }

  #createLists(): ListReader {
    const { globals, inner, onListed } = this.options
    const onList = (plan: Plan): void => {
      onListed?.(plan)
      inner?.onPlanned?.(plan)
    }
    const listOptions = {
      noteAtEnd: this.addFooter,
      isPaged: inner?.onEnded !== undefined,
      onList,
    }
    return new ListReader(globals, this.exchange.openInstance, listOptions, this.chooseRecords)
  }

  /** Returns the instance, profile and user for the head of a page, with a request for the user's record. */
  readonly #getPageSource = async (): Promise<PageSource> => {
    const { baseUrl, profile, user } = await this.place.session()
    const snapshot = await this.place.snapshot()
    const { account } = await import('../catalogue/undocumented.js')
    const isOffline = this.options.globals.curl || snapshot !== undefined
    return {
      instances: [{ address: baseUrl }],
      profile: profile?.name,
      user,
      snapshot: snapshot && [{ name: 'snapshot', text: snapshot.minute }],
      readAccount: async () =>
        isOffline ? undefined : this.exchange.peek({ endpoint: account, values: {} }),
    }
  }

  readonly #getBaseUrl = async (): Promise<string> => (await this.place.session()).baseUrl

  /** Creates the answer: the printer, or with `--web` the page in a browser. */
  #createAnswer({ web }: LoadedModules): RunAnswer {
    const { command, env } = this.options
    const { note } = this.#screen.notes
    if (web === undefined) return this.printing
    const getBaseUrl = this.#getBaseUrl
    return web.createWebPage(this.printing, { command, env, getBaseUrl, note })
  }

  #createEngine(): Engine {
    const { answer, exchange, options, caller, ui } = this
    const { command, globals, journaling, listed, signal } = options
    return {
      send: (plan) => caller.send(plan),
      answer,
      ui,
      globals,
      report: this.#report,
      explainIrreversible: (plan) => describeIrreversible(command, globals, plan),
      endEmptyShard: this.endEmptyShard,
      getGate: exchange.openGate,
      signal,
      listed,
      ...(isFullySent(options)
        ? {
            createKeeper: this.#journal.createKeeper,
            getResumed: () => journaling.resumed,
            checkAsPlanned: this.#checkAsPlanned,
          }
        : {}),
    }
  }

  /** Yields the note that a shard has no objects, and records it in a journal. */
  readonly endEmptyShard = (): Rows => this.#yieldEmptyShard()

  async *#yieldEmptyShard(): Rows {
    const { globals, journaling } = this.options
    yield createNoteRow(
      `no objects in shard ${globals.shard ?? journaling.resumed?.past.header.shard ?? ''}: nothing to do`,
    )
    yield* yieldNone(this.answer)
    await this.#journal.recordEmptyShard()
  }

  /** Sends further requests for the objects of the run, which its journal records. */
  get followUps() {
    const { bulk, caller, exchange, place } = this
    const { timers: clock } = place.clock
    const send = createCall({ send: (plan: Plan) => caller.send(plan) })
    return { bulk, send, clock, requests: exchange.requests, file: this.#journal.file }
  }

  readonly #openPreviews = async (): Promise<Previewer> => {
    const { command, format, globals } = this.options
    const { Previewer } = await import('../engine/perform/preview.js')
    const bulk = new BulkRunner({ ...this.#engine, listed: true })
    const shown = {
      tolerates: globals.tolerate !== undefined,
      secrets: globals.showSecrets,
      isNaming: format.shows === 'names',
    }
    const { answer, exchange, lists, caller, ui } = this
    const { explainIrreversible } = this.#engine
    const parts = { answer, exchange, lists, caller, bulk, ui, explainIrreversible }
    const planKeeper = await this.#journal.createPlanKeeper()
    return new Previewer({ ...parts, ...shown, planKeeper, command })
  }

  /** Refuses a plan whose object has changed since the run was planned. */
  readonly #checkAsPlanned = async (item: Item, plan: Plan): Promise<Plan> => {
    const { refuseChangedPlan } = await import('../engine/journaling/planned-run.js')
    const previews = await this.#openPreviews()
    return refuseChangedPlan(item, plan, (one) => previews.preview(one))
  }
}

const isPartial = (error: unknown): boolean =>
  error instanceof Failure && error.category === 'partial'

/**
 * Opens a run, does its work, and ends its journal and its answer.
 * @returns the exit code
 * @throws the error that ended the run early
 */
export const runLine = async (
  options: AnswerOptions,
  work: (running: LineRun) => Promise<void>,
): Promise<number> => {
  const { command, globals, journaling } = options
  const running = await LineRun.open(options)
  const { printing, context } = running
  let failed: unknown
  try {
    await work(running)
  } catch (error) {
    failed = addWorkspaceHint(error, { globals })
  }
  await journaling.resumed?.journal.close()
  const wrote = isFullySent(options) && mayChangeInstance(command, journaling.raw.args)
  await running.close({ failed, code: printing.code }).catch((error: unknown) => {
    // An output that cannot be ended must not hide the error that ended the run, nor the writes that it has done.
    if (failed === undefined) failed = wrote ? toUnprintedRun(error, command) : error
    else if (isPartial(failed) && error instanceof Failure) context.ui.report(error)
  })
  if (failed !== undefined) throw failed
  return printing.code
}
