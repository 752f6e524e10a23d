/** The values that a flag or an argument may have. */
import type { Param } from '../../catalogue/params.js'
import type { Argument, Command } from '../../commands/types.js'
import { type Candidates, type Live, none, prefixed, starting } from './candidates.js'

const isFile = (param: Param): boolean =>
  param.completes === 'file' || (param.type === 'string' && param.format === 'pem')

/** The values that the catalogue knows. */
const fixedValues = (param: Param): string[] => [
  ...(param.type === 'enum' || param.type === 'list' ? (param.values ?? []) : []),
  ...(param.type === 'integer' || param.type === 'list' ? Object.keys(param.names ?? {}) : []),
  ...(param.words ?? []),
]

/** The values of a parameter. @param words what stands on the line already */
export const candidatesOf = async (
  param: Param,
  command: Command,
  words: readonly string[],
  live: Live,
): Promise<Candidates> => {
  if (isFile(param)) return { items: [], files: true }
  if (param.type === 'hash' && param.keys !== undefined)
    return { items: Object.keys(param.keys).map((key) => ({ value: `${key}=` })) }
  const fixed = fixedValues(param).map((value) => ({ value }))
  if (param.completes === undefined) return { items: fixed }
  return { items: [...fixed, ...(await live(param.completes, command, words))] }
}

/** An argument that is one of a few words is named by them (`bash|zsh|fish`). */
const wordsOf = ({ name }: Argument): readonly string[] =>
  name.includes('|') ? name.split('|').filter((word) => word !== '') : []

/** The argument that follows those before it. @param rest the line without the command's words */
export const argumentCandidates = async (
  command: Command,
  rest: readonly string[],
  before: readonly string[],
  current: string,
  live: Live,
): Promise<Candidates> => {
  const index = before.length
  const argument = command.args[Math.min(index, command.args.length - 1)]
  if (argument === undefined || (index >= command.args.length && !argument.variadic)) return none
  if (argument.file === true) return { items: [], files: true }
  if (argument.values !== undefined)
    return starting(current, await argument.values(before, current, command.naming))
  if (argument.param === undefined)
    return starting(
      current,
      wordsOf(argument).map((value) => ({ value })),
    )
  return prefixed(await candidatesOf(argument.param, command, rest, live), current, false)
}
