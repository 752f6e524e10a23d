/** Runs a command or a line inside another run, with the same session and the same gate. */

import { splitWrapped } from '../base/json/records.js'
import { mapValues } from '../base/objects.js'
import { insertFlags } from '../base/shell-words.js'
import { StandardInput } from '../base/standard-input.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import type {
  InnerAnswer,
  LineAnswer,
  PipedInput,
  ReadingLine,
  RunMode,
  SubcommandCall,
  TypedLine,
} from '../engine/command/context.js'
import { canListRecords, deriveWithoutSpecial } from '../engine/command/derive.js'
import { type Globals, isAggregate, readGlobals, toFlagWords } from '../engine/command/globals.js'
import { toOwnCommand } from '../engine/command/load-words.js'
import type { Command, Given } from '../engine/command/types.js'
import { ChosenRecords, type InnerPart } from '../engine/options.js'
import { parseGlobals } from '../engine/plan/given.js'
import { checkRunFlags } from '../engine/run.js'
import { exitCodes, Failure } from '../errors.js'
import { parseGivenInWords } from './data-given.js'
import { getRunFailure } from './failure-report.js'
import { openKeptAnswer } from './kept-answer.js'
import { runLine } from './line-run.js'
import type { AnswerOptions, AskedLine, OuterLine } from './options.js'
import {
  type CommandLine,
  getReachingWords,
  innerFlags,
  parseReadingLine,
  refuseInput,
} from './reading-line.js'

/** The outer run, and the functions that parse and run lines. */
interface OuterRun {
  readonly outer: AnswerOptions
  readonly shared: InnerPart
  readonly parse: AskedLine['parse']
  readonly run: (line: AskedLine, outer: OuterLine) => Promise<number>
}

// Commands that are run by data.

/** The input of an inner run. Standard input belongs to the outer run. */
const noInput: PipedInput = {
  open: refuseInput,
  hasTerminal: async () => false,
  text: async () => refuseInput(),
  readChunks: refuseInput,
  readBytes: refuseInput,
  endsSoon: async () => refuseInput(),
}

/** Creates the global flags of an inner run. */
const createInnerGlobals = (
  outer: Globals,
  { fields, mode, page, perPage }: SubcommandCall,
): Globals => {
  const reached = Object.fromEntries(
    innerFlags.flatMap((name) => (outer[name] === undefined ? [] : [[name, outer[name]]])),
  )
  return {
    ...readGlobals(new Map(), {}, () => undefined),
    ...reached,
    output: 'ndjson',
    dryRun: mode === 'previews',
    // A caller with data must know whether the instance ignored an attribute.
    strict: mode === 'writes',
    fields,
    page,
    perPage,
  }
}

/** Returns the environment without the variables that are meant for the outer line, such as `SVC_OUTPUT`. */
const getInnerEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(?:SVC_(?!CONFIG_DIR$)|CI$|CI_)/.test(name)),
  )

/** Removes the dry run of the API from an endpoint, so that --dry-run sends no write here. */
const removeOwnDryRun = ({ ownDryRun: _, ...endpoint }: Endpoint): Endpoint => endpoint
const removeRehearsals = (command: Command): Command => ({
  ...command,
  endpoints: mapValues(command.endpoints, (one) => removeOwnDryRun(one)),
})

/** Finds the command of a request, with the names of the instance. */
const findAskedCommand = async (
  { command, withoutSpecial, mode }: SubcommandCall,
  { command: { registry, loadWords } }: AnswerOptions,
): Promise<Command> => {
  const found = await registry.find(command.area, command.words)
  if (found === undefined)
    throw new Failure('internal', `there is no ${command.area} ${command.words}`)
  const plainly = withoutSpecial === true ? { ...deriveWithoutSpecial(found), registry } : found
  const one = mode === 'previews' ? removeRehearsals(plainly) : plainly
  return toOwnCommand({ ...one, loadWords })
}

interface ParsedCommand {
  readonly command: Command
  readonly given: Given
}

