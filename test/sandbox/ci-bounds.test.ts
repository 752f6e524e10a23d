/** Tests texts that could exhaust the memory or the time of a parser, or end the process. */
import { describe, expect, it } from 'vitest'
import { lintContent } from '../../src/sandbox/ci-lint/index.js'

const repeatLines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('')
const repeatTen = (text: string): string => Array(10).fill(text).join(', ')

const job = 'a: {script: x}\n'
const tooBig = 'The parsed YAML is too big'
const tooMuch = 'The configuration is too large, or nested too deep, to be checked'

const bombs: readonly (readonly [string, string, string])[] = [
  [
    'more than 2 MiB',
    job.padEnd(2 * 1024 * 1024 + 1, '#'),
    'The configuration is too large: at most 2 MiB are checked',
  ],
  ['more words than anyone writes', repeatLines(130_000, () => '- \n'), tooMuch],
  ['brackets in brackets', `a: ${'['.repeat(100_000)}`, tooMuch],
  ['lists in lists', `a:\n${'- '.repeat(20_000)}`, tooMuch],
  ['keys in keys', '? '.repeat(20_000), tooMuch],
  [
    'aliases of aliases',
    `a0: &a0 [${repeatTen('x')}]\n${repeatLines(30, (i) => `a${i + 1}: &a${i + 1} [${repeatTen(`*a${i}`)}]\n`)}`,
    tooBig,
  ],
  ['an alias of itself', 'a: &a {script: *a}\n', '(<unknown>): Unknown alias: a'],
  [
    'a large hash merged many times',
    `.x: &x {${repeatLines(500, (i) => `k${i}: 1, `)}}\n${repeatLines(1000, (i) => `j${i}: {<<: *x}\n`)}`,
    tooBig,
  ],
  [
    'a large hash extended many times',
    `.x: {variables: {${repeatLines(1000, (i) => `k${i}: 1, `)}}}\n${repeatLines(2000, (i) => `j${i}: {extends: .x, script: x}\n`)}`,
    tooBig,
  ],
  [
    'references to references',
    `.r0: {script: [${repeatTen('x')}]}\n${repeatLines(8, (i) => `.r${i + 1}: {script: [${repeatTen(`!reference [.r${i}, script]`)}]}\n`)}a: {script: !reference [.r8, script]}\n`,
    tooBig,
  ],
  [
    'blocks in blocks',
    repeatLines(150, (i) => `${' '.repeat(i)}a:\n`),
    'The parsed YAML is too deep',
  ],
  [
    'regular expressions that compile to a lot',
    repeatLines(
      20,
      (i) => `j${i}: {script: x, coverage: "/${'(?:a{1000}|b{1000})'.repeat(50)}${i}/"}\n`,
    ),
    tooBig,
  ],
  [
    'a condition of many brackets',
    `a: {script: x, rules: [{if: '${'('.repeat(100_000)}$A'}]}\n`,
    'jobs:a:rules:rule if invalid expression syntax',
  ],
  [
    'a duration that could be read in many ways',
    `a: {script: x, timeout: '${'1'.repeat(60)}x'}\n`,
    'jobs:a:timeout config should be a duration',
  ],
  [
    'needs in a long circle',
    repeatLines(5000, (i) => `j${i}: {script: x, needs: [j${(i + 1) % 5000}]}\n`),
    'The pipeline has circular dependencies',
  ],
  [
    'wrong escapes',
    `a: "${'\\q'.repeat(1000)}"`,
    '(<unknown>): Invalid escape sequence \\q at line 1 column 5',
  ],
  [
    'a name without end',
    `${'k'.repeat(300)}: {script: x}`,
    `jobs:${'k'.repeat(255)}… name is too long (maximum is 255 characters)`,
  ],
]

describe('a configuration of any text is judged at a bounded cost', () => {
  it.each(bombs)('%s', async (_name, text, error) => {
    const { errors } = await lintContent(text, {})
    expect(errors[0]).toBe(error)
    expect(errors.length).toBeLessThanOrEqual(101)
  })

  it('takes a long chain of needs', async () => {
    const chain = repeatLines(5000, (i) => `j${i}: {script: x, needs: [j${i + 1}]}\n`)
    expect((await lintContent(`${chain}j5000: {script: x}\n`, {})).errors).toEqual([])
  })

  it('names a hundred problems, and how many more', async () => {
    const text = repeatLines(250, (i) => `j${i}: {script: x, stage: nowhere}\n`)
    const { errors } = await lintContent(
      `stages: [one]\n${repeatLines(250, (i) => `j${i}: {script: 1}\n`)}`,
      {},
    )
    expect([errors.length, errors.at(-1)]).toEqual([101, 'and 150 more'])
    expect((await lintContent(text, {})).errors.length).toBe(100)
  })

  it('knows names that every object has', async () => {
    const text =
      'constructor: {script: x}\nb: {script: x, needs: [toString], extends: [__proto__]}\n'
    expect((await lintContent(text, {})).errors).toEqual([
      'b: unknown keys in `extends` (`__proto__`)',
    ])
  })
})
