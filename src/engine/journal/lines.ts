/**
 * The lines of a journal: a JSON object a line, in the order in which things came to be. A line that is read is checked
 * before it is used.
 */

import { crc32 } from 'node:zlib'
import { type Fields, isObject } from '../../base/objects.js'
import type { Counts, End } from '../work/report.js'

// The checksum of a journal's line: CRC-32 of its text, as its last member `c`.

const member = ',"c":'
const number = /^\d{1,10}$/

/** Checks the lines of one journal, in their order. Where the first line has no checksum, no line needs one: somebody edited it. */
export class Sums {
  /** True if each line of this journal has a checksum; undefined before the first line. */
  required: boolean | undefined

  /** A line's text without its checksum; empty where the line is damaged. */
  check(text: string): string {
    const at = text.lastIndexOf(member)
    const sum = at < 0 || !text.endsWith('}') ? '' : text.slice(at + member.length, -1)
    const has = number.test(sum)
    this.required ??= has
    if (!has) return this.required ? '' : text
    const bare = `${text.slice(0, at)}}`
    return crc32(bare) === Number(sum) ? bare : ''
  }
}

/** A text as it was typed; where it names a file, with the SHA-256 of what stood in that. */
export type OptionText = string | { readonly $file: string; readonly sha256: string }

/** The arguments and flags that were typed for a run, so that it can be repeated: no object stands in them, and no secret. */
export interface LineOptions {
  readonly args: readonly string[]
  /** By the names of flags. */
  readonly flags: Readonly<Record<string, readonly OptionText[]>>
  /** Each object is read before it is changed. */
  readonly undo_record?: true
}

/** A run that was taken back, as far as doing it again needs to know. */
export interface RepeatedRun {
  /** Area and verb. */
  readonly command: string
  /** `PUT /runners/:id` */
  readonly endpoint: string
  /** Names of what it sent that no journal has: secrets and files. */
  readonly lacks: readonly string[]
}

/** The origin of a run that has not begun: who planned it, why, and until when it may begin. */
interface PlanOrigin {
  /** An agent, or a person with `--dry-run --save`. */
  readonly by: 'agent' | 'person'
  /** In the words of who planned it. */
  readonly reason?: string
  /** ISO, UTC. */
  readonly expires: string
}

/** The first line of a run: what it sends, with which right, and where. */
export interface Header {
  /** Of the format. */
  readonly run: 1
  /** The place among all runs, in the order in which they began; absent while it is only planned. */
  readonly seq?: number
  /** `20261121T120102-runners-pause` */
  readonly id: string
  /** When it began; ISO, UTC. */
  readonly began: string
  /** Area and verb. */
  readonly command: string
  /** `PUT /runners/:id` */
  readonly endpoint: string
  /**
   * Attributes as they are sent, masked. A secret is where it came from: `{"$secret":"env:NAME"}`; what each object's own
   * row says is `{"$row":"access_level"}`.
   */
  readonly input: Fields
  /** The base URL, normalised; `sandbox:` and the folder of its state for an embedded one. */
  readonly instance: string
  readonly profile: string | null
  /** Null where the instance does not say. */
  readonly user: string | null
  readonly sudo: string | null
  /** `stdin`, `arguments`, `select` … */
  readonly source: string
  /** Of this tool. */
  readonly version: string
  /** The options of the line; absent if no line of its own asked for the run. */
  readonly options?: LineOptions
  /** The names that were typed in the place of IDs, by the IDs. */
  readonly names?: Readonly<Record<string, string>>
  /** Several parents were given: the column that names them. */
  readonly parents?: 'project' | 'group' | 'of'
  /** `3/8`: only that part of the objects. */
  readonly shard?: string
  /** Why it cannot be resumed, where it cannot. */
  readonly final?: string
  /** Why it cannot be undone, where it cannot. */
  readonly irreversible?: string
  /** The run that this one takes back. */
  readonly undoes?: string
  /** The facts of that run that `--redo` needs to do it again. */
  readonly redoes?: RepeatedRun
  /** True if that run itself undid another one: what the other one did is done again. */
  readonly redo?: true
  /** It has not begun, or began as it was planned. */
  readonly planned?: PlanOrigin
  /** The file that has its lines, where that is another: one that was named, or that of a run that went on here. */
  readonly file?: string
}

