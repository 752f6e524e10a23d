/** Declares the flags that many commands have, in sets by purpose. */

import { formatNames, formatSpellings } from '../../catalogue/formats.js'
import type { ParameterFlag } from '../../catalogue/index.js'
import { boolean, integer, list, oneOf, seconds, string } from '../../catalogue/params.js'
import {
  defaultLimit,
  defaultMaxWait,
  defaultRetries,
  defaultTimeout,
  largestPage,
  longestWait,
} from '../../client/defaults.js'
import type { Flag, FlagGroup } from './description.js'
import {
  type GlobalFlagRow,
  isSandboxChosen,
  parseConcurrency,
  parseFailureLimit,
  parseLimit,
  readExpressions,
} from './global-flag.js'

const declare = <const F extends Readonly<Record<string, GlobalFlagRow>>>(flags: F): F => flags

// Flags for commands that list: limits, filters and order.

const paging = declare({
  page: { param: integer('page to fetch', { min: 1 }) },
  'per-page': { param: integer('records per page', { min: 1, max: largestPage }) },
})

const choosing = declare({
  limit: {
    param: string('maximum number of records', {
      default: defaultLimit,
      words: ['all'],
      placeholder: 'n|all',
    }),
    short: 'L',
    read: parseLimit,
  },
  where: {
    param: string('filter records by condition; repeat for "or"', {
      placeholder: 'expr',
      completes: 'condition',
    }),
    read: readExpressions('where'),
  },
})

const folder = { completes: 'file', placeholder: 'folder' } as const

const comparing = declare({
  since: { param: string('show what changed since a snapshot', folder) },
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

/** Flags that print groups of records instead of records. */
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

// Flags that repeat commands that only read.

const repeating = declare({
  'wait-until': {
    aliases: ['until'],
    param: string('repeat until all records match; repeat for "or"', {
      placeholder: 'expr',
      completes: 'condition',
    }),
    read: readExpressions('wait-until'),
    repeats: true,
  },
  'wait-timeout': {
    aliases: ['until-timeout'],
    param: seconds('maximum seconds for --wait-until; then exit 1', { min: 1 }),
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
    read: readExpressions('select'),
  },
})

/** Flags for commands whose objects have attributes. */
const sheets = declare({
  'row-fields': {
    param: list('string', 'with -: columns to use as attributes of each object', {
      placeholder: 'columns',
      completes: 'attribute',
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
    param: string('resume a run, or several shards of one ("last" is the latest)', {
      placeholder: 'file|last',
      completes: 'run',
    }),
  },
})

/** Flags that choose what a journal records about objects. */
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
      words: ['ci'],
      placeholder: '3/8|ci',
    }),
  },
})

const previewing = declare({
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

// Flags for commands that send requests, and for all commands.

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
  from: { param: string('answer from snapshots, not the instance', folder) },
  sandbox: {
    param: boolean('use the embedded instance'),
    read: (texts, env, line) =>
      texts === undefined ? isSandboxChosen(env, line) : texts.at(-1) === 'true',
  },
  sudo: { param: string('act as this user (ID or username)') },
  timeout: {
    param: seconds('seconds to wait for a response', {
      min: 1,
      max: longestWait,
      default: defaultTimeout,
    }),
  },
  retries: {
    param: integer('number of retries per request', { min: 0, default: defaultRetries }),
  },
  'max-wait': {
    param: seconds('seconds that rate limits (429) or maintenance may last', {
      min: 0,
      max: longestWait,
      default: defaultMaxWait,
    }),
  },
  concurrency: {
    param: string('concurrent requests', {
      default: 'auto',
      words: ['auto'],
      placeholder: 'n|auto',
    }),
    read: parseConcurrency,
  },
  rate: {
    param: string('maximum requests per second or minute (100/s, 600/min)', {
      placeholder: 'n/s',
    }),
  },
  'max-failures': {
    param: string('stop after this many failed objects (5, 10%)', { placeholder: 'n|n%' }),
    read: (texts) => parseFailureLimit(texts?.at(-1)),
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
    read: (texts) => readExpressions('jq')(texts)?.at(-1),
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
    param: seconds('repeat every n seconds', { min: 1, max: longestWait, default: 2 }),
    optionalValue: true,
    repeats: true,
  },
  yes: { param: boolean('confirm everything without asking'), short: 'y' },
  confirm: {
    param: string('confirm a protected profile by name, with --yes (repeatable)', {
      completes: 'profile',
    }),
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
 * The flags of every command that sends requests. A parameter of the API with one of these names does not compile: it
 * needs a `name` of its own in the catalogue.
 */
const everywhere = { ...requesting, ...printing, ...viewing } satisfies Readonly<
  Record<string, GlobalFlagRow>
> & {
  readonly [Name in ParameterFlag]?: never
}

/** All global flags by name. */
export const globalFlagRows = {
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
  ...previewing,
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

/** The global flags, by the commands that take them. */
export const flagSets = {
  /** Commands that list. */
  paging: [...createFlags(choosing, 'many'), ...createFlags(paging, 'paging')],
  /**
   * Commands that list. A command whose API has a parameter of that name keeps its own, which accepts fields as well.
   */
  sort: createFlags(ordering, 'many'),
  /** Commands that list and whose API has no parameter of that name. */
  group: createFlags(aggregating, 'many'),
  /** Commands that list: they compare the answer with a snapshot. */
  since: createFlags(comparing, 'many'),
  /** Commands that change objects and receive the changed object; `ci lint` has its own --strict. */
  write: createFlags(writing, 'command'),
  /** Commands that write. If the API has a dry run of its own, its flag has that name. */
  preview: createFlags(previewing, 'command'),
  /** Commands with an endpoint for a project or a group. */
  spread: createFlags(spreading, 'many'),
  /** Commands that can be repeated. */
  repeat: createFlags(repeating, 'output'),
  /** Commands that change several objects. */
  select: createFlags(selecting, 'many'),
  /** Commands whose objects can have attributes in their rows of input. */
  sheet: createFlags(sheets, 'many'),
  /** Commands that keep a journal of what they change. */
  journal: createFlags(journalling, 'many'),
  /** Commands that record previous values. */
  record: createFlags(recording, 'command'),
  /** Commands that work on many objects. */
  shard: createFlags(sharding, 'many'),
  /** Commands that send a request. */
  request: createFlags(requesting, 'instance'),
  /** Commands that only read and whose API has no parameter of that name. */
  title: createFlags(titling, 'output'),
  /** Commands that show an object with a web page. */
  page: createFlags(viewing, 'output'),
  /** All commands. */
  output: createFlags(printing, 'output'),
}

const { paging: pages, spread, request, output, title, page } = flagSets
export const globalFlags: readonly Flag[] = [pages, spread, request, output, title, page].flat()
