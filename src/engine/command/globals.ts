/**
 * The flags that every command has, each declared once: the parser, help, completions, documents and
 * the type `Globals` derive from it. A flag that is added here is a field of `Globals` at once.
 */
import { maxConcurrent } from '../../base/async.js'
import type { Value } from '../../catalogue/endpoint.js'
import type { ParameterFlag } from '../../catalogue/index.js'
import {
  boolean,
  integer,
  isSwitch,
  list,
  oneOf,
  type Param,
  string,
} from '../../catalogue/params.js'
import { defaultRetries, defaultTimeout } from '../../client/defaults.js'
import { usage } from '../../errors.js'
import { formatNames } from '../../output/formats.js'
import type { Flag, FlagGroup } from './described.js'
import {
  aggregating,
  choosing,
  comparing,
  type Declared,
  declare,
  journalling,
  ordering,
  paging,
  recording,
  rehearsing,
  repeating,
  selecting,
  sharding,
  sheets,
  spreading,
  type Texts,
  writing,
} from './many-flags.js'

/** Requests at once, as many as anybody may ask for. */
const maxAtOnce = 64

const isSet = (text: string | undefined): boolean =>
  text !== undefined && text !== '' && text !== '0' && text !== 'false'

const concurrency = (texts: Texts): number | 'auto' | undefined => {
  const text = texts?.at(-1)
  if (text === undefined || text === 'auto') return text
  const n = Number(text)
  if (!/^\d+$/.test(text) || n < 1 || n > maxAtOnce)
    throw usage(`--concurrency must be a number from 1 to ${maxAtOnce} or "auto", not "${text}"`)
  return n
}

const requesting = declare({
  profile: {
    param: string('profile; several with a,b, prod-* or @tag', {
      completes: 'profiles',
      placeholder: 'name',
    }),
    short: 'p',
  },
  'all-profiles': { param: boolean('run on the instances of all profiles') },
  tolerate: {
    param: list('enum', 'errors to report without failing', {
      values: ['forbidden', 'not_found', 'unreachable'],
    }),
  },
  'base-url': { param: string('base URL of the instance', { format: 'url' }) },
  from: { param: string('answer from a snapshot, not the instance', { placeholder: 'folder' }) },
  sandbox: {
    param: boolean('use the embedded instance'),
    read: (texts, env) => (texts === undefined ? isSet(env.SVC_SANDBOX) : texts.at(-1) === 'true'),
  },
  sudo: { param: string('act as this user (ID or username)') },
  timeout: {
    param: integer('seconds to wait for a response', { min: 1, default: defaultTimeout }),
  },
  retries: {
    param: integer('number of retries per request', { min: 0, default: defaultRetries }),
  },
  concurrency: {
    param: string('concurrent requests', { default: 'auto', placeholder: 'n|auto' }),
    read: concurrency,
  },
  rate: {
    param: string('maximum requests per second or minute (100/s, 600/min)', {
      placeholder: 'n/s',
    }),
  },
  'max-failures': {
    param: string('stop after this many failed objects (5, 10%)', { placeholder: 'n|n%' }),
  },
  insecure: { param: boolean('do not verify the TLS certificate of the instance') },
  curl: { param: boolean('print the request as a curl command; send nothing') },
})

const printing = declare({
  output: { param: oneOf(formatNames, 'output format', { default: 'table' }), short: 'o' },
  to: { param: string('write the output to a file', { placeholder: 'file' }) },
  open: { param: boolean('with -o html: show the page in a browser') },
  fields: {
    param: list('string', 'columns or keys to show; dots select nested fields', {
      completes: 'field',
    }),
  },
  'show-secrets': { param: boolean('show tokens, keys and passwords unmasked') },
  'csv-raw': { param: boolean('do not escape cells that spreadsheets run as formulas') },
  watch: {
    param: integer('repeat every n seconds', { min: 1, default: 2 }),
    optionalValue: true,
    repeats: true,
  },
  yes: { param: boolean('confirm everything without asking'), short: 'y' },
  confirm: {
    param: string('confirm a protected profile by name, with --yes (repeatable)'),
  },
  quiet: { param: boolean('print no notes on standard error'), short: 'q' },
  verbose: {
    param: boolean('trace requests (-vv: with bodies)'),
    short: 'v',
    read: (texts) => (texts ?? []).filter((text) => text === 'true').length,
  },
  color: { param: oneOf(['auto', 'always', 'never'], 'when to use color', { default: 'auto' }) },
  pager: {
    param: boolean('use a pager for long output'),
    refusal: 'do not use a pager',
    read: (texts) => texts?.at(-1) !== 'false',
  },
  help: { param: boolean('show this help'), short: 'h' },
})

const viewing = declare({
  web: {
    param: boolean('open the object’s web page in a browser; without a display, print its URL'),
  },
})

/**
 * Those of every command that sends a request. A parameter of the API that has the name of one of them does not
 * compile: it needs a `name` of its own in the catalogue.
 */
const everywhere = { ...requesting, ...printing, ...viewing } satisfies Readonly<
  Record<string, Declared>
> & {
  readonly [Name in ParameterFlag]?: never
}

