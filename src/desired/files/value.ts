/** What a file says of an attribute → its value, by the type of its parameter. */
import type { JsonValue } from '../../base/json/value.js'
import { quoted } from '../../base/quoted.js'
import { didYouMean } from '../../base/suggest.js'
import type { IntegerParam, ListParam, Param, Params, StringParam } from '../../catalogue/params.js'
import {
  asWord,
  checkNumber,
  checkRange,
  parseEnum,
  parseInteger,
} from '../../catalogue/scalars.js'
import { referenceOf } from '../references.js'
import { checkText, hasFormat } from './formats.js'
import type { Mistakes } from './mistakes.js'
import { plainValue, shownSort, type Written, type WrittenScalar } from './written.js'

/** What a value is checked against. */
interface Expected {
  readonly name: string
  readonly param: Param
  /** Names stand for its numbers. */
  readonly named: boolean
  readonly mistakes: Mistakes
}

type Checked = JsonValue | undefined

const wrong = ({ name, mistakes }: Expected, written: Written, takes: string, hint?: string) => {
  mistakes.add(written.origin, `${name} takes ${takes}, not ${quoted(shownSort(written))}`, hint)
  return undefined
}

/** What one text or number of a file says; undefined where it is none. */
const scalar = (expected: Expected, written: Written, takes: string): WrittenScalar | undefined =>
  written.is === 'scalar' && written.value !== null ? written : wrong(expected, written, takes)

const reference = (expected: Expected, written: Written): Checked => {
  const one = scalar(expected, written, 'a name or an ID')
  if (one === undefined) return undefined
  if (one.text === '') return wrong(expected, written, 'a name or an ID')
  return expected.mistakes.tried(one.origin, () => referenceOf(one.text))
}

/** Numbers of levels that have no name are numbers all the same. */
const integer = (
  expected: Expected,
  written: Written,
  param: IntegerParam | ListParam,
): Checked => {
  const takes =
    param.names === undefined
      ? 'a whole number'
      : `a whole number or one of ${Object.keys(param.names).join(', ')}`
  const one = scalar(expected, written, takes)
  if (one === undefined) return undefined
  const { value, origin } = one
  if (typeof value === 'boolean') return wrong(expected, written, takes)
  return expected.mistakes.tried(origin, () => {
    const number = parseInteger(param, quoted(String(value)), expected.name)
    return typeof value === 'number'
      ? checkRange(param, number, expected.name)
      : checkNumber(param, number, expected.name)
  })
}

const boolean = (expected: Expected, written: Written): Checked => {
  if (written.is === 'scalar' && typeof written.value === 'boolean') return written.value
  const isWord = written.is === 'scalar' && /^(?:yes|no|on|off|[01])$/i.test(written.text)
  const hint = isWord ? 'YAML 1.2 has true and false only.' : undefined
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
    parseEnum(param, quoted(one.text), expected.name, { note }),
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
  const one = scalar(expected, written, 'a list of texts')
  return one === undefined ? undefined : checkText(expected, { type: 'string', help: '' }, one)
}

const list = (expected: Expected, written: Written, param: ListParam): Checked => {
  const single = param.single === true && written.is === 'scalar' && written.value !== null
  if (written.is !== 'list' && !single) return wrong(expected, written, 'a list')
  const members = written.is === 'list' ? written.items : [written]
  if (param.max !== undefined && members.length > param.max)
    expected.mistakes.add(
      written.origin,
      `${expected.name} takes at most ${param.max} values, not ${members.length}`,
    )
  const items = members.map((member) => item(expected, member, param))
  return items.every((one): one is JsonValue => one !== undefined) ? items : undefined
}

const hash = (expected: Expected, written: Written, keys: Params | undefined): Checked => {
  if (written.is !== 'map') return wrong(expected, written, 'a map')
  if (keys === undefined) return plainValue(written, expected.mistakes)
  const fields = written.entries.map(({ key, origin, value }) => {
    const param = Object.hasOwn(keys, key) ? keys[key] : undefined
    const name = `${expected.name}.${quoted(key)}`
    if (param !== undefined) return [key, checked({ ...expected, name, param }, value)] as const
    expected.mistakes.add(origin, `${name} is not known`, didYouMean(key, Object.keys(keys)))
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
  if (isText || (param.type === 'string' && param.clears === true)) return ''
  const hint =
    param.type === 'list'
      ? 'An empty list is written [].'
      : 'Leave it out, and it stays what it is.'
  mistakes.add(written.origin, `${name} cannot be unset`, hint)
  return undefined
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
