/** A sandbox for the tests of a file, on a temporary folder, with a client that says what came back. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import {
  readState,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from '../../src/sandbox/index.js'
import { holdToShape } from '../support/promised.js'

export interface Came {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
  readonly body: any
}

export interface Sending {
  readonly as?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly body?: string | FormData | URLSearchParams
}

/** Sends a request, and holds what is answered in the words of the documents to the shape of its endpoint; `path` begins with `/` and is below the API root unless `root` says otherwise. */
export const sender =
  (url: () => string, words?: SandboxOptions['words']) =>
  async (route: string, { as = 'root', headers = {}, json, body }: Sending = {}): Promise<Came> => {
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
    const answer = isJson ? JSON.parse(text) : undefined
    if (came.ok && words === undefined && !path.startsWith('//')) holdToShape(method, path, answer)
    return { status: came.status, headers: came.headers, text, body: answer }
  }

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
  return { send: sender(url, options.words), url, folder: () => folder }
}

/** Starts a sandbox before the file's tests and closes it after them: for those that tell one story, or only read. */
export const sandbox = (options: Partial<SandboxOptions> = {}) =>
  started(beforeAll, afterAll, options)

/** Starts a sandbox before each test, which takes milliseconds: none sees what another one changed. */
export const freshSandbox = (options: Partial<SandboxOptions> = {}) =>
  started(beforeEach, afterEach, options)

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
