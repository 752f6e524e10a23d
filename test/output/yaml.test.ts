import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { countDraws } from '../support/draws.js'
import { hasProgram } from '../support/terminal.js'
import { createCollector, openTestWriter, printValues, writeRecords } from './open.js'

/** Reads texts on standard input with PyYAML, which reads YAML 1.1. */
const pythonReader = `import json, sys, yaml
sys.set_int_max_str_digits(0)
load = lambda text: yaml.load(text, Loader=yaml.SafeLoader)
print(json.dumps([load(text) for text in json.load(sys.stdin)]))`

/** Texts that some reader could take for anything else. */
const misleading = fc.oneof(
  fc.constantFrom('y', 'No', 'ON', '~', '', 'null', 'Null', '.inf', 'NaN', '<<', '=', '---', '...'),
  fc.constantFrom('012', '0o7', '0x1f', '1_000', '1e3', '1:30', '-', '?', '2026-05-01', '12:30:45'),
  fc.constantFrom('$exact', 'http://a.b/c', 'http://a b', 'https://', 'a:b', 'a: b', 'a #b', '#'),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...'ab_/.@+-()*=!?$%:#&{}[],|>"\\\' \t\n\r') }),
  fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\n\n', '\t', '# ', '- ', '---\n', '\u2028') }),
  fc.string({
    unit: fc.constantFrom('\ufeff', '\uffff', '\u{e0041}', '\ud800', '\u00ad', '👩‍👧', 'é'),
  }),
  fc.constant('k'.repeat(1100)),
)
const number = fc.oneof(
  fc.integer(),
  // YAML 1.1 reads an exponent only after a decimal point.
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !/e/.test(String(n))),
)
const { value: anything } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    misleading,
    number,
    fc.constantFrom(true, false, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(misleading, tie('value'), { maxKeys: 3 }),
  ),
}))
const toJsonValue = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
/** Prints each value as the YAML of a single object, and all values as a list. */
const toYamlTexts = async (values: readonly unknown[]): Promise<string[]> => [
  ...(await Promise.all(values.map((one) => printValues('yaml', [one], { many: false })))),
  await printValues('yaml', values),
]
const hasPython = hasProgram('python3', '-cimport yaml')

describe('YAML', () => {
  it('gives a list as one sequence, record by record', async () => {
    const sink = createCollector()
    const writer = await openTestWriter('yaml', sink)
    await writer.record({ id: 1, tags: ['a', 'b'], user: { name: 'Ana' } })
    expect(sink.text()).toBe('- id: 1\n  tags:\n    - a\n    - b\n  user:\n    name: Ana\n')
    await writer.record('x')
    await writer.close()
    expect(parse(sink.text())).toEqual([{ id: 1, tags: ['a', 'b'], user: { name: 'Ana' } }, 'x'])
  })
  it('gives the empty list, and one object bare', async () => {
    expect(await printValues('yaml', [])).toBe('[]\n')
    expect(await printValues('yaml', [{ a: null }], { many: false })).toBe('a: null\n')
  })
  it('quotes what other versions of YAML read otherwise', async () => {
    const text = await printValues('yaml', [{ a: 'no', b: '012', c: '1:30', d: 'null', e: '~' }])
    expect(text).not.toMatch(/: (no|012|null|~)$/m)
    expect(parse(text, { version: '1.1' })).toEqual([
      { a: 'no', b: '012', c: '1:30', d: 'null', e: '~' },
    ])
  })
  it('keeps lines as a block, and escapes control characters', async () => {
    expect(await printValues('yaml', [{ a: 'x\ny\n' }], { many: false })).toBe('a: |\n  x\n  y\n')
    const hostile = { 'k\u202e': '\u001b[2J\u009b\u2028\rx\ny' }
    const text = await printValues('yaml', [hostile], { many: false })
    expect(text).not.toMatch(/[^\P{C}\n]|\u2028/u)
    expect(parse(text)).toEqual(hostile)
  })
  it('keeps white space at the start of text with lines', async () => {
    const values = [' \n', '\n\n', '\t\na', '  a\n b', ' \n \n']
    expect(parse(await printValues('yaml', [{ a: { '': values } }], { many: false }))).toEqual({
      a: { '': values },
    })
  })
  it('keeps every line of text that is quoted', async () => {
    const text = `\u001b\n \n${'a\n \n'.repeat(20)}`
    const written = await printValues('yaml', [{ text }], { many: false })
    expect(parse(written)).toEqual({ text })
  })
  it('does not fold long text', async () => {
    const long = 'word '.repeat(60).trim()
    expect(await printValues('yaml', [{ long }], { many: false })).toBe(`long: ${long}\n`)
  })
  it('is the value to readers of YAML 1.1 and 1.2', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anything, { maxLength: 3 }), async (values) => {
        const read = toJsonValue([...values, values])
        for (const version of ['1.1', '1.2'] as const)
          expect(
            (await toYamlTexts(values)).map((text) => parse(text, { version, logLevel: 'error' })),
          ).toEqual(read)
      }),
      { numRuns: countDraws(80) },
    )
  })
  it.skipIf(!hasPython)('is the value to PyYAML, where it is there', async () => {
    const values = fc.sample(anything, { numRuns: 200, seed: fc.readConfigureGlobal().seed ?? 1 })
    const input = JSON.stringify(await toYamlTexts(values))
    const read = execFileSync('python3', ['-c', pythonReader], { input, maxBuffer: 1 << 28 })
    expect(JSON.parse(String(read))).toEqual(toJsonValue([...values, values]))
  })
  it('has numbers as they came', async () => {
    const record = '{"a":1.0,"b":12345678901234567890,"c":1e400,"d":-0}'
    expect(await writeRecords('yaml', [record], { many: false })).toBe(
      'a: 1.0\nb: 12345678901234567890\nc: 1e400\nd: -0\n',
    )
  })
  it('grows with what is nested by no more than its depth', async () => {
    const deep = `${'{"a":['.repeat(1000)}${']}'.repeat(1000)}`
    const text = await writeRecords('yaml', [deep], { many: false })
    expect(text.length).toBeLessThan(deep.length * 2)
  })
  it('takes fields as JSON does', async () => {
    expect(
      await printValues('yaml', [{ a: { b: 1 } }], { many: false, fields: ['a.b', 'c'] }),
    ).toBe('a.b: 1\n')
  })
})
