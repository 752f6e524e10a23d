/** Provides what the tests of profiles share: temporary directories, sessions without a network, child processes. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { Failure } from '../../src/errors.js'
import { getPaths, openStore, openTokens } from '../../src/profile/index.js'
import type { SessionServices } from '../../src/profile/session.js'
import type { TokensOptions } from '../../src/profile/tokens.js'
import type { Environment, Post } from '../../src/profile/types.js'
import { getBundle } from '../support/bundled.js'

/** Creates a directory that is removed after the test. */
export const createDirectory = (): string => {
  const directory = mkdtempSync(path.join(tmpdir(), 'svcctl-profile-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

const failPost: Post = async () => {
  throw new Error('nothing was to be sent')
}

/** Opens the store and the tokens of a configuration directory, without the machine's keyring unless it is given. */
export const openServices = (
  directory: string,
  more: Partial<SessionServices> & { env?: Environment; options?: TokensOptions } = {},
) => {
  const { env = {}, options = { openKeyring: async () => undefined }, ...services } = more
  const paths = getPaths({ SVC_CONFIG_DIR: directory })
  return {
    paths,
    store: openStore(paths),
    tokens: openTokens(paths, env, options),
    post: failPost,
    ...services,
  }
}

/** Returns the failure that an action ends with. Another error, or none, fails the test. */
export const getFailure = async (work: () => unknown): Promise<Failure> => {
  try {
    await work()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('it did not fail')
}

export interface WorkerResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const startWorker = (script: string, args: readonly string[]) => {
  const child = spawn(process.execPath, [script, ...args])
  let stdout = ''
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ready = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      if (stdout.startsWith('ready\n')) resolve()
    })
    child.on('close', () => resolve())
  })
  const ended = new Promise<WorkerResult>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
  return { ready, ended, go: () => child.stdin.end() }
}

/** Runs `worker.ts` once for each list of arguments, in processes that start working together once all of them are ready. */
export const runWorkers = async (
  ...each: readonly (readonly string[])[]
): Promise<WorkerResult[]> => {
  const script = await getBundle(path.join(import.meta.dirname, 'worker.ts'))
  const workers = each.map((args) => startWorker(script, args))
  await Promise.all(workers.map((w) => w.ready))
  for (const { go } of workers) go()
  return Promise.all(workers.map((w) => w.ended))
}
