/** Formats for notes and scripts: a Markdown table, the values of one field, the names that verbs take. */
import { describe, expect, it } from 'vitest'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'
import { printValues, writeRecords } from './open.js'

describe('markdown', () => {
  it('is a table of a list, and of the fields of one record', async () => {
    const records = [{ id: 1, access_level: 40, tags: ['a', 'b'], none: null }, { id: 2 }]
    const columns = ['id', 'access_level', 'tags', 'none']
    expect(await printValues('markdown', records, { columns })).toBe(
      '| id | access_level | tags | none |\n| --- | --- | --- | --- |\n' +
        '| 1 | maintainer | ["a","b"] |  |\n| 2 |  |  |  |\n',
    )
    expect(await printValues('markdown', [{ id: 1, name: 'x' }], { many: false })).toBe(
      '| field | value |\n| --- | --- |\n| id | 1 |\n| name | x |\n',
    )
    expect(await printValues('markdown', [], { columns: ['id'] })).toBe('| id |\n| --- |\n')
  })

  it.each([
    ['a|b', 'a\\|b'],
    ['`x` *y* ~z~ \\', '\\`x\\` \\*y\\* \\~z\\~ \\\\'],
    ['_a_ b_c', '\\_a\\_ b_c'],
    ['<b>&', '&lt;b&gt;&amp;'],
    ['[x](y) [[w]] [z]', '[x\\](y) \\[[w]] [z]'],
    ['a\nb\r\nc', 'a<br>b<br>c'],
    ['@all me@x.y', '<span>@</span>all me<span>@</span>x.y'],
    ['https://x www.y', 'https<span>:</span>//x www<span>.</span>y'],
    ['#12 a!34 !', '<span>#</span>12 a<span>!</span>34 !'],
    ['\u001b[31m', '\\u001b[31m'.replace('\\', '\\\\')],
  ])('keeps %j in its cell, and mentions nobody', async (text, cell) => {
    const out = await printValues('markdown', [{ name: text }], { columns: ['name'] })
    expect(out.split('\n')[2]).toBe(`| ${cell} |`)
  })
})

describe('value', () => {
  const view = { fields: ['v'] }
  it('is a line a record: text as it is, the rest as JSON, nothing for nothing', async () => {
    const values = ['two words', 'a\nb', 1.5, true, { a: [1] }, ['x'], null, undefined]
    const out = await printValues(
      'value',
      values.map((v) => ({ v })),
      view,
    )
    expect(out).toBe('two words\na\\nb\n1.5\ntrue\n{"a":[1]}\n["x"]\n\n\n')
  })

  it('leaves out what a record belongs to', async () => {
    const record = '{"project":"a/b","record":{"id":1,"v":7}}'
    expect(await writeRecords('value', [record], { fields: ['v'], parents: ['project'] })).toBe(
      '7\n',
    )
  })

  it('separates several fields by tabs, which values cannot hold', async () => {
    const out = await writeRecords('value', ['{"a":"x\\ty","b":null,"c":2}'], {
      fields: ['a', 'b', 'c'],
    })
    expect(out).toBe('x\\ty\t\t2\n')
  })
})

describe('id', () => {
  const recorder = useRecorder()
  const list = (...line: string[]) => svcctl([...line, '-o', 'id', '--sandbox'], {})
  it('is what the verbs of the area take', async () => {
    expect((await list('pages-domains', 'list', '--instance')).stdout).toMatch(/^\w+\./)
    expect((await list('runners', 'list', '--instance')).stdout).toMatch(/^1\n2\n/)
    const mine = await list('mr', 'list', '-P', 'platform/app', '--state', 'all')
    expect(mine.stdout).toMatch(/^(\d+\n)+$/)
    const all = await list('mr', 'list', '-P', 'platform/app,platform/web', '--state', 'all')
    expect(all.stdout).toMatch(/^platform\/app!\d+\n/)
    expect((await list('mr', 'get', '1', '-P', 'platform/app')).stdout).toBe('1\n')
    expect((await list('integrations', 'list', '-P', 'platform/app')).stdout).toMatch(/^[\w-]+\n/)
  })

  it('is the object of the line if the answer to a write is a message alone', async () => {
    recorder.answer = () => ({ body: { message: 'done' } })
    const env = { SVC_BASE_URL: recorder.url, SVC_TOKEN: 't' }
    const pause = (...ids: string[]) => svcctl(['runners', 'pause', ...ids, '-o', 'id'], { env })
    expect(await pause('1')).toMatchObject({ code: 0, stdout: '1\n' })
    expect(await pause('1', '2')).toMatchObject({ code: 0, stdout: '1\n2\n' })
    const register = ['runners', 'register', '--token', '-', '-o', 'id']
    const created = await svcctl(register, { env, input: 'secret' })
    expect(created).toMatchObject({ code: 1, stdout: '' })
    expect(created.stderr).toContain('the response has no id;')
  })

  it('fails for a record without a name', async () => {
    await expect(printValues('id', [{ a: 1 }], { names: ['id'] })).rejects.toMatchObject({
      category: 'failed',
    })
  })
})
