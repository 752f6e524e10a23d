/** Writes trees and commits without a working copy, and moves branches. */
import { createHash, randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { badRequest } from '../reply.js'
import type { Person } from './read.js'
import type { Repository } from './repositories.js'

export interface TreeFile {
  readonly mode: string
  /** The blob; a commit for a submodule. */
  readonly id: string
}

/** All files of a commit's tree by their path; none for undefined. */
export const readTreeFiles = async (
  repository: Repository,
  commit: string | undefined,
): Promise<Map<string, TreeFile>> => {
  const files = new Map<string, TreeFile>()
  if (commit === undefined) return files
  const output = await repository.must(['ls-tree', '-r', '-z', '--full-tree', commit])
  for (const line of output.split('\0').filter((l) => l !== '')) {
    const tab = line.indexOf('\t')
    const [mode = '', , id = ''] = line.slice(0, tab).split(' ')
    files.set(line.slice(tab + 1), { mode, id })
  }
  return files
}

/** The ID under which git keeps the content of a file. */
export const blobId = (content: Buffer): string =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')

/** Writes the contents of files, however many, by one process. */
export const writeBlobs = async (
  repository: Repository,
  contents: Iterable<Buffer>,
): Promise<void> => {
  const input = [...contents].flatMap((content) => [
    Buffer.from(`blob\ndata ${content.length}\n`),
    content,
    Buffer.from('\n'),
  ])
  if (input.length > 0)
    await repository.must(['fast-import', '--quiet'], { input: Buffer.concat(input) })
}

/** Writes a tree of exactly these files; returns its ID. */
export const writeTree = async (
  repository: Repository,
  files: ReadonlyMap<string, TreeFile>,
): Promise<string> => {
  const index = join(repository.path, `index-${randomUUID()}`)
  const env = { GIT_INDEX_FILE: index }
  try {
    const lines = [...files].map(([path, { mode, id }]) => `${mode} ${id}\t${path}\0`)
    const read = ['update-index', '-z', '--index-info']
    const { code } = await repository.run(read, { env, input: lines.join('') })
    if (code !== 0) throw badRequest('invalid path')
    return await repository.must(['write-tree'], { env })
  } finally {
    await rm(index, { force: true })
  }
}

export interface NewCommit {
  readonly tree: string
  readonly parents: readonly string[]
  readonly message: string
  readonly author: Person
  readonly committer: Person
}

const dated = (date: string): string => `@${Math.floor(Date.parse(date) / 1000)} +0000`

/** Whether git finds nothing in a name: it strips white space and some punctuation. */
export const isNameless = (name: string): boolean => /^[\0-\x20.,:;<>"\\']*$/.test(name)

const named = (name: string, email: string): string => (isNameless(name) ? email : name)

export const writeCommit = (repository: Repository, commit: NewCommit): Promise<string> => {
  const { author, committer } = commit
  const env = {
    GIT_AUTHOR_NAME: named(author.name, author.email),
    GIT_AUTHOR_EMAIL: author.email,
    GIT_AUTHOR_DATE: dated(author.date),
    GIT_COMMITTER_NAME: named(committer.name, committer.email),
    GIT_COMMITTER_EMAIL: committer.email,
    GIT_COMMITTER_DATE: dated(committer.date),
  }
  const parents = commit.parents.flatMap((parent) => ['-p', parent])
  // Read from standard input without being told to, git takes a message as it is.
  return repository.must(['commit-tree', commit.tree, ...parents], { env, input: commit.message })
}

const nothing = '0'.repeat(40)

/** Moves a branch if it still stands where it stood; undefined for one that is not there. */
export const moveBranch = async (
  repository: Repository,
  branch: string,
  from: string | undefined,
  to: string,
): Promise<boolean> => {
  const args = ['update-ref', `refs/heads/${branch}`, to, from ?? nothing]
  return (await repository.run(args)).code === 0
}

export const isBranchName = async (repository: Repository, name: string): Promise<boolean> =>
  !name.startsWith('-') && (await repository.run(['check-ref-format', '--branch', name])).code === 0

/** Brings a commit with all it stands on from one repository into another. */
export const copyCommit = async (
  from: Repository,
  into: Repository,
  commit: string,
): Promise<void> => {
  if (from.path === into.path) return
  const pack = await from.read(['pack-objects', '--revs', '--stdout', '-q'], {
    input: `${commit}\n`,
  })
  await into.must(['unpack-objects', '-q'], { input: pack ?? Buffer.alloc(0) })
}
