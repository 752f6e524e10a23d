/** Tests that only a written null deletes: a value that YAML reads as null although nobody wrote it is rejected. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useSharedSandbox } from '../sandbox/instance.js'
import { createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { startProxy } from './front.js'

const { url } = useSharedSandbox()

/** Runs a line about a file, in a folder of its own. */
const runLine = async (line: string, text: string, name = 'svcctl.yml') => {
  const front = await startProxy(url)
  const cwd = createFolder()
  writeFileSync(join(cwd, name), text)
  const env = { SVC_TOKEN: 'sandbox-root-token', SVC_BASE_URL: front.base }
  return { ...(await svcctl(line.split(' '), { cwd, env })), written: front.written() }
}
const buildMembers = (eva: string): string => `version: 1\ngroups:\n  labs:\n    members:\n${eva}\n`
const buildSecurityRule = (said: string): string =>
  `version: 1\nprojects:\n  platform/app:\n    approval_rules:\n      Security:\n${said}\n`

describe('a key with nothing behind it', () => {
  const item = 'eva has no value'
  it.each([
    ['nothing', buildMembers('      eva:'), `5:7: ${item}`],
    ['a comment', buildMembers('      eva: # { access_level: guest }'), `5:7: ${item}`],
    ['commented lines', buildMembers('      eva:\n#        access_level: guest'), `5:7: ${item}`],
    ['an anchor', buildMembers('      eva: &a'), `5:7: ${item}`],
    ['what an alias names', buildMembers('      dov: &a\n      eva: *a'), `6:7: ${item}`],
    ['a flow map', 'version: 1\ngroups: { labs: { members: { eva } } }\n', `2:30: ${item}`],
    ['an explicit key', buildMembers('      ? eva'), `5:9: ${item}`],
    ['a bare tag', buildMembers('      eva: !!null'), `5:7: ${item}`],
    ['a tag and no text', buildMembers("      eva: !!null ''"), `5:7: ${item}`],
    ['an attribute', buildSecurityRule('        user_ids:'), '6:9: user_ids has no value'],
    [
      'a member of a list',
      buildSecurityRule('        user_ids:\n          - ana\n          -'),
      '8:12: an item of this list has no value',
    ],
    [
      'a setting',
      'version: 1\nsite:\n  settings:\n    after_sign_up_text:\n',
      '4:5: after_sign_up_text has no value',
    ],
    [
      'a value within a value',
      'version: 1\nsite:\n  settings:\n    repository_storages_weighted: { default: }\n',
      '4:37: default has no value',
    ],
  ])('is refused: %s', async (_, text, said) => {
    const { code, stderr, written } = await runLine('apply svcctl.yml --yes', text)
    expect([code, stderr, written]).toEqual([2, expect.stringContaining(`svcctl.yml:${said}`), []])
  })
})

it.each(['null', '~', 'Null', 'NULL', '!!null null', '!!null ~', '&a null'])(
  'written as %s removes',
  async (said) => {
    const { code, stdout } = await runLine('plan svcctl.yml', buildMembers(`      eva: ${said}`))
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 to delete')])
  },
)

it('removes in JSON, and by an alias of a written null', async () => {
  const json = '{"version": 1, "groups": {"labs": {"members": {"eva": null}}}}'
  expect((await runLine('plan a.json', json, 'a.json')).stdout).toContain('1 to delete')
  const alias = buildMembers('      dov: &gone null\n      eva: *gone').replace('dov', '"1"')
  expect((await runLine('plan svcctl.yml', alias)).stdout).toContain('1 to delete')
})

it.each([
  ["'null'", 'svcctl.yml:5:12: '],
  ['{}', undefined],
])('is nothing of the kind: %s', async (said, why) => {
  const { code, stdout, stderr } = await runLine(
    'plan svcctl.yml',
    buildMembers(`      eva: ${said}`),
  )
  if (why === undefined)
    expect([code, stdout]).toEqual([0, expect.stringContaining('nothing to do')])
  else expect([code, stderr]).toEqual([2, expect.stringContaining(why)])
})

describe('an empty text clears nothing: null does', () => {
  const member = (text: string): string =>
    `version: 1\nprojects: {platform/app: {members: {gus: {access_level: developer, ${text}}}}}\n`
  const integration = (family: string, text: string): string =>
    `version: 1\nprojects: {platform/app: {integrations: {x: {family: ${family}, ${text}}}}}\n`
  const setting = (text: string): string => `version: 1\nsite: {settings: {${text}}}\n`

  it.each([
    [member("expires_at: ''"), 'expires_at must not be empty'],
    [member('expires_at: ""'), 'Write null to clear it.'],
    [integration('simple-webhook', "webhook: ''"), 'source of a secret must not be empty'],
    [integration('task-tracker', "api_key: ''"), 'source of a secret must not be empty'],
    [
      integration('task-tracker', "api_key: {env: HOOK}, restrict_to_branch: ''"),
      'restrict_to_branch must not be empty',
    ],
    [
      integration('task-tracker', "api_key: {env: HOOK}, restrict_to_branch: [main, '']"),
      'restrict_to_branch must not be empty',
    ],
    [integration('ci-server', "token: {env: HOOK}, drone_url: ''"), 'drone_url must not be empty'],
    [setting("asset_proxy_url: ''"), 'asset_proxy_url must not be empty'],
    [setting("abuse_notification_email: ''"), 'abuse_notification_email must not be empty'],
    [
      setting("archive_builds_in_human_readable: ''"),
      'archive_builds_in_human_readable must not be empty',
    ],
    [setting("asset_proxy_allowlist: ''"), 'asset_proxy_allowlist must not be empty'],
    [setting("domain_allowlist: ['']"), 'an item of domain_allowlist must not be empty'],
    [setting("spamsvc_api_key: ''"), 'source of a secret must not be empty'],
    [
      setting("external_pipeline_validation_service_token: ''"),
      'source of a secret must not be empty',
    ],
    [setting("signup_enabled: ''"), 'signup_enabled must be true or false, not an empty value'],
    [setting("max_import_size: ''"), 'max_import_size must be a number, not an empty value'],
  ])('%s', async (text, why) => {
    const { code, stderr, written } = await runLine('apply svcctl.yml --yes', text)
    expect([code, stderr, written]).toEqual([2, expect.stringContaining(why), []])
  })

  it.each([
    [setting('abuse_notification_email: null'), 'abuse@example.test → unset'],
    [setting('after_sign_up_text: hello'), "'' → hello"],
    [setting("after_sign_up_text: ''"), 'nothing to do'],
    [setting('asset_proxy_allowlist: []'), '- example.test'],
    [member('expires_at: null'), 'nothing to do'],
  ])('%s is planned', async (text, what) => {
    const { code, stdout } = await runLine('plan svcctl.yml', text)
    expect([code, stdout]).toEqual([0, expect.stringContaining(what)])
  })
})
