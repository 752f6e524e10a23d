import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ExactNumber, parseExact, serializeExact } from '../../src/base/json/json.js'

const parseAndSerialize = (text: string): string | undefined => serializeExact(parseExact(text))

const numbers = fc.oneof(
  fc.constantFrom('9007199254740993', '1e400', '1.0', '-0', '-0.0', '1E5', '1e-7', '0.10', '12'),
  fc.stringMatching(/^-?(0|[1-9]\d{0,25})(\.\d{1,25})?([eE][+-]?\d{1,3})?$/),
)
const strings = fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text))
const { value: documents } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    numbers,
    strings,
    fc.constantFrom('true', 'null', '[]', '{}'),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc
      .uniqueArray(fc.tuple(fc.stringMatching(/^[a-z_"\\]{1,9}$/), tie('value')), {
        maxLength: 4,
        selector: ([key]) => key,
      })
      .map((entries) => `{${entries.map(([k, v]) => `${JSON.stringify(k)}:${v}`).join(',')}}`),
  ),
}))

describe('parseExact', () => {
  it('reads what stringifyExact writes again, every number as it came', () => {
    fc.assert(
      fc.property(documents, (text) => {
        expect(parseAndSerialize(String(text))).toBe(text)
      }),
    )
  })
  it('takes plain numbers for what they are', () => {
    expect(parseExact('[1,2.5,-3,1234567890123456,{"a":1e21}]')).toEqual([
      1,
      2.5,
      -3,
      1234567890123456,
      { a: new ExactNumber('1e21') },
    ])
  })
  it('keeps a key that would be lost in an assignment', () => {
    expect(parseAndSerialize('{"__proto__":1.0,"a":1}')).toBe('{"__proto__":1.0,"a":1}')
  })
  it('takes the last of repeated keys', () => {
    expect(parseAndSerialize('{"a":1.0,"a":2.0}')).toBe('{"a":2.0}')
  })
  it('leaves text alone that looks like numbers', () => {
    expect(parseAndSerialize('["1.0, 1e5: 9007199254740993",1.0]')).toBe(
      '["1.0, 1e5: 9007199254740993",1.0]',
    )
  })
  it('is a number to whoever reckons with it', () => {
    expect(Number(parseExact('2.50'))).toBe(2.5)
    expect(JSON.stringify(parseExact('{"a":2.50}'))).toBe('{"a":2.5}')
  })
})
