/** What was asked by data in the words of the instance, by the names of the documents. */
import type { JsonValues } from '../../base/json/value.js'
import type { Words } from '../../catalogue/words.js'
import { dataOf } from '../../commands/data.js'
import type { Command, Given } from '../../commands/types.js'
import { givenOfData } from '../plan/data.js'
import { bothNames } from './both.js'
import { neutralGiven } from './given.js'

/** What the documents call so is that; @throws Failure `usage` where one thing stands there by two names */
const neutralNames = (command: Command, values: JsonValues, words: Words): JsonValues => {
  const names = new Set(dataOf(command).map(({ name }) => name))
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
  command: Command,
  values: JsonValues,
  words: Words | undefined,
  note: (text: string) => void,
): Given => {
  if (words === undefined) return givenOfData(command, values, note)
  const given = givenOfData(command, neutralNames(command, values, words), note)
  return neutralGiven(given, { flags: new Map() }, command, words)
}
