/** What the sample repositories hold: a few files, a few commits, branches that merge or conflict. */
import { addCommit, type Content, emptyContent, type Signature } from '../../git/content.js'
import type { CommitCard } from '../../state/ci.js'
import { ago } from '../origin.js'
import type { Step } from './app-history.js'
import { appBranches, appSteps } from './app-history.js'

export interface History {
  readonly content: Content
  /** Key of a step → commit as jobs show it. */
  readonly commits: ReadonlyMap<string, CommitCard>
}

const authors: Readonly<Record<Step['author'], Signature>> = {
  ana: { name: 'Ana Alves', email: 'ana@example.test' },
  ben: { name: 'Ben Baker', email: 'ben@example.test' },
  chi: { name: 'Chi Chen', email: 'chi@example.test' },
  dov: { name: 'Dov Dahan', email: 'dov@example.test' },
}

type Files = Record<string, string>

const changed = (before: Files, changes: Step['files']): Files => {
  const files = { ...before }
  for (const [path, text] of Object.entries(changes))
    if (text === null) delete files[path]
    else files[path] = text
  return files
}

const cardOf = (id: string, { author, message, days }: Step): CommitCard => ({
  id,
  short_id: id.slice(0, 8),
  title: message.split('\n')[0] ?? '',
  message: message.endsWith('\n') ? message : `${message}\n`,
  author_name: authors[author].name,
  author_email: authors[author].email,
  created_at: ago(days),
})

const build = (steps: readonly Step[], refs: Readonly<Record<string, string>>): History => {
  const content = emptyContent()
  const commits = new Map<string, CommitCard>()
  const trees = new Map<string, Files>()
  let last: string[] = []
  for (const step of steps) {
    const on = step.on ?? last
    const files = changed(trees.get(on[0] ?? '') ?? {}, step.files)
    const id = addCommit(content, {
      author: authors[step.author],
      date: ago(step.days),
      message: step.message,
      parents: on.flatMap((key) => commits.get(key)?.id ?? []),
      files,
    })
    trees.set(step.key, files)
    commits.set(step.key, cardOf(id, step))
    last = [step.key]
  }
  for (const [ref, key] of Object.entries(refs)) {
    const commit = commits.get(key)
    if (commit !== undefined) content.refs.set(ref, commit.id)
  }
  return { content, commits }
}

const pipeline = `stages: [build, test]

build:
  stage: build
  script:
    - make

check:
  stage: test
  script:
    - make check
`

/** A repository of three commits for a project that nothing special happens in. */
const plainSteps = (name: string, start: number): readonly Step[] => [
  {
    key: 'start',
    author: 'ana',
    days: start,
    message: `Start ${name}`,
    files: { 'README.md': `# ${name}\n` },
  },
  {
    key: 'ci',
    author: 'ben',
    days: start - 20,
    message: 'Build and check on every push',
    files: { '.gitlab-ci.yml': pipeline, Makefile: 'all:\n\t@echo done\ncheck:\n\t@echo fine\n' },
  },
  {
    key: 'head',
    author: 'chi',
    days: start - 40,
    message: 'Say what it is for',
    files: { 'README.md': `# ${name}\n\nPart of the sample data.\n` },
  },
]

const names: Readonly<Record<number, string>> = {
  2: 'Engine',
  3: 'Protocol',
  4: 'Cli',
  5: 'Deploy',
  6: 'Site',
  7: 'Shop',
  8: 'Docs',
  9: 'Legacy',
  10: 'Prototype',
  12: 'Dotfiles',
  13: 'Notes',
}

const siteSteps: readonly Step[] = [
  {
    key: 'banner',
    author: 'chi',
    days: 6,
    message: 'Show a banner',
    on: ['head'],
    files: { 'banner.html': '<p>Welcome</p>\n' },
  },
]

const make = (projectId: number): History | undefined => {
  if (projectId === 1) return build(appSteps, appBranches)
  if (projectId === 14)
    return build(appSteps, { 'refs/heads/main': 'head', 'refs/heads/from-fork': 'fork' })
  const name = names[projectId]
  if (name === undefined) return undefined
  const steps = plainSteps(name, 80 + projectId)
  return projectId === 6
    ? build([...steps, ...siteSteps], { 'refs/heads/main': 'head', 'refs/heads/banner': 'banner' })
    : build(steps, { 'refs/heads/main': 'head' })
}

const made = new Map<number, History | undefined>()

/** The history of a sample project; undefined for one whose repository is empty. */
export const getHistory = (projectId: number): History | undefined => {
  if (!made.has(projectId)) made.set(projectId, make(projectId))
  return made.get(projectId)
}

/** A commit of a sample project by the key of its step. */
export const getCommitCard = (projectId: number, key: string): CommitCard => {
  const commit = getHistory(projectId)?.commits.get(key)
  if (commit === undefined) throw new Error(`no commit ${key} in sample project ${projectId}`)
  return commit
}
