/** Every command written by hand has a test of what it adds to its catalogue entry, with its name as the title. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { areas } from '../../src/catalogue/index.js'
import { getSpecials, toolCommands } from '../../src/commands/index.js'
import { isText, listNodes, parseStatements, type SourceNode } from '../support/source.js'

const folder = join(import.meta.dirname, '../commands')
const files = readdirSync(folder).filter((name) => name.endsWith('.test.ts'))

const isNamed = (node: unknown, name: string): boolean =>
  [...listNodes(node)].some((one) => one.type === 'Identifier' && one.name === name)

const listTexts = (node: unknown): readonly string[] =>
  [...listNodes(node)].filter(isText).map(({ value }) => value)

/** Returns the titles of a `describe` with expectations; for `describe.each`, one for each row. */
const getTitles = (call: SourceNode): readonly string[] => {
  const all: readonly unknown[] = Array.isArray(call.arguments) ? call.arguments : []
  // Options may stand between the title and the body.
  const [title, body] = [all[0], all.at(-1)]
  if (!isText(title) || !isNamed(call.callee, 'describe') || !isNamed(body, 'expect')) return []
  return title.value.includes('%s')
    ? listTexts(call.callee).map((word) => title.value.replace('%s', word))
    : [title.value]
}

const listTitles = (text: string): readonly string[] =>
  [...listNodes(parseStatements(text))]
    .filter(({ type }) => type === 'CallExpression')
    .flatMap(getTitles)

const tested = new Set(
  files.flatMap((name) => listTitles(readFileSync(join(folder, name), 'utf8'))),
)
const written = [...areas.flatMap(({ name }) => getSpecials(name)), ...toolCommands].map(
  ({ area, words }) => `${area} ${words}`.trim(),
)

it('tests each special for what it adds', () => {
  expect(written.length).toBeGreaterThan(50)
  expect(new Set(written).size, 'two rows of commands/index.ts have one name').toBe(written.length)
  expect(
    written.filter((name) => !tested.has(name)),
    'write a test in test/commands/ inside describe(<area and verb>)',
  ).toEqual([])
})

it('notices a special without a test, and a test that expects nothing', () => {
  const titles = listTitles(`
    describe('a one', () => { it('x', () => { expect(1).toBe(1) }) })
    describe('a two', () => { it('x', () => { run() }) })
    describe.each([['three', 3]])('a %s', () => { it('x', () => { expect(1).toBe(1) }) })
  `)
  expect(titles).toEqual(['a one', 'a three'])
})
