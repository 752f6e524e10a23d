/** Names in the place of IDs: looked up in the list of their kind, exact, and of one object. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { usingSandbox } from '../support/sandbox.js'
import { svcctl } from '../support/within.js'

const place = usingSandbox()
const run = (line: string) => {
  const { sandbox, config } = place()
  const env = { SVC_BASE_URL: sandbox.url, SVC_TOKEN: sandbox.token, SVC_CONFIG_DIR: config }
  return svcctl(line.split(' '), { env })
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
    const kept = readFileSync(file, 'utf8')
    expect([kept.includes('"object":"2"'), kept.includes('shared-linux-2"}')]).toEqual([
      true,
      false,
    ])
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
