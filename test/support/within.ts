/**
 * `svcctl` without a process of its own for every line: for tests of what it asks, answers and says. What is about
 * processes (how they end, signals, pipes and files as standard streams, several side by side) takes `program.ts`.
 */
import { svcctl as within } from './line.js'
import { svcctl as alone, type How, type Ran } from './program.js'

/** What Node reads when it starts: a line has it as this process does. */
const ofProcess = /^(?:NODE_|LANG$|LC_)/
const needsProcess = (env: Readonly<Record<string, string>>): boolean =>
  Object.entries(env).some(([name, value]) => ofProcess.test(name) && process.env[name] !== value)

/** Runs `svcctl` and waits for its end, as its namesake of `program.ts` does. */
export const svcctl = (args: readonly string[], how: How = {}): Promise<Ran> =>
  needsProcess(how.env ?? {}) ? alone(args, how) : within(args, how)
