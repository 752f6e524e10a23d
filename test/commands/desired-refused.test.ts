/** A plan does not pass what the instance refuses, or takes without a word and does not keep. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sandbox } from '../sandbox/instance.js'
import { configuration, folder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { frontOf, type Hook } from './front.js'

const { send, url } = sandbox()
const app = 'projects/platform/app'

/** Lines about a file below `version: 1`. */
const desk = async (text: string, hook?: Hook) => {
  const front = await frontOf(url, hook)
  const cwd = folder()
  writeFileSync(join(cwd, 'f.yml'), `version: 1\n${text}\n`)
  const env = { SVC_TOKEN: 'sandbox-root-token', SVC_BASE_URL: front.base }
  return (line: string) => svcctl(line.split(' '), { cwd, env })
}
const members = (level: string, place = app): string => {
  const [scope = '', ...path] = place.split('/')
  return `${scope}: {${path.join('/')}: {members: {eva: {access_level: ${level}}}}}`
}

describe('a level', () => {
  it.each([
    ['owner', 'f.yml:2:43: access_level in a project must be one of guest,'],
    ['35', 'f.yml:2:43: access_level in a project must be one of guest,'],
    ['minimal', 'f.yml:2:43: access_level in a project must be one of guest,'],
  ])('is one that a project gives: not %s', async (level, why) => {
    const { code, stderr } = await (await desk(members(level)))('plan f.yml')
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)])
  })

  it('is one that a group gives', async () => {
    const odd = await (await desk(members('35', 'groups/platform')))('plan f.yml')
    expect([odd.code, odd.stderr]).toEqual([2, expect.stringContaining('owner, not 35')])
    const least = await (await desk(members('minimal', 'groups/platform')))('plan f.yml')
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
      const front = await frontOf(url, ofVersion(version))
      const cwd = folder()
      writeFileSync(join(cwd, 'f.yml'), `version: 1\n${members(level)}\n`)
      const env = { SVC_CONFIG_DIR: configuration(), SVC_NO_KEYRING: '1' }
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
    const same = await (await desk(members('35'), isList))('plan f.yml')
    expect([same.code, same.stdout]).toEqual([0, expect.stringContaining('nothing to do; 1')])
  })
})

describe('who approves', () => {
  const rule = (users: string, more = ''): string =>
    `projects: {platform/app: {${more}approval_rules: {Security: {user_ids: [${users}]}}}}`
  const said = (user: string): string =>
    `approval_rules/Security#user_ids   approvers must be members of the project, and this one is not: ${user}`

  it('has to be a member, or is left out', async () => {
    const run = await desk(rule('ana, ben, fay'))
    expect((await run('plan f.yml')).stdout).toContain(said('fay'))
    expect((await run('plan f.yml')).stdout).toContain('nothing to do; 1 impossible')
    const applied = await (await desk(rule('ana, fay')))('apply f.yml --yes')
    expect([applied.code, applied.stdout]).toEqual([0, expect.stringContaining('- ben')])
    expect(applied.stdout).toContain(said('fay'))
  })

  it('may be a member by the same plan, and not one who leaves by it', async () => {
    const joins = rule('fay', 'members: {fay: {access_level: developer}}, ')
    const planned = await (await desk(joins))('plan f.yml')
    expect([planned.stdout, planned.stdout.includes('impossible')]).toEqual([
      expect.stringContaining('+ fay'),
      false,
    ])
    const leaves = `${rule('eva')}\ngroups: {platform: {members: {eva: null}}}`
    expect((await (await desk(leaves))('plan f.yml')).stdout).toContain(said('eva'))
  })

  it('is not known where the project is shared with groups, and is sent', async () => {
    const { body } = await send('GET /projects/platform%2Fapp')
    const shared: Hook = ({ method, url: asked }, response) => {
      if (method !== 'GET' || !/\/projects\/platform%2Fapp(?:\?|$)/.test(asked)) return false
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ ...body, shared_with_groups: [{ group_id: 5 }] }))
      return true
    }
    const { stdout } = await (await desk(rule('fay'), shared))('plan f.yml')
    expect(stdout).toContain('+ fay')
    expect(stdout).toMatch(/\? .*shared with groups, so svcctl cannot tell whether fay may approve/)
  })
})

it('a former name that the files declare is refused, with both places', async () => {
  const run = await desk(
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
    const { code, stdout } = await (await desk(text, empty))('plan f.yml')
    expect([code, stdout]).toEqual([8, expect.stringContaining('nothing to do; 2 not read')])
  },
)
