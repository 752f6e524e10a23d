/** The files of a line as they were at the merge base with another commit: read from git, without a checkout. */
import { realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { runFile } from '../../base/processes.js'
import { quoteText } from '../../base/text.js'
import { byPathBytes, documentName, type ReadText } from '../../desired/files/parse.js'
import type { WorkspaceService } from '../../engine/command/services.js'
import { usage } from '../../errors.js'

/** Larger files are no documents, nor anything that one names. */
const maxBytes = 4e6
const maxTogether = 512e6

type Git = ReturnType<typeof gitIn>

const gitIn =
  ({ cwd, env }: Pick<WorkspaceService, 'cwd' | 'env'>) =>
  async (args: readonly string[], input?: string): Promise<Buffer | undefined> => {
    const how = { as: 'tool', env, cwd, input, maxBuffer: maxTogether } as const
    const { error, stdout } = await runFile('git', args, how)
    return error === null ? stdout : undefined
  }

const lineOf = (bytes: Buffer | undefined): string | undefined =>
  bytes?.toString().trim() || undefined

/** @throws Failure `usage` where there is no such commit, or nothing in common with it */
const baseOf = async (git: Git, ref: string): Promise<string> => {
  const commit = lineOf(
    await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]),
  )
  const hint = 'In a CI job, set the variable GIT_DEPTH to 0 to fetch all commits.'
  if (commit === undefined) throw usage(`--against: unknown commit ${quoteText(ref)}`, hint)
  const base = lineOf(await git(['merge-base', commit, 'HEAD']))
  if (base === undefined)
    throw usage(`--against: HEAD has no commit in common with ${quoteText(ref)}`, hint)
  return base
}

/** Regular files of a commit that are not too large. */
const listed = (bytes: Buffer) =>
  bytes
    .toString()
    .split('\0')
    .flatMap((line) => {
      const [, object = '', size = '', path] =
        /^100\d+ blob ([0-9a-f]+) +(\d+)\t([\s\S]+)$/.exec(line) ?? []
      return path === undefined || Number(size) > maxBytes ? [] : [{ path, object }]
    })

/** What `git cat-file --batch` says of each object, in the order in which they were asked for. */
const contentsIn = (bytes: Buffer): readonly Buffer[] => {
  const all: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(10, at)
    const size = Number(/ (\d+)$/.exec(bytes.subarray(at, end).toString())?.[1] ?? 0)
    all.push(bytes.subarray(end + 1, end + 1 + size))
    at = end + size + 2
  }
  return all
}

const isDocument = (path: string): boolean =>
  documentName.test(path) &&
  !path.split('/').some((part) => part.startsWith('.') || part === 'node_modules')

/** Where an input stands in the repository. @throws Failure `usage` for one that is outside of it */
const insideOf = (top: string, cwd: string, input: string): string => {
  if (input === '-') throw usage('--against requires files of a git repository, not standard input')
  const path = relative(top, join(realpathSync(cwd), relative(cwd, resolve(cwd, input))))
  if (path.startsWith('..') || isAbsolute(path))
    throw usage(`--against: ${quoteText(input)} is outside of the repository`)
  return path
}

/** The documents that an input names, called as they are now. */
const textsOf = (
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
    .sort(byPathBytes)
}

/**
 * The files as they were.
 * @throws Failure `usage` outside of a repository, and where there is no such commit
 */
export const filesAtBase = async (
  place: Pick<WorkspaceService, 'cwd' | 'env'>,
  inputs: readonly string[],
  ref: string,
) => {
  const git = gitIn(place)
  const top = lineOf(await git(['rev-parse', '--show-toplevel']))
  if (top === undefined) throw usage('--against requires a git repository and the program git')
  const commit = await baseOf(git, ref)
  const paths = inputs.map((input) => ({ input, at: insideOf(top, place.cwd, input) }))
  // Files that others name stand beside them.
  const roots = [...new Set(paths.map(({ at }) => (isDocument(at) ? dirname(at) : at || '.')))]
  const where = roots.includes('.') ? [] : ['--', ...roots]
  const tree = await git(['ls-tree', '-r', '-l', '-z', '--full-tree', commit, ...where])
  const files = listed(tree ?? Buffer.alloc(0))
  const objects = files.map(({ object }) => `${object}\n`).join('')
  const contents = contentsIn((await git(['cat-file', '--batch'], objects)) ?? Buffer.alloc(0))
  const all = new Map(files.map(({ path }, i) => [path, contents[i] ?? Buffer.alloc(0)]))
  return {
    commit,
    texts: paths.flatMap(({ input, at }) => textsOf(input, at, all)),
    /** What a file that they name held. @throws an Error in words for one that was not there */
    open: (path: string): Buffer => {
      const bytes = all.get(insideOf(top, place.cwd, path))
      if (bytes === undefined) throw new Error('it did not exist')
      return bytes
    },
  }
}
