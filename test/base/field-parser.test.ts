/** Tests that parsing only some fields of a record gives the same values as parsing the whole record. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFieldParser } from '../../src/base/json/field-parser.js'
import { PackedRecords } from '../../src/base/json/records.js'
import { parseRecord, parseRecords } from '../../src/base/json/values.js'
import { Splitter } from '../../src/http/lists/splitter.js'

const names = ['id', 'name', 'namespace', 'a.b', 'größe', '__proto__', '']
const name = fc.oneof(fc.constantFrom(...names), fc.string({ unit: 'grapheme' }))
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', 'a', ' ') }),
)
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(true, false, null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
})).value

const failOnWholeParse = (): never => {
  throw new Error('the record was parsed whole')
}

describe('createFieldParser', () => {
  it('returns the wanted fields of any object, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.base64String()), value),
        fc.integer({ min: 0, max: 2 }),
        (record, indent) => {
          const bytes = Buffer.from(JSON.stringify(record, null, indent))
          const found = createFieldParser(names, failOnWholeParse)(bytes)
          const wanted = Object.entries(record).filter(([key]) => names.includes(key))
          expect(found).toEqual(JSON.parse(JSON.stringify(Object.fromEntries(wanted))))
        },
      ),
    )
  })

  it('returns the value of any name as whole parsing does', () => {
    fc.assert(
      fc.property(fc.oneof(fc.dictionary(name, value), value), (record) => {
        const bytes = Buffer.from(JSON.stringify(record))
        const found = createFieldParser(names, parseRecord)(bytes)
        const whole = parseRecord(bytes)
        const pick = (from: unknown): unknown =>
          typeof from !== 'object' || from === null || Array.isArray(from)
            ? from
            : Object.entries(from).filter(([key]) => names.includes(key))
        expect(pick(found)).toEqual(pick(whole))
      }),
    )
  })

  it('keeps exact numbers, and the last of several fields with one name', () => {
    const parse = createFieldParser(['id', 'size'], failOnWholeParse)
    expect(
      parse(Buffer.from('{"id":1,"x":{"id":9},"size":1.0,"id":12345678901234567890}')),
    ).toEqual(parseRecord(Buffer.from('{"id":12345678901234567890,"size":1.0}')))
  })

  it('parses a record whole if it is large, is no object, or may disguise a name', () => {
    const parse = createFieldParser(['name'], () => 'whole')
    expect(parse(Buffer.from(`{"x":"${'a'.repeat(1 << 16)}","name":1}`))).toBe('whole')
    expect(parse(Buffer.from('[{"name":1}]'))).toBe('whole')
    expect(parse(Buffer.from('{"n\\u0061me":1}'))).toBe('whole')
    expect(parse(Buffer.from('{"name":nothing}'))).toBe('whole')
  })
})

describe('parseRecords', () => {
  const number = fc.oneof(
    fc.constantFrom(
      '0',
      '-0',
      '1.0',
      '1e2',
      '12E-1',
      '0.10',
      '999999999999999',
      '9007199254740993',
    ),
    fc.integer().map(String),
    fc.bigInt({ min: 0n, max: 10n ** 20n }).map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  )

  it('keeps every number of a list as it came, however its bytes arrive', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(number, { maxLength: 3 }), { maxLength: 4 }),
        fc.integer({ min: 1, max: 40 }),
        (records, size) => {
          const bytes = Buffer.from(
            `[${records.map((one) => `{"n":[${one.join(',')}]}`).join(',')}]`,
          )
          const splitter = new Splitter()
          const found: unknown[] = []
          for (let at = 0; at < bytes.length; at += size)
            found.push(...parseRecords(splitter.push(Buffer.from(bytes.subarray(at, at + size)))))
          const texts = records.map((one) => Buffer.from(`{"n":[${one.join(',')}]}`))
          expect(found).toEqual(texts.map(parseRecord))
        },
      ),
    )
  })

  it('knows a list with usual numbers alone', () => {
    const cut = (list: string) => new Splitter().push(Buffer.from(list))
    const usual = cut('[{"n":0},{"n":[12,999999999999999]}]')
    expect(usual instanceof PackedRecords && usual.unusual).toBe(false)
    const unusual = cut('[{"n":0},{"n":1000000000000000}]')
    expect(unusual instanceof PackedRecords && unusual.unusual).toBe(true)
  })
})
