/** Implements `audit list`, which lists the write requests in the journals of all runs. */
import { dayLength, isWholeDay, parseMoment, parseSpan } from '../base/dates.js'
import { integer, string } from '../catalogue/params.js'
import type { Context } from '../engine/command/context.js'
import { yieldRecords } from '../engine/rows.js'
import { usage } from '../errors.js'
import { type Arguments, define } from './define.js'
import { findRuns, readWrites, type SentWrite, sentWriteFields } from './journal/writes.js'

const last = integer('list only the latest entries', { min: 1 })

const flags = {
  since: string('list entries from this date or time on', { placeholder: 'date|time' }),
  until: string('list entries up to this date or time', { placeholder: 'date|time' }),
  user: string('filter by user, including requests made as this user', { format: 'username' }),
  method: string('filter by HTTP method', {
    words: ['POST', 'PUT', 'PATCH', 'DELETE'],
    placeholder: 'method',
  }),
  status: string('filter by status (403), class (4xx) or none', {
    words: ['2xx', '3xx', '4xx', '5xx', 'none'],
    placeholder: '403|4xx|none',
  }),
  last,
} as const
type AuditGiven = Arguments<typeof flags>

/** Parses a day or a time. As the end of a range, a day includes its last moment. */
const parseTime = (given: AuditGiven, flag: 'since' | 'until', now: number): number | undefined => {
  const text = given.flags[flag]
  if (text === undefined) return undefined
  const ago = parseSpan(text)
  const time = ago === undefined ? parseMoment(text, now) : now - ago
  if (time === undefined)
    throw usage(`--${flag} must be a date (2026-01-31) or a time, not "${text}"`)
  return flag === 'until' && isWholeDay(text) ? time + dayLength - 1 : time
}

/** Creates the function that selects the writes to list. */
const createFilter = (given: AuditGiven, now: number): ((write: SentWrite) => boolean) => {
  const since = parseTime(given, 'since', now) ?? Number.NEGATIVE_INFINITY
  const until = parseTime(given, 'until', now) ?? Number.POSITIVE_INFINITY
  const { status, user, method } = given.flags
  if (status !== undefined && !/^([1-5]\d\d|[1-5]xx|none)$/i.test(String(status)))
    throw usage(`--status must be a status (403), a class (4xx) or none, not "${String(status)}"`)
  return (write) => {
    const time = Date.parse(write.time)
    return (
      time >= since &&
      time <= until &&
      (user === undefined || write.user === user || write.sudo === user) &&
      (method === undefined || write.method === String(method).toUpperCase()) &&
      (status === undefined || hasStatus(write.status, String(status)))
    )
  }
}

const hasStatus = (status: number | null, wanted: string): boolean =>
  /^\dxx$/i.test(wanted)
    ? String(status ?? '').startsWith(wanted.slice(0, 1))
    : String(status ?? 'none') === wanted

/** Yields writes as they are read. Notes whether there are none or more go to standard error. */
async function* readEntries(context: Context, given: AuditGiven) {
  const fits = createFilter(given, context.place.clock.now().getTime())
  const { last: limit } = given.flags
  const latest: SentWrite[] = []
  let count = 0
  for (const entry of await findRuns(context))
    for await (const write of readWrites(entry)) {
      if (!fits(write)) continue
      count += 1
      if (limit === undefined) yield write
      else latest.push(write)
      // Entries are removed in batches, because removing each one alone would move all others.
      if (limit !== undefined && latest.length > 2 * limit) latest.splice(0, latest.length - limit)
    }
  if (limit !== undefined) yield* latest.slice(-limit)
  if (count === 0) context.ui.note('nothing found')
  if (limit !== undefined && count > limit)
    context.ui.note(`showing the latest ${limit}; use --last <n> for more`)
}

export const listCommand = define({
  description: [
    'Reads the runs that svcctl keeps, also those without a journal, in the order in which they began. -p limits them to a profile. Dates and times are in UTC unless they have an offset.',
    'svcctl removes old runs. To keep every write request, set audit-log of the profile to a file: svcctl appends each request there, and never reads it.',
  ],
  flags,
  rows: async function* (context, given) {
    yield* yieldRecords(readEntries(context, given), { columns: [...sentWriteFields] })
  },
})
