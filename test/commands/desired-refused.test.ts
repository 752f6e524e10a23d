/** Tests that a plan rejects values that the instance rejects, or that it accepts without an error and does not keep. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useSharedSandbox } from '../sandbox/instance.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { type Hook, startProxy } from './front.js'

const { send, url } = useSharedSandbox()
const app = 'projects/platform/app'

/** Writes a file below `version: 1`, and returns a function that runs lines about it. */
const createLineRunner = async (text: string, hook?: Hook) => {
  const front = await startProxy(url, hook)
  const cwd = createFolder()
  writeFileSync(join(cwd, 'f.yml'), `version: 1\n${text}\n`)
  const env = { SVC_TOKEN: 'sandbox-root-token', SVC_BASE_URL: front.base }
  return (line: string) => svcctl(line.split(' '), { cwd, env })
}
const buildMember = (level: string, place = app): string => {
  const [scope = '', ...path] = place.split('/')
  return `${scope}: {${path.join('/')}: {members: {eva: {access_level: ${level}}}}}`
}

describe('a level', () => {
  it.each([
    ['owner', 'f.yml:2:43: access_level in a project must be one of guest,'],
    ['35', 'f.yml:2:43: access_level in a project must be one of guest,'],
    ['minimal', 'f.yml:2:43: access_level in a project must be one of guest,'],
  ])('is one that a project gives: not %s', async (level, why) => {
    const { code, stderr } = await (await createLineRunner(buildMember(level)))('plan f.yml')
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)])
  })

  it('is one that a group gives', async () => {
    const odd = await (await createLineRunner(buildMember('35', 'groups/platform')))('plan f.yml')
    expect([odd.code, odd.stderr]).toEqual([2, expect.stringContaining('owner, not 35')])
    const least = await (await createLineRunner(buildMember('minimal', 'groups/platform')))(
      'plan f.yml',
    )
    expect([least.code, least.stdout]).toEqual([0, expect.stringContaining('guest → minimal')])
  })

  it('is a note where the instance is known to be newer than the documents', async () => {
    const ofVersion =
      (version: string): Hook =>
      ({ url: asked }, response) => {
        if (!asked.endsWith('/version')) return false
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ version }))
        return true
      }
    const planned = async (version: string, level: string) => {
      const front = await startProxy(url, ofVersion(version))
      const cwd = createFolder()
      writeFileSync(join(cwd, 'f.yml'), `version: 1\n${buildMember(level)}\n`)
      const env = { SVC_CONFIG_DIR: createConfiguration(), SVC_NO_KEYRING: '1' }
      const login = `auth login work --base-url ${front.base} --token-stdin`
      const input = 'sandbox-root-token\n'
      expect(await svcctl(login.split(' '), { cwd, env, input })).toMatchObject({ code: 0 })
      return svcctl(['plan', 'f.yml'], { cwd, env })
    }
    const newer = await planned('14.9.3', 'owner')
    expect([newer.code, newer.stderr]).toEqual([0, ''])
    expect(newer.stdout).toContain('does not offer owner in a project, but this instance is newer')
    expect(newer.stdout).toContain('1 to create')
    expect((await planned('14.9.3', '35')).code).toBe(2)
    expect((await planned('14.5.9', 'owner')).code).toBe(2)
  })

  it('may be any that is there already', async () => {
    const isList: Hook = ({ url: asked }, response) => {
      if (!/\/projects\/[^/]+\/members\?/.test(asked)) return false
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('[{"id":6,"username":"eva","access_level":35,"expires_at":null}]')
      return true
    }
    const same = await (await createLineRunner(buildMember('35'), isList))('plan f.yml')
    expect([same.code, same.stdout]).toEqual([0, expect.stringContaining('nothing to do; 1')])
  })
})

