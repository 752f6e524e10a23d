import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bounds, MalformedJson } from '../../src/base/json/json.js'
import { checkJson, Scanner } from '../../src/base/json/scan.js'
import { countDraws } from '../support/draws.js'

const findRefusal = (bytes: Uint8Array): MalformedJson | undefined => {
  try {
    checkJson(bytes)
    return undefined
  } catch (error) {
    if (error instanceof MalformedJson) return error
    throw error
  }
}
const accepts = (text: string): boolean => findRefusal(Buffer.from(text)) === undefined

/** True if the scanner accepts the text in chunks of `size` bytes. */
const acceptsChunks = (text: string, size: number): boolean => {
  const bytes = Buffer.from(text)
  const scanner = new Scanner()
  try {
    let rest = ''
    for (let at = 0; at < bytes.length; at += size) {
      const chunk = bytes.subarray(at, at + size)
      if (scanner.done) rest += chunk.toString()
      else rest += chunk.subarray(scanner.scan(chunk, 0)).toString()
    }
    return scanner.finish() && /^[ \t\r\n]*$/.test(rest)
  } catch (error) {
    if (error instanceof MalformedJson) return false
    throw error
  }
}

/** True if Node's parser accepts the text: the reference for both checks. */
const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const signs = [...'[]{}:,"\\ \n\t\u0000\u001f0123456789-+.eEtruefalsn/ub{[é\u00a0\ufeff']
const texts = fc.oneof(
  fc.json({ maxDepth: 3 }),
  fc
    .jsonValue({ maxDepth: 3, stringUnit: 'binary' })
    .map((value) => JSON.stringify(value, null, 1)),
  fc.constantFrom('-1.5e+3', '[0.10,-0,1E5]', '{"a":[true,false,null]}', '"\\u00e9\\n\\/"', ' 7 '),
)
/** JSON texts with a few characters inserted, removed or replaced. */
const mutatedTexts = fc
  .tuple(
    texts,
    fc.array(fc.tuple(fc.nat(), fc.constantFrom('', ...signs), fc.nat(2)), { maxLength: 3 }),
  )
  .map(([text, changes]) =>
    changes.reduce((now, [place, sign, cut]) => {
      const at = place % (now.length + 1)
      return now.slice(0, at) + sign + now.slice(at + cut)
    }, text),
  )

describe('checkJson', () => {
  it('refuses a colon after a text that is no name', () => {
    for (const text of ['["a":1]', '{"a":"b":1}', '"a":1'])
      expect([text, accepts(text), acceptsChunks(text, 100)]).toEqual([text, false, false])
  })

  it('takes what Node’s parser takes and nothing else, in any chunks', () => {
    fc.assert(
      fc.property(mutatedTexts, fc.integer({ min: 1, max: 9 }), (text, size) => {
        const right = isJson(text)
        expect([accepts(text), acceptsChunks(text, size)]).toEqual([right, right])
      }),
      { numRuns: countDraws(3000) },
    )
  })
  it('finds the end of a text, and what may not stand in it, at every place', () => {
    for (let byte = 0; byte < 256; byte++)
      for (let at = 0; at < 10; at++) {
        const bytes = Buffer.from(`["${'~'.repeat(9)}"]`)
        bytes[2 + at] = byte
        // The last byte must be the closing quote. Before it, neither a quote nor a backslash may occur.
        const right = at === 9 ? byte === 0x22 : byte >= 0x20 && byte !== 0x22 && byte !== 0x5c
        expect([byte, at, findRefusal(bytes) === undefined]).toEqual([byte, at, right])
      }
  })
  it('takes a repeated key, and no rest', () => {
    expect(accepts('{"a":1,"a":2}')).toBe(true)
    expect(accepts('{"a":1} {}')).toBe(false)
    expect(accepts('')).toBe(false)
  })
  it.each([
    ['{"a":1 2}', 'expected a comma or the closing bracket, at byte 8'],
    ['{"a" 1}', 'expected a colon, at byte 6'],
    ['[01]', 'expected a comma or the closing bracket, at byte 3'],
    ['[1.]', 'expected a digit, at byte 4'],
    ['["\\x"]', 'an unknown escape sequence, at byte 4'],
    ['["a\tb"]', 'a control character inside a string, at byte 4'],
    ['[nul]', 'expected a value, at byte 5'],
  ])('says of %j what was expected, and where', (text, words) => {
    expect(findRefusal(Buffer.from(text))?.message).toContain(words)
  })
  it.each([
    ['values', Buffer.from(`[${'0,'.repeat(bounds.values - 1)}0]`), '1 million values'],
    ['depth', Buffer.from('['.repeat(bounds.depth + 1)), 'nested more than 200 levels deep'],
    ['bytes', Buffer.alloc(bounds.bytes + 1, ' '), 'larger than 64 MiB'],
  ])('names the bound of %s that is passed', (_, bytes, words) => {
    expect(findRefusal(bytes)?.message).toContain(words)
  })
})
