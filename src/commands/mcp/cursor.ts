/** Where an answer goes on: signed by this process, so that it goes on with the very query that it came from. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { usage } from '../../errors.js'

/** A place in a list. */
export interface ListPlace {
  readonly page: number
  /** Records of that page that were given already. */
  readonly skip: number
}

/** What was asked: the same in another order is the same. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

export const cursors = () => {
  const key = randomBytes(32)
  const sign = (query: unknown, { page, skip }: ListPlace): string =>
    createHmac('sha256', key)
      .update(canonical([query, page, skip]))
      .digest('base64url')
  return {
    /** The cursor for a place in the answer to a query, which it begins with in words. */
    of: (name: string, query: unknown, at: ListPlace): string =>
      [name.replaceAll(' ', '-'), at.page, at.skip, sign([name, query], at)].join('.'),
    /**
     * The place that a cursor names.
     * @throws Failure `usage` for one that is none, or of another query
     */
    open: (cursor: string, name: string, query: unknown): ListPlace => {
      const [, page = '', skip = '', mark = ''] =
        /^[a-z-]+\.(\d{1,9})\.(\d{1,9})\.([\w-]{43})$/.exec(cursor) ?? []
      const at = { page: Number(page), skip: Number(skip) }
      const right = sign([name, query], at)
      if (mark !== '' && timingSafeEqual(Buffer.from(mark), Buffer.from(right))) return at
      throw usage(
        'the cursor is not one of this query',
        'Give the same command, arguments and fields as in the call that it came from.',
      )
    },
  }
}

export type Cursors = ReturnType<typeof cursors>
