/** What the sample repositories hold: a few files, a few commits, branches that merge or conflict. */
import { addCommit, type Content, emptyContent, type Signature } from '../git/content.js'
import type { CommitCard } from '../state/ci.js'
import { ago } from './origin.js'

// The repository of `platform/app`, and what its fork adds.

/** A step of the history of a sample repository: a commit, before it is made. */
interface Step {
  readonly key: string
  readonly author: 'ana' | 'ben' | 'chi' | 'dov'
  readonly days: number
  readonly message: string
  /** Keys of the parents; the step before when not given, none for the first. */
  readonly on?: readonly string[]
  /** What changes against the first parent: path → text, null for a file that goes. */
  readonly files: Readonly<Record<string, string | null>>
}

const configuration = `include:
  - local: /ci/test.yml

stages: [build, test, deploy]

variables:
  REGION: north

.base:
  image: alpine:3.19
  before_script:
    - echo "on $REGION"

build:
  extends: .base
  stage: build
  script:
    - ./scripts/build.sh
  artifacts:
    paths: [dist]
    expire_in: 1 week

deploy:
  extends: .base
  stage: deploy
  script:
    - ./scripts/deploy.sh
  needs: [build]
  environment: production
  resource_group: production
  when: manual
`

const tests = `unit:
  stage: test
  script:
    - make test
  needs: [build]

lint:
  stage: test
  script:
    - make lint
  allow_failure: true
`

const app = (lines: readonly string[]): string => `${lines.join('\n')}\n`
const first = ['name = app', 'log = plain', 'retry = 1', 'port = 8080', 'greeting = hello']
const retried = first.with(2, 'retry = 3').with(1, 'log = json')

const appSteps: readonly Step[] = [
  {
    key: 'start',
    author: 'ana',
    days: 400,
    message: 'Start the application',
    files: {
      'README.md': '# App\n\nThe application.\n',
      LICENSE: 'MIT\n',
      'src/app.txt': app(first.slice(0, 4)),
      '.gitlab-ci.yml': configuration,
      'ci/test.yml': tests,
    },
  },
  {
    key: 'build',
    author: 'ben',
    days: 360,
    message: 'Add the build script',
    files: { 'scripts/build.sh': '#!/bin/sh\nmkdir -p dist && cp src/* dist\n' },
  },
  {
    key: 'greet',
    author: 'chi',
    days: 320,
    message:
      'Greet whoever comes\n\nA word of welcome is polite.\n\nReviewed-by: Ben Baker <ben@example.test>',
    files: { 'src/app.txt': app(first) },
  },
  {
    key: 'guide',
    author: 'ana',
    days: 300,
    message: 'Explain how to run it',
    files: { 'docs/guide.md': '# Guide\n\nRun `make`, then `make run`.\n' },
  },
  {
    key: 'v1',
    author: 'ben',
    days: 200,
    message: 'Release 1.0.0',
    files: { 'CHANGELOG.md': '## 1.0.0\n\n- First release\n' },
  },
  {
    key: 'limits',
    author: 'chi',
    days: 120,
    message: 'Limit concurrent jobs',
    files: { 'src/limits.txt': 'jobs = 10\n' },
  },
  {
    key: 'retry',
    author: 'ben',
    days: 60,
    message: 'Retry three times, log as JSON',
    files: { 'src/app.txt': app(retried) },
  },
  {
    key: 'search',
    author: 'chi',
    days: 50,
    message: 'Search by name',
    on: ['limits'],
    files: { 'src/search.txt': 'by = name\n' },
  },
  {
    key: 'merge',
    author: 'ben',
    days: 40,
    message:
      "Merge branch 'feature/search' into 'main'\n\nSearch by name\n\nSee merge request platform/app!3",
    on: ['retry', 'search'],
    files: { 'src/search.txt': 'by = name\n' },
  },
  {
    key: 'head',
    author: 'ana',
    days: 10,
    message: 'Say what the limits mean\n\nSigned-off-by: Ana Alves <ana@example.test>',
    files: { 'docs/guide.md': '# Guide\n\nRun `make`, then `make run`.\n\nTen jobs at once.\n' },
  },
  {
    key: 'login-1',
    author: 'chi',
    days: 30,
    message: 'Let people sign in',
    on: ['limits'],
    files: { 'src/login.txt': 'method = password\n' },
  },
  {
    key: 'login',
    author: 'chi',
    days: 28,
    message: 'Let people sign out',
    files: { 'src/login.txt': 'method = password\nsession = 8h\n' },
  },
  {
    key: 'logging',
    author: 'dov',
    days: 25,
    message: 'Log as text, retry five times',
    on: ['limits'],
    files: { 'src/app.txt': app(first.with(1, 'log = text').with(2, 'retry = 5')) },
  },
  {
    key: 'draft',
    author: 'chi',
    days: 5,
    message: 'Try another port',
    on: ['head'],
    files: { 'src/app.txt': app(retried.with(3, 'port = 9090')) },
  },
  {
    key: 'auto',
    author: 'ben',
    days: 4,
    message: 'Thank contributors',
    on: ['head'],
    files: { 'CONTRIBUTORS.md': '- Ana\n- Ben\n- Chi\n' },
  },
  {
    key: 'hotfix',
    author: 'ben',
    days: 90,
    message: 'Close the port by default',
    on: ['v1'],
    files: { 'src/app.txt': app(first.with(3, 'port = 0')) },
  },
  {
    key: 'fork',
    author: 'ben',
    days: 8,
    message: 'Translate the greeting',
    on: ['merge'],
    files: { 'src/greetings.txt': 'de = hallo\npt = olá\n' },
  },
]

/** Full ref → key of the step it points to. */
const appBranches: Readonly<Record<string, string>> = {
  'refs/heads/main': 'head',
  'refs/heads/stable': 'hotfix',
  'refs/heads/feature/login': 'login',
  'refs/heads/feature/logging': 'logging',
  'refs/heads/feature/draft': 'draft',
  'refs/heads/feature/auto': 'auto',
  'refs/tags/v1.0.0': 'v1',
}

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
