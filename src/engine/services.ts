/** The services of one run, put together: what a command is handed, and what carries out what it asks for. */

import { Failure } from '../errors.js'
import type { Ask } from '../http/types.js'
import { Printing, type RunAnswer } from './answer/printing.js'
import type { Engine } from './bulk/each.js'
import { BulkRunner } from './bulk/runner.js'
import { getCommandName } from './command/derive/index.js'
import type { Given, Plan } from './command/described.js'
import type { InstanceService, Many, Services } from './command/services.js'
import type { Operation } from './command/types.js'
import { Caller } from './instance/caller.js'
import { createExchange, type ExchangeServices } from './instance/exchange.js'
import { Lists } from './instance/listing.js'
import { Planning, type Reads } from './instance/planning.js'
import type { JournalParts } from './journaling/journaled-run.js'
import { isKept, recordFor } from './journaling/options.js'
import type { RunEnd, RunLineWithin, RunOptions, RunTyped, RunWithin, Streams } from './options.js'
import { Curl } from './perform/curl.js'
import { LiveInstance, liveHow } from './perform/live.js'
import type { Previews } from './perform/preview.js'
import { Requests } from './perform/requests.js'
import { UnsentInstance } from './perform/unsent.js'
import type { Wanted } from './plan/sources.js'
import { isRehearsal, sendsAll } from './preflight.js'
import { SingleBudget } from './records/budget.js'
import { createStreams, DeferredNotes, heardBy } from './streams.js'
import { loadChoice, loadSelection } from './targets/lazily.js'
import { type ListOver, listingOver } from './targets/listing.js'
import type { Selection } from './targets/selection.js'
import { Prompter } from './ui/prompter.js'
import type { Rounds } from './watch.js'
import { Sessions } from './workspace/sessions.js'
import { Workspace } from './workspace/workspace.js'

// The person of a run in which nothing is written: a secret need not be typed for it.

/** A secret's place is taken by its name. */
export class SilentPrompter extends Prompter {
  override async askSecret(_question: string, name: string): Promise<string> {
    return `<${name}>`
  }
}

// What a run has to do with those within it.

/** What runs others within this run, where the run was made with it. */
const withinOf = ({ within }: RunOptions): RunWithin => {
  if (within === undefined) throw new Failure('internal', 'nothing runs within this run')
  return within
}

/** What reads lines within this run, where the run was made with it. */
const lineOf = ({ runLine }: RunOptions): RunLineWithin => {
  if (runLine === undefined) throw new Failure('internal', 'no line is read within this run')
  return runLine
}

/** What does lines within this run that a person would have typed, where the run was made with it. */
const typedOf = ({ runTyped }: RunOptions): RunTyped => {
  if (runTyped === undefined) throw new Failure('internal', 'no line is run within this run')
  return runTyped
}

/** Who hears of a list, and how it ended. */
const listsEnd = ({ inner }: RunOptions, { later }: DeferredNotes) => ({
  later,
  ended: inner?.ended,
  asked: inner?.asked,
})

/** What carries requests out. */
export interface RunParts {
  readonly requests: Requests
  readonly lists: Lists
  readonly crowd: BulkRunner
  readonly answer: RunAnswer
  readonly globals: RunOptions['globals']
  /** How what an operation wants sent is sent. */
  readonly live: (operation: Operation) => Many
  /** `--curl`: prints requests. */
  readonly curl: Curl
  /** `--dry-run`: shows what would be written; undefined where it is. */
  readonly preview: (() => Promise<Previews>) | undefined
}

/** What a run is made of. */
export interface RunServices {
  readonly services: Services
  readonly parts: RunParts
  /** `--select`, of what was asked; undefined where nothing is to be selected. */
  readonly selection: (given: Given) => Promise<Selection | undefined>
  readonly listOver: ListOver
  /** The gate that all requests to the run's instance pass. */
  readonly gate: Engine['gate']
  /** Is told of each round, and tells the exit code. */
  readonly printing: Pick<Printing, 'begin' | 'code'>
  readonly rounds: Rounds
  readonly close: (end?: RunEnd) => Promise<void>
}

