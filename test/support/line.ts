/**
 * A command line as a function: the sources, run in the process of the test with arguments, variables, a folder and input of its
 * own. For tests of what a line asks, answers and says; what is about processes (signals, pipes, terminals) takes `program.ts`.
 */
import type { Io } from '../../src/base/io.js'
import { createLineIo } from '../../src/base/line-io.js'
import { main } from '../../src/main.js'
import { clean, configuration, folder, type How, type Ran } from './program.js'

/** Lines in one folder run side by side; those in another wait, since a process has one folder. */
let place: string | undefined
let running = 0
const waiting: { readonly cwd: string; readonly start: () => void }[] = []

const startWaiting = (): void => {
  for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
    if (running > 0 && next.cwd !== place) return
    waiting.shift()
    place = next.cwd
    running += 1
    next.start()
  }
}

/** Does work while the process stands in a folder. */
const inFolder = async <T>(cwd: string, work: () => Promise<T>): Promise<T> => {
  await new Promise<void>((start) => {
    waiting.push({ cwd, start })
    startWaiting()
  })
  if (process.cwd() !== cwd) process.chdir(cwd)
  try {
    return await work()
  } finally {
    running -= 1
    if (running === 0) process.chdir(home)
    startWaiting()
  }
}

/** Where the process stands between lines. */
const home = process.cwd()
/** The folder of lines that name none; nothing is in it. */
let emptyFolder: string | undefined

/** What a test may exchange of a line's surroundings. */
export type LineChanges = Partial<Pick<Io, 'now' | 'random' | 'stdin' | 'stdout' | 'stderr'>>

/** Runs `svcctl` and waits for its end, as its namesake of `program.ts` does. */
export const svcctl = async (
  args: readonly string[],
  how: How & { readonly io?: LineChanges; readonly stop?: AbortSignal } = {},
): Promise<Ran> => {
  const { env = {}, input, stop } = how
  emptyFolder ??= folder()
  const cwd = how.cwd ?? emptyFolder
  const whole = { ...clean(), SVC_CONFIG_DIR: env.SVC_CONFIG_DIR ?? configuration(), ...env }
  const line = createLineIo([...args], whole, input)
  Object.assign(line.io, { cwd }, how.io)
  stop?.addEventListener('abort', line.interrupt, { once: true })
  await inFolder(cwd, () => main(line.io))
  const code = line.finish()
  return { stdout: line.stdout(), stderr: line.stderr(), code }
}
