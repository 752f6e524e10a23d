/** Tests the reader of structured files: each keyword has an error message with a position, in YAML and in JSON. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Findings } from '../../src/base/documents/findings.js'
import { readDocument } from '../../src/base/documents/index.js'
import { readJson } from '../../src/base/documents/json.js'
import { readStoredJson } from '../../src/base/documents/stored.js'

const count = { type: 'integer', minimum: 1, maximum: 9 }
const inner = {
  type: 'object',
  properties: { env: { type: 'string', pattern: '^[A-Z]+$', description: 'capitals' } },
  required: ['env'],
  additionalProperties: false,
}
const schema = {
  type: 'object',
  title: 'a test file',
  properties: {
    test: { const: 1 },
    count,
    text: { type: 'string', minLength: 2, maxLength: 4 },
    day: { type: 'string', format: 'date' },
    word: { enum: ['alpha', 'beta'] },
    list: { type: 'array', items: count, maxItems: 2 },
    keys: { type: 'object', propertyNames: { pattern: '^[a-z]+$', title: 'name' } },
    secret: { anyOf: [{ type: 'string', pattern: '^env:' }, inner], writeOnly: true },
    either: { anyOf: [{ type: 'integer' }, { type: 'array', items: { type: 'string' } }, inner] },
    own: { type: 'string', pattern: '^x', errorMessage: 'own must begin with an x' },
  },
  required: ['test'],
  additionalProperties: false,
}

/** Returns the findings in a text, without the name of the file. */
const findMistakes = async (text: string, json: boolean): Promise<string | undefined> => {
  const findings = new Findings()
  const bytes = Buffer.from(text)
  if (json) readJson(schema, bytes, 'f', findings)
  else await readDocument(schema, bytes, 'f', findings)
  const failure = findings.toFailure()
  const { hint } = failure?.details ?? {}
  return (
    failure && `${failure.message.replaceAll(/\bf:/g, '')}${hint === undefined ? '' : ` (${hint})`}`
  )
}

/** Texts of flow maps, which are also JSON, and the finding in each. */
const invalidTexts: readonly (readonly [text: string, finding: string])[] = [
  ['[]', '1:1: a test file must be a map, not a list'],
  ['"password"', '1:1: a test file must be a map, not text'],
  ['{"pass": "word"}', '1:1: test is missing (Write test: 1.)'],
  ['{"test": 2}', '1:10: test must be the number 1 (A newer svcctl may support other versions.)'],
  ['{"test": 1, "cuont": 1}', '1:13: cuont is not allowed here (Did you mean count?)'],
  ['{"test": 1, "count": "x"}', '1:22: count must be a whole number, not "x"'],
  ['{"test": 1, "count": 0}', '1:22: count must be at least 1, not 0'],
  ['{"test": 1, "count": 10}', '1:22: count must be at most 9, not 10'],
  ['{"test": 1, "text": "a"}', '1:21: text must have at least 2 characters, not "a"'],
  ['{"test": 1, "text": ""}', '1:21: text must have at least 2 characters, not an empty value'],
  ['{"test": 1, "text": "abcde"}', '1:21: text must have at most 4 characters'],
  [
    '{"test": 1, "day": "2027-02-30"}',
    '1:20: day must be a day such as 2027-01-31, not "2027-02-30"',
  ],
  [
    '{"test": 1, "word": "alpah"}',
    '1:21: word must be alpha or beta, not "alpah" (Did you mean alpha?)',
  ],
  ['{"test": 1, "list": [1, "b"]}', '1:25: an item of list must be a whole number, not "b"'],
  ['{"test": 1, "list": [1, 2, 3]}', '1:21: list must have at most 2 items'],
  ['{"test": 1, "keys": {"A": [1]}}', '1:22: "A" is not a valid name'],
  ['{"test": 1, "either": "x"}', '1:23: either must be a whole number, a list or a map, not "x"'],
  ['{"test": 1, "either": ["a", 1]}', '1:29: an item of either must be text, not 1'],
  ['{"test": 1, "either": {"env": "a"}}', '1:31: "a" is not a valid env (Use capitals.)'],
  ['{"test": 1, "own": "y"}', '1:20: own must begin with an x'],
  ['{"test": 1, "secret": "hunter2"}', '1:23: secret must be a map, not text'],
  [
    '{"test": 1, "secret": {"env": "hunter2"}}',
    '1:31: a value of 7 characters is not a valid env (Use capitals.)',
  ],
  ['{"test": 1, "secret": 12345}', '1:23: secret must be a map, not a number'],
  ['{"test": 1, "secret": {"hunter2": 1}}', 'this key is not allowed here'],
  ['{"test": 1, "__proto__": {}, "constructor": 1}', '2 errors in files:\n1:13: __proto__'],
  ['{"a\\"b": [{"x": "y,]"}], "test":\n 2, "é": "ü"}', '2:2: test must be the number 1'],
]

