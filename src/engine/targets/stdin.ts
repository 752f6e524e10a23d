/** The objects, parents and rows that a line reads from standard input; of a run that is gone on with, those of its journal. */

import { usage } from '../../errors.js'
import type { Command, NamedObject, ObjectStream } from '../command/types.js'
import { fromStdin } from '../plan/given.js'
import type { Raw } from '../plan/line.js'
import { readObjects } from '../plan/objects.js'
import { namedParents } from '../plan/parents.js'
import { mayOwn, ownedObjects, ownedSlots, readsParents } from '../plan/stdin/parents.js'
import { pipedStream } from '../plan/stdin/reader.js'
import {
  columnsIn,
  RowFields,
  rowFlagsIn,
  unusedColumns,
  withRows,
} from '../plan/stdin/row-fields.js'
import type { TakeNote } from '../plan/values.js'
import { goesOn, type LineInput, type ObjectsLine } from './objects.js'
import { besideIds } from './selected-list.js'

/**
 * What a line reads from standard input: objects that are taken as they come, or parents that come with theirs, and what reads
 * the attributes of rows.
 * @throws Failure `usage` for what names no objects
 */
export const readInput = async (line: ObjectsLine): Promise<LineInput> => {
  const rowFields = getRowFields(line)
  const coming = await openObjectStream(line, rowFields)
  const parents = coming === undefined ? await pipedParents(line, rowFields) : undefined
  return { coming, rowFields, ...parents }
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
  const kind = await readObjects(command.args[0], command.naming)
  const tap = rowFields ?? (kind && unusedColumns(command, note, kind))
  for await (const some of pipedStream(chunks, kind, project, tap)) {
    any = true
    const rows = rowFields?.taken()
    for (const [i, text] of some.entries()) yield { text, row: rows?.[i] }
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
  const stream =
    'below' in found ? found : { objects: namedIn(command, raw, found, { note, rowFields }) }
  if (rowFields === undefined) return stream
  return { ...stream, objects: withRows(stream.objects, rowFields) }
}

/** What is taken as it comes; undefined where all is read first. */
const openObjectStream = async (
  line: ObjectsLine,
  rowFields: RowFields | undefined,
): Promise<ObjectStream | undefined> => {
  if (!isStreamed(line)) return undefined
  const { command, raw, streamed, journaling } = line
  const rowFlags = columnsIn(raw.flags).length > 0 ? rowFlagsIn(command, raw) : undefined
  if (streamed !== true || raw.args.includes('-'))
    return { ...(await piped(line, rowFields)), rowFlags }
  return { objects: none(), below: journaling.parents, rowFlags }
}

/** What reads the attributes of rows; those of a run that is gone on with stand in its journal. */
const getRowFields = ({ command, raw, journaling }: ObjectsLine): RowFields | undefined => {
  const again = journaling.resumed?.again
  if (!raw.flags.has('row-fields') || again === false) return undefined
  const rowFields = new RowFields(command, raw, columnsIn(raw.flags))
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
  const slots = await ownedSlots(command, raw, input.text, rowFields)
  const [first] = slots ?? []
  if (slots === undefined || first === undefined) return undefined
  return { slots, raw: { ...raw, args: [] }, parents: namedParents(first) }
}
