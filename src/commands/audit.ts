/** `audit list`: the write requests that a profile's audit log recorded. */
import { integer, string } from '../catalogue/params.js'
import type { Services } from '../engine/command/services.js'
import { yieldRecords } from '../engine/rows.js'
import { Failure, usage } from '../errors.js'
import {
  type AuditEnd,
  type AuditFilter,
  auditFields,
  getPaths,
  openStore,
  readAudit,
} from '../profile/index.js'
import { type Arguments, define } from './define.js'

const findLog = ({ place }: Services): string => {
  const store = openStore(getPaths(place.env))
  const name = place.globals.profile ?? (place.env.SVC_PROFILE || undefined) ?? store.current()
  if (name === undefined)
    throw usage('audit list requires a profile, and there is none', 'svcctl auth login makes one.')
  const profile = store.get(name)
  if (profile === undefined)
    throw new Failure('not_found', `unknown profile "${name}"`, {
      hint: 'svcctl profile list shows them.',
    })
  if (profile.auditLog === undefined)
    throw new Failure('failed', `profile "${name}" has no audit log`, {
      hint: `svcctl profile set ${name} --audit-log <file> begins one.`,
    })
  return profile.auditLog
}

const last = integer('list only the latest entries', { min: 1 })

const flags = {
  since: string('list entries from this date or time on', { placeholder: 'date|time' }),
  until: string('list entries up to this date or time', { placeholder: 'date|time' }),
  user: string('filter by user, including requests made as this user'),
  method: string('filter by HTTP method', {
    words: ['POST', 'PUT', 'PATCH', 'DELETE'],
    placeholder: 'method',
  }),
  status: string('filter by status (403), class (4xx) or none', {
    placeholder: '403|4xx|none',
  }),
  last,
} as const
type AuditGiven = Arguments<typeof flags>

/** A day or a time; as an end, a day counts to its last moment. */
const parseTime = (given: AuditGiven, flag: 'since' | 'until'): Date | undefined => {
  const text = given.flags[flag]
  if (text === undefined) return undefined
  const day = /^\d{4}-\d{2}-\d{2}$/.test(String(text))
  const time = new Date(day && flag === 'until' ? `${text}T23:59:59.999Z` : String(text))
  if (Number.isNaN(time.getTime()) || !/^\d{4}-\d{2}-\d{2}/.test(String(text)))
    throw usage(`--${flag} must be a date (2026-01-31) or a time, not "${String(text)}"`)
  return time
}

const toFilter = (given: AuditGiven, flag: 'user' | 'method' | 'status') => {
  const text = given.flags[flag]
  return text === undefined ? {} : { [flag]: String(text) }
}

const createFilter = (given: AuditGiven): AuditFilter => {
  const since = parseTime(given, 'since')
  const until = parseTime(given, 'until')
  const status = given.flags.status
  if (status !== undefined && !/^([1-5]\d\d|[1-5]xx|none)$/i.test(String(status)))
    throw usage(`--status must be a status (403), a class (4xx) or none, not "${String(status)}"`)
  return {
    since,
    until,
    ...toFilter(given, 'user'),
    ...toFilter(given, 'method'),
    ...toFilter(given, 'status'),
    limit: given.flags.last,
  }
}

/** Entries to the output as they are read; how the log ended, to standard error. */
async function* readEntries({ ui }: Services, file: string, filter: AuditFilter) {
  const log = readAudit(file, filter)
  let end: AuditEnd | undefined
  while (end === undefined) {
    const step = await log.next()
    if (step.done === true) end = step.value
    else yield step.value
  }
  if (end.records === 0) ui.note('nothing found')
  if (end.more) ui.note(`showing the latest ${end.records}; use --last <n> for more`)
  if (end.unreadable > 0) ui.warn(`${end.unreadable} lines of ${file} are not valid entries`)
}

export const listCommand = define({
  summary: 'List write requests from the audit log',
  description: [
    'A profile writes an audit log if its setting audit-log names a file. Entries are listed oldest first. Dates and times are in UTC unless they have an offset.',
  ],
  flags,
  examples: ['audit list --since 2026-01-31 --method DELETE', 'audit list --status 4xx -o ndjson'],
  rows: async function* (services, given) {
    const filter = createFilter(given)
    yield* yieldRecords(readEntries(services, findLog(services), filter), {
      columns: [...auditFields],
    })
  },
})