/** Parses the arguments of a command. Names and values that only the instance knows are loaded if they are needed. */
const parseSubcommand = async (
  ask: SubcommandCall,
  outer: AnswerOptions,
  note: (text: string) => void,
): Promise<ParsedCommand> => {
  const inWords = await findAskedCommand(ask, outer)
  const loadKnown = () => import('../engine/command/known.js')
  const loadKnownCommand = async () =>
    (await loadKnown()).addKnownNames(inWords, outer.globals, outer.env)
  const { fields } = ask
  const parse = (command: Command): ParsedCommand => {
    const given = parseGivenInWords(command, ask.values, { note, now: outer.io.now() })
    const args = [...given.args, ...(ask.args ?? [])]
    return { command, given: { ...given, args } }
  }
  if (fields !== undefined && (await (await loadKnown()).hasUnknownField(inWords, fields)))
    return parse(await loadKnownCommand())
  try {
    return parse(inWords)
  } catch (error) {
    const command = await loadKnownCommand()
    if (command === inWords) throw error
    return parse(command)
  }
}

const readOnlyLevels: Readonly<Record<RunMode, boolean | 'marked'>> = {
  checks: true,
  reads: 'marked',
  previews: true,
  writes: false,
}

/** Returns the options of a command that is run by data, except those of its answer and of the command itself. */
const createInnerOptions = (
  { outer, shared: sharing }: OuterRun,
  { mode, signal }: SubcommandCall,
) => ({
  io: outer.io,
  env: getInnerEnvironment(outer.env),
  signal,
  stdin: noInput,
  listed: false,
  journaling: {
    source: 'arguments',
    raw: { args: [], flags: new Map() },
    digests: new Map(),
    names: {},
  } as const,
  chosen: new ChosenRecords(),
  inner: { ...sharing, readOnly: readOnlyLevels[mode] },
})

/** Runs a command by data. */
export const runInnerCommand = async (
  around: OuterRun,
  ask: SubcommandCall,
): Promise<InnerAnswer> => {
  const { outer } = around
  const records: Uint8Array[] = []
  const takeRecord = (bytes: Uint8Array) => records.push(Buffer.from(bytes))
  const kept = await openKeptAnswer(takeRecord, outer.screen?.label)
  let more = false
  let asked: InnerAnswer['asked']
  const toWithinAnswer = (code: number, thrown?: Failure): InnerAnswer => {
    const { failures, notes } = kept
    // An incomplete answer keeps its records, and a note names each failure.
    const part = code === exitCodes.partial && records.length > 0
    const failure = thrown ?? (part ? undefined : failures[0])
    const unread = part ? failures.map(({ message }) => `not read: ${message}`) : []
    return { asked, records, more, notes: [...unread, ...notes], code, failure }
  }
  try {
    const { note } = kept.options.screen.notes
    const { command, given } = await parseSubcommand(ask, outer, note)
    asked = { command, given }
    if (ask.mode === 'checks') return toWithinAnswer(0)
    const recordEnd = (goesOn: boolean): void => {
      more = goesOn
    }
    const made = createInnerOptions(around, ask)
    const options: AnswerOptions = {
      ...made,
      ...kept.options,
      command,
      globals: createInnerGlobals(outer.globals, ask),
      inner: { ...made.inner, onEnded: recordEnd },
    }
    const code = await runLine(options, async (running) => {
      await checkRunFlags({ ...options, ui: running.context.ui }, [])
      await running.print(running.yieldRows(given))
    })
    return toWithinAnswer(code)
  } catch (error) {
    const failure = getRunFailure({ error, interrupted: ask.signal.aborted, env: outer.env })
    return toWithinAnswer(failure.exitCode, failure)
  }
}

// Lines that are run as if they had been typed.

/** Separates records from their parents. Records about parents that could not be read are left out. */
const createSplitter =
  (take: ReadingLine['takeRecord']) =>
  (bytes: Uint8Array, column: string | undefined): void => {
    if (column === undefined) return void take(bytes, undefined)
    const below = splitWrapped(bytes, column)
    if (below !== undefined) take(below.record, { column, name: below.name })
  }

/** Returns the columns of a line's groups. Returns nothing for a line without groups. */
const getGroupColumns = async (
  { command, raw }: Pick<CommandLine, 'command' | 'raw'>,
  now: Date,
): Promise<Pick<LineAnswer, 'columns'>> => {
  const globals = parseGlobals(command, raw, {}, { now })
  if (!isAggregate(globals)) return {}
  const { getGroupColumns } = await import('../engine/records/aggregate.js')
  return { columns: getGroupColumns(globals) }
}

