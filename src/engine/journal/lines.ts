/**
 * Defines, formats and parses the lines of a journal: one JSON object a line, in the order of events. Parsed lines are
 * validated.
 */

import { crc32 } from 'node:zlib'
import { type Fields, isObject, tryParseJson } from '../../base/objects.js'
import type { Category } from '../../errors.js'
import type { Counts, End } from '../work/report.js'

// Each line ends with a checksum: CRC-32 of its text, as the last member `c`.

const checksumMember = ',"c":'
const checksumPattern = /^\d{1,10}$/

/**
 * Checks the checksums of one journal, line by line. If the first line has none, somebody edited the file and no line
 * needs one.
 */
export class LineChecksums {
  /** True if every line must have a checksum; undefined before the first line. */
  required: boolean | undefined

  /** Returns a line without its checksum; an empty text if the line is damaged. */
  check(text: string): string {
    const at = text.lastIndexOf(checksumMember)
    const sum = at < 0 || !text.endsWith('}') ? '' : text.slice(at + checksumMember.length, -1)
    const has = checksumPattern.test(sum)
    this.required ??= has
    if (!has) return this.required ? '' : text
    const bare = `${text.slice(0, at)}}`
    return crc32(bare) === Number(sum) ? bare : ''
  }
}

// Validation: everything that is read from a file is checked, and the types of lines follow from their checks.

/** A check of a value, which proves its type. */
type Check<T> = (value: unknown) => value is T
type Checked<C> = C extends Check<infer T> ? T : never
/** The names of a shape's members that may be absent. */
type AbsentKeys<S> = { [K in keyof S]: undefined extends Checked<S[K]> ? K : never }[keyof S]
type ShapedValue<S> = { readonly [K in Exclude<keyof S, AbsentKeys<S>>]: Checked<S[K]> } & {
  readonly [K in AbsentKeys<S>]?: Checked<S[K]>
}

const isText = (value: unknown): value is string => typeof value === 'string'
/** True for a date and time (ISO 8601, UTC). */
const isTime = (value: unknown): value is string =>
  isText(value) && !Number.isNaN(Date.parse(value))
const isNumber = (value: unknown): value is number => typeof value === 'number'
const isCount = (value: unknown): value is number =>
  isNumber(value) && Number.isSafeInteger(value) && value >= 0
const isPosition = (value: unknown): value is number => isCount(value) && value !== 0
const allowNull =
  <T>(is: Check<T>) =>
  (value: unknown): value is T | null =>
    value === null || is(value)
const allowAbsent =
  <T>(is: Check<T>) =>
  (value: unknown): value is T | undefined =>
    value === undefined || is(value)
const isOneOf =
  <const W extends readonly unknown[]>(...words: W) =>
  (value: unknown): value is W[number] =>
    words.includes(value)
const isListOf =
  <T>(is: Check<T>) =>
  (value: unknown): value is readonly T[] =>
    Array.isArray(value) && value.every(is)
const isMapOf =
  <T>(is: Check<T>) =>
  (value: unknown): value is Readonly<Record<string, T>> =>
    isObject(value) && Object.values(value).every(is)
const hasShape = <const S extends Readonly<Record<string, Check<unknown>>>>(shape: S) => {
  const checks = Object.entries(shape)
  return (value: unknown): value is ShapedValue<S> =>
    isObject(value) && checks.every(([name, is]) => is(value[name]))
}

const isNamedFile = hasShape({ $file: isText, sha256: isText })
/** A text as typed; if it names a file, with the SHA-256 of the file's contents. */
export type OptionText = string | Checked<typeof isNamedFile>
const isOptionText = (value: unknown): value is OptionText => isText(value) || isNamedFile(value)

/** The arguments and flags of a run, so that it can be repeated. They contain neither objects nor secrets. */
export interface LineOptions {
  readonly args: readonly string[]
  /** Texts by flag name. */
  readonly flags: Readonly<Record<string, readonly OptionText[]>>
  /** True if the previous values of each object are recorded. */
  readonly undo_record?: true
}
const isOptions: Check<LineOptions> = hasShape({
  args: isListOf(isText),
  flags: isMapOf(isListOf(isOptionText)),
})