/** What planning reads on the way; nothing at all where nothing is sent. */
const readsOf = (exchange: ExchangeServices, options: RunOptions): Reads => {
  const nothing = async (): Promise<undefined> => undefined
  if (options.globals.curl) return { data: nothing, wanted: nothing, answers: false }
  return {
    data: async (ask: Ask) =>
      (await (await exchange.client(ask.endpoint)).call(await exchange.request(ask))).data,
    wanted: async ({ endpoint, request }: Wanted) =>
      (await (await exchange.client(endpoint)).call(request)).data,
    answers: sendsAll(options),
  }
}

/** Where the answer goes: to standard output, or among those of other instances. */
const answerOf = async (
  options: RunOptions,
  printing: Printing,
  screen: Streams,
  place: Workspace,
): Promise<RunAnswer> => {
  const { env, globals, part, words } = options
  if (globals.web && !globals.curl) {
    const baseUrl = async (): Promise<string> => (await place.session()).baseUrl
    const note = (text: string): void => screen.notes.note(text)
    const { WebPage } = await import('./answer/web-page.js')
    return new WebPage(printing, { env, baseUrl, note, words })
  }
  if (part === undefined) return printing
  const { PartOfInstance } = await import('./instances/merged.js')
  return new PartOfInstance(printing, part)
}

/** The room in which a run goes on: nothing is sent before a command asks for it. */
const roomOf = async (options: RunOptions, screen: Streams, { later }: DeferredNotes) => {
  const { globals, env, signal, inner } = options
  const sessions = inner?.sessions ?? new Sessions(options, screen.notes)
  const place = new Workspace(
    options,
    sessions,
    screen,
    async (ask) => (globals.curl ? undefined : exchange.glance(ask)),
    {
      command: (ask) => withinOf(options)(options, { sessions, gateOf: exchange.gateOf }, ask),
      line: (ask) => lineOf(options)(options, { sessions, gateOf: exchange.gateOf }, ask),
      typed: (ask) => typedOf(options)(options, { sessions, gateOf: exchange.gateOf }, ask),
    },
  )
  const printing = new Printing(options, screen, later, async () => (await place.session()).baseUrl)
  const answer = await answerOf(options, printing, screen, place)
  const exchange = createExchange({
    globals,
    env,
    signal,
    readOnly: inner?.readOnly ?? (options.command.readOnly === true || isRehearsal(options)),
    gateOf: inner?.gateOf,
    session: () => place.session(),
    snapshot: () => sessions.snapshot(),
    profile: () => place.profile(),
    own: options.own,
    remembers: sendsAll(options),
    unkept: place.unkept,
    screen: heardBy(screen, globals.verbose),
  })
  const ui = new (sendsAll(options) ? Prompter : SilentPrompter)(globals, screen, {
    command: options.command,
    owner: () => place.session(),
    glance: exchange.glance,
  })
  const budget = new SingleBudget(globals.limit !== undefined)
  return { sessions, place, printing, answer, exchange, ui, budget }
}

type Room = Awaited<ReturnType<typeof roomOf>>

type UnsentParts = ConstructorParameters<typeof UnsentInstance>[0]

/** What a command may ask the instance by itself: everything is sent, or nothing. */
const instanceOf = (
  { globals }: RunOptions,
  parts: ConstructorParameters<typeof LiveInstance>[0] & UnsentParts,
): InstanceService => (globals.curl ? new UnsentInstance(parts) : new LiveInstance(parts))

interface PreviewParts {
  readonly engine: Engine
  readonly exchange: ExchangeServices
  readonly sending: Caller
  readonly lists: Lists
}

