/** Adds the instance's own names to a command as aliases, and translates a line that uses them to the documented names. */

import type { JsonValue, JsonValues } from '../../base/objects.js'
import type { Endpoints } from '../../catalogue/endpoint.js'
import {
  mapInnerFields,
  type Param,
  type Params,
  takesPairs,
  widenParam,
  widenParams,
} from '../../catalogue/params.js'
import type { Words } from '../../catalogue/words.js'
import { combineWords } from '../../vocabulary/several.js'
import { createNameConflictFailure, toKebabCase } from './derive.js'
import type { Command, CommandFacts, Flag, Given, SpelledFlags } from './types.js'

/** Returns the instance's names for a documented one, without the documented one itself. */
const getOwnNames = (name: string, words: Words): readonly string[] =>
  [...new Set(words.listOwnNames(name))].filter((own) => own !== name)

/**
 * Adds values to the parameters of endpoints. An endpoint that gets no new value stays the same object.
 * @param values returns the additional values for `area.parameter`
 */
export const widenEndpoints = (
  area: string,
  endpoints: Endpoints,
  values: (of: string) => readonly string[],
): Endpoints =>
  Object.fromEntries(
    Object.entries(endpoints).map(([key, endpoint]) => {
      const params = widenParams(area, endpoint.params, values)
      const same = Object.entries(params).every(([name, param]) => param === endpoint.params[name])
      return [key, same ? endpoint : { ...endpoint, params }]
    }),
  )

/** Adds the instance's names of keys to a parameter with key=value pairs: a line may use either. */
const withOwnKeys = (param: Param, words: Words): Param => {
  if (!takesPairs(param) || param.keys === undefined) return param
  const own = Object.entries(param.keys).flatMap(([key, one]) =>
    getOwnNames(key, words).map((name) => [name, one] as const),
  )
  return own.length === 0
    ? param
    : { ...param, keys: { ...Object.fromEntries(own), ...param.keys } }
}

/**
 * Returns the instance's names for a flag. If several flags fill one parameter, only the flag with the parameter's name
 * gets them.
 */
const getOwnFlagNames = (flag: Flag, flags: readonly Flag[], words: Words): readonly string[] => {
  const { parameter, path, name } = flag
  if (parameter === undefined || path === true) return []
  const alone = flags.filter((one) => one.parameter === parameter).length === 1
  if (!alone && toKebabCase(parameter) !== name) return []
  return getOwnNames(parameter, words)
    .map(toKebabCase)
    .filter((own) => own !== name)
}

/**
 * Translates a command so that a line may use the instance's own names.
 * @param others the names of its other flags
 */
export const translateCommand = (
  command: Command,
  words: Words,
  others: readonly string[],
): Command => {
  const { area, flags, endpoints } = command
  const named = flags.map((flag) => getOwnFlagNames(flag, flags, words))
  // An ambiguous name is not translated, and neither is one that another flag has.
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

/**
 * Translates a command of a line to several instances for one of them. It understands the names of all, its own first.
 * @param own the vocabulary of the instance; undefined if it has none
 * @param all that of the line
 */
export const translateForInstance = (
  command: Command,
  own: Words | undefined,
  all: Words,
  others: readonly string[],
): Command => translateCommand(command, combineWords(own, all), others)

// Lines in the instance's own names are translated to the documented names, which all other code uses.

/** Translates names to documented ones, and remembers the spelling of each to detect conflicts. */
class SpelledNames {
  readonly #seen = new Map<string, string>()

  constructor(
    private readonly params: readonly Params[],
    private readonly words: Words,
  ) {}

  /** Returns the parameter with that documented name; undefined if there is none. */
  findParam(name: string): Param | undefined {
    return this.params.find((some) => Object.hasOwn(some, name))?.[name]
  }

  /** Returns the documented form of a name and remembers its spelling. A documented name is never translated. */
  toDocumented(name: string): string {
    const [root = ''] = name.split('[')
    const neutral = this.findParam(root) === undefined ? this.words.neutral(name) : name
    this.recordSpelling(neutral, name)
    return neutral
  }

  /**
   * Remembers the spelling of a name.
   * @throws Failure `usage` if the name was already used in another spelling
   */
  recordSpelling(neutral: string, written: string): void {
    if (getOwnNames(neutral, this.words).length === 0) return
    const before = this.#seen.get(neutral)
    if (before !== undefined && before !== written) throw createNameConflictFailure(written, before)
    this.#seen.set(neutral, written)
  }

  /** Translates the names of values at every level. */
  translateNames(values: JsonValues): Readonly<Record<string, JsonValue>> {
    return Object.fromEntries(
      Object.entries(values).flatMap(([own, value]) => {
        if (value === undefined) return []
        const name = this.toDocumented(own)
        return [[name, translateKeys(value, this.findParam(name), this.words)]]
      }),
    )
  }
}

/** Translates the keys of a value if its parameter has named keys. */
const translateKeys = (value: JsonValue, param: Param | undefined, words: Words): JsonValue =>
  mapInnerFields(value, param, (fields, inner) =>
    new SpelledNames([inner], words).translateNames(fields),
  )

/**
 * Translates the parsed line to documented names.
 * @throws Failure `usage` if a parameter is set by two of its names
 */
export const toDocumentedGiven = (
  given: Given,
  raw: SpelledFlags,
  command: CommandFacts,
): Given => {
  const { naming: words } = command
  const params = Object.values(command.endpoints).map((endpoint) => endpoint.params)
  const spelled = new SpelledNames(params, words)
  for (const { name, parameter } of command.flags)
    if (parameter !== undefined && raw.flags.has(name))
      spelled.recordSpelling(parameter, raw.own?.get(name)?.replaceAll('-', '_') ?? parameter)
  const { extra, flags, input } = given
  const translatedFlags = Object.entries(flags).map(([name, value]) => {
    // The flag's own parameter already has all spellings, so the endpoint's is used.
    const { parameter = name } = command.flags.find((flag) => flag.name === name) ?? {}
    const param = spelled.findParam(parameter)
    return [name, value === undefined ? undefined : translateKeys(value, param, words)] as const
  })
  const renamed = Object.entries(extra).map(
    ([name, value]) => [spelled.toDocumented(name), value] as const,
  )
  return {
    ...given,
    flags: Object.fromEntries(translatedFlags),
    extra: Object.fromEntries(renamed),
    input: input && spelled.translateNames(input),
  }
}
