/** Runs a command within another: asked by data, on the same session and through the same gate, its answer kept. */
import { splitBelow } from '../base/json/below.js'
import type { Endpoint, Endpoints } from '../catalogue/endpoint.js'
import type { Words } from '../catalogue/words.js'
import { exitCodes, Failure, usage } from '../errors.js'
import { formatNamed } from '../output/formats.js'
import { encode, liner } from '../output/json/bytes.js'
import type { Format } from '../output/types.js'
import type { Prompts } from '../terminal/questions/prompts.js'
import { createMeter } from '../terminal/streams/meter.js'
import { standardError } from '../terminal/streams/standard.js'
import type { Stdout } from '../terminal/streams/stdout.js'
import { createStyle } from '../terminal/text/style.js'
import { calls, getCommandName, lists, onlyReads, withoutSpecial } from './command/derive/index.js'
import type { Given } from './command/described.js'
import { type Globals, readGlobals, spelledGlobal } from './command/globals.js'
import { isAggregate } from './command/many-flags.js'
import type {
  LineAnswer,
  LineAsk,
  Manner,
  Piped,
  WithinAnswer,
  WithinAsk,
} from './command/services.js'
import type { Command } from './command/types.js'
import { failureIn } from './failed.js'
import type {
  AskedLine,
  InnerLine,
  InnerPart,
  RunLineWithin,
  RunOptions,
  RunWithin,
  Sharing,
  Streams,
} from './options.js'
import { commandIn } from './own/command.js'
import { ownWords } from './own/found.js'
import { Printed } from './perform/unsent.js'
import { givenInWords } from './plan/data.js'
import { everybodys, parseGlobals } from './plan/given.js'
import type { Meant, Raw } from './plan/line.js'
import { preflight } from './preflight.js'
import { startRun } from './run.js'

// The screen of a run within another: nobody sits before it, and what it prints is kept.

const nobody = async (): Promise<never> => {
  throw new Failure('internal', 'a prompt in a run without prompts')
}
const prompts: Prompts = {
  confirm: nobody,
  typed: nobody,
  secret: nobody,
  text: nobody,
  select: nobody,
  selectMany: nobody,
}

/** A screen, and what came to stand on it. */
interface KeptScreen {
  readonly streams: Streams
  readonly notes: readonly string[]
  /** What was reported of single objects. */
  readonly failures: readonly Failure[]
}

/**
 * A format that writes nothing, but gives each record away as it would be printed.
 * @param give takes its bytes, and the column of what it belongs to where several parents are read
 */
const givenAway = (give: (record: Uint8Array, column: string | undefined) => void): Format => ({
  ...formatNamed('ndjson'),
  load: async () => (_sink, view) => {
    const [column] = view.parents ?? []
    const lines = liner(view)
    const bytes = async (batch: readonly Uint8Array[]): Promise<void> => {
      for (const line of lines(batch)) give(line, column)
    }
    return { bytes, values: (batch) => bytes(batch.map(encode)), close: async () => {} }
  },
})

/** Tells records from what they belong to, and leaves out what could not be read. */
const splitting =
  (take: LineAsk['take']) =>
  (bytes: Uint8Array, column: string | undefined): void => {
    if (column === undefined) return void take(bytes, undefined)
    const below = splitBelow(bytes, column)
    if (below !== undefined) take(below.record, { column, name: below.name })
  }

/** Where records are wanted, text would be lost. */
const out: Stdout = {
  write: async () => {
    throw usage('this command prints text, not records')
  },
  end: async () => {},
}

const keptScreen = async (): Promise<KeptScreen> => {
  const [notes, failures]: [string[], Failure[]] = [[], []]
  const style = await createStyle({}, {}, 'never')
  const say = (text: string): void => {
    notes.push(text)
  }
  const streams: Streams = {
    style,
    width: style.width,
    out,
    plain: out,
    notes: {
      note: (text) => say([text].flat().join('\n')),
      warn: say,
      report: (failure, of) => {
        const { category, message, details } = failure
        failures.push(
          of === undefined ? failure : new Failure(category, `${of}: ${message}`, details),
        )
      },
    },
    prompts,
    meter: createMeter({ name: '', liveness: 'off', stream: standardError() }),
    liveness: 'off',
    rounds: { between: async () => {}, end: async () => {} },
    interactive: () => false,
    finish: async (say) => say(),
  }
  return { streams, notes, failures }
}

/** Standard input is whose the outer run is. */
const nothing: Piped = {
  text: async () => {
    throw usage('nothing can be read from standard input here')
  },
  chunks: () => {
    throw usage('nothing can be read from standard input here')
  },
}

