/** What a file says of an attribute → its value, by the type of its parameter. */

import { isDay, isMoment } from '../../base/dates.js'
import { isDuration } from '../../base/duration.js'
import type { JsonValue } from '../../base/json/value.js'
import { readPublicKey } from '../../base/public-key.js'
import { type HeldText, heldSize, openHeld, textSize } from '../../base/secrets/held.js'
import { quoteText } from '../../base/text.js'
import {
  emptyClears,
  formatOf,
  type IntegerParam,
  type ListParam,
  type Param,
  type Params,
  type StringParam,
} from '../../catalogue/params.js'
import {
  asWord,
  checkNumber,
  checkRange,
  parseEnum,
  parseInteger,
} from '../../catalogue/scalars.js'
import { referenceOf } from '../address.js'
import type { Origin } from '../state.js'
import {
  type Mistakes,
  plainValue,
  shownSort,
  type Written,
  type WrittenScalar,
} from './written.js'

/** What a value is checked against. */
interface Expected {
  readonly name: string
  readonly param: Param
  /** Names stand for its numbers. */
  readonly named: boolean
  readonly mistakes: Mistakes
}

type Checked = JsonValue | undefined

const wrong = ({ name, mistakes }: Expected, written: Written, takes: string, hint?: string) =>
  mistakes.add(
    written.origin,
    `${name} must be ${takes}, not ${quoteText(shownSort(written))}`,
    hint,
  )

/** What one text or number of a file says; undefined where it is none. */
const scalar = (expected: Expected, written: Written, takes: string): WrittenScalar | undefined =>
  written.is === 'scalar' && written.value !== null ? written : wrong(expected, written, takes)

const reference = (expected: Expected, written: Written): Checked => {
  const one = scalar(expected, written, 'a name or an ID')
  if (one?.text === '') return wrong(expected, written, 'a name or an ID')
  return one && expected.mistakes.tried(one.origin, () => referenceOf(one.text))
}

/** Numbers of levels that have no name are numbers all the same. */
const integer = (
  expected: Expected,
  written: Written,
  param: IntegerParam | ListParam,
): Checked => {
  const takes =
    param.names === undefined
      ? 'an integer'
      : `an integer or one of ${Object.keys(param.names).join(', ')}`
  const one = scalar(expected, written, takes)
  if (one === undefined) return undefined
  const { value, origin } = one
  if (typeof value === 'boolean') return wrong(expected, written, takes)
  return expected.mistakes.tried(origin, () => {
    const number = parseInteger(param, quoteText(String(value)), expected.name)
    return typeof value === 'number'
      ? checkRange(param, number, expected.name)
      : checkNumber(param, number, expected.name)
  })
}

const boolean = (expected: Expected, written: Written): Checked => {
  if (written.is === 'scalar' && typeof written.value === 'boolean') return written.value
  const isWord = written.is === 'scalar' && /^(?:yes|no|on|off|[01])$/i.test(written.text)
  const hint = isWord ? 'In YAML 1.2, only true and false are booleans.' : undefined
  return wrong(expected, written, 'true or false', hint)
}

const word = (
  expected: Expected,
  written: Written,
  param: Param & { type: 'enum' | 'list' },
): Checked => {
  const one = scalar(expected, written, `one of ${(param.values ?? []).join(', ')}`)
  if (one === undefined) return undefined
  const note = (text: string): void => expected.mistakes.note(one.origin, text)
  return expected.mistakes.tried(one.origin, () =>
    parseEnum(param, quoteText(one.text), expected.name, { note }),
  )
}

/** Several in one text, by the documents: files may list them. */
const separators: Partial<Record<NonNullable<StringParam['format']>, string>> = {
  csv: ',',
  spaced: ' ',
}

const text = (expected: Expected, written: Written, param: StringParam): Checked => {
  const separator = param.format === undefined ? undefined : separators[param.format]
  if (written.is === 'list' && separator !== undefined) {
    const items = written.items.map((item) => text(expected, item, param))
    return items.every((item) => item !== undefined) ? items.join(separator) : undefined
  }
  const one = scalar(expected, written, separator === undefined ? 'text' : 'text or a list')
  return one === undefined ? undefined : checkText(expected, param, one)
}

const item = (expected: Expected, written: Written, param: ListParam): Checked => {
  if (expected.named) return reference(expected, written)
  if (param.of === 'integer') return integer(expected, written, param)
  if (param.of === 'enum') return word(expected, written, param)
  const one = scalar(expected, written, 'a list of strings')
  return one === undefined ? undefined : checkText(expected, { type: 'string', help: '' }, one)
}

const list = (expected: Expected, written: Written, param: ListParam): Checked => {
  const single = param.single === true && written.is === 'scalar' && written.value !== null
  if (written.is !== 'list' && !single) return wrong(expected, written, 'a list')
  const members = written.is === 'list' ? written.items : [written]
  if (param.max !== undefined && members.length > param.max)
    expected.mistakes.add(
      written.origin,
      `${expected.name} can have at most ${param.max} values, not ${members.length}`,
    )
  const items = members.map((member) => item(expected, member, param))
  return items.every((one): one is JsonValue => one !== undefined) ? items : undefined
}

const hash = (expected: Expected, written: Written, keys: Params | undefined): Checked => {
  if (written.is !== 'map') return wrong(expected, written, 'a map')
  if (keys === undefined) return plainValue(written, expected.mistakes)
  const fields = written.entries.map(({ key, origin, value }) => {
    const param = Object.hasOwn(keys, key) ? keys[key] : undefined
    const name = `${expected.name}.${quoteText(key)}`
    if (param !== undefined) return [key, checked({ ...expected, name, param }, value)] as const
    const known = Object.keys(keys)
    expected.mistakes.unknown({ key, origin }, known, undefined, `${name} is unknown`)
    return [key, undefined] as const
  })
  const known = fields.filter((field): field is [string, JsonValue] => field[1] !== undefined)
  return known.length === fields.length ? Object.fromEntries(known) : undefined
}

