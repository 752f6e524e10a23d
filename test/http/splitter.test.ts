import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bounds, MalformedJson } from '../../src/base/json/json.js'
import { PackedRecords } from '../../src/base/json/records.js'
import { KeyMatcher, NoListError, Splitter } from '../../src/http/lists/splitter.js'

const encoder = new TextEncoder()

/** Cuts bytes at the given places, which may repeat and may be out of range. */
const cutBytes = (bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] => {
  const places = [...new Set(cuts.map((n) => n % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...places].map((from, i) => bytes.slice(from, places[i] ?? bytes.length))
}

const split = (chunks: readonly Uint8Array[]): string[] => {
  const splitter = new Splitter()
  const elements = chunks.flatMap((chunk) => splitter.push(chunk).slice())
  splitter.end()
  return elements.map((element) => Buffer.from(element).toString())
}
const splitText = (text: string): string[] => split([encoder.encode(text)])

/** Returns the records in which a name was found. A batch that was not searched counts as found as a whole. */
const findMatched = (chunks: readonly Uint8Array[], endings: readonly string[]): string[] => {
  const match = { endings }
  const splitter = new Splitter(new KeyMatcher(match))
  return chunks.flatMap((chunk) => {
    const batch = splitter.push(chunk)
    const places = batch instanceof PackedRecords ? batch.matched(match) : undefined
    return batch
      .slice()
      .filter((_, place) => places === undefined || places.includes(place))
      .map((record) => Buffer.from(record).toString())
  })
}

const arrays = fc.array(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), { maxLength: 12 })
const cuts = fc.array(fc.nat(), { maxLength: 12 })
const styles = fc.constantFrom(undefined, 1, '\t', '\r\n ')

describe('Splitter', () => {
  it('gives the elements of any array in any chunks', () => {
    fc.assert(
      fc.property(arrays, cuts, styles, (array, places, style) => {
        const text = JSON.stringify(array, null, typeof style === 'string' ? undefined : style)
        const padded = typeof style === 'string' ? `${style}${text}${style}` : text
        const elements = split(cutBytes(encoder.encode(padded), places))
        expect(elements.map((e) => JSON.parse(e))).toEqual(JSON.parse(text))
      }),
    )
  })
  it('gives the bytes as they came', () => {
    expect(splitText(' [ {"a" :  "\\u00e9]"} , 1.50e1,"x\\\\" ,[ ] , null ]\n')).toEqual([
      '{"a" :  "\\u00e9]"}',
      '1.50e1',
      '"x\\\\"',
      '[ ]',
      'null',
    ])
    expect(splitText('[]')).toEqual([])
  })
  it('notices every array that is cut short', () => {
    fc.assert(
      fc.property(arrays, cuts, fc.nat(), (array, places, at) => {
        const bytes = encoder.encode(JSON.stringify(array))
        const short = bytes.slice(0, at % bytes.length)
        expect(() => split(cutBytes(short, places))).toThrow(MalformedJson)
      }),
    )
  })
  it.each([
    ['', 'nothing came'],
    ['{"message":"no"}', 'no JSON list'],
    ['<html>', 'no JSON list'],
    ['[1,]', 'missing record'],
    ['[,1]', 'missing record'],
    ['[{}{}]', 'missing comma'],
    ['[[}]', 'expected a value or "]"'],
    ['[{"a":]}]', 'expected a value'],
    ['[1]]', 'after its end'],
    ['[1] x', 'after its end'],
    ['[nul]', 'not valid JSON'],
    ['[01]', 'not valid JSON'],
    ['["\n"]', 'not valid JSON'],
    ['[{"a":1}', 'cut short'],
  ])('refuses %j', (text, why) => {
    expect(() => splitText(text)).toThrow(why)
  })
  it('tells a foreign body from a broken list', () => {
    const foreign = (text: string): unknown => {
      try {
        return splitText(text)
      } catch (error) {
        return error instanceof NoListError
      }
    }
    expect(foreign('<html>')).toBe(true)
    expect(foreign('[1')).toBe(false)
  })
  it('replaces what is not UTF-8, wherever it is cut', () => {
    const bytes = Buffer.concat([
      Buffer.from('[{"a":"größe"},{"a":"'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"},{"a":"é"}]'),
    ])
    for (let at = 0; at < bytes.length; at++)
      expect(split([bytes.subarray(0, at), bytes.subarray(at)])).toEqual([
        '{"a":"größe"}',
        '{"a":"\ufffd("}',
        '{"a":"é"}',
      ])
  })
  it('refuses what is nested too deep', () => {
    const deep = (n: number): string => `[${'['.repeat(n)}${']'.repeat(n)}]`
    expect(splitText(deep(bounds.depth))).toHaveLength(1)
    expect(() => splitText(deep(bounds.depth + 1))).toThrow('nested more than 200 levels deep')
    expect(() => splitText(deep(100_000))).toThrow('nested more than 200 levels deep')
  })
  it('refuses a record of too many values, and takes more of them in several', () => {
    const most = bounds.values
    expect(splitText(`[[${'0,'.repeat(most - 2)}0],[0],[0]]`)).toHaveLength(3)
    expect(() => splitText(`[[${'0,'.repeat(most - 1)}0]]`)).toThrow('more than 1 million values')
  })
  it('gives the records before a broken one, and tells its place', () => {
    const splitter = new Splitter()
    expect(splitter.push(encoder.encode('[{"id":1},'))).toHaveLength(1)
    expect(splitter.push(encoder.encode('{"id":2},{"id":3 4},{"id":5}'))).toHaveLength(1)
    const again = /expected a comma or the closing bracket, at byte 28$/
    expect(() => splitter.push(encoder.encode(']'))).toThrow(again)
    expect(() => splitter.end()).toThrow(again)
  })
  it('refuses a record without an end, and blanks without one', () => {
    const endless = (start: string, filler: string): void => {
      const splitter = new Splitter()
      splitter.push(encoder.encode(start))
      const chunk = encoder.encode(filler.repeat(1 << 20))
      for (let i = 0; i < 100; i++) splitter.push(chunk)
    }
    expect(() => endless('["', 'x')).toThrow('larger than 64 MiB')
    expect(() => endless('[', ' ')).toThrow('larger than 64 MiB')
  })
  it('finds every record that holds a name it looks out for, however spelt, in any chunks', () => {
    const names = new Set(['token', 'api_key', 'größe', 'q"t'])
    const escaped = (text: string): string =>
      text.replace(/\w/, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
    const spelt = fc
      .constantFrom(...names)
      .chain((name) => fc.constantFrom(JSON.stringify(name), `"${escaped('token')}"`))
    const records = fc.array(
      fc.tuple(fc.jsonValue({ maxDepth: 2 }), fc.option(spelt, { nil: undefined })),
      { minLength: 1, maxLength: 8 },
    )
    fc.assert(
      fc.property(records, cuts, (all, places) => {
        const texts = all.map(
          ([value, name]) => `{"x":${JSON.stringify(value)}${name ? `,"y":[{${name}:"s"}]` : ''}}`,
        )
        const chunks = cutBytes(encoder.encode(`[${texts.join(',')}]`), places)
        expect(findMatched(chunks, [...names])).toEqual(
          expect.arrayContaining(texts.filter((_, i) => all[i]?.[1] !== undefined)),
        )
      }),
    )
  })
  it('does not find records that hold none', () => {
    const text = '[{"id":1,"name":"tokens","to":"en"},{"token":1},{"t":"n"},"hubToken"]'
    for (let at = 0; at < text.length; at++)
      expect(
        findMatched([encoder.encode(text.slice(0, at)), encoder.encode(text.slice(at))], ['token']),
      ).toContain('{"token":1}')
    expect(findMatched([encoder.encode(text)], ['token'])).toEqual(['{"token":1}'])
  })
})
