/** Yields the files that a command wrote as rows of its answer, for programs that set `--output`. */
import type { Context } from '../engine/command/context.js'
import { type Rows, yieldRecord, yieldRecords } from '../engine/rows.js'

/** A file that was written: its absolute path, and its size in bytes if it is known. */
export interface WrittenFile {
  readonly path: string
  readonly size?: number
  /** The outcome of the file, if outcomes differ: `written`, `unchanged`, `removed`. */
  readonly state?: string
}

/**
 * Yields the files that were written if the line has `--output`. Otherwise a note on standard error names them.
 * @param isList true if the command may write any number of files
 */
export async function* listWritten(
  { place }: Pick<Context, 'place'>,
  files: readonly WrittenFile[],
  isList: boolean,
): Rows {
  if (place.globals.output === undefined) return
  const [first] = files
  const columns = first?.state === undefined ? ['path', 'size'] : ['path', 'state', 'size']
  if (isList) yield* yieldRecords(files, { columns })
  else if (first !== undefined) yield* yieldRecord(first, { columns })
}
