/** A command in the words of its instance: its flags answer to both names, its values are as many as the instance's. */

import { type JsonValue, type JsonValues, jsonFields } from '../../base/json/value.js'
import { isObject } from '../../base/objects.js'
import {
  type Param,
  type Params,
  paramsIn,
  takesPairs,
  widenParam,
} from '../../catalogue/params.js'
import { bothNames, ownNames, type Words } from '../../catalogue/words.js'
import { kebab } from '../command/derive/derived.js'
import { widenEndpoints } from '../command/known.js'
import type { Command, Described, Flag, Given } from '../command/types.js'

/** The keys within a parameter by all their names: a line may have any of them. */
const withOwnKeys = (param: Param, words: Words): Param => {
  if (!takesPairs(param) || param.keys === undefined) return param
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

// What was asked in the words of the instance, in those of the documents: the rest of the program has one name for a thing.

/** The flags of a line, and by which name each was given that an instance has others for. */
export interface Spelt {
  readonly flags: ReadonlyMap<string, unknown>
  readonly own?: ReadonlyMap<string, string>
}

/** The names that stand for parameters, and how each is spelled. */
class Spelled {
  readonly #seen = new Map<string, string>()

  constructor(
    private readonly params: readonly Params[],
    private readonly words: Words,
  ) {}

  /** The parameter of that name; undefined where the documents have none. */
  param(name: string): Param | undefined {
    return this.params.find((some) => Object.hasOwn(some, name))?.[name]
  }

  /** A name by that of the documents, which come first: what they call so is that. */
  take(name: string): string {
    const [root = ''] = name.split('[')
    const neutral = this.param(root) === undefined ? this.words.neutral(name) : name
    this.see(neutral, name)
    return neutral
  }

  /** @throws Failure `usage` where a name stands there in two spellings */
  see(neutral: string, written: string): void {
    if (ownNames(neutral, this.words).length === 0) return
    const before = this.#seen.get(neutral)
    if (before !== undefined && before !== written) throw bothNames(written, before)
    this.#seen.set(neutral, written)
  }

  /** Values by the names of the documents, each level. */
  all(values: JsonValues): Readonly<Record<string, JsonValue>> {
    return Object.fromEntries(
      Object.entries(values).flatMap(([own, value]) => {
        if (value === undefined) return []
        const name = this.take(own)
        return [[name, within(value, this.param(name), this.words)]]
      }),
    )
  }
}

/** The keys of a value, where its parameter names them. */
const within = (value: JsonValue, param: Param | undefined, words: Words): JsonValue => {
  const inner = paramsIn(param)
  if (inner === undefined) return value
  if (Array.isArray(value)) return value.map((item: JsonValue) => within(item, param, words))
  return isObject(value) ? new Spelled([inner], words).all(jsonFields(value)) : value
}

/** The keys within the values of flags. */
const flagsIn = (
  { flags }: Given,
  command: Described,
  spelled: Spelled,
  words: Words,
): Given['flags'] =>
  Object.fromEntries(
    Object.entries(flags).map(([name, value]) => {
      // The flag's own parameter has the keys by all their names.
      const { parameter = name } = command.flags.find((flag) => flag.name === name) ?? {}
      const param = spelled.param(parameter)
      return [name, value === undefined ? undefined : within(value, param, words)]
    }),
  )

/** The flag's name in the words of the API. */
const writtenAs = (raw: Spelt, flag: string, parameter: string): string =>
  raw.own?.get(flag)?.replaceAll('-', '_') ?? parameter

/**
 * The same by the names of the documents.
 * @throws Failure `usage` where a parameter is given by two of its names
 */
export const neutralGiven = (given: Given, raw: Spelt, command: Described, words: Words): Given => {
  const params = Object.values(command.endpoints).map((endpoint) => endpoint.params)
  const spelled = new Spelled(params, words)
  for (const { name, parameter } of command.flags)
    if (parameter !== undefined && raw.flags.has(name))
      spelled.see(parameter, writtenAs(raw, name, parameter))
  const { extra, input } = given
  const renamed = Object.entries(extra).map(([name, value]) => [spelled.take(name), value] as const)
  return {
    ...given,
    naming: words,
    flags: flagsIn(given, command, spelled, words),
    extra: Object.fromEntries(renamed),
    input: input && spelled.all(input),
  }
}
