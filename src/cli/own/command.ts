/** A command in the words of its instance: its flags answer to both names, its values are as many as the instance's. */
import type { Endpoint, Endpoints } from '../../catalogue/endpoint.js'
import type { Param, Params } from '../../catalogue/params.js'
import type { Words } from '../../catalogue/words.js'
import type { Command, Flag } from '../../commands/types.js'

const kebab = (name: string): string => name.replaceAll('_', '-')

/** A parameter with the further values of the instance, and the keys within it by both names. */
const widened = (area: string, name: string, param: Param, words: Words): Param => {
  const more = words.values(`${area}.${name}`)
  if (param.type === 'enum' && more.length > 0)
    return { ...param, values: [...new Set([...param.values, ...more])] }
  if (param.type === 'list' && param.values !== undefined && more.length > 0)
    return { ...param, values: [...new Set([...param.values, ...more])] }
  if (param.type !== 'hash' || param.keys === undefined) return param
  const keys = Object.entries(param.keys)
  const own = keys.filter(([key]) => words.name(key) !== key)
  if (own.length === 0) return param
  return {
    ...param,
    keys: Object.fromEntries([...own.map(([key, one]) => [words.name(key), one]), ...keys]),
  }
}

const paramsIn = (area: string, params: Params, words: Words): Params =>
  Object.fromEntries(
    Object.entries(params).map(([name, param]) => [name, widened(area, name, param, words)]),
  )

const endpointsIn = (area: string, endpoints: Endpoints, words: Words): Endpoints =>
  Object.fromEntries(
    Object.entries(endpoints).map(([key, endpoint]): [string, Endpoint] => [
      key,
      { ...endpoint, params: paramsIn(area, endpoint.params, words) },
    ]),
  )

/** The name that the instance has for what a flag fills; undefined where it is the same. */
const ownFlag = ({ parameter, path, name }: Flag, words: Words): string | undefined => {
  if (parameter === undefined || path === true) return undefined
  const own = words.name(parameter)
  return own === parameter || kebab(own) === name ? undefined : kebab(own)
}

const flagIn = (area: string, flag: Flag, words: Words, taken: ReadonlySet<string>): Flag => {
  const own = ownFlag(flag, words)
  const param =
    flag.parameter === undefined ? flag.param : widened(area, flag.parameter, flag.param, words)
  // A flag of the tool's own, or of another parameter, keeps its name.
  return own === undefined || taken.has(own) ? { ...flag, param } : { ...flag, param, own }
}

/**
 * The command as a line may say it where the instance has words of its own.
 * @param others names of flags that it takes besides
 */
export const commandIn = (command: Command, words: Words, others: readonly string[]): Command => {
  const { area, flags, endpoints } = command
  const taken = new Set([
    ...others,
    ...flags.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
  ])
  return {
    ...command,
    naming: words,
    flags: flags.map((flag) => flagIn(area, flag, words, taken)),
    endpoints: endpointsIn(area, endpoints, words),
  }
}
