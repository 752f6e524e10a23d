/** The parts of one run: what a command is handed, and what carries out what it asks for. */

import { type Endpoint, writes } from '../catalogue/endpoint.js'
import { createCall, type Engine, RunReport, toUnprintedRun } from '../engine/bulk/plan-work.js'
import { BulkRunner } from '../engine/bulk/runner.js'
import type { InstanceService } from '../engine/command/context.js'
import {
  getCommandName,
  isFullySent,
  isRehearsal,
  keepsJournal,
  mayChangeInstance,
} from '../engine/command/derive.js'
import { getConcurrencyLimit } from '../engine/command/globals.js'
import { describeIrreversible } from '../engine/command/reversal.js'
import { yieldNone } from '../engine/command/running.js'
import type { Given, Parent, Plan } from '../engine/command/types.js'
import { LineContext } from '../engine/context.js'
import { Caller } from '../engine/instance/caller.js'
import { InstanceExchange } from '../engine/instance/exchange.js'
import { ListReader } from '../engine/instance/listing.js'
import { type LineTargets, type PlanReads, RunPlanner } from '../engine/instance/planning.js'
import type { PlanKeeper } from '../engine/journaling/planned-run.js'
import type { LineParts, SingleReadOptions } from '../engine/line-parts.js'
import type { OpenSessions } from '../engine/options.js'
import type { CurlPrinter } from '../engine/perform/curl.js'
import { LiveInstance } from '../engine/perform/live.js'
import type { Previewer } from '../engine/perform/preview.js'
import { mayAskSingles } from '../engine/records/budget.js'
import { toPartOfAnswer } from '../engine/records/object-rows.js'
import type { RecordFilter } from '../engine/records/where.js'
import type { PollScreen } from '../engine/repeat.js'
import { createNoteRow, type Rows } from '../engine/rows.js'
import type { Item } from '../engine/work/report.js'
import { RunSessions, Workspace } from '../engine/workspace/workspace.js'
import { exitCodes, Failure } from '../errors.js'
import type { AnswerOptions, RunEnd, Streams } from './options.js'
import type { PageSource } from './page-view.js'
import { printRows } from './print-rows.js'
import { AnswerPrinter } from './printing.js'
import { Prompter, SilentPrompter } from './prompter.js'
import type { RunAnswer } from './run-answer.js'
import { createLogger, openStreams } from './streams.js'

/** Creates the reads that planning does on the way; none at all where nothing is sent. */
const createReads = (exchange: InstanceExchange, options: AnswerOptions): PlanReads => {
  const nothing = async (): Promise<undefined> => undefined
  if (options.globals.curl) return { readData: nothing, readValues: nothing, checksAnswers: false }
  return {
    readData: async (ask) =>
      (await (await exchange.getClient(ask.endpoint)).call(await exchange.prepare(ask))).data,
    readValues: async ({ endpoint, request }) =>
      (await (await exchange.getClient(endpoint)).call(request)).data,
    checksAnswers: isFullySent(options),
  }
}

/** True if a run keeps a journal: every run that writes does, but for what the API itself only tries. */
const isKept = (
  { command, globals, journaling }: AnswerOptions,
  { endpoint, values }: Plan,
): boolean => {
  if (journaling.resumed !== undefined) return true
  if (globals.journal === 'none' || !keepsJournal(command)) return false
  if (endpoint.rehearses === true && values.dry_run === true) return false
  return globals.journal !== undefined || writes(endpoint)
}

/** The modules that only some runs load: another answer than the printed one, and the printer of requests. */
interface LoadedModules {
  readonly curl: typeof import('../engine/perform/curl.js') | undefined
  readonly web: typeof import('./file.js') | undefined
}

const load = async ({ globals }: AnswerOptions): Promise<LoadedModules> => ({
  curl: globals.curl ? await import('../engine/perform/curl.js') : undefined,
  web: globals.web && !globals.curl ? await import('./file.js') : undefined,
})

