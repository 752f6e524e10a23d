import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { createCollector, openTestWriter, printValues, toBytes, writeRecords } from './open.js'

describe('CSV', () => {
  it('has a header, and quotes as RFC 4180 says', async () => {
    const text = await printValues('csv', [{ a: 'x,y', b: 'say "hi"', c: 'l1\r\nl2', d: null }])
    expect(text).toBe('a,b,c,d\n"x,y","say ""hi""","l1\nl2",\n')
  })
  it('gives nested values as JSON', async () => {
    expect(await printValues('csv', [{ a: [1, 2], b: { c: true } }])).toBe(
      'a,b\n"[1,2]","{""c"":true}"\n',
    )
  })
  it('takes columns from --fields, else from the catalogue, else from the first record', async () => {
    const records = [
      { a: 1, b: { c: 2 } },
      { z: 9, a: 3 },
    ]
    expect(await printValues('csv', records, { columns: ['a'], fields: ['b.c', 'a'] })).toBe(
      'b.c,a\n2,1\n,3\n',
    )
    expect(await printValues('csv', records, { columns: ['a'] })).toBe('a\n1\n3\n')
    expect(await printValues('csv', records)).toBe('a,b\n1,"{""c"":2}"\n3,\n')
  })
  it('gives access levels by the name that flags take, custom ones by number', async () => {
    const records = [{ access_level: 40 }, { access_level: 35 }, { level: { access_level: 5 } }]
    const fields = ['access_level', 'level.access_level']
    for (const [format, gap] of [
      ['csv', ','],
      ['table', '\t'],
    ] as const) {
      const text = await printValues(format, records, { fields })
      expect(text.split('\n').slice(1, 4)).toEqual([
        `maintainer${gap}`,
        `35${gap}`,
        `${gap}minimal`,
      ])
    }
    expect(await printValues('ndjson', records.slice(0, 1), { fields: ['access_level'] })).toBe(
      '{"access_level":40}\n',
    )
  })
  it('gives the header of an empty list when it is known', async () => {
    expect(await printValues('csv', [], { columns: ['a', 'b'] })).toBe('a,b\n')
    expect(await printValues('csv', [])).toBe('')
  })
  it('writes quotes for an empty cell that is alone in its row, since readers skip blank lines', async () => {
    const text = await printValues('csv', [{ a: 'x' }, { a: null }, { a: '' }], { fields: ['a'] })
    expect(text).toBe('a\nx\n""\n""\n')
    expect(parse(text, { columns: true, skip_empty_lines: true })).toHaveLength(3)
  })
  it('gives bare values a column', async () => {
    expect(await printValues('csv', ['x', 2])).toBe('value\nx\n2\n')
  })
  it.each(['=1+2', '+A1', '-A1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1'])(
    'defuses the formula %j',
    async (formula) => {
      const text = await printValues('csv', [{ a: formula }])
      expect(text).toMatch(/^a\n"?'/)
      expect(await printValues('csv', [{ a: formula }], { csvRaw: true })).not.toContain("'")
    },
  )
  it('leaves numbers alone', async () => {
    expect(await printValues('csv', [{ a: -5, b: '-5', c: '+3.5' }])).toBe('a,b,c\n-5,-5,+3.5\n')
  })
  it('defuses field names too', async () => {
    expect(await printValues('csv', [{ '=x': 1 }])).toBe("'=x\n1\n")
  })
  it('leaves the numbers of the instance alone, as they came', async () => {
    const text = '{"a":-0,"b":-1E5,"c":-5.50,"d":12345678901234567890,"e":"=1"}'
    expect(await writeRecords('csv', [text])).toBe(
      "a,b,c,d,e\n-0,-1E5,-5.50,12345678901234567890,'=1\n",
    )
  })
  it('says true and false', async () => {
    expect(await printValues('csv', [{ a: true, b: false, c: null }])).toBe('a,b,c\ntrue,false,\n')
  })
  it.each(['＝1', '＋1', '－1', '＠x'])('defuses the full-width formula %s', async (formula) => {
    expect(await printValues('csv', [{ a: formula }])).toBe(`a\n'${formula}\n`)
  })
  it('writes its header once, whatever comes in how many batches', async () => {
    const sink = createCollector()
    const writer = await openTestWriter('csv', sink)
    for (const id of [1, 2, 3]) await writer.raw([toBytes(`{"id":${id},"n":"x"}`)])
    expect(sink.chunks).toEqual(['id,n\n1,x\n', '2,x\n', '3,x\n'])
    await writer.raw([])
    await writer.close()
    expect(sink.chunks).toHaveLength(3)
  })
  it('reads back as it was, whatever is in a cell', async () => {
    const cells = [
      'a"b',
      '""',
      ' x',
      'x\t',
      'l1\nl2',
      '\n',
      ',',
      "'",
      'größe, 大',
      '',
      '"',
      'x"\n,"y',
    ]
    const record = Object.fromEntries(cells.map((cell, i) => [`c "${i}",`, cell]))
    const text = await printValues('csv', [record, record], { csvRaw: true })
    expect(parse(text)).toEqual([Object.keys(record), cells, cells])
  })
})
