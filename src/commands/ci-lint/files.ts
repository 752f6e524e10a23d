/** Finds and reads the CI configurations that `ci lint` checks: files, globs, standard input, or the one in the working directory. */

import { access, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { callOnAbort } from '../../base/async.js'
import { openReadable } from '../../base/files/files.js'
import { resolvePath } from '../../base/io.js'
import { quoteWord } from '../../base/shell-words.js'
import { trimTrailingSlashes } from '../../base/text.js'
import { decodeStrictly } from '../../base/utf8.js'
import type { WorkspaceService } from '../../engine/command/context.js'
import { Failure, getReason, usage } from '../../errors.js'

// Reading a configuration, with limits on its size and on the time without input.

/** The limits of a read, and the function that notes a wait. */
interface WaitOptions {
  /** The read fails after this number of seconds without input. */
  readonly timeout: number
  readonly signal: AbortSignal
  note(text: string): void
}

const maxBytes = 10 * 1024 * 1024
const quiet = 500

const createSizeFailure = (name: string): Failure =>
  usage(`${name} is larger than ${maxBytes / 1024 / 1024} MiB`)

const createReadFailure = (name: string, cause: unknown): Failure =>
  cause instanceof Failure
    ? cause
    : new Failure('usage', `cannot read ${name}: ${getReason(cause)}`, { cause })

/**
 * Reads a stream to its end.
 * @throws Failure `usage` if it is too large, or if there is no input for `timeout` seconds
 */
const readStream = async (
  stream: Readable,
  name: string,
  { timeout, signal, note }: WaitOptions,
): Promise<string> => {
  const chunks: Buffer[] = []
  let size = 0
  const timer = setTimeout(() => note(`waiting for input from ${name}`), quiet)
  const given = setTimeout(
    () => stream.destroy(usage(`no input from ${name} for ${timeout} s (--timeout)`)),
    timeout * 1000,
  )
  const forget = callOnAbort(signal, () => stream.destroy(signal.reason))
  try {
    signal.throwIfAborted()
    for await (const chunk of stream) {
      clearTimeout(timer)
      given.refresh()
      const bytes = Buffer.from(chunk)
      size += bytes.length
      if (size > maxBytes) throw createSizeFailure(name)
      chunks.push(bytes)
    }
    return decodeStrictly(Buffer.concat(chunks), name)
  } finally {
    forget()
    clearTimeout(timer)
    clearTimeout(given)
    stream.destroy()
  }
}

/**
 * Reads the text of a file, pipe or device.
 * @throws Failure `usage` if it cannot be read, is too large, or provides no input in time
 */
const readFileBounded = async (
  path: string,
  name: string,
  patience: WaitOptions,
): Promise<string> => {
  try {
    return await readStream(openReadable(path), name, patience)
  } catch (cause) {
    if (patience.signal.aborted) throw patience.signal.reason
    throw createReadFailure(name, cause)
  }
}

/**
 * Checks that a file exists and is not too large, before anything is sent.
 * @throws Failure `usage`
 */
const checkFile = async (path: string, name: string): Promise<void> => {
  try {
    const stats = await stat(path)
    if (stats.isDirectory())
      throw usage(
        `cannot read ${name}: it is a directory`,
        `Pass its files: ${quoteWord(`${trimTrailingSlashes(name)}/**/*.yml`)}`,
      )
    if (stats.isFile() && stats.size > maxBytes) throw createSizeFailure(name)
  } catch (cause) {
    throw createReadFailure(name, cause)
  }
}

/** A CI configuration to check. */
export interface LintSource {
  readonly name: string
  /** Reads the configuration, when it is this file's turn. */
  readonly content: (patience: WaitOptions) => Promise<string>
}

/** The files that are searched for, in this order, if no file is given. */
const defaultFiles = ['.gitlab-ci.yml', '.svc-ci.yml'] as const

const isGlob = (text: string): boolean => /[*?[\]{}]/.test(text)

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

const expand = async (cwd: string, pattern: string): Promise<string[]> => {
  if (!isGlob(pattern) || (await exists(join(cwd, pattern)))) return [pattern]
  const { glob } = await import('tinyglobby')
  const found = await glob(pattern, { cwd, dot: true, expandDirectories: false })
  if (found.length === 0) throw usage(`no file matches ${pattern}`)
  return found.sort()
}

/** The text of standard input, which is read once even if it is checked for several projects. */
const given = new WeakMap<Readable, Promise<string>>()

const readStandardText = (stream: Readable, patience: WaitOptions): Promise<string> => {
  const text = given.get(stream) ?? readStream(stream, 'standard input', patience)
  given.set(stream, text)
  return text
}

type Place = Pick<WorkspaceService, 'cwd' | 'stdin'>

const createSource = async ({ cwd, stdin }: Place, name: string): Promise<LintSource> => {
  if (name === '-') return { name, content: (patience) => readStandardText(stdin.open(), patience) }
  const path = resolvePath(name, cwd)
  await checkFile(path, name)
  return { name, content: (patience) => readFileBounded(path, name, patience) }
}

/**
 * Reads the configurations that the arguments name, each once; none if there are no arguments.
 * @throws Failure `usage` for a file that is missing or too large, or a glob that matches nothing
 */
export const readLintSources = async (
  place: Place,
  args: readonly string[],
): Promise<readonly LintSource[]> => {
  const { cwd } = place
  const names = new Map<string, string>()
  for (const arg of args)
    for (const name of arg === '-' ? ['-'] : await expand(cwd, arg)) {
      const key = name === '-' ? name : resolvePath(name, cwd)
      names.set(key, names.get(key) ?? name)
    }
  const sources: LintSource[] = []
  for (const name of names.values()) sources.push(await createSource(place, name))
  return sources
}

/** Reads the configuration of the working directory. */
export const findDefaultSource = async (place: Place): Promise<LintSource> => {
  for (const name of defaultFiles)
    if (await exists(join(place.cwd, name))) return createSource(place, name)
  throw usage(
    `there is no ${defaultFiles.join(' and no ')} in this directory`,
    'Pass a file name, or --project to check the configuration of a project.',
  )
}
