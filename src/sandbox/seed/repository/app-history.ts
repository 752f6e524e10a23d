/** The repository of `platform/app`, and what its fork adds. */

/** A step of the history of a sample repository: a commit, before it is made. */
export interface Step {
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

export const appSteps: readonly Step[] = [
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
export const appBranches: Readonly<Record<string, string>> = {
  'refs/heads/main': 'head',
  'refs/heads/stable': 'hotfix',
  'refs/heads/feature/login': 'login',
  'refs/heads/feature/logging': 'logging',
  'refs/heads/feature/draft': 'draft',
  'refs/heads/feature/auto': 'auto',
  'refs/tags/v1.0.0': 'v1',
}
