/** Tests `journal undo` of an apply: the previous state is restored, or what cannot be restored is named. */
import {
  chmodSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startSandbox as startDouble } from '../../src/library/sandbox.js'
import { startSandbox } from '../../src/sandbox/index.js'
import { excludedPlaces, writes } from '../desired/exporting/writes.js'
import { createSender } from '../sandbox/instance.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'

/** Starts an instance for one test, and creates functions that run lines against it. */
const createWorkspace = async () => {
  const stateDir = createFolder()
  const { url, close: end } = await startSandbox({ stateDir })
  let open = true
  const close = async (): Promise<void> => {
    if (open) await end()
    open = false
  }
  onTestFinished(close)
  const [cwd, config] = [createFolder(), createConfiguration()]
  const env = { SVC_CONFIG_DIR: config, SVC_TOKEN: 'sandbox-root-token', SVC_BASE_URL: url }
  const run = (line: string, more: Readonly<Record<string, string>> = {}) =>
    svcctl(line.split(' '), { cwd, env: { ...env, ...more } })
  const declare = (text: string): void =>
    writeFileSync(join(cwd, 'svcctl.yml'), `version: 1\n${text}`)
  const state = async (): Promise<string> => {
    const { code, stdout } = await run(`export --except ${excludedPlaces.join(',')}`)
    expect(code).toBe(0)
    return stdout
  }
  const journals = () => readdirSync(join(config, 'state', 'runs'))
  return { run, declare, state, journals, close, send: createSender(() => url), config }
}

const lifted = '--yes --max-deletes 100% --allow-removals * --allow-empty *'

const several = `projects:
  platform/app:
    members:
      gus: { access_level: guest }
      eva: { access_level: guest }
    deploy_keys: { deploy: null }
    approval_rules: { Security: null }
    integrations: { emails-on-push: null }
    resource_groups: { staging: { process_mode: oldest_first } }
    approvals: { require_password_to_approve: true }
`

it('brings back what an apply changed, made and deleted, and does it again', async () => {
  const { run, declare, state, journals, config } = await createWorkspace()
  declare(several)
  const before = await state()
  expect((await run(`apply svcctl.yml ${lifted}`)).code).toBe(0)
  const after = await state()
  expect(after).not.toBe(before)
  const kept = journals().find((name) => name.endsWith('.former.yml')) ?? ''
  expect(statSync(join(config, 'state', 'runs', kept)).mode & 0o777).toBe(0o600)

  const shown = await run('journal undo last --dry-run')
  expect([shown.code, await state()]).toEqual([0, after])
  expect(shown.stdout).toContain('+ deploy_keys/deploy')
  const curl = await run('journal undo last --curl')
  expect([curl.code, curl.stdout, await state()]).toEqual([2, '', after])
  expect(curl.stderr).toMatch(/cannot undo \S+ with --curl: .*\n.*Use --dry-run/)
  const undone = await run('journal undo last --yes')
  expect([undone.code, undone.stderr]).toEqual([0, expect.stringContaining('8 done.')])
  expect(await state()).toBe(before)

  expect((await run('journal undo last --yes')).stderr).toContain('already undid')
  expect((await run('journal undo last --redo --yes')).code).toBe(0)
  expect(await state()).toBe(after)
})

/** Files that call objects by an ID or a new name, values that the instance spells otherwise, and changes of all projects. */
const otherNames = `site:
  geo_nodes: { south: { selective_sync_namespace_ids: [platform/core] } }
groups:
  platform: { members: { '8': maintainer } }
  '**': { projects: { approvals: { require_password_to_approve: true } } }
projects:
  platform/app:
    members: { '8': maintainer }
    approval_rules: { Safety: { previously: [Security], approvals_required: 2 } }
    deploy_keys:
      renamed: { key: KEY deploy@example.test }
  web/shop:
    deploy_keys:
      mirror: { key: MIRROR another@comment }
`