/** Returns the words that are added to a line. */
const getExtraWords = (command: Command, ask: ReadingLine): readonly string[] => {
  if (ask.previews === true) return ['--dry-run']
  const where = (ask.where ?? []).map((text) => `--where=${text}`)
  return canListRecords(command) ? ['--limit=all', ...where] : []
}

/** Parses a line that runs a command. */
const parseCommandLine = async (
  parse: AskedLine['parse'],
  words: readonly string[],
): Promise<CommandLine> => {
  const parsed = await parse(words)
  if (parsed.kind === 'run') return parsed
  throw new Failure('internal', `${words.join(' ')} is no line`)
}

/** Runs a line as if a person had typed it. @returns its exit code */
export const runInnerTypedLine = async (
  { outer, shared: sharing, parse, run }: OuterRun,
  { words, input }: TypedLine,
): Promise<number> => {
  const { globals, io, signal } = outer
  const flags = [
    ...getReachingWords(globals, undefined),
    ...toFlagWords('output', globals.output),
    ...toFlagWords('fields', globals.fields),
  ]
  const parsed = await parseCommandLine(parse, insertFlags(words, flags))
  const read = input === undefined ? undefined : new StandardInput(io, signal, input)
  // The outer run may have used names that only the instance knows, so that the inner line needs them as well.
  const { addKnownNames } = await import('../engine/command/known.js')
  const command = addKnownNames(parsed.command, globals, outer.env)
  const line = { ...parsed, command, io, signal, parse, onFormat: () => {} }
  return run(line, { inner: sharing, input: read })
}

const pickInnerOptions = ({ composed, parents, planned, reads, whole }: ReadingLine) => ({
  composed,
  parents,
  planned,
  reads,
  whole,
})

/** Runs a line for its records or, with `previews`, for a preview of its changes. */
export const runInnerLine = async (
  { outer, shared: sharing, parse, run }: OuterRun,
  ask: ReadingLine,
): Promise<LineAnswer> => {
  const label = outer.screen?.label
  const kept = await openKeptAnswer(createSplitter(ask.takeRecord), label)
  const { options: seen, notes, failures } = kept
  const previews = ask.previews === true
  const from = ask.from ?? outer.globals.from
  // Each inner run gets a signal of its own, because one signal would collect too many listeners.
  const signal = AbortSignal.any([outer.signal, ...(ask.signal === undefined ? [] : [ask.signal])])
  let facts: Pick<LineAnswer, 'columns' | 'command' | 'plan'> = {}
  try {
    const reaching = getReachingWords(outer.globals, from)
    const alone = await parseReadingLine(parse, ask, reaching)
    facts = { command: alone.command, ...(await getGroupColumns(alone, outer.io.now())) }
    const flags = [...reaching, ...getExtraWords(alone.command, ask)]
    const parsed = await parseCommandLine(parse, insertFlags(ask.words, flags))
    const env = { ...getInnerEnvironment(outer.env), ...ask.env }
    const inner: InnerPart = {
      ...(from === outer.globals.from ? sharing : { getGate: sharing.getGate }),
      readOnly: previews || 'marked',
      onPlanned: (plan) => {
        facts = { ...facts, plan }
      },
      ...pickInnerOptions(ask),
    }
    const wanted = previews ? removeRehearsals(parsed.command) : parsed.command
    const line = { ...parsed, command: wanted, io: outer.io, signal, parse, onFormat: () => {} }
    const code = await run(line, { ...seen, env, inner })
    if (code === 0 || (previews && failures.length === 0)) return { ...facts, notes, code }
    // An exit code other than 0 means an incomplete answer, even if no failure was reported.
    const gap = new Failure('partial', 'the answer is incomplete')
    return { ...facts, notes, code, failure: failures[0] ?? gap }
  } catch (error) {
    const interrupted = signal.aborted
    const thrown = getRunFailure({ error, interrupted, env: outer.env })
    // The failure of an object says more than the number of failures.
    const failure = (previews && !interrupted && failures[0]) || thrown
    return { ...facts, notes, code: failure.exitCode, failure }
  }
}
