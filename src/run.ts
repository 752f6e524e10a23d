/** `svcctl/run`: runs command lines of svcctl within another program. */
import { resolve } from 'node:path'
import { processIo } from './base/io.js'
import { createLineIo } from './base/line-io.js'
import { main } from './main.js'

/** The options of a line besides its arguments. */
export interface RunLineOptions {
  /** Environment variables of the line, in the place of all of the process, which are the default. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The folder that relative file names start from: that of the process unless given. */
  readonly cwd?: string
  /** Standard input: a text, or what comes piece by piece. Empty unless given. */
  readonly input?: string | Uint8Array | AsyncIterable<string | Uint8Array>
  /** Interrupts the line as Ctrl-C does: what it began ends, and it exits with 130. */
  readonly signal?: AbortSignal
}

/** The result of a line. */
export interface RunLineResult {
  /** The answer of the line, as UTF-8: in a pipe's form, tab-separated unless `-o` says otherwise. */
  readonly stdout: string
  /** Notes, warnings and the error. */
  readonly stderr: string
  /** 0, or one of the exit codes that the guide lists. */
  readonly exitCode: number
}

const noWords = "svcctl: run() takes a list of words, such as ['runners', 'list']\n"

/**
 * Runs one command line, as the shell would run `svcctl` with these arguments where no terminal is. Lines may run at
 * the same time.
 * @param args what stands behind `svcctl`, one word each
 * @returns its output, its notes and its exit code; a failed line is a result, too, and rejects nothing
 */
export const run = async (
  args: readonly string[],
  { env = processIo.env, cwd, input, signal }: RunLineOptions = {},
): Promise<RunLineResult> => {
  // A program without types may pass a text, or numbers among the words. A value that is missing must not become the word "undefined".
  if (!Array.isArray(args) || args.some((word) => word === undefined || word === null))
    return { stdout: '', stderr: noWords, exitCode: 2 }
  const folder = cwd === undefined ? undefined : resolve(cwd)
  const line = createLineIo(args.map(String), { env: { ...env }, cwd: folder, input })
  const stop = () => line.interrupt()
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted === true) stop()
  try {
    await main(line.io)
  } finally {
    signal?.removeEventListener('abort', stop)
  }
  const exitCode = line.finish()
  return { stdout: line.stdout(), stderr: line.stderr(), exitCode }
}
