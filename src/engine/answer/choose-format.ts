/** Chooses the output format of a line: a variable or a profile only suggests one. */
import type { Format } from '../../output/types.js'
import { standardOutput } from '../../terminal/standard.js'
import type { Globals } from '../command/globals.js'
import type { Command } from '../command/types.js'
import { outputFormat } from '../failure-report.js'
import { checkShown } from './objects.js'

/**
 * Returns the format of a line, which a table replaces where only a variable or the profile chose another one.
 * @throws Failure `usage` for the name of no format
 */
export const chooseFormat = (
  command: Command,
  globals: Globals,
  env: NodeJS.ProcessEnv,
  note: (text: string) => void,
): Promise<Format> =>
  outputFormat(
    globals,
    env,
    async (format) => {
      checkShown(format, command, globals)
      if (format.page !== undefined)
        (await import('./file.js')).checkPage(format, globals, standardOutput().isTTY === true)
    },
    note,
  )