/** Every one of them, by name. */
export const declared = {
  ...choosing,
  ...paging,
  ...ordering,
  ...aggregating,
  ...comparing,
  ...repeating,
  ...writing,
  ...selecting,
  ...sheets,
  ...journalling,
  ...recording,
  ...sharding,
  ...rehearsing,
  ...spreading,
  ...everywhere,
}
type All = typeof declared

type Camel<S> = S extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S
type Parsed<F> = F extends { read: (...args: never[]) => infer T }
  ? T
  : F extends { param: { type: 'boolean' } }
    ? boolean
    : F extends { param: infer P }
      ? Value<P> | undefined
      : never
type Always<G> = { [K in keyof G]: undefined extends Parsed<G[K]> ? never : K }[keyof G]

/** The flags that every command has, parsed. Absent is what was not given, but for booleans. */
export type Globals = {
  readonly [K in Always<All> as Camel<K>]: Parsed<All[K]>
} & {
  readonly [K in Exclude<keyof All, Always<All>> as Camel<K>]?: Exclude<Parsed<All[K]>, undefined>
}

const flagsOf = (flags: Readonly<Record<string, Declared>>, group: FlagGroup): readonly Flag[] =>
  Object.entries(flags).map(
    ([name, { param, short, aliases, optionalValue, refusal, repeats }]) => ({
      name,
      group,
      param,
      required: false,
      short,
      aliases,
      optionalValue,
      refusal,
      repeats,
    }),
  )

/** Flags of commands that list. */
export const pagingFlags = [...flagsOf(choosing, 'many'), ...flagsOf(paging, 'paging')]

/** Flags of commands that list; one whose API has a parameter of that name keeps its own, which takes fields as well. */
export const sortFlags = flagsOf(ordering, 'many')

/** Flags of commands that list, whose API has no parameter of that name. */
export const groupFlags = flagsOf(aggregating, 'many')

/** Flags of commands that list, by which an answer is held against a snapshot. */
export const sinceFlags = flagsOf(comparing, 'many')

/** Flags of commands that change something and are answered with what they changed; `ci lint` has its own --strict. */
export const writeFlags = flagsOf(writing, 'command')

/** Flags of commands that write; those whose API has a trial of its own have its flag of that name. */
export const rehearsalFlags = flagsOf(rehearsing, 'command')

/** Flags of commands that have a form for a project or a group. */
export const spreadFlags = flagsOf(spreading, 'many')

/** Flags of commands that may be repeated. */
export const repeatFlags = flagsOf(repeating, 'output')

/** Flags of commands that change several objects. */
export const selectFlags = flagsOf(selecting, 'many')

/** Flags of commands whose objects may come with attributes of their own. */
export const sheetFlags = flagsOf(sheets, 'many')

/** Flags of commands that keep a journal of what they change. */
export const journalFlags = flagsOf(journalling, 'many')

/** Flags of those that keep what was there before. */
export const recordFlags = flagsOf(recording, 'command')

/** Flags of those that work on many objects. */
export const shardFlags = flagsOf(sharding, 'many')

/** Flags of commands that send a request. */
export const requestFlags = flagsOf(requesting, 'instance')

/** Flags of everything. */
export const outputFlags = flagsOf(printing, 'output')

/** Flags of commands that show an object with a page of its own. */
export const pageFlags = flagsOf(viewing, 'output')

export const globalFlags: readonly Flag[] = [
  ...pagingFlags,
  ...spreadFlags,
  ...requestFlags,
  ...outputFlags,
  ...pageFlags,
]

/** How many requests a run sends at once: the flag, else as many as a gate lets go. */
export const concurrencyLimit = ({ concurrency = 'auto' }: Pick<Globals, 'concurrency'>): number =>
  concurrency === 'auto' ? maxConcurrent : concurrency

/** A global flag as it is typed: `--all-projects` for `allProjects`. */
export const spelledGlobal = (name: keyof Globals): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

const camel = (name: string): string => name.replace(/-(\w)/g, (_, c: string) => c.toUpperCase())

interface FlagReading {
  readonly given: Texts
  readonly env: NodeJS.ProcessEnv
  readonly parse: (param: Param, texts: readonly string[], label: string) => unknown
}

/** What a line says by one flag. */
const readFlag = (name: string, flag: Declared, { given, env, parse }: FlagReading): unknown => {
  if (flag.read !== undefined) return flag.read(given, env)
  if (isSwitch(flag.param)) return given?.at(-1) === 'true'
  if (given === undefined) return undefined
  if (flag.optionalValue === true && given.at(-1) === '') return flag.param.default
  return parse(flag.param, given, `--${name}`)
}

/**
 * The flags of a command line.
 * @param texts what was given of each, by name
 * @param parse a flag's texts by its parameter
 * @throws Failure `usage` for a value that a flag does not take
 */
export const readGlobals = (
  texts: ReadonlyMap<string, readonly string[]>,
  env: NodeJS.ProcessEnv,
  parse: FlagReading['parse'],
): Globals => {
  const globals: Record<string, unknown> = {}
  for (const [name, flag] of Object.entries<Declared>(declared)) {
    const value = readFlag(name, flag, { given: texts.get(name), env, parse })
    if (value !== undefined) globals[camel(name)] = value
  }
  // What `Globals` says of each name, this loop does: the compiler cannot follow it there.
  return globals as Globals
}
