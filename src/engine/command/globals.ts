/** The values of the global flags, those that many commands have: parsed and typed. */
import { maxConcurrent } from '../../base/async.js'
import type { Value } from '../../catalogue/endpoint.js'
import { getParamValues, isSwitch, type Param } from '../../catalogue/params.js'
import { defaultLimit } from '../../client/defaults.js'
import type { Flag } from './description.js'
import type { GlobalFlagRow, Texts } from './global-flag.js'
import { declared } from './global-flags.js'

type DeclaredFlags = typeof declared

type CamelCase<S> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S
type FlagValue<F> = F extends { read: (...args: never[]) => infer T }
  ? T
  : F extends { param: { type: 'boolean' } }
    ? boolean
    : F extends { param: infer P }
      ? Value<P> | undefined
      : never
type RequiredKeys<G> = { [K in keyof G]: undefined extends FlagValue<G[K]> ? never : K }[keyof G]

/** The flags that every command has, parsed. Absent is what was not given, but for booleans. */
export type Globals = {
  readonly [K in RequiredKeys<DeclaredFlags> as CamelCase<K>]: FlagValue<DeclaredFlags[K]>
} & {
  readonly [K in Exclude<
    keyof DeclaredFlags,
    RequiredKeys<DeclaredFlags>
  > as CamelCase<K>]?: Exclude<FlagValue<DeclaredFlags[K]>, undefined>
}

/** Global flags that say which records of a list are meant. */
export const lineFlags = [
  'where',
  'project',
  'group',
  'all-projects',
  'all-groups',
  'recursive',
  'with-archived',
] as const

/** Returns the values of the API's own flag of that name; every other text names fields. */
export const getOwnOrders = ({ param }: Pick<Flag, 'param'>): readonly string[] =>
  getParamValues(param)

/** The flags that ask for groups of records. */
export type GroupFlags = {
  readonly [Name in 'groupBy' | 'sum' | 'avg' | 'min' | 'max' | 'p95']?: readonly string[]
} & { readonly count?: boolean }

/** True if groups are printed: then all records are read. */
export const isAggregate = ({ count, ...others }: GroupFlags): boolean =>
  count === true ||
  (['groupBy', 'sum', 'avg', 'min', 'max', 'p95'] as const).some(
    (name) => others[name] !== undefined,
  )

/** True if a run is repeated, round after round. */
export const isRepeated = ({
  watch,
  waitUntil,
}: {
  readonly watch?: unknown
  readonly waitUntil?: unknown
}): boolean => watch !== undefined || waitUntil !== undefined

/** Returns the number of requests that a run sends at once: the flag's value, else as many as a gate lets go. */
export const getConcurrencyLimit = ({
  concurrency = 'auto',
}: Pick<Globals, 'concurrency'>): number => (concurrency === 'auto' ? maxConcurrent : concurrency)

/** Converts the name of a global flag to the flag as it is typed: `--all-projects` for `allProjects`. */
const toGlobalFlagName = (name: keyof Globals): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Flags that say how an instance is reached, and as whom: every further line about it has them, too. */
export const reachingFlags = [
  'baseUrl',
  'concurrency',
  'insecure',
  'maxWait',
  'profile',
  'rate',
  'retries',
  'sandbox',
  'sudo',
  'timeout',
] as const satisfies readonly (keyof Globals)[]

/** Converts a global flag and its value to the words of a line; none if it was not given. */
export const toFlagWords = (name: keyof Globals, value: unknown): readonly string[] => {
  const flag = toGlobalFlagName(name)
  if (typeof value === 'boolean') return value ? [flag] : []
  if (value === undefined) return []
  const text = String(value)
  return text.startsWith('-') ? [`${flag}=${text}`] : [flag, text]
}

const toCamelCase = (name: string): string =>
  name.replace(/-(\w)/g, (_, c: string) => c.toUpperCase())

interface FlagContext {
  readonly given: Texts
  /** The names of all flags of the line. */
  readonly line: ReadonlySet<string>
  readonly env: NodeJS.ProcessEnv
  readonly parse: (param: Param, texts: readonly string[], label: string) => unknown
}

/** Returns the value that a line gives to one flag. */
const readFlag = (
  name: string,
  flag: GlobalFlagRow,
  { given, line, env, parse }: FlagContext,
): unknown => {
  if (flag.read !== undefined) return flag.read(given, env, line)
  if (isSwitch(flag.param)) return given?.at(-1) === 'true'
  if (given === undefined) return undefined
  if (flag.optionalValue === true && given.at(-1) === '') return flag.param.default
  return parse(flag.param, given, `--${name}`)
}

/**
 * Reads the global flags of a command line.
 * @param texts what was given of each, by name
 * @param parse a flag's texts by its parameter
 * @throws Failure `usage` for a value that a flag does not take
 */
export const readGlobals = (
  texts: ReadonlyMap<string, readonly string[]>,
  env: NodeJS.ProcessEnv,
  parse: FlagContext['parse'],
): Globals => {
  const globals: Record<string, unknown> = {}
  const line = new Set(texts.keys())
  for (const [name, flag] of Object.entries<GlobalFlagRow>(declared)) {
    const value = readFlag(name, flag, { given: texts.get(name), line, env, parse })
    if (value !== undefined) globals[toCamelCase(name)] = value
  }
  // What `Globals` says of each name, this loop does: the compiler cannot follow it there.
  return globals as Globals
}

/** Returns how many records a line has at most, over all of its parents and instances. */
export const getMostRecords = (
  globals: Pick<Globals, 'limit' | 'perPage' | 'sort'> & GroupFlags,
): number => {
  const { limit, perPage, sort } = globals
  // Which are the first of all is known behind the last.
  if (sort !== undefined || isAggregate(globals)) return Number.POSITIVE_INFINITY
  if (limit !== undefined) return limit === 'all' ? Number.POSITIVE_INFINITY : limit
  return perPage === undefined ? defaultLimit : Number.POSITIVE_INFINITY
}
