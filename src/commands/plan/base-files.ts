/** Reads the files at the merge base with another commit, from git and without a checkout, for `plan --against`. */

import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { runFile } from '../../base/processes.js'
import { quoteText } from '../../base/text.js'
import { comparePathBytes, documentName, type ReadText } from '../../desired/files/paths.js'
import { resolveLinks } from '../../desired/files/secret.js'
import type { WorkspaceService } from '../../engine/command/context.js'
import { getReason, usage } from '../../errors.js'

/** The maximum size of a file, and of the output of git, in bytes. Larger files are not read. */
const maxBytes = 4e6
const maxTogether = 512e6

type Git = ReturnType<typeof createGit>

/**
 * Creates a function that runs git. Its output is empty if git finds nothing, which git says by its exit code alone.
 * @throws Failure `usage` with the message of git, such as that of a repository that belongs to another user
 */
const createGit =
  ({ cwd, env }: Pick<WorkspaceService, 'cwd' | 'env'>) =>
  async (args: readonly string[], input?: string): Promise<Buffer> => {
    const how = { as: 'tool', env, cwd, input, maxBuffer: maxTogether } as const
    const { error, stdout, stderr } = await runFile('git', args, how)
    if (error === null) return stdout
    if (error.code === 1 && stderr.length === 0) return Buffer.alloc(0)
    const [message = getReason(error), ...rest] = stderr.toString().match(/\S.*/g) ?? []
    throw usage(
      `--against requires a git repository and the program git: ${message}`,
      rest.join(' ') || undefined,
    )
  }

const toLine = (bytes: Buffer): string | undefined => bytes.toString().trim() || undefined

/**
 * Finds the merge base of HEAD and a reference.
 * @throws Failure `usage` if the commit does not exist, or has no commit in common with HEAD
 */
const findMergeBase = async (git: Git, ref: string): Promise<string> => {
  const commit = toLine(
    await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]),
  )
  const hint = 'In a CI job, set the variable GIT_DEPTH to 0 to fetch all commits.'
  if (commit === undefined) throw usage(`--against: unknown commit ${quoteText(ref)}`, hint)
  const base = toLine(await git(['merge-base', commit, 'HEAD']))
  if (base === undefined)
    throw usage(`--against: HEAD has no commit in common with ${quoteText(ref)}`, hint)
  return base
}

/** Parses the list of a commit's regular files. Files that are too large are omitted. */
const parseTree = (bytes: Buffer) =>
  bytes
    .toString()
    .split('\0')
    .flatMap((line) => {
      const [, object = '', size = '', path] =
        /^100\d+ blob ([0-9a-f]+) +(\S+)\t([\s\S]+)$/.exec(line) ?? []
      return path === undefined || Number(size) > maxBytes ? [] : [{ path, object }]
    })

/**
 * Parses the output of `git cat-file --batch`. The contents are in the order of the requested objects.
 * @throws Failure `usage` if the repository lacks one of them
 */
const parseContents = (bytes: Buffer): readonly Buffer[] => {
  const all: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(10, at)
    const line = bytes.subarray(at, end).toString()
    const size = Number(/ (\d+)$/.exec(line)?.[1])
    if (Number.isNaN(size))
      throw usage(`--against: the git repository is damaged: ${line}`, 'Clone it again.')
    all.push(bytes.subarray(end + 1, end + 1 + size))
    at = end + size + 2
  }
  return all
}

const isDocument = (path: string): boolean =>
  documentName.test(path) &&
  !path.split('/').some((part) => part.startsWith('.') || part === 'node_modules')

/**
 * Returns the path of an input relative to the repository.
 * @throws Failure `usage` for a path outside of it
 */
const toRepositoryRelative = (top: string, cwd: string, input: string): string => {
  if (input === '-') throw usage('--against requires files of a git repository, not standard input')
  const path = relative(top, resolveLinks(resolve(cwd, input)))
  if (path.startsWith('..') || isAbsolute(path))
    throw usage(`--against: ${quoteText(input)} is outside of the repository`)
  return path
}

/** Returns the documents of an input, with their current names. */
const getDocuments = (
  input: string,
  at: string,
  all: ReadonlyMap<string, Buffer>,
): readonly ReadText[] => {
  const whole = all.get(at)
  if (whole !== undefined) return [{ path: input, folder: dirname(input), bytes: whole }]
  const above = at === '' ? '' : `${at}/`
  return [...all]
    .filter(([path]) => path.startsWith(above) && isDocument(path.slice(above.length)))
    .map(([path, bytes]) => ({ path: join(input, path.slice(above.length)), folder: input, bytes }))
    .sort(comparePathBytes)
}

/**
 * Reads the files of the inputs at the merge base.
 * @throws Failure `usage` outside of a repository, and for an unknown commit
 */
export const readFilesAtBase = async (
  place: Pick<WorkspaceService, 'cwd' | 'env'>,
  inputs: readonly string[],
  ref: string,
) => {
  const git = createGit(place)
  const top = toLine(await git(['rev-parse', '--show-toplevel'])) ?? ''
  const commit = await findMergeBase(git, ref)
  const paths = inputs.map((input) => ({ input, at: toRepositoryRelative(top, place.cwd, input) }))
  // The folders of the inputs are read, too, because documents may refer to files next to them.
  const roots = [...new Set(paths.map(({ at }) => (isDocument(at) ? dirname(at) : at || '.')))]
  const where = roots.includes('.') ? [] : ['--', ...roots]
  const tree = await git(['ls-tree', '-r', '-l', '-z', '--full-tree', commit, ...where])
  const files = parseTree(tree)
  const objects = files.map(({ object }) => `${object}\n`).join('')
  const contents = parseContents(await git(['cat-file', '--batch'], objects))
  const all = new Map(files.map(({ path }, i) => [path, contents[i] ?? Buffer.alloc(0)]))
  return {
    commit,
    texts: paths.flatMap(({ input, at }) => getDocuments(input, at, all)),
    /**
     * Returns the content of a file that a document refers to.
     * @throws Error if the file did not exist
     */
    open: (path: string): Buffer => {
      const bytes = all.get(toRepositoryRelative(top, place.cwd, path))
      if (bytes === undefined) throw new Error('it did not exist')
      return bytes
    },
  }
}