describe('a document', () => {
  it.each(invalidTexts)('says what is wrong: %s', async (text, finding) => {
    expect(await findMistakes(text, true)).toContain(finding)
    expect(await findMistakes(text, false)).toContain(finding)
  })

  it('is the same as YAML and as JSON, and however much was read before', async () => {
    const value = fc.oneof(fc.integer({ min: -2, max: 12 }), fc.string(), fc.constant(null))
    const part = fc.oneof(
      value,
      fc.array(value, { maxLength: 3 }),
      fc.dictionary(fc.string({ minLength: 1 }), value),
    )
    const keys = fc.constantFrom(...Object.keys(schema.properties), 'coutn', '__proto__')
    const entries = fc.uniqueArray(fc.tuple(keys, part), { selector: ([key]) => key })
    // The schema is compiled for texts beyond this size.
    await findMistakes(JSON.stringify({ test: 1, text: 'x'.repeat(1 << 19) }), true)
    await fc.assert(
      fc.asyncProperty(entries, async (all) => {
        const text = JSON.stringify(Object.fromEntries([['test', 1], ...all]), null, 1)
        expect(await findMistakes(text, false)).toBe(await findMistakes(text, true))
      }),
      { numRuns: 200 },
    )
  })

  it('is the same where it is read without the library', async () => {
    const texts = { type: 'array', items: { type: 'string', pattern: '^[a-z]' } }
    const small = {
      type: 'object',
      properties: {
        test: { const: 1 },
        number: { type: 'number' },
        count: { type: ['integer', 'null'] },
        word: { enum: ['alpha', 'beta'] },
        texts,
        strict: {
          type: 'object',
          properties: { a: { type: 'boolean' }, b: { type: 'string', writeOnly: true } },
          required: ['a'],
          additionalProperties: false,
        },
        map: {
          type: 'object',
          propertyNames: { pattern: '^[a-z]+$', title: 'name' },
          additionalProperties: texts,
        },
      },
      required: ['test', 'word'],
    } as const
    const findOf = (hasLibrary: boolean, text: string) => {
      const findings = new Findings()
      const bytes = Buffer.from(text)
      const document = hasLibrary
        ? readJson(small, bytes, 'f', findings)
        : readStoredJson(small, bytes, 'f', findings)
      const failure = findings.toFailure()
      return [document?.value, failure?.message, failure?.details.hint]
    }
    const names = ['test', 'number', 'count', 'word', 'texts', 'strict', 'map', 'a', 'b', '~/', 'A']
    const key = fc.constantFrom(...names, '__proto__', 'constructor')
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(1, 2, 1.5, true, null, 'alpha', 'beta', 'B', '', []),
        fc.array(tie('value'), { maxLength: 2 }),
        fc
          .uniqueArray(fc.tuple(key, tie('value')), { selector: ([name]) => name, maxLength: 9 })
          .map((all) => Object.fromEntries(all)),
      ),
    }))
    const right: unknown[] = []
    fc.assert(
      fc.property(value, fc.boolean(), (inner, isMarked) => {
        const marks = isMarked ? { test: 1, word: 'beta' } : {}
        const text = JSON.stringify(typeof inner === 'object' ? { ...inner, ...marks } : inner)
        const found = findOf(false, text)
        expect(found).toEqual(findOf(true, text))
        if (found[0] !== undefined) right.push(found[0])
      }),
      { numRuns: 3000 },
    )
    expect(right.length).toBeGreaterThan(100)
  })

  it.each([
    ['{"test": 1', 'the file is not valid JSON: it ends early'],
    ['{"test": 1} x', '1:12: the file is not valid JSON: text follows the value'],
    ['{"é": 1, "test": tru}', '1:21: the file is not valid JSON'],
    [`{"test": ${'['.repeat(5000)}`, 'is nested more than'],
  ])('is no JSON: %s', async (text, why) => {
    expect(await findMistakes(text, true)).toContain(why)
  })
})