const isRepeatedRun = hasShape({
  /** Area and verb, such as `runners pause`. */
  command: isText,
  /** Method and route, such as `PUT /runners/:id`. */
  endpoint: isText,
  /** The names of attributes that the journal does not contain: secrets and files. */
  lacks: isListOf(isText),
})
/** The facts about an undone run that are needed to do it again. */
export type RepeatedRun = Checked<typeof isRepeatedRun>

const isHeader = hasShape({
  /** The version of the format. */
  run: isOneOf(1),
  /** The position among all runs in the order in which they began; absent while the run is only planned. */
  seq: allowAbsent(isCount),
  /** Such as `20261121T120102-runners-pause`. */
  id: isText,
  began: isTime,
  /** Area and verb, such as `runners pause`. */
  command: isText,
  /** Method and route, such as `PUT /runners/:id`. */
  endpoint: isText,
  /**
   * The attributes as they are sent, masked. A secret is its source: `{"$secret":"env:NAME"}`. A value from each
   * object's row is `{"$row":"access_level"}`.
   */
  input: isObject,
  /** The normalized base URL; `sandbox:` and the state folder for an embedded instance. */
  instance: isText,
  profile: allowNull(isText),
  /** The username; null if the instance does not say. */
  user: allowNull(isText),
  sudo: allowNull(isText),
  /** The source of the objects: `stdin`, `arguments`, `select` … */
  source: isText,
  /** The version of svcctl. */
  version: isText,
  /** The arguments and flags of the line; absent if the run was not started by a line of its own. */
  options: allowAbsent(isOptions),
  /** The names that were typed in place of IDs, by the IDs. */
  names: allowAbsent(isMapOf(isText)),
  /** The column that names the parents, if there are several. */
  parents: allowAbsent(isOneOf('project', 'group', 'of')),
  /** The shard, such as `3/8`, if the run has only a part of the objects. */
  shard: allowAbsent(isText),
  /** The reason why it cannot be resumed, if there is one. */
  final: allowAbsent(isText),
  /** The reason why it cannot be undone, if there is one. */
  irreversible: allowAbsent(isText),
  /** The ID of the run that this one undoes. */
  undoes: allowAbsent(isText),
  /** The facts about that run that `--redo` needs. */
  redoes: allowAbsent(isRepeatedRun),
  /** True if that run was itself an undo, so that this one does the original run again. */
  redo: allowAbsent(isOneOf(true)),
  /** The origin of the plan, if the run is or was a planned one. */
  planned: allowAbsent(
    hasShape({
      /** An agent, or a person with `--dry-run --save`. */
      by: isOneOf('agent', 'person'),
      /** The reason in the planner's own words. */
      reason: allowAbsent(isText),
      /** The time after which it cannot begin. */
      expires: isTime,
    }),
  ),
  /** The file with the run's lines, if it is another one: a named file, or that of a resumed run. */
  file: allowAbsent(isText),
})
/** The first line of a run: what it sends, by whom, and to which instance. */
export type Header = Checked<typeof isHeader>

/** The attributes that a run changes; null if the object does not exist. */
export type Attributes = Fields | null
const isAttributes: Check<Attributes> = allowNull(isObject)
const answerChecks = { status: allowAbsent(isCount), request_id: allowAbsent(isText) }

const isPlaced = hasShape({
  n: isPosition,
  object: isText,
  parent: allowAbsent(isText),
  /** The time at which the line was written. */
  at: allowAbsent(isTime),
})
type ObjectPlace = Checked<typeof isPlaced>

const isQueued = hasShape({
  /** The object's own attributes by API name. A secret is a reference to its source. */
  input: allowAbsent(isObject),
  /** The recorded attributes of an object that was selected or planned. */
  before: allowAbsent(isAttributes),
  /** The state to which a planned object would change. `sends` is the method and path of that change. */
  after: allowAbsent(isAttributes),
  sends: allowAbsent(isText),
})
export interface QueuedLine extends ObjectPlace, Checked<typeof isQueued> {
  readonly state: 'queued'
}

const isBegun = hasShape({
  before: allowAbsent(isAttributes),
  /** The intended state, if it differs from the header's input. */
  after: allowAbsent(isAttributes),
  unread: allowAbsent(isText),
})
export interface BegunLine extends ObjectPlace, Checked<typeof isBegun> {
  readonly state: 'begun'
}

