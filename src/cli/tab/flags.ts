/** The flags on a line that is being written, and those that may follow. */
import { flagsOfCommand } from '../../commands/derive/index.js'
import type { Command, Flag } from '../../commands/types.js'
import type { Candidate } from './candidates.js'

/** The flag that a token spells. */
export const flagNamed = (command: Command, token: string): Flag | undefined =>
  flagsOfCommand(command).find(
    (f) =>
      token === `--${f.name}` ||
      f.own?.some((own) => token === `--${own}`) === true ||
      (f.short !== undefined && token === `-${f.short}`) ||
      f.aliases?.some((a) => token === `--${a}`) === true,
  )

const takesValue = (flag: Flag): boolean =>
  flag.param.type !== 'boolean' && flag.optionalValue !== true

/** The flag whose value is being typed, if one is. */
export const pending = (command: Command, before: readonly string[]): Flag | undefined => {
  const last = before.at(-1)
  if (last === undefined || !last.startsWith('-') || last.includes('=')) return undefined
  const flag = flagNamed(command, last)
  return flag !== undefined && takesValue(flag) ? flag : undefined
}

/** The arguments before the cursor. */
export const argumentsIn = (command: Command, rest: readonly string[]): readonly string[] => {
  const found: string[] = []
  for (let i = 0; i < rest.length; i++) {
    const token = rest[i] ?? ''
    const flag = token.startsWith('-') && token !== '-' ? flagNamed(command, token) : undefined
    if (flag !== undefined && takesValue(flag)) i++
    else if (!token.startsWith('-') || token === '-') found.push(token)
  }
  return found
}

const formsOf = (flag: Flag): Candidate[] => {
  const { own = [], ...plain } = flag
  const named = { ...plain.param, help: `[--${plain.name}] ${plain.param.help}` }
  return [
    ...own.flatMap((name) => formsUnder({ ...plain, name, param: named })),
    ...formsUnder(plain),
  ]
}

const formsUnder = ({ name, param, parameter, selects, refusal }: Flag): Candidate[] => {
  if (refusal !== undefined) return [{ value: `--no-${name}`, text: refusal }]
  const yes = { value: `--${name}`, text: param.help }
  return param.type === 'boolean' && parameter !== undefined && selects !== true
    ? [yes, { value: `--no-${name}`, text: `not: ${param.help}` }]
    : [yes]
}

/** The flags that a command takes and shows. */
export const flagCandidates = (command: Command): Candidate[] =>
  flagsOfCommand(command)
    .filter((flag) => flag.hidden !== true)
    .flatMap(formsOf)
