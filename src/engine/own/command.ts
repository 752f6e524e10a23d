/** A command in the words of its instance: its flags answer to both names, its values are as many as the instance's. */
import { isSecretName } from '../../base/secrets/names.js'
import { type Endpoint, type Endpoints, writes } from '../../catalogue/endpoint.js'
import { boolean, integer, list, type Param, type Params, string } from '../../catalogue/params.js'
import { ownNames, type Words } from '../../catalogue/words.js'
import type { KnownInstance, KnownSetting } from '../../profile/known.js'
import type { Command, Flag } from '../command/types.js'

const kebab = (name: string): string => name.replaceAll('_', '-')

/** A parameter with the further values of the instance. */
const widened = (area: string, name: string, param: Param, words: Pick<Words, 'values'>): Param => {
  const more = words.values(`${area}.${name}`)
  if (more.length === 0) return param
  if (param.type === 'enum' || (param.type === 'list' && param.values !== undefined))
    return { ...param, values: [...new Set([...(param.values ?? []), ...more])] }
  return param
}

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

const endpointIn = (area: string, endpoint: Endpoint, words: Pick<Words, 'values'>): Endpoint => {
  const params: Params = Object.fromEntries(
    Object.entries(endpoint.params).map(([name, param]) => [
      name,
      widened(area, name, param, words),
    ]),
  )
  const same = Object.entries(params).every(([name, param]) => param === endpoint.params[name])
  return same ? endpoint : { ...endpoint, params }
}

const endpointsIn = (area: string, endpoints: Endpoints, words: Pick<Words, 'values'>): Endpoints =>
  Object.fromEntries(
    Object.entries(endpoints).map(([key, one]) => [key, endpointIn(area, one, words)]),
  )

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
        : withOwnKeys(widened(area, parameter, flag.param, words), words)
    return own.length === 0 ? { ...flag, param } : { ...flag, param, own }
  }
  return {
    ...command,
    naming: words,
    flags: flags.map(flagIn),
    endpoints: endpointsIn(area, endpoints, words),
  }
}

// What an instance was seen to have beyond the documents.

const help = 'of this instance, not in the API documents'

/** A setting that was only seen as null is most likely a text; any other that is no plain value is JSON. */
const paramOf = (name: string, { type, nullable }: KnownSetting): Param => {
  if (type === 'boolean') return boolean(help)
  if (type === 'integer') return integer(help)
  if (type === 'list') return list('string', help)
  if (type === 'number' || (type === 'unknown' && !nullable))
    return { type: 'json', help: `JSON; ${help}` }
  return string(help, isSecretName(name) ? { secret: true } : {})
}

/** A command with the values that its instance was seen to answer, and with the instance's own settings where it takes any. */
export const commandWith = (command: Command, known: KnownInstance): Command => {
  const { area, flags } = command
  const words = { values: (of: string) => known.values[of] ?? [] }
  const endpoints = endpointsIn(area, command.endpoints, words)
  const taken = new Set(flags.flatMap(({ name, own = [] }) => [name, ...own]))
  const own = Object.entries(known.settings).filter(([name]) => !taken.has(kebab(name)))
  const open = Object.values(endpoints).filter((one) => one.open === 'settings')
  const settings: Params = open.some(writes)
    ? Object.fromEntries(own.map(([name, setting]) => [name, paramOf(name, setting)]))
    : {}
  const flagIn = (flag: Flag): Flag =>
    flag.parameter === undefined
      ? flag
      : { ...flag, param: widened(area, flag.parameter, flag.param, words) }
  return {
    ...command,
    instanceFields: [
      ...(known.fields[area] ?? []),
      ...(open.length > 0 ? Object.keys(known.settings) : []),
    ],
    flags: [
      ...flags.map(flagIn),
      ...Object.entries(settings).map(
        ([parameter, param]): Flag => ({
          name: kebab(parameter),
          param,
          parameter,
          required: false,
          group: 'site',
        }),
      ),
    ],
    endpoints: Object.fromEntries(
      Object.entries(endpoints).map(([key, one]) => [
        key,
        one.open === undefined ? one : { ...one, params: { ...one.params, ...settings } },
      ]),
    ),
  }
}
