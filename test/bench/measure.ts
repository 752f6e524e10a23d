/** Runs programs and measures their time, processor time and memory. */
import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'

export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  /** Discards the output, so that reading it does not affect the measured time. */
  readonly silent?: true
  /** A file that the program writes. It is removed before each run, because a file that is replaced keeps its memory until then. */
  readonly writes?: string
}

export interface Run {
  /** Start time, in milliseconds of the epoch. */
  readonly began: number
  /** Seconds from start to exit. */
  readonly wall: number
  /** Seconds from start to the first byte of standard output. */
  readonly first: number
  /** Bytes of standard output. */
  readonly bytes: number
  /** Seconds of processor time and the peak of resident memory in megabytes; 0 for programs that do not load `usage.cjs`. */
  readonly cpu: number
  readonly megabytes: number
}

const bin = resolve('bin/svcctl.js')
const usage = resolve('test/bench/usage.cjs')

/** Builds a start of svcctl, as a user starts it. */
export const buildProgram = (...args: string[]): Program => ({
  command: process.execPath,
  args: [bin, ...args],
})

/** Builds a start of svcctl that also writes its usage of processor time and memory to a file. */
export const buildWatchedProgram = (...args: string[]): Program => ({
  command: process.execPath,
  args: ['--require', usage, bin, ...args],
})

/** Builds a start of another Node program that also writes its usage to a file. */
export const buildScript = (file: string, ...args: string[]): Program => ({
  command: process.execPath,
  args: ['--require', usage, resolve('test/bench', file), ...args],
})

/** An empty Node program: the least time that any program on Node takes. */
export const bareNode: Program = {
  command: process.execPath,
  args: ['--require', usage, '-e', '0'],
}

/** Builds the environment of a measured program, without the user's own settings. */
const cleanEnv = (folder: string): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: folder,
  XDG_CACHE_HOME: folder,
  BENCH_USAGE: `${folder}/usage.json`,
})

const getSecondsSince = (since: bigint): number => Number(process.hrtime.bigint() - since) / 1e9

/**
 * Runs a program to its end.
 * @throws Error with its standard error when it fails
 */
export const run = async (program: Program, folder: string): Promise<Run> => {
  const options: SpawnOptions = {
    env: { ...cleanEnv(folder), ...program.env },
    stdio: ['pipe', program.silent === true ? 'ignore' : 'pipe', 'pipe'],
    cwd: folder,
  }
  if (program.writes !== undefined) rmSync(program.writes, { force: true })
  const began = Date.now()
  const start = process.hrtime.bigint()
  const child = spawn(program.command, program.args, options)
  let [first, bytes, complaint] = [0, 0, '']
  child.stdout?.on('data', (chunk: Buffer) => {
    if (bytes === 0) first = getSecondsSince(start)
    bytes += chunk.length
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint += chunk.toString()
  })
  child.stdin?.on('error', () => {}).end(program.stdin ?? '')
  const wall = new Promise<number>((done, fail) => {
    child.once('error', fail)
    let end = 0
    child.once('exit', () => {
      end = getSecondsSince(start)
    })
    child.once('close', (code) =>
      code === 0
        ? done(end)
        : fail(new Error(`exit ${code}: ${program.args.join(' ').slice(0, 200)}\n${complaint}`)),
    )
  })
  const took = await wall
  const used = program.args.includes(usage)
    ? JSON.parse(readFileSync(`${folder}/usage.json`, 'utf8'))
    : { cpu: 0, megabytes: 0 }
  return { began, wall: took, first, bytes, ...used }
}

export const computeMedian = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low = 0, high = 0] = [sorted[middle - (sorted.length % 2 === 0 ? 1 : 0)], sorted[middle]]
  return (low + high) / 2
}

/** Computes the first and the third quartile: at least half of the values are between them. */
export const computeQuartiles = (
  values: readonly number[],
): readonly [low: number, high: number] => {
  const sorted = [...values].sort((a, b) => a - b)
  const last = sorted.length - 1
  return [sorted[Math.floor(last * 0.25)] ?? 0, sorted[Math.ceil(last * 0.75)] ?? 0]
}

/** Runs the programs in turns, so that noise affects all of them alike. Returns the runs of each. */
export const runInterleaved = async <N extends string>(
  programs: Readonly<Record<N, Program>>,
  times: number,
  folder: string,
  warm = 2,
): Promise<Record<N, Run[]>> => {
  const names = Object.keys(programs) as N[]
  const runs = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<N, Run[]>
  for (let turn = -warm; turn < times; turn++)
    for (const name of names) {
      const result = await run(programs[name], folder)
      if (turn >= 0) runs[name].push(result)
    }
  return runs
}

/** A running server of the program, with its usage so far. */
interface MeasuredServer {
  readonly url: string
  /** Returns the seconds of processor time, in steps of 0.01; NaN or 0 except on Linux. */
  readonly cpu: () => number
  /** Returns the peak of resident memory in megabytes; NaN except on Linux. */
  readonly megabytes: () => number
  readonly end: () => Promise<void>
}

const ticks = 100

const readProcessFile = (pid: number | undefined, file: string): string =>
  process.platform === 'linux' ? readFileSync(`/proc/${pid}/${file}`, 'utf8') : ''

/** Starts a command that prints its `url` as JSON and serves until it is interrupted. */
export const startServer = async (folder: string, ...args: string[]): Promise<MeasuredServer> => {
  const child = spawn(process.execPath, [bin, ...args, '-o', 'json'], {
    env: cleanEnv(folder),
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: folder,
  })
  const [said] = await once(child.stdout, 'data')
  const { url } = JSON.parse(String(said))
  return {
    url,
    cpu: () => {
      const [user = 0, system = 0] = readProcessFile(child.pid, 'stat')
        .split(' ')
        .slice(13, 15)
        .map(Number)
      return (user + system) / ticks
    },
    megabytes: () =>
      Number(/VmHWM:\s+(\d+)/.exec(readProcessFile(child.pid, 'status'))?.[1] ?? Number.NaN) / 1024,
    end: async () => {
      child.kill('SIGINT')
      await once(child, 'exit')
    },
  }
}
