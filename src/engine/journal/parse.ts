/** What the lines of a journal say: whatever is read from a file is checked before it is used. */

import { isDeepStrictEqual } from 'node:util'
import { type Fields, isObject } from '../../base/objects.js'
import { Failure } from '../../errors.js'
import type { Counts } from '../work/report.js'
import type { Line, LineOptions, ObjectLine } from './lines.js'

// Journals of format 1, as the first builds wrote them: turned into those of today while they are read.

/** A value that was given by reference: `{"secret": "env:NAME"}`, `{"row": "access_level"}`. */
const referenceIn = (value: unknown): unknown => {
  if (!isObject(value) || Object.keys(value).length !== 1) return value
  const { secret, row } = value
  if (typeof secret === 'string') return { $secret: secret }
  return typeof row === 'string' ? { $row: row } : value
}

const textIn = (text: unknown): unknown =>
  isObject(text) && 'text' in text ? { $file: text.text, sha256: text.sha256 } : text

const textsIn = (texts: unknown): unknown => (Array.isArray(texts) ? texts.map(textIn) : texts)

const changed = (fields: unknown, change: (value: unknown) => unknown): unknown =>
  isObject(fields)
    ? Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value)]))
    : fields

/** `2026-11-21T12:01:02Z`, by the name of a run. */
const beganBy = (id: unknown): string | null => {
  const [, date, time] = /^(\d{8})T(\d{6})-/.exec(String(id)) ?? []
  if (date === undefined || time === undefined) return null
  return `${date.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`
}

const upgradedHeader = ({ values, asked, ...header }: Fields): Fields => {
  const upgraded = { ...header, journal: 2, began: beganBy(header.id) }
  const input = changed(values, referenceIn)
  if (!isObject(asked)) return { ...upgraded, input, options: asked }
  const { parents, shard, ...options } = asked
  const flags = changed(options.flags, textsIn)
  return { ...upgraded, input, options: { ...options, flags }, parents, shard }
}

/** A line as it would be written today. */
const upgraded = (line: Fields): Fields => {
  if (line.journal === 1) return upgradedHeader(line)
  if (line.state !== 'queued' || !('row' in line)) return line
  const { row, ...others } = line
  return { ...others, input: row }
}

// What a journal does not say any more: damaged lines, and objects that none of its lines names.

/** So many damaged lines are named; the others are counted. */
const maxNamed = 10

export interface Gap {
  /** The damaged lines by their numbers, from 1 on; the first ten. */
  readonly lines: readonly number[]
  readonly damaged: number
  /** Objects of the run that no line names. */
  readonly missing: number
  /** All of it in words. */
  readonly text: string
}

/** What a journal says of its objects besides the lines about them. */
interface SaidCounts {
  /** By the line that ends the input. */
  readonly total: number | undefined
  /** By its last line. */
  readonly counts: Counts | undefined
}

const sumOf = ({ done, unchanged, failed, unknown, not_tried }: Counts): number =>
  done + unchanged + failed + unknown + not_tried

const objects = (count: number): string => `${count} object${count === 1 ? '' : 's'}`

const countsText = (found: Counts, said: Counts): string => {
  const names = ['done', 'unchanged', 'failed', 'unknown', 'not_tried'] as const
  const other = names.filter((name) => found[name] !== said[name])
  const words = other.map(
    (name) => `${said[name]} ${name.replace('_', ' ')} and not ${found[name]}`,
  )
  return `its last line reports ${words.join(', ')}`
}

/** Collects the damaged lines of a journal while it is read. */
export class Gaps {
  readonly #lines: number[] = []
  #damaged = 0