/** Flags of the outer run that say how its instance is reached. */
const shared = [
  'baseUrl',
  'concurrency',
  'insecure',
  'profile',
  'rate',
  'retries',
  'sandbox',
  'sudo',
  'timeout',
] as const satisfies readonly (keyof Globals)[]

/** The flags of a run within another: of what was typed for that, only how the instance is reached. */
const globalsFor = (outer: Globals, { fields, manner, page, perPage }: WithinAsk): Globals => {
  const reached = Object.fromEntries(
    shared.flatMap((name) => (outer[name] === undefined ? [] : [[name, outer[name]]])),
  )
  return {
    ...readGlobals(new Map(), {}, () => undefined),
    ...reached,
    output: 'ndjson',
    dryRun: manner === 'tries',
    // Whoever asks by data hears whether the instance took all of it.
    strict: manner === 'writes',
    fields,
    page,
    perPage,
  }
}

/** What of the environment is about how the machine reaches others; what is meant for a line of the tool is not. */
const environmentFor = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(?:SVC_(?!CONFIG_DIR$)|CI$|CI_)/.test(name)),
  )

/** An endpoint without the dry run of the API, so that --dry-run sends no write here. */
const unrehearsed = ({ rehearses: _, ...endpoint }: Endpoint): Endpoint => endpoint
const tried = (endpoints: Endpoints): Endpoints =>
  Object.fromEntries(Object.entries(endpoints).map(([key, one]) => [key, unrehearsed(one)]))

/** The command that is meant, as its instance has it. */
const meant = async (
  { command, plain, manner }: WithinAsk,
  { own, command: { registry } }: RunOptions,
): Promise<{ readonly command: Command; readonly words?: Words }> => {
  const found = await registry.named(command.area, command.words)
  if (found === undefined)
    throw new Failure('internal', `there is no ${command.area} ${command.words}`)
  const plainly = plain === true ? { ...withoutSpecial(found), registry } : found
  const one = manner === 'tries' ? { ...plainly, endpoints: tried(plainly.endpoints) } : plainly
  const { words } = own === undefined ? {} : await ownWords(one, own)
  return words === undefined ? { command: one } : { command: commandIn(one, words, []), words }
}

const sends: Readonly<Record<Manner, boolean | 'marked'>> = {
  reads: 'marked',
  tries: true,
  writes: false,
}

interface Inner extends Pick<RunOptions, 'command' | 'globals' | 'words'> {
  readonly ask: WithinAsk
  readonly format: Format
  readonly screen: KeptScreen
  readonly ended: (more: boolean) => void
}

const optionsFor = (
  outer: RunOptions,
  sharing: Sharing,
  { ask, command, format, globals, words, screen, ended }: Inner,
): RunOptions => {
  const { own } = outer
  return {
    command,
    globals,
    format,
    env: environmentFor(outer.env),
    signal: ask.signal,
    stdin: nothing,
    own,
    words,
    listed: false,
    journaling: {
      source: 'arguments',
      raw: { args: [], flags: new Map() },
      several: false,
      digests: new Map(),
    },
    chosen: new Map(),
    inner: { ...sharing, screen: screen.streams, readOnly: sends[ask.manner], ended },
  }
}

/** Does it. @returns its exit code */
const act = async (options: RunOptions, given: Given): Promise<number> => {
  const { command, globals, words } = options
  const running = await startRun(options)
  const { services } = running
  try {
    await preflight({ command, globals, ui: services.ui, words }, [])
    if (command.run !== undefined) await command.run(services, given)
    else await running.perform(given, (await command.operation?.(services, given)) ?? {})
  } catch (error) {
    if (!(error instanceof Printed)) throw error
  } finally {
    await running.close()
  }
  return running.printing.code
}

export const runWithin: RunWithin = async (outer, sharing, ask): Promise<WithinAnswer> => {
  const records: Uint8Array[] = []
  const screen = await keptScreen()
  const format = givenAway((bytes) => records.push(Buffer.from(bytes)))
  let more = false
  let given: Given | undefined
  const said = (code: number, thrown?: Failure): WithinAnswer => {
    const { failures, notes } = screen
    // What could be read is no less true for what could not.
    const part = code === exitCodes.partial && records.length > 0
    const failure = thrown ?? (part ? undefined : failures[0])
    const unread = part ? failures.map(({ message }) => `not read: ${message}`) : []
    return {
      given,
      records,
      more,
      notes: [...unread, ...notes],
      code,
      failure,
    }
  }
  try {
    const { command, ...inWords } = await meant(ask, outer)
    const note = (text: string): void => screen.streams.notes.note(text)
    given = givenInWords(command, ask.values, inWords.words, note)
    const globals = globalsFor(outer.globals, ask)
    const ended = (goesOn: boolean): void => {
      more = goesOn
    }
    const options = optionsFor(outer, sharing, {
      ask,
      command,
      format,
      ...inWords,
      globals,
      screen,
      ended,
    })
    return said(await act(options, given))
  } catch (error) {
    const failure = failureIn({ error, interrupted: ask.signal.aborted, argv: [], how: undefined })
    return said(failure.exitCode, failure)
  }
}

