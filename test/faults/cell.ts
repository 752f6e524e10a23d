/** Runs one cell of the matrix, which is one operation under one fault, and judges its outcome. */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import {
  createConfiguration,
  createFolder,
  getCleanEnv,
  program,
  toExitCode,
} from '../support/program.js'
import { svcctl } from '../support/within.js'
import { answerHonestly, buildSecondPage } from './answers.js'
import { type OuterFault, runAtTerminal } from './around.js'
import type { Cell, Fault } from './faults.js'
import type { Operation } from './operations.js'
import { type LyingServer, startLyingServer } from './server.js'

const token = 'canary-token-of-the-fault-matrix'
/** No server gets this port: the system gives higher ones. The port of a stopped server may be the next one's. */
const deadUrl = 'http://127.0.0.1:1'
/** A larger peak would mean that a body is held in memory. Node itself takes 20 MB more since version 24. */
export const maxMegabytes = Number.parseInt(process.versions.node, 10) >= 24 ? 330 : 300

export interface Outcome {
  readonly exit: number | null
  readonly stdout: Buffer
  readonly stderr: string
  /** Files that are left in the folder where the program ran, by name. */
  readonly files: ReadonlyMap<string, Buffer>
  /** Peak memory; only for a run in a process of its own. */
  readonly megabytes?: number
  readonly requests: number
  readonly stranger: LyingServer
}

export const getCell = (fault: Fault, operation: Operation): Cell => ({
  ...fault.cell,
  ...fault.but?.[operation.name],
})

/** A configuration that all cells share. */
const config = createConfiguration()

const createEnv = (home: string): NodeJS.ProcessEnv => ({
  ...getCleanEnv(),
  SVC_CONFIG_DIR: config,
  SVC_TOKEN: token,
  BENCH_USAGE: join(home, 'usage.json'),
})

const usage = join(import.meta.dirname, '..', 'bench', 'usage.cjs')

/** Sends SIGINT when the program has begun to write a file. Returns a function that stops the wait. */
const interruptWhenWriting = (work: string, kill: () => void): (() => void) => {
  const timer = setInterval(() => {
    if (readdirSync(work).length > 0) kill()
  }, 50)
  return () => clearInterval(timer)
}

/** Reads the files that are left after the program has ended. */
const readLeftovers = (home: string, work: string) => {
  const files = new Map(readdirSync(work).map((name) => [name, readFileSync(join(work, name))]))
  const above = [join(home, 'a'), join(home, 'a', 'b')].flatMap((path) => readdirSync(path))
  for (const name of above) if (!['b', 'work'].includes(name)) files.set(`../${name}`, Buffer.of())
  return { files }
}

/** Reads these files, and the peak memory of the process. */
const readLeftoversAndUsage = (home: string, work: string) => {
  const used: { megabytes: number } = JSON.parse(readFileSync(join(home, 'usage.json'), 'utf8'))
  return { ...readLeftovers(home, work), megabytes: used.megabytes }
}

/** True if the cell needs a process of its own: for a signal during an endless body, or to measure its memory. */
const needsProcess = (fault: Fault, operation: Operation): boolean =>
  fault.large === true || getCell(fault, operation).interrupt === true

/** Creates a standard error that nobody reads, or that has no room. */
const createBrokenStderr = (how: 'closed' | 'full'): Writable => {
  const code = how === 'full' ? 'ENOSPC' : 'EPIPE'
  const error = Object.assign(new Error(`${code}, write`), { code })
  return new Writable({ write: (_chunk, _encoding, done) => done(error) })
}

/** Runs a line in this process. */
const runInProcess = (args: readonly string[], work: string, around?: OuterFault) => {
  const broken = around?.stderr
  return svcctl([...args, ...(broken === undefined ? [] : ['-v'])], {
    cwd: work,
    env: { SVC_CONFIG_DIR: config, SVC_TOKEN: token },
    input: '',
    ...(broken === undefined ? {} : { io: { stderr: createBrokenStderr(broken) } }),
  })
}

