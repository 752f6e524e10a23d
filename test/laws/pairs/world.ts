/**
 * Runs the lines of the law of pairs in one environment: an embedded instance, two profiles for it, a snapshot, and a run to resume or
 * undo.
 */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { doAfter, type Io } from '../../../src/base/io.js'
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.js'
import { keepFolder } from '../../support/kept-folder.js'
import { createConfiguration, createFolder } from '../../support/program.js'
import { svcctl } from '../../support/within.js'
import type { Shape } from './shapes.js'
import type { FlagValue, Places } from './values.js'

/** The outcome of a line. */
export interface LineResult {
  readonly args: readonly string[]
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** The content of the file of `--to`, or undefined. */
  readonly file: string | undefined
  /** The requests that the instance received, as `METHOD /path`. */
  readonly requests: readonly string[]
  /** True if the line had to be stopped. */
  readonly endless: boolean
}

export type Environment = Readonly<Record<string, string>>

/** Time in milliseconds after which a line counts as endless; long enough for a busy machine. */
const timeoutMs = 30_000

interface Place {
  readonly config: string
  readonly cwd: string
  readonly now: Date
}

/** Maximum number of requests to keep: every access copies all of them. */
const maxRequests = 300

const getToken = ({ users }: Sandbox): string => users[0]?.token ?? ''

export class World {
  readonly #sandbox: Sandbox
  readonly #before: ReturnType<Sandbox['double']['snapshot']>
  readonly #config: string
  /** Removes what a line left in the configuration, such as its journal. */
  readonly #putBackConfig: () => void
  readonly #now: Date
  readonly places: Places

  private constructor(sandbox: Sandbox, { config, cwd, now }: Place) {
    this.#sandbox = sandbox
    this.#now = now
    this.#before = sandbox.double.snapshot()
    this.#config = config
    this.#putBackConfig = keepFolder(config, join(createFolder(), 'config'))
    this.places = {
      url: sandbox.url,
      snapshot: join(cwd, 'snapshot'),
      out: join(cwd, 'work', 'out'),
      journal: join(cwd, 'work', 'run.ndjson'),
    }
  }

  static async open(): Promise<World> {
    const now = new Date()
    now.setMilliseconds(0)
    const stateDir = createFolder()
    // The clock of the instance stands still and work is done at once, so that equal lines have equal output.
    const sandbox = await startSandbox({
      stateDir,
      testable: true,
      now: () => now,
      speed: Number.POSITIVE_INFINITY,
    })
    const config = createConfiguration()
    const cwd = createFolder()
    const env = { SVC_CONFIG_DIR: config, SVC_NO_KEYRING: '1' }
    const run = async (args: readonly string[], input?: string): Promise<void> => {
      const ran = await svcctl(args, { env, cwd, ...(input === undefined ? {} : { input }) })
      if (ran.code !== 0 && ran.code !== 8) throw new Error(`${args.join(' ')}: ${ran.stderr}`)
    }
    for (const name of ['a', 'b'])
      await run(
        ['auth', 'login', name, '--base-url', sandbox.url, '--token-stdin'],
        getToken(sandbox),
      )
    await run(['auth', 'switch', 'a'])
    // The run to resume and to undo: one of its objects was done and the other failed.
    await run(['runners', 'pause', '1', '999', '--yes'])
    await run([
      'snapshot',
      'runners list --instance',
      'jobs list --all-projects',
      '--to',
      'snapshot',
    ])
    return new World(sandbox, { config, cwd, now })
  }

  /** Runs the line of a shape with some values on the initial state. */
  async run(
    shape: Shape,
    values: readonly FlagValue[],
    env: Environment = {},
  ): Promise<LineResult> {
    const work = join(this.places.out, '..')
    mkdirSync(work)
    for (const [name, text] of Object.entries(shape.files ?? {}))
      writeFileSync(join(work, name), text)
    const args = [...shape.line, ...values.flatMap(({ words }) => words(this.places))]
    const before = await this.#makeRoom()
    const stop = new AbortController()
    let endless = false
    const timer = setTimeout(() => {
      endless = true
      stop.abort()
    }, timeoutMs)
    // A watch is stopped after one round.
    const isWatched = values.some(({ flag }) => flag === 'watch')
    try {
      const ran = await svcctl(args, {
        cwd: work,
        stop: stop.signal,
        ...(isWatched ? { afterOutput: () => stop.abort() } : {}),
        io: this.#createClock(),
        env: { SVC_CONFIG_DIR: this.#config, SVC_NO_KEYRING: '1', ...this.#filled(env) },
        ...(shape.input === undefined ? {} : { input: shape.input }),
      })
      const { out } = this.places
      return {
        args,
        code: ran.code,
        stdout: ran.stdout,
        stderr: ran.stderr,
        file:
          statSync(out, { throwIfNoEntry: false })?.isFile() === true
            ? readFileSync(out, 'utf8')
            : undefined,
        requests: this.#listRequests(before),
        endless,
      }
    } finally {
      clearTimeout(timer)
      rmSync(work, { recursive: true, force: true })
      if (shape.writes === true) this.#putBack(before)
    }
  }

  /**
   * Creates a slow clock, so that ages and durations are equal in all lines. It advances when something waits. It begins half a second after
   * the times of the instance, so that a busy machine crosses no second.
   */
  #createClock(): Pick<Io, 'now' | 'after'> {
    const began = performance.now()
    let waited = 500
    const elapsed = (): number => waited + (performance.now() - began) / 100
    return {
      now: () => new Date(this.#now.getTime() + elapsed()),
      after: (milliseconds, work) => {
        const until = elapsed() + milliseconds
        return doAfter(milliseconds / 100, () => {
          waited += Math.max(0, until - elapsed())
          work()
        })
      },
    }
  }

  #listRequests(before: number): readonly string[] {
    const { requests } = this.#sandbox.double
    return requests.slice(before).map(({ method, path }) => `${method} ${path}`)
  }

  /** Restores the instance and the configuration, if the line has written to the instance. Most lines only read or are rejected. */
  #putBack(before: number): void {
    if (!this.#listRequests(before).every((request) => /^(?:GET|HEAD) /.test(request)))
      this.#sandbox.double.restore(this.#before)
    this.#putBackConfig()
  }

  /** Clears the list of requests before the oldest are dropped. Returns the number of requests in the list. */
  async #makeRoom(): Promise<number> {
    const { length } = this.#sandbox.double.requests
    if (length < maxRequests) return length
    await this.#sandbox.double.reset()
    this.#sandbox.double.restore(this.#before)
    return 0
  }

  close(): Promise<void> {
    return this.#sandbox.close()
  }

  #filled(env: Environment): Environment {
    const filled = Object.entries(env).map(([name, value]) => [
      name,
      value === 'URL' ? this.#sandbox.url : value === 'TOKEN' ? getToken(this.#sandbox) : value,
    ])
    return Object.fromEntries(filled)
  }
}