describe('who approves', () => {
  const rule = (users: string, more = ''): string =>
    `projects: {platform/app: {${more}approval_rules: {Security: {user_ids: [${users}]}}}}`
  const said = (user: string): string =>
    `approval_rules/Security#user_ids   approvers must be members of the project, and this one is not: ${user}`

  it('has to be a member, or is left out', async () => {
    const run = await createLineRunner(rule('ana, ben, fay'))
    expect((await run('plan f.yml')).stdout).toContain(said('fay'))
    expect((await run('plan f.yml')).stdout).toContain('nothing to do; 1 impossible')
    const applied = await (await createLineRunner(rule('ana, fay')))('apply f.yml --yes')
    expect([applied.code, applied.stdout]).toEqual([0, expect.stringContaining('- ben')])
    expect(applied.stdout).toContain(said('fay'))
  })

  it('may be a member by the same plan, and not one who leaves by it', async () => {
    const joins = rule('fay', 'members: {fay: {access_level: developer}}, ')
    const planned = await (await createLineRunner(joins))('plan f.yml')
    expect([planned.stdout, planned.stdout.includes('impossible')]).toEqual([
      expect.stringContaining('+ fay'),
      false,
    ])
    const leaves = `${rule('eva')}\ngroups: {platform: {members: {eva: null}}}`
    expect((await (await createLineRunner(leaves))('plan f.yml')).stdout).toContain(said('eva'))
  })

  it('makes no rule that too few could approve', async () => {
    const rules = [
      'None: {approvals_required: 1, user_ids: [ana, chi]}',
      'Few: {approvals_required: 2, user_ids: [eva, chi]}',
      'Group: {approvals_required: 2, user_ids: [chi], group_ids: [labs]}',
    ]
    const text = `projects: {labs/sensors: {approval_rules: {${rules.join(', ')}}}}`
    const run = await createLineRunner(text)
    const { code, stdout } = await run('apply f.yml --yes')
    expect([code, stdout]).toEqual([0, expect.stringContaining('Plan: 1 to create; 3 impossible;')])
    expect(stdout).toContain(
      'these are not: ana, chi; too few are left to approve, so the rule is not created',
    )
    expect(stdout).toContain(
      'this one is not: chi; too few are left to approve, so the rule is not created',
    )
    const { body } = await send('GET /projects/labs%2Fsensors/approval_rules')
    expect(body.map(({ name }) => name)).toEqual(['Group'])
  })

  it.each([
    ['by a null', '{labs/sensors: {members: {chi: null}, approval_rules: RULE}}', ''],
    [
      'by an exact set',
      '{labs/sensors: {members: {$exact: true, ana: guest}, approval_rules: RULE}}',
      '',
    ],
    [
      'by a group above',
      '{labs/sensors: {approval_rules: RULE}}',
      'groups: {labs: {members: {chi: null}}}',
    ],
  ])('and leaves %s is told of, though the rule stays as it is', async (_, projects, groups) => {
    const place = groups === '' ? 'projects/labs%2Fsensors' : 'groups/labs'
    for (const user_id of [2, 4])
      await send(`POST /${place}/members`, { json: { user_id, access_level: 10 } })
    const created = { name: 'Flip', approvals_required: 1, user_ids: [4] }
    await send('POST /projects/labs%2Fsensors/approval_rules', { json: created })
    const rule = '{Flip: {approvals_required: 1, user_ids: [chi]}}'
    const run = await createLineRunner(`projects: ${projects.replace('RULE', rule)}\n${groups}`)
    const { code, stdout } = await run('apply f.yml --yes')
    const finding = 'approval_rules/Flip#user_ids   approvers must be members of the project, and'
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(`! ${finding} this one is not: chi`),
    ])
    // The next plan still reports the approver who is not eligible.
    expect((await run('plan f.yml')).stdout).toContain('does not list them as eligible: chi')
    const fails = await run('plan f.yml --fail-on impossible')
    expect(fails.code).toBe(8)
  })

  it('is not known where the project is shared with groups, and is sent', async () => {
    const { body } = await send('GET /projects/platform%2Fapp')
    const shared: Hook = ({ method, url: asked }, response) => {
      if (method !== 'GET' || !/\/projects\/platform%2Fapp(?:\?|$)/.test(asked)) return false
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ ...body, shared_with_groups: [{ group_id: 5 }] }))
      return true
    }
    const { stdout } = await (await createLineRunner(rule('fay'), shared))('plan f.yml')
    expect(stdout).toContain('+ fay')
    expect(stdout).toMatch(/\? .*shared with groups, so svcctl cannot tell whether fay may approve/)
  })
})

const buildProject = (text: string, path = 'platform/app'): string =>
  `projects: {${path}: {${text}}}`
const buildSettings = (text: string): string => `site: {settings: {${text}}}`
const buildGeoNodes = (text: string): string => `site: {geo_nodes: {${text}}}`
const buildRunner = (name: string, text: string): string =>
  `site: {runners: [{match: {description: ${name}}, set: {${text}}}]}`
const hook = 'family: chat-webhook, webhook: {env: HOOK}'
const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIC6yD2mlIRgmyZvFPGkn4Cdyc8N+EhUUpU0wIlFcpnnw'
const long = 'x'.repeat(256)

