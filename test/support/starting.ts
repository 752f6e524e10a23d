/** Programs that are started, run to their end, and are looked at then: by a small process that starts them for this one. */
import childProcess, { type ChildProcess, fork } from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { promisify } from 'node:util'

export interface Starting {
  readonly cwd: string
  /** All variables that it has. */
  readonly env: NodeJS.ProcessEnv
  /** What it reads; without, it has no standard input. */
  readonly input?: string | Buffer
  /** Milliseconds after which it is ended. */
  readonly timeout?: number
}

export interface Started {
  /** Null where a signal ended it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: Buffer
  readonly stderr: Buffer
  /** Both as they came. */
  readonly all: Buffer
}

interface Open {
  resolve(ended: Started): void
  reject(error: Error): void
}

interface Starter {
  readonly process: ChildProcess
  readonly open: Map<number, Open>
  last: number
}

type Reply = { readonly n: number } & (
  | Started
  | { readonly error: { readonly message: string; readonly code: string } }
)

const begin = (): Starter => {
  const child = fork(join(import.meta.dirname, 'starter.cjs'), [], {
    execArgv: [],
    serialization: 'advanced',
  })
  const starter: Starter = { process: child, open: new Map(), last: 0 }
  const taken = (n: number): Open | undefined => {
    const open = starter.open.get(n)
    starter.open.delete(n)
    if (starter.open.size === 0) child.channel?.unref()
    return open
  }
  child.on('message', (reply: Reply) => {
    const { n, ...rest } = reply
    const open = taken(n)
    if ('error' in rest)
      open?.reject(Object.assign(new Error(rest.error.message), { code: rest.error.code }))
    else open?.resolve(rest)
  })
  child.on('exit', (code) => {
    kept[key] = undefined
    for (const [n] of starter.open)
      taken(n)?.reject(new Error(`what starts programs ended with ${code}`))
  })
  child.unref()
  child.channel?.unref()
  return starter
}

/** Kept from file to file; it ends with the process of the tests. */
const key = Symbol.for('svcctl.starter')
const kept: typeof globalThis & { [key]?: Starter | undefined } = globalThis
const starter = (): Starter => {
  kept[key] ??= begin()
  return kept[key]
}

interface Begun {
  readonly ended: Promise<Started>
  /** Gives it what it reads, and no more. */
  write(input: string | Buffer): void
}

const beginning = (
  file: string,
  args: readonly string[],
  { cwd, env, timeout }: Starting,
  piped: boolean,
): Begun => {
  const own = starter()
  own.last += 1
  const n = own.last
  own.process.channel?.ref()
  const ended = new Promise<Started>((resolve, reject) => {
    own.open.set(n, { resolve, reject })
  })
  own.process.send({ n, file, args, options: { cwd, env: { ...env }, timeout }, piped })
  return { ended, write: (input) => void own.process.send({ n, input }) }
}

/**
 * Runs a program to its end, whatever its exit code is.
 * @throws Error with the system's `code` where it cannot be started
 */
export const started = (
  file: string,
  args: readonly string[],
  starting: Starting,
): Promise<Started> => {
  const { ended, write } = beginning(file, args, starting, starting.input !== undefined)
  if (starting.input !== undefined) write(starting.input)
  return ended
}

type Callback = (
  error: (Error & { code?: number | string | null }) | null,
  stdout: string | Buffer,
  stderr: string | Buffer,
) => void

interface GitOptions {
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  readonly encoding?: BufferEncoding | 'buffer'
  readonly timeout?: number
}

/** `execFile('git', …)` as the program calls it. */
const git = (
  args: readonly string[],
  { cwd = process.cwd(), env = process.env, encoding = 'utf8', timeout }: GitOptions,
  callback: Callback,
): { readonly stdin: Writable } => {
  const where = { cwd, env, ...(timeout === undefined ? {} : { timeout }) }
  const { ended, write } = beginning('git', args, where, true)
  const read = (bytes: Buffer) => (encoding === 'buffer' ? bytes : bytes.toString(encoding))
  const tell = ({ code, signal, stdout, stderr }: Started): void => {
    const failed = new Error(`Command failed: git ${args.join(' ')}\n${stderr.toString()}`)
    const error = code === 0 ? null : Object.assign(failed, { code, signal })
    callback(error, read(stdout), read(stderr))
  }
  ended.then(tell, (error: Error) => callback(error, read(Buffer.of()), read(Buffer.of())))
  const chunks: Buffer[] = []
  const stdin = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk)
      done()
    },
    final: (done) => {
      write(Buffer.concat(chunks))
      done()
    },
  })
  return { stdin }
}

/** Has embedded instances of this process start git the same way: a commit takes ten of them. */
export const startGit = (): void => {
  const { execFile } = childProcess
  const instead = (file: string, ...rest: [readonly string[], GitOptions, Callback]) =>
    file === 'git' && rest.length === 3
      ? git(...rest)
      : Reflect.apply(execFile, childProcess, [file, ...rest])
  Object.assign(childProcess, {
    execFile: Object.assign(instead, {
      [promisify.custom]: Reflect.get(execFile, promisify.custom),
    }),
  })
  syncBuiltinESMExports()
}
