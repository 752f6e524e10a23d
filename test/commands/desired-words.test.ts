/** What files may say in short, and what is said of a slip: the nearest name, or the line as it should be. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { publicKeys } from '../desired/exporting/writes.js'
import { sandbox } from '../sandbox/instance.js'
import { folder } from '../support/program.js'
import { svcctl } from '../support/within.js'

const { url } = sandbox()

/** `plan` of what stands below `version: 1`. */
const plan = async (text: string, flags = '') => {
  const cwd = folder()
  writeFileSync(join(cwd, 'f.yml'), `version: 1\n${text}\n`)
  const env = { SVC_TOKEN: 'sandbox-root-token', SVC_BASE_URL: url() }
  return svcctl(`plan f.yml${flags}`.split(' '), { cwd, env })
}
const app = (text: string): string => `projects: {platform/app: {${text}}}`
const members = (text: string): string => `groups: {platform: {members: ${text}}}`

describe('a name that nothing has', () => {
  it.each([
    [
      'a setting',
      'site: {settings: {default_project_visibilty: x}}',
      'default_project_visibility?',
    ],
    ['a user', members('{evaa: {access_level: guest}}'), 'eva? Otherwise, write the ID'],
    ['an approver', app('approval_rules: {Security: {user_ids: [bne]}}'), 'ben? Otherwise'],
    ['a group', app('approval_rules: {Security: {group_ids: [platfrom/core]}}'), 'platform/core?'],
    ['a runner', app('runners: {gpuu: {}}'), 'gpu? Otherwise, write the ID'],
    ['a project', 'projects: {platform/ap: {members: {}}}', 'platform/app?'],
    ['a group itself', 'groups: {platfrom: {members: {}}}', 'platform?'],
  ])('is told with the nearest: %s', async (_, text, near) => {
    const { code, stderr } = await plan(text)
    expect([code, stderr]).toEqual([2, expect.stringContaining(`Did you mean ${near}`)])
    expect(stderr).toMatch(/^svcctl: f\.yml:2:\d+: /)
  })
})

describe('a scalar in place of attributes', () => {
  it.each([
    ['a level', members('{eva: developer}'), 'guest → developer'],
    ['a level by number', members('{eva: 30}'), 'guest → developer'],
    ['approvals', app('approval_rules: {Security: 2}'), '1 → 2'],
    ['a key', app(`deploy_keys: {robot: '${publicKeys[0]}'}`), '+ deploy_keys/robot'],
    ['an address', "site: {geo_nodes: {west: 'https://w.test/'}}", '+ geo_nodes/west'],
  ])('is the only one that is required: %s', async (_, text, shown) => {
    const { code, stdout, stderr } = await plan(text)
    expect([code, stdout, stderr]).toEqual([0, expect.stringContaining(shown), ''])
  })

  it.each([
    [
      members('{eva: develper}'),
      'f.yml:2:36: eva must be a map, a whole number, no-access, minimal,',
      'Did you mean developer?',
    ],
    [app('pages_domains: {a.test: x}'), 'a.test must be a map, not text', ''],
    [app('integrations: {slack: x}'), 'slack must be a map, not text', ''],
    [app('runners: {gpu: x}'), 'gpu must be a map, not text', ''],
    [
      members('[eva, ben]'),
      'f.yml:2:30: members must be a map, not a list',
      'Write members: {eva: …, ben: …}.',
    ],
  ])('is refused where it is none: %s', async (text, why, hint) => {
    const { code, stderr } = await plan(text)
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)])
    expect(stderr).toContain(hint)
  })
})

it('merge keys are explained', async () => {
  const { code, stderr } = await plan(
    'projects:\n  platform/app:\n    approvals: &a {reset_approvals_on_push: true}\n  web/site:\n    approvals: {<<: *a}',
  )
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('f.yml:6:17: YAML 1.2 has no merge keys (<<)'),
  ])
})

it('what reaches no project is noted, where all of them are looked at', async () => {
  const approvals = 'projects: {approvals: {reset_approvals_on_push: true}}'
  const [lone, below] = [`defaults: {${approvals}}`, `groups: {'partners/**': {${approvals}}}`]
  expect((await plan(lone)).stderr).toContain(
    'f.yml:2:12: defaults matches no project: they apply only',
  )
  expect((await plan(below)).stderr).toContain('f.yml:2:10: partners/** matches no project')
  expect((await plan(`${lone}\n${below}`)).stderr.split('matches no project')).toHaveLength(3)
  expect((await plan(below, ' -P platform/app')).stderr).not.toContain('matches no')
  const reached = `${lone}\nprojects: {platform/app: {members: {}}}\ngroups: {'platform/**': {${approvals}}}`
  expect((await plan(reached)).stderr).toBe('')
})

it('the rule for any approver is shown by the name that it has', async () => {
  const rule = (name: string): string =>
    app(`approval_rules: {${name}: {rule_type: any_approver, approvals_required: 2}}`)
  const other = await plan(rule('Anyone'))
  expect(other.stdout).toMatch(
    /approval_rules\/Anyone\s+is the rule .* whose name is All members here/,
  )
  expect((await plan(rule('All members'))).stdout).not.toContain('is the rule')
})
