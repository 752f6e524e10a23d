/** Parses the global flags of a line to typed values. */
import { maxConcurrent } from '../../base/async.js'
import { quoteWord } from '../../base/shell-words.js'
import type { Value } from '../../catalogue/endpoint.js'
import { isSwitch, type Param } from '../../catalogue/params.js'
import { getWantedCount } from '../../client/paging.js'
import { usage } from '../../errors.js'
import type { GlobalFlagRow, Texts } from './global-flag.js'
import { globalFlagRows } from './global-flags.js'

type DeclaredFlags = typeof globalFlagRows

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

/** The parsed global flags. A flag that is not set is absent; a boolean is then false. */
export type Globals = {
  readonly [K in RequiredKeys<DeclaredFlags> as CamelCase<K>]: FlagValue<DeclaredFlags[K]>
} & {
  readonly [K in Exclude<
    keyof DeclaredFlags,
    RequiredKeys<DeclaredFlags>
  > as CamelCase<K>]?: Exclude<FlagValue<DeclaredFlags[K]>, undefined>
}

/** Global flags that choose the records of a list. */
export const lineFlags = [
  'where',
  'project',
  'group',
  'all-projects',
  'all-groups',
  'recursive',
  'with-archived',
] as const

/** The flags that aggregate records in groups. */
export type GroupFlags = {
  readonly [Name in 'groupBy' | 'sum' | 'avg' | 'min' | 'max' | 'p95']?: readonly string[]
} & { readonly count?: boolean }

/** True if groups are printed: all records must then be read. */
export const isAggregate = ({ count, ...others }: GroupFlags): boolean =>
  count === true ||
  (['groupBy', 'sum', 'avg', 'min', 'max', 'p95'] as const).some(
    (name) => others[name] !== undefined,
  )

/** True if --watch or --wait-until repeats a run. */
export const isRepeated = ({
  watch,
  waitUntil,
}: {
  readonly watch?: unknown
  readonly waitUntil?: unknown
}): boolean => watch !== undefined || waitUntil !== undefined

/** Returns the maximum number of concurrent requests of a run: the flag's value, or the limit of the gate. */
export const getConcurrencyLimit = ({
  concurrency = 'auto',
}: Pick<Globals, 'concurrency'>): number => (concurrency === 'auto' ? maxConcurrent : concurrency)

/** Converts the key of a global flag to its typed form: `allProjects` becomes `--all-projects`. */
const toGlobalFlagName = (name: keyof Globals): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Flags that say how an instance is reached, and as which user. Commands that start further lines pass them on. */
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

/** Converts a global flag and its value to words of a line; no words if the flag is not set. */
export const toFlagWords = (name: keyof Globals, value: unknown): readonly string[] => {
  const flag = toGlobalFlagName(name)
  if (name === 'verbose') return Array.from({ length: Number(value) }, () => flag)
  if (typeof value === 'boolean') return value ? [flag] : []
  if (value === undefined) return []
  const text = String(value)
  return text.startsWith('-') ? [`${flag}=${text}`] : [flag, text]
}

/** The flags that select the instance of a line, and as whom it is asked. */
const instanceFlags = ['baseUrl', 'insecure', 'profile', 'sandbox', 'sudo'] as const

export type InstanceGlobals = Partial<Pick<Globals, (typeof instanceFlags)[number]>>

/** Adds the flags that select the instance of a line to another line, which then asks the same instance. */
export const addInstanceFlags = (line: string, globals: InstanceGlobals): string =>
  [line, ...instanceFlags.flatMap((name) => toFlagWords(name, globals[name])).map(quoteWord)].join(
    ' ',
  )

const toCamelCase = (name: string): string =>
  name.replace(/-(\w)/g, (_, c: string) => c.toUpperCase())

interface FlagContext {
  readonly given: Texts
  /** The names of all flags that the line sets. */
  readonly line: ReadonlySet<string>
  readonly env: NodeJS.ProcessEnv
  readonly parse: (param: Param, texts: readonly string[], label: string) => unknown
}

/** Reads the value of one flag of a line. */
const readFlag = (
  name: string,
  flag: GlobalFlagRow,
  { given, line, env, parse }: FlagContext,
): unknown => {
  if (flag.read !== undefined) return flag.read(given, env, line)
  if (isSwitch(flag.param)) return given?.at(-1) === 'true'
  if (given === undefined) return undefined
  if (flag.optionalValue === true && given.at(-1) === '') return flag.param.default
  const value = parse(flag.param, given, `--${name}`)
  // An unset variable of a script must not choose no fields or groups.
  if (Array.isArray(value) && value.length === 0) throw usage(`--${name} requires a value`)
  return value
}

/**
 * Reads the global flags of a line.
 * @param texts the texts of each flag, by its name
 * @param parse converts the texts of a flag by the rules of its parameter
 * @throws Failure `usage` if a value is invalid
 */
export const readGlobals = (
  texts: ReadonlyMap<string, readonly string[]>,
  env: NodeJS.ProcessEnv,
  parse: FlagContext['parse'],
): Globals => {
  const globals: Record<string, unknown> = {}
  const line = new Set(texts.keys())
  for (const [name, flag] of Object.entries<GlobalFlagRow>(globalFlagRows)) {
    const value = readFlag(name, flag, { given: texts.get(name), line, env, parse })
    if (value !== undefined) globals[toCamelCase(name)] = value
  }
  // The loop sets each key to the type that `Globals` declares; the compiler cannot follow that.
  return globals as Globals
}

/** Returns the maximum number of records of a line, over all of its parents and instances. */
export const getMaxRecords = (
  globals: Pick<Globals, 'limit' | 'page' | 'perPage' | 'sort'> & GroupFlags,
): number => {
  // Sorting and grouping need every record.
  if (globals.sort !== undefined || isAggregate(globals)) return Number.POSITIVE_INFINITY
  return getWantedCount(globals) ?? Number.POSITIVE_INFINITY
}
