/** One cell of the matrix: the built program against one fault, and what is wrong with the outcome. */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { clean, configuration, exitOf, folder, program } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { honest, secondPage } from './answers.js'
import { type Around, atTerminal } from './around.js'
import type { Cell, Fault } from './faults.js'
import type { Operation } from './operations.js'
import { type LyingServer, lie, nobody } from './server.js'

const token = 'canary-token-of-the-fault-matrix'
/** More than this would be a body held in memory that should not be; Node itself takes 20 MB more since version 24. */
export const maxMegabytes = Number.parseInt(process.versions.node, 10) >= 24 ? 330 : 300

export interface Outcome {
  readonly exit: number | null
  readonly stdout: Buffer
  readonly stderr: string
  /** Files that are left where the program ran, by name. */
  readonly files: ReadonlyMap<string, Buffer>
  /** Of a process of its own. */
  readonly megabytes?: number
  readonly requests: number
  readonly stranger: LyingServer
}

export const cellOf = (fault: Fault, operation: Operation): Cell => ({
  ...fault.cell,
  ...fault.but?.[operation.name],
})

/** Shared by all cells. */
const config = configuration()

const environment = (home: string): NodeJS.ProcessEnv => ({
  ...clean(),
  SVC_CONFIG_DIR: config,
  SVC_TOKEN: token,
  BENCH_USAGE: join(home, 'usage.json'),
})

const usage = join(import.meta.dirname, '..', 'bench', 'usage.cjs')

/** Sends SIGINT once the program has begun to write a file. */
const interruptWhenWriting = (work: string, kill: () => void): (() => void) => {
  const timer = setInterval(() => {
    if (readdirSync(work).length > 0) kill()
  }, 50)
  return () => clearInterval(timer)
}

/** The files that are left once the program has ended. */
const leftIn = (home: string, work: string) => {
  const files = new Map(readdirSync(work).map((name) => [name, readFileSync(join(work, name))]))
  const above = [join(home, 'a'), join(home, 'a', 'b')].flatMap((path) => readdirSync(path))
  for (const name of above) if (!['b', 'work'].includes(name)) files.set(`../${name}`, Buffer.of())
  return { files }
}

/** And what it took. */
const leftAndTaken = (home: string, work: string) => {
  const used: { megabytes: number } = JSON.parse(readFileSync(join(home, 'usage.json'), 'utf8'))
  return { ...leftIn(home, work), megabytes: used.megabytes }
}

/** Whether a process is needed: for a signal while an endless body comes, or the memory that it takes. */
const needsProcess = (fault: Fault, operation: Operation): boolean =>
  fault.large === true || cellOf(fault, operation).interrupt === true

/** Standard error that nobody reads, or that has no room. */
const brokenError = (how: 'closed' | 'full'): Writable => {
  const code = how === 'full' ? 'ENOSPC' : 'EPIPE'
  const error = Object.assign(new Error(`${code}, write`), { code })
  return new Writable({ write: (_chunk, _encoding, done) => done(error) })
}

/** Runs a line in this process. */
const runWithin = (args: readonly string[], work: string, around?: Around) => {
  const broken = around?.stderr
  return svcctl([...args, ...(broken === undefined ? [] : ['-v'])], {
    cwd: work,
    env: { SVC_CONFIG_DIR: config, SVC_TOKEN: token },
    input: '',
    ...(broken === undefined ? {} : { io: { stderr: brokenError(broken) } }),
  })
}

