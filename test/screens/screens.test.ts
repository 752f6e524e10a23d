/**
 * Tests whole screens at 80 and 140 columns (some at 40), kept as text under `golden/`. Review them when they change, and renew them
 * with `-u`.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { createFolder } from '../support/program.js'
import { createNullOutput, openScreen, type Screen, type ScreenLine } from '../support/screen.js'
import { toPicture } from './picture.js'

const getNow = () => new Date('2026-11-20T12:00:00Z')

/** The names of screens and the line or lines that are typed for each. */
const screens: Readonly<Record<string, string | readonly ScreenLine[]>> = {
  help: '--help',
  'help-command': 'runners update --help',
  'help-topic': 'help exit-codes',
  list: 'runners list --instance',
  'list-wide': 'mr list -P platform/app',
  'list-levels': 'members list -G platform',
  'list-nested': 'approvals rules list -P platform/app',
  'list-jobs': 'jobs list -P platform/app -L 6',
  'list-stacked': 'jobs list -G platform -L 3',
  'list-hidden':
    'runners list --instance -L 2 --fields id,description,runner_type,status,ip_address,active,is_shared,online,name,id,status',
  'auth-status': 'auth status',
  'journal-list': [{ line: 'runners pause 1 999 2 -q', stdout: createNullOutput }, 'journal list'],
  'list-more': 'projects list -L 3',
  'list-empty': 'issues list',
  'list-vulnerabilities': 'vulnerabilities list -P platform/app',
  events: 'events list -P platform/app -L 5',
  get: 'runners get 7',
  'get-request': "mr get 'platform/app!1'",
  'get-key': 'deploy-keys get 1 -P platform/app',
  'geo-status': 'geo status',
  overview: 'overview',
  check: 'check runners',
  'check-nagios': 'check certificates --warn 60d --crit 14d -o nagios',
  'jobs-why': 'jobs why 15 -P platform/app',
  lint: 'ci lint good.yml bad.yml broken.yml',
  bulk: 'runners pause 1 999 2 --journal run.ndjson',
  'dry-run': 'runners update 1 5 --description builder --no-active --dry-run',
  'dry-run-delete': 'deploy-keys delete 1 -P platform/app --dry-run',
  'dry-run-create':
    'approvals rules create --name QA --approvals-required 1 -P platform/app --dry-run',
  update: 'settings update --default-project-visibility internal --no-admin-mode',
  explain: 'explain runner-job',
  'not-found': 'runners get 999',
  unreachable: '--base-url http://127.0.0.1:9 --retries 1 runners list',
  usage: 'runners list --stauts online',
  plan: 'plan svcctl.yml',
  'plan-explain': "plan svcctl.yml --explain 'projects/platform/app:approval_rules'",
  'plan-mistakes': 'plan wrong.yml',
  drift: "drift svcctl.yml --only 'groups/*' --only approval_rules --ignore '*#user_ids'",
  question: 'runners disable 7 -P platform/app',
}

/** Screens that are also taken at a narrow terminal, and its columns. */
const narrowWidths = new Map([
  ['list', 40],
  ['list-wide', 40],
  ['get', 40],
  ['jobs-why', 40],
  ['plan-explain', 24],
])

const files: Readonly<Record<string, string>> = {
  'good.yml': 'build:\n  script: [make]\n',
  'bad.yml': 'build:\n  scrip: [make]\ntest:\n  stage: nowhere\n  script: [make]\n',
  'broken.yml': 'build:\n  script: [make\n',
  'svcctl.yml': `version: 1
site:
  settings: { default_project_visibility: internal, domain_allowlist: [example.com] }
groups:
  platform:
    members:
      chi: { access_level: maintainer }
defaults:
  projects:
    approval_rules:
      Security: { approvals_required: 3 }
projects:
  platform/app:
    approval_rules:
      Security: { approvals_required: 2, user_ids: [ana, chi] }
      Release: { approvals_required: 1, group_ids: [platform/core] }
      All members: null
    deploy_keys:
      deploy:
        key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN3FXXtqJIUKP2hbkPRAQMoMBUjsUnWWb7lHxS9H40mA ci
    resource_groups:
      nowhere: { process_mode: newest_first }
`,
  'wrong.yml': `version: 1
projects:
  platform/app:
    approval_rules:
      Security: { approvals_requird: 2 }
      New: { user_ids: [nobody] }
`,
}

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox({
    stateDir: createFolder(),
    now: getNow,
    speed: Number.POSITIVE_INFINITY,
  })
})

/** Replaces what differs from run to run by texts of the same width. */
const replaceVolatile = (screen: string): string =>
  screen
    .replace(/127\.0\.0\.1:\d{5}/g, '127.0.0.1:12345')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '00000000-0000-0000-0000-000000000000')
    .replace(/retrying in \d\.\d s/g, 'retrying in 0.5 s')
    .trimEnd()
    .concat('\n')

const takeScreen = async (
  lines: readonly ScreenLine[],
  columns: number,
  taken: (screen: Screen) => Promise<string>,
  before = '',
): Promise<string> => {
  const cwd = createFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
  // A token is only for the instance of the variables; it would not be sent to another address.
  const isElsewhere = lines.some(
    (line) => typeof line === 'string' && line.startsWith('--base-url'),
  )
  const screen = openScreen(lines, {
    cwd,
    columns,
    rows: 110,
    now: getNow,
    before,
    env: {
      SVC_BASE_URL: isElsewhere ? '' : sandbox.url,
      SVC_TOKEN: 'sandbox-root-token',
      SVC_PAGER: '',
    },
  })
  try {
    await screen.until(/^exit \d|\(y\/N\)/m)
    return await taken(screen)
  } finally {
    await screen.close()
    await sandbox.close()
  }
}

const takeText = (line: string | readonly ScreenLine[], columns: number): Promise<string> =>
  takeScreen([line].flat(), columns, async (screen) => replaceVolatile(await screen.screen()))

/** The line in the picture of the README. */
const picturedLine = 'overview'

const takePicture = (columns: number): Promise<string> =>
  takeScreen(
    [picturedLine],
    columns,
    async (screen) => {
      const coloured = replaceVolatile(await screen.coloured()).replace(/exit 0\n*$/, '')
      return toPicture(coloured, `svcctl ${picturedLine}`)
    },
    `\x1b[32m$\x1b[0m svcctl ${picturedLine}\n\n`,
  )

describe('the screen of', () => {
  describe.each(Object.entries(screens))('%s', (name, line) => {
    it.each([narrowWidths.get(name) ?? [], 80, 140].flat())('at %d columns', async (columns) => {
      await expect(await takeText(line, columns)).toMatchFileSnapshot(
        `golden/${name}-${columns}.txt`,
      )
    })
  })

  it('is the picture of the README', async () => {
    await expect(await takePicture(92)).toMatchFileSnapshot('../../.github/overview.svg')
  })
})
