/** A command in the words of its instance: its flags answer to both names, its values are as many as the instance's. */

import { isObject, type JsonValue, type JsonValues, toJsonFields } from '../../base/objects.js'
import type { Endpoints } from '../../catalogue/endpoint.js'
import {
  getInnerParams,
  type Param,
  type Params,
  takesPairs,
  widenParam,
} from '../../catalogue/params.js'
import { createNameConflictFailure, type Naming, type Words } from '../../catalogue/words.js'
import {
  getPaths,
  isPattern,
  openStore,
  parseProfiles,
  resolveProfiles,
} from '../../profile/index.js'
import type { Profile } from '../../profile/types.js'
import { toKebabCase } from './derive.js'
import type { Command, CommandFacts, Flag, Given } from './types.js'

/** Returns the names that instances have for something, less the one that is passed. */
const getOwnNames = (name: string, words: Naming): readonly string[] =>
  [...new Set([words.name(name), ...(words.each?.(name) ?? [])])].filter((own) => own !== name)

/**
 * Endpoints of an area with further values of their parameters; one without any stays the same object.
 * @param values further values by `area.parameter`
 */
export const widenEndpoints = (
  area: string,
  endpoints: Endpoints,
  values: (of: string) => readonly string[],
): Endpoints =>
  Object.fromEntries(
    Object.entries(endpoints).map(([key, endpoint]) => {
      const params: Params = Object.fromEntries(
        Object.entries(endpoint.params).map(([name, param]) => [
          name,
          widenParam(param, values(`${area}.${name}`)),
        ]),
      )
      const same = Object.entries(params).every(([name, param]) => param === endpoint.params[name])
      return [key, same ? endpoint : { ...endpoint, params }]
    }),
  )

/** Returns a parameter with the keys within it by all their names: a line may have any of them. */
const withOwnKeys = (param: Param, words: Words): Param => {
  if (!takesPairs(param) || param.keys === undefined) return param
  const own = Object.entries(param.keys).flatMap(([key, one]) =>
    getOwnNames(key, words).map((name) => [name, one] as const),
  )
  return own.length === 0
    ? param
    : { ...param, keys: { ...Object.fromEntries(own), ...param.keys } }
}

/** Returns the names that instances have for what a flag fills. Of several flags for one thing, none is that thing. */
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
 * Translates a command into one as a line may say it, if the instance has words of its own.
 * @param others names of flags that it takes besides
 */
export const translateCommand = (
  command: Command,
  words: Words,
  others: readonly string[],
): Command => {
  const { area, flags, endpoints } = command
  const named = flags.map((flag) => getOwnFlagNames(flag, flags, words))
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
export interface SpelledFlags {
  readonly flags: ReadonlyMap<string, unknown>
  readonly own?: ReadonlyMap<string, string>
}

/** The names that stand for parameters, and how each is spelled. */
class SpelledNames {
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
    if (getOwnNames(neutral, this.words).length === 0) return
    const before = this.#seen.get(neutral)
    if (before !== undefined && before !== written) throw createNameConflictFailure(written, before)
    this.#seen.set(neutral, written)
  }

  /** Values by the names of the documents, each level. */
  all(values: JsonValues): Readonly<Record<string, JsonValue>> {
    return Object.fromEntries(
      Object.entries(values).flatMap(([own, value]) => {
        if (value === undefined) return []
        const name = this.take(own)
        return [[name, translateKeys(value, this.param(name), this.words)]]
      }),
    )
  }
}

/** Translates the keys of a value, if its parameter names them. */
const translateKeys = (value: JsonValue, param: Param | undefined, words: Words): JsonValue => {
  const inner = getInnerParams(param)
  if (inner === undefined) return value
  if (Array.isArray(value)) return value.map((item: JsonValue) => translateKeys(item, param, words))
  return isObject(value) ? new SpelledNames([inner], words).all(toJsonFields(value)) : value
}

/** Translates the keys within the values of flags. */
const translateFlags = (
  { flags }: Given,
  command: CommandFacts,
  spelled: SpelledNames,
  words: Words,
): Given['flags'] =>
  Object.fromEntries(
    Object.entries(flags).map(([name, value]) => {
      // The flag's own parameter has the keys by all their names.
      const { parameter = name } = command.flags.find((flag) => flag.name === name) ?? {}
      const param = spelled.param(parameter)
      return [name, value === undefined ? undefined : translateKeys(value, param, words)]
    }),
  )

