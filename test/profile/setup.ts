/** What the tests of this room share: a directory of their own, sessions without a network, child processes. */
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
import { bundled } from '../support/bundled.js'

/** A directory that goes when the test ends. */
export const temporary = (): string => {
  const directory = mkdtempSync(path.join(tmpdir(), 'svcctl-profile-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

const noPost: Post = async () => {
  throw new Error('nothing was to be sent')
}

/** Store and tokens of a configuration directory, without the machine's keyring unless given. */
export const open = (
  directory: string,
  more: Partial<SessionServices> & { env?: Environment; options?: TokensOptions } = {},
) => {
  const { env = {}, options = { openKeyring: async () => undefined }, ...services } = more
  const paths = getPaths({ SVC_CONFIG_DIR: directory })
  return {
    paths,
    store: openStore(paths),
    tokens: openTokens(paths, env, options),
    post: noPost,
    ...services,
  }
}

/** The failure that something ends with; anything else fails the test. */
export const failureOf = async (work: () => unknown): Promise<Failure> => {
  try {
    await work()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('it did not fail')
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const worker = (script: string, args: readonly string[]) => {
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
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
  return { ready, ended, go: () => child.stdin.end() }
}

/**
 * Runs `worker.ts` in processes of their own, one for each list of arguments, which begin together once
 * all of them are there.
 */
export const together = async (...each: readonly (readonly string[])[]): Promise<Ended[]> => {
  const script = await bundled(path.join(import.meta.dirname, 'worker.ts'))
  const workers = each.map((args) => worker(script, args))
  await Promise.all(workers.map((w) => w.ready))
  for (const { go } of workers) go()
  return Promise.all(workers.map((w) => w.ended))
}
