/** A command in the words of its instance: its flags answer to both names, its values are as many as the instance's. */
import { type Param, widenParam } from '../../catalogue/params.js'
import { ownNames, type Words } from '../../catalogue/words.js'
import { kebab } from '../command/derive/names.js'
import { widenEndpoints } from '../command/known.js'
import type { Command, Flag } from '../command/types.js'

/** The keys within a parameter by all their names: a line may have any of them. */
const withOwnKeys = (param: Param, words: Words): Param => {
  if (param.type !== 'hash' || param.keys === undefined) return param
  const own = Object.entries(param.keys).flatMap(([key, one]) =>
    ownNames(key, words).map((name) => [name, one] as const),
  )
  return own.length === 0
    ? param
    : { ...param, keys: { ...Object.fromEntries(own), ...param.keys } }
}

/** The names that instances have for what a flag fills. Of several flags for one thing none is that thing. */
const ownFlags = (flag: Flag, flags: readonly Flag[], words: Words): readonly string[] => {
  const { parameter, path, name } = flag
  if (parameter === undefined || path === true) return []
  const alone = flags.filter((one) => one.parameter === parameter).length === 1
  if (!alone && kebab(parameter) !== name) return []
  return ownNames(parameter, words)
    .map(kebab)
    .filter((own) => own !== name)
}

/**
 * The command as a line may say it where the instance has words of its own.
 * @param others names of flags that it takes besides
 */
export const commandIn = (command: Command, words: Words, others: readonly string[]): Command => {
  const { area, flags, endpoints } = command
  const named = flags.map((flag) => ownFlags(flag, flags, words))
  // What means two things means none; a flag of the tool's own, or of another parameter, keeps its name.
  const all = [...others, ...flags.flatMap(({ name, aliases = [] }) => [name, ...aliases])]
  const isFree = (own: string): boolean =>
    !all.includes(own) && named.filter((names) => names.includes(own)).length === 1
  const flagIn = (flag: Flag, i: number): Flag => {
    const own = named[i]?.filter(isFree) ?? []
    const { parameter } = flag
    const param =
      parameter === undefined
        ? flag.param
        : withOwnKeys(widenParam(flag.param, words.values(`${area}.${parameter}`)), words)
    return own.length === 0 ? { ...flag, param } : { ...flag, param, own }
  }
  return {
    ...command,
    naming: words,
    flags: flags.map(flagIn),
    endpoints: widenEndpoints(area, endpoints, words.values),
  }
}