const isDone = hasShape({
  ...answerChecks,
  /** The state before the write, if the begun line does not have it. */
  before: allowAbsent(isAttributes),
  /** The state after the write, if it differs from the intended one. */
  after: allowAbsent(isAttributes),
  /** The reason why the previous state is unknown, so that it cannot be restored. */
  unread: allowAbsent(isText),
})
export interface DoneLine extends ObjectPlace, Checked<typeof isDone> {
  readonly state: 'done' | 'unchanged'
}

const isFailed = hasShape({ ...answerChecks, category: isText, message: isText })
export interface FailedLine extends ObjectPlace, Checked<typeof isFailed> {
  readonly state: 'failed' | 'unknown'
}
export type ObjectLine = QueuedLine | BegunLine | DoneLine | FailedLine

/** The categories of failures that svcctl finds before it sends a request, unless they have the status of an answer. */
const unsentCategories: ReadonlySet<string> = new Set<Category>(['usage', 'conflict', 'not_found'])

/** True if an object failed before its request was sent: its profile only reads, or it changed since it was planned. */
export const isUnsent = (line: JournalLine | undefined): boolean =>
  line !== undefined &&
  'state' in line &&
  line.state === 'failed' &&
  line.status === undefined &&
  unsentCategories.has(line.category)

/** The checks of an object's line, by its state. */
const stateChecks: Readonly<Record<ObjectLine['state'], Check<unknown>>> = {
  queued: isQueued,
  begun: isBegun,
  done: isDone,
  unchanged: isDone,
  failed: isFailed,
  unknown: isFailed,
}

const isState = (text: unknown): text is ObjectLine['state'] =>
  isText(text) && Object.hasOwn(stateChecks, text)

const isRequest = hasShape({
  /** Method and path without the query. */
  request: isText,
  outcome: allowAbsent(isOneOf('done', 'refused', 'unknown', 'not_sent')),
  ...answerChecks,
  duration_ms: allowAbsent(isNumber),
  at: allowAbsent(isTime),
})
/** A write that belongs to no object: one line before it is sent, another with its outcome. */
export type RequestLine = Checked<typeof isRequest>

const isCounts: Check<Counts> = hasShape({
  done: isCount,
  unchanged: isCount,
  failed: isCount,
  unknown: isCount,
  not_tried: isCount,
})
const isEnd: Check<End> = isOneOf('completed', 'interrupted', 'stopped')
const isEndLine = hasShape({ end: isEnd, counts: isCounts, at: allowAbsent(isTime) })
/** The last line of a run, with the time at which it ended. */
export type EndLine = Checked<typeof isEndLine>

export type JournalLine =
  | Header
  | ObjectLine
  | RequestLine
  | { readonly input: 'complete'; readonly total: number }
  | { readonly resumed: string }
  | EndLine

/** Formats a line with its checksum and its line break. */
export const formatLine = (line: JournalLine, at?: string): string => {
  const bare = JSON.stringify(line).slice(0, -1)
  const text = at === undefined ? bare : `${bare},"at":"${at}"`
  return `${text}${checksumMember}${crc32(`${text}}`)}}\n`
}

const isLine = (value: unknown): value is JournalLine => {
  if (!isObject(value)) return false
  const { state } = value
  if ('n' in value) return isPlaced(value) && isState(state) && stateChecks[state](value)
  if ('run' in value) return isHeader(value)
  if ('request' in value) return isRequest(value)
  if ('input' in value) return isCount(value.total)
  return 'resumed' in value ? isTime(value.resumed) : isEndLine(value)
}

/** Parses a line; returns undefined if it is not a valid line of a journal. */
export const parseLine = (text: string): JournalLine | undefined => {
  const value = tryParseJson(text)
  return isLine(value) ? value : undefined
}

/** Matches the start of a line about an object, as `formatLine` writes it. */
const objectLineStart =
  /^\{"n":([1-9]\d{0,14}),"object":"(?:[^"\\]|\\.)*"(?:,"parent":"(?:[^"\\]|\\.)*")?,"state":"(\w+)"[,}]/

/** Parses the number and the state of a line about an object without parsing the rest, which is four times as fast. */
export const parsePlacement = (
  text: string,
): { readonly n: number; readonly state: ObjectLine['state'] } | undefined => {
  const [, n, state = ''] = objectLineStart.exec(text) ?? []
  return n !== undefined && isState(state) && text.endsWith('}')
    ? { n: Number(n), state }
    : undefined
}
