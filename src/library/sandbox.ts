/** `svcctl/sandbox`: starts the embedded instance for other people's tests. */

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { getTemporaryFolder, machineIo, resolvePath } from '../base/io.js'
import { holdText } from '../base/secrets/redact.js'
import { decodeStrictly } from '../base/utf8.js'
import { readHeld } from '../base/yaml/texts.js'
import { usage } from '../errors.js'
import { toWholeAllowance } from '../http/gate.js'
import type { SeedRecords, SeedRows } from '../sandbox/seed/rows.js'
import type { Fault, HeardRequest, StateSnapshot } from '../sandbox/server/test-double.js'
import { rethrowPublicErrors, rethrowPublicErrorsSync } from './verbs.js'

export { type Category, Failure, type FailureDetails } from '../errors.js'
export type { SeedRecords as Seeded, SeedRows } from '../sandbox/seed/rows.js'
export type { Fault, HeardRequest, StateSnapshot } from '../sandbox/server/test-double.js'

/** The options of `startSandbox()`. */
export interface StartOptions {
  /** A folder whose state is used and kept; unless given, a temporary one that is removed at the end. */
  readonly state?: string
  /** Any free port unless given. */
  readonly port?: number
  /** A file with words of its own: it speaks no others. */
  readonly words?: string
  /** `100/s`, `600/min`: what goes beyond is answered with 429. */
  readonly rate?: string
}

/** A running instance. */
export interface RunningSandbox {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** The administrator's. */
  readonly token: string
  /** Personal access tokens by username; users that were seeded have one too. */
  readonly tokens: Readonly<Record<string, string>>
  /** The last 10,000 requests that came in, oldest first, without credentials. */
  readonly requests: readonly HeardRequest[]
  /**
   * Adds records: rows by table, or a JSON or YAML file with them. What a row leaves out is as in the record of the sample data
   * that agrees with it in most attributes.
   */
  seed<const R extends SeedRows>(rows: R): Promise<SeedRecords<R>>
  seed(file: string): Promise<SeedRecords<Required<SeedRows>>>
  /** Makes it a fresh instance again: state, repositories, `requests` and what was to fail. */
  reset(): Promise<void>
  /** Its state as a value that JSON can hold, without the repositories. */
  snapshot(): StateSnapshot
  /** Makes its state what it was, at once. */
  restore(snapshot: StateSnapshot): void
  /** Has the next requests to a route fail: `fail('PUT /runners/:id', { status: 503, times: 2 })`. */
  fail(route: string, fault: Fault): void
  /** Stops the instance, and removes its state unless the caller named the folder. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Returns the folder for the state, and a function that is called at the end. */
const createStateFolder = async (state: string | undefined) => {
  if (state !== undefined) return { folder: resolvePath(state), leave: async () => {} }
  const folder = await mkdtemp(join(getTemporaryFolder(machineIo.env), 'svcctl-sandbox-'))
  return { folder, leave: () => rm(folder, { recursive: true, force: true }) }
}

const loadVocabulary = async (file: string | undefined) => {
  if (file === undefined) return {}
  const { loadChecked } = await import('../vocabulary/index.js')
  return { words: await loadChecked(file) }
}

const readRows = async (file: string): Promise<SeedRows> => {
  const read = await readHeld(holdText(decodeStrictly(await readFile(file), file)))
  if ('wrong' in read) throw usage(`${file}: ${read.wrong}`)
  return read.value as SeedRows
}

/** Starts the instance. `leave` removes its state, unless a folder was given for it. */
const startInstance = async ({ state, port = 0, words, rate }: StartOptions) => {
  const limit = rate === undefined ? undefined : toWholeAllowance(rate)
  const load = { port, limit, ...(await loadVocabulary(words)) }
  const sandboxes = await import('../sandbox/index.js')
  const { folder, leave } = await createStateFolder(state)
  const sandbox = await sandboxes
    .startSandbox({ stateDir: folder, testable: true, ...load })
    .catch(async (error) => {
      await leave()
      throw error
    })
  return { sandbox, leave }
}

const start = async (options: StartOptions): Promise<RunningSandbox> => {
  const { sandbox, leave } = await startInstance(options)
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => {
    closed ??= rethrowPublicErrors(() => sandbox.close().finally(leave))
    return closed
  }
  const { url, users } = sandbox
  const getDouble = () => {
    if (closed !== undefined) throw usage('the sandbox is closed')
    return sandbox.double
  }
  return {
    url,
    token: users[0]?.token ?? '',
    get tokens() {
      return sandbox.tokens()
    },
    get requests() {
      return sandbox.double.requests
    },
    seed: (rows: SeedRows | string) =>
      rethrowPublicErrors(async () =>
        getDouble().seed(typeof rows === 'string' ? await readRows(rows) : rows),
      ),
    reset: () => rethrowPublicErrors(async () => getDouble().reset()),
    snapshot: () => rethrowPublicErrorsSync(() => getDouble().snapshot()),
    restore: (snapshot) => rethrowPublicErrorsSync(() => getDouble().restore(snapshot)),
    fail: (route, fault) => rethrowPublicErrorsSync(() => getDouble().fail(route, fault)),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/**
 * Starts an instance with sample data on 127.0.0.1; any client may talk to it. It lives until it is
 * closed and installs no handler of signals.
 *
 *     const sandbox = await startSandbox()
 *     const api = connect({ baseUrl: sandbox.url, token: sandbox.token })
 *     …
 *     await sandbox.close()
 *
 * @throws Failure `usage` for words or a rate that are none, `conflict` for a state that is in use
 */
export const startSandbox = (options: StartOptions = {}): Promise<RunningSandbox> =>
  rethrowPublicErrors(() => start(options))
