/** Completes conditions (`--where`, `--select`). Loaded only for them. */

import { shownFields } from '../catalogue/kinds.js'
import { findGetCommand } from '../engine/command/derive.js'
import type { Command, Flag } from '../engine/command/types.js'
import { isOrderOperator, ops } from '../engine/where/operators.js'
import {
  type FieldKind,
  findDocumentedValues,
  findFieldKind,
  findFieldLevels,
  getShapeFields,
} from '../engine/where/shape.js'
import type { Candidate, Candidates } from './tab-candidates.js'

/** Returns the shapes of a list's records: those of the list, then those of single records. */
const getShapes = async (list: Command): Promise<readonly unknown[]> => {
  const single = await findGetCommand(list)
  const own = Object.values(list.endpoints).filter(({ returns }) => returns.kind === 'many')
  const others = Object.values(single?.endpoints ?? {}).filter(
    ({ returns, args }) => returns.kind === 'one' && args?.length === 1,
  )
  return [...own, ...others].map(({ returns }) => returns.shape)
}

/** Returns the kind of a field; `any`, which allows every operator, if no shape contains the field. */
const getKind = (shapes: readonly unknown[], field: string): FieldKind =>
  shapes.map((shape) => findFieldKind(shape, field)).find((kind) => kind !== undefined) ?? 'any'

/** Lists the fields that can be compared. An object is replaced by its own fields. */
const listFields = (list: Command, shapes: readonly unknown[]): readonly string[] => {
  const all = shapes.flatMap((shape) => getShapeFields(shape))
  const plain = [...new Set(all)].filter((field) => getKind(shapes, field) !== 'object')
  const shown = Object.entries(shownFields).filter(([, source]) => plain.includes(source))
  const more = [
    ...shown.map(([name]) => name),
    ...Object.keys(list.computedFields ?? {}),
    ...(list.instanceFields ?? []),
  ]
  return list.naming.addOwnNames([...new Set([...plain, ...more])])
}

/** Returns the operators that apply to a kind. */
const getOperators = (kind: FieldKind): readonly string[] => {
  if (kind === 'boolean') return ops.filter((op) => op === '=' || op === '!=')
  return kind === 'text' ? ops.filter((op) => !isOrderOperator(op)) : ops
}

/**
 * True if the shell leaves an operator unchanged: `<` and `>` need quotes, and `!~` needs single quotes because `!` is
 * history expansion.
 */
const isTypeable = (op: string, quote: string): boolean => {
  if (quote === "'") return true
  if (op === '!~') return false
  return quote === '"' || !/[<>]/.test(op)
}

const listValues = (shapes: readonly unknown[], field: string): readonly string[] => {
  if (getKind(shapes, field) === 'boolean') return ['true', 'false']
  const levels = shapes
    .map((shape) => findFieldLevels(shape, field))
    .find((found) => found !== undefined)
  if (levels !== undefined) return Object.keys(levels)
  return [...new Set(shapes.flatMap((shape) => findDocumentedValues(shape, field)))]
}

/** Suggests fields while one is typed. If only one matches, its operators are suggested. */
const suggestFields = (
  list: Command,
  shapes: readonly unknown[],
  begun: string,
  quote: string,
): readonly string[] => {
  const found = listFields(list, shapes).filter((field) => field.startsWith(begun))
  const only = found.length === 1 ? found[0] : found.find((field) => field === begun)
  if (only === undefined) return found
  const others = found.filter((field) => field !== only)
  const compared = getOperators(getKind(shapes, list.naming.neutral(only))).filter((op) =>
    isTypeable(op, quote),
  )
  const sorted = [...compared].sort((a, b) => Number(b === '=') - Number(a === '='))
  return [...sorted.map((op) => only + op), ...others]
}

/** Finds the list of `--select`. What chooses objects is loaded only for it. */
const loadSelectionList = async (command: Command): Promise<Command | undefined> =>
  (await import('../engine/targets/objects.js')).findSelectionList(command)

const conditionPattern =
  /^(?<head>(?:.*,)?)(?<field>[\w.-]+)(?<op>!=|=)(?<before>(?:[^,]*\|)?)(?<value>[^|,]*)$/

/**
 * Completes a condition that is typed up to `text`.
 * @param text the typed text with its opening quote
 * @param lead the text before the condition in the same word (`--where=`)
 */
export const completeCondition = async (
  command: Command,
  { name }: Pick<Flag, 'name'>,
  text: string,
  lead = '',
): Promise<Candidates> => {
  const list = name === 'select' ? await loadSelectionList(command) : command
  if (list === undefined) return { items: [] }
  const shapes = await getShapes(list)
  const quote = /^["']/.exec(text)?.[0] ?? ''
  const begun = text.slice(quote.length)
  const item = (value: string): Candidate => ({ value: lead + value, own: true })
  const {
    head = '',
    field,
    op = '',
    before = '',
    value = '',
  } = conditionPattern.exec(begun)?.groups ?? {}
  if (field !== undefined) {
    const words = listValues(shapes, list.naming.neutral(field)).filter((word) =>
      word.startsWith(value),
    )
    return { items: words.map((word) => item(head + field + op + before + word)) }
  }
  const at = begun.lastIndexOf(',') + 1
  const fields = suggestFields(list, shapes, begun.slice(at), quote)
  return { items: fields.map((one) => item(begun.slice(0, at) + one)) }
}
