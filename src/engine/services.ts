/** The services of one run, put together: what a command is handed, and what carries out what it asks for. */

import type { Endpoint } from '../catalogue/endpoint.js'
import { exitCodes } from '../errors.js'
import { Printing, type RunAnswer } from './answer/printing.js'
import type { Engine } from './bulk/each.js'
import { BulkRunner } from './bulk/runner.js'
import { getCommandName, isRehearsal, sendsAll } from './command/derive/index.js'
import { concurrencyLimit } from './command/globals.js'
import type { InstanceService, Services } from './command/services.js'
import type { Plan } from './command/types.js'
import { Caller } from './instance/caller.js'
import { InstanceExchange } from './instance/exchange.js'
import { Lists } from './instance/listing.js'
import { Planning, type Reads } from './instance/planning.js'
import { isKept, recordFor } from './journaling/options.js'
import type { RunEnd, RunOptions, Streams } from './options.js'
import type { Curl } from './perform/curl.js'
import { LiveInstance } from './perform/live.js'
import type { Previews } from './perform/preview.js'
import { mayAskSingles, SingleBudget } from './records/budget.js'
import type { RecordChoice, RecordChoiceOptions } from './records/where.js'
import type { Rounds } from './repeat.js'
import { createStreams, DeferredNotes, heardBy } from './streams.js'
import { Prompter, SilentPrompter } from './workspace/prompter.js'
import { Sessions, Workspace } from './workspace/workspace.js'

/** How single records are read, beside the lists that they come from. */
type SingleReads = Pick<RecordChoiceOptions, 'planned' | 'data' | 'failed' | 'width'>

/** What a run is made of. */
export interface RunParts {
  readonly options: RunOptions
  readonly services: Services
  readonly place: Workspace
  readonly answer: RunAnswer
  readonly ui: Prompter
  readonly exchange: InstanceExchange
  readonly planning: Planning
  readonly sending: Caller
  readonly lists: Lists
  /** Which records of a list are wanted; undefined where all are. */
  readonly choice: (endpoint?: Endpoint) => Promise<RecordChoice | undefined>
  readonly singles: SingleReads
  readonly crowd: BulkRunner
  /** A line that stands below the output. */
  readonly later: DeferredNotes['later']
  /** `--curl`: prints requests. */
  readonly curl: Curl | undefined
  /** `--dry-run`: shows what would be written; undefined where it is. */
  readonly preview: (() => Promise<Previews>) | undefined
  /** Is told of each round, and tells the exit code. */
  readonly printing: Pick<Printing, 'begin' | 'code'>
  readonly rounds: Rounds
  readonly close: (end?: RunEnd) => Promise<void>
}

/** What planning reads on the way; nothing at all where nothing is sent. */
const readsOf = (exchange: InstanceExchange, options: RunOptions): Reads => {
  const nothing = async (): Promise<undefined> => undefined
  if (options.globals.curl) return { data: nothing, wanted: nothing, answers: false }
  return {
    data: async (ask) =>
      (await (await exchange.client(ask.endpoint)).call(await exchange.request(ask))).data,
    wanted: async ({ endpoint, request }) =>
      (await (await exchange.client(endpoint)).call(request)).data,
    answers: sendsAll(options),
  }
}

/** Where the answer goes: to standard output, or among those of other instances. */
const answerOf = async (
  { env, globals, part, words }: RunOptions,
  printing: Printing,
  screen: Streams,
  place: Workspace,
): Promise<RunAnswer> => {
  if (globals.web && !globals.curl) {
    const baseUrl = async (): Promise<string> => (await place.session()).baseUrl
    const note = (text: string): void => screen.notes.note(text)
    const { WebPage } = await import('./answer/file.js')
    return new WebPage(printing, { env, baseUrl, note, words })
  }
  if (part === undefined) return printing
  const { PartOfInstance } = await import('./merged-answer.js')
  return new PartOfInstance(printing, part)
}

/** Which records the lists of a run give: nothing of it is loaded before a list asks. */
const choosing =
  (
    { command, globals, signal, words }: RunOptions,
    singles: SingleReads,
    budget: SingleBudget,
  ): RunParts['choice'] =>
  async (endpoint) => {
    const { where } = globals
    if (where === undefined) {
      if (!mayAskSingles(command, globals)) return undefined
      const { getSingleFields } = await import('./records/single.js')
      const emit = endpoint === undefined ? {} : { endpoint }
      if ((await getSingleFields({ command, emit, words }, globals)) === undefined) return undefined
    }
    const { RecordChoice } = await import('./records/where.js')
    const asked = { paging: globals, asked: globals, budget, signal, words }
    return new RecordChoice(where ?? [], { command, ...asked, ...singles })
  }

/** `--dry-run`: what shows what would be written; undefined where it is. */
const previewOf = (
  options: RunOptions,
  engine: Engine,
  parts: Pick<RunParts, 'answer' | 'exchange' | 'sending' | 'lists'>,
): RunParts['preview'] => {
  if (!isRehearsal(options)) return undefined
  const { command, globals, words } = options
  return async () => {
    const { Previews } = await import('./perform/preview.js')
    const crowd = new BulkRunner({ ...engine, listed: true })
    const shown = { tolerates: globals.tolerate !== undefined, secrets: globals.showSecrets }
    return new Previews({ ...parts, ...shown, crowd, command, words })
  }
}