  add(line: number): void {
    this.#damaged += 1
    if (this.#lines.length < maxNamed) this.#lines.push(line)
  }

  /** The gap of a journal whose lines came to these counts; undefined where it is whole. */
  of(found: Counts, { total, counts }: SaidCounts): Gap | undefined {
    const known = sumOf(found)
    const missing = Math.max(0, (total ?? 0) - known)
    const texts = [
      ...(this.#damaged === 0 ? [] : [this.#damagedText()]),
      ...(missing === 0
        ? []
        : [`${objects(missing)} of ${total} ${missing === 1 ? 'is' : 'are'} missing`]),
      ...(total === undefined || known <= total
        ? []
        : [`it lists ${objects(known)}, but its total is ${total}`]),
      ...(counts === undefined || isDeepStrictEqual(found, counts)
        ? []
        : [countsText(found, counts)]),
    ]
    if (texts.length === 0) return undefined
    return { lines: this.#lines, damaged: this.#damaged, missing, text: texts.join('; ') }
  }

  #damagedText(): string {
    const [named, more] = [this.#lines.join(', '), this.#damaged - this.#lines.length]
    if (this.#damaged === 1) return `line ${named} is damaged`
    return `lines ${named}${more === 0 ? '' : ` and ${more} more`} are damaged`
  }
}

/** What is thrown where a gap is in the way. */
export const gapFailure = (file: string, text: string): Failure =>
  new Failure('partial', `the journal ${file} is damaged: ${text}`, {
    hint: 'svcctl journal show shows what can still be read of it.',
  })

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isTime: Check = (value) => isText(value) && !Number.isNaN(Date.parse(String(value)))
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0
const orNull =
  (is: Check): Check =>
  (value) =>
    value === null || is(value)
const orAbsent =
  (is: Check): Check =>
  (value) =>
    value === undefined || is(value)
const oneOf =
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
  journal: (value) => value === 2,
  id: isText,
  began: orNull(isTime),
  command: isText,
  endpoint: isText,
  input: isObject,
  instance: isText,
  profile: orNull(isText),
  user: orNull(isText),
  sudo: orNull(isText),
  source: isText,
  version: isText,
  options: orAbsent(isOptions),
  parents: orAbsent(oneOf('project', 'group', 'of')),
  shard: orAbsent(isText),
  final: orAbsent(isText),
  irreversible: orAbsent(isText),
  undoes: orAbsent(isText),
  redo: orAbsent((value) => value === true),
})

const attributes = orAbsent(orNull(isObject))
const place = { n: (value: unknown) => isCount(value) && value !== 0, object: isText }
const answered = { status: orAbsent(isCount), request_id: orAbsent(isText) }

/** By the state of its object. */
const objectLines: Readonly<Record<ObjectLine['state'], Check>> = {
  queued: hasShape({ before: attributes, input: orAbsent(isObject) }),
  begun: hasShape({ before: attributes, after: attributes, unread: orAbsent(isText) }),
  done: hasShape({ ...answered, before: attributes, after: attributes, unread: orAbsent(isText) }),
  unchanged: hasShape({ ...answered, before: attributes, after: attributes }),
  failed: hasShape({ ...answered, category: isText, message: isText }),
  unknown: hasShape({ ...answered, category: isText, message: isText }),
}

const isState = (text: unknown): text is ObjectLine['state'] =>
  isText(text) && Object.hasOwn(objectLines, String(text))

const isPlaced = hasShape({ ...place, parent: orAbsent(isText), at: orAbsent(isTime) })

const isObjectLine = (value: Fields): boolean =>
  isPlaced(value) && isState(value.state) && objectLines[value.state](value)

const isCounts = hasShape({
  done: isCount,
  unchanged: isCount,
  failed: isCount,
  unknown: isCount,
  not_tried: isCount,
})

const isLine = (value: unknown): value is Line => {
  if (!isObject(value)) return false
  if ('n' in value) return isObjectLine(value)
  if ('journal' in value) return isHeader(value)
  if ('input' in value) return isCount(value.total)
  if ('resumed' in value) return isTime(value.resumed)
  return (
    oneOf('completed', 'interrupted', 'stopped')(value.end) &&
    isCounts(value.counts) &&
    orAbsent(isTime)(value.at)
  )
}

/** What a line says; undefined where it is none of a journal. */
export const parseLine = (text: string): Line | undefined => {
  try {
    const parsed: unknown = JSON.parse(text)
    const value = isObject(parsed) ? upgraded(parsed) : undefined
    return isLine(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** How every line about an object begins, as `formatLine` writes it. */
const beginning =
  /^\{"n":([1-9]\d{0,14}),"object":"(?:[^"\\]|\\.)*"(?:,"parent":"(?:[^"\\]|\\.)*")?,"state":"(\w+)"[,}]/

/** Place and state of a line about an object, without reading the rest of it: four times as fast. */
export const placedIn = (
  text: string,
): { readonly n: number; readonly state: ObjectLine['state'] } | undefined => {
  const [, n, state = ''] = beginning.exec(text) ?? []
  return n !== undefined && isState(state) && text.endsWith('}')
    ? { n: Number(n), state }
    : undefined
}
