/** The repositories of the sample data: what `repositories.json` says of their commits, made into git objects. */
import { addCommit, type Content, createContent } from '../git/repositories.js'
import type { CommitHeader } from '../state/ci.js'
import repositories from './repositories.json' with { type: 'json' }

/** A commit before it is made. */
interface Step {
  /** The name by which other steps and the rows of the sample data refer to it. */
  readonly key: string
  readonly author: string
  /** The number of days before the moment that the sample data leads up to. */
  readonly days: number
  readonly message: string
  /** Keys of the parents; the step before when not given, none for the first. */
  readonly on?: readonly string[]
  /** The files that change against the first parent: path → text, or its lines. */
  readonly files: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** Full ref → key of the step it points to. */
type Refs = Readonly<Record<string, string>>

interface History {
  readonly content: Content
  /** Key of a step → commit as jobs show it. */
  readonly commits: ReadonlyMap<string, CommitHeader>
}

/** The moment that the sample data leads up to. It never moves: the same start gives the same data. */
const origin = Date.parse('2026-11-02T09:00:00.000Z')
const day = 86_400_000

const { app, authors, further, names, plain } = repositories
const own: Readonly<Record<string, { readonly refs: Refs } | undefined>> = repositories.projects
const people: Readonly<Record<string, { readonly name: string; readonly email: string }>> = authors
const titles: Readonly<Record<string, string>> = names
const additions: Readonly<
  Record<string, { readonly steps: readonly Step[]; readonly refs: Refs } | undefined>
> = further

const build = (steps: readonly Step[], refs: Refs): History => {
  const content = createContent()
  const commits = new Map<string, CommitHeader>()
  const trees = new Map<string, Record<string, string>>()
  let last: readonly string[] = []
  for (const { key, author, days, message, on = last, files } of steps) {
    const tree = { ...trees.get(on[0] ?? '') }
    for (const [path, text = ''] of Object.entries(files))
      tree[path] = typeof text === 'string' ? text : `${text.join('\n')}\n`
    const created_at = new Date(origin - days * day).toISOString()
    const person = people[author] ?? { name: author, email: '' }
    const parents = on.flatMap((parent) => commits.get(parent)?.id ?? [])
    const plan = { author: person, date: created_at, message, parents, files: tree }
    const id = addCommit(content, plan)
    trees.set(key, tree)
    commits.set(key, {
      id,
      short_id: id.slice(0, 8),
      title: message.split('\n')[0] ?? '',
      message: message.endsWith('\n') ? message : `${message}\n`,
      author_name: person.name,
      author_email: person.email,
      created_at,
    })
    last = [key]
  }
  for (const [ref, key] of Object.entries(refs)) {
    const commit = commits.get(key)
    if (commit !== undefined) content.refs.set(ref, commit.id)
  }
  return { content, commits }
}

/** Creates the steps of a repository without special events; the higher its project's ID, the older they are. */
const createPlainSteps = (projectId: number, title: string): readonly Step[] => {
  const steps: readonly Step[] = JSON.parse(JSON.stringify(plain).replaceAll('{name}', title))
  return steps.map((step) => ({ ...step, days: step.days + 40 + projectId }))
}

const make = (projectId: number): History | undefined => {
  const refs = own[projectId]?.refs
  if (refs !== undefined) return build(app, refs)
  const title = titles[projectId]
  if (title === undefined) return undefined
  const more = additions[projectId]
  const steps = [...createPlainSteps(projectId, title), ...(more?.steps ?? [])]
  return build(steps, { 'refs/heads/main': 'head', ...more?.refs })
}

const made = new Map<number, History | undefined>()

/** Returns the history of a sample project; undefined for one whose repository is empty. */
export const getHistory = (projectId: number): History | undefined => {
  if (!made.has(projectId)) made.set(projectId, make(projectId))
  return made.get(projectId)
}

/** Returns a commit of a sample project by the key of its step. */
export const getCommitCard = (projectId: number, key: string): CommitHeader => {
  const commit = getHistory(projectId)?.commits.get(key)
  if (commit === undefined) throw new Error(`no commit ${key} in sample project ${projectId}`)
  return commit
}
