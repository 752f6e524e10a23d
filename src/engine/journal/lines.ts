/**
 * Defines, formats and parses the lines of a journal: one JSON object a line, in the order of events. Parsed lines are
 * validated.
 */

import { crc32 } from 'node:zlib'
import { type Fields, isObject } from '../../base/objects.js'
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

/** A text as typed; if it names a file, with the SHA-256 of the file's contents. */
export type OptionText = string | { readonly $file: string; readonly sha256: string }

/** The arguments and flags of a run, so that it can be repeated. They contain neither objects nor secrets. */
export interface LineOptions {
  readonly args: readonly string[]
  /** Texts by flag name. */
  readonly flags: Readonly<Record<string, readonly OptionText[]>>
  /** True if the previous values of each object are recorded. */
  readonly undo_record?: true
}

/** The facts about an undone run that are needed to do it again. */
export interface RepeatedRun {
  /** Area and verb, such as `runners pause`. */
  readonly command: string
  /** Method and route, such as `PUT /runners/:id`. */
  readonly endpoint: string
  /** The names of attributes that the journal does not contain: secrets and files. */
  readonly lacks: readonly string[]
}

/** The origin of a planned run: who planned it, why, and when it expires. */
interface PlanOrigin {
  /** An agent, or a person with `--dry-run --save`. */
  readonly by: 'agent' | 'person'
  /** The reason in the planner's own words. */
  readonly reason?: string
  /** The time after which it cannot begin; ISO 8601, UTC. */
  readonly expires: string
}

/** The first line of a run: what it sends, by whom, and to which instance. */
export interface Header {
  /** The version of the format. */
  readonly run: 1
  /** The position among all runs in the order in which they began; absent while the run is only planned. */
  readonly seq?: number
  /** Such as `20261121T120102-runners-pause`. */
  readonly id: string
  /** The time at which it began; ISO 8601, UTC. */
  readonly began: string
  /** Area and verb, such as `runners pause`. */
  readonly command: string
  /** Method and route, such as `PUT /runners/:id`. */
  readonly endpoint: string
  /**
   * The attributes as they are sent, masked. A secret is its source: `{"$secret":"env:NAME"}`. A value from each
   * object's row is `{"$row":"access_level"}`.
   */
  readonly input: Fields
  /** The normalized base URL; `sandbox:` and the state folder for an embedded instance. */
  readonly instance: string
  readonly profile: string | null
  /** The username; null if the instance does not say. */
  readonly user: string | null
  readonly sudo: string | null
  /** The source of the objects: `stdin`, `arguments`, `select` … */
  readonly source: string
  /** The version of svcctl. */
  readonly version: string
  /** The arguments and flags of the line; absent if the run was not started by a line of its own. */
  readonly options?: LineOptions
  /** The names that were typed in place of IDs, by the IDs. */
  readonly names?: Readonly<Record<string, string>>
  /** The column that names the parents, if there are several. */
  readonly parents?: 'project' | 'group' | 'of'
  /** The shard, such as `3/8`, if the run has only a part of the objects. */
  readonly shard?: string
  /** The reason why it cannot be resumed, if there is one. */
  readonly final?: string
  /** The reason why it cannot be undone, if there is one. */
  readonly irreversible?: string
  /** The ID of the run that this one undoes. */
  readonly undoes?: string
  /** The facts about that run that `--redo` needs. */
  readonly redoes?: RepeatedRun
  /** True if that run was itself an undo, so that this one does the original run again. */
  readonly redo?: true
  /** The origin of the plan, if the run is or was a planned one. */
  readonly planned?: PlanOrigin
  /** The file with the run's lines, if it is another one: a named file, or that of a resumed run. */
  readonly file?: string
}

/** The attributes that a run changes; null if the object does not exist. */
export type Attributes = Fields | null

interface ObjectPlace {
  readonly n: number
  readonly object: string
  readonly parent?: string
  /** The time at which the line was written; ISO 8601, UTC. */
  readonly at?: string
}

export interface QueuedLine extends ObjectPlace {
  readonly state: 'queued'
  /** The object's own attributes by API name. A secret is a reference to its source. */
  readonly input?: Fields
  /** The recorded attributes of an object that was selected or planned. */
  readonly before?: Attributes
  /** The state to which a planned object would change. `sends` is the method and path of that change. */
  readonly after?: Attributes
  readonly sends?: string
}
export interface BegunLine extends ObjectPlace {
  readonly state: 'begun'
  readonly before?: Attributes
  /** The intended state, if it differs from the header's input. */
  readonly after?: Attributes
  readonly unread?: string
}
export interface DoneLine extends ObjectPlace {
  readonly state: 'done' | 'unchanged'
  readonly status?: number
  readonly request_id?: string
  /** The state before the write, if the begun line does not have it. */
  readonly before?: Attributes
  /** The state after the write, if it differs from the intended one. */
  readonly after?: Attributes
  /** The reason why the previous state is unknown, so that it cannot be restored. */
  readonly unread?: string
}
export interface FailedLine extends ObjectPlace {
  readonly state: 'failed' | 'unknown'
  readonly category: string
  readonly status?: number
  readonly request_id?: string
  readonly message: string
}
export type ObjectLine = QueuedLine | BegunLine | DoneLine | FailedLine

