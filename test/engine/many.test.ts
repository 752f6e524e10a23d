/** Tests runs over many objects. */
import { describe, expect, it } from 'vitest'
import { createConfiguration } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const server = useRecorder()
const getId = (url: string): number => Number(url.split('/').at(-1))
const acceptAll = () => {
  server.answer = ({ url }) => ({ body: { id: getId(url), active: false } })
}
const refuseSome = (refused: (id: number) => boolean) => {
  server.answer = ({ url }) =>
    refused(getId(url))
      ? { status: 404, body: { message: '404 Not found' } }
      : { body: { id: getId(url), active: false } }
}
const run = (...args: readonly string[]) =>
  svcctl(args, {
    env: { SVC_BASE_URL: server.url, SVC_TOKEN: 'any', SVC_CONFIG_DIR: createConfiguration() },
  })
const listIds = (count: number) => Array.from({ length: count }, (_, i) => String(i + 1))
/** Lists the write requests. */
const listWrites = () => server.seen.filter(({ method }) => method !== 'GET')
const listWrittenIds = () => listWrites().map(({ url }) => getId(url))

describe('a run over many objects', () => {
  it('does each once, and says so', async () => {
    acceptAll()
    const { code, stdout, stderr } = await run(
      'runners',
      'pause',
      '3',
      '1',
      '03',
      '3',
      '-o',
      'json',
    )
    expect(code).toBe(0)
    expect(JSON.parse(stdout).map(({ id }: { id: number }) => id)).toEqual([3, 1])
    expect(listWrittenIds()).toEqual([3, 1])
    expect(stderr).toContain('2 objects were given more than once and are processed once')
  })
  it('takes objects of the same number in two projects for two', async () => {
    server.answer = () => ({ status: 201, body: {} })
    const { code } = await run('mr', 'subscribe', 'a/b!1', 'a/c!1', 'a/b!1')
    expect(code).toBe(0)
    expect(listWrites().map(({ url }) => url.split('/')[4])).toEqual(['a%2Fb', 'a%2Fc'])
  })
  it.each(['null\n', '{}', ' { }\n'])(
    'names an object whose write was answered with %j, in the place of a record',
    async (body) => {
      server.answer = ({ url }) => ({ body: getId(url) === 2 ? body : { id: getId(url) } })
      const said =
        '2: paused, according to the status only: the instance answered 200 without the record'
      const table = await run('runners', 'pause', '1', '2')
      expect([table.code, table.stdout.split('\n')]).toEqual([
        0,
        [expect.anything(), expect.stringMatching(/^1\t/), ''],
      ])
      expect(table.stderr).toContain(said)
      const { stdout } = await run('runners', 'pause', '1', '2', '-o', 'json')
      expect(JSON.parse(stdout)).toEqual([{ id: 1 }, { id: 2, outcome: 'done' }])
      const single = await run('runners', 'pause', '2')
      expect([single.code, single.stdout]).toEqual([0, ''])
      expect(single.stderr).toContain(said)
      const read = await run('runners', 'get', '2', '-o', 'json')
      expect(read.stdout.replace(/\s/g, '')).toBe(body.replace(/\s/g, ''))
    },
  )
  it.each([
    { status: 204 },
    { status: 202, body: '' },
    { status: 200, body: 'true' },
    { status: 200, body: '{}' },
    { status: 200, body: '[]' },
  ])('says that an object is deleted, whatever the instance answers: %j', async (answer) => {
    server.answer = ({ method }) => (method === 'DELETE' ? answer : { status: 404, body: {} })
    const line = ['deploy-keys', 'delete', '7', '-P', 'a/b', '--yes']
    const table = await run(...line)
    expect([table.code, table.stdout]).toEqual([0, ''])
    expect(table.stderr).toContain('7 of project a/b: removed')
    const json = await run(...line, '-o', 'json')
    expect(JSON.parse(json.stdout)).toMatchObject({ outcome: 'done' })
  })
  it.each([
    ['1', 3],
    ['2', 6],
  ])('stops at %s failures', async (most, last) => {
    refuseSome((id) => id % 3 === 0)
    const line = ['runners', 'pause', ...listIds(30), '--concurrency', '1', '--max-failures', most]
    const { code, stderr } = await run(...line, '--no-undo-record')
    expect(code).toBe(8)
    expect(listWrittenIds()).toEqual(listIds(last).map(Number))
    expect(stderr).toMatch(/stopped after too many failures; \d done, \d failed, \d+ not attempted/)
  })
  it('tells twenty failures in full, and counts the others', async () => {
    refuseSome((id) => id > 2)
    const { code, stderr } = await run('runners', 'pause', ...listIds(40))
    expect(code).toBe(8)
    expect(stderr.match(/404 Not found/g)).toHaveLength(20)
    expect(stderr).toMatch(/0 done, 2 unchanged, 38 failed\. Journal/m)
    expect(stderr).toContain('38 of 40 failed')
  })
  it('sends no faster than flag and profile allow, whichever is stricter', async () => {
    acceptAll()
    const env = { SVC_CONFIG_DIR: createConfiguration(), SVC_TOKEN: 'any' }
    const set = ['profile', 'set', 'slow', '--base-url', server.url, '--rate', '20/s']
    expect((await svcctl(set, { env })).code).toBe(0)
    const line = ['runners', 'pause', ...listIds(11), '-p', 'slow', '--rate', '1000/s']
    const began = performance.now()
    expect((await svcctl(line, { env })).code).toBe(0)
    // Eleven writes begin ten intervals apart, and no load can make that shorter.
    expect(performance.now() - began).toBeGreaterThan(450)
    const wrong = await svcctl(['profile', 'set', 'slow', '--rate', 'fast'], { env })
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('rate "fast"') })
  })
  it('waits with all of them where the instance takes no more, and loses none', async () => {
    let refused = 0
    server.answer = ({ url }) => {
      if (refused >= 3 || getId(url) % 5 !== 0) return { body: { id: getId(url), active: false } }
      refused += 1
      return { status: 429, headers: { 'retry-after': '0' }, body: 'Retry later' }
    }
    const { code, stdout } = await run('runners', 'pause', ...listIds(30), '-o', 'ndjson')
    expect(code).toBe(0)
    expect(refused).toBe(3)
    const ids = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id)
    expect(ids).toEqual(listIds(30).map(Number))
  })
})

