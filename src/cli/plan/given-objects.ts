/** The objects of a command as standard input names them, one after the other. */
import type { Command, NamedObject } from '../../commands/types.js'
import { usage } from '../../errors.js'
import type { Raw } from '../words/line.js'
import { objectsOf } from './objects.js'
import { pipedStream } from './piped-reader.js'

/**
 * They, as they come.
 * @throws Failure `usage` where nothing is named
 */
export async function* namedIn(
  command: Command,
  raw: Raw,
  chunks: AsyncIterable<string>,
): AsyncGenerator<NamedObject> {
  const project = raw.flags.get('project')?.at(-1)
  let any = false
  for await (const some of pipedStream(
    chunks,
    await objectsOf(command.args[0], command.naming),
    project,
  )) {
    any = true
    for (const text of some) yield { text }
  }
  if (!any) throw usage('standard input names nothing to work on')
}