/** A write that belongs to no object: one line before it is sent, another with its outcome. */
export interface RequestLine {
  /** Method and path without the query. */
  readonly request: string
  readonly outcome?: 'done' | 'refused' | 'unknown' | 'not_sent'
  readonly status?: number
  readonly request_id?: string
  readonly duration_ms?: number
  /** ISO 8601, UTC. */
  readonly at?: string
}

/** The last line of a run. */
export interface EndLine {
  readonly end: End
  readonly counts: Counts
  /** The time at which it ended; ISO 8601, UTC. */
  readonly at?: string
}

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

// Validation: everything that is read from a file is checked.

type ValueCheck = (value: unknown) => boolean

const isText: ValueCheck = (value) => typeof value === 'string'
const isTime: ValueCheck = (value) => isText(value) && !Number.isNaN(Date.parse(String(value)))
const isCount: ValueCheck = (value) => Number.isSafeInteger(value) && Number(value) >= 0
const allowNull =
  (is: ValueCheck): ValueCheck =>
  (value) =>
    value === null || is(value)
const allowAbsent =
  (is: ValueCheck): ValueCheck =>
  (value) =>
    value === undefined || is(value)
const isOneOf =
  (...words: readonly string[]): ValueCheck =>
  (value) =>
    words.some((word) => word === value)
const isListOf =
  (is: ValueCheck): ValueCheck =>
  (value) =>
    Array.isArray(value) && value.every(is)

const hasShape = (shape: Readonly<Record<string, ValueCheck>>): ValueCheck => {
  const checks = Object.entries(shape)
  return (value) => isObject(value) && checks.every(([name, is]) => is(value[name]))
}

const isOptionText: ValueCheck = (value) =>
  isText(value) || hasShape({ $file: isText, sha256: isText })(value)

const isOptions = hasShape({
  args: isListOf(isText),
  flags: (value) => isObject(value) && Object.values(value).every(isListOf(isOptionText)),
} satisfies Partial<Record<keyof LineOptions, ValueCheck>>)

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
  redoes: allowAbsent(hasShape({ command: isText, endpoint: isText, lacks: isListOf(isText) })),
  redo: allowAbsent((value) => value === true),
  planned: allowAbsent(
    hasShape({ by: isOneOf('agent', 'person'), reason: allowAbsent(isText), expires: isTime }),
  ),
  file: allowAbsent(isText),
})

const attributesCheck = allowAbsent(allowNull(isObject))
const placeChecks = { n: (value: unknown) => isCount(value) && value !== 0, object: isText }
const answerChecks = { status: allowAbsent(isCount), request_id: allowAbsent(isText) }

/** The checks of an object's line, by its state. */
const stateChecks: Readonly<Record<ObjectLine['state'], ValueCheck>> = {
  queued: hasShape({
    before: attributesCheck,
    after: attributesCheck,
    input: allowAbsent(isObject),
    sends: allowAbsent(isText),
  }),
  begun: hasShape({ before: attributesCheck, after: attributesCheck, unread: allowAbsent(isText) }),
  done: hasShape({
    ...answerChecks,
    before: attributesCheck,
    after: attributesCheck,
    unread: allowAbsent(isText),
  }),
  unchanged: hasShape({ ...answerChecks, before: attributesCheck, after: attributesCheck }),
  failed: hasShape({ ...answerChecks, category: isText, message: isText }),
  unknown: hasShape({ ...answerChecks, category: isText, message: isText }),
}

const isState = (text: unknown): text is ObjectLine['state'] =>
  isText(text) && Object.hasOwn(stateChecks, String(text))

const isPlaced = hasShape({ ...placeChecks, parent: allowAbsent(isText), at: allowAbsent(isTime) })

const isObjectLine = (value: Fields): boolean =>
  isPlaced(value) && isState(value.state) && stateChecks[value.state](value)

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
  ...answerChecks,
  duration_ms: allowAbsent((value) => typeof value === 'number'),
  at: allowAbsent(isTime),
})

const isLine = (value: unknown): value is JournalLine => {
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

/** Parses a line; returns undefined if it is not a valid line of a journal. */
export const parseLine = (text: string): JournalLine | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isLine(value) ? value : undefined
  } catch {
    return undefined
  }
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
