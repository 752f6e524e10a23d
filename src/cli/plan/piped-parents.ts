/**
 * What a list of several parents printed, as the objects of a verb: each record in its own project or
 * group, which stands in the first column, or beside it.
 */
import { JsonCutter } from '../../base/json/cutter.js'
import { type Fields, isObject } from '../../base/objects.js'
import { hasForm } from '../../commands/derive/index.js'
import type { Parent } from '../../commands/described.js'
import type { Command } from '../../commands/types.js'
import type { Raw } from '../words/line.js'
import { objectsOf } from './objects.js'
import { type Slot, SlotsWithObjects, slotIn } from './parents.js'
import { objectAt, plain } from './piped.js'

interface Owned {
  readonly column: Parent['column']
  readonly parent: string
  readonly record: Fields
}

const columns: readonly Parent['column'][] = ['project', 'group', 'of']

const columnOf = (name: string | undefined): Parent['column'] | undefined =>
  columns.find((one) => one === name)

/** A record below its parent; 'none' where it is something else; undefined for a parent that failed. */
const ownedIn = (item: unknown): Owned | 'none' | undefined => {
  if (!isObject(item)) return 'none'
  const column = columnOf(Object.keys(item)[0])
  if (column === undefined) return 'none'
  const { [column]: parent, record, outcome } = item
  if (typeof parent !== 'string') return 'none'
  if (isObject(record)) return { column, parent, record }
  return record === undefined && outcome === 'failed' ? undefined : 'none'
}

const fromJson = (text: string): readonly Owned[] | undefined => {
  const owned = JsonCutter.all(text).map(({ value }) => ownedIn(value))
  const records = owned.flatMap((one) => (one === undefined || one === 'none' ? [] : [one]))
  return records.length === 0 || owned.includes('none') ? undefined : records
}

const cellsOf = async (text: string): Promise<readonly (readonly string[])[]> => {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  if (lines[0]?.includes('\t') === true) return lines.map((line) => line.split('\t'))
  const { parse } = await import('csv-parse/sync')
  try {
    return parse(text, { relax_column_count: true, skip_empty_lines: true })
  } catch {
    return []
  }
}

const fromTable = async (text: string): Promise<readonly Owned[] | undefined> => {
  if (!/^(?:project|group|of)[\t,]/.test(text)) return undefined
  const [heading = [], ...rows] = await cellsOf(text)
  const [first, ...names] = heading
  const column = columnOf(first)
  if (column === undefined) return undefined
  const records = rows.map(([parent = '', ...cells]) => ({
    column,
    parent,
    record: Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ''])),
  }))
  // A field of that name has an object of its own in it.
  const strange = records.some(({ parent }) => parent === '' || parent.startsWith('{'))
  return records.length === 0 || strange ? undefined : records
}

/** Whether an input that begins so may bring parents along. */
export const mayOwn = (head: string): boolean =>
  /^\ufeff?(?:(?:project|group|of)[\t,]|\s*\[?\s*\{\s*"(?:project|group|of)"\s*:)/.test(head)

/** Whether a verb takes objects from standard input, and nothing else says whose they are. */
export const isOpen = (command: Command, { args, flags }: Raw): boolean =>
  args.length === 1 &&
  args[0] === '-' &&
  command.args[0]?.variadic === true &&
  command.args[0].file !== true &&
  (hasForm(command, 'project') || hasForm(command, 'group')) &&
  !['project', 'group', 'all-projects', 'input'].some((name) => flags.has(name))

/**
 * The parents that a verb's input brings along, with their objects; those that follow each other are
 * one. Undefined where it brings none.
 * @throws Failure `usage` for a record that names no object of the verb
 */
export const ownedSlots = async (
  command: Command,
  raw: Raw,
  stdin: () => Promise<string>,
): Promise<readonly Slot[] | undefined> => {
  if (!isOpen(command, raw)) return undefined
  const text = (await stdin()).replace(/^\ufeff/, '')
  const owned = /^\s*[[{]/.test(text) ? fromJson(text) : await fromTable(text)
  if (owned === undefined) return undefined
  const objects = (await objectsOf(command.args[0])) ?? plain
  const elsewhere = await objects.elsewhere()
  const found = new SlotsWithObjects()
  for (const [i, { column, parent, record }] of owned.entries()) {
    const slot = slotIn(column, parent)
    const reading = { objects, elsewhere, project: slot.value }
    found.add(slot, objectAt(`record ${i + 1}`, record, reading))
  }
  return found.slots
}
