/**
 * The built program without a process of its own for every line: for tests of what it asks, answers and says. What is about
 * processes (how they end, signals, pipes and files as standard streams, several side by side) takes `program.ts`.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Socket } from 'node:net'
import { join } from 'node:path'
import {
  svcctl as alone,
  clean,
  configuration,
  folder,
  type How,
  program,
  type Ran,
} from './program.js'

/** A process that runs one line after the other. */
export interface Host {
  readonly process: ChildProcess
  /** What came past the streams that the program is given: nothing should. */
  past: string
}

interface Hosts {
  readonly waiting: Host[]
  /** How many there are, those at work included. */
  count: number
  /** Lines that wait for one of them. */
  readonly lines: ((host: Host) => void)[]
}

/** They are kept from file to file, and end with the process of the tests. */
const key = Symbol.for('svcctl.hosts')
const kept: typeof globalThis & { [key]?: Hosts } = globalThis
kept[key] ??= { waiting: [], count: 0, lines: [] }
const hosts = kept[key]

/** More lines at once wait: what a host has to load first takes longer than most lines. */
const most = 6

/** Starts a host for a build of the program. */
export const startHost = (of: string): Host => {
  const child = fork(join(import.meta.dirname, 'host.cjs'), [of], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // What a run loads afresh is soon garbage: with little room for the young, much of it is copied first.
    execArgv: ['--max-semi-space-size=32'],
  })
  const host: Host = { process: child, past: '' }
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text: Buffer) => {
      host.past += text.toString()
    })
  // While it waits it keeps nobody from ending.
  child.unref()
  child.channel?.unref()
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref()
  return host
}

const takeHost = (): Host | Promise<Host> => {
  const host = hosts.waiting.pop()
  if (host !== undefined) return host
  if (hosts.count >= most) return new Promise((resolve) => hosts.lines.push(resolve))
  hosts.count += 1
  return startHost(program)
}

/** Has the next line run; without a host, that of the line before is not fit for more. */
const giveHost = (host: Host | undefined): void => {
  const line = hosts.lines.shift()
  if (line !== undefined) line(host ?? startHost(program))
  else if (host !== undefined) hosts.waiting.push(host)
  else hosts.count -= 1
}

/** What Node reads when it starts: a host has it as this process does. */
const ofProcess = /^(?:NODE_|LANG$|LC_)/
const needsProcess = (env: Readonly<Record<string, string>>): boolean =>
  Object.entries(env).some(([name, value]) => ofProcess.test(name) && process.env[name] !== value)

interface Asked {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly input?: string
}

/** Runs a line in a host. @throws what the host died of, or what went past the program's streams */
export const runIn = async (host: Host, asked: Asked): Promise<Ran> => {
  const ended = new AbortController()
  const { signal } = ended
  host.process.channel?.ref()
  try {
    const came = await Promise.race([
      once(host.process, 'message', { signal }),
      once(host.process, 'exit', { signal }).then(([code]) => {
        throw new Error(`the host of the program ended with ${code}: ${host.past}`)
      }),
      new Promise<never>((_, reject) => {
        host.process.send(asked, (error) => error && reject(error))
      }),
    ])
    if (host.past !== '') throw new Error(`was written past the program's streams: ${host.past}`)
    return came[0]
  } finally {
    ended.abort()
    host.process.channel?.unref()
  }
}

/** Runs `svcctl` and waits for its end, as its namesake of `program.ts` does. */
export const svcctl = async (args: readonly string[], how: How = {}): Promise<Ran> => {
  if (needsProcess(how.env ?? {})) return alone(args, how)
  const { env = {}, input, cwd = folder() } = how
  const whole = { ...clean(), SVC_CONFIG_DIR: env.SVC_CONFIG_DIR ?? configuration(), ...env }
  const host = await takeHost()
  let next: Host | undefined
  try {
    const ran = await runIn(host, {
      args,
      env: whole,
      cwd,
      ...(input === undefined ? {} : { input }),
    })
    next = host
    return ran
  } finally {
    giveHost(next)
  }
}
