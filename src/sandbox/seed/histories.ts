/** Creates the git objects of the sample repositories from the commits that `repositories.json` declares. */
import { dayLength } from '../../base/dates.js'
import { addCommit, type Content, createContent } from '../git/repositories.js'
import type { CommitHeader } from '../state/ci.js'
import repositories from './repositories.json' with { type: 'json' }

/** The declaration of a commit. */
interface Step {
  /** The key by which other steps and the rows of the sample data refer to the commit. */
  readonly key: string
  readonly author: string
  /** The number of days before the end of the sample data (`origin`). */
  readonly days: number
  readonly message: string
  /** The keys of the parents. If absent, the parent is the step before, and the first step has none. */
  readonly on?: readonly string[]
  /** The files that differ from the first parent: their texts or lines, by path. */
  readonly files: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** The keys of the steps to which refs point, by the full name of the ref. */
type Refs = Readonly<Record<string, string>>

interface History {
  readonly content: Content
  /** The commits in the form that jobs present, by the key of the step. */
  readonly commits: ReadonlyMap<string, CommitHeader>
}

/** The time of the newest sample data. It is constant, so that every new instance has the same data. */
const origin = Date.parse('2026-11-02T09:00:00.000Z')

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
    const created_at = new Date(origin - days * dayLength).toISOString()
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

/** Creates the steps of a repository without declared ones. Projects with higher IDs have older commits. */
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

/** Returns the history of a sample project; undefined if its repository is empty. */
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