it('brings back what files call by an ID or a new name, in more projects than the limit', async () => {
  const { run, declare, state } = await createWorkspace()
  const { stdout } = await run('export deploy_keys -P platform/core/engine,platform/tools/deploy')
  const [mirror = '', key = ''] = stdout.match(/ssh-ed25519 \S+/g) ?? []
  declare(otherNames.replace('KEY', key).replace('MIRROR', mirror))
  const before = await state()
  const applied = await run(`apply svcctl.yml ${lifted} --max-changes 100%`)
  expect([applied.code, applied.stderr]).toEqual([0, expect.stringContaining('16 done.')])
  const after = await state()
  for (const line of ['undo last', 'undo last --redo', 'undo last']) {
    const { code, stderr } = await run(`journal ${line} --yes`)
    expect([code, stderr]).toEqual([0, expect.stringContaining('16 done.')])
    expect(await state()).toBe(line.includes('redo') ? after : before)
  }
})

it('brings back the descriptions of runners, and the projects of those whose descriptions changed', async () => {
  const { run, declare, state } = await createWorkspace()
  declare(`site:
  runners:
    - { match: { id: 1 }, set: { description: shared-linux-2 } }
    - { match: { id: 2 }, set: { description: shared-linux-1 } }
    - { match: { id: 7 }, set: { description: renamed } }
projects:
  platform/app: { runners: { 7: null } }
  web/docs: { runners: { 7: {} } }
`)
  const before = await state()
  expect((await run(`apply svcctl.yml ${lifted}`)).code).toBe(0)
  const after = await state()
  const undone = await run('journal undo last --yes')
  expect([undone.code, undone.stderr]).toEqual([0, expect.stringContaining('5 done.')])
  expect(await state()).toBe(before)
  const again = await run('journal undo last --redo --yes')
  expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('5 done.')])
  expect(await state()).toBe(after)
})

it('takes a runner out of a project although its description changed since', async () => {
  const { run, declare } = await createWorkspace()
  declare('projects: { web/docs: { runners: { gpu: {} } } }\n')
  const list = async () => (await run('runners list -P web/docs -o id')).stdout
  const before = await list()
  expect((await run('apply svcctl.yml --yes')).code).toBe(0)
  expect(await list()).not.toBe(before)
  await run('runners update 7 --description other')
  expect((await run('journal undo 1 --yes')).code).toBe(0)
  expect(await list()).toBe(before)
})

it('says that nothing is left where the apply is undone already', async () => {
  const { run, declare, journals } = await createWorkspace()
  declare('projects: { platform/app: { members: { gus: { access_level: guest } } } }\n')
  expect((await run(`apply svcctl.yml ${lifted}`)).code).toBe(0)
  const id = (journals()[0] ?? '').replace(/^1-|\..*/g, '')
  expect((await run(`journal undo ${id} --yes`)).code).toBe(0)
  const { code, stderr } = await run(`journal undo ${id} --yes`)
  expect([code, stderr]).toEqual([0, expect.stringContaining('nothing is left to revert')])
})

it('leaves what somebody changed since, and says so', async () => {
  const { run, declare, send } = await createWorkspace()
  declare(several)
  expect((await run(`apply svcctl.yml ${lifted}`)).code).toBe(0)
  await send('PUT /projects/platform%2Fapp/members/8', { json: { access_level: 40 } })
  await send('PUT /projects/platform%2Fapp/members/6', { json: { access_level: 20 } })
  const undone = await run('journal undo last --yes')
  expect(undone.code).toBe(8)
  expect(undone.stderr).toMatch(/members\/gus: it changed since the run: acc/)
  const { body: gus } = await send('GET /projects/platform%2Fapp/members/8')
  expect(gus.access_level).toBe(40)
  const { body: rules } = await send('GET /projects/platform%2Fapp/approval_rules')
  expect(JSON.stringify(rules)).toContain('Security')
})

it('names the other part of an apply that was undone in parts, so that it can be redone, too', async () => {
  const { run, declare, state, send } = await createWorkspace()
  declare(several)
  const before = await state()
  expect((await run(`apply svcctl.yml ${lifted}`)).code).toBe(0)
  const after = await state()
  const gus = 'PUT /projects/platform%2Fapp/members/8'
  await send(gus, { json: { access_level: 40 } })
  expect((await run('journal undo last --yes')).code).toBe(8)
  const shown = await run('journal show last')
  expect(shown.stdout).toMatch(/members\/gus.*it changed since the run/)
  expect((await run(`apply svcctl.yml --dry-run`)).stderr).not.toContain('did not finish')
  await send(gus, { json: { access_level: 10 } })
  expect((await run('journal undo last --yes')).code).toBe(0)
  expect(await state()).toBe(before)

  const redone = await run('journal undo last --redo --yes')
  expect(redone.code).toBe(0)
  const [, line = ''] =
    /Another part .* To redo that part, too: svcctl (.*)/.exec(redone.stderr) ?? []
  expect((await run(`${line} --yes`)).code).toBe(0)
  expect(await state()).toBe(after)
})

