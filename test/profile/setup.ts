/** What the tests of this room share: a directory of their own, sessions without a network, child processes. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { Failure } from '../../src/errors.js'
import { openStore, openTokens, pathsOf } from '../../src/profile/index.js'
import type { SessionServices } from '../../src/profile/session.js'
import type { TokensOptions } from '../../src/profile/tokens.js'
import type { Environment, Post } from '../../src/profile/types.js'

/** A directory that goes when the test ends. */
export const temporary = (): string => {
  const directory = mkdtempSync(path.join(tmpdir(), 'svcctl-profile-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

export const noPost: Post = async () => {
  throw new Error('nothing was to be sent')
}

/** Store and tokens of a configuration directory, without the machine's keyring unless given. */
export const open = (
  directory: string,
  more: Partial<SessionServices> & { env?: Environment; options?: TokensOptions } = {},
) => {
  const { env = {}, options = { keyring: async () => undefined }, ...services } = more
  const paths = pathsOf({ SVC_CONFIG_DIR: directory })
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

/** Runs `worker.ts` in a process of its own; `onLine` hears each line of its standard output. */
export const worker = (
  args: readonly string[],
  onLine: (line: string) => void = () => undefined,
): Promise<Ended> => {
  const script = path.join(import.meta.dirname, 'worker.ts')
  const runner = path.resolve(import.meta.dirname, '../../.config/run-ts.mjs')
  const child = spawn(process.execPath, [runner, script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    for (const line of text.split('\n')) if (line !== '') onLine(line)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}
