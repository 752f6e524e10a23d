/** What commands and their flags are called. */
import type { Param } from '../../../catalogue/params.js'
import type { Command } from '../types.js'

/** The words of a command, as in `approvals rules list`. */
export const named = (command: Pick<Command, 'area' | 'words'>): string =>
  [command.area, command.words].filter((w) => w !== '').join(' ')

/** The API's name as flags write names. */
export const kebab = (name: string): string => name.replaceAll('_', '-')
/** The flag name of a parameter. */
export const flagName = (name: string, param: Param): string => param.name ?? kebab(name)