const run = async (fault: Fault, operation: Operation, url: string, home: string) => {
  const work = join(home, 'a', 'b', 'work')
  mkdirSync(work, { recursive: true })
  const { around } = fault
  // Without a fault of the network, a longer timeout avoids failures on a busy machine.
  const timeout = around === undefined ? '1' : '20'
  const flags = ['-o', 'json', '--timeout', timeout, '--retries', '1', '--base-url', url]
  const asked = around?.question !== undefined
  const args = [...(asked ? operation.asks : operation.args), ...flags]
  const question = around?.question
  if (question !== undefined && question !== 'nobody') {
    const env = { SVC_CONFIG_DIR: config, SVC_TOKEN: token }
    return { ...(await runAtTerminal(args, question, work, env)), ...readLeftovers(home, work) }
  }
  if (!needsProcess(fault, operation)) {
    const { code, stdout, stderr } = await runInProcess(args, work, around)
    return { exit: code, stdout: Buffer.from(stdout), stderr, ...readLeftovers(home, work) }
  }
  const command = [process.execPath, '--require', usage, program, ...args]
  const [node = '', ...rest] = command
  const child = spawn(node, rest, {
    cwd: work,
    env: createEnv(home),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const out: Buffer[] = []
  let stderr = ''
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const interrupt = getCell(fault, operation).interrupt === true
  const stop = interrupt ? interruptWhenWriting(work, () => child.kill('SIGINT')) : () => {}
  const exit = await new Promise<number>((resolve) =>
    child.once('close', (code, signal) => resolve(toExitCode(code, signal))),
  )
  stop()
  return { exit, stdout: Buffer.concat(out), stderr, ...readLeftoversAndUsage(home, work) }
}

/** Runs the program against a server of its own that commits the fault. */
export const runCell = async (fault: Fault, operation: Operation): Promise<Outcome> => {
  const home = createFolder()
  const stranger = await startLyingServer((_asked, socket) => answerHonestly(socket, operation))
  const server = await startLyingServer((asked, socket) =>
    fault.behave(operation, asked, socket, { url: server.url, stranger: stranger.url }),
  )
  try {
    const url = fault.nobody === true ? deadUrl : server.url
    const ran = await run(fault, operation, url, home)
    return { ...ran, requests: server.seen.length, stranger }
  } finally {
    await Promise.all([server.close(), stranger.close()])
    rmSync(home, { recursive: true, force: true })
  }
}

/** The token, and the part of its base64 forms that does not depend on the bytes beside it. */
const tokenForms = [
  token,
  ...[0, 1, 2].map((offset) =>
    Buffer.from(`${'-'.repeat(offset)}${token}`)
      .toString('base64')
      .slice(4, 40),
  ),
]

const parseJson = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

const equalsJson = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** Compares the output of the program with the expected one. Returns a description of the difference, or undefined. */
const checkOutput = ({ gives }: Cell, operation: Operation, outcome: Outcome) => {
  const { stdout, files } = outcome
  if (operation.name === 'download') {
    const [only] = files.values()
    // The output is the path of the file that was written.
    const named = parseJson(stdout) !== undefined
    if (gives === 'nothing' && stdout.length > 0) return 'something on standard output'
    if (gives === 'nothing') return files.size === 0 ? undefined : `left ${[...files.keys()]}`
    if (stdout.length > 0 && !named) return 'no JSON on standard output'
    return files.size === 1 && only?.equals(operation.body) ? undefined : 'not the file'
  }
  if (files.size > 0) return `left ${[...files.keys()]}`
  const value = parseJson(stdout)
  if (gives === 'nothing')
    return value === undefined ? undefined : 'what was not whole parses as if it were'
  if (gives === 'outcome')
    return /"outcome":"done"\}$/.test(stdout.toString().trim()) ? undefined : 'not the outcome'
  const truth = parseJson(operation.body)
  const second = parseJson(buildSecondPage(operation))
  const pages = Array.isArray(truth) && Array.isArray(second) ? [...truth, ...second] : truth
  const replaced = parseJson(Buffer.from(operation.body.toString().replace('build', 'b\ufffdild')))
  const wanted = { whole: truth, pages, empty: [], replaced }[gives]
  return equalsJson(value, wanted) ? undefined : 'not the answer'
}

/** Lists all differences between an outcome and the cell of the matrix. */
export const judge = (cell: Cell, operation: Operation, outcome: Outcome): string[] => {
  const { exit, stderr, requests, stranger, megabytes = 0, stdout } = outcome
  const wrong: string[] = []
  if (exit !== cell.exit) wrong.push(`exit ${exit} instead of ${cell.exit}`)
  if (!cell.says.test(stderr)) wrong.push(`does not say ${cell.says}: ${stderr.trim()}`)
  if (requests !== cell.requests) wrong.push(`${requests} requests instead of ${cell.requests}`)
  const given = checkOutput(cell, operation, outcome)
  if (given !== undefined) wrong.push(given)
  if (stranger.seen.length !== (cell.stranger ?? 0))
    wrong.push(`the other server saw ${stranger.seen.length} requests`)
  if (stranger.seen.some((asked) => `${asked.path}\n${asked.headers}`.includes(token)))
    wrong.push('the credential reached the other server')
  if (tokenForms.some((form) => `${stdout}${stderr}${[...outcome.files.keys()]}`.includes(form)))
    wrong.push('the credential was printed')
  if (megabytes > maxMegabytes) wrong.push(`took ${Math.round(megabytes)} MB`)
  return wrong
}
