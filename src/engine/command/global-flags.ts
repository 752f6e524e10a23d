import { formatNames, formatSpellings } from '../../catalogue/formats.js'
import type { ParameterFlag } from '../../catalogue/index.js'
import { boolean, integer, list, oneOf, string } from '../../catalogue/params.js'
import {
  defaultLimit,
  defaultMaxWait,
  defaultRetries,
  defaultTimeout,
  largestPage,
  longestMaxWait,
} from '../../client/defaults.js'
import { usage } from '../../errors.js'
import type { Flag, FlagGroup } from './description.js'
import type { GlobalFlagRow, Texts } from './global-flag.js'
import { isSandboxChosen } from './instance-flags.js'

const declare = <const F extends Readonly<Record<string, GlobalFlagRow>>>(flags: F): F => flags

/** Returns texts as they are: an expression has commas of its own, so each is one text. */
const keepExpressions = (texts: Texts): Texts => texts

// The flags of commands that list: how many records, which of them, and in which order.

const limit = (texts: Texts): number | 'all' | undefined => {
  const text = texts?.at(-1)
  if (text === undefined || text === 'all') return text
  const n = Number(text)
  if (!/^\d+$/.test(text) || n < 1)
    throw usage(`--limit must be a number of at least 1, or "all", not "${text}"`)
  return n
}

const paging = declare({
  page: { param: integer('page to fetch', { min: 1 }) },
  'per-page': { param: integer('records per page', { min: 1, max: largestPage }) },
})

const choosing = declare({
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
    read: keepExpressions,
  },
})

const comparing = declare({
  since: { param: string('show what changed since a snapshot', { placeholder: 'folder' }) },
  'all-fields': { param: boolean('with --since: include fields that change by themselves') },
})

const ordering = declare({
  sort: {
    param: list('string', 'sort all records by fields: name,-created_at', {
      placeholder: 'field,-field',
      completes: 'field',
    }),
  },
})

const field = { completes: 'field', placeholder: 'field' } as const

