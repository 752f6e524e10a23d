/** Real bare repositories, one a project, driven by the `git` program. */
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AsyncCache } from '../../base/async.js'
import { runFile } from '../../base/processes.js'
import { Failure, getErrorCode } from '../../errors.js'
import { badRequest, Refusal, unavailable } from '../reply.js'
import { type Content, writeContent } from './content.js'

export interface GitOptions {
  readonly input?: string | Buffer
  readonly env?: Readonly<Record<string, string>>
}

export interface GitOutcome {
  readonly code: number
  readonly stdout: Buffer
  readonly stderr: string
}

/** Nothing of the user's own configuration has a say. */
const isolated = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  LC_ALL: 'C.UTF-8',
  TZ: 'UTC',
} as const

/** The longest text that goes to a program as an argument; Linux takes 128 KiB. */
const longest = 100_000

const checkTexts = (texts: readonly string[]): void => {
  if (texts.some((text) => text.length > longest)) throw badRequest('a value is too long')
  if (texts.some((text) => text.includes('\0'))) throw badRequest('a value holds a NUL')
}

const start = async (args: readonly string[], { input, env }: GitOptions): Promise<GitOutcome> => {
  checkTexts([...args, ...Object.values(env ?? {})])
  const { error, stdout, stderr } = await runFile('git', args, {
    as: 'bare',
    env: process.env,
    more: { ...isolated, ...env },
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

/** Whether the git program is there. Without it everything is served but what needs a repository. */
export const hasGit = async (): Promise<boolean> => {
  try {
    return (await start(['--version'], {})).code === 0
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

export class Repository {
  #turn: Promise<unknown> = Promise.resolve()

  constructor(readonly path: string) {}

  /** Runs a piece of work that moves refs; such pieces follow one another. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work, work)
    this.#turn = mine.catch(() => {})
    return mine
  }

  /** Runs `git <args>` in the repository, whatever its exit code. */
  run(args: readonly string[], options: GitOptions = {}): Promise<GitOutcome> {
    return start(['--git-dir', this.path, ...args], options)
  }

  /** Standard output of `git <args>`; undefined when it failed. */
  async read(args: readonly string[], options: GitOptions = {}): Promise<Buffer | undefined> {
    const { code, stdout } = await this.run(args, options)
    return code === 0 ? stdout : undefined
  }

  /** Standard output as text without the last line break; undefined when it failed. */
  async line(args: readonly string[], options: GitOptions = {}): Promise<string | undefined> {
    return (await this.read(args, options))?.toString('utf8').trimEnd()
  }

  /** Standard output as text of a command that has to work. */
  async must(args: readonly string[], options: GitOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options)
    if (code !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr.trim()}`)
    return stdout.toString('utf8').trimEnd()
  }
}

export class Repositories {
  readonly #opened = new AsyncCache<number, Repository>()

  constructor(
    private readonly root: string,
    /** What a project's repository begins with; undefined for an empty one. */
    private readonly content: (projectId: number) => Promise<Content | undefined>,
  ) {}

  /** The repository of a project, created on first use. */
  open(project: { readonly id: number; readonly default_branch: string }): Promise<Repository> {
    return this.#opened.of(project.id, () => this.#create(project.id, project.default_branch))
  }

  /** Forgets all of them: each is made anew at its next use. */
  async remove(): Promise<void> {
    this.#opened.clear()
    await rm(this.root, { recursive: true, force: true })
  }

  /** Made under another name and renamed, so that a half-made one is never found. */
  async #create(id: number, branch: string): Promise<Repository> {
    const path = join(this.root, `${id}.git`)
    if (existsSync(path)) return new Repository(path)
    const { rename } = await import('node:fs/promises')
    await mkdir(this.root, { recursive: true })
    const draft = join(this.root, `.${id}.${process.pid}.git`)
    const made = await start(['init', '--quiet', '--bare', '-b', branch, draft], {})
    if (made.code !== 0)
      throw new Failure('failed', `git init failed for project ${id}: ${made.stderr.trim()}`)
    const content = await this.content(id)
    if (content !== undefined) await writeContent(draft, content)
    await rename(draft, path)
    return new Repository(path)
  }
}
