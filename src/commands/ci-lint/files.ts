/** Which configurations are checked: files, globs, standard input, or the one in the directory. */
import { access } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { usage } from '../../errors.js'
import { standardInput } from '../../terminal/streams/standard.js'
import { checkFile, type Patience, readFileBounded, readStream } from './input.js'

export interface Source {
  readonly name: string
  /** Reads it, when it is its turn. */
  readonly content: (patience: Patience) => Promise<string>
}

/** Looked for in this order when no file is given. */
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

/** What standard input gave: it is read once, for however many projects it is checked. */
const given = new WeakMap<Readable, Promise<string>>()

const standardText = (patience: Patience): Promise<string> => {
  const stream = standardInput()
  const text = given.get(stream) ?? readStream(stream, 'standard input', patience)
  given.set(stream, text)
  return text
}

const sourceOf = async (cwd: string, name: string): Promise<Source> => {
  if (name === '-') return { name, content: standardText }
  const path = resolve(cwd, name)
  await checkFile(path, name)
  return { name, content: (patience) => readFileBounded(path, name, patience) }
}

/**
 * The sources that the arguments name; an empty list when there are none.
 * @throws Failure `usage` for a file that is not there or too large, or a glob that matches nothing
 */
export const sourcesOf = async (
  cwd: string,
  args: readonly string[],
): Promise<readonly Source[]> => {
  const names = new Set<string>()
  for (const arg of args)
    for (const name of arg === '-' ? ['-'] : await expand(cwd, arg)) names.add(name)
  const sources: Source[] = []
  for (const name of names) sources.push(await sourceOf(cwd, name))
  return sources
}

/** The configuration of the working directory. */
export const defaultSource = async (cwd: string): Promise<Source> => {
  for (const name of defaultFiles) if (await exists(join(cwd, name))) return sourceOf(cwd, name)
  throw usage(
    `there is no ${defaultFiles.join(' and no ')} in this directory`,
    'Name the file, or give --project to check the configuration of a project.',
  )
}
