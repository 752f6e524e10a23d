/** Manages the bare git repositories of the projects, and creates those of the sample data at their first use. */

import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import { AsyncCache } from '../../base/async.js'
import type { Environment } from '../../base/io.js'
import { runFile } from '../../base/processes.js'
import { Failure, getErrorCode } from '../../errors.js'
import { badRequest, Refusal, unavailable } from '../reply.js'

interface ProcessOptions {
  readonly input?: string | Buffer
  readonly env?: Readonly<Record<string, string>>
}

interface GitOptions extends ProcessOptions {
  /** The full hashes of the only objects that a question is about, and nothing else in the repository. Its answer is remembered. */
  readonly about?: readonly string[]
}

interface GitOutcome {
  readonly code: number
  readonly stdout: Buffer
  readonly stderr: string
}

/** The variables that keep the user's own configuration from changing what git does. */
const isolated = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  LC_ALL: 'C.UTF-8',
  TZ: 'UTC',
} as const

/** The maximum length of an argument for git. Linux permits 128 KiB. */
const longest = 100_000

const checkTexts = (texts: readonly string[]): void => {
  if (texts.some((text) => text.length > longest)) throw badRequest('a value is too long')
  if (texts.some((text) => text.includes('\0'))) throw badRequest('a value holds a NUL')
}

const start = async (
  env: Environment,
  args: readonly string[],
  { input, env: more }: ProcessOptions,
): Promise<GitOutcome> => {
  checkTexts([...args, ...Object.values(more ?? {})])
  const { error, stdout, stderr } = await runFile('git', args, {
    as: 'bare',
    env,
    more: { ...isolated, ...more },
    maxBuffer: 256 * 1024 * 1024,
    input,
  })
  if (getErrorCode(error) === 'ENOENT') throw unavailable('git is not installed on this machine')
  if (error !== null && typeof error.code !== 'number')
    throw new Failure('failed', `git ${args[0] ?? ''} could not be run: ${error.message}`, {
      hint: 'The embedded instance needs the git program (2.38 or later) on the PATH.',
      cause: error,
    })
  const code = typeof error?.code === 'number' ? error.code : 0
  return { code, stdout, stderr: stderr.toString('utf8') }
}