/** The parts that a run is made of, by its options: nothing is sent before a command asks for it. */
export class RunParts implements LineParts {
  readonly options: AnswerOptions
  readonly context: LineContext
  readonly instance: InstanceService
  readonly place: Workspace
  readonly answer: RunAnswer
  readonly ui: Prompter
  readonly exchange: InstanceExchange
  readonly planning: RunPlanner
  readonly caller: Caller
  readonly lists: ListReader
  readonly singles: SingleReadOptions
  readonly bulk: BulkRunner
  /** `--curl`: prints requests. */
  readonly curl: CurlPrinter | undefined
  /** `--dry-run`: shows what would be written; undefined where it is. */
  readonly preview: (() => Promise<Previewer>) | undefined
  /** The printer, which hears of each round, and has the exit code. */
  readonly printing: AnswerPrinter
  readonly polls: PollScreen
  readonly #screen: Streams
  readonly #sessions: OpenSessions
  readonly #report = new RunReport()
  readonly #engine: Engine
  readonly #below: (() => void)[] = []
  /** The file of the run's journal, once there is one. */
  #journal: string | undefined

  private constructor(options: AnswerOptions, screen: Streams, loaded: LoadedModules) {
    const { command, globals, inner, words } = options
    this.options = options
    this.#screen = screen
    this.polls = screen.polls
    this.#sessions = inner?.sessions ?? new RunSessions(options, screen.notes)
    const isFiled = globals.open || (globals.to ?? '-') !== '-'
    const file = isFiled ? screen.plain : undefined
    this.place = new Workspace(options, this.#sessions, () => this.exchange, file)
    this.exchange = new InstanceExchange(options, this.place, createLogger(screen, globals.verbose))
    const printed = { ...options, raw: () => options.journaling.raw }
    this.printing = new AnswerPrinter(printed, screen, this.later, {
      source: this.#pageSource,
      asOf: () => this.place.clock.asOf(),
    })
    this.answer = this.#answer(loaded)
    const subject = { command, owner: () => this.place.session(), peek: this.exchange.peek }
    this.ui = new (isFullySent(options) ? Prompter : SilentPrompter)(globals, screen, subject)
    const reads = createReads(this.exchange, options)
    this.planning = new RunPlanner(options, screen, this.place, reads)
    this.singles = {
      width: getConcurrencyLimit(globals),
      planned: (other, given) => this.planning.planCommand(other, given),
      data: reads.readData,
      failed: (text, failure) => {
        this.ui.report(failure, text)
        this.answer.setExitCode(exitCodes.partial)
      },
    }
    const asked = (plan: Plan): void => {
      options.onListed?.(plan)
      inner?.asked?.(plan)
    }
    const heard = { noteAtEnd: this.later, isPaged: inner?.ended !== undefined, onList: asked }
    this.lists = new ListReader(globals, this.exchange.openInstance, heard, this.choice)
    this.caller = new Caller(this.exchange, this.ui, this.answer, globals, words)
    this.#engine = this.#createEngine()
    this.bulk = new BulkRunner(this.#engine)
    this.preview = isRehearsal(options) ? this.#openPreviews : undefined
    this.curl = loaded.curl && new loaded.curl.CurlPrinter(this)
    this.instance = new (loaded.curl?.UnsentInstance ?? LiveInstance)(this)
    this.context = this.createContext(this.instance)
  }

  static async open(options: AnswerOptions): Promise<RunParts> {
    const { screen = await openStreams(options) } = options
    return new RunParts(options, screen, await load(options))
  }

  /** Says a line that stands below the output. */
  readonly later = (text: string, level: 'note' | 'warn' = 'note'): void => {
    this.#below.push(() => this.#screen.notes[level](text))
  }

  /** Returns which records of a list are wanted; undefined where all are. Nothing of it is loaded before a list asks. */
  readonly choice = async (
    endpoint?: Endpoint,
    parent?: Parent,
  ): Promise<RecordFilter | undefined> => {
    const { command, globals, inner, part, signal, words } = this.options
    const { where } = globals
    if (where === undefined) {
      if (!mayAskSingles(command, globals)) return undefined
      const { getSingleFields } = await import('../engine/records/single.js')
      const emit = endpoint === undefined ? {} : { endpoint }
      if ((await getSingleFields({ command, emit, words }, globals)) === undefined) return undefined
    }
    const { RecordFilter } = await import('../engine/records/where.js')
    const { budget } = this.printing
    const asked = { paging: globals, asked: globals, budget, signal, words, whole: inner?.whole }
    const composed = inner?.composed
    const target = {
      ...(part && { [part.column]: part.name }),
      ...(parent && { [parent.column]: parent.name }),
    }
    return new RecordFilter(where ?? [], { command, composed, target, ...asked, ...this.singles })
  }

  createContext(instance: InstanceService, targets?: LineTargets): LineContext {
    const { answer, options } = this
    // Of several projects, groups or instances it sees a part.
    const isPart = options.part !== undefined || instance !== this.instance
    return new LineContext(
      this,
      { answer: isPart ? toPartOfAnswer(answer) : answer, instance },
      targets,
    )
  }

  /** Yields the rows of the run's command. @param targets what the line is about, where it does not name that by itself */
  rowsOf(given: Given, targets?: LineTargets): Rows {
    const { rows } = this.options.command
    const context = this.createContext(this.instance, targets)
    return rows === undefined ? context.followEndpoints(given) : rows(context, given)
  }

  /** Prints rows where the answer of the run goes. */
  readonly print = (rows: Rows): Promise<void> => {
    const { answer, curl, options } = this
    const observed = this.#observe(curl === undefined ? rows : curl.yieldUnanswered(rows))
    if (options.part !== undefined) return options.part.takeAll(observed)
    return printRows(observed, { answer, describe: (lost) => this.#report.describe(lost) })
  }

  /** Hears what rows say of the run itself: its exit code, and how each list ended. */
  async *#observe(rows: Rows): Rows {
    const ended = this.options.inner?.ended
    for await (const row of rows) {
      if (row.kind === 'exit') this.answer.setExitCode(row.code)
      // A note of one of several instances begins with its name.
      if (row.kind === 'note') this.ui[row.level](row.text)
      else yield row
      if (row.kind !== 'end' || row.of !== undefined) continue
      if (ended !== undefined) {
        if (row.more !== undefined) ended(row.more)
        // Of one of several instances it is said where the limit of all is known.
      } else if (row.said !== undefined && this.options.part === undefined) this.later(row.said)
    }
  }

  /** Says what stands below the output, once all is done, and ends the answer. */
  readonly close = async (end: RunEnd = { code: 0 }): Promise<void> => {
    const { inner, part } = this.options
    const { note } = this.printing.budget
    for (const { text, unknown } of this.caller.yieldWarnings())
      this.later(text, unknown ? 'warn' : 'note')
    if (note !== undefined) this.later(note)
    await this.exchange.close()
    // Those of an outer run stay open for its next.
    if (inner?.sessions === undefined) await this.#sessions.close()
    const say = (): void => {
      for (const tell of this.#below) tell()
    }
    if (part === undefined) return this.#screen.finish(say, end)
    part.later(say)
  }

  /** Returns the instance, profile and user for the head of a page, with a request for the user's record. */
  readonly #pageSource = async (): Promise<PageSource> => {
    const { baseUrl, profile, user } = await this.place.session()
    const snapshot = await this.place.snapshot()
    const { account } = await import('../catalogue/undocumented.js')
    const asks = this.options.globals.curl || snapshot !== undefined
    return {
      address: baseUrl,
      profile: profile?.name,
      user,
      snapshot: snapshot && [{ name: 'snapshot', text: snapshot.minute }],
      account: async () =>
        asks ? undefined : this.exchange.peek({ endpoint: account, values: {} }),
    }
  }

  readonly #baseUrl = async (): Promise<string> => (await this.place.session()).baseUrl

  /** Returns the answer by where it goes: to standard output, or to a browser. */
  #answer({ web }: LoadedModules): RunAnswer {
    const { env, words } = this.options
    const { note } = this.#screen.notes
    if (web !== undefined)
      return web.createWebPage(this.printing, { env, baseUrl: this.#baseUrl, note, words })
    return this.printing
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
      command: getCommandName(command),
      irreversible: (plan) => describeIrreversible(command, globals, plan),
      endEmptyShard: this.endEmptyShard,
      gate: exchange.openGate,
      signal,
      listed,
      ...(isFullySent(options)
        ? { keeper: this.#keeper, resumed: () => journaling.resumed, asPlanned: this.#asPlanned }
        : {}),
    }
  }

  /** Says that there is nothing to do, and writes that down where the journal of the shard is waited for. */
  readonly endEmptyShard = (): Rows => this.#emptyShard()

  async *#emptyShard(): Rows {
    const { command, globals, journaling } = this.options
    yield createNoteRow(
      `no objects in shard ${globals.shard ?? journaling.resumed?.past.header.shard ?? ''}: nothing to do`,
    )
    yield* yieldNone(this.answer)
    if (journaling.resumed !== undefined || !isFullySent(this.options) || !keepsJournal(command))
      return
    const { recordEmptyShard } = await import('../engine/journaling/journaled-run.js')
    await recordEmptyShard({ command, globals, journaling, place: this.place })
  }

  /** Returns what sends further requests to the objects of the run, on record in its journal. */
  get following() {
    const { bulk, caller, exchange } = this
    const send = createCall({ send: (plan: Plan) => caller.send(plan) })
    return { bulk, send, requests: exchange.requests, file: this.#journal }
  }

  readonly #openPreviews = async (): Promise<Previewer> => {
    const { command, format, globals, words } = this.options
    const { Previewer } = await import('../engine/perform/preview.js')
    const bulk = new BulkRunner({ ...this.#engine, listed: true })
    const shown = {
      tolerates: globals.tolerate !== undefined,
      secrets: globals.showSecrets,
      isNaming: format.shows === 'names',
    }
    const { answer, exchange, lists, caller, ui } = this
    const { irreversible } = this.#engine
    const parts = { answer, exchange, lists, caller, bulk, ui, irreversible }
    return new Previewer({ ...parts, ...shown, ...(await this.#planKeeper()), command, words })
  }

  /** Creates the keeper of a dry run as a run that has not begun, if that was asked for. */
  async #planKeeper(): Promise<{ readonly keeper?: PlanKeeper }> {
    const { options, place, planning, ui } = this
    const { command, globals, inner, journaling } = options
    const byPerson = globals.save && ({ by: 'person', onSaved: this.#tellKept } as const)
    const asked = inner?.planned ?? (byPerson || undefined)
    if (asked === undefined || !isRehearsal(options)) return {}
    const { PlanKeeper } = await import('../engine/journaling/planned-run.js')
    const getReplies = () => planning.replies
    const parts = { command, globals, journaling, place, ui, single: false, getReplies }
    return { keeper: new PlanKeeper(parts, asked) }
  }

  readonly #tellKept = (id: string): void =>
    this.later(`saved as ${id}; carry it out with: svcctl journal run ${id}`)

  /** Refuses what is not as it was when its run was planned. */
  readonly #asPlanned = async (item: Item, plan: Plan): Promise<Plan> => {
    const { refuseChangedPlan } = await import('../engine/journaling/planned-run.js')
    const previews = await this.#openPreviews()
    return refuseChangedPlan(item, plan, (one) => previews.preview(one))
  }

  /** Returns the function that opens the journal of the run; undefined if the run keeps none. */
  readonly #keeper: Engine['keeper'] = (first, single, final) => {
    const { exchange, options, place, planning, context, ui } = this
    const { command, globals, journaling, chosen } = options
    if (!isKept(options, first)) return undefined
    return async () => {
      const { JournaledRun } = await import('../engine/journaling/journaled-run.js')
      const { instance } = context
      const run = { command, globals, journaling, place, ui, single, final, instance }
      const getSelected = (plan: Plan): unknown => chosen.of(plan)
      const getReplies = () => planning.replies
      const { readOnce, canWrite, requests } = exchange
      const parts = { ...run, getSelected, readOnce, canWrite, getReplies, requests }
      const journaled = await JournaledRun.open(parts, first)
      this.#journal = journaled.journal.file
      return journaled
    }
  }
}

const isPartial = (error: unknown): boolean =>
  error instanceof Failure && error.category === 'partial'

/**
 * Does the work of a run with its parts, and ends its journal and its answer.
 * @returns the exit code
 * @throws what ended the run before its time
 */
export const runLine = async (
  options: AnswerOptions,
  work: (running: RunParts) => Promise<void>,
): Promise<number> => {
  const { command, journaling } = options
  const running = await RunParts.open(options)
  const { printing, context } = running
  let failed: unknown
  try {
    await work(running)
  } catch (error) {
    failed = error
  }
  await journaling.resumed?.journal.close()
  const wrote = isFullySent(options) && mayChangeInstance(command, journaling.raw.args)
  await running.close({ failed, code: printing.code }).catch((error: unknown) => {
    // An output that cannot be ended must not hide what ended the run, nor what the run has done.
    if (failed === undefined) failed = wrote ? toUnprintedRun(error, command) : error
    else if (isPartial(failed) && error instanceof Failure) context.ui.report(error)
  })
  if (failed !== undefined) throw failed
  return printing.code
}
