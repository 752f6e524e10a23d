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
export type LineChanges = Partial<Pick<Io, 'now' | 'random' | 'stdin' | 'stdout' | 'stderr'>>

/** Runs `svcctl` and waits for its end, as its namesake of `program.ts` does. */
export const svcctl = async (
  args: readonly string[],
  how: How & { readonly io?: LineChanges; readonly stop?: AbortSignal } = {},
): Promise<Ran> => {
  const { env = {}, input, stop } = how
  const cwd = how.cwd ?? getEmptyFolder()
  const whole = { ...clean(), SVC_CONFIG_DIR: env.SVC_CONFIG_DIR ?? configuration(), ...env }
  const line = createLineIo([...args], whole, input)
  Object.assign(line.io, { cwd }, how.io)
  stop?.addEventListener('abort', line.interrupt, { once: true })
  await main(line.io)
  const code = line.finish()
  return { stdout: line.stdout(), stderr: line.stderr(), code }
}
