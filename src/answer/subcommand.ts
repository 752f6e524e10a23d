/** Runs a command within another: asked by data, on the same session and through the same gate, its answer kept. */

import type { Stdout } from '../base/io.js'
import type { Records } from '../base/json/records.js'
import type { JsonValue, JsonValues } from '../base/objects.js'
import type { Prompts } from '../base/prompts.js'
import { suggestSimilar } from '../base/suggest.js'
import { coerce, dataSource } from '../catalogue/coerce.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import { isNumeric, type Param } from '../catalogue/params.js'
import { createNameConflictFailure, type Words } from '../catalogue/words.js'
import { deriveWithoutSpecial, getCommandName } from '../engine/command/derive.js'
import { type Datum, getData } from '../engine/command/flags.js'
import { type Globals, reachingFlags, readGlobals } from '../engine/command/globals.js'
import type { PipedInput, RunMode, WithinAnswer, WithinAsk } from '../engine/command/services.js'
import type { Command, CommandFacts, Given } from '../engine/command/types.js'
import { toNeutralGiven, translateCommand } from '../engine/command/vocabulary.js'
import { loadOwnWords } from '../engine/command/words.js'
import { ChosenRecords, type SharedServices } from '../engine/options.js'
import { checkCoercedValue, type TakeNote } from '../engine/plan/values.js'
import { checkRunFlags } from '../engine/run.js'
import { exitCodes, Failure, usage } from '../errors.js'
import { formatNamed } from '../output/formats.js'
import { createLineEncoder, encode } from '../output/json.js'
import type { Format } from '../output/types.js'
import { createMeter } from '../terminal/progress.js'
import { getStandardError } from '../terminal/standard.js'
import { createStyle } from '../terminal/style.js'
import { getRunFailure } from './failure-report.js'
import type { AnswerOptions, Streams } from './options.js'
import { RunParts } from './run-parts.js'

// The screen of a run within another: nobody sits before it, and what it prints is kept.

const refusePrompt = async (): Promise<never> => {
  throw new Failure('internal', 'a prompt in a run without prompts')
}
const prompts: Prompts = {
  confirm: refusePrompt,
  typed: refusePrompt,
  secret: refusePrompt,
  text: refusePrompt,
  select: refusePrompt,
  selectMany: refusePrompt,
}

/** A screen, and what came to stand on it. */
interface KeptScreen {
  readonly streams: Streams
  readonly notes: readonly string[]
  /** The failures that were reported of single objects. */
  readonly failures: readonly Failure[]
}

/**
 * Creates a format that writes nothing, but gives each record away as it would be printed.
 * @param give takes its bytes, and the column of what it belongs to where several parents are read
 */
export const createGivingFormat = (
  give: (record: Uint8Array, column: string | undefined) => void,
): Format => ({
  ...formatNamed('ndjson'),
  load: async () => (_sink, view) => {
    const [column] = view.parents ?? []
    const lines = createLineEncoder(view)
    const bytes = async (batch: Records): Promise<void> => {
      for (const line of lines(batch)) give(line, column)
    }
    return { bytes, values: (batch) => bytes(batch.map(encode)), close: async () => {} }
  },
})

/** The output of such a run, which refuses text: where records are wanted, it would be lost. */
const out: Stdout = {
  write: async () => {
    throw usage('this command prints text, not records')
  },
  end: async () => {},
}

export const createKeptScreen = async (): Promise<KeptScreen> => {
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
    meter: createMeter({ name: '', liveness: 'off', stream: getStandardError() }),
    liveness: 'off',
    polls: { between: async () => {}, end: async () => {} },
    interactive: () => false,
    finish: async (say) => say(),
  }
  return { streams, notes, failures }
}

const refuseInput = (): never => {
  throw usage('nothing can be read from standard input here')
}

/** Standard input is whose the outer run is. */
const nothing: PipedInput = {
  text: async () => refuseInput(),
  chunks: refuseInput,
  endsSoon: async () => refuseInput(),
}

/** Creates the flags of a run within another: of what was typed for that, only how the instance is reached. */
const createInnerGlobals = (
  outer: Globals,
  { fields, manner, page, perPage }: WithinAsk,
): Globals => {
  const reached = Object.fromEntries(
    reachingFlags.flatMap((name) => (outer[name] === undefined ? [] : [[name, outer[name]]])),
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

/** Returns the variables that are about how the machine reaches others, without those that are meant for a line of the tool. */
export const getInnerEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(?:SVC_(?!CONFIG_DIR$)|CI$|CI_)/.test(name)),
  )