describe('a value that the instance refuses has its place in the file', () => {
  it.each([
    [buildProject(`integrations: {Slack: {${hook}}}`), '2:42: slug must be a name of lower'],
    [buildProject(`integrations: {Slack: {${hook}}}`), 'Did you mean slack?'],
    [buildProject('integrations: {"Our Chat": null}'), ''],
    [buildProject('pages_domains: {bücher.example: {}}'), 'Did you mean xn--bcher-kva.example?'],
    [buildProject('pages_domains: {"https://a.example/": {}}'), 'Did you mean a.example?'],
    [buildProject('pages_domains: {localhost: {}}'), '2:43: domain must be a domain name such as'],
    [buildProject(`deploy_keys: {a: {title: " ", key: ${key}}}`), 'title must be text that is not'],
    [buildProject(`deploy_keys: {${long}: {key: ${key}}}`), 'at most 255 characters long, not a'],
    [
      buildProject('approval_rules: {" ": {approvals_required: 1}}'),
      '2:44: name must be text that',
    ],
    [
      buildProject('integrations: {emails-on-push: {recipients: [a@b.example, nobody]}}'),
      '2:59: recipients must be email addresses, separated by spaces or commas, not "a@b.example n',
    ],
    [
      buildProject('integrations: {m: {family: monitoring, api_key: {env: HOOK}, api_url: here}}'),
      'api_url must be a URL that begins with http:// or https://, not "here"',
    ],
    [
      buildProject(
        'pages_domains: {a.example: {certificate: "-----BEGIN CERTIFICATE-----\\nAAAA\\n-----END CERTIFICATE-----", key: {env: HOOK}}}',
      ),
      'certificate must be certificates that can be read, not a value of 58 characters',
    ],
    [
      buildProject('approval_rules: {All members: {approvals_required: 1, user_ids: [ana]}}'),
      'rule_type any_approver cannot be combined with user_ids',
    ],
    [
      buildProject(
        'approval_rules: {A: {rule_type: any_approver, approvals_required: 1}, B: {rule_type: any_approver, approvals_required: 1}}',
        'labs/sensors',
      ),
      'B: it is the rule for any approver, of which there is one, and f.yml:2:44 says A',
    ],
    [
      buildSettings('archive_builds_in_human_readable: 3 hours'),
      '2:19: archive_builds_in_human_re',
    ],
    [buildSettings('abuse_notification_email: nobody'), 'must be an email address, not "nobody"'],
    [
      buildSettings('asset_proxy_url: ftp://a.example'),
      'asset_proxy_url must be a URL that begins',
    ],
    [buildSettings('asset_proxy_enabled: true'), 'true requires asset_proxy_url, which is not set'],
    [
      buildSettings('domain_denylist_enabled: true, domain_denylist: []'),
      'domain_denylist_enabled true requires domain_denylist, which is not set',
    ],
    // For a setting that is known only from the instance's answer, the type is checked.
    [
      buildSettings('signup_enabled: perhaps'),
      '2:19: signup_enabled must be true or false, not "per',
    ],
    [buildSettings('max_attachment_size: [1]'), 'max_attachment_size must be a number, not [1]'],
    [buildSettings('repository_storages: 7'), 'repository_storages must be a list, not 7'],
    [
      buildRunner('web-builder', 'run_untagged: false'),
      'run_untagged false requires tag_list, which',
    ],
    [buildSettings('signup_enabled: null'), 'signup_enabled cannot be unset'],
    [
      buildGeoNodes('north: {enabled: false}'),
      'primary true cannot be combined with enabled false',
    ],
    // These IDs belong to no object.
    [buildProject("members: {'99': developer}"), '2:37: there is no user with the ID 99'],
    [buildProject("runners: {'1': {}}"), '2:37: there is no runner of projects with the ID 1'],
    [
      buildProject("approval_rules: {B: {approvals_required: 1, group_ids: ['999']}}"),
      'there is no group with the ID 999',
    ],
    [
      buildProject("approval_rules: {B: {approvals_required: 1, protected_branch_ids: ['77']}}"),
      'there is no branch with the ID 77',
    ],
    [
      buildProject(
        'pages_domains: {a.example: {auto_ssl_enabled: true}, A.example: {auto_ssl_enabled: true}}',
      ),
      'auto_ssl_enabled is set twice at this level',
    ],
    [
      buildGeoNodes('south: {files_max_capacity: -1}'),
      'files_max_capacity must be at least 0, not -1',
    ],
    [buildGeoNodes('south: {minimum_reverification_interval: 0}'), 'must be at least 1, not 0'],
    [buildGeoNodes('east: {url: east.example}'), 'url must be a URL that begins with'],
    [
      buildGeoNodes('south: {primary: true}'),
      'only one can have this value of primary, and the instance says north',
    ],
    [
      buildGeoNodes('a: {url: https://A.example}, b: {url: https://a.example/}'),
      'f.yml:2:53: site:geo_nodes/b: only one can have this url, and f.yml:2:24 says a',
    ],
  ])('%s', async (text, why) => {
    const run = await createLineRunner(text)
    for (const line of ['plan f.yml', 'drift f.yml']) {
      const { code, stderr } = await run(line)
      if (why === '') expect([line, code, stderr]).toEqual([line, 0, ''])
      else expect([line, code, stderr]).toEqual([line, 2, expect.stringContaining(why)])
    }
  })

  it.each([
    [
      buildProject('members: {gus: {access_level: developer, expires_at: 2020-01-01}}'),
      'members/gus',
    ],
    [
      buildProject('members: {fay: {access_level: developer, expires_at: 2020-01-01}}'),
      'members/fay',
    ],
  ])('a day that is over is impossible: %s', async (text, name) => {
    const run = await createLineRunner(text)
    const { code, stdout } = await run('apply f.yml --yes')
    expect([code, stdout]).toEqual([0, expect.stringContaining('nothing to do; 1 impossible')])
    expect(stdout).toContain(`! ${name}`)
    expect(stdout).toContain('expires_at must be a day after today, not 2020-01-01 (f.yml:2:')
  })

  it('a secret that is required may be there already: no answer shows it', async () => {
    const finding =
      'spamsvc_enabled requires spamsvc_api_key: declare it, unless the instance has it'
    const { code, stdout } = await (await createLineRunner(buildSettings('spamsvc_enabled: true')))(
      'plan f.yml',
    )
    expect([code, stdout]).toEqual([0, expect.stringContaining(finding)])
  })

  it('a domain of another project is impossible, unless it leaves by the same plan', async () => {
    const text = buildProject('pages_domains: {old.example.test: {}}')
    const { stdout } = await (await createLineRunner(text))('plan f.yml')
    expect(stdout).toContain('the project with the ID 8 has it: remove it there first')
    const move = `${text.slice(0, -1)}, web/docs: {pages_domains: {old.example.test: null}}}`
    const moved = await (await createLineRunner(move))('plan f.yml')
    expect(moved.stdout).toContain('Plan: 1 to create, 1 to delete;')
  })

  it('stays where it is there already, however it is written', async () => {
    const text = buildGeoNodes('south: {url: "HTTPS://SOUTH.example.test:443"}')
    const { code, stdout } = await (await createLineRunner(text))('plan f.yml')
    expect([code, stdout]).toEqual([0, expect.stringContaining('nothing to do; 1 unchanged')])
  })
})

