/** Rejects conditions on values that a field is not known to have. Such a condition matches nothing, which is usually a typing mistake. */

import { isNumber } from '../../base/json/json.js'
import { Failure } from '../../errors.js'
import {
  type Condition,
  createConditionFailure,
  type Expression,
  type Operand,
  parseTimeValue,
  type Test,
} from './condition.js'
import { createLeafReader, type Known } from './fields.js'
import { hasWildcard } from './foreign.js'
import { isOrderOperator, type Op } from './operators.js'
import { type FieldKind, findDocumentedValues, isSingular } from './shape.js'

/** The failure of a value that neither the documents nor the sampled records have. Records that were not sampled may have it. */
export class UnseenValueFailure extends Failure {}

/** Returns the words that a field may have; none if the documents have fewer than two, since a single one is only an example. */
const getWords = (field: string, kind: FieldKind, known: Known): readonly string[] => {
  const { list, single, ungrouped, getLearntValues } = known
  const shapes = [list, single, ungrouped]
  const those = kind === 'text' || kind === 'level' ? shapes : []
  const documented = new Set(those.flatMap((shape) => findDocumentedValues(shape, field)))
  return documented.size < 2
    ? []
    : [...new Set([...documented, ...(getLearntValues?.(field) ?? [])])]
}

/** A value of a condition, with its test. */
export interface TestedValue {
  readonly value: Operand
  readonly test: Test
}

const maxListed = 15

/** Creates the failure of an unknown value. The hint lists the known ones. */
const createUnseenFailure = (
  { field, op }: Condition,
  { text: given, at }: Operand,
  {
    text,
    words,
    known: { findNearest, ...known },
  }: {
    readonly text: string
    readonly words: readonly string[]
    readonly known: Known
  },
): Failure => {
  const name = known.naming.describeName(field)
  const quoted = `${field}${op}${JSON.stringify(given)}`
  if (words.length === 0) {
    const contained = `${field}${op.replace('=', '~')}${given}`
    return createConditionFailure(
      text,
      at,
      `* is a wildcard behind ~ and !~ only`,
      `Write ${contained}, or ${quoted} for the text itself.`,
    )
  }
  const near = findNearest?.(given, words)
  const suggestion = near === undefined ? '' : `; did you mean ${near}?`
  const listed = words.length > maxListed ? '' : `Known values: ${words.join(', ')}. `
  return createConditionFailure(
    text,
    at,
    `no known value of ${name} ${op.endsWith('~') ? 'contains' : 'is'} "${given}"${suggestion}`,
    `${listed}To compare with another value, quote it: ${quoted}`,
  )
}

/**
 * Checks that the values of a condition are known: from the documents, from earlier answers, or from the sampled records. A quoted value is
 * always accepted.
 * @throws UnseenValueFailure
 */
export const checkValues = (
  condition: Condition,
  kind: FieldKind,
  tested: readonly TestedValue[],
  { text, known }: { readonly text: string; readonly known: Known },
): void => {
  const { field, op } = condition
  if (isOrderOperator(op) || known.areValuesChecked === true) return
  const words = getWords(field, kind, known)
  const read = createLeafReader(field, known)
  for (const { value, test } of tested) {
    if (value.quoted || !isDoubtful(op, value, words, test)) continue
    const seen = known.samples?.some((record) => read(record).values.some(test))
    if (seen === true) continue
    const { category, message, details } = createUnseenFailure(condition, value, {
      text,
      words,
      known,
    })
    throw new UnseenValueFailure(category, message, details)
  }
}

/**
 * Rejects conditions that require two different words of one field, because a comma means that both must match.
 * @throws Failure `usage`
 */
export const checkContradictions = ({ text, conditions }: Expression, known: Known): void => {
  const wanted = new Map<string, Condition>()
  for (const condition of conditions) {
    const { field, op, values, at } = condition
    const single = [known.list, known.single].some((shape) => isSingular(shape, field))
    if (op !== '=' || !single || getWords(field, 'text', known).length === 0) continue
    const before = wanted.get(field)
    wanted.set(field, condition)
    const texts = values.map((one) => one.text)
    if (before === undefined || before.values.some((one) => texts.includes(one.text))) continue
    const all = [...before.values.map((one) => one.text), ...texts].join('|')
    const name = known.naming.describeName(field)
    const why = `no record has two values of ${name}, and a comma means that both must match`
    throw createConditionFailure(text, at, why, `Write ${field}=${all} for either of them.`)
  }
}

const isDoubtful = (op: Op, { text }: Operand, words: readonly string[], test: Test): boolean =>
  words.length > 0 ? !words.some(test) : hasWildcard(op, text)

/** Infers the type of a field from the sampled records if all of them agree; `any` otherwise. */
export const inferKind = (field: string, known: Known): FieldKind => {
  const read = createLeafReader(field, known)
  const kinds = new Set((known.samples ?? []).flatMap((one) => read(one).values.map(getValueKind)))
  const [only] = kinds
  return kinds.size === 1 && only !== undefined ? only : 'any'
}

const getValueKind = (value: unknown): FieldKind => {
  if (typeof value === 'boolean') return 'boolean'
  if (isNumber(value)) return 'number'
  return parseTimeValue(value) === undefined ? 'any' : 'time'
}