/** Removes the dry run of the API from an endpoint, so that --dry-run sends no write here. */
const removeRehearsal = ({ rehearses: _, ...endpoint }: Endpoint): Endpoint => endpoint
export const removeRehearsals = (command: Command): Command => ({
  ...command,
  endpoints: Object.fromEntries(
    Object.entries(command.endpoints).map(([key, one]) => [key, removeRehearsal(one)]),
  ),
})

/** Finds the command that is meant, as its instance has it. */
const findAskedCommand = async (
  { command, plain, manner }: WithinAsk,
  { own, command: { registry } }: AnswerOptions,
): Promise<{ readonly command: Command; readonly words?: Words }> => {
  const found = await registry.named(command.area, command.words)
  if (found === undefined)
    throw new Failure('internal', `there is no ${command.area} ${command.words}`)
  const plainly = plain === true ? { ...deriveWithoutSpecial(found), registry } : found
  const one = manner === 'tries' ? removeRehearsals(plainly) : plainly
  const words = own && (await loadOwnWords(one, own))
  return { command: words === undefined ? one : translateCommand(one, words, []), words }
}

interface ParsedCommand {
  readonly command: Command
  readonly words?: Words
  readonly given: Given
}

/** Parses what is asked of the command, which may be by names and values that only its instance has. */
const parseCommandAsk = async (
  ask: WithinAsk,
  outer: AnswerOptions,
  note: (text: string) => void,
): Promise<ParsedCommand> => {
  const inWords = await findAskedCommand(ask, outer)
  const known = () => import('../engine/command/known.js')
  const beyond = async () => (await known()).withKnown(inWords.command, outer.globals, outer.env)
  const { fields } = ask
  const asked = (command: Command): ParsedCommand => {
    const given = parseGivenInWords(command, ask.values, inWords.words, note)
    const args = [...given.args, ...(ask.args ?? [])]
    return { ...inWords, command, given: { ...given, args } }
  }
  if (fields !== undefined && (await (await known()).hasUnknownField(inWords.command, fields)))
    return asked(await beyond())
  try {
    return asked(inWords.command)
  } catch (error) {
    const command = await beyond()
    if (command === inWords.command) throw error
    return asked(command)
  }
}

const sends: Readonly<Record<RunMode, boolean | 'marked'>> = {
  checks: true,
  reads: 'marked',
  tries: true,
  writes: false,
}

interface InnerRun extends Pick<AnswerOptions, 'command' | 'globals' | 'words'> {
  readonly ask: WithinAsk
  readonly format: Format
  readonly screen: KeptScreen
  readonly ended: (more: boolean) => void
}

const createInnerOptions = (
  outer: AnswerOptions,
  sharing: SharedServices,
  { ask, command, format, globals, words, screen, ended }: InnerRun,
): AnswerOptions => {
  const { own } = outer
  return {
    command,
    globals,
    format,
    env: getInnerEnvironment(outer.env),
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
    chosen: new ChosenRecords(),
    inner: { ...sharing, screen: screen.streams, readOnly: sends[ask.manner], ended },
  }
}

/** Does it. @returns its exit code */
const runParsedCommand = async (options: AnswerOptions, given: Given): Promise<number> => {
  const { command, globals, words } = options
  const running = await RunParts.open(options)
  const { services } = running
  try {
    await checkRunFlags({ command, globals, ui: services.ui, words }, [])
    await running.print(running.rowsOf(given))
  } finally {
    await running.close()
  }
  return running.printing.code
}

/** Runs a command within a run. */
export const runWithin = async (
  outer: AnswerOptions,
  sharing: SharedServices,
  ask: WithinAsk,
): Promise<WithinAnswer> => {
  const records: Uint8Array[] = []
  const screen = await createKeptScreen()
  const format = createGivingFormat((bytes) => records.push(Buffer.from(bytes)))
  let more = false
  let asked: WithinAnswer['asked']
  const said = (code: number, thrown?: Failure): WithinAnswer => {
    const { failures, notes } = screen
    // What could be read is no less true for what could not.
    const part = code === exitCodes.partial && records.length > 0
    const failure = thrown ?? (part ? undefined : failures[0])
    const unread = part ? failures.map(({ message }) => `not read: ${message}`) : []
    return { asked, records, more, notes: [...unread, ...notes], code, failure }
  }
  try {
    const note = (text: string): void => screen.streams.notes.note(text)
    const { command, ...inWords } = await parseCommandAsk(ask, outer, note)
    const { given } = inWords
    asked = { command, given }
    if (ask.manner === 'checks') return said(0)
    const globals = createInnerGlobals(outer.globals, ask)
    const ended = (goesOn: boolean): void => {
      more = goesOn
    }
    const made = { ask, command, format, ...inWords, globals, screen, ended }
    const options = createInnerOptions(outer, sharing, made)
    return said(await runParsedCommand(options, given))
  } catch (error) {
    const failure = getRunFailure({ error, interrupted: ask.signal.aborted })
    return said(failure.exitCode, failure)
  }
}

