/** Checks lines that a command reads within its own run, such as those of a policy or a snapshot. */

import { insertFlags } from '../base/shell-words.js'
import type { ReadingLine } from '../engine/command/context.js'
import {
  canListRecords,
  getCommandName,
  hasEndpoints,
  isReadOnlyCommand,
} from '../engine/command/derive.js'
import { type Globals, reachingFlags, toFlagWords } from '../engine/command/globals.js'
import type { Command, Given } from '../engine/command/types.js'
import { completeArguments } from '../engine/plan/arguments.js'
import { checkInnerScope, chooseEndpoint } from '../engine/plan/choose.js'
import { keepOwnTexts, parseGiven } from '../engine/plan/given.js'
import type { ParsedLine, Raw } from '../engine/plan/line.js'
import { parseLineParents } from '../engine/plan/parents.js'
import { parseWhere } from '../engine/where/index.js'
import { usage } from '../errors.js'
import { getRunFailure } from './failure-report.js'
import type { AnswerOptions, AskedLine } from './options.js'

/** The words of a line that reads, and what it may have. */
type AskedReading = Pick<ReadingLine, 'allowed' | 'previews' | 'where' | 'words'>

/** The flags that an inner run takes from the outer run: those for reaching the instance, and the trace of requests. */
export const innerFlags = [...reachingFlags, 'verbose'] as const

/** Returns the flags of the outer run for reaching the instance, as words. */
export const getReachingWords = (outer: Globals, from: string | undefined): readonly string[] => [
  ...toFlagWords('tolerate', outer.tolerate),
  ...(from === undefined
    ? [
        ...innerFlags.flatMap((name) => toFlagWords(name, outer[name])),
        // Without the flag, SVC_SANDBOX would choose the embedded instance for the inner line.
        ...(outer.sandbox ? [] : ['--no-sandbox']),
      ]
    : toFlagWords('from', from)),
]

/** Fails for a line within another run that reads standard input, which belongs to the outer run. */
export const refuseInput = (): never => {
  throw usage('nothing can be read from standard input here')
}

/** A line that runs a command. */
export type CommandLine = Extract<ParsedLine, { kind: 'run' }>

/** Returns the names of the flags that a line itself has, without those that were added to it. */
const listTypedFlags = ({ flags }: Raw, added: readonly string[]): readonly string[] =>
  [...flags].flatMap(([name, texts]) => {
    const forms = [`--${name}`, `--no-${name}`]
    const count = added.filter((word) => forms.includes(word.replace(/=.*/s, ''))).length
    return texts.length > count ? [name] : []
  })

/**
 * Checks a line to which flags were added.
 * @throws Failure `usage` for a line that does not only read, and for flags about its output
 */
const checkInnerLine = (
  { command, raw }: CommandLine,
  ask: AskedReading,
  added: readonly string[],
): void => {
  const name = getCommandName(command)
  if (!isReadOnlyCommand(command) || !hasEndpoints(command))
    throw usage(`${name} is not a command that reads from the API`)
  if (ask.where !== undefined && !canListRecords(command)) throw usage(`${name} is not a list`)
  if (raw.args.includes('-') || [...raw.flags.values()].flat().includes('-'))
    throw usage(`${name} cannot read from standard input here`)
  const own = new Set(command.flags.map((flag) => flag.name))
  const { allowed = [] } = ask
  for (const flag of listTypedFlags(raw, added))
    if (!own.has(flag) && !allowed.includes(flag))
      throw usage(
        `--${flag} is not allowed here`,
        `Allowed are the filters of ${name} and ${allowed.map((one) => `--${one}`).join(', ')}.`,
      )
}

/**
 * Parses a line that reads, or that is previewed.
 * @param reaching the flags that reach the instance. The line may use the names of that instance
 * @throws Failure `usage` for any other line
 */
export const parseReadingLine = async (
  parse: AskedLine['parse'],
  ask: AskedReading,
  reaching: readonly string[],
): Promise<CommandLine> => {
  const line = await parse(insertFlags(ask.words, reaching))
  if (line.kind !== 'run') throw usage('this is not a command that reads from the API')
  if (ask.previews !== true) checkInnerLine(line, ask, reaching)
  return line
}

const findNothing = async (): Promise<undefined> => undefined

/** Checks that a line has its project or group, and its arguments. Nobody is asked for them, and no variable provides them. */
const checkPlace = async (
  command: Command,
  given: Given,
  allowed: readonly string[],
): Promise<void> => {
  const choice = chooseEndpoint(command, given, {})
  checkInnerScope(command, choice, allowed)
  const nobody = { askMissing: findNothing, getScope: findNothing }
  await completeArguments(command, choice.endpoint, given, nobody, {})
}

/**
 * Checks a line that reads, and sends nothing.
 * @throws Failure `usage` for unknown words and flags, a value that a flag does not accept, a condition that cannot be parsed, and a
 * missing argument, project or group
 */
export const checkReadingLine = async (
  { outer, parse }: { readonly outer: AnswerOptions; readonly parse: AskedLine['parse'] },
  ask: AskedReading,
): Promise<void> => {
  try {
    const reaching = getReachingWords(outer.globals, outer.globals.from)
    const line = await parseReadingLine(parse, ask, reaching)
    const { flags } = line.raw
    parseWhere([...(flags.get('where') ?? []), ...(ask.where ?? [])])
    const raw = keepOwnTexts(line.command, line.raw)
    const given = await parseGiven(line.command, raw, {
      env: outer.env,
      now: outer.io.now(),
      signal: outer.signal,
      readStdin: async () => refuseInput(),
      note: () => {},
      warn: () => {},
    })
    if (parseLineParents(line.command, raw) === undefined)
      await checkPlace(line.command, given, ask.allowed ?? [])
  } catch (error) {
    throw getRunFailure({ error, interrupted: outer.signal.aborted, env: outer.env })
  }
}
