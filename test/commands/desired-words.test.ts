/** Tests the short forms that files may use, and the hints for mistakes: the nearest name, or the corrected line. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { publicKeys } from '../desired/exporting/writes.js'
import { useSharedSandbox } from '../sandbox/instance.js'
import { createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'

const { url } = useSharedSandbox()

/** Plans a file with this text below `version: 1`. */
const plan = async (text: string, flags = '') => {
  const cwd = createFolder()
  writeFileSync(join(cwd, 'f.yml'), `version: 1\n${text}\n`)
  const env = { SVC_TOKEN: 'sandbox-root-token', SVC_BASE_URL: url() }
  return svcctl(`plan f.yml${flags}`.split(' '), { cwd, env })
}
const buildProject = (text: string): string => `projects: {platform/app: {${text}}}`
const buildMembers = (text: string): string => `groups: {platform: {members: ${text}}}`

describe('a name that nothing has', () => {
  it.each([
    [
      'a setting',
      'site: {settings: {default_project_visibilty: x}}',
      'default_project_visibility?',
    ],
    ['a user', buildMembers('{evaa: {access_level: guest}}'), 'eva? Otherwise, write the ID'],
    [
      'an approver',
      buildProject('approval_rules: {Security: {user_ids: [bne]}}'),
      'ben? Otherwise',
    ],
    [
      'a group',
      buildProject('approval_rules: {Security: {group_ids: [platfrom/core]}}'),
      'platform/core?',
    ],
    ['a runner', buildProject('runners: {gpuu: {}}'), 'gpu? Otherwise, write the ID'],
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
    ['a level', buildMembers('{eva: developer}'), 'guest → developer'],
    ['a level by number', buildMembers('{eva: 30}'), 'guest → developer'],
    ['approvals', buildProject('approval_rules: {Security: 2}'), '1 → 2'],
    ['a key', buildProject(`deploy_keys: {robot: '${publicKeys[0]}'}`), '+ deploy_keys/robot'],
    ['an address', "site: {geo_nodes: {west: 'https://w.test/'}}", '+ geo_nodes/west'],
  ])('is the only one that is required: %s', async (_, text, shown) => {
    const { code, stdout, stderr } = await plan(text)
    expect([code, stdout, stderr]).toEqual([0, expect.stringContaining(shown), ''])
  })

  it.each([
    [
      buildMembers('{eva: develper}'),
      'f.yml:2:36: eva must be a map, a whole number, no-access, minimal,',
      'Did you mean developer?',
    ],
    [buildProject('pages_domains: {a.test: x}'), 'a.test must be a map, not text', ''],
    [buildProject('integrations: {slack: x}'), 'slack must be a map, not text', ''],
    [buildProject('runners: {gpu: x}'), 'gpu must be a map, not text', ''],
    [
      buildMembers('[eva, ben]'),
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
    buildProject(`approval_rules: {${name}: {rule_type: any_approver, approvals_required: 2}}`)
  const other = await plan(rule('Anyone'))
  expect(other.stdout).toMatch(
    /approval_rules\/Anyone\s+is the rule .* whose name is All members here/,
  )
  expect((await plan(rule('All members'))).stdout).not.toContain('is the rule')
})
