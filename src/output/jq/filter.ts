/**
 * Filters JSON with jq, which runs as WebAssembly in a worker thread, so that an endless expression can be stopped. The
 * thread has no environment variables, and jq has no files.
 */
import { Worker } from 'node:worker_threads'
import { brotliDecompressSync } from 'node:zlib'
import wasm from 'packed:jq-wasm/dist/build/jq.wasm'
import library from 'packed:jq-wasm/dist/index.cjs'
import { callOnAbort } from '../../base/async.js'
import { doAfter, type Io } from '../../base/io.js'
import { Failure, usage } from '../../errors.js'
import code from './worker.js?raw'

/** The output of one call of jq. */
interface JqResult {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
  /** The reason why jq did not come to an end. */
  readonly gaveUp?: string
}

interface FilterOptions {
  readonly signal: AbortSignal
  /** The maximum duration of one call, in seconds. */
  readonly timeout: number
  readonly onExit: Io['onExit']
}

/** The exit code of expressions that end with `halt`. jq itself does not use it. */
const haltedCode = 77

/** Precedes each expression: hides the environment variables, and makes `halt` recognizable for later calls. */
const prelude = `def env: {}; def halt: "" | halt_error(${haltedCode}); {} as $ENV | `

/** Removes the position in the input from a message of jq, because nobody sees that input. */
const cleanMessage = (stderr: string): string => {
  const [first = ''] = stderr.split('\n').filter((line) => line.startsWith('jq: '))
  return first
    .replace(/^jq: error(?: \(at [^)]*\))?(?: \(not a string\))?: /, '')
    .replace(' at <top-level>, line', ' at line')
    .replace(/:$/, '')
}

const createRuntimeError = ({ stderr, gaveUp }: JqResult, expression: string): Failure => {
  if (gaveUp !== undefined)
    return usage(
      '--jq: jq ran out of memory',
      'It has 256 MB. Pass -o ndjson, which filters a list record by record.',
    )
  const text = cleanMessage(stderr)
  // jq ends `input` so if there is no further input.
  if (text === 'break' && /\binput\b/.test(expression))
    return usage(
      '--jq: input finds no further record',
      'svcctl passes each answer by itself. With --slurp the expression gets all records as one array.',
    )
  const message = text || stderr.trim() || 'the expression ended with an error'
  const hint = /^Cannot index array with string /.test(message)
    ? 'With -o json the expression gets the whole list, as in ".[].id". With -o ndjson it gets each record.'
    : undefined
  return usage(`--jq: ${message}`, hint)
}

/** A worker that had more input and output than this, in characters, is not kept. */
const maxKeptSize = 1 << 20

/** A worker that no line uses. The next line takes it, since loading jq takes a tenth of a second. */
let idle: Worker | undefined

/** Starts the worker thread. It does not keep the process alive. */
const startWorker = (): Worker => {
  const text = brotliDecompressSync(Buffer.from(library, 'base64')).toString()
  const options = {
    eval: true,
    workerData: wasm,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  }
  const worker = new Worker(`${text}\n${code}`, options)
  // Errors between two calls are ignored.
  worker.on('error', () => {}).unref()
  return worker
}

export class JqFilter {
  readonly #worker: Worker
  readonly #options: FilterOptions
  readonly #expression: string
  #halted = false
  /** True during a call, and after a call that ended the worker or left it with much memory, which it never returns. */
  #isSpent = false

  private constructor(expression: string, options: FilterOptions) {
    this.#expression = expression
    this.#options = options
    this.#worker = idle ?? startWorker()
    idle = undefined
    options.onExit(() => this.#release())
  }

  /** Keeps the worker for the next line if it can work on. */
  #release(): void {
    if (this.#isSpent || idle !== undefined) void this.#worker.terminate()
    else idle = this.#worker
  }

  /**
   * Loads jq and compiles an expression.
   * @throws Failure `usage` if jq cannot compile it
   */
  static async create(expression: string, options: FilterOptions): Promise<JqFilter> {
    const filter = new JqFilter(expression, options)
    // An empty input only compiles the expression.
    const { exitCode, stderr } = await filter.#call('', expression)
    if (exitCode !== 0) throw usage(`--jq: ${cleanMessage(stderr)}`)
    return filter
  }

  /** Filters one input. Returns the results as lines of JSON; after a failure there are no further ones. */
  filterWhole(input: string): Promise<FilteredValues> {
    return this.#filter(input, `${prelude}${this.#expression}`)
  }

  /** Filters each item of an array. */
  filterItems(array: string): Promise<FilteredValues> {
    return this.#filter(array, `${prelude}.[] | ${this.#expression}`)
  }

  async #filter(input: string, program: string): Promise<FilteredValues> {
    if (this.#halted) return { lines: [], said: '' }
    const result = await this.#call(input, program)
    const lines = result.stdout === '' ? [] : result.stdout.split('\n')
    const { exitCode, stderr } = result
    if (exitCode === haltedCode && stderr === '') this.#halted = true
    else if (exitCode !== 0)
      return { lines, said: '', failure: createRuntimeError(result, this.#expression) }
    return { lines, said: stderr }
  }

  /**
   * Sends one call to the worker.
   * @throws Failure `interrupted` if the signal is aborted, `usage` if the call takes too long
   */
  async #call(input: string, program: string): Promise<JqResult> {
    const { signal, timeout } = this.#options
    const worker = this.#worker
    const wasSpent = this.#isSpent
    this.#isSpent = true
    worker.ref()
    const releases: (() => void)[] = []
    try {
      const result = await new Promise<JqResult>((resolve, reject) => {
        const end = (failure: unknown): void => {
          void worker.terminate()
          reject(failure)
        }
        // A worker that runs out of memory ends with an error.
        const giveUp = (error: Error): void =>
          resolve({ stdout: '', stderr: '', exitCode: 5, gaveUp: error.message })
        worker.once('message', resolve).once('error', giveUp)
        releases.push(
          () => void worker.off('message', resolve).off('error', giveUp),
          callOnAbort(signal, () => end(new Failure('interrupted', 'interrupted'))),
          doAfter(timeout * 1000, () =>
            end(usage(`--jq: the expression took longer than ${timeout} s (--timeout)`)),
          ),
        )
        worker.postMessage({ input, program })
      })
      const size = input.length + result.stdout.length
      this.#isSpent = wasSpent || result.gaveUp !== undefined || size > maxKeptSize
      return result
    } finally {
      for (const release of releases) release()
      worker.unref()
    }
  }
}

/** The results of an expression for one input. */
export interface FilteredValues {
  /** Compact JSON, one value a line. */
  readonly lines: readonly string[]
  /** The output of `debug` and `stderr` in the expression. */
  readonly said: string
  /** The failure that ended the expression after these values. */
  readonly failure?: Failure
}
