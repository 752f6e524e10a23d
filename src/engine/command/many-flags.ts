/** The flags of commands that write, and of those that work on many objects. */
import { boolean, integer, list, type Param, string, valuesOf } from '../../catalogue/params.js'
import { defaultLimit, largestPage } from '../../client/defaults.js'
import { usage } from '../../errors.js'
import type { Flag } from './described.js'

// How a global flag is declared.

/** Texts as they were given, in order; booleans as 'true' and 'false'. Undefined where it was not. */
export type Texts = readonly string[] | undefined

export interface Declared {
  readonly param: Param
  readonly short?: string
  /** Earlier spellings that are accepted and not shown. */
  readonly aliases?: readonly string[]
  /** The value may be left out; then the default counts. */
  readonly optionalValue?: true
  /** A boolean that is on by itself: only `--no-…` is shown, with this text. */
  readonly refusal?: string
  /** Runs the command again and again: only for those that may be repeated. */
  readonly repeats?: true
  /** How its texts are understood, where that is not what its parameter says. */
  readonly read?: (texts: Texts, env: NodeJS.ProcessEnv) => unknown
}

export const declare = <const F extends Readonly<Record<string, Declared>>>(flags: F): F => flags

/** An expression has commas of its own: each is one text. */
const expressions = (texts: Texts): Texts => texts

// The flags of commands that list: how many records, which of them, and in which order.

const limit = (texts: Texts): number | 'all' | undefined => {
  const text = texts?.at(-1)
  if (text === undefined || text === 'all') return text
  const n = Number(text)
  if (!/^\d+$/.test(text) || n < 1)
    throw usage(`--limit must be a number of at least 1, or "all", not "${text}"`)
  return n
}

export const paging = declare({
  page: { param: integer('page to fetch', { min: 1 }) },
  'per-page': { param: integer('records per page', { min: 1, max: largestPage }) },
})

export const choosing = declare({
  limit: {
    param: string('maximum number of records', { default: defaultLimit, placeholder: 'n|all' }),
    short: 'L',
    read: limit,
  },
  where: {
    param: string('filter records by condition; repeat for "or"', {
      placeholder: 'expr',
      completes: 'condition',
    }),
    read: expressions,
  },
})

export const comparing = declare({
  since: { param: string('show what changed since a snapshot', { placeholder: 'folder' }) },
  'all-fields': { param: boolean('with --since: include fields that change by themselves') },
})

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

export const ordering = declare({
  sort: {
    param: list('string', 'sort all records by fields: name,-created_at', {
      placeholder: 'field,-field',
      completes: 'field',
    }),
  },
})

/** The values of the API's own flag of that name; every other text names fields. */
export const ownOrders = ({ param }: Pick<Flag, 'param'>): readonly string[] => valuesOf(param)

/** The API's own flag of that name, which takes fields as well. */
export const withFields = (flag: Flag): Flag => ({
  ...flag,
  param: { ...flag.param, help: `${flag.param.help}; or fields to sort all records by: name,-id` },
})

const field = { completes: 'field', placeholder: 'field' } as const

/** Groups of records in the place of the records. */
export const aggregating = declare({
  'group-by': {
    param: list(
      'string',
      'print groups of records by fields; times by :hour, :day, :week or :month',
      {
        completes: 'field',
        placeholder: 'fields',
      },
    ),
  },
  count: { param: boolean('count the records of each group') },
  sum: { param: list('string', 'add up the values of a field', field) },
  avg: { param: list('string', 'average value of a field', field) },
  min: { param: list('string', 'smallest value of a field', field) },
  max: { param: list('string', 'largest value of a field', field) },
  p95: { param: list('string', '95th percentile of a field', field) },
})

/** What groups are asked for by. */
export type GroupFlags = {
  readonly [Name in 'groupBy' | 'sum' | 'avg' | 'min' | 'max' | 'p95']?: readonly string[]
} & { readonly count?: boolean }

/** Whether groups are printed: then all records are read. */
export const isAggregate = ({ count, ...others }: GroupFlags): boolean =>
  count === true ||
  (['groupBy', 'sum', 'avg', 'min', 'max', 'p95'] as const).some(
    (name) => others[name] !== undefined,
  )

// The flags of commands that only read: until when they go on, round after round.

export const repeating = declare({
  'wait-until': {
    aliases: ['until'],
    param: string('repeat until all records match; repeat for "or"', {
      placeholder: 'expr',
      completes: 'condition',
    }),
    read: expressions,
    repeats: true,
  },
  'wait-timeout': {
    aliases: ['until-timeout'],
    param: integer('maximum seconds for --wait-until; then exit 1', { min: 1 }),
    repeats: true,
  },
})

/** Whether a run goes on, round after round. */
export const isRepeated = ({
  watch,
  waitUntil,
}: {
  readonly watch?: unknown
  readonly waitUntil?: unknown
}): boolean => watch !== undefined || waitUntil !== undefined

export const writing = declare({
  strict: { param: boolean('fail (exit 1) if the instance ignored an attribute') },
})

export const selecting = declare({
  select: {
    param: string('select objects by filter instead of by ID', {
      placeholder: 'expr',
      completes: 'condition',
    }),
    read: expressions,
  },
})

/** Of commands whose objects have attributes. */
export const sheets = declare({
  'row-fields': {
    param: list('string', 'with -: columns to use as attributes of each object', {
      placeholder: 'columns',
    }),
  },
})

export const journalling = declare({
  journal: {
    param: string('journal file for the results, or "none"', {
      placeholder: 'file|none',
      completes: 'file',
    }),
  },
  resume: {
    param: string('resume a run from its journal ("last" for the latest)', {
      placeholder: 'file|last',
    }),
  },
})

/** What a journal keeps of its objects. */
export const recording = declare({
  'undo-record': {
    param: boolean('record previous values so that the run can be undone'),
    refusal: 'do not record previous values; the run cannot be undone',
    read: (texts) => texts?.at(-1) !== 'false',
  },
})

export const sharding = declare({
  shard: {
    param: string('process one shard, such as 3/8, or the CI job’s own (ci)', {
      placeholder: '3/8|ci',
    }),
  },
})

export const rehearsing = declare({
  'dry-run': { param: boolean('preview the changes; send no writes') },
})

export const spreading = declare({
  'all-projects': { param: boolean('run for all projects that you can see') },
  'all-groups': { param: boolean('run for all groups that you can see') },
  recursive: {
    param: boolean('with --group: include its subgroups and all their projects'),
    read: (texts) => (texts === undefined ? undefined : texts.at(-1) === 'true'),
  },
  'with-archived': { param: boolean('include archived projects') },
})