const run = async (fault: Fault, operation: Operation, url: string, home: string) => {
  const work = join(home, 'a', 'b', 'work')
  mkdirSync(work, { recursive: true })
  const { around } = fault
  // Where the network does not lie, a busy machine is not taken for one that does.
  const timeout = around === undefined ? '1' : '20'
  const flags = ['-o', 'json', '--timeout', timeout, '--retries', '1', '--base-url', url]
  const asked = around?.question !== undefined
  const args = [...(asked ? operation.asks : operation.args), ...flags]
  const question = around?.question
  if (question !== undefined && question !== 'nobody') {
    const env = { SVC_CONFIG_DIR: config, SVC_TOKEN: token }
    return { ...(await atTerminal(args, question, work, env)), ...leftIn(home, work) }
  }
  if (!needsProcess(fault, operation)) {
    const { code, stdout, stderr } = await runWithin(args, work, around)
    return { exit: code, stdout: Buffer.from(stdout), stderr, ...leftIn(home, work) }
  }
  const command = [process.execPath, '--require', usage, program, ...args]
  const [node = '', ...rest] = command
  const child = spawn(node, rest, {
    cwd: work,
    env: environment(home),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const out: Buffer[] = []
  let stderr = ''
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const interrupt = cellOf(fault, operation).interrupt === true
  const stop = interrupt ? interruptWhenWriting(work, () => child.kill('SIGINT')) : () => {}
  const exit = await new Promise<number>((resolve) =>
    child.once('close', (code, signal) => resolve(exitOf(code, signal))),
  )
  stop()
  return { exit, stdout: Buffer.concat(out), stderr, ...leftAndTaken(home, work) }
}

/** Runs the program against a server of its own that commits the fault. */
export const outcomeOf = async (fault: Fault, operation: Operation): Promise<Outcome> => {
  const home = folder()
  const stranger = await lie((_asked, socket) => honest(socket, operation))
  const server = await lie((asked, socket) =>
    fault.behave(operation, asked, socket, { url: server.url, stranger: stranger.url }),
  )
  try {
    const url = fault.nobody === true ? await nobody() : server.url
    const ran = await run(fault, operation, url, home)
    return { ...ran, requests: server.seen.length, stranger }
  } finally {
    await Promise.all([server.close(), stranger.close()])
    rmSync(home, { recursive: true, force: true })
  }
}

/** The token as it is, and what of it does not depend on its neighbours in base64. */
const forms = [
  token,
  ...[0, 1, 2].map((offset) =>
    Buffer.from(`${'-'.repeat(offset)}${token}`)
      .toString('base64')
      .slice(4, 40),
  ),
]

const parsed = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** What the program gave, judged against what it should have given; undefined where it is right. */
const givenWrongly = ({ gives }: Cell, operation: Operation, outcome: Outcome) => {
  const { stdout, files } = outcome
  if (operation.name === 'download') {
    const [only] = files.values()
    // The answer is the path of the file that was written.
    const named = parsed(stdout) !== undefined
    if (gives === 'nothing' && stdout.length > 0) return 'something on standard output'
    if (gives === 'nothing') return files.size === 0 ? undefined : `left ${[...files.keys()]}`
    if (stdout.length > 0 && !named) return 'no JSON on standard output'
    return files.size === 1 && only?.equals(operation.body) ? undefined : 'not the file'
  }
  if (files.size > 0) return `left ${[...files.keys()]}`
  const value = parsed(stdout)
  if (gives === 'nothing')
    return value === undefined ? undefined : 'what was not whole parses as if it were'
  if (gives === 'outcome')
    return /"outcome":"done"\}$/.test(stdout.toString().trim()) ? undefined : 'not the outcome'
  const truth = parsed(operation.body)
  const second = parsed(secondPage(operation))
  const pages = Array.isArray(truth) && Array.isArray(second) ? [...truth, ...second] : truth
  const replaced = parsed(Buffer.from(operation.body.toString().replace('build', 'b\ufffdild')))
  const wanted = { whole: truth, pages, empty: [], replaced }[gives]
  return same(value, wanted) ? undefined : 'not the answer'
}

/** Everything that is not as the matrix says; empty where all is well. */
export const judge = (cell: Cell, operation: Operation, outcome: Outcome): string[] => {
  const { exit, stderr, requests, stranger, megabytes = 0, stdout } = outcome
  const wrong: string[] = []
  if (exit !== cell.exit) wrong.push(`exit ${exit} instead of ${cell.exit}`)
  if (!cell.says.test(stderr)) wrong.push(`does not say ${cell.says}: ${stderr.trim()}`)
  if (requests !== cell.requests) wrong.push(`${requests} requests instead of ${cell.requests}`)
  const given = givenWrongly(cell, operation, outcome)
  if (given !== undefined) wrong.push(given)
  if (stranger.seen.length !== (cell.stranger ?? 0))
    wrong.push(`the other server saw ${stranger.seen.length} requests`)
  if (stranger.seen.some((asked) => `${asked.path}\n${asked.headers}`.includes(token)))
    wrong.push('the credential reached the other server')
  if (forms.some((form) => `${stdout}${stderr}${[...outcome.files.keys()]}`.includes(form)))
    wrong.push('the credential was printed')
  if (megabytes > maxMegabytes) wrong.push(`took ${Math.round(megabytes)} MB`)
  return wrong
}