it('does not make again what somebody deleted since, and says so', async () => {
  const { run, declare, send } = await createWorkspace()
  declare('projects: { platform/app: { members: { gus: { access_level: guest } } } }\n')
  expect((await run(`apply svcctl.yml ${lifted}`)).code).toBe(0)
  await send('DELETE /projects/platform%2Fapp/members/8')
  const undone = await run('journal undo last --yes')
  expect(undone.code).toBe(8)
  expect(undone.stderr).toContain('gus: it changed since the run: the object no longer exists')
  expect((await send('GET /projects/platform%2Fapp/members/8')).status).toBe(404)
})

it('reverts the rest where objects, a key of another project and a project are gone', async () => {
  const sandbox = await startDouble()
  onTestFinished(() => sandbox.close())
  const [cwd, SVC_CONFIG_DIR] = [createFolder(), createConfiguration()]
  const env = { SVC_CONFIG_DIR, SVC_TOKEN: sandbox.token, SVC_BASE_URL: sandbox.url }
  const run = (line: string) => svcctl(line.split(' '), { cwd, env })
  writeFileSync(
    join(cwd, 'svcctl.yml'),
    `version: 1
site:
  geo_nodes: { south: { files_max_capacity: 7 } }
  settings: { diff_max_files: 7 }
projects:
  web/site: { members: { eva: reporter } }
  platform/app: { deploy_keys: { deploy: { can_push: false } } }
`,
  )
  expect((await run('apply svcctl.yml --yes')).code).toBe(0)
  const gone = [
    'geo nodes delete south',
    'deploy-keys delete deploy -P platform/app',
    'settings update --diff-max-files 7',
  ]
  for (const line of gone) await run(`${line} --yes`)
  const state = JSON.stringify(sandbox.snapshot()).replaceAll('"web/site"', '"web/moved"')
  sandbox.restore(JSON.parse(state))
  const { code, stdout, stderr } = await run('journal undo 1 --yes')
  expect([code, stdout, stderr]).toEqual([
    8,
    expect.stringMatching(
      /! geo_nodes\/south +the object no longer exists[\s\S]*could not be read: 404/,
    ),
    expect.stringMatching(/deploy_keys\/deploy: it changed since[\s\S]*\n1 done\./),
  ])
  expect(stderr.split('deploy_keys/deploy').length).toBe(2)
})

describe('a rule that somebody renamed since', () => {
  const renames = `projects:
  platform/app:
    approval_rules: { Safety: { previously: [Security], approvals_required: 2 } }
    members: { '8': maintainer }
`
  const rules = '/projects/platform%2Fapp/approval_rules'

  it.each([
    ['is restored under its former name', [['PUT', '/2', 'Security']], 0, 'approvals_required'],
    ['is a conflict under another name', [['PUT', '/2', 'Other']], 8, 'no longer exists'],
    ['is reported beside one of its former name', [['POST', '', 'Security']], 8, 'both Security'],
  ])('%s, and the rest is reverted', async (_, requests, exit, text) => {
    const { run, declare, send } = await createWorkspace()
    declare(renames)
    expect((await run(`apply svcctl.yml ${lifted}`)).code).toBe(0)
    for (const [method, path, name] of requests)
      await send(`${method} ${rules}${path}`, { json: { name, approvals_required: 2 } })
    const { code, stdout, stderr } = await run('journal undo last --yes')
    expect([code, stdout + stderr]).toEqual([exit, expect.stringContaining(text)])
    const { body: gus } = await send('GET /projects/platform%2Fapp/members/8')
    expect(gus.access_level).toBe(30)
    if (exit > 0) return
    const { body: all } = await send(`GET ${rules}`)
    expect(all[1]).toMatchObject({ name: 'Security', approvals_required: 1 })
  })
})

