/** Provides the files, journals and plans that examples, recipes and recorded lines name. */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../src/base/version.js'
import { header } from '../engine/work/header.js'

const ciKey =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN3FXXtqJIUKP2hbkPRAQMoMBUjsUnWWb7lHxS9H40mA ci\n'
const robotKey =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICoS6+d5khSc162e66Mf1y02Paf7xqFPI+Qs29NEEi0O robot\n'

/** Two jobs of the same resource group. */
const groupedJobs = ['one', 'two']
  .map((name) => `deploy ${name}:\n  script: [make]\n  resource_group: production\n`)
  .join('')

/** An instance's own vocabulary. */
export const sampleWords = 'vocabulary: 1\nnames: { can_push: may_write, title: label }\n'

/** The files that examples, recipes and other lines name. */
export const sampleFiles: Readonly<Record<string, string>> = {
  '.gitlab-ci.yml': 'build:\n  script: [make]\n',
  'deploy/site.yml': 'deploy:\n  script: [make deploy]\n',
  'ci/deploy.yml': 'deploy:\n  script: [make deploy]\n',
  'bad.yml': 'build:\n  scrip: [make]\ntest:\n  stage: nowhere\n  script: [make]\n',
  'grouped.yml': groupedJobs,
  'README.md': 'What it is for.\n',
  'ci.pub': ciKey,
  'robot.pub': robotKey,
  'work.yml': 'vocabulary: 1\nnames: { can_push: may_write }\n',
  'words.yml': sampleWords,
  'openapi.yml': 'openapi: 3.0.0\npaths:\n  /users:\n    get: { summary: List users }\n',
  'daily.yml': 'extension: daily\ncommands:\n  users list: GET /users\n',
  'token.txt': 'sandbox-root-token\n',
  'people.csv': 'id,access_level,expires_at\n1,developer,2036-01-31\n5,reporter,\n6,guest,\n',
  'policy.yml':
    'policy: 1\nrules:\n  - { name: private, list: projects list, where: visibility=public }\n',
  'settings.yml':
    'version: 1\nsite:\n  settings: { default_project_visibility: internal, admin_mode: true }\n',
  'svcctl.yml': [
    'version: 1',
    'projects:',
    '  platform/app:',
    '    approval_rules: { Security: { approvals_required: 1 } }',
    '',
  ].join('\n'),
  'members.yml':
    'version: 1\nprojects:\n  platform/app:\n    members:\n      gus: { access_level: maintainer }\n      eva: { access_level: guest }\n',
}

/** Builds the journal of a run that paused one runner and did not find another. */
export const buildSampleJournal = (instance: string): string =>
  [
    { ...header, instance, version, user: 'root', values: { active: false } },
    { n: 1, object: '1', state: 'queued' },
    { n: 2, object: '999', state: 'queued' },
    { n: 1, object: '1', state: 'done', before: { active: true }, after: { active: false } },
    { n: 2, object: '999', state: 'failed', category: 'not_found', message: '404' },
    { input: 'complete', total: 2 },
    { end: 'completed', counts: { done: 1, unchanged: 0, failed: 1, unknown: 0, not_tried: 0 } },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')

/** Writes the planned runs that examples name. */
export const writeSamplePlans = (
  config: string,
  url: string,
  now: Date,
  profile: string | null = null,
): void => {
  const runs = join(config, 'state', 'runs')
  mkdirSync(runs, { recursive: true })
  const expires = new Date(now.getTime() + 3_600_000).toISOString()
  for (const time of ['080000', '090000']) {
    const id = `20261201T${time}-runners-pause`
    const by = { instance: url, profile, user: 'root', sudo: null, version }
    const options = { args: [], flags: {} }
    const planned = { by: 'agent', reason: 'noise', expires }
    const lines = [
      { ...header, id, ...by, began: now.toISOString(), options, planned },
      {
        n: 1,
        object: '1',
        state: 'queued',
        before: { active: true },
        after: { active: false },
        sends: 'PUT /runners/1',
      },
      { input: 'complete', total: 1 },
    ]
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    writeFileSync(join(runs, `planned-${id}.ndjson`), text, { mode: 0o600 })
  }
}

/** The list of a snapshot with one runner, as in its manifest and its progress file. */
export const sampleList = {
  kind: 'runners',
  line: 'runners list',
  route: 'GET /runners',
  filter: {},
  file: 'runners.ndjson',
  records: 1,
  sha256: createHash('sha256').update('{"id":1}\n').digest('hex'),
  parents: [{ name: '', records: 1, at: 0, bytes: 9 }],
}
