/** The objects, parents and rows that a line reads from standard input; of a run that is gone on with, those of its journal. */

import type { CutValue } from '../../base/json/cutter.js'
import { type Fields, isObject } from '../../base/objects.js'
import { usage } from '../../errors.js'
import { hasForm } from '../command/derive.js'
import type { Command, NamedObject, ObjectStream, Parent } from '../command/types.js'
import { fromStdin } from '../plan/given.js'
import type { Raw } from '../plan/line.js'
import { readObjects } from '../plan/objects.js'
import { namedParents, type ParentTarget, TargetsWithObjects, targetIn } from '../plan/parents.js'
import {
  type Cutter,
  cutCommas,
  cutTabs,
  cutValues,
  describePosition,
  objectsIn,
} from '../plan/stdin/reader.js'
import { RowFields, rowFlagsIn, withRows } from '../plan/stdin/row-fields.js'
import { beginsJson, type Cells, objectAt, plainObjects, refuseRow } from '../plan/stdin/rows.js'
import type { TakeNote } from '../plan/values.js'
import { besideIds, goesOn, type LineInput, type ObjectsLine } from './objects.js'

/**
 * What a line reads from standard input: objects that are taken as they come, or parents that come with theirs, and what reads
 * the attributes of rows.
 * @throws Failure `usage` for what names no objects
 */
export const readInput = async (line: ObjectsLine): Promise<LineInput> => {
  const rowFields = getRowFields(line)
  const stream = await openObjectStream(line, rowFields)
  const parents = stream === undefined ? await pipedParents(line, rowFields) : undefined
  return { stream, rowFields, ...parents }
}

/**
 * They, as they come.
 * @throws Failure `usage` where nothing is named
 */
async function* namedIn(
  command: Command,
  raw: Raw,
  chunks: AsyncIterable<string>,
  { note, rowFields }: { readonly note: TakeNote; readonly rowFields: RowFields | undefined },
): AsyncGenerator<NamedObject> {
  const project = raw.flags.get('project')?.at(-1)
  let any = false
  for await (const some of objectsIn(chunks, command, { note, project, rowFields })) {
    any = true
    const rows = rowFields?.taken()
    for (const [i, { text, place }] of some.entries()) yield { text, place, row: rows?.[i] }
  }
  if (!any) throw usage('standard input contains no objects')
}

const isStreamed = (line: ObjectsLine): boolean => {
  const { globals, raw, streamed } = line
  if (streamed === true) return true
  const alone = raw.args.length === 1 && raw.args[0] === '-'
  return alone && globals.select === undefined && goesOn(line)
}

async function* none(): AsyncGenerator<NamedObject> {}

/** Those of standard input, each with its parent where it brings one along. */
const piped = async (
  { command, raw, input, running, journaling }: ObjectsLine,
  rowFields: RowFields | undefined,
): Promise<ObjectStream> => {
  const owning = readsParents(command, raw) && mayOwn(await input.head())
  const found = owning ? await ownedObjects(command, input.chunks(), rowFields) : input.chunks()
  if ('below' in found) journaling.parents = found.below
  const { note } = running.services.ui
  const objects =
    'below' in found ? found.objects : namedIn(command, raw, found, { note, rowFields })
  return {
    ...('below' in found ? { below: found.below } : {}),
    objects: rowFields === undefined ? objects : withRows(objects, rowFields),
    whole: await input.endsSoon(),
  }
}

/** What is taken as it comes; undefined where all is read first. */
const openObjectStream = async (
  line: ObjectsLine,
  rowFields: RowFields | undefined,
): Promise<ObjectStream | undefined> => {
  if (!isStreamed(line)) return undefined
  const { command, raw, streamed, journaling } = line
  const rowFlags = rowFlagsIn(command, raw)
  if (streamed !== true || raw.args.includes('-'))
    return { ...(await piped(line, rowFields)), rowFlags }
  return { objects: none(), below: journaling.parents, rowFlags }
}