/** True if the git program exists. Without it, the instance serves all requests that need no repository. */
export const hasGit = async (env: Environment): Promise<boolean> => {
  try {
    return (await start(env, ['--version'], {})).code === 0
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

/** The answers to questions about objects alone. A hash stands for the same content in every repository that has the object. */
const answers = new Map<string, GitOutcome>()
const maxAnswers = 1000
const longestAnswer = 65_536

/** Remembers an answer: a result, or a "no" (1). Any other code is an error. */
const remember = (question: string, answer: GitOutcome): void => {
  if (answer.code > 1 || answer.stdout.length > longestAnswer) return
  if (answers.size >= maxAnswers) answers.clear()
  answers.set(question, answer)
}

const isHash = (text: string): boolean => /^[0-9a-f]{40}$/.test(text)

const getObjectPath = (repository: string, id: string): string =>
  join(repository, 'objects', id.slice(0, 2), id.slice(2))

export class Repository {
  #turn: Promise<unknown> = Promise.resolve()

  constructor(
    readonly path: string,
    private readonly env: Environment,
  ) {}

  /** Runs a function that moves branches. Such functions run one after the other. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work, work)
    this.#turn = mine.catch(() => {})
    return mine
  }

  /** True if the repository has an object in a file of its own. */
  #hasObject(id: string): boolean {
    return isHash(id) && existsSync(getObjectPath(this.path, id))
  }

  /** Runs `git <args>` in the repository, and returns the outcome even if git fails. */
  async run(args: readonly string[], { about, ...options }: GitOptions = {}): Promise<GitOutcome> {
    const isRemembered = about?.every((id) => this.#hasObject(id)) === true
    const question = args.join('\0')
    const known = isRemembered ? answers.get(question) : undefined
    if (known !== undefined) return known
    const answer = await start(this.env, ['--git-dir', this.path, ...args], options)
    if (isRemembered) remember(question, answer)
    return answer
  }

  /** Reads the hash in the file of a branch; undefined if the branch has no file. */
  async readBranch(name: string): Promise<string | undefined> {
    // Git refuses such names, which may lead to other files.
    if (/(?:^|\/)\.|\/\/|\.\.|\0/.test(name)) return undefined
    const text = await readFile(join(this.path, 'refs', 'heads', name), 'utf8').catch(() => '')
    return isHash(text.trimEnd()) ? text.trimEnd() : undefined
  }

  /** Returns the standard output of `git <args>`; undefined if git fails. */
  async read(args: readonly string[], options: GitOptions = {}): Promise<Buffer | undefined> {
    const { code, stdout } = await this.run(args, options)
    return code === 0 ? stdout : undefined
  }

  /** Returns the standard output as text, without line breaks at its end; undefined if git fails. */
  async line(args: readonly string[], options: GitOptions = {}): Promise<string | undefined> {
    return (await this.read(args, options))?.toString('utf8').trimEnd()
  }

  /** Returns the standard output as text. @throws Error if git fails */
  async must(args: readonly string[], options: GitOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options)
    if (code !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr.trim()}`)
    return stdout.toString('utf8').trimEnd()
  }
}

/** The configuration that `git init --bare` writes. */
const bareConfig = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n'

export class Repositories {
  readonly #opened = new AsyncCache<number, Repository>()

  constructor(
    private readonly root: string,
    /** Returns the initial content of a project's repository; undefined if the repository is empty. */
    private readonly content: (projectId: number) => Promise<Content | undefined>,
    /** The variables of git. */
    private readonly env: Environment,
  ) {}

  /** Returns the repository of a project, and creates it at its first use. */
  open(project: { readonly id: number; readonly default_branch: string }): Promise<Repository> {
    return this.#opened.of(project.id, () => this.#create(project.id, project.default_branch))
  }

  /** Deletes all repositories. Each is created again at its next use. */
  async remove(): Promise<void> {
    this.#opened.clear()
    await rm(this.root, { recursive: true, force: true })
  }

  /** Creates a repository under another name and renames it, so that no process finds an incomplete one. */
  async #create(id: number, branch: string): Promise<Repository> {
    const path = join(this.root, `${id}.git`)
    if (existsSync(path)) return new Repository(path, this.env)
    await mkdir(this.root, { recursive: true })
    const draft = join(this.root, `.${id}.${process.pid}.git`)
    for (const folder of ['objects', 'refs/heads', 'refs/tags'])
      await mkdir(join(draft, folder), { recursive: true })
    await writeFile(join(draft, 'HEAD'), `ref: refs/heads/${branch}\n`)
    await writeFile(join(draft, 'config'), bareConfig)
    const content = await this.content(id)
    if (content !== undefined) await writeContent(draft, content)
    await rename(draft, path)
    return new Repository(path, this.env)
  }
}

// Git objects that are computed without git. The sample data can so refer to commits before their repository exists.

interface Signature {
  readonly name: string
  readonly email: string
}

interface CommitPlan {
  readonly author: Signature
  /** The time of the commit as an ISO 8601 string. Fractions of a second are dropped. */
  readonly date: string
  readonly message: string
  readonly parents: readonly string[]
  /** All files of the tree: their texts, by path. */
  readonly files: Readonly<Record<string, string>>
}

export interface Content {
  /** The loose objects with their headers, by ID. */
  readonly objects: Map<string, Buffer>
  /** The commits, by the full name of the ref (`refs/heads/main`). */
  readonly refs: Map<string, string>
}

export const createContent = (): Content => ({ objects: new Map(), refs: new Map() })

/** Adds an object. @returns its ID */
const addObject = ({ objects }: Content, type: string, body: Buffer): string => {
  const object = Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body])
  const id = createHash('sha1').update(object).digest('hex')
  objects.set(id, object)
  return id
}

interface Entry {
  readonly name: string
  readonly mode: string
  readonly id: string
}

/** Returns the name by which git sorts an entry: that of a directory has a slash at its end. */
const sortName = ({ name, mode }: Entry): string => (mode === '40000' ? `${name}/` : name)

export interface TreeFile {
  readonly mode: string
  /** The ID of the blob, or that of the commit for a submodule. */
  readonly id: string
}

/** Adds the content of a file. @returns its ID */
export const addBlob = (content: Content, bytes: Buffer): string =>
  addObject(content, 'blob', bytes)

/** Adds a tree with exactly these files, and the trees of their folders. @returns its ID */
export const addTree = (content: Content, files: ReadonlyMap<string, TreeFile>): string => {
  const below = new Map<string, Map<string, TreeFile>>()
  const entries: Entry[] = []
  for (const [path, file] of files) {
    const slash = path.indexOf('/')
    if (slash === -1) {
      entries.push({ name: path, ...file })
      continue
    }
    const folder = path.slice(0, slash)
    const inside = below.get(folder) ?? new Map<string, TreeFile>()
    below.set(folder, inside.set(path.slice(slash + 1), file))
  }
  for (const [name, inside] of below)
    entries.push({ name, mode: '40000', id: addTree(content, inside) })
  entries.sort((a, b) => Buffer.compare(Buffer.from(sortName(a)), Buffer.from(sortName(b))))
  const lines = entries.map(({ name, mode, id }) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
  )
  return addObject(content, 'tree', Buffer.concat(lines))
}

/** Adds a commit with its tree and its files. @returns its ID */
export const addCommit = (content: Content, plan: CommitPlan): string => {
  const files = Object.entries(plan.files).map(([path, text]): [string, TreeFile] => [
    path,
    { mode: path.endsWith('.sh') ? '100755' : '100644', id: addBlob(content, Buffer.from(text)) },
  ])
  return addTreeCommit(content, addTree(content, new Map(files)), plan)
}

/** Adds a commit of a tree that exists. @returns its ID */
export const addTreeCommit = (
  content: Content,
  tree: string,
  { author, date, message, parents }: Omit<CommitPlan, 'files'>,
): string => {
  const who = `${author.name} <${author.email}> ${Math.floor(Date.parse(date) / 1000)} +0000`
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${who}`,
    `committer ${who}`,
    '',
    message.endsWith('\n') ? message : `${message}\n`,
  ]
  return addObject(content, 'commit', Buffer.from(lines.join('\n')))
}

/** Writes a file under another name and renames it, so that no process finds an incomplete one. */
const writeAtomically = async (path: string, data: string | Buffer): Promise<void> => {
  await mkdir(dirname(path), { recursive: true })
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, data)
  await rename(draft, path)
}

const squeeze = promisify(deflate)

/** Writes objects into a bare repository, except those that exist. */
export const writeObjects = async (path: string, { objects }: Content): Promise<void> => {
  for (const [id, object] of objects) {
    const at = getObjectPath(path, id)
    if (!existsSync(at)) await writeAtomically(at, await squeeze(object))
  }
}

/** Writes objects and refs into a bare repository. */
const writeContent = async (path: string, content: Content): Promise<void> => {
  await writeObjects(path, content)
  for (const [name, id] of content.refs) await writeAtomically(join(path, name), `${id}\n`)
}
