/**
 * What a list of several parents printed, as the objects of a verb: each record in its own project or
 * group, which stands in the first column, or beside it.
 */
import { stringifyExact } from '../../base/json/json.js'
import { jsonValues } from '../../base/json/values.js'
import { type Fields, isObject } from '../../base/objects.js'
import { hasForm } from '../../commands/derive/index.js'
import type { Command } from '../../commands/types.js'
import { Failure, usage } from '../../errors.js'
import type { Raw } from '../words/line.js'
import { objectsOf } from './objects.js'
import { type Slot, slotOf, slotOfTree } from './parents.js'
import { pipedObjects } from './piped-reader.js'

interface Owned {
  readonly column: string
  readonly parent: string
  readonly record: Fields
}

const columns = ['project', 'group', 'of'] as const

/** A record below its parent; 'none' where it is something else; undefined for a parent that failed. */
const ownedIn = (item: unknown): Owned | 'none' | undefined => {
  if (!isObject(item)) return 'none'
  const [column = ''] = Object.keys(item)
  const { [column]: parent, record, outcome } = item
  if (!columns.some((one) => one === column) || typeof parent !== 'string') return 'none'
  if (isObject(record)) return { column, parent, record }
  return record === undefined && outcome === 'failed' ? undefined : 'none'
}

const fromJson = (text: string): readonly Owned[] | undefined => {
  const items = [...jsonValues(text)].flatMap(({ value }): readonly unknown[] =>
    Array.isArray(value) ? value : [value],
  )
  const owned = items.map(ownedIn)
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
  const [column = '', ...names] = heading
  const records = rows.map(([parent = '', ...cells]) => ({
    column,
    parent,
    record: Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ''])),
  }))
  // A field of that name has an object of its own in it.
  const strange = records.some(({ parent }) => parent === '' || parent.startsWith('{'))
  return records.length === 0 || strange ? undefined : records
}

/** The parent of a record: in a tree its kind stands before its name. */
const slotFor = ({ column, parent }: Owned): Slot => {
  if (column !== 'of') return slotOf(column === 'group' ? 'group' : 'project', parent)
  const kind = parent.startsWith('group:') ? 'group' : 'project'
  return slotOfTree(kind, parent.slice(kind.length + 1))
}

/** Says of what cannot be understood which record it is: each is read by itself. */
const inRecord =
  (n: number) =>
  (error: unknown): never => {
    if (!(error instanceof Failure)) throw error
    throw usage(error.message.replace('line 1', `record ${n}`), error.details.hint)
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
  const objects = await objectsOf(command.args[0])
  const slots: (Slot & { readonly args: string[] })[] = []
  for (const [i, one] of owned.entries()) {
    const slot = slotFor(one)
    const text = stringifyExact(one.record) ?? ''
    const args = await pipedObjects(text, objects, slot.value).catch(inRecord(i + 1))
    const last = slots.at(-1)
    if (last?.parent.name === slot.parent.name) last.args.push(...args)
    else slots.push({ ...slot, args: [...args] })
  }
  return slots
}
