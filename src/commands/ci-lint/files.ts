/** Which configurations are checked: files, globs, standard input, or the one in the directory. */
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure, reasonOf, usage } from '../../errors.js'

export interface Source {
  readonly name: string
  readonly content: string
}

/** Looked for in this order when no file is given. */
export const defaultFiles = ['.gitlab-ci.yml', '.svc-ci.yml'] as const

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

/**
 * The sources that the arguments name; an empty list when there are none.
 * @throws Failure `usage` for a file that cannot be read or a glob that matches nothing
 */
export const sourcesOf = async (
  cwd: string,
  args: readonly string[],
  stdin: () => Promise<string>,
): Promise<readonly Source[]> => {
  const names: string[] = []
  for (const arg of args)
    for (const name of arg === '-' ? ['-'] : await expand(cwd, arg)) {
      if (!names.includes(name)) names.push(name)
    }
  const sources: Source[] = []
  for (const name of names)
    sources.push({ name, content: name === '-' ? await stdin() : await read(cwd, name) })
  return sources
}

const read = async (cwd: string, name: string): Promise<string> => {
  try {
    const path = name.startsWith('/') ? name : join(cwd, name)
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new Failure('usage', `cannot read ${name}: ${reasonOf(cause)}`, { cause })
  }
}

/** The configuration of the working directory. */
export const defaultSource = async (cwd: string): Promise<Source> => {
  for (const name of defaultFiles)
    if (await exists(join(cwd, name))) return { name, content: await read(cwd, name) }
  throw usage(
    `there is no ${defaultFiles.join(' and no ')} in this directory`,
    'Name the file, or give --project to check the configuration of a project.',
  )
}
