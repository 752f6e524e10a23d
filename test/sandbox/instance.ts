/** Starts a sandbox for the tests of a file, on a temporary folder, with a client that returns whole answers. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { type Fields, listObjects } from '../../src/base/objects.js'
import type { Words } from '../../src/catalogue/words.js'
import {
  readState,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from '../../src/sandbox/index.js'
import type { SavedState, TableRecords } from '../../src/sandbox/state/state.js'
import { type AnswerTo, expectShape } from '../support/promised.js'

/** The body of an answer in which the instance refuses a request. */
interface Refusal {
  readonly message?: unknown
  readonly error?: unknown
  readonly error_code?: unknown
}

/** The answer to a request of a route. */
export interface ApiAnswer<R extends string> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body of a successful answer. Throws if the instance refused the request. */
  readonly body: AnswerTo<R>
  /** The body of a refusal. Throws if the instance did not refuse the request. */
  readonly refusal: Refusal
}

export interface ApiRequestOptions {
  readonly as?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly body?: string | FormData | URLSearchParams
}

/**
 * Creates a function that sends requests. With `documented`, names are those of the documents, and each answer is checked against
 * the shape of its endpoint.
 */
const createSend =
  (url: () => string, documented: boolean) =>
  async <R extends string>(
    route: R,
    { as = 'root', headers = {}, json, body }: ApiRequestOptions = {},
  ): Promise<ApiAnswer<R>> => {
    const [method = 'GET', path = ''] = route.split(' ')
    const target = path.startsWith('//') ? path.slice(1) : `/api/v4${path}`
    const came = await fetch(url() + target, {
      method,
      headers: {
        ...(as === '' ? {} : { 'private-token': as.includes('-') ? as : `sandbox-${as}-token` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json === undefined
        ? body === undefined
          ? {}
          : { body }
        : { body: JSON.stringify(json) }),
      redirect: 'manual',
    })
    const text = await came.text()
    const isJson =
      text !== '' && came.headers.get('content-type')?.startsWith('application/json') === true
    const answer: unknown = isJson ? JSON.parse(text) : undefined
    if (documented && came.ok && !path.startsWith('//')) expectShape(method, path, answer)
    const { status, headers: fields } = came
    const answerIf = <T>(expected: boolean): T => {
      if (!expected) throw new Error(`${route} answered ${status} ${text.slice(0, 1000)}`)
      return answer as T
    }
    return {
      status,
      headers: fields,
      text,
      get body() {
        return answerIf<AnswerTo<R>>(status < 400)
      },
      get refusal() {
        return answerIf<Refusal>(status >= 400)
      },
    }
  }

/**
 * Creates a function that sends requests and checks each answer against the shape of its endpoint. A path is below the API root,
 * unless it begins with `//`.
 */
export const createSender = (url: () => string) => createSend(url, true)

/** Returns the records of a list that is not in the documents. */
export const toRecords = (body: unknown): readonly Fields[] => {
  const records = listObjects(body)
  if (!Array.isArray(body) || records.length < body.length)
    throw new Error(`no list of records: ${JSON.stringify(body)}`)
  return records
}

type Options = Partial<Omit<SandboxOptions, 'words'>>

const useInstance = (
  before: (start: () => Promise<void>) => void,
  after: (close: () => Promise<void>) => void,
  options: Partial<SandboxOptions>,
) => {
  let running: Sandbox | undefined
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svcctl-sandbox-'))
    running = await startSandbox({ stateDir: folder, ...options })
  })
  after(async () => {
    await running?.close()
    await rm(folder, { recursive: true, force: true })
  })
  const url = () => running?.url ?? ''
  return { send: createSender(url), url, folder: () => folder }
}

/** Starts a sandbox before the tests of the file and closes it after them, for tests that build on each other or only read. */
export const useSharedSandbox = (options: Options = {}) => useInstance(beforeAll, afterAll, options)

/** Starts a sandbox before each test, which takes milliseconds, so that no test sees changes of another. */
export const useFreshSandbox = (options: Options = {}) =>
  useInstance(beforeEach, afterEach, options)

/** Starts a sandbox with its own vocabulary, as `useSharedSandbox` does; its answers have no known type. */
export const useWordsSandbox = (words: Words) => {
  const box = useInstance(beforeAll, afterAll, { words })
  const send: (route: string, sending?: ApiRequestOptions) => Promise<ApiAnswer<string>> =
    createSend(box.url, false)
  return { ...box, send }
}

const clockStart = Date.parse('2026-11-03T09:00:00.000Z')

/** Returns the time of this many seconds after the start of a timed sandbox. */
export const toTimeAfterStart = (seconds: number): string =>
  new Date(clockStart + seconds * 1000).toISOString()

/** Starts a sandbox with a clock that only moves when a test sets it; `restart` starts it again from its folder. */
export const startTimedSandbox = async (options: Partial<SandboxOptions> = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'svcctl-timed-'))
  let seconds = 0
  const start = (more: Partial<SandboxOptions> = {}) =>
    startSandbox({
      stateDir: folder,
      now: () => new Date(clockStart + seconds * 1000),
      ...options,
      ...more,
    })
  let running = await start()
  return {
    folder,
    send: createSender(() => running.url),
    url: () => running.url,
    /** Changes a record in a way that no request does. */
    change: <K extends keyof TableRecords>(
      table: K,
      id: number,
      patch: Partial<TableRecords[K]>,
    ): void => {
      const { double } = running
      const { [table]: rows, ...others }: SavedState = JSON.parse(JSON.stringify(double.snapshot()))
      const changed = rows.rows.map((row) => (row.id === id ? { ...row, ...patch } : row))
      expect(rows.rows.map((row) => row.id)).toContain(id)
      double.restore({ ...others, [table]: { ...rows, rows: changed } })
    },
    /** Sets the clock, in seconds since the start. */
    at: (to: number): void => {
      seconds = to
    },
    restart: async (more: Partial<SandboxOptions> = {}): Promise<void> => {
      await running.close()
      running = await start(more)
    },
    /** Stops the sandbox. Returns the saved state. */
    end: async (): Promise<string> => {
      await running.close()
      const state = JSON.stringify(await readState(folder))
      await rm(folder, { recursive: true, force: true })
      return state
    },
  }
}