/** What reads the attributes of rows; those of a run that is gone on with stand in its journal. */
const getRowFields = ({ command, raw, journaling }: ObjectsLine): RowFields | undefined => {
  const again = journaling.resumed?.again
  if (!raw.flags.has('row-fields') || again === false) return undefined
  const rowFields = new RowFields(command, raw)
  journaling.rowFields = rowFields.names
  return rowFields
}

/** Parents that come with their objects from standard input. */
const pipedParents = async (
  { command, raw, input, parents, globals }: ObjectsLine,
  rowFields: RowFields | undefined,
) => {
  if (parents !== undefined || !fromStdin(raw)) return undefined
  if (globals.select !== undefined) throw besideIds()
  if (!readsParents(command, raw) || !mayOwn(await input.head())) return undefined
  const targets = await ownedTargets(command, raw, input.text, rowFields)
  const [first] = targets ?? []
  if (targets === undefined || first === undefined) return undefined
  return { targets, raw: { ...raw, args: [] }, parents: namedParents(first.kind) }
}

// What a list of several parents printed, as the objects of a verb: each record in its own project or group,
// which stands in the first column, or beside it. It is read as it comes.

type Column = Parent['column']

/** A record with its parent. */
interface ChildRecord {
  /** Where it stands, for messages: `line 3`. */
  readonly place: string
  readonly column: Column
  readonly parent: string
  readonly record: Fields
}

/** What a piece of the input is: a record with its parent, something else, or undefined for a parent that failed. */
type InputItem = ChildRecord | Pick<ChildRecord, 'place'> | undefined

const isChild = (item: InputItem): item is ChildRecord => item !== undefined && 'record' in item

const columns: readonly Column[] = ['project', 'group', 'of']

const columnOf = (name: string | undefined): Column | undefined =>
  columns.find((one) => one === name)

const ownedIn = (place: string, item: unknown): InputItem => {
  if (!isObject(item)) return { place }
  const column = columnOf(Object.keys(item)[0])
  if (column === undefined) return { place }
  const { [column]: parent, record, outcome } = item
  if (typeof parent !== 'string') return { place }
  if (isObject(record)) return { place, column, parent, record }
  return record === undefined && outcome === 'failed' ? undefined : { place }
}

const inJson =
  (cut: Cutter<CutValue>): Cutter<InputItem> =>
  (text, last) =>
    cut(text, last).map((one) => ownedIn(describePosition(one), one.value))

/** The rows of a table whose first one is its heading. */
const inTable = (cut: Cutter<Cells>): Cutter<InputItem> => {
  let heading: readonly string[] | undefined
  const read = ({ place, cells }: Cells): readonly InputItem[] => {
    // Lists after each other bring their headings along.
    if (cells.every((cell, i) => cell === heading?.[i])) return []
    const [parent = '', ...others] = cells
    const [first, ...names] = heading ?? []
    const column = columnOf(first)
    // A field of that name has an object of its own in it.
    if (column === undefined || parent === '' || parent.startsWith('{')) return [{ place }]
    const record = Object.fromEntries(names.map((n, i) => [n, others[i] ?? '']))
    return [{ place, column, parent, record }]
  }
  return (text, last) =>
    cut(text, last).flatMap((row) => {
      if (heading !== undefined) return read(row)
      heading = row.cells
      return []
    })
}

const readerOf = async (head: string): Promise<Cutter<InputItem>> => {
  if (beginsJson(head)) return inJson(cutValues())
  return inTable(/^\w+\t/.test(head) ? cutTabs() : await cutCommas())
}

