import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { loadWidths } from '../../src/base/screen-text.js'
import { unescapeFormula } from '../../src/base/text.js'
import { printValues } from './open.js'

/** Text of every kind that an instance could send: hostile, wide, broken. */
const nasty = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(
      ...['\u001b[31m', '\u001b]8;;x\u0007', '\u001b]52;c;x\u0007', '\u009b', '\u202e', '\u2066'],
      ...['\r', '\n', '\t', '\u0000', '\u007f', '\ud800', '\u2028', '=', '"', ',', "'", ' ', '🫠'],
      ...['👩‍👩‍👧', '語', 'é', '\u0301', 'क्षि', '- ', ': ', '#', '\ufeff', '2026-05-01T12:00:00Z'],
    ),
  }),
)
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    nasty,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(nasty, fc.constantFrom('status', 'name', 'expires_at')), tie('value'), {
      maxKeys: 4,
    }),
  ),
})).value
const record = fc.dictionary(
  fc.oneof(fc.constantFrom('id', 'name', 'status', 'web_url', 'duration', 'access_level'), nasty),
  value,
  { maxKeys: 6 },
)
const records = fc.array(fc.oneof(record, value), { maxLength: 5 })
const screen = fc.integer({ min: 8, max: 200 })

/** Anything that a terminal obeys, line ends and tabs aside. */
const commanding = /(?![\n\t])[\p{Cc}\p{Cs}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u
/** The colours that the tool itself sets. */
const ownColors = new RegExp(`${String.fromCharCode(27)}\\[(?:1|2|22|3[1-6]|39)m`, 'g')

describe('whatever the instance sends', () => {
  it('the table on a terminal stays within it and never commands it', async () => {
    await fc.assert(
      fc.asyncProperty(
        records,
        screen,
        fc.boolean(),
        fc.boolean(),
        async (all, width, many, color) => {
          const text = await printValues('table', all, { terminal: true, width, many, color })
          const plain = text.replaceAll(ownColors, '')
          expect(plain).not.toMatch(commanding)
          expect(plain).not.toContain('\t')
          const { measure } = await loadWidths([plain])
          for (const line of plain.split('\n')) expect(measure(line)).toBeLessThanOrEqual(width)
        },
      ),
    )
  })
  it('a tab-separated table keeps its columns', async () => {
    await fc.assert(
      fc.asyncProperty(records, async (all) => {
        const text = await printValues('table', all, { fields: ['id', 'name', 'status'] })
        expect(text).not.toMatch(commanding)
        const lines = text.split('\n').slice(0, -1)
        expect(lines).toHaveLength(all.length + 1)
        for (const line of lines) expect(line.split('\t')).toHaveLength(3)
      }),
    )
  })
  it('CSV keeps its columns, defuses formulas and never commands', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(nasty, { minLength: 1, maxLength: 4 }), async (cells) => {
        const text = await printValues('csv', [
          Object.fromEntries(cells.map((c, i) => [`c${i}`, c])),
        ])
        expect(text).not.toMatch(commanding)
        const read = readCsv(text)
        expect(read.map((row) => row.length)).toEqual([cells.length, cells.length])
        for (const cell of read[1] ?? []) expect(cell).not.toMatch(/^([=+@\t\n]|-(?!\d))/)
        const record = Object.fromEntries(cells.map((c, i) => [`c${i}`, c]))
        const [, raw = []] = readCsv(await printValues('csv', [record], { csvRaw: true }))
        // Control characters are written as text, which stays.
        for (const [i, cell] of raw.entries())
          if (!cell.startsWith('\\')) expect(unescapeFormula(read[1]?.[i] ?? '')).toBe(cell)
      }),
    )
  })
  it('JSON and NDJSON read back as they were, also on a terminal', async () => {
    await fc.assert(
      fc.asyncProperty(records, fc.boolean(), async (all, terminal) => {
        const text = await printValues('json', all, { terminal })
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(all)))
        const lines = (await printValues('ndjson', all, { terminal })).split('\n').slice(0, -1)
        expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(all)))
        if (terminal) expect(text + lines.join('')).not.toMatch(commanding)
      }),
    )
  })
  it('YAML reads back as it was, and never commands', async () => {
    await fc.assert(
      fc.asyncProperty(records, async (all) => {
        const text = await printValues('yaml', all)
        expect(text).not.toMatch(commanding)
        expect(parse(text, { uniqueKeys: false })).toEqual(JSON.parse(JSON.stringify(all)))
      }),
    )
  })
})

/** Reads CSV as RFC 4180 says. */
const readCsv = (text: string): string[][] => {
  const rows: string[][] = [[]]
  for (const [, quoted, bare, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? bare ?? '')
    if (end === '\n') rows.push([])
    if (end === '') break
  }
  return rows.slice(0, -1)
}
