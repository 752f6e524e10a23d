/** Names in the place of IDs: looked up in the list of their kind, exact, and of one object. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { useSandbox } from '../support/sandbox.js'
import { svcctl } from '../support/within.js'

const place = useSandbox()
const run = (line: string, input?: string) => {
  const { sandbox, config } = place()
  const env = { SVC_BASE_URL: sandbox.url, SVC_TOKEN: sandbox.token, SVC_CONFIG_DIR: config }
  return svcctl(line.split(' '), { env, input })
}

describe('an object by its name', () => {
  it.each([
    ['runners get shared-linux-1', '1', 'shared-linux-1 is runner 1'],
    ['deploy-keys get deploy -P platform/app', '1', 'deploy is deploy key 1'],
    ['approvals rules get Security -P platform/app', '2', 'Security is approval rule 2'],
    ['geo nodes get south', '2', 'south is geo node 2'],
  ])('%s', async (line, id, note) => {
    expect(await run(`${line} -o id`)).toEqual({ code: 0, stdout: `${id}\n`, stderr: `${note}\n` })
  })

  it('is written as its ID, beside others, and can be undone', async () => {
    const paused = await run('runners pause shared-linux-2 7 -o id')
    expect(paused).toMatchObject({ code: 0, stdout: '2\n7\n' })
    const [file = ''] = /\S+\.ndjson/.exec(paused.stderr) ?? []
    const [header = '', ...lines] = readFileSync(file, 'utf8').split('\n')
    expect(JSON.parse(header)).toMatchObject({
      options: { args: [] },
      names: { 2: 'shared-linux-2' },
    })
    expect(lines.join('')).toContain('"object":"2"')
    const shown = await run('journal show last')
    expect(shown.stderr).toContain('shared-linux-2 is 2\n')
    expect(await run('journal undo last --yes')).toMatchObject({ code: 0 })
  })

  it('is shown by a dry run, which sends no write', async () => {
    const { code, stdout, stderr } = await run('runners pause shared-linux-1 --dry-run')
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1\tactive'),
    })
    expect(stderr).toContain('shared-linux-1 is runner 1')
    const { sandbox } = place()
    expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([])
  })

  it('is refused where there is none, are several, or nothing is sent', async () => {
    const none = await run('runners pause shared-linux')
    expect(none).toMatchObject({ code: 2, stdout: '' })
    expect(none.stderr).toContain('no runner is called "shared-linux"')
    expect(none.stderr).toContain('shared-linux-1 (1)')
    await run('runners update 2 --description shared-linux-1')
    const several = await run('runners pause shared-linux-1')
    expect(several).toMatchObject({ code: 2, stdout: '' })
    expect(several.stderr).toContain('Pass one of the IDs 1, 2.')
    expect(await run('runners get shared-linux-1 --curl')).toMatchObject({ code: 2, stdout: '' })
  })
})

describe('a name on standard input', () => {
  const row = (id: number) => expect.stringContaining(`${id}\tactive\ttrue\tfalse\n`)
  it.each([
    ['a line', 'runners pause -', 'shared-linux-1\n2\n', [row(1), row(2)]],
    ['a line beside an ID', 'runners pause 2 -', 'shared-linux-1', [row(2), row(1)]],
    ['a list', 'runners pause -', 'description\nshared-linux-1\n', [row(1)]],
    ['a record', 'runners pause -', '[{"runner":"shared-linux-1"}]', [row(1)]],
    [
      'a row',
      'runners update - --row-fields description',
      'runner,description\nshared-linux-1,x\n',
      [expect.stringContaining('1\tdescription\tshared-linux-1\tx\n')],
    ],
    [
      'a row with its project',
      'deploy-keys update - --can-push',
      'project,deploy_key\nplatform/app,deploy\n',
      [expect.stringContaining('platform/app\t1\tcan_push\t')],
    ],
  ])('may be %s', async (_, line, input, rows) => {
    const { code, stdout, stderr } = await run(`${line} --dry-run`, input)
    for (const one of rows) expect(stdout).toEqual(one)
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^(?:shared-linux-1|deploy) is (?:runner|deploy key) 1\b/),
    ])
  })

  it('is looked up and noted once, however often it comes', async () => {
    const { code, stderr } = await run('runners pause - --dry-run', 'shared-linux-1\n'.repeat(3))
    expect([code, stderr.match(/is runner 1/g)]).toEqual([0, ['is runner 1']])
  })

  it('is refused by its place, and not quoted, where there is none', async () => {
    for (const line of ['runners pause -', 'runners pause 2 -']) {
      const none = await run(line, '1\ncanary\n')
      expect(none).toMatchObject({ code: 2, stdout: '' })
      expect(none.stderr).toContain(
        'standard input, line 2: <id> must be an integer or the name of a runner\n',
      )
      expect(none.stderr).not.toContain('canary')
    }
    const elsewhere = await run('deploy-keys delete - --yes -P platform/app,web/shop', 'old\n')
    expect(elsewhere.stderr).toContain(
      'line 1: <key-id> must be an integer or the name of a deploy key in platform/app\n',
    )
    const { sandbox } = place()
    expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([])
  })
})

describe('a name in several projects', () => {
  const both = '-P platform/app,web/site'
  let keys = 0
  /** Creates a public key that no project has. */
  const createKey = (): string => {
    const head = Buffer.from('0000000b7373682d6564323535313900000020', 'hex')
    return `ssh-ed25519 ${Buffer.concat([head, Buffer.alloc(32, ++keys)]).toString('base64')}`
  }
  /** Adds a key to each of two projects, and returns their IDs. */
  const addKeys = async () => {
    const ids: string[] = []
    for (const project of ['platform/app', 'web/site']) {
      const { sandbox, config } = place()
      const env = { SVC_BASE_URL: sandbox.url, SVC_TOKEN: sandbox.token, SVC_CONFIG_DIR: config }
      const words = ['deploy-keys', 'add', '-P', project, '--title', 'ci-bot', '-o', 'id']
      const { stdout } = await svcctl([...words, '--key', createKey()], { env })
      ids.push(stdout.trim())
    }
    return ids
  }

  it('has an ID of its own in each, which answers, previews and journals show beside it', async () => {
    const [one, other] = await addKeys()
    const notes = `ci-bot is deploy key ${one} in platform/app\nci-bot is deploy key ${other} in web/site\n`
    const got = await run(`deploy-keys get ci-bot ${both} --fields id,title -o json`)
    expect(got).toMatchObject({ code: 0, stderr: notes })
    expect(JSON.parse(got.stdout)).toMatchObject([
      { project: 'platform/app', id: Number(one), title: 'ci-bot' },
      { project: 'web/site', id: Number(other), title: 'ci-bot' },
    ])
    const shown = await run(`deploy-keys delete ci-bot ${both} --dry-run`)
    expect(shown.stderr).toContain(`delete deploy key ${other} "ci-bot" of web/site`)
    const { sandbox } = place()
    const before = sandbox.requests.length
    expect(await run(`deploy-keys delete ci-bot ${both} --yes`)).toMatchObject({ code: 0 })
    const sent = sandbox.requests.slice(before).filter(({ method }) => method === 'DELETE')
    expect(sent).toHaveLength(2)
    const journal = await run('journal show last -o json')
    expect(JSON.parse(journal.stdout)).toMatchObject({
      done: 2,
      names: { [one ?? '']: 'ci-bot', [other ?? '']: 'ci-bot' },
    })
    expect(await run('journal undo last --yes')).toMatchObject({ code: 0 })
    expect(await run(`deploy-keys get ci-bot ${both} -o id`)).toMatchObject({ code: 0 })
  })

  it('is refused before anything is sent where one project has none or several, with a line that runs', async () => {
    await addKeys()
    const some = await run(`deploy-keys delete ci-bot ${both},web/shop --yes`)
    expect(some).toMatchObject({ code: 2, stdout: '' })
    expect(some.stderr).toContain('no deploy key is called "ci-bot" in web/shop\n')
    expect(some.stderr).toContain('web/shop has old (3).')
    const [, line = ''] = /run "svcctl ([^"]*)"/.exec(some.stderr) ?? []
    expect(line).toContain('--select title=ci-bot')
    expect(await run(`${line} --dry-run`)).toMatchObject({ code: 0 })
    expect((await run('deploy-keys delete ci-bot --all-projects --yes')).code).toBe(2)
    const nowhere = await run(`deploy-keys delete nobody ${both} --yes`)
    expect(nowhere).toMatchObject({ code: 2, stdout: '' })
    expect(nowhere.stderr).not.toContain('--select')
    const [id] = await addKeys()
    const several = await run(`deploy-keys update ci-bot ${both} --can-push`)
    expect(several).toMatchObject({ code: 2, stdout: '' })
    expect(several.stderr).toContain('several deploy keys of platform/app are called "ci-bot"')
    expect(several.stderr).toContain(id)
    expect(await run(`deploy-keys get ci-bot ${both} --curl`)).toMatchObject({ code: 2 })
    const { sandbox } = place()
    expect(sandbox.requests.filter(({ method }) => /DELETE|PUT/.test(method))).toEqual([])
  })

  it('fails in the project whose list cannot be read, and is done in the others', async () => {
    await addKeys()
    const ran = await run('deploy-keys update ci-bot -P platform/app,none/there --can-push')
    expect(ran.code).toBe(8)
    expect(ran.stderr).toContain('1 done, 1 failed (1 not found)')
    const again = await run('deploy-keys update --resume last --yes')
    expect(again.code).toBe(8)
    expect(again.stderr).toContain('did not know its objects; pass it and the names again')
  })

  it('that is brought into a project is in the list of the instance', async () => {
    const ran = await run(`deploy-keys enable mirror ${both} --fields id`)
    expect(ran).toMatchObject({ code: 0, stdout: 'project\tid\nplatform/app\t2\nweb/site\t2\n' })
    expect(await run('runners enable shared-linux-1 -P web/site --dry-run')).toMatchObject({
      code: 0,
    })
  })
})
