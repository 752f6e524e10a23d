/** The objects of a command as standard input names them, one after the other. */
import type { Command } from '../../commands/types.js'
import { usage } from '../../errors.js'
import type { Raw } from '../words/line.js'
import { objectsOf } from './objects.js'
import { pipedStream } from './piped-reader.js'

/**
 * Their texts, as they come.
 * @param chunks undefined where none are given
 * @throws Failure `usage` where nothing is named
 */
export async function* textsOf(
  command: Command,
  raw: Raw,
  chunks: AsyncIterable<string> | undefined,
): AsyncGenerator<string> {
  if (chunks === undefined) return
  const project = raw.flags.get('project')?.at(-1)
  let any = false
  for await (const some of pipedStream(chunks, await objectsOf(command.args[0]), project)) {
    any = true
    yield* some
  }
  if (!any) throw usage('standard input names nothing to work on')
}