/** Whether an input that begins so may bring parents along. */
const mayOwn = (head: string): boolean =>
  /^\ufeff?(?:(?:project|group|of)[\t,]|\s*(?:\[\s*)?\{\s*"(?:project|group|of)"\s*:)/.test(head)

/** Whether a verb takes objects from standard input, and nothing else says whose they are. */
const readsParents = (command: Command, { args, flags }: Raw): boolean =>
  args.length === 1 &&
  args[0] === '-' &&
  command.args[0]?.variadic === true &&
  command.args[0].file !== true &&
  (hasForm(command, 'project') || hasForm(command, 'group')) &&
  !['project', 'group', 'all-projects', 'all-groups', 'input'].some((name) => flags.has(name))

/** Reads the start of an input, until it is known whether its records name their parents. */
class InputProbe {
  readonly #chunks: AsyncIterator<string>
  /** What was read of it. */
  readonly #texts: string[] = []
  readonly found: InputItem[] = []

  constructor(chunks: AsyncIterable<string>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** Its first record; undefined where it is something else. */
  async first(): Promise<
    { readonly first: ChildRecord; readonly read: Cutter<InputItem> } | undefined
  > {
    let read: Cutter<InputItem> | undefined
    for (;;) {
      const text = await this.next()
      const plainText = this.#texts.length === 0 ? text?.replace(/^\ufeff/, '') : text
      if (text !== undefined) this.#texts.push(text)
      read ??= await readerOf(plainText ?? '')
      this.found.push(...read(plainText ?? '', text === undefined))
      const first = this.found.find((one) => one !== undefined)
      if (isChild(first)) return { first, read }
      if (first !== undefined || text === undefined) return undefined
    }
  }

  async next(): Promise<string | undefined> {
    const step = await this.#chunks.next()
    return step.done === true ? undefined : step.value
  }

  /** All of it, as if nothing had been read. */
  async *again(): AsyncGenerator<string> {
    yield* this.#texts.splice(0)
    for (let text = await this.next(); text !== undefined; text = await this.next()) yield text
  }
}

/** What names an object of the verb, whatever parent it is in. */
const namingFor = async (command: Command, rowFields: RowFields | undefined) => {
  const objects = (await readObjects(command.args[0], command.naming)) ?? plainObjects
  const elsewhere = await objects.elsewhere()
  return ({ place, column, parent, record }: ChildRecord): NamedObject => {
    const reading = { objects, elsewhere, project: targetIn(column, parent).value, tap: rowFields }
    const text = objectAt(place, record, reading)
    const row = rowFields?.taken().at(-1)
    return { text, place, parent, row }
  }
}

const stray = (place: string, column: Column): Error =>
  refuseRow(
    place,
    `it does not name its ${column}, unlike the lines before`,
    'Pipe in the output of a single command.',
  )

/**
 * What a verb's input names, each with its parent; the input itself where it brings none along.
 * @throws Failure `usage` for a record that names no object of the verb
 */
const ownedObjects = async (
  command: Command,
  chunks: AsyncIterable<string>,
  rowFields?: RowFields,
): Promise<Required<Pick<ObjectStream, 'objects' | 'below'>> | AsyncIterable<string>> => {
  const beginning = new InputProbe(chunks)
  const known = await beginning.first()
  if (known === undefined) return beginning.again()
  const { column } = known.first
  const nameOf = await namingFor(command, rowFields)
  const namedIn = (found: readonly InputItem[]): readonly NamedObject[] =>
    found.flatMap((one) => {
      if (one === undefined) return []
      if (!isChild(one) || one.column !== column) throw stray(one.place, column)
      return [nameOf(one)]
    })
  const objects = async function* (): AsyncGenerator<NamedObject> {
    yield* namedIn(beginning.found)
    for (let text = await beginning.next(); text !== undefined; text = await beginning.next())
      yield* namedIn(known.read(text, false))
    yield* namedIn(known.read('', true))
  }
  return { below: column, objects: objects() }
}

/**
 * The parents that a verb's input brings along, with their objects; those that follow each other are
 * one. Undefined where it brings none.
 * @throws Failure as `ownedObjects`
 */
const ownedTargets = async (
  command: Command,
  raw: Raw,
  stdin: () => Promise<string>,
  rowFields?: RowFields,
): Promise<readonly ParentTarget[] | undefined> => {
  if (!readsParents(command, raw)) return undefined
  const whole = async function* (): AsyncGenerator<string> {
    yield await stdin()
  }
  const owned = await ownedObjects(command, whole(), rowFields)
  if (!('below' in owned)) return undefined
  const found = new TargetsWithObjects()
  for await (const { text, parent = '', row } of owned.objects)
    found.add(targetIn(owned.below, parent), text, row)
  return found.targets
}
