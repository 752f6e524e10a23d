/** What was asked by data in the words of the instance, by the names of the documents. */
import type { JsonValue, JsonValues } from '../../base/json/value.js'
import { didYouMean } from '../../base/suggest.js'
import { coerce, dataSource } from '../../catalogue/coerce.js'
import { isNumeric, type Param } from '../../catalogue/params.js'
import { bothNames, type Words } from '../../catalogue/words.js'
import { usage } from '../../errors.js'
import { getCommandName } from '../command/derive/index.js'
import { type Datum, getData } from '../command/derive/taken.js'
import type { Described, Given } from '../command/types.js'
import { neutralGiven } from '../command/vocabulary.js'
import { checkedValue, type TakeNote } from './values.js'

/**
 * A value by its parameter; it is what it is: a text names no file, no variable and no stream, whatever it begins with.
 * @throws Failure `usage` naming what it takes
 */
const valueFor = (param: Param, value: JsonValue, label: string, note: TakeNote): JsonValue =>
  checkedValue(coerce(param, value, dataSource), label, { note })

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
    if (isNumeric(param) && typeof value === 'string') return value
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