it('a former name that the files declare is refused, with both places', async () => {
  const run = await createLineRunner(
    'projects: {platform/app: {approval_rules: {New: {approvals_required: 1, previously: [Security]}}}}\ngroups: {platform/**: {projects: {approval_rules: {Security: {approvals_required: 2}}}}}',
  )
  const { code, stderr } = await run('plan f.yml')
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(
      'f.yml:2:44: previously contains Security, which is declared at f.yml:3:52',
    ),
  ])
})

it.each(['{}', '{"message": "welcome"}', '[]'])(
  'an answer without a documented field is not read: %s',
  async (body) => {
    const empty: Hook = ({ url: asked }, response) => {
      if (!/\/approvals$|\/application\/settings$/.test(asked)) return false
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(body)
      return true
    }
    const text = `projects: {platform/app: {members: {}, approvals: {reset_approvals_on_push: true}}}\nsite: {settings: {after_sign_up_text: x}}`
    const { code, stdout } = await (await createLineRunner(text, empty))('plan f.yml')
    expect([code, stdout]).toEqual([8, expect.stringContaining('nothing to do; 2 not read')])
  },
)

describe('one object under two names', () => {
  const app = (text: string) => `projects: {platform/app: ${text}}`
  it.each([
    ['a member to be', app('{members: {eva: developer, 6: developer}}')],
    [
      'a member to be of a team',
      `teams: {ops: {users: [eva, 6]}}\n${app('{members: {team:ops: developer}}')}`,
    ],
    ['a member that is', app('{members: {gus: developer, 8: developer}}')],
    ['a runner to be', 'projects: {web/docs: {runners: {gpu: {}, 7: {}}}}'],
  ])('is refused: %s', async (_, text) => {
    const { code, stderr } = await (await createLineRunner(text))('plan f.yml')
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^svcctl: f\.yml:.*is declared twice, under different names$/m),
    ])
  })
})

describe('what $add names twice', () => {
  it('is added once, by name and by ID too', async () => {
    const rule = '{user_ids: {$add: [eva, 6, EVA]}}'
    const text = `projects: {platform/app: {approval_rules: {Security: ${rule}}}}`
    const { stdout } = await (await createLineRunner(text))('plan f.yml -o json')
    const [{ body }] = JSON.parse(stdout).actions
    expect(body.user_ids.filter((id: number) => id === 6)).toEqual([6])
  })

  it('is not removed under the other name', async () => {
    const rule = '{user_ids: {$add: [eva], $remove: [6]}}'
    const text = `projects: {platform/app: {approval_rules: {Security: ${rule}}}}`
    const { code, stderr } = await (await createLineRunner(text))('plan f.yml')
    const why = 'user_ids adds and removes the same member'
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)])
  })
})
