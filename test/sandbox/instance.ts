/** A sandbox for the tests of a file, on a temporary folder, with a client that says what came back. */
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
import { type AnswerTo, holdToShape } from '../support/promised.js'

/** What an instance says where it refuses. */
interface Refusal {
  readonly message?: unknown
  readonly error?: unknown
  readonly error_code?: unknown
}

/** An answer to a request of this route. */
export interface Came<R extends string> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** What the endpoint answers with. Throws where the instance refused. */
  readonly body: AnswerTo<R>
  /** What came in its place. Throws where the instance did not refuse. */
  readonly refusal: Refusal
}

export interface Sending {
  readonly as?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly body?: string | FormData | URLSearchParams
}

/** `documented`: it speaks in the words of the documents, and every answer is held to the shape of its endpoint. */
const createSend =
  (url: () => string, documented: boolean) =>
  async <R extends string>(
    route: R,
    { as = 'root', headers = {}, json, body }: Sending = {},
  ): Promise<Came<R>> => {
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
    if (documented && came.ok && !path.startsWith('//')) holdToShape(method, path, answer)
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

/** Sends a request, and holds what is answered to the shape of its endpoint; a path is below the API root, one that begins with `//` is not. */
export const sender = (url: () => string) => createSend(url, true)

/** The records of a list that the documents do not have. */
export const toRecords = (body: unknown): readonly Fields[] => {
  const records = listObjects(body)
  if (!Array.isArray(body) || records.length < body.length)
    throw new Error(`no list of records: ${JSON.stringify(body)}`)
  return records
}

type Options = Partial<Omit<SandboxOptions, 'words'>>

const started = (
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
  return { send: sender(url), url, folder: () => folder }
}

/** Starts a sandbox before the file's tests and closes it after them: for those that tell one story, or only read. */
export const sandbox = (options: Options = {}) => started(beforeAll, afterAll, options)

/** Starts a sandbox before each test, which takes milliseconds: none sees what another one changed. */
export const freshSandbox = (options: Options = {}) => started(beforeEach, afterEach, options)

/** As `sandbox`, of an instance with words of its own: nothing is known of its answers. */
export const sandboxInWords = (words: Words) => {
  const box = started(beforeAll, afterAll, { words })
  const send: (route: string, sending?: Sending) => Promise<Came<string>> = createSend(
    box.url,
    false,
  )
  return { ...box, send }
}

const began = Date.parse('2026-11-03T09:00:00.000Z')

/** A moment so many seconds after a timed instance began. */
export const momentAt = (seconds: number): string => new Date(began + seconds * 1000).toISOString()

/** An instance on a clock that only moves when it is told to; `restart` goes on from its folder. */
export const timedSandbox = async (options: Partial<SandboxOptions> = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'svcctl-timed-'))
  let seconds = 0
  const start = (more: Partial<SandboxOptions> = {}) =>
    startSandbox({
      stateDir: folder,
      now: () => new Date(began + seconds * 1000),
      ...options,
      ...more,
    })
  let running = await start()
  return {
    folder,
    send: sender(() => running.url),
    url: () => running.url,
    /** Changes a record that no request changes so. */
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
    /** Sets the clock, in seconds since the beginning. */
    at: (to: number): void => {
      seconds = to
    },
    restart: async (more: Partial<SandboxOptions> = {}): Promise<void> => {
      await running.close()
      running = await start(more)
    },
    /** Stops it; its state as it was saved. */
    end: async (): Promise<string> => {
      await running.close()
      const state = JSON.stringify(await readState(folder))
      await rm(folder, { recursive: true, force: true })
      return state
    },
  }
}