/** What keeps the journal of a run. */
const keeperOf =
  (
    { command, globals, journaling, chosen }: RunOptions,
    parts: Pick<RunParts, 'exchange' | 'place' | 'planning' | 'ui'>,
    instance: () => InstanceService,
  ): Engine['keeper'] =>
  (first, single, final) => {
    if (!isKept({ command, globals, journaling }, first)) return undefined
    return async () => {
      const { JournaledRun } = await import('./journaling/journaled-run.js')
      const { exchange, place, planning, ui } = parts
      const run = { command, globals, journaling, place, ui, single, final, instance: instance() }
      const selected = (plan: Plan): unknown => recordFor(chosen, plan)
      const answered = () => planning.answered
      const { once: reads, admits } = exchange
      return JournaledRun.of({ ...run, selected, reads, admits, answered }, first)
    }
  }

/** The room in which a run goes on: its screen, its session, its instance and its answer. */
const openRoom = async (options: RunOptions) => {
  const { command, env, globals, inner, signal } = options
  const sends = sendsAll(options)
  const screen = await createStreams(options)
  const below = new DeferredNotes(screen.notes)
  const sessions = inner?.sessions ?? new Sessions(options, screen.notes)
  const place: Workspace = new Workspace(options, sessions, screen, () => exchange)
  const exchange: InstanceExchange = new InstanceExchange({
    globals,
    env,
    signal,
    readOnly: inner?.readOnly ?? (command.readOnly === true || isRehearsal(options)),
    gateOf: inner?.gateOf,
    session: () => place.session(),
    snapshot: () => sessions.snapshot(),
    profile: () => place.profile(),
    own: options.own,
    remembers: sends,
    unkept: place.unkept,
    screen: heardBy(screen, globals.verbose),
  })
  const address = async (): Promise<string> => (await place.session()).baseUrl
  const printing = new Printing(options, screen, below.later, address)
  const answer = await answerOf(options, printing, screen, place)
  const owner = () => place.session()
  const subject = { command, owner, glance: exchange.glance }
  const ui = new (sends ? Prompter : SilentPrompter)(globals, screen, subject)
  const budget = new SingleBudget(globals.limit !== undefined)
  return { screen, below, sessions, place, exchange, printing, answer, ui, budget }
}

type Room = Awaited<ReturnType<typeof openRoom>>

/** Says what stands below the output, once all is done, and ends the answer. */
const closing =
  ({ inner, part }: RunOptions, room: Room, sending: Caller): RunParts['close'] =>
  async (end = { code: 0 }) => {
    const { below, budget, exchange, screen, sessions } = room
    for (const { text, unknown } of sending.lines()) below.later(text, unknown ? 'warn' : 'note')
    if (budget.note !== undefined) below.later(budget.note)
    await exchange.close()
    // Those of an outer run stay open for its next.
    if (inner?.sessions === undefined) await sessions.close()
    if (part === undefined) return screen.finish(() => below.say(), end)
    part.later(() => below.say())
  }

/** How the lists of a run read single records. */
const singlesOf = (
  { globals }: RunOptions,
  { answer, ui }: Room,
  planning: Planning,
  { data }: Reads,
): SingleReads => ({
  width: concurrencyLimit(globals),
  planned: (other, given) => planning.ofCommand(other, given),
  data,
  failed: (text, failure) => {
    ui.report(failure, text)
    answer.exit(exitCodes.partial)
  },
})

/** The services of a run, made for its options: nothing is sent before a command asks for it. */
export const createServices = async (options: RunOptions): Promise<RunParts> => {
  const { command, globals, inner, journaling, listed, signal, words } = options
  const room = await openRoom(options)
  const { answer, below, budget, exchange, place, screen, ui } = room
  const reads = readsOf(exchange, options)
  const planning = new Planning(options, screen, place, reads)
  const singles = singlesOf(options, room, planning, reads)
  const choice = choosing(options, singles, budget)
  const writer = answer.writer.bind(answer)
  const heard = { writer, later: below.later, ended: inner?.ended, asked: inner?.asked }
  const lists = new Lists(globals, exchange.instance, heard, choice)
  const sending = new Caller(exchange, ui, answer, globals, words)
  const run = { command: getCommandName(command), gate: exchange.gate, signal, listed }
  const engine: Engine = { send: (plan) => sending.send(plan), answer, ui, globals, ...run }
  const keeper = keeperOf(options, { ...room, planning }, () => instance)
  const resumed = () => journaling.resumed
  const crowd = new BulkRunner(sendsAll(options) ? { ...engine, keeper, resumed } : engine)
  const parts = { planning, sending, exchange, lists, crowd, ui, answer }
  const printed = globals.curl ? await import('./perform/curl.js') : undefined
  const instance: InstanceService =
    printed === undefined ? new LiveInstance(parts) : new printed.UnsentInstance(parts)
  const around = { options, place, singles, choice, later: below.later }
  return {
    ...parts,
    ...around,
    services: { instance, answer, ui, place },
    preview: previewOf(options, engine, parts),
    curl: printed && new printed.Curl(parts),
    printing: budget.counting(room.printing),
    rounds: screen.rounds,
    close: closing(options, room, sending),
  }
}
