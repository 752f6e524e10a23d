/** `svcctl/sandbox`: the embedded instance for other people's tests. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { throwing } from './failing.js'

export { type Category, Failure, type FailureDetails } from '../errors.js'

export interface StartOptions {
  /** A folder whose state it goes on with and leaves there; a temporary one, removed at the end, unless given. */
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
  /** Stops it, and removes the state that nobody named. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Where the state is kept, and what becomes of it. */
const stateOf = async (state: string | undefined) => {
  if (state !== undefined) return { folder: resolve(state), leave: async () => {} }
  const folder = await mkdtemp(join(tmpdir(), 'svcctl-sandbox-'))
  return { folder, leave: () => rm(folder, { recursive: true, force: true }) }
}

const limitOf = async (rate: string | undefined) => {
  if (rate === undefined) return {}
  const { wholeAllowance } = await import('../http/gate/index.js')
  return { limit: wholeAllowance(rate) }
}

const wordsOf = async (file: string | undefined) => {
  if (file === undefined) return {}
  const { loadChecked } = await import('../vocabulary/index.js')
  return { words: await loadChecked(file) }
}

const started = async ({ state, port = 0, words, rate }: StartOptions): Promise<RunningSandbox> => {
  const load = { port, ...(await limitOf(rate)), ...(await wordsOf(words)) }
  const sandboxes = await import('../sandbox/index.js')
  const { folder, leave } = await stateOf(state)
  const sandbox = await sandboxes
    .startSandbox({ stateDir: folder, ...load })
    .catch(async (error) => {
      await leave()
      throw error
    })
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => {
    closed ??= throwing(() => sandbox.close().finally(leave))
    return closed
  }
  const token = sandbox.users[0]?.token ?? ''
  return { url: sandbox.url, token, close, [Symbol.asyncDispose]: close }
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
  throwing(() => started(options))
