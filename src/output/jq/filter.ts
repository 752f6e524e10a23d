/**
 * Filters JSON by an expression of jq: jq itself, as WebAssembly, in a thread of its own, so that an expression without an end can be
 * ended. The thread has no variables of the environment, and jq no files.
 */
import { Worker } from 'node:worker_threads'
import { brotliDecompressSync } from 'node:zlib'
import wasm from 'packed:jq-wasm/dist/build/jq.wasm'
import library from 'packed:jq-wasm/dist/index.cjs'
import { callOnAbort } from '../../base/async.js'
import { doAfter, getCurrentIo } from '../../base/io.js'
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
  /** The seconds that one call may take. */
  readonly timeout: number
}

/** The exit code by which a program says that `halt` ended it. jq itself has none of that number. */
const halted = 77

/** Defined before each expression: no variables of the environment, and an end that the calls after it know of. */
const prelude = `def env: {}; def halt: "" | halt_error(${halted}); {} as $ENV | `

/** Returns jq's message without the position in an input that nobody sees. */
const cleanMessage = (stderr: string): string => {
  const [first = ''] = stderr.split('\n').filter((line) => line.startsWith('jq: '))
  return first
    .replace(/^jq: error(?: \(at [^)]*\))?(?: \(not a string\))?: /, '')
    .replace(' at <top-level>, line', ' at line')
    .replace(/:$/, '')
}

const createRuntimeError = ({ stderr, gaveUp }: JqResult): Failure => {
  if (gaveUp !== undefined)
    return usage(
      '--jq: jq ran out of memory',
      'It has 256 MB. Pass -o ndjson, which filters a list record by record.',
    )
  const message = cleanMessage(stderr) || stderr.trim() || 'the expression ended with an error'
  const hint = /^Cannot index array with string /.test(message)
    ? 'With -o json the expression gets the whole list, as in ".[].id". With -o ndjson it gets each record.'
    : undefined
  return usage(`--jq: ${message}`, hint)
}

/** Starts the thread. It keeps no process alive, and is gone when the line has ended. */
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
  // Between two calls nobody waits for it.
  worker.on('error', () => {}).unref()
  getCurrentIo().onExit(() => void worker.terminate())
  return worker
}

export class JqFilter {
  readonly #worker = startWorker()
  readonly #options: FilterOptions
  readonly #expression: string
  #halted = false

  private constructor(expression: string, options: FilterOptions) {
    this.#expression = expression
    this.#options = options
  }

  /**
   * Loads jq and compiles an expression.
   * @throws Failure `usage` for an expression that jq cannot compile
   */
  static async of(expression: string, options: FilterOptions): Promise<JqFilter> {
    const filter = new JqFilter(expression, options)
    // Without an input nothing runs.
    const { exitCode, stderr } = await filter.#call('', expression)
    if (exitCode !== 0) throw usage(`--jq: ${cleanMessage(stderr)}`)
    return filter
  }

  /** Filters one input. Returns the values that come out, as lines of JSON; a failure ends them. */
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
    if (exitCode === halted && stderr === '') this.#halted = true
    else if (exitCode !== 0) return { lines, said: '', failure: createRuntimeError(result) }
    return { lines, said: stderr }
  }

  /** @throws Failure `interrupted` when the signal ends the call, `usage` when it takes too long */
  async #call(input: string, program: string): Promise<JqResult> {
    const { signal, timeout } = this.#options
    const worker = this.#worker
    worker.ref()
    const releases: (() => void)[] = []
    try {
      return await new Promise<JqResult>((resolve, reject) => {
        const end = (failure: unknown): void => {
          void worker.terminate()
          reject(failure)
        }
        // A thread without memory ends by an error, and jq without memory says so.
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
    } finally {
      for (const release of releases) release()
      worker.unref()
    }
  }
}

/** The values of an expression for an input. */
export interface FilteredValues {
  /** Compact JSON, a value a line. */
  readonly lines: readonly string[]
  /** The output of `debug` and `stderr` in the expression. */
  readonly said: string
  /** The failure that ended the expression after these values. */
  readonly failure?: Failure
}
