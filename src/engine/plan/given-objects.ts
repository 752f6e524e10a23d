/** The objects of a command as standard input names them, one after the other. */
import type { Note } from '../../catalogue/scalars.js'
import { usage } from '../../errors.js'
import type { Command, NamedObject } from '../command/types.js'
import type { Raw } from './line.js'
import { objectsOf } from './objects.js'
import { pipedStream } from './piped-reader.js'
import { unusedColumns } from './row-fields.js'

/**
 * They, as they come.
 * @throws Failure `usage` where nothing is named
 */
export async function* namedIn(
  command: Command,
  raw: Raw,
  chunks: AsyncIterable<string>,
  note: Note,
): AsyncGenerator<NamedObject> {
  const project = raw.flags.get('project')?.at(-1)
  let any = false
  const kind = await objectsOf(command.args[0], command.naming)
  const tap = kind && unusedColumns(command, note, kind)
  for await (const some of pipedStream(chunks, kind, project, tap)) {
    any = true
    for (const text of some) yield { text }
  }
  if (!any) throw usage('standard input names nothing to work on')
}
