/** Tests the removal of a user who leaves: which memberships go in which order, which stay, and how to undo it. */
import { copyFileSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { parseRows, runOnTerminal } from './calling.js'
import { type ProxyServer, startProxy } from './front.js'
import { writeJournal } from './journals.js'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: createFolder() })
})
afterAll(() => sandbox.close())

const findToken = (name: string): string =>
  sandbox.users.find(({ username }) => username === name)?.token ?? ''
const createEnv = (base: string, as = 'root') => {
  const config = createConfiguration()
  return { SVC_CONFIG_DIR: config, SVC_BASE_URL: base, SVC_TOKEN: findToken(as) }
}
const run = (line: string, env: Readonly<Record<string, string>>) =>
  svcctl(line.split(' '), { env })
const listDirect = async (user: string): Promise<string> =>
  (await run(`members where ${user} --direct`, createEnv(sandbox.url))).stdout

const listWrites = ({ written }: ProxyServer): readonly string[] =>
  written().map(({ method, url }) => `${method} ${decodeURIComponent(url).replace('/api/v4', '')}`)

const refuse = (status: number, response: ServerResponse): true => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end('{"message":"no"}')
  return true
}

describe('members remove-everywhere', { shuffle: false }, () => {
  it('removes inner memberships first, leaves the last owner, and comes back by undo', async () => {
    const before = await listDirect('dov')
    const front = await startProxy(() => sandbox.url)
    const env = createEnv(front.base)
    const ran = await run('members remove-everywhere dov --yes -o markdown', env)
    expect(ran.code).toBe(8)
    expect(ran.stdout).toContain('| group:labs | owner |  | left | the last owner of the group |')
    expect(ran.stdout).toContain('| project:platform/app | guest |  | removed |  |')
    const paths = listWrites(front)
    expect([...paths].sort()).toEqual([
      'DELETE /groups/platform/members/5',
      'DELETE /groups/platform/tools/members/5',
      'DELETE /projects/platform/app/members/5',
      'DELETE /projects/web/shop/members/5',
    ])
    // The membership in the outer group is removed last.
    expect(paths.at(-1)).toBe('DELETE /groups/platform/members/5')
    expect(
      (await listDirect('dov')).split('\n').filter((line) => /^(group|project)/.test(line)),
    ).toEqual(['group:labs\tdov\tdirect\towner\t'])
    const undone = await run('journal undo last --yes', env)
    expect(undone.code).toBe(0)
    expect(await listDirect('dov')).toBe(before)
    expect(await run('journal undo last --yes', env)).toMatchObject({ code: 2 })
  })

  it('shows what it would do, and sends only reads', async () => {
    const front = await startProxy(() => sandbox.url)
    const ran = await run('members remove-everywhere ben --dry-run', createEnv(front.base))
    expect(ran.code).toBe(8)
    const rows = parseRows(ran.stdout)
    expect(rows.map(({ of, outcome, reason }) => [of, outcome, reason])).toEqual([
      ['group:platform', 'planned', ''],
      ['project:ben/app', 'left', 'a project in their own namespace'],
      ['group:web', 'left', 'the last owner of the group'],
    ])
    expect(front.written()).toEqual([])
  })

  it('is done where only a project of their own stays', async () => {
    const ran = await run('members remove-everywhere chi --dry-run', createEnv(sandbox.url))
    expect(parseRows(ran.stdout)).toContainEqual(
      expect.objectContaining({ of: 'project:chi/notes', outcome: 'left' }),
    )
    expect(ran.code).toBe(0)
  })

  it('never removes whose token it is', async () => {
    const front = await startProxy(() => sandbox.url)
    const ran = await run('members remove-everywhere ben --yes', createEnv(front.base, 'ben'))
    expect(ran.code).toBe(8)
    for (const { outcome, reason } of parseRows(ran.stdout))
      expect([outcome, reason]).toEqual(['left', "the token's own user"])
    expect(front.written()).toEqual([])
    const blind = await startProxy(
      () => sandbox.url,
      ({ url }, response) => (url.endsWith('/user') ? refuse(404, response) : false),
    )
    expect((await run('members remove-everywhere dov --yes', createEnv(blind.base))).code).not.toBe(
      0,
    )
    const sudo = await run('members remove-everywhere dov --yes --sudo ben', createEnv(front.base))
    expect(sudo).toMatchObject({ code: 2, stderr: expect.stringContaining('--sudo') })
    expect(blind.written()).toEqual([])
  })

  it('goes on with a run that was refused, and keeps what each membership was', async () => {
    const before = await listDirect('dov')
    let closed = true
    const front = await startProxy(
      () => sandbox.url,
      ({ method, url }, response) =>
        closed && method === 'DELETE' && url.includes('shop') ? refuse(403, response) : false,
    )
    const env = createEnv(front.base)
    const ran = await run('members remove-everywhere 5 --yes -o json', env)
    expect(ran.code).toBe(8)
    expect(JSON.parse(ran.stdout)).toContainEqual(
      expect.objectContaining({ of: 'project:web/shop', outcome: 'failed', access_level: 20 }),
    )
    expect(ran.stderr).toContain('3 done, 1 failed (1 refused). Journal: ')
    closed = false
    // A newer run of another command is not the last run of this one.
    const journals = join(env.SVC_CONFIG_DIR, 'state', 'runs')
    const other = '29990101T000000-runners-pause'
    writeJournal(join(journals, `${other}.ndjson`), [], 'killed', { id: other })
    const again = await run('members remove-everywhere --resume last --yes', env)
    expect(again.code).toBe(0)
    expect(parseRows(again.stdout)).toMatchObject([{ of: 'project:web/shop', outcome: 'removed' }])
    expect(listWrites(front).filter((line) => line.includes('shop'))).toHaveLength(2)
    expect((await run('members remove-everywhere --resume last', env)).stderr).toContain(
      'nothing is left',
    )
    rmSync(join(journals, `${other}.ndjson`))
    rmSync(join(journals, `${other}.ndjson.lock`), { force: true })
    expect((await run('journal undo last --yes', env)).code).toBe(0)
    expect(await listDirect('dov')).toBe(before)
  })

  it('removes nothing that it cannot read again when it goes on', async () => {
    const before = await listDirect('dov')
    let isResumed = false
    const front = await startProxy(
      () => sandbox.url,
      ({ method, url }, response) =>
        decodeURIComponent(url).includes(`shop/members/5`) && (method === 'DELETE' || isResumed)
          ? refuse(403, response)
          : false,
    )
    const env = createEnv(front.base)
    expect((await run('members remove-everywhere dov --yes', env)).code).toBe(8)
    isResumed = true
    const again = await run('members remove-everywhere --resume last --yes', env)
    expect(parseRows(again.stdout)).toMatchObject([{ of: 'project:web/shop', outcome: 'failed' }])
    expect(listWrites(front).filter((line) => line.includes('shop'))).toHaveLength(1)
    isResumed = false
    expect((await run('journal undo last --yes', env)).code).toBe(0)
    expect(await listDirect('dov')).toBe(before)
  })

  it('leaves the rest where too many fail, and counts it', async () => {
    const front = await startProxy(
      () => sandbox.url,
      ({ method }, response) => (method === 'DELETE' ? refuse(403, response) : false),
    )
    const line = 'members remove-everywhere dov --yes --max-failures 1 --concurrency 1 -o json'
    const ran = await run(line, createEnv(front.base))
    const rows: readonly { outcome: string }[] = JSON.parse(ran.stdout)
    expect(rows.map(({ outcome }) => outcome).sort()).toEqual([
      'failed',
      'left',
      'not attempted',
      'not attempted',
      'not attempted',
    ])
    expect(ran.stderr).toContain('0 done, 1 failed (1 refused), 3 not attempted.')
    expect(front.written()).toHaveLength(1)
  })

  it('counts as gone what a lost answer may have removed', async () => {
    let lost = 0
    const front = await startProxy(
      () => sandbox.url,
      ({ method, url, headers }, response) => {
        if (method !== 'DELETE' || !url.includes('shop') || lost++ > 0) return false
        const token = String(headers['private-token'])
        fetch(sandbox.url + url, { method, headers: { 'private-token': token } }).finally(() =>
          response.destroy(),
        )
        return true
      },
    )
    const env = createEnv(front.base)
    const ran = await run('members remove-everywhere dov --yes --retries 0', env)
    expect(parseRows(ran.stdout)).toContainEqual(
      expect.objectContaining({ of: 'project:web/shop', outcome: 'unknown' }),
    )
    const again = await run('members remove-everywhere --resume last --yes', env)
    expect(parseRows(again.stdout)).toMatchObject([{ of: 'project:web/shop', outcome: 'gone' }])
    expect(again.code).toBe(0)
  })

  it('looks for another owner once more before it takes one away', async () => {
    const add = 'members add 5 --access-level owner -G web --yes'
    expect((await run(add, createEnv(sandbox.url))).code).toBe(0)
    // Another member leaves the group between the plan and the run.
    let asked = 0
    const front = await startProxy(
      () => sandbox.url,
      ({ method, url }, response) => {
        if (method !== 'GET' || !/\/groups\/web\/members\?per_page/.test(url)) return false
        asked += 1
        if (asked === 1) return false
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(
          '[{"id":5,"username":"dov","state":"active","access_level":50},{"id":9,"username":"gone","state":"blocked","access_level":50}]',
        )
        return true
      },
    )
    const env = createEnv(front.base)
    const ran = await run('members remove-everywhere dov --yes', env)
    expect(parseRows(ran.stdout)).toContainEqual(
      expect.objectContaining({
        of: 'group:web',
        outcome: 'failed',
        reason: 'the last owner of the group',
      }),
    )
    expect(asked).toBe(2)
    expect(listWrites(front)).not.toContain('DELETE /groups/web/members/5')
    // Nothing was sent, so there is nothing to undo.
    const undone = await run('journal undo last --yes', env)
    expect([undone.code, undone.stderr]).toEqual([2, expect.stringContaining('sent a write')])
    expect((await run('members remove 5 -G web --yes', createEnv(sandbox.url))).code).toBe(0)
  })

  it('keeps a journal for one alone, says so with exit 8 where a part is hidden, and none where none is wanted', async () => {
    const front = await startProxy(
      () => sandbox.url,
      ({ url }, response) =>
        decodeURIComponent(url).includes('web/legacy/members') ? refuse(403, response) : false,
    )
    const env = createEnv(front.base)
    const ran = await run('members remove-everywhere gus --yes', env)
    expect(ran.code).toBe(8)
    expect(ran.stderr).toContain('project:web/legacy')
    const journals = join(env.SVC_CONFIG_DIR, 'state', 'runs')
    const [file = ''] = readdirSync(journals)
    expect(readFileSync(join(journals, file), 'utf8')).toContain(
      '"before":{"id":8,"username":"gus","access_level":30,"expires_at":null}',
    )
    for (let n = 10; n < 70; n++)
      copyFileSync(join(journals, file), join(journals, `${n - 8}-20200101T0000${n}-old.ndjson`))
    expect((await run('journal undo last --yes', env)).code).toBe(0)
    // An undo keeps no more journals than any other run does.
    expect(readdirSync(journals)).toHaveLength(50)
    const none = await run('members remove-everywhere gus --yes --journal none --tolerate x', env)
    expect(none.code).toBe(2)
    const kept = readdirSync(journals)
    const bare = await run('members remove-everywhere gus --yes --journal none', env)
    expect([bare.code, bare.stderr]).toEqual([8, expect.not.stringContaining('Journal')])
    const [own = ''] = readdirSync(journals).filter((name) => !kept.includes(name))
    const text = readFileSync(join(journals, own), 'utf8')
    expect(text).toContain('{"request":"DELETE ')
    expect(text).not.toContain('"state"')
  })
})

describe('at a terminal', () => {
  it('shows what goes and what stays before it asks', async () => {
    const env = createEnv(sandbox.url)
    await runOnTerminal('members remove-everywhere ben', env, async (terminal) => {
      await terminal.until(/Continue\?/)
      const screen = await terminal.screen()
      expect(screen).toContain('removes group:platform (maintainer)')
      expect(screen).toContain('leaves  group:web (owner): the last owner of the group')
      terminal.type('n')
      terminal.press('Enter')
      await terminal.until(/ended with 2/)
    })
    expect(await listDirect('ben')).toContain('group:platform')
  })
})
