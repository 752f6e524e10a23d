/** Runs a line within a command: for its records, for what it would change, or as if a person had typed it. */
import { splitBelow } from '../base/json/records.js'
import { insertFlags } from '../base/shell-words.js'
import { StandardInput } from '../base/standard-input.js'
import { getCommandName, hasEndpoints, isReadOnlyCommand, lists } from '../engine/command/derive.js'
import { type Globals, isAggregate, reachingFlags, toFlagWords } from '../engine/command/globals.js'
import type { LineAnswer, LineAsk, TypedAsk } from '../engine/command/services.js'
import type { Command } from '../engine/command/types.js'
import type { SharedServices } from '../engine/options.js'
import { parseGlobals } from '../engine/plan/given.js'
import type { ParsedLine } from '../engine/plan/line.js'
import { Failure, usage } from '../errors.js'
import { getRunFailure } from './failure-report.js'
import type { AnswerOptions, AskedLine, InnerLine, KeptPart } from './options.js'
import {
  createGivingFormat,
  createKeptScreen,
  getInnerEnvironment,
  removeRehearsals,
} from './subcommand.js'

/** Tells records from what they belong to, and leaves out what could not be read. */
const createSplitter =
  (take: LineAsk['take']) =>
  (bytes: Uint8Array, column: string | undefined): void => {
    if (column === undefined) return void take(bytes, undefined)
    const below = splitBelow(bytes, column)
    if (below !== undefined) take(below.record, { column, name: below.name })
  }

/** Returns the flags by which the instance is reached, as words. */
const getReachingWords = (outer: Globals, from: string | undefined): readonly string[] => [
  ...toFlagWords('tolerate', outer.tolerate),
  ...(from === undefined
    ? [
        ...reachingFlags.flatMap((name) => toFlagWords(name, outer[name])),
        // Without it, the variable would choose the embedded instance for the line within.
        ...(outer.sandbox ? [] : ['--no-sandbox']),
      ]
    : toFlagWords('from', from)),
]

/** @throws Failure `usage` for a line that does more than read, or says how it is to be answered */
const checkLine = ({ command, raw }: Extract<ParsedLine, { kind: 'run' }>, ask: LineAsk): void => {
  const name = getCommandName(command)
  if (!isReadOnlyCommand(command) || !hasEndpoints(command))
    throw usage(`${name} is not a command that reads from the API`)
  if (ask.where !== undefined && !lists(command)) throw usage(`${name} is not a list`)
  if (raw.args.includes('-') || [...raw.flags.values()].flat().includes('-'))
    throw usage(`${name} cannot read from standard input here`)
  const own = new Set(command.flags.map((flag) => flag.name))
  const { allowed = [] } = ask
  for (const flag of raw.flags.keys())
    if (!own.has(flag) && !allowed.includes(flag))
      throw usage(
        `--${flag} is not allowed here`,
        `Allowed are the filters of ${name} and ${allowed.map((one) => `--${one}`).join(', ')}.`,
      )
}

/** Returns the columns of the groups that a line makes; nothing if it makes none. */
const getGroupColumns = async ({
  command,
  raw,
}: Pick<Extract<ParsedLine, { kind: 'run' }>, 'command' | 'raw'>): Promise<
  Pick<LineAnswer, 'columns'>
> => {
  const globals = parseGlobals(command, raw, {}, () => undefined)
  if (!isAggregate(globals)) return {}
  const { groupColumns } = await import('../engine/records/aggregate.js')
  return { columns: groupColumns(globals) }
}

/** Returns the words that a line has besides its own. */
const getExtraWords = (command: Command, ask: LineAsk): readonly string[] => {
  if (ask.tries === true) return ['--dry-run']
  const where = (ask.where ?? []).map((text) => `--where=${text}`)
  return lists(command) ? ['--limit=all', ...where] : []
}

