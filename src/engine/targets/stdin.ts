/** Reads the objects, parents and rows of a line from standard input, or from the journal of a run that is resumed. */

import type { CutValue } from '../../base/json/cutter.js'
import { usage } from '../../errors.js'
import { hasScopeEndpoint } from '../command/derive.js'
import { isRepeated } from '../command/globals.js'
import type { Command, ObjectStream } from '../command/types.js'
import { isFromStdin } from '../plan/given.js'
import type { Raw } from '../plan/line.js'
import { plainObjects, readObjects } from '../plan/objects.js'
import {
  createNamedParents,
  isParentColumn,
  namesParent,
  type ParentColumn,
  parseParentTarget,
  TargetsWithObjects,
} from '../plan/parents.js'
import type { NoteListener } from '../plan/parse-values.js'
import {
  type ChildRecord,
  type InputItem,
  isChild,
  parseInputItem,
} from '../plan/stdin/parent-records.js'
import {
  type Cutter,
  createCellCutter,
  createTableCutter,
  createValueCutter,
  describePosition,
  findSeparator,
  readInputObjects,
} from '../plan/stdin/reader.js'
import { checkStreamedRows, getRowFlagNames, RowFields } from '../plan/stdin/row-fields.js'
import { type Cells, createRowFailure, isJsonStart, parseObjectAt } from '../plan/stdin/rows.js'
import type { GivenObject } from '../work/report.js'
import { canStreamObjects, createIdConflict, type LineInput, type ObjectsLine } from './objects.js'
import { withStreamedIds } from './piped-names.js'

/**
 * Opens standard input: as a stream of objects, or as parents with their objects, with the reader of row attributes.
 * @throws Failure `usage` for an input that names no objects
 */
export const readInput = async (line: ObjectsLine): Promise<LineInput> => {
  const rowFields = getRowFields(line)
  const stream = await openObjectStream(line, rowFields)
  const parents = stream === undefined ? await readPipedParents(line, rowFields) : undefined
  return { objects: stream, rowFields, ...parents }
}

/**
 * Yields the objects of standard input as they arrive.
 * @throws Failure `usage` if the input names none
 */
async function* yieldNamedObjects(
  command: Command,
  raw: Raw,
  chunks: AsyncIterable<string>,
  { note, rowFields }: { readonly note: NoteListener; readonly rowFields: RowFields | undefined },
): AsyncGenerator<GivenObject> {
  let any = false
  for await (const some of readInputObjects(chunks, command, raw, { note, rowFields })) {
    any = true
    const rows = rowFields?.takeRows()
    for (const [i, { text: object, place }] of some.entries())
      yield { object, place, row: rows?.[i] }
  }
  if (!any) throw usage('standard input contains no objects')
}

const isStreamed = (line: ObjectsLine): boolean => {
  const { globals, raw, streamed } = line
  if (streamed === true) return true
  const alone = raw.args.length === 1 && raw.args[0] === '-'
  return alone && globals.select === undefined && canStreamObjects(line)
}

async function* yieldNothing(): AsyncGenerator<GivenObject> {}

/** Yields objects with IDs in place of names. */
const replaceNames = (
  { command, raw, running: { context }, journaling }: ObjectsLine,
  objects: AsyncIterable<GivenObject>,
  column?: ParentColumn,
): AsyncIterable<GivenObject> =>
  withStreamedIds({ command, raw, context, journaling }, objects, column)

/** Opens the objects of standard input, with their parents if the input names them. */
const openPipedStream = async (
  line: ObjectsLine,
  rowFields: RowFields | undefined,
): Promise<ObjectStream> => {
  const { command, raw, input, running, journaling } = line
  const owning = readsParents(command, raw) && mayNameParents(await input.head())
  const found = owning
    ? await readOwnedObjects(command, input.readChunks(), rowFields)
    : input.readChunks()
  if ('below' in found) journaling.parents = found.below
  const { note } = running.context.ui
  const objects =
    'below' in found
      ? replaceNames(line, found.objects, found.below)
      : replaceNames(line, yieldNamedObjects(command, raw, found, { note, rowFields }))
  return {
    ...('below' in found ? { below: found.below } : {}),
    objects: rowFields === undefined ? objects : checkStreamedRows(objects, rowFields),
    whole: await input.endsSoon(),
  }
}