/** Groups of records in the place of the records. */
const aggregating = declare({
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

// The flags of commands that only read: until when they go on, round after round.

const repeating = declare({
  'wait-until': {
    aliases: ['until'],
    param: string('repeat until all records match; repeat for "or"', {
      placeholder: 'expr',
      completes: 'condition',
    }),
    read: keepExpressions,
    repeats: true,
  },
  'wait-timeout': {
    aliases: ['until-timeout'],
    param: integer('maximum seconds for --wait-until; then exit 1', { min: 1 }),
    repeats: true,
  },
})

const writing = declare({
  strict: { param: boolean('fail (exit 1) if the instance ignored an attribute') },
})

const selecting = declare({
  select: {
    param: string('select objects by filter instead of by ID', {
      placeholder: 'expr',
      completes: 'condition',
    }),
    read: keepExpressions,
  },
})

/** Of commands whose objects have attributes. */
const sheets = declare({
  'row-fields': {
    param: list('string', 'with -: columns to use as attributes of each object', {
      placeholder: 'columns',
    }),
  },
})

const journalling = declare({
  journal: {
    param: string('journal file for the results, or "none"', {
      placeholder: 'file|none',
      completes: 'file',
      writes: true,
    }),
  },
  resume: {
    param: string('resume a run from its journal ("last" for the latest)', {
      placeholder: 'file|last',
      completes: 'run',
    }),
  },
})

/** The flags that say what a journal records of its objects. */
const recording = declare({
  'undo-record': {
    param: boolean('record previous values so that the run can be undone'),
    refusal: 'do not record previous values; the run cannot be undone',
    read: (texts) => texts?.at(-1) !== 'false',
  },
})

const sharding = declare({
  shard: {
    param: string('process one shard, such as 3/8, or the CI job’s own (ci)', {
      placeholder: '3/8|ci',
    }),
  },
})

const rehearsing = declare({
  'dry-run': { param: boolean('preview the changes; send no writes') },
  save: { param: boolean('with --dry-run: save the plan for "journal run"') },
})

const spreading = declare({
  'all-projects': { param: boolean('run for all projects that you can see') },
  'all-groups': { param: boolean('run for all groups that you can see') },
  recursive: {
    param: boolean('with --group: include its subgroups and all their projects'),
    read: (texts) => (texts === undefined ? undefined : texts.at(-1) === 'true'),
  },
  'with-archived': { param: boolean('include archived projects') },
})

// The flags of all that send a request, and of everything.

/** Requests at once, as many as anybody may ask for. */
const maxAtOnce = 64

const parseConcurrency = (texts: Texts): number | 'auto' | undefined => {
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
  from: { param: string('answer from snapshots, not the instance', { placeholder: 'folder' }) },
  sandbox: {
    param: boolean('use the embedded instance'),
    read: (texts, env, line) =>
      texts === undefined ? isSandboxChosen(env, line) : texts.at(-1) === 'true',
  },
  sudo: { param: string('act as this user (ID or username)') },
  timeout: {
    param: integer('seconds to wait for a response', { min: 1, default: defaultTimeout }),
  },
  retries: {
    param: integer('number of retries per request', { min: 0, default: defaultRetries }),
  },
  'max-wait': {
    param: integer('seconds that rate limits (429) or maintenance may last', {
      min: 0,
      max: longestMaxWait,
      default: defaultMaxWait,
    }),
  },
  concurrency: {
    param: string('concurrent requests', { default: 'auto', placeholder: 'n|auto' }),
    read: parseConcurrency,
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
  output: {
    param: oneOf(formatNames, 'output format', { default: 'table' }),
    short: 'o',
    spellings: formatSpellings,
  },
  to: { param: string('write the output to a file', { completes: 'file', writes: true }) },
  open: { param: boolean('with -o html: show the page in a browser') },
  fields: {
    param: list('string', 'columns or keys to show; dots select nested fields', {
      completes: 'field',
    }),
  },
  jq: {
    param: string('filter JSON by a jq expression; prints strings raw', {
      placeholder: 'expr',
    }),
  },
  slurp: { param: boolean('with --jq: pass all records to the expression as one array') },
  headers: {
    param: boolean('print a header line in tables and csv'),
    refusal: 'print no header line in tables and csv',
    read: (texts) => texts?.at(-1) !== 'false',
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
  color: {
    param: oneOf(['auto', 'always', 'never'], 'when to use color', { default: 'auto' }),
    refusedValue: 'never',
  },
  pager: {
    param: boolean('use a pager for long output'),
    refusal: 'do not use a pager',
    read: (texts) => texts?.at(-1) !== 'false',
  },
  help: { param: boolean('show this help'), short: 'h' },
})

const titling = declare({
  'page-title': { param: string('with -o html: title of the page', { placeholder: 'text' }) },
})

const viewing = declare({
  web: {
    param: boolean(
      'open the web page of the object or list in a browser; without a display, print its URL',
    ),
  },
})

/**
 * The flags of every command that sends a request. A parameter of the API that has the name of one of them does not
 * compile: it needs a `name` of its own in the catalogue.
 */
const everywhere = { ...requesting, ...printing, ...viewing } satisfies Readonly<
  Record<string, GlobalFlagRow>
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
  ...titling,
  ...everywhere,
}
const createFlags = (
  flags: Readonly<Record<string, GlobalFlagRow>>,
  group: FlagGroup,
): readonly Flag[] =>
  Object.entries(flags).map(([name, { read: _, ...row }]) => ({
    ...row,
    name,
    group,
    required: false,
  }))

/** The flags of all commands, by who takes them. */
export const flagSets = {
  /** Commands that list. */
  paging: [...createFlags(choosing, 'many'), ...createFlags(paging, 'paging')],
  /** Commands that list; one whose API has a parameter of that name keeps its own, which takes fields as well. */
  sort: createFlags(ordering, 'many'),
  /** Commands that list, whose API has no parameter of that name. */
  group: createFlags(aggregating, 'many'),
  /** Commands that list, by which an answer is held against a snapshot. */
  since: createFlags(comparing, 'many'),
  /** Commands that change something and are answered with what they changed; `ci lint` has its own --strict. */
  write: createFlags(writing, 'command'),
  /** Commands that write; those whose API has a trial of its own have its flag of that name. */
  rehearsal: createFlags(rehearsing, 'command'),
  /** Commands that have a form for a project or a group. */
  spread: createFlags(spreading, 'many'),
  /** Commands that may be repeated. */
  repeat: createFlags(repeating, 'output'),
  /** Commands that change several objects. */
  select: createFlags(selecting, 'many'),
  /** Commands whose objects may come with attributes of their own. */
  sheet: createFlags(sheets, 'many'),
  /** Commands that keep a journal of what they change. */
  journal: createFlags(journalling, 'many'),
  /** Commands that record what was there before. */
  record: createFlags(recording, 'command'),
  /** Commands that work on many objects. */
  shard: createFlags(sharding, 'many'),
  /** Commands that send a request. */
  request: createFlags(requesting, 'instance'),
  /** Commands that only read, whose API has no parameter of that name. */
  title: createFlags(titling, 'output'),
  /** Commands that show an object with a page of its own. */
  page: createFlags(viewing, 'output'),
  /** Everything. */
  output: createFlags(printing, 'output'),
}

const { paging: pages, spread, request, output, title, page } = flagSets
export const globalFlags: readonly Flag[] = [pages, spread, request, output, title, page].flat()
