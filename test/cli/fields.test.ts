/** Tests `--fields`: names that neither the documents nor the answer know are refused, and fields that a record lacks are left out. */
import { describe, expect, it } from 'vitest'
import type { JsonValues } from '../../src/base/objects.js'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const server = useRecorder()
const run = (line: string | readonly string[], env: Readonly<Record<string, string>> = {}) =>
  svcctl(typeof line === 'string' ? line.split(' ') : line, {
    env: { SVC_BASE_URL: server.url, SVC_TOKEN: 'any', ...env },
  })

const createRunner = (id: number, more: JsonValues = {}) => ({ id, description: `d${id}`, ...more })
const answer = (body: unknown): void => {
  server.answer = () => ({ body })
}
const formats = ['table', 'json', 'yaml', 'ndjson', 'csv', 'markdown']

describe('an unknown field', () => {
  it.each(formats)('is refused with the nearest name, and nothing is printed: -o %s', async (o) => {
    answer([createRunner(1), createRunner(2)])
    const ran = await run(`runners list --fields id,stauts -o ${o}`)
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toMatch(/unknown field \\?"stauts\\?".*\bDid you mean status\?/s)
  })

  it('is known from the single records of a list, too', async () => {
    answer([createRunner(1)])
    const ran = await run('runners list --fields id,maximum_timeou')
    expect(ran.stderr).toContain('Did you mean maximum_timeout?')
  })

  it('of one object is refused in the same way, also where a vocabulary could not say it', async () => {
    answer(createRunner(1))
    for (const line of [
      'runners get 1 --fields stauts',
      'runners get 1 --fields stauts -o value',
    ]) {
      const ran = await run(line)
      expect([ran.code, ran.stdout]).toEqual([2, ''])
      expect(ran.stderr).toContain('unknown field "stauts"')
    }
    answer({ id: 1, signup_enabled: true })
    const settings = await run('settings get --fields signup_enable -o json')
    expect([settings.code, settings.stdout]).toEqual([2, ''])
    expect(settings.stderr).toContain('Did you mean signup_enabled?')
  })

  it('is judged by its whole path', async () => {
    answer([{ iid: 1, author: { username: 'ana' }, labels: ['a'] }])
    const ran = await run('mr list -P 1 --fields author.username,author.nick,labels.0 -o json')
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringMatching(/field ."author.nick/)])
    const known = await run('mr list -P 1 --fields author.username,labels.0 -o json')
    expect(JSON.parse(known.stdout)).toEqual([{ 'author.username': 'ana', 'labels.0': 'a' }])
  })

  it('of an empty list is refused as --where refuses it', async () => {
    answer([])
    const lines = ['runners list --fields newer', 'runners list --where newer=1']
    for (const line of lines) expect((await run(line)).code).toBe(2)
    expect(await run('runners list --fields status -o json')).toMatchObject({
      code: 0,
      stdout: '[]\n',
    })
  })

  it('is none that the single record has', async () => {
    answer([createRunner(1)])
    const ran = await run('runners list --fields id,contacted_at')
    expect([ran.code, ran.stderr]).toEqual([0, ''])
  })

  it('of what the tool itself answers is refused too, and its own are taken', async () => {
    const ran = await run('commands --fields command,sumary -o csv')
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toContain('Did you mean summary?')
    const known = await run('commands --fields command,flags -o json')
    expect(known.code).toBe(0)
    // `rate` is a setting that no profile has.
    expect((await run('profile list --fields name,rate')).code).toBe(0)
  })

  it('that comes too late to refuse is noted', async () => {
    answer({ id: 1, description: 'x' })
    const ran = await run(
      'api PUT runners/1 --param description=x --fields id,descripton -o json --yes',
    )
    expect([ran.code, JSON.parse(ran.stdout)]).toEqual([0, { id: 1 }])
    expect(ran.stderr).toContain('unknown field "descripton". Did you mean description?')
  })
})

describe('a field that the documents do not know', () => {
  it('is shown where a record of the first page has it', async () => {
    answer([createRunner(1), createRunner(2, { newer: { deep: 5 } })])
    const ran = await run('runners list --fields id,newer.deep -o json')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(ran.stdout)).toEqual([{ id: 1 }, { id: 2, 'newer.deep': 5 }])
  })

  it('is shown where it may be, below what is null', async () => {
    answer([createRunner(1, { newer: null })])
    const ran = await run('runners list --fields id,newer.deep -o ndjson')
    expect(ran).toMatchObject({ code: 0, stdout: '{"id":1}\n' })
  })

  it('holds back no more than a page, and every record once', async () => {
    const all = Array.from({ length: 250 }, (_, i) => createRunner(i + 1))
    answer(all.map((one) => (one.id === 60 ? { ...one, newer: 1 } : one)))
    const ran = await run('runners list --limit all --fields id,newer -o ndjson')
    expect(
      ran.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual(all.map(({ id }) => id))
    answer(all.map((one) => (one.id === 240 ? { ...one, newer: 1 } : one)))
    const late = await run('runners list --limit all --fields id,newer -o ndjson')
    expect([late.code, late.stdout]).toEqual([2, ''])
  })

  it('is looked for among the records of all projects, and of all that could be read', async () => {
    server.answer = ({ url }) =>
      /a%2Fb/.test(url) ? { body: [] } : { body: [createRunner(1, { newer: 1 })] }
    const line = 'runners list -P a/b,c/d -o ndjson --fields'
    expect((await run(`${line} newer`)).stdout).toBe('{"project":"c/d","newer":1}\n')
    const wrong = await run(`${line} project,newr`)
    expect([wrong.code, wrong.stdout]).toEqual([2, ''])
    expect(wrong.stderr).toContain('unknown field \\"newr\\"')
    server.answer = () => ({ status: 403, body: { message: 'no' } })
    expect((await run(`${line} newr`)).code).toBe(3)
  })

  it('is taken under several objects, with the column that says which', async () => {
    server.answer = ({ url }) => ({
      body: createRunner(Number(/\d+$/.exec(url)?.[0]), { newer: 1 }),
    })
    const ran = await run('runners get 1 2 --fields object,newer -o json')
    expect(JSON.parse(ran.stdout)).toEqual([
      { object: '1', newer: 1 },
      { object: '2', newer: 1 },
    ])
    expect((await run('runners get 1 2 --fields newr')).code).toBe(2)
  })
})

describe('a known field that a record lacks', () => {
  it.each([
    ['json', '[{"id":1},{"id":2,"status":null}]\n'],
    ['ndjson', '{"id":1}\n{"id":2,"status":null}\n'],
    ['yaml', '- id: 1\n- id: 2\n  status: null\n'],
    ['csv', 'id,status\n1,\n2,\n'],
  ])('is absent in %s, and null only where the instance says so', async (o, stdout) => {
    answer([createRunner(1), createRunner(2, { status: null })])
    expect(await run(`runners list --fields id,status -o ${o}`)).toMatchObject({ code: 0, stdout })
  })
})

describe('a default column', () => {
  it('that no record has is noted once, and only where there are records', async () => {
    const { status: _, ...old } = {
      ...createRunner(1),
      status: 'x',
      active: true,
      is_shared: false,
    }
    answer([old, { ...old, id: 2 }])
    for (const o of ['table', 'csv', 'markdown']) {
      const { stderr, code } = await run(`runners list -o ${o}`)
      expect(code).toBe(0)
      expect(stderr.match(/no record has the field status, so its column is empty/g)).toHaveLength(
        1,
      )
    }
    for (const line of ['runners list -o json', 'runners list --fields id', 'runners list -q'])
      expect((await run(line)).stderr).toBe('')
    answer([old, { ...old, id: 2, status: 'online' }])
    expect((await run('runners list')).stderr).not.toContain('status')
    answer([])
    expect((await run('runners list')).stderr).not.toContain('no record has')
  })

  it('below null is none that is missing', async () => {
    answer([{ iid: 1, author: null, title: 't', state: 'opened' }])
    expect((await run('mr list -P 1')).stderr).not.toContain('author')
  })
})

describe('a list of unlike records whose columns are not known', () => {
  const list = 'api things --paginate -o'

  it.each(['csv', 'table', 'markdown', 'html'])(
    'has the columns of the first record, and a note that names the others: -o %s',
    async (o) => {
      answer([{ id: 1 }, { id: 2, closed_by: {} }, { id: 3, labels: [], closed_by: {} }])
      const { code, stderr } = await run(`${list} ${o}`)
      expect([code, stderr]).toEqual([
        0,
        'the columns are the fields of the first record; later records have 2 fields without a column: closed_by, labels. --fields chooses the columns\n',
      ])
    },
  )

  it('has no note if nothing is left out, or the line chooses the fields', async () => {
    answer([{ id: 1, a: 2 }, { id: 2 }])
    expect((await run(`${list} csv`)).stderr).toBe('')
    answer([{ id: 1 }, { id: 2, a: 2 }])
    for (const format of ['json', 'ndjson', 'yaml', 'csv --fields id'])
      expect((await run(`${list} ${format}`)).stderr).toBe('')
  })
})