/** Opens a stream of objects. Returns undefined if all objects are read before the first is processed. */
const openObjectStream = async (
  line: ObjectsLine,
  rowFields: RowFields | undefined,
): Promise<ObjectStream | undefined> => {
  if (!isStreamed(line)) return undefined
  const { command, raw, streamed, journaling } = line
  const rowFlags = getRowFlagNames(command, raw)
  if (streamed !== true || raw.args.includes('-'))
    return { ...(await openPipedStream(line, rowFields)), rowFlags }
  return { objects: yieldNothing(), below: journaling.parents, rowFlags }
}

/** Returns the reader of row attributes. A resumed run has them in its journal, unless its input is given again. */
const getRowFields = ({
  command,
  raw,
  running,
  journaling,
}: ObjectsLine): RowFields | undefined => {
  const again = journaling.resumed?.again
  if (!raw.flags.has('row-fields') || again === false) return undefined
  const rowFields = new RowFields(command, raw, running.context.place.clock.now())
  journaling.rowFields = rowFields.names
  return rowFields
}

/**
 * Reads the parents in standard input with their objects; undefined if the input names none. Successive objects of one parent are put
 * together.
 * @throws Failure as `readOwnedObjects`, and `usage` for a line that is repeated
 */
const readPipedParents = async (line: ObjectsLine, rowFields: RowFields | undefined) => {
  const { command, raw, input, parents, globals } = line
  if (parents !== undefined || !isFromStdin(raw)) return undefined
  if (globals.select !== undefined) throw createIdConflict()
  if (!readsParents(command, raw) || !mayNameParents(await input.head())) return undefined
  const yieldText = async function* (): AsyncGenerator<string> {
    yield await input.text()
  }
  const owned = await readOwnedObjects(command, yieldText(), rowFields)
  if (!('below' in owned)) return undefined
  if (isRepeated(globals))
    throw usage(
      `--${globals.waitUntil === undefined ? 'watch' : 'wait-until'} cannot be combined with objects that name their ${owned.below}`,
      'Pipe in the IDs alone (-o id), and pass --project.',
    )
  const found = new TargetsWithObjects()
  for await (const given of replaceNames(line, owned.objects, owned.below))
    found.add(owned.below, given)
  const { targets } = found
  const [first] = targets
  return first && { targets, raw: { ...raw, args: [] }, parents: createNamedParents(first.kind) }
}

// The output of a list over several parents, as input of a verb. Each record names its project or group in a column or a field.

const createJsonCutter =
  (cut: Cutter<CutValue>): Cutter<InputItem> =>
  (text, last) =>
    cut(text, last).map((one) => parseInputItem(describePosition(one), one.value))

/** Creates the function that reads the rows of a table below its heading. */
const createItemReader =
  (heading: readonly string[]) =>
  ({ place, cells }: Cells): readonly InputItem[] => {
    // The heading is repeated if the input is the output of several lists.
    if (cells.every((cell, i) => cell === heading[i])) return []
    const entries = heading.map((name, i) => [name, cells[i] ?? ''] as const)
    const [column, parent = ''] = entries.find(([name]) => isParentColumn(name)) ?? []
    if (!namesParent(column, parent)) return [{ place }]
    const record = Object.fromEntries(entries.filter(([name]) => name !== column))
    return [{ place, column, parent, record }]
  }

const createItemCutter = async (head: string): Promise<Cutter<InputItem>> => {
  if (isJsonStart(head)) return createJsonCutter(createValueCutter())
  const [line = ''] = head.split('\n', 1)
  const cut = await createCellCutter(findSeparator(line) ?? ',')
  return createTableCutter(cut, createItemReader)
}