const checked = (expected: Expected, written: Written): Checked => {
  const { param } = expected
  const bare = written.is === 'scalar' ? asWord(param, written.text) : undefined
  if (bare !== undefined) return bare
  switch (param.type) {
    case 'integer':
      return expected.named ? reference(expected, written) : integer(expected, written, param)
    case 'boolean':
      return boolean(expected, written)
    case 'enum':
      return word(expected, written, param)
    case 'list':
      return list(expected, written, param)
    case 'hash':
      return hash(expected, written, param.keys)
    case 'json':
      return plainValue(written, expected.mistakes)
    case 'string':
      return text(expected, written, param)
    default:
      return reference(expected, written)
  }
}

/** What `null` sends: nothing where the parameter is nullable, an empty text where it is text; else it is refused. */
const unset = ({ name, param, mistakes }: Expected, written: Written): Checked => {
  if (param.nullable === true || param.type === 'json') return null
  const isText = param.type === 'string' && !hasFormat(param)
  if (isText || emptyClears(param)) return ''
  const hint =
    param.type === 'list' ? 'Write [] for an empty list.' : 'Remove it to keep the current value.'
  return mistakes.add(written.origin, `${name} cannot be unset`, hint)
}

/**
 * The value of an attribute, as the API takes it; names stay where it has a reference.
 * @returns undefined where it is none, which is reported
 */
export const attributeValue = (
  attribute: { readonly name: string; readonly param: Param; readonly ref?: unknown },
  written: Written,
  mistakes: Mistakes,
): JsonValue | undefined => {
  const { name, param } = attribute
  const expected: Expected = { name, param, named: attribute.ref !== undefined, mistakes }
  const isNothing = written.is === 'scalar' && written.value === null
  return isNothing ? unset(expected, written) : checked(expected, written)
}

// Texts of attributes, held to the format of their parameter: those that files write, and those of files that
// they name.

const certificate =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[\w+/=\s]+-----END [A-Z0-9 ]+-----/g

/** The certificates of a PEM text, without what stands around them; undefined where a private key is among them. */
const certificatesIn = (text: string): string | undefined =>
  text.includes('PRIVATE KEY-----') ? undefined : text.match(certificate)?.join('\n')

interface Format {
  readonly takes: string
  /** What is sent of a text; undefined where it is none of the format. */
  sent(text: string): string | undefined
  /** It may stand in a file of its own; whoever names or pastes a wrong one may have a secret there. */
  readonly inFile?: true
}

const where =
  (fits: (text: string) => boolean): Format['sent'] =>
  (text) =>
    fits(text) ? text : undefined

const formats: Readonly<Partial<Record<NonNullable<StringParam['format']>, Format>>> = {
  date: { takes: 'a day as YYYY-MM-DD', sent: where(isDay) },
  datetime: { takes: 'a time as YYYY-MM-DDTHH:MM:SSZ', sent: where(isMoment) },
  duration: { takes: 'a duration such as 1h30m or 3w1h', sent: where(isDuration) },
  pem: { takes: 'PEM certificates without a private key', sent: certificatesIn, inFile: true },
  'public-key': {
    takes: 'a public key in one line',
    sent: where((text) => readPublicKey(text) !== undefined),
    inFile: true,
  },
}

const expectedFormat = (param: Param): Format | undefined => formats[formatOf(param) ?? 'text']

/** Whether not every text is one of this parameter. */
const hasFormat = (param: Param): boolean => expectedFormat(param) !== undefined

/** A text as it is sent, or what is wrong with it, in words that hold nothing of it. */
const fitted = (
  param: Param,
  text: string,
): { readonly sent: string } | { readonly wrong: string } => {
  const format = expectedFormat(param)
  const isCleared = text === '' && emptyClears(param)
  const sent = format === undefined || isCleared ? text : format.sent(text)
  if (sent === undefined) return { wrong: format?.takes ?? 'text' }
  return sent.includes('\0') ? { wrong: 'text without NUL characters' } : { sent }
}

/**
 * A text of a parameter, as a file writes it.
 * @returns undefined where the parameter does not take it, which is reported
 */
const checkText = (
  { name, mistakes }: { readonly name: string; readonly mistakes: Mistakes },
  param: Param,
  { origin, text }: Pick<WrittenScalar, 'origin' | 'text'>,
): string | undefined => {
  const found = fitted(param, text)
  if ('sent' in found) return found.sent
  const inFile = expectedFormat(param)?.inFile === true
  return mistakes.add(
    origin,
    `${name} must be ${found.wrong}, not ${inFile ? textSize(text) : `"${quoteText(text)}"`}`,
    inFile ? 'To read it from a file, write {file: path}.' : undefined,
  )
}

/** A text that stands in a file which another file names. */
export interface TextOfFile {
  readonly file: string
  readonly origin: Origin
  readonly held: HeldText
}

/**
 * The value of an attribute that stands in a file of its own.
 * @returns undefined where the parameter does not take it, which is reported with nothing of it
 */
export const heldValue = (
  { name, param }: { readonly name: string; readonly param: Param },
  { file, origin, held }: TextOfFile,
  mistakes: Mistakes,
): string | undefined => {
  const found = fitted(param, openHeld(held))
  if ('sent' in found) return found.sent
  const wrong = `${name} must be ${found.wrong}`
  return mistakes.add(origin, `${wrong}: ${quoteText(file)} holds ${heldSize(held)}`)
}
