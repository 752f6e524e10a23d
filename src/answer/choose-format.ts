/** Chooses the output format of a line, and checks that the line can use it. */

import { escapeControlLines } from '../base/screen-text.js'
import { defaultTimeout } from '../client/defaults.js'
import { returnsFile } from '../engine/command/flags.js'
import { type Globals, isAggregate } from '../engine/command/globals.js'
import type { Command } from '../engine/command/types.js'
import { getIdentityNames } from '../engine/records/object-rows.js'
import { usage } from '../errors.js'
import { getFormat } from '../output/formats.js'
import type { Format } from '../output/types.js'
import { getStandardError, printAside, writeQuietly } from '../terminal/standard.js'
import { chooseOutputFormat } from './failure-report.js'
import type { AskedLine } from './options.js'

/**
 * Checks that a format for fields or names can print a command's answer, before anything is sent.
 * @throws Failure `usage` if it cannot
 */
export const checkFormat = ({ name, shows }: Format, command: Command, globals: Globals): void => {
  const { fields } = globals
  const { area, words, endpoints } = command
  // A command that writes files has their paths as its field, and groups have columns of their own.
  const isShown = fields !== undefined || isAggregate(globals) || returnsFile(command)
  if (shows === 'fields' && !isShown)
    throw usage(`-o ${name} prints fields: choose them with --fields`)
  if (shows !== 'names') return
  if (isAggregate(globals))
    throw usage(`-o ${name} prints objects that other commands accept, and groups are none`)
  const all = Object.values(endpoints)
  if (all.some((endpoint) => getIdentityNames(endpoint, area, false) !== undefined)) return
  throw usage(
    `-o ${name} prints objects that other commands accept, and ${`svcctl ${area} ${words}`.trim()} has none`,
  )
}

/**
 * Compiles the expression of `--jq`, and returns the format that filters JSON with it.
 * @throws Failure `usage` for an expression that does not compile
 */
const chooseJqFormat = async (
  expression: string,
  { output, slurp, timeout = defaultTimeout }: Globals,
  { io, signal }: Pick<AskedLine, 'io' | 'signal'>,
): Promise<Format> => {
  const { JqFilter } = await import('../output/jq/filter.js')
  const { createJqFormat } = await import('../output/jq/format.js')
  const filter = await JqFilter.create(expression, { signal, timeout, onExit: io.onExit })
  const say = (text: string): void =>
    printAside(io, true, () => writeQuietly(getStandardError(io), `${escapeControlLines(text)}\n`))
  const format = createJqFormat(getFormat(output ?? 'json'), filter, { slurp, say })
  // Failures are JSON only if a flag, a variable or the profile chose JSON.
  return output === undefined ? { ...format, json: undefined } : format
}

/**
 * Returns the format of a line.
 * @param note receives a note about a format of a variable or profile that is not used
 * @throws Failure `usage` for an unknown format, or one that the line cannot use
 */
export const chooseFormat = (
  line: Pick<AskedLine, 'command' | 'io' | 'signal'>,
  globals: Globals,
  env: NodeJS.ProcessEnv,
  note: (text: string) => void,
): Promise<Format> => {
  const { command } = line
  if (globals.jq !== undefined) return chooseJqFormat(globals.jq, globals, line)
  if (globals.slurp) throw usage('--slurp requires --jq', 'For example: --jq length --slurp')
  const { usualFormat } = command
  if (usualFormat !== undefined && globals.output === undefined)
    // Failures are JSON only if a flag, a variable or the profile chose JSON.
    return Promise.resolve({ ...getFormat(usualFormat), json: undefined })
  return chooseOutputFormat(
    globals,
    env,
    async (format) => {
      checkFormat(format, command, globals)
      if (format.page !== undefined)
        (await import('./answer-file.js')).checkPage(format, globals, line.io.stdout.isTTY === true)
    },
    note,
  )
}
