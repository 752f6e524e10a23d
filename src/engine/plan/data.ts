/** What was asked by data in the words of the instance, by the names of the documents. */
import type { JsonValue, JsonValues } from '../../base/json/value.js'
import { type Fields, isObject } from '../../base/objects.js'
import { didYouMean } from '../../base/suggest.js'
import {
  formatOf,
  type HashParam,
  isScope,
  type ListParam,
  type Param,
} from '../../catalogue/params.js'
import { asWord, checkNumber, type TakeNote } from '../../catalogue/scalars.js'
import type { Words } from '../../catalogue/words.js'
import { bothNames } from '../../catalogue/words.js'
import { type Failure, usage } from '../../errors.js'
import { type Datum, getData } from '../command/data.js'
import { getCommandName } from '../command/derive/index.js'
import type { Described, Given } from '../command/types.js'
import { neutralGiven } from '../own/given.js'
import { parseValue } from './values.js'

// Values that come as data → what was asked. Each is checked by its parameter and is what it is: a text names
// no file, no variable and no stream, whatever it begins with.

const wrong = (label: string, what: string): Failure => usage(`${label} takes ${what}`)

const oneOfList = (
  param: ListParam,
  value: JsonValue,
  label: string,
  note: TakeNote,
): JsonValue => {
  if (param.of === 'integer') {
    if (typeof value === 'number') return number(param, value, label)
    if (typeof value !== 'string') throw wrong(label, 'integers')
  }
  if (typeof value !== 'string') throw wrong(label, 'a list of strings')
  if (param.of === 'string') return value
  // One by one: an item may hold a comma.
  const [one] = [parseValue({ ...param, max: 1 }, [value], label, { note })].flat()
  if (one === undefined || value.includes(',')) throw wrong(label, `no "${value}"`)
  return one
}

const listValue = (
  param: ListParam,
  value: JsonValue,
  label: string,
  note: TakeNote,
): JsonValue => {
  const word = typeof value === 'string' ? asWord(param, value) : undefined
  if (word !== undefined) return word
  if (!Array.isArray(value)) throw wrong(label, 'a list')
  if (param.max !== undefined && value.length > param.max)
    throw usage(`${label} takes at most ${param.max} values, not ${value.length}`)
  return value.map((item: JsonValue) => oneOfList(param, item, label, note))
}

const hashValue = (
  param: HashParam,
  value: JsonValue,
  label: string,
  note: TakeNote,
): JsonValue => {
  if (!isObject(value)) throw wrong(label, 'an object')
  const { keys } = param
  const entries = Object.entries(value as Fields).map(([key, inner]) => {
    const known = keys === undefined ? { type: 'string' as const, help: '' } : ownOf(keys, key)
    if (known === undefined)
      throw usage(
        `${label} accepts the keys ${Object.keys(keys ?? {}).join(', ')}, not "${key}"`,
        didYouMean(key, Object.keys(keys ?? {})),
      )
    return [key, valueFor(known, inner as JsonValue, `${label} ${key}`, note)] as const
  })
  return Object.fromEntries(entries)
}

const ownOf = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined

const number = (param: Param, value: number, label: string): number => {
  if (!Number.isSafeInteger(value)) throw wrong(label, `an integer, not ${value}`)
  return param.type === 'integer' || param.type === 'list'
    ? checkNumber(param, value, label)
    : value
}

/** What a parameter takes as one text, where that is what it is given. */
const textValue = (param: Param, value: JsonValue, label: string, note: TakeNote): JsonValue => {
  if (typeof value === 'string') return parseValue(param, [value], label, { note })
  const numeric = param.type === 'integer' || isScope(param)
  if (typeof value === 'number' && numeric) return number(param, value, label)
  if (Array.isArray(value) && isJoined(param) && value.every((item) => typeof item === 'string'))
    return parseValue(param, value, label)
  throw wrong(label, numeric ? 'an integer' : 'a string')
}

