/**
 * A command line as a function: the sources, run in the process of the test with arguments, variables, a folder and input of its
 * own. For tests of what a line asks, answers and says; what is about processes (signals, pipes, terminals) takes `program.ts`.
 */
import { tmpdir } from 'node:os'
import type { Io } from '../../src/base/io.js'
import { createLineIo } from '../../src/base/line-io.js'
import { main } from '../../src/main.js'
import { clean, configuration, folder, type How, type Ran } from './program.js'

/** The folder of lines that name none, by the folder of the test file; nothing is in it. */
const emptyFolders = new Map<string, string>()
const getEmptyFolder = (): string => {
  const known = emptyFolders.get(tmpdir()) ?? folder()
  emptyFolders.set(tmpdir(), known)
  return known
}

/** What a test may exchange of a line's surroundings. */
type LineChanges = Partial<
  Pick<Io, 'now' | 'random' | 'stdin' | 'stdout' | 'stderr' | 'writeNow'>
>

/** Calls a listener when a line has written to standard output, each time. */
const callAfterOutput = (io: Io, listener: () => void): void => {
  const { stdout, writeNow } = io
  const write = stdout.write.bind(stdout)
  const told = (...args: Parameters<typeof write>): boolean => {
    setImmediate(listener)
    return write(...args)
  }
  Object.assign(stdout, { write: told })
  Object.assign(io, {
    writeNow: (bytes: Uint8Array) => {
      setImmediate(listener)
      return writeNow(bytes)
    },
  })
}

interface LineHow extends How {
  readonly io?: LineChanges
  /** Interrupts the line as Ctrl-C does. */
  readonly stop?: AbortSignal
  /** Called when it has written to standard output. */
  readonly afterOutput?: () => void
}

/** Runs `svcctl` and waits for its end, as its namesake of `program.ts` does. */
export const svcctl = async (args: readonly string[], how: LineHow = {}): Promise<Ran> => {
  const { env = {}, input, stop, afterOutput } = how
  const cwd = how.cwd ?? getEmptyFolder()
  const whole = { ...clean(), SVC_CONFIG_DIR: env.SVC_CONFIG_DIR ?? configuration(), ...env }
  const line = createLineIo([...args], whole, input)
  Object.assign(line.io, { cwd }, how.io)
  if (afterOutput !== undefined) callAfterOutput(line.io, afterOutput)
  stop?.addEventListener('abort', line.interrupt, { once: true })
  await main(line.io)
  const code = line.finish()
  return { stdout: line.stdout(), stderr: line.stderr(), code }
}
