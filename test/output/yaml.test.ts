import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { collector, opened, shown } from './open.js'

describe('YAML', () => {
  it('gives a list as one sequence, record by record', async () => {
    const sink = collector()
    const writer = await opened('yaml', sink)
    await writer.record({ id: 1, tags: ['a', 'b'], user: { name: 'Ana' } })
    expect(sink.text()).toBe('- id: 1\n  tags:\n    - a\n    - b\n  user:\n    name: Ana\n')
    await writer.record('x')
    await writer.close()
    expect(parse(sink.text())).toEqual([{ id: 1, tags: ['a', 'b'], user: { name: 'Ana' } }, 'x'])
  })
  it('gives the empty list, and one object bare', async () => {
    expect(await shown('yaml', [])).toBe('[]\n')
    expect(await shown('yaml', [{ a: null }], { many: false })).toBe('a: null\n')
  })
  it('quotes what other versions of YAML read otherwise', async () => {
    const text = await shown('yaml', [{ a: 'no', b: '012', c: '1:30', d: 'null', e: '~' }])
    expect(text).not.toMatch(/: (no|012|null|~)$/m)
    expect(parse(text, { version: '1.1' })).toEqual([
      { a: 'no', b: '012', c: '1:30', d: 'null', e: '~' },
    ])
  })
  it('keeps lines as a block, and escapes control characters', async () => {
    expect(await shown('yaml', [{ a: 'x\ny\n' }], { many: false })).toBe('a: |\n  x\n  y\n')
    const hostile = { 'k\u202e': '\u001b[2J\u009b\u2028\rx\ny' }
    const text = await shown('yaml', [hostile], { many: false })
    expect(text).not.toMatch(/[^\P{C}\n]|\u2028/u)
    expect(parse(text)).toEqual(hostile)
  })
  it('keeps white space at the start of text with lines', async () => {
    const values = [' \n', '\n\n', '\t\na', '  a\n b', ' \n \n']
    expect(parse(await shown('yaml', [{ a: { '': values } }], { many: false }))).toEqual({
      a: { '': values },
    })
  })
  it('keeps every line of text that is quoted', async () => {
    const text = `\u001b\n \n${'a\n \n'.repeat(20)}`
    const written = await shown('yaml', [{ text }], { many: false })
    expect(parse(written)).toEqual({ text })
  })
  it('does not fold long text', async () => {
    const long = 'word '.repeat(60).trim()
    expect(await shown('yaml', [{ long }], { many: false })).toBe(`long: ${long}\n`)
  })
  it('takes fields as JSON does', async () => {
    expect(await shown('yaml', [{ a: { b: 1 } }], { many: false, fields: ['a.b', 'c'] })).toBe(
      'a.b: 1\n',
    )
  })
})