// What was asked by data in the words of the instance, by the names of the documents.

/**
 * Checks a value by its parameter; it is what it is: a text names no file, no variable and no stream, whatever it begins
 * with.
 * @throws Failure `usage` naming what it takes
 */
const checkDataValue = (param: Param, value: JsonValue, label: string, note: TakeNote): JsonValue =>
  checkCoercedValue(coerce(param, value, dataSource), label, { note })

/** @throws Failure `usage` for a name that the command does not have */
const checkNames = (command: CommandFacts, data: readonly Datum[], values: JsonValues): void => {
  const names = data.map(({ name }) => name)
  const strange = Object.keys(values).find((name) => !names.includes(name))
  if (strange === undefined) return
  const takes = names.length === 0 ? 'it takes none' : `its arguments are ${names.join(', ')}`
  throw usage(
    `${getCommandName(command)} has no argument "${strange}"; ${takes}`,
    suggestSimilar(strange, names),
  )
}

/** Returns the texts that stand by position, in order: none behind one that lacks. */
const getPositionalTexts = (
  data: readonly Datum[],
  values: JsonValues,
  note: TakeNote,
): readonly string[] => {
  const all = data.filter(({ flag }) => flag === undefined)
  const texts = all.map(({ name, param }) => {
    const value = values[name]
    if (value === undefined) return undefined
    // A reference, or a username: planning knows whether the command takes it.
    if (isNumeric(param) && typeof value === 'string') return value
    const checked = checkDataValue(param, value, name, note)
    return typeof checked === 'string' ? checked : JSON.stringify(checked)
  })
  const missing = texts.indexOf(undefined)
  const lacking = texts.slice(missing).some((text) => text !== undefined)
  if (missing >= 0 && lacking) throw usage(`${all[missing]?.name} is missing`)
  return texts.flatMap((text) => text ?? [])
}

/**
 * Parses what was asked of a command by data.
 * @param values by the names of `getData`
 * @throws Failure `usage` for a name that it does not have, and a value that its parameter does not take
 */
export const parseDataGiven = (
  command: CommandFacts,
  values: JsonValues,
  note: TakeNote,
): Given => {
  const data = getData(command)
  checkNames(command, data, values)
  const flags = data.flatMap(({ name, param, flag }) => {
    const value = values[name]
    if (flag === undefined || value === undefined) return []
    return [[flag.name, checkDataValue(param, value, name, note)] as const]
  })
  return {
    args: getPositionalTexts(data, values, note),
    flags: Object.fromEntries(flags),
    extra: {},
  }
}

/**
 * Translates names into those of the documents; a name that the documents have stands for itself.
 * @throws Failure `usage` where one thing stands there by two names
 */
const toDocumentedNames = (command: CommandFacts, values: JsonValues, words: Words): JsonValues => {
  const names = new Set(getData(command).map(({ name }) => name))
  const written = new Map<string, string>()
  for (const own of Object.keys(values)) {
    const neutral = words.neutral(own)
    const name = names.has(own) || !names.has(neutral) ? own : neutral
    const before = written.get(name)
    if (before !== undefined) throw createNameConflictFailure(own, before)
    written.set(name, own)
  }
  return Object.fromEntries([...written].map(([name, own]) => [name, values[own]]))
}

/**
 * Parses what was asked of a command by data: each thing by the instance's name, or by that of the documents.
 * @throws Failure `usage` for a name that it does not have, and a value that its parameter does not take
 */
const parseGivenInWords = (
  command: CommandFacts,
  values: JsonValues,
  words: Words | undefined,
  note: (text: string) => void,
): Given => {
  if (words === undefined) return parseDataGiven(command, values, note)
  const given = parseDataGiven(command, toDocumentedNames(command, values, words), note)
  return toNeutralGiven(given, { flags: new Map() }, command, words)
}
