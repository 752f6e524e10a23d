/** The flags of commands that write, and of those that work on many objects. */
import { boolean, integer, list, string } from '../../catalogue/params.js'
import { defaultLimit, largestPage } from '../../client/defaults.js'
import { usage } from '../../errors.js'
import { declare, expressions, type Texts } from './declared.js'
import type { Flag } from './described.js'

// The flags of commands that list: how many records, which of them, and in which order.

const limit = (texts: Texts): number | 'all' | undefined => {
  const text = texts?.at(-1)
  if (text === undefined || text === 'all') return text
  const n = Number(text)
  if (!/^\d+$/.test(text) || n < 1)
    throw usage(`--limit takes a number of at least 1, or "all", not "${text}"`)
  return n
}

export const paging = declare({
  page: { param: integer('exactly this page', { min: 1 }) },
  'per-page': { param: integer('records a page', { min: 1, max: largestPage }) },
})

export const choosing = declare({
  limit: {
    param: string('how many records', { default: defaultLimit, placeholder: 'n|all' }),
    short: 'L',
    read: limit,
  },
  where: {
    param: string('only records that match; repeated: or', {
      placeholder: 'expr',
      completes: 'condition',
    }),
    read: expressions,
  },
})

export const ordering = declare({
  sort: {
    param: list('string', 'sort all records by fields: name,-created_at', {
      placeholder: 'field,-field',
      completes: 'field',
    }),
  },
})

/** The values of the API's own flag of that name: any other text of it names fields. */
export const ownOrders = ({ param }: Pick<Flag, 'param'>): readonly string[] =>
  param.type === 'enum' ? (param.values ?? []) : []

/** The API's own flag of that name, which takes fields as well. */
export const withFields = (flag: Flag): Flag => ({
  ...flag,
  param: { ...flag.param, help: `${flag.param.help}; or sort all records by fields: name,-id` },
})

// The flags of commands that only read: until when they go on, round after round.

export const repeating = declare({
  until: {
    param: string('repeat until every record matches; repeated: or', {
      placeholder: 'expr',
      completes: 'condition',
    }),
    read: expressions,
    repeats: true,
  },
  'until-timeout': {
    param: integer('seconds that --until waits at most; then exit 1', { min: 1 }),
    repeats: true,
  },
})

/** Whether a run goes on, round after round. */
export const isRepeated = ({
  watch,
  until,
}: {
  readonly watch?: unknown
  readonly until?: unknown
}): boolean => watch !== undefined || until !== undefined

export const writing = declare({
  strict: { param: boolean('exit 1 where the instance did not take an attribute') },
})

export const selecting = declare({
  select: {
    param: string('the objects of the list that match, instead of ids', {
      placeholder: 'expr',
      completes: 'condition',
    }),
    read: expressions,
  },
})

/** Of commands whose objects have attributes. */
export const sheets = declare({
  'row-fields': {
    param: list('string', 'with -: columns that are attributes of the object in their row', {
      placeholder: 'columns',
    }),
  },
})

export const journalling = declare({
  journal: {
    param: string('where it is written down what became of each object, or none', {
      placeholder: 'file|none',
      completes: 'file',
    }),
  },
  resume: {
    param: string('go on with a run: its journal, or the last of this command', {
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
    param: string('only this part of the objects: the third of eight, or that of the CI job', {
      placeholder: '3/8|ci',
    }),
  },
})

export const rehearsing = declare({
  'dry-run': { param: boolean('read what would be changed and show it beside; write nothing') },
})

export const spreading = declare({
  'all-projects': { param: boolean('of every project that you can see') },
  'all-groups': { param: boolean('of every group that you can see') },
  recursive: {
    param: boolean('with --group: also of the groups below it, and of all their projects'),
    read: (texts) => (texts === undefined ? undefined : texts.at(-1) === 'true'),
  },
  'with-archived': { param: boolean('of archived projects, too') },
})