/** `--dry-run`: what shows what would be written; undefined where it is. */
const previewOf = (options: RunOptions, { engine, exchange, sending, lists }: PreviewParts) => {
  if (!isRehearsal(options)) return undefined
  const { command, globals, words } = options
  return async () => {
    const { Previews } = await import('./perform/preview.js')
    return new Previews({
      exchange,
      sending,
      lists,
      crowd: new BulkRunner({ ...engine, listed: true }),
      answer: engine.answer,
      command,
      tolerates: globals.tolerate !== undefined,
      secrets: globals.showSecrets,
      words,
    })
  }
}

/** What keeps the journal of a run; nothing where nothing is written. */
const keeperOf = (
  options: RunOptions,
  { exchange, place, ui }: Pick<Room, 'exchange' | 'place' | 'ui'>,
  late: { readonly instance: () => InstanceService; readonly answered: JournalParts['answered'] },
): Pick<Engine, 'keeper' | 'resumed'> => {
  if (!sendsAll(options)) return {}
  const { command, globals, journaling, chosen } = options
  const keeper: Engine['keeper'] = (first, single, final) => {
    if (!isKept({ command, globals, journaling }, first)) return undefined
    return async () => {
      const { JournaledRun } = await import('./journaling/journaled-run.js')
      const selected = (plan: Plan): unknown => recordFor(chosen, plan)
      const parts = {
        command,
        globals,
        journaling,
        selected,
        place,
        ui,
        reads: exchange.once,
        admits: exchange.admits,
        single,
        final,
      }
      return JournaledRun.of(
        { ...parts, instance: late.instance(), answered: late.answered },
        first,
      )
    }
  }
  return { keeper, resumed: () => journaling.resumed }
}

/** What is said once all is done. */
const tellAfter = (below: DeferredNotes, sending: Caller, { note }: SingleBudget): void => {
  for (const { text, unknown } of sending.lines()) below.later(text, unknown ? 'warn' : 'note')
  if (note !== undefined) below.later(note)
}

/** The services of a run, made for its options. */
export const createServices = async (options: RunOptions): Promise<RunServices> => {
  const { globals, listed, signal } = options
  const screen = await createStreams(options)
  const below = new DeferredNotes(screen.notes)
  const room = await roomOf(options, screen, below)
  const { sessions, place, printing, answer, exchange, ui, budget } = room
  const reads = readsOf(exchange, options)
  const planning = new Planning(options, screen, place, reads)
  const choice = loadChoice(options, { ...room, planning, reads })
  const writer = { writer: answer.writer.bind(answer), ...listsEnd(options, below) }
  const lists = new Lists(globals, exchange.instance, writer, choice)
  const sending = new Caller(exchange, ui, answer, globals, options.words)
  const run = { command: getCommandName(options.command), gate: exchange.gate, signal, listed }
  const engine: Engine = { send: (plan) => sending.send(plan), answer, ui, globals, ...run }
  const keeper = keeperOf(options, room, {
    instance: () => instance,
    answered: () => planning.answered,
  })
  const crowd = new BulkRunner({ ...engine, ...keeper })
  const parts = { planning, sending, exchange, lists, crowd, ui, answer }
  const instance = instanceOf(options, parts)
  const preview = previewOf(options, { engine, exchange, sending, lists })
  const requests = new Requests(planning)
  const carrying = { requests, lists, crowd, answer, globals, preview, curl: new Curl(parts) }
  return {
    services: { instance, answer, ui, place },
    selection: loadSelection(options, { ...parts, reads, place }),
    parts: { ...carrying, live: (operation) => liveHow(parts, operation) },
    listOver: listingOver(options, { ...parts, place, requests, below, choice }),
    gate: exchange.gate,
    printing: budget.counting(printing),
    rounds: screen.rounds,
    close: async (end = { code: 0 }) => {
      tellAfter(below, sending, budget)
      await exchange.close()
      // Those of an outer run stay open for its next.
      if (options.inner?.sessions === undefined) await sessions.close()
      if (options.part === undefined) return screen.finish(() => below.say(), end)
      options.part.later(() => below.say())
    },
  }
}