/** True if an input with this beginning may name parents. */
const mayNameParents = (head: string): boolean =>
  /^\ufeff?(?:"?(?:project|group|of)"?[\t,;]|(?:[^\s,;]+[\t,;])+"?(?:project|group|of)"?(?:[\t,;\r\n]|$)|\s*(?:\[\s*)?\{[^{}]*"(?:project|group|of)"\s*:)/.test(
    head,
  )

/** True if a verb takes objects from standard input, and no flag names their parent. */
const readsParents = (command: Command, { args, flags }: Raw): boolean =>
  args.length === 1 &&
  args[0] === '-' &&
  command.args[0]?.variadic === true &&
  command.args[0].file !== true &&
  (hasScopeEndpoint(command, 'project') || hasScopeEndpoint(command, 'group')) &&
  !['project', 'group', 'all-projects', 'all-groups'].some((name) => flags.has(name))

/** Reads the beginning of an input, to find whether its records name their parents. */
class InputProbe {
  readonly #chunks: AsyncIterator<string, undefined>
  /** The texts that were read so far. */
  readonly #texts: string[] = []
  readonly found: InputItem[] = []

  constructor(chunks: AsyncIterable<string>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** Returns the first record with a parent; undefined if the input begins with something else. */
  async findFirst(): Promise<
    { readonly first: ChildRecord; readonly read: Cutter<InputItem> } | undefined
  > {
    let read: Cutter<InputItem> | undefined
    for (;;) {
      const { value: text } = await this.#chunks.next()
      const plainText = this.#texts.length === 0 ? text?.replace(/^\ufeff/, '') : text
      if (text !== undefined) this.#texts.push(text)
      read ??= await createItemCutter(plainText ?? '')
      this.found.push(...read(plainText ?? '', text === undefined))
      const first = this.found.find((one) => one !== undefined)
      if (isChild(first)) return { first, read }
      if (first !== undefined || text === undefined) return undefined
    }
  }

  /** Yields what is left of the input. */
  async *yieldRest(): AsyncGenerator<string> {
    for (let one = await this.#chunks.next(); one.done !== true; one = await this.#chunks.next())
      yield one.value
  }

  /** Yields the whole input from its beginning. */
  async *replay(): AsyncGenerator<string> {
    yield* this.#texts.splice(0)
    yield* this.yieldRest()
  }
}

/** Creates the function that converts a record of any parent to an object of the verb. */
const createObjectNaming = async (command: Command, rowFields: RowFields | undefined) => {
  const objects = (await readObjects(command.args[0], command.naming)) ?? plainObjects
  const elsewhere = await objects.loadForeignFields()
  return ({ place, column, parent, record }: ChildRecord): GivenObject => {
    const { value: project } = parseParentTarget(column, parent)
    const object = parseObjectAt(place, record, { objects, project, tap: rowFields }, elsewhere)
    const row = rowFields?.takeRows().at(-1)
    return { object, place, parent, row }
  }
}

const createStrayFailure = (place: string, column: ParentColumn): Error =>
  createRowFailure(
    place,
    `it does not name its ${column}, unlike the lines before`,
    'Pipe in the output of a single command.',
  )

/**
 * Reads the objects of a verb with their parents. Returns the input itself if it names no parents.
 * @throws Failure `usage` for a record that names no object of the verb
 */
const readOwnedObjects = async (
  command: Command,
  chunks: AsyncIterable<string>,
  rowFields?: RowFields,
): Promise<Required<Pick<ObjectStream, 'objects' | 'below'>> | AsyncIterable<string>> => {
  const beginning = new InputProbe(chunks)
  const known = await beginning.findFirst()
  if (known === undefined) return beginning.replay()
  const { column } = known.first
  const nameOf = await createObjectNaming(command, rowFields)
  const listNamed = (found: readonly InputItem[]): readonly GivenObject[] =>
    found.flatMap((one) => {
      if (one === undefined) return []
      if (!isChild(one) || one.column !== column) throw createStrayFailure(one.place, column)
      return [nameOf(one)]
    })
  const yieldObjects = async function* (): AsyncGenerator<GivenObject> {
    yield* listNamed(beginning.found)
    for await (const text of beginning.yieldRest()) yield* listNamed(known.read(text, false))
    yield* listNamed(known.read('', true))
  }
  return { below: column, objects: yieldObjects() }
}