it('cannot take back what was made without a record', async () => {
  const { run, declare, journals, config } = await createWorkspace()
  declare(several)
  expect((await run(`apply svcctl.yml ${lifted}`)).code).toBe(0)
  const former = journals().filter((name) => name.endsWith('.former.yml'))
  expect(former).toHaveLength(1)
  rmSync(join(config, 'state', 'runs', former[0] ?? ''))
  const undone = await run('journal undo last --yes')
  expect([undone.code, undone.stderr]).toEqual([
    2,
    expect.stringContaining('the run did not record previous values'),
  ])
})

it('goes by no record that another may have written', async () => {
  const { run, declare, journals, state, config } = await createWorkspace()
  declare(several)
  expect((await run(`apply svcctl.yml ${lifted}`)).code).toBe(0)
  const after = await state()
  const name = journals().find((one) => one.endsWith('.former.yml')) ?? ''
  const file = join(config, 'state', 'runs', name)
  chmodSync(file, 0o666)
  const open = await run('journal undo last --yes')
  expect([open.code, open.stderr]).toEqual([
    2,
    expect.stringContaining('the journal cannot be trusted'),
  ])
  renameSync(file, join(config, 'moved.yml'))
  symlinkSync(join(config, 'moved.yml'), file)
  const link = await run('journal undo last --yes')
  expect([link.code, link.stderr]).toEqual([2, expect.stringContaining('it is a symbolic link')])
  expect(await state()).toBe(after)
})

it('keeps no secret, and names what it cannot bring back', async () => {
  const { run, declare, journals, config } = await createWorkspace()
  const secrets = { HOOK: 'https://chat.example.test/a-secret-of-chat' }
  declare(
    'projects:\n  platform/app:\n    integrations:\n      slack: { family: chat-webhook, webhook: { env: HOOK } }\n',
  )
  for (const [i, line] of ['apply svcctl.yml', 'apply svcctl.yml --secrets always'].entries()) {
    const applied = await run(`${line} ${lifted}`, secrets)
    expect([i, applied.code, applied.stderr]).toEqual([i, 0, expect.stringContaining('1 done')])
  }
  const undone = await run('journal undo last --yes')
  expect(undone.stderr).toContain(
    'projects/platform/app:integrations/slack#webhook: cannot be undone: its',
  )
  for (const name of journals()) {
    const text = readFileSync(join(config, 'state', 'runs', name), 'utf8')
    expect(text).not.toContain('a-secret-of')
  }
})

it('leaves random states as they were before an apply', { timeout: 120_000 }, async () => {
  let [whole, partly] = [0, 0]
  await fc.assert(
    fc.asyncProperty(writes, async (list) => {
      const other = await createWorkspace()
      for (const { method, path, body } of list)
        await other.send(`${method} ${path}`, { json: body })
      const wanted = await other.state()
      await other.close()
      const { run, declare, state, close } = await createWorkspace()
      const before = await state()
      declare(wanted.replace(/^version: 1\n/m, ''))
      const applied = await run(`apply svcctl.yml ${lifted} --secrets never --stale skip`)
      expect([0, 1, 8], applied.stderr).toContain(applied.code)
      if (/\d+ done/.test(applied.stderr)) {
        const undone = await run('journal undo last --yes')
        expect([0, 8], undone.stdout + undone.stderr).toContain(undone.code)
        if (undone.code === 0) {
          whole += 1
          expect(await state()).toBe(before)
        } else {
          partly += 1
          expect(undone.stdout + undone.stderr).toMatch(/it changed since the run/)
        }
      }
      await close()
    }),
    { numRuns: 5 },
  )
  expect(whole).toBeGreaterThan(partly)
})

it('answers programs with one document, and with an empty list where nothing was changed', async () => {
  const { run, declare } = await createWorkspace()
  declare('projects: {platform/app: {members: {gus: {access_level: guest}}}}\n')
  const lines = ['apply svcctl.yml --dry-run', `apply svcctl.yml ${lifted}`]
  for (const line of [...lines, 'journal undo last --dry-run', 'journal undo last --yes']) {
    const { code, stdout } = await run(`${line} -o json`)
    expect([code, JSON.parse(stdout).actions?.length]).toEqual([0, 1])
  }
  await run('runners pause 3 --yes')
  await run('runners pause 3 --yes')
  const { code, stdout } = await run('journal undo last --yes -o json')
  expect([code, JSON.parse(stdout)]).toEqual([0, []])
})
