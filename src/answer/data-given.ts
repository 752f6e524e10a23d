/** Parses arguments that are given as data instead of a command line, such as those of MCP tools. */

import type { JsonValue, JsonValues } from '../base/objects.js'
import { suggestSimilar } from '../base/suggest.js'
import { coerce, createDataSource } from '../catalogue/coerce.js'
import { isNumeric, type Param } from '../catalogue/params.js'
import { toDocumentedGiven } from '../engine/command/aliases.js'
import { createNameConflictFailure, getCommandName, hasOwnNames } from '../engine/command/derive.js'
import { type Datum, getData } from '../engine/command/flags.js'
import type { CommandFacts, Given } from '../engine/command/types.js'
import { checkCoercedValue, type ValueOptions } from '../engine/plan/parse-values.js'
import { usage } from '../errors.js'

/** Receives notes, and the time that texts such as `30d` count from. */
type DataReading = Required<Pick<ValueOptions, 'note' | 'now'>>

/**
 * Checks a value by its parameter. A text is taken literally: it never names a file, a variable or a stream.
 * @throws Failure `usage` if the parameter does not take the value
 */
const checkDataValue = (
  param: Param,
  value: JsonValue,
  label: string,
  { note, now }: DataReading,
): JsonValue => checkCoercedValue(coerce(param, value, createDataSource(now)), label, { note })

/** @throws Failure `usage` for an unknown argument */
const checkNames = (command: CommandFacts, data: readonly Datum[], values: JsonValues): void => {
  const names = data.map(({ name }) => name)
  const strange = Object.keys(values).find((name) => !names.includes(name))
  if (strange === undefined) return
  const takes = names.length === 0 ? 'it takes none' : `its arguments are ${names.join(', ')}`
  throw usage(
    `${getCommandName(command)} has no argument "${strange}"; ${takes}`,
    suggestSimilar(strange, names),
  )
}

/** Returns the positional arguments in order. @throws Failure `usage` if one is missing before another one */
const getPositionalTexts = (
  data: readonly Datum[],
  values: JsonValues,
  reading: DataReading,
): readonly string[] => {
  const all = data.filter(({ flag }) => flag === undefined)
  const texts = all.map(({ name, param }) => {
    const value = values[name]
    if (value === undefined) return undefined
    // The text may be a reference or a username, which planning checks.
    if (isNumeric(param) && typeof value === 'string') return value
    const checked = checkDataValue(param, value, name, reading)
    return typeof checked === 'string' ? checked : JSON.stringify(checked)
  })
  const missing = texts.indexOf(undefined)
  const lacking = texts.slice(missing).some((text) => text !== undefined)
  if (missing >= 0 && lacking) throw usage(`${all[missing]?.name} is missing`)
  return texts.flatMap((text) => text ?? [])
}

/**
 * Parses arguments that are given as data.
 * @param values the arguments, by the names that `getData` returns
 * @throws Failure `usage` for an unknown name, and for a value that its parameter does not take
 */
export const parseDataGiven = (
  command: CommandFacts,
  values: JsonValues,
  reading: DataReading,
): Given => {
  const data = getData(command)
  checkNames(command, data, values)
  const flags = data.flatMap(({ name, param, flag }) => {
    const value = values[name]
    if (flag === undefined || value === undefined) return []
    return [[flag.name, checkDataValue(param, value, name, reading)] as const]
  })
  return {
    args: getPositionalTexts(data, values, reading),
    flags: Object.fromEntries(flags),
    extra: {},
  }
}

/**
 * Translates the names of the instance to those of the documents. A documented name stays as it is.
 * @throws Failure `usage` if two names mean the same argument
 */
const toDocumentedNames = (command: CommandFacts, values: JsonValues): JsonValues => {
  const names = new Set(getData(command).map(({ name }) => name))
  const written = new Map<string, string>()
  for (const own of Object.keys(values)) {
    const neutral = command.naming.neutral(own)
    const name = names.has(own) || !names.has(neutral) ? own : neutral
    const before = written.get(name)
    if (before !== undefined) throw createNameConflictFailure(own, before)
    written.set(name, own)
  }
  return Object.fromEntries([...written].map(([name, own]) => [name, values[own]]))
}

/**
 * Parses arguments that are given as data, under the names of the instance or of the documents.
 * @throws Failure `usage` for an unknown name, and for a value that its parameter does not take
 */
export const parseGivenInWords = (
  command: CommandFacts,
  values: JsonValues,
  reading: DataReading,
): Given => {
  if (!hasOwnNames(command)) return parseDataGiven(command, values, reading)
  const given = parseDataGiven(command, toDocumentedNames(command, values), reading)
  return toDocumentedGiven(given, { flags: new Map() }, command)
}