/** Returns the flag's name in the words of the API. */
const getWrittenName = (raw: SpelledFlags, flag: string, parameter: string): string =>
  raw.own?.get(flag)?.replaceAll('-', '_') ?? parameter

/**
 * Translates a given into the names of the documents.
 * @throws Failure `usage` if a parameter is given by two of its names
 */
export const toNeutralGiven = (
  given: Given,
  raw: SpelledFlags,
  command: CommandFacts,
  words: Words,
): Given => {
  const params = Object.values(command.endpoints).map((endpoint) => endpoint.params)
  const spelled = new SpelledNames(params, words)
  for (const { name, parameter } of command.flags)
    if (parameter !== undefined && raw.flags.has(name))
      spelled.see(parameter, getWrittenName(raw, name, parameter))
  const { extra, input } = given
  const renamed = Object.entries(extra).map(([name, value]) => [spelled.take(name), value] as const)
  return {
    ...given,
    naming: words,
    flags: translateFlags(given, command, spelled, words),
    extra: Object.fromEntries(renamed),
    input: input && spelled.all(input),
  }
}

// The words of several instances: of each, of the line that asks them, and of the one answer that they write to.

/** Returns what all instances call something; if they differ, the name of the documents. */
const getAgreedName = (all: readonly string[], otherwise: string): string =>
  all.every((one) => one === all[0]) ? (all[0] ?? otherwise) : otherwise

/**
 * Fields are found by the name that any of them has, headed by one that all have, and secret where they
 * are so for one.
 * @returns undefined where none has words of its own
 */
export const mergeWords = (each: readonly (Words | undefined)[]): Words | undefined => {
  const [first, ...others] = each.filter((words) => words !== undefined)
  if (first === undefined) return undefined
  const all = [first, ...others]
  const neutral = (own: string): string =>
    all.map((words) => words.neutral(own)).find((name) => name !== own) ?? own
  return {
    ...first,
    neutral,
    name: (name) =>
      getAgreedName(
        each.map((words) => words?.name(name) ?? name),
        name,
      ),
    each: (name) => all.map((words) => words.name(neutral(name))),
    values: (of) => [...new Set(all.flatMap((words) => [...words.values(of)]))],
    named: (own) => all.some((words) => words.named(own)),
    secretEndings: [...new Set(all.flatMap(({ secretEndings }) => [...secretEndings]))],
  }
}

/** The words of an instance that has none of its own: the names of the documents. */
const documented: Words = {
  name: (name) => name,
  neutral: (own) => own,
  path: (path) => path,
  slugs: () => [],
  family: () => undefined,
  header: (name) => name,
  cookie: (name) => name,
  values: () => [],
  gone: () => undefined,
  named: () => false,
  secretEndings: [],
  check: async () => {},
}

/**
 * Combines the words of one of several instances with those of all. Its own names count first, then what another one
 * calls so, since a line says the same to each.
 */
export const combineWords = (own: Words = documented, all: Words): Words => {
  const neutral = (name: string): string => {
    const mine = own.neutral(name)
    return mine === name ? all.neutral(name) : mine
  }
  const each: Words['each'] = (name) => [own.name(neutral(name)), ...(all.each?.(name) ?? [])]
  return { ...own, neutral, each }
}

/** Finds the profiles that a text means; none if the text is wrong, which is reported when their instances are asked. */
export const findNamedProfiles = (text: string, env: NodeJS.ProcessEnv): readonly Profile[] => {
  try {
    const asked = parseProfiles(text)
    const parts = 'one' in asked ? [asked.one] : asked.several
    const store = openStore(getPaths(env))
    if (parts.some(isPattern)) return resolveProfiles(parts, store.list())
    return parts.flatMap((name) => store.get(name) ?? [])
  } catch {
    return []
  }
}

/**
 * Loads the words that a line to several instances may be written in: those of any of them.
 * @param text what it says of its profiles
 * @param load reads a vocabulary; one that cannot be read is reported when its instance is asked
 */
export const loadLineWords = async (
  text: string,
  env: NodeJS.ProcessEnv,
  load: (file: string) => Promise<Words>,
): Promise<Words | undefined> =>
  mergeWords(
    await Promise.all(
      findNamedProfiles(text, env).map(async ({ vocabulary }) =>
        vocabulary === undefined ? undefined : load(vocabulary).catch(() => undefined),
      ),
    ),
  )
