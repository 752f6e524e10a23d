/** Reads the writes of runs from their journals, for `audit list`: writes of objects, and single requests. */
import { existsSync } from 'node:fs'
import type { Context } from '../../engine/command/context.js'
import { isPlanned, type RunEntry, readJournalFolder } from '../../engine/journal/folder.js'
import {
  type Header,
  isUnsent,
  type ObjectLine,
  parseLine,
  type RequestLine,
} from '../../engine/journal/lines.js'
import { readTexts } from '../../engine/journal/reader.js'
import { getApiRoot } from '../../http/request/address.js'
import { type AuditEntry, auditFields, getRunFolder } from '../../profile/index.js'

/** A write that was sent, or may have been sent. It has the fields of the audit log and the ID of its run. */
export interface SentWrite extends Omit<AuditEntry, 'profile' | 'duration_ms' | 'outcome'> {
  readonly run: string
  readonly profile: string | null
  readonly duration_ms: number | null
  readonly outcome: AuditEntry['outcome'] | 'unchanged'
}

const [timeField, ...otherFields] = auditFields

/** The fields of a write, in order. */
export const sentWriteFields: readonly (keyof SentWrite)[] = [timeField, 'run', ...otherFields]

/** Fills the path of an endpoint. The object replaces the last placeholder, and its parent the first. */
const fillPath = ({ instance }: Header, path: string, { object, parent }: ObjectLine): string => {
  const root = URL.canParse(instance) && /^http/.test(instance) ? instance : 'http://localhost'
  const count = path.match(/:\w+/g)?.length ?? 0
  let n = 0
  const filled = path.replace(/:\w+/g, (name) => {
    n += 1
    const text = n === count && object !== '' ? object : n === 1 ? parent : undefined
    return text === undefined ? name : encodeURIComponent(text)
  })
  return `${getApiRoot(root).path}${filled}`
}

/** Returns the fields of a write that name its run and its user. */
const getAuthor = ({ id, profile, user, sudo }: Header) => ({ run: id, profile, user, sudo })

const outcomes = {
  queued: 'not_sent',
  begun: 'unknown',
  done: 'done',
  unchanged: 'unchanged',
  failed: 'refused',
  unknown: 'unknown',
} as const satisfies Record<ObjectLine['state'], SentWrite['outcome']>

/** Creates the write of an object from its first and its last line. */
const createObjectWrite = (header: Header, begun: ObjectLine, line: ObjectLine): SentWrite => {
  const [method = '', path = ''] = header.endpoint.split(' ')
  const time = line.at ?? header.began
  const answered = 'status' in line || 'request_id' in line ? line : undefined
  return {
    time,
    ...getAuthor(header),
    method,
    path: fillPath(header, path, line),
    status: answered?.status ?? null,
    request_id: answered?.request_id ?? null,
    duration_ms: line === begun ? null : Date.parse(time) - Date.parse(begun.at ?? time),
    outcome: isUnsent(line) ? 'not_sent' : outcomes[line.state],
  }
}

/** Creates the write of a single request. */
const createRequestWrite = (header: Header, line: RequestLine): SentWrite => {
  const [method = '', path = ''] = line.request.split(' ')
  const { at, status = null, request_id = null, duration_ms = null, outcome = 'unknown' } = line
  return {
    time: at ?? header.began,
    ...getAuthor(header),
    method,
    path,
    status,
    request_id,
    duration_ms,
    outcome,
  }
}

/** Collects the writes of a run from the lines of its journal. */
class SentWrites {
  readonly #header: Header
  readonly #objects = new Map<number, ObjectLine>()
  readonly #requests: RequestLine[] = []

  constructor(header: Header) {
    this.#header = header
  }

  /** Adds a line. @returns the write that ended with the line; undefined if none did */
  addLine(text: string): SentWrite | undefined {
    // Most lines are queued objects, which are skipped without parsing.
    if (text.includes('"state":"queued"')) return undefined
    const line = parseLine(text)
    if (line === undefined) return undefined
    if ('request' in line) return this.#addRequest(line)
    if (!('n' in line)) return undefined
    if (line.state === 'begun') {
      this.#objects.set(line.n, line)
      return undefined
    }
    const begun = this.#objects.get(line.n)
    this.#objects.delete(line.n)
    return begun && createObjectWrite(this.#header, begun, line)
  }

  /** The writes whose outcome is unknown. */
  get unknownWrites(): readonly SentWrite[] {
    return [
      ...[...this.#objects.values()].map((line) => createObjectWrite(this.#header, line, line)),
      ...this.#requests.map((line) => createRequestWrite(this.#header, line)),
    ]
  }

  #addRequest(line: RequestLine): SentWrite | undefined {
    if (line.outcome === undefined) {
      this.#requests.push(line)
      return undefined
    }
    // The first line may have the path below the API, and the last line the whole path.
    const [method = ''] = line.request.split(' ')
    const at = this.#requests.findIndex(
      ({ request }) =>
        request.startsWith(`${method} `) && line.request.endsWith(request.slice(method.length + 1)),
    )
    if (at >= 0) this.#requests.splice(at, 1)
    return createRequestWrite(this.#header, line)
  }
}

/** Yields the writes of a run in the order in which they ended. */
export async function* readWrites({ file, header }: RunEntry): AsyncGenerator<SentWrite> {
  const writes = new SentWrites(header)
  for await (const texts of readTexts(file, Number.POSITIVE_INFINITY, 'any'))
    for (const text of texts) {
      const write = writes.addLine(text)
      if (write !== undefined) yield write
    }
  yield* writes.unknownWrites
}

/** Keeps the runs of the named profile; all of them if none is named. */
export const keepNamedProfile = (
  { globals, env }: Context['place'],
  entries: readonly RunEntry[],
): readonly RunEntry[] => {
  const named = globals.profile ?? (env.SVC_PROFILE || undefined)
  return named === undefined ? entries : entries.filter(({ header }) => header.profile === named)
}

/** Finds the runs of the named profile, or of all profiles, the oldest first. */
export const findRuns = async ({ place, ui }: Context): Promise<readonly RunEntry[]> => {
  const { entries, unreadable } = await readJournalFolder(getRunFolder(place.env))
  for (const file of unreadable) ui.warn(`${file} is not a readable journal`)
  return keepNamedProfile(place, entries)
    .filter((entry) => !isPlanned(entry) && existsSync(entry.file))
    .toReversed()
}
