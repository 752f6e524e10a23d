/** Reads the project or group that a record names, in output over several of them, for the readers of standard input. */

import { type Fields, isObject } from '../../../base/objects.js'
import { hasScopeEndpoint } from '../../command/derive.js'
import type { Command } from '../../command/types.js'
import type { Raw } from '../line.js'
import type { Objects } from '../objects.js'
import { type ParentColumn, parentColumns, parseParentTarget } from '../parents.js'
import {
  createRowFailure,
  type ObjectContext,
  type ParentCheck,
  type RowTap,
  targetColumns,
} from './rows.js'

/** A record with its parent. */
export interface ChildRecord {
  /** The place in the input, for messages, such as `line 3`. */
  readonly place: string
  readonly column: ParentColumn
  readonly parent: string
  readonly record: Fields
}

/** An item of the input: a record with its parent, or something else. It is undefined for a parent that could not be read. */
export type InputItem = ChildRecord | Pick<ChildRecord, 'place'> | undefined

export const isChild = (item: InputItem): item is ChildRecord =>
  item !== undefined && 'record' in item

/** Parses a JSON value of the input. */
export const parseInputItem = (place: string, item: unknown): InputItem => {
  if (!isObject(item)) return { place }
  const column = parentColumns.find((one) => typeof item[one] === 'string')
  if (column === undefined) return { place }
  const { [column]: name, record, outcome, ...fields } = item
  const parent = String(name)
  if (isObject(record)) {
    const { profile } = fields
    return {
      place,
      column,
      parent,
      record: profile === undefined ? record : { ...record, profile },
    }
  }
  if (record !== undefined) return { place }
  // In the output of --fields, a record and its parent are one object.
  return outcome === 'failed' ? undefined : { place, column, parent, record: fields }
}

/**
 * Returns the record of a JSON value, without the parent that the line does not take. Returns undefined for a parent that could not be
 * read.
 */
export const takeRecord = (
  place: string,
  value: unknown,
  { checkParent, objects, tap }: ObjectContext,
): unknown => {
  const item = checkParent === undefined ? { place } : parseInputItem(place, value)
  if (item === undefined || !isChild(item) || objects.names.includes(item.column))
    return item && value
  checkParent?.(item)
  // In a sheet, the column may be an attribute.
  const isAttribute = tap?.sheet === true && isObject(value) && !isObject(value.record)
  return isAttribute ? value : item.record
}

/**
 * Creates the check for the records of lists over several parents, where the line does not take their parents. A command without parents
 * accepts all records. Returns undefined if the line has no flag that a parent could be compared with, and for a spreadsheet, whose
 * columns people chose.
 * @param project the project of the line; '' if it has several parents
 * @returns a function that throws Failure `usage` for a record of another parent than that of the line
 */
export const createParentCheck = (
  command: Command,
  raw: Raw,
  {
    project,
    rowFields,
  }: { readonly project?: string | undefined; readonly rowFields?: RowTap | undefined },
): ParentCheck | undefined => {
  if (!hasScopeEndpoint(command, 'project') && !hasScopeEndpoint(command, 'group')) return () => {}
  const flag = (['project', 'group'] as const).find((name) => raw.flags.has(name))
  if (rowFields !== undefined || (flag === undefined && project !== '')) return undefined
  const named = project === '' || flag === undefined ? undefined : raw.flags.get(flag)?.at(-1)
  return ({ place, column, parent }) => {
    const { kind, value } = parseParentTarget(column, parent)
    if (kind === flag && value.toLowerCase() === named?.toLowerCase()) return
    const [what, flags] =
      named === undefined
        ? [`it names its ${kind}, but the line has several`, `the ${kind}s`]
        : [`it belongs to ${kind} ${value}, but --${flag} is ${named}`, `--${flag}`]
    const begin = hasScopeEndpoint(command, kind)
      ? `Omit ${flags}, and each object is processed in its own ${kind}. Or pipe`
      : 'Pipe'
    throw createRowFailure(place, what, `${begin} in the IDs alone (-o id).`)
  }
}

/** Columns of names. Objects without one are numbers, so that no word can be one of them. */
const nameColumn = /name|path|slug|domain|^key$/

/** @throws Failure `usage` for a list that has a column for the target alone, and names no objects */
export const checkNotTargets = (head: string, objects: Objects): void => {
  if (!targetColumns.includes(head.trim()) || objects.names.includes(head.trim())) return
  if (objects.names.length === 0 || objects.names.some((name) => nameColumn.test(name))) return
  throw createRowFailure(
    'line 1',
    `the column ${head.trim()} alone names no ${objects.word}`,
    `Pipe in the objects as well, such as --fields ${head.trim()},${objects.names.includes('iid') ? 'iid' : objects.names[0]}.`,
  )
}
