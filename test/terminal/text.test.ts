import { createRequire } from 'node:module'
import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import {
  escapeControlLines,
  escapeControls,
  formatAge,
  formatDuration,
  formatIsoAge,
  loadWidths,
  roughWidths,
} from '../../src/base/screen-text.js'
import { getStatusStyle } from '../../src/base/tones.js'
import { createLinker, drawBar, formatLink } from '../../src/terminal/style.js'

const measureCell: (text: string) => number = createRequire(import.meta.url)(
  '../../.config/string-width.cjs',
)

describe('visible', () => {
  it.each([
    ['plain text, élève, 語, 👩‍👩‍👧', 'plain text, élève, 語, 👩‍👩‍👧'],
    ['a\tb\nc\r', 'a\\tb\\nc\\r'],
    ['\u001b[31m\u0000\u007f', '\\u001b[31m\\u0000\\u007f'],
    ['\u009b2J\u0085', '\\u009b2J\\u0085'],
    ['\u202edrow\u2066x\u200e\u2028', '\\u202edrow\\u2066x\\u200e\\u2028'],
    ['lone \ud800 surrogate', 'lone \\ud800 surrogate'],
  ])('%j', (text, shown) => {
    expect(escapeControls(text)).toBe(shown)
  })
  it('keeps JSON text JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
        const json = JSON.stringify([value, text])
        expect(JSON.parse(escapeControls(json))).toEqual(JSON.parse(json))
      }),
    )
  })
})

it('shows the lines of a long text as lines, wherever a piece of it ends', () => {
  for (const before of ['', 'a', 'ab'])
    expect(escapeControlLines(`${before}${'\r\n'.repeat(40_000)}`)).toBe(
      before + '\n'.repeat(40_000),
    )
})

describe('widths', async () => {
  const { measure, truncate, wrap } = await loadWidths(['語'])

  it('are upper bounds where they are rough, whatever was measured before', async () => {
    for (const rough of [roughWidths, await loadWidths(['plain'])]) {
      expect(rough.measure('語')).toBe(2)
      expect(rough.measure('👩‍👩‍👧')).toBeGreaterThan(2)
      expect(rough.truncate('👩‍👩‍👧 and more', 12)).toBe('👩‍👩‍👧…')
    }
    expect(measure('👩‍👩‍👧')).toBe(2)
    expect(truncate('👩‍👩‍👧 and more', 12)).toBe('👩‍👩‍👧 and more')
  })
  it('of the simple characters are one column, as string-width has it', () => {
    for (let code = 0x20; code < 0x2fff; code++) {
      const char = String.fromCharCode(code)
      expect([code, measure(char)]).toEqual([code, stringWidth(char)])
      // The tables of cli-table3 are measured by a rule of their own.
      expect([code, measureCell(char)]).toEqual([code, stringWidth(char)])
    }
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'aéЯω…●✓ ©') }), (text) => {
        expect(measure(text)).toBe(stringWidth(text))
      }),
    )
  })
  it.each([
    ['hello', 5, 'hello'],
    ['hello', 4, 'hel…'],
    ['hello world', 7, 'hello…'],
    ['語語語', 5, '語語…'],
    ['語語語', 4, '語…'],
    ['👩‍👩‍👧👩‍👩‍👧', 3, '👩‍👩‍👧…'],
    ['hello', 1, '…'],
    ['hello', 0, ''],
  ])('%s cut to %d', (text, columns, cut) => {
    expect(truncate(text, columns)).toBe(cut)
  })
  it.each([
    ['one two three', 7, ['one two', 'three']],
    ['abcdefgh', 3, ['abc', 'def', 'gh']],
    ['語語 語', 4, ['語語', '語']],
    ['', 5, ['']],
  ])('%s wrapped at %d', (text, columns, lines) => {
    expect(wrap(text, columns)).toEqual(lines)
  })
  it('are never exceeded, and no word is lost', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '語', '🫠', 'é', 'क्षि') })
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 30 }), (t, columns) => {
        expect(measure(truncate(t, columns))).toBeLessThanOrEqual(columns)
        const lines = wrap(t, columns)
        for (const line of lines) expect(measure(line)).toBeLessThanOrEqual(columns)
        expect(lines.join('').replaceAll(' ', '')).toBe(t.replaceAll(' ', ''))
      }),
    )
  })
})

describe('times', () => {
  const now = new Date('2026-05-01T12:00:00Z')
  it.each([
    ['2026-05-01T11:59:58Z', 'just now'],
    ['2026-05-01T11:59:15Z', '45 s ago'],
    ['2026-05-01T11:30:00.000Z', '30 min ago'],
    ['2026-05-01T12:00:00+02:00', '2 h ago'],
    ['2026-05-04T12:00:00Z', 'in 3 d'],
    ['2026-02-15T12:00:00Z', '2 mo ago'],
    ['2020-05-01T12:00:00Z', '6 y ago'],
    ['2026-05-01', undefined],
    ['2026-99-99T99:99:99Z', undefined],
    ['yesterday', undefined],
  ])('%s: %s', (text, expected) => {
    expect(formatIsoAge(text, now)).toBe(expected)
  })
  it('take dates too', () => {
    expect(formatAge(new Date('2026-05-01T13:00:00Z'), now)).toBe('in 1 h')
  })
  it.each([
    [0, '0 s'],
    [3.24, '3.2 s'],
    [59.97, '60 s'],
    [61, '1 min 1 s'],
    [3600, '1 h'],
    [3725, '1 h 2 min'],
    [90_000, '1 d 1 h'],
    [-90, '-1 min 30 s'],
  ])('%d seconds: %s', (seconds, expected) => {
    expect(formatDuration(seconds)).toBe(expected)
  })
})

describe('words and signs', () => {
  it('tells states apart without colour', () => {
    expect(getStatusStyle('online')?.text).toBe('● online')
    expect(getStatusStyle('Unhealthy')).toEqual({ text: '✗ Unhealthy', tone: 'bad' })
    expect(getStatusStyle('constructor')).toBeUndefined()
    expect(getStatusStyle('something new')).toBeUndefined()
  })
  it.each([
    [0, '░░░░'],
    [0.01, '█░░░'],
    [0.5, '██░░'],
    [0.999, '███░'],
    [1, '████'],
    [7, '████'],
    [Number.NaN, '░░░░'],
  ])('a bar of %d', (fraction, expected) => {
    expect(drawBar(fraction, 4)).toBe(expected)
  })
  it('links plain addresses only', () => {
    expect(formatLink('x', 'https://a.test/b')).toBe(
      '\u001b]8;;https://a.test/b\u001b\\x\u001b]8;;\u001b\\',
    )
    for (const url of ['javascript:x', 'https://a\u001b\\b', 'https://a b', 'https://a\u0007'])
      expect(formatLink('x', url)).toBe('x')
  })
  it('does not link in a pipe', async () => {
    const link = await createLinker({ isTTY: false }, { FORCE_HYPERLINK: '1' })
    expect(link('x', 'https://a.test')).toBe('x')
  })
})
