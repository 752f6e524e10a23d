/** What was asked in the words of the instance, in those of the documents: the rest of the program has one name for a thing. */
import { type JsonValue, type JsonValues, jsonFields } from '../../base/json/value.js'
import { isObject } from '../../base/objects.js'
import type { Param, Params } from '../../catalogue/params.js'
import { bothNames, ownNames, type Words } from '../../catalogue/words.js'
import type { Described, Given } from '../command/types.js'

/** The flags of a line, and by which name each was given that an instance has others for. */
export interface Spelt {
  readonly flags: ReadonlyMap<string, unknown>
  readonly own?: ReadonlyMap<string, string>
}

const innerOf = (param: Param | undefined): Params | undefined => {
  if (param?.type === 'hash') return param.keys
  return param?.type === 'json' ? param.items : undefined
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
  const inner = innerOf(param)
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
