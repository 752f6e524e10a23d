/** Checks lines that a command reads within its own run, such as those of a policy or a snapshot. */

import type { ReadingLine } from '../engine/command/context.js'
import {
  canListRecords,
  getCommandName,
  hasEndpoints,
  isReadOnlyCommand,
} from '../engine/command/derive.js'
import { keepOwnTexts, parseGiven } from '../engine/plan/given.js'
import type { ParsedLine } from '../engine/plan/line.js'
import { parseWhere } from '../engine/where/index.js'
import { usage } from '../errors.js'
import { getRunFailure } from './failure-report.js'
import type { AnswerOptions, AskedLine } from './options.js'

/** The words of a line that reads, and what it may have. */
type AskedReading = Pick<ReadingLine, 'allowed' | 'previews' | 'where' | 'words'>

/** A line that runs a command. */
export type CommandLine = Extract<ParsedLine, { kind: 'run' }>

/** @throws Failure `usage` for a line that does not only read, and for flags about its output */
const checkInnerLine = ({ command, raw }: CommandLine, ask: AskedReading): void => {
  const name = getCommandName(command)
  if (!isReadOnlyCommand(command) || !hasEndpoints(command))
    throw usage(`${name} is not a command that reads from the API`)
  if (ask.where !== undefined && !canListRecords(command)) throw usage(`${name} is not a list`)
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

/** Parses a line that reads, or that is previewed. @throws Failure `usage` for any other line */
export const parseReadingLine = async (
  parse: AskedLine['parse'],
  ask: AskedReading,
): Promise<CommandLine> => {
  const line = await parse(ask.words)
  if (line.kind !== 'run') throw usage('this is not a command that reads from the API')
  if (ask.previews !== true) checkInnerLine(line, ask)
  return line
}

/**
 * Checks a line that reads, and sends nothing.
 * @throws Failure `usage` for unknown words and flags, a value that a flag does not accept, and a condition that cannot be parsed
 */
export const checkReadingLine = async (
  { outer, parse }: { readonly outer: AnswerOptions; readonly parse: AskedLine['parse'] },
  ask: AskedReading,
): Promise<void> => {
  try {
    const line = await parseReadingLine(parse, ask)
    const { flags } = line.raw
    parseWhere([...(flags.get('where') ?? []), ...(ask.where ?? [])])
    await parseGiven(line.command, keepOwnTexts(line.command, line.raw), {
      env: outer.env,
      signal: outer.signal,
      readStdin: async () => {
        throw usage('nothing can be read from standard input here')
      },
      note: () => {},
      warn: () => {},
    })
  } catch (error) {
    throw getRunFailure({ error, interrupted: outer.signal.aborted })
  }
}
