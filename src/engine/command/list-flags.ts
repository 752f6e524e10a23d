/** The flags of commands that list: how many records, which of them, and in which order. */
import { integer, list, string } from '../../catalogue/params.js'
import { defaultLimit, largestPage } from '../../client/defaults.js'
import { usage } from '../../errors.js'
import { declare, expressions, type Texts } from './declared.js'
import type { Flag } from './described.js'

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