// Lines: understood as ever, and answered as programs have it.

/** A flag of the outer run as a word. */
const flagWord = (name: keyof Globals, value: unknown): readonly string[] => {
  const flag = spelledGlobal(name)
  if (typeof value === 'boolean') return value ? [flag] : []
  return value === undefined ? [] : [`${flag}=${String(value)}`]
}

/** The flags by which the instance is reached, as words. */
const reachedBy = (outer: Globals, from: string | undefined): readonly string[] => [
  ...flagWord('tolerate', outer.tolerate),
  ...(from === undefined
    ? shared.flatMap((name) => flagWord(name, outer[name]))
    : flagWord('from', from)),
]

/** @throws Failure `usage` for a line that does more than read, or says how it is to be answered */
const checkLine = ({ command, raw }: Extract<Meant, { kind: 'run' }>, ask: LineAsk): void => {
  const name = getCommandName(command)
  if (!onlyReads(command) || !calls(command))
    throw usage(`${name} is not a command that reads from the API`)
  if (ask.where !== undefined && !lists(command)) throw usage(`${name} is not a list`)
  if (raw.args.includes('-') || [...raw.flags.values()].flat().includes('-'))
    throw usage(`${name} cannot read from standard input here`)
  const own = new Set(command.flags.map((flag) => flag.name))
  for (const flag of raw.flags.keys())
    if (!own.has(flag) && !ask.allowed.includes(flag))
      throw usage(
        `--${flag} is not allowed here`,
        `Allowed are the filters of ${name} and ${ask.allowed.map((one) => `--${one}`).join(', ')}.`,
      )
}

/** The columns of the groups that a line makes; nothing where it makes none. */
const groupsIn = async (command: Command, raw: Raw): Promise<Pick<LineAnswer, 'columns'>> => {
  const globals = parseGlobals(everybodys(command, raw), {}, () => undefined)
  if (!isAggregate(globals)) return {}
  const { groupColumns } = await import('./records/aggregate.js')
  return { columns: groupColumns(globals) }
}

/** @param run runs a line that is understood */
export const runLineWithin = async (
  parse: AskedLine['parse'],
  run: (line: AskedLine, part: undefined, inner: InnerLine) => Promise<number>,
  ...[outer, sharing, ask]: Parameters<RunLineWithin>
): Promise<LineAnswer> => {
  const screen = await keptScreen()
  const { notes, failures } = screen
  const from = ask.from ?? outer.globals.from
  let said: Pick<LineAnswer, 'columns' | 'command' | 'plan'> = {}
  try {
    const alone = await parse(ask.words)
    if (alone.kind !== 'run') throw usage('this is not a command that reads from the API')
    checkLine(alone, ask)
    const { command } = alone
    said = { command, ...(await groupsIn(command, alone.raw)) }
    const where = (ask.where ?? []).map((text) => `--where=${text}`)
    const whole = lists(command) ? ['--limit=all', ...where] : []
    const words = [...ask.words, ...reachedBy(outer.globals, from), ...whole]
    const meant = await parse(words)
    if (meant.kind !== 'run') throw new Failure('internal', `${ask.words.join(' ')} is no line`)
    const { env } = outer
    // Each run listens to it: those of a long walk would be too many for one signal.
    const signal = AbortSignal.any([outer.signal])
    const part: InnerPart = {
      ...(from === outer.globals.from ? sharing : { gateOf: sharing.gateOf }),
      screen: screen.streams,
      readOnly: 'marked',
      ended: () => {},
      asked: (plan) => {
        said = { ...said, plan }
      },
      parents: ask.parents,
    }
    const line = { ...meant, signal, parse, decided: () => {} }
    const code = await run(line, undefined, {
      part,
      format: givenAway(splitting(ask.take)),
      env: environmentFor(env),
    })
    // What ends so must not pass for a whole answer, whether or not it was told of.
    const gap = failures[0] ?? new Failure('partial', 'the answer is incomplete')
    return { ...said, notes, code, failure: code === 0 ? undefined : gap }
  } catch (error) {
    const failure = failureIn({
      error,
      interrupted: outer.signal.aborted,
      argv: [],
      how: undefined,
    })
    return { ...said, notes, code: failure.exitCode, failure }
  }
}