/** The run that a line runs within, and the functions that parse and run lines. */
interface OuterRun {
  readonly outer: AnswerOptions
  readonly sharing: SharedServices
  readonly parse: AskedLine['parse']
  readonly run: (line: AskedLine, part: undefined, inner: InnerLine) => Promise<number>
}

/** Parses a line that is run within a run. */
const parseRunLine = async (
  parse: AskedLine['parse'],
  words: readonly string[],
): Promise<Extract<ParsedLine, { kind: 'run' }>> => {
  const meant = await parse(words)
  if (meant.kind === 'run') return meant
  throw new Failure('internal', `${words.join(' ')} is no line`)
}

/** Runs a line as if a person had typed it. @returns its exit code */
export const runTypedWithin = async (
  { outer, sharing, parse, run }: OuterRun,
  { words, input }: TypedAsk,
): Promise<number> => {
  const { globals, signal } = outer
  const flags = [
    ...getReachingWords(globals, undefined),
    ...toFlagWords('output', globals.output),
    ...toFlagWords('fields', globals.fields),
  ]
  const meant = await parseRunLine(parse, insertFlags(words, flags))
  const read = input === undefined ? undefined : new StandardInput(signal, input)
  const own = outer.own ?? meant.own
  // The run may have used what only its instance has, and the line does not show that.
  const { withKnown } = await import('../engine/command/known.js')
  const command = withKnown(meant.command, globals, outer.env)
  const line = { ...meant, command, own, signal, parse, decided: () => {}, input: read }
  return run(line, undefined, { part: sharing })
}

/** Runs a line for its records, or for what it would change. */
export const runLineWithin = async (
  { outer, sharing, parse, run }: OuterRun,
  ask: LineAsk,
): Promise<LineAnswer> => {
  const screen = await createKeptScreen()
  const { notes, failures } = screen
  const tries = ask.tries === true
  const { composed, parents, planned, reads, whole } = ask
  const given = { composed, parents, planned, reads, whole }
  const from = ask.from ?? outer.globals.from
  // Each run listens to it: those of a long walk would be too many for one signal.
  const signal = AbortSignal.any([outer.signal, ...(ask.signal === undefined ? [] : [ask.signal])])
  let said: Pick<LineAnswer, 'columns' | 'command' | 'plan'> = {}
  try {
    const alone = await parse(ask.words)
    if (alone.kind !== 'run') throw usage('this is not a command that reads from the API')
    if (!tries) checkLine(alone, ask)
    said = { command: alone.command, ...(await getGroupColumns(alone)) }
    const flags = [...getReachingWords(outer.globals, from), ...getExtraWords(alone.command, ask)]
    const meant = await parseRunLine(parse, insertFlags(ask.words, flags))
    const env = { ...getInnerEnvironment(outer.env), ...ask.env }
    const part: KeptPart = {
      ...(from === outer.globals.from ? sharing : { gateOf: sharing.gateOf }),
      screen: screen.streams,
      readOnly: tries || 'marked',
      asked: (plan) => {
        said = { ...said, plan }
      },
      ...given,
    }
    const asked = tries ? removeRehearsals(meant.command) : meant.command
    // The instance is the same, and so are its words.
    const own = (tries && outer.own) || meant.own
    const line = { ...meant, own, command: asked, signal, parse, decided: () => {} }
    const format = createGivingFormat(createSplitter(ask.take))
    const code = await run(line, undefined, { part, format, env })
    if (code === 0 || (tries && failures.length === 0)) return { ...said, notes, code }
    // What ends so must not pass for a whole answer, whether or not it was told of.
    const gap = new Failure('partial', 'the answer is incomplete')
    return { ...said, notes, code, failure: failures[0] ?? gap }
  } catch (error) {
    const interrupted = signal.aborted
    const thrown = getRunFailure({ error, interrupted })
    // Why an object cannot be changed says more than how many cannot.
    const failure = (tries && !interrupted && failures[0]) || thrown
    return { ...said, notes, code: failure.exitCode, failure }
  }
}