const isJoined = (param: Param): boolean => ['csv', 'spaced'].includes(formatOf(param) ?? '')

/**
 * A value by its parameter.
 * @throws Failure `usage` naming what it takes
 */
const valueFor = (param: Param, value: JsonValue, label: string, note: TakeNote): JsonValue => {
  if (value === null) {
    if (param.nullable === true) return null
    throw wrong(label, 'a value, not null')
  }
  switch (param.type) {
    case 'boolean':
      if (typeof value !== 'boolean') throw wrong(label, 'true or false')
      return value
    case 'list':
      return listValue(param, value, label, note)
    case 'hash':
      return hashValue(param, value, label, note)
    case 'json':
      if (param.items !== undefined && !Array.isArray(value)) throw wrong(label, 'a list')
      return value
    default:
      return textValue(param, value, label, note)
  }
}

/** @throws Failure `usage` for a name that the command does not have */
const checkNames = (command: Described, data: readonly Datum[], values: JsonValues): void => {
  const names = data.map(({ name }) => name)
  const strange = Object.keys(values).find((name) => !names.includes(name))
  if (strange === undefined) return
  const takes = names.length === 0 ? 'it takes none' : `its arguments are ${names.join(', ')}`
  throw usage(
    `${getCommandName(command)} has no argument "${strange}"; ${takes}`,
    didYouMean(strange, names),
  )
}

/** What stands by position, in order: none behind one that lacks. */
const positional = (
  data: readonly Datum[],
  values: JsonValues,
  note: TakeNote,
): readonly string[] => {
  const all = data.filter(({ flag }) => flag === undefined)
  const texts = all.map(({ name, param }) => {
    const value = values[name]
    if (value === undefined) return undefined
    // A reference, or a username: planning knows whether the command takes it.
    if (param.type === 'integer' && typeof value === 'string') return value
    const checked = valueFor(param, value, name, note)
    return typeof checked === 'string' ? checked : JSON.stringify(checked)
  })
  const missing = texts.indexOf(undefined)
  const lacking = texts.slice(missing).some((text) => text !== undefined)
  if (missing >= 0 && lacking) throw usage(`${all[missing]?.name} is missing`)
  return texts.flatMap((text) => text ?? [])
}

/**
 * What was asked of a command by data.
 * @param values by the names of `getData`
 * @throws Failure `usage` for a name that it does not have, and a value that its parameter does not take
 */
export const givenOfData = (command: Described, values: JsonValues, note: TakeNote): Given => {
  const data = getData(command)
  checkNames(command, data, values)
  const flags = data.flatMap(({ name, param, flag }) => {
    const value = values[name]
    if (flag === undefined || value === undefined) return []
    return [[flag.name, valueFor(param, value, name, note)] as const]
  })
  return { args: positional(data, values, note), flags: Object.fromEntries(flags), extra: {} }
}

/** What the documents call so is that; @throws Failure `usage` where one thing stands there by two names */
const neutralNames = (command: Described, values: JsonValues, words: Words): JsonValues => {
  const names = new Set(getData(command).map(({ name }) => name))
  const written = new Map<string, string>()
  for (const own of Object.keys(values)) {
    const neutral = words.neutral(own)
    const name = names.has(own) || !names.has(neutral) ? own : neutral
    const before = written.get(name)
    if (before !== undefined) throw bothNames(own, before)
    written.set(name, own)
  }
  return Object.fromEntries([...written].map(([name, own]) => [name, values[own]]))
}

/**
 * What was asked of a command by data: each thing by the instance's name, or by that of the documents.
 * @throws Failure `usage` for a name that it does not have, and a value that its parameter does not take
 */
export const givenInWords = (
  command: Described,
  values: JsonValues,
  words: Words | undefined,
  note: (text: string) => void,
): Given => {
  if (words === undefined) return givenOfData(command, values, note)
  const given = givenOfData(command, neutralNames(command, values, words), note)
  return neutralGiven(given, { flags: new Map() }, command, words)
}