describe('--tolerate', () => {
  const delivered = (stdout: string): unknown => JSON.parse(stdout)
  it('notes what is refused so of single objects, and counts it as no failure', async () => {
    refuseSome((id) => id === 2)
    const line = ['runners', 'pause', '1', '2', '3', '--tolerate', 'not_found', '-o', 'json']
    const { code, stdout, stderr } = await run(...line, '--max-failures', '1')
    expect([code, listWrittenIds().sort()]).toEqual([0, [1, 2, 3]])
    expect(delivered(stdout)).toMatchObject([
      { id: 1 },
      { outcome: 'unchanged', error: { category: 'not_found', status: 404 } },
      { id: 3 },
    ])
    expect(stderr).toContain('2: 404 Not found (tolerated)')
  })
  it('does so of one object, and of what is only read', async () => {
    refuseSome(() => true)
    for (const line of ['pause 1', 'get 1', 'get 1 2', 'pause 1 2 --dry-run']) {
      const ran = await run('runners', ...line.split(' '), '--tolerate', 'not_found')
      expect([line, ran.code, ran.stdout]).toEqual([line, 0, ''])
      expect(ran.stderr).toContain('1: 404 Not found (tolerated)')
    }
  })
  it('leaves other refusals failures', async () => {
    refuseSome((id) => id === 2)
    const ran = await run('runners', 'pause', '1', '2', '--tolerate', 'forbidden')
    expect(ran.code).toBe(8)
    server.answer = () => ({ status: 401, body: { message: '401 Unauthorized' } })
    const unknown = await run('runners', 'pause', '1', '2', '--tolerate', 'forbidden,not_found')
    expect(unknown.code).toBe(3)
  })
})
