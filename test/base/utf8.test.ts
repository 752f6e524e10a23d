import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeStrictly, TextReader } from '../../src/base/utf8.js'

const encodeUtf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le')

/** Reads the bytes in pieces of `size` bytes. */
const read = (bytes: Uint8Array, size: number): string => {
  const reader = new TextReader('it')
  let text = ''
  for (let i = 0; i < bytes.length; i += size) text += reader.write(bytes.subarray(i, i + size))
  return text + reader.end()
}

describe('text that comes in', () => {
  it('is the same whole and in pieces, without a byte order mark at its beginning', () => {
    const texts = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'))
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 5 }), fc.boolean(), (text, size, marked) => {
        const bytes = Buffer.from(`${marked ? '\ufeff' : ''}${text}`)
        const plain = marked ? text : text.replace(/^\ufeff/, '')
        expect([decodeStrictly(bytes, 'it'), read(bytes, size)]).toEqual([plain, plain])
      }),
    )
  })

  it.each([
    ['UTF-16 of Windows', encodeUtf16('1\r\n'), 'it is UTF-16, not UTF-8'],
    ['UTF-16 of the other order', encodeUtf16('1\r\n').swap16(), 'it is UTF-16, not UTF-8'],
    ['UTF-16 without a mark', Buffer.from('1\r\n', 'utf16le'), 'it contains NUL bytes (UTF-16?)'],
    ['a NUL byte', Buffer.from('a\0b'), 'it contains NUL bytes'],
    ['Latin-1', Buffer.from('für', 'latin1'), 'it is not UTF-8 text'],
    ['half of a character', Buffer.from('ü').subarray(0, 1), 'it is not UTF-8 text'],
    ['half of a mark', Buffer.of(0xff), 'it is not UTF-8 text'],
  ])('is refused where it is %s', (_, bytes, says) => {
    for (const reading of [
      () => decodeStrictly(bytes, 'it'),
      ...[1, 2, 3, 99].map((size) => () => read(bytes, size)),
    ])
      expect(reading).toThrow(expect.objectContaining({ category: 'usage' }))
    expect(() => decodeStrictly(bytes, 'it')).toThrow(says)
    expect(() => read(bytes, 2)).toThrow(/it is (?:not UTF-8|UTF-16)/)
  })
})