/** The attributes that a run changes; null where the object was not there. */
export type Attributes = Fields | null

interface Place {
  readonly n: number
  readonly object: string
  readonly parent?: string
  /** When it was written; ISO, UTC. */
  readonly at?: string
}

export interface QueuedLine extends Place {
  readonly state: 'queued'
  /** The object's own attributes, by the API's names; a secret is the text that refers to it. */
  readonly input?: Fields
  /** Of an object that was selected by its record, or planned. */
  readonly before?: Attributes
  /** The state to which a planned object would change. `sends` is the method and path that change it. */
  readonly after?: Attributes
  readonly sends?: string
}
export interface BegunLine extends Place {
  readonly state: 'begun'
  readonly before?: Attributes
  /** The state that the object is to have, if that is not what the header says. */
  readonly after?: Attributes
  readonly unread?: string
}
export interface DoneLine extends Place {
  readonly state: 'done' | 'unchanged'
  readonly status?: number
  readonly request_id?: string
  /** The state before the write, if the line that begins the object does not have it. */
  readonly before?: Attributes
  /** The state after the write, if that is not what it was to be. */
  readonly after?: Attributes
  /** Why what it was before is not known, and it cannot be put back. */
  readonly unread?: string
}
export interface FailedLine extends Place {
  readonly state: 'failed' | 'unknown'
  readonly category: string
  readonly status?: number
  readonly request_id?: string
  readonly message: string
}
export type ObjectLine = QueuedLine | BegunLine | DoneLine | FailedLine

/** A write that no object of the run stands for: once before it is sent, and once more with what came of it. */
export interface RequestLine {
  /** Method and path, without a query. */
  readonly request: string
  readonly outcome?: 'done' | 'refused' | 'unknown' | 'not_sent'
  readonly status?: number
  readonly request_id?: string
  readonly duration_ms?: number
  /** ISO, UTC. */
  readonly at?: string
}

/** The last line of a run. */
export interface EndLine {
  readonly end: End
  readonly counts: Counts
  /** When it ended; ISO, UTC. */
  readonly at?: string
}

export type Line =
  | Header
  | ObjectLine
  | RequestLine
  | { readonly input: 'complete'; readonly total: number }
  | { readonly resumed: string }
  | EndLine

/** Formats a line's own text with its checksum and its end. */
export const formatLine = (line: Line, at?: string): string => {
  const bare = JSON.stringify(line).slice(0, -1)
  const text = at === undefined ? bare : `${bare},"at":"${at}"`
  return `${text}${member}${crc32(`${text}}`)}}\n`
}

// What a line says: whatever is read from a file is checked.

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isTime: Check = (value) => isText(value) && !Number.isNaN(Date.parse(String(value)))
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0
const allowNull =
  (is: Check): Check =>
  (value) =>
    value === null || is(value)
const allowAbsent =
  (is: Check): Check =>
  (value) =>
    value === undefined || is(value)
const isOneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.some((word) => word === value)
const listOf =
  (is: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(is)

const hasShape = (shape: Readonly<Record<string, Check>>): Check => {
  const checks = Object.entries(shape)
  return (value) => isObject(value) && checks.every(([name, is]) => is(value[name]))
}

const isOptionText: Check = (value) =>
  isText(value) || hasShape({ $file: isText, sha256: isText })(value)

const isOptions = hasShape({
  args: listOf(isText),
  flags: (value) => isObject(value) && Object.values(value).every(listOf(isOptionText)),
} satisfies Partial<Record<keyof LineOptions, Check>>)

const isHeader = hasShape({
  run: (value) => value === 1,
  seq: allowAbsent(isCount),
  id: isText,
  began: isTime,
  command: isText,
  endpoint: isText,
  input: isObject,
  instance: isText,
  profile: allowNull(isText),
  user: allowNull(isText),
  sudo: allowNull(isText),
  source: isText,
  version: isText,
  options: allowAbsent(isOptions),
  names: allowAbsent((value) => isObject(value) && Object.values(value).every(isText)),
  parents: allowAbsent(isOneOf('project', 'group', 'of')),
  shard: allowAbsent(isText),
  final: allowAbsent(isText),
  irreversible: allowAbsent(isText),
  undoes: allowAbsent(isText),
  redoes: allowAbsent(hasShape({ command: isText, endpoint: isText, lacks: listOf(isText) })),
  redo: allowAbsent((value) => value === true),
  planned: allowAbsent(
    hasShape({ by: isOneOf('agent', 'person'), reason: allowAbsent(isText), expires: isTime }),
  ),
  file: allowAbsent(isText),
})

const attributes = allowAbsent(allowNull(isObject))
const place = { n: (value: unknown) => isCount(value) && value !== 0, object: isText }
const answered = { status: allowAbsent(isCount), request_id: allowAbsent(isText) }

/** By the state of its object. */
const objectLines: Readonly<Record<ObjectLine['state'], Check>> = {
  queued: hasShape({
    before: attributes,
    after: attributes,
    input: allowAbsent(isObject),
    sends: allowAbsent(isText),
  }),
  begun: hasShape({ before: attributes, after: attributes, unread: allowAbsent(isText) }),
  done: hasShape({
    ...answered,
    before: attributes,
    after: attributes,
    unread: allowAbsent(isText),
  }),
  unchanged: hasShape({ ...answered, before: attributes, after: attributes }),
  failed: hasShape({ ...answered, category: isText, message: isText }),
  unknown: hasShape({ ...answered, category: isText, message: isText }),
}

const isState = (text: unknown): text is ObjectLine['state'] =>
  isText(text) && Object.hasOwn(objectLines, String(text))

const isPlaced = hasShape({ ...place, parent: allowAbsent(isText), at: allowAbsent(isTime) })

const isObjectLine = (value: Fields): boolean =>
  isPlaced(value) && isState(value.state) && objectLines[value.state](value)

const isCounts = hasShape({
  done: isCount,
  unchanged: isCount,
  failed: isCount,
  unknown: isCount,
  not_tried: isCount,
})

const isRequest = hasShape({
  request: isText,
  outcome: allowAbsent(isOneOf('done', 'refused', 'unknown', 'not_sent')),
  ...answered,
  duration_ms: allowAbsent((value) => typeof value === 'number'),
  at: allowAbsent(isTime),
})

const isLine = (value: unknown): value is Line => {
  if (!isObject(value)) return false
  if ('n' in value) return isObjectLine(value)
  if ('run' in value) return isHeader(value)
  if ('request' in value) return isRequest(value)
  if ('input' in value) return isCount(value.total)
  if ('resumed' in value) return isTime(value.resumed)
  return (
    isOneOf('completed', 'interrupted', 'stopped')(value.end) &&
    isCounts(value.counts) &&
    allowAbsent(isTime)(value.at)
  )
}

/** Parses a line; returns undefined if it is none of a journal. */
export const parseLine = (text: string): Line | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isLine(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The beginning of every line about an object, as `formatLine` writes it. */
const beginning =
  /^\{"n":([1-9]\d{0,14}),"object":"(?:[^"\\]|\\.)*"(?:,"parent":"(?:[^"\\]|\\.)*")?,"state":"(\w+)"[,}]/

/** Parses the place and the state of a line about an object, without reading the rest of it: four times as fast. */
export const parsePlacement = (
  text: string,
): { readonly n: number; readonly state: ObjectLine['state'] } | undefined => {
  const [, n, state = ''] = beginning.exec(text) ?? []
  return n !== undefined && isState(state) && text.endsWith('}')
    ? { n: Number(n), state }
    : undefined
}
