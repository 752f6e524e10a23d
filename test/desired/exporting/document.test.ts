/** Tests that an exported document reads back unchanged, as YAML and as JSON. */

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import {
  createJsonWriter,
  createYamlWriter,
  FileMap,
  type FileSection,
  type FileValue,
  formatDocument,
  toPlainValue,
} from '../../../src/desired/exporting/model.js'
import { countDraws } from '../../support/draws.js'

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }).map((one) => Buffer.from(one).toString()),
  fc.constantFrom('no', '~', '007', '1e3', '0x1f', '', ' a', '- x', '# c', 'a: b', '**', '@file'),
  fc.constantFrom(
    'a\nb\n',
    '\n',
    '\ta\n\n  b',
    'x\n ',
    '<<',
    '\u001b[2J',
    '\u0085',
    '\u202e',
    '$x',
  ),
)
const scalar = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null))
const createMap = (value: fc.Arbitrary<FileValue>): fc.Arbitrary<FileMap> =>
  fc
    .tuple(
      fc.uniqueArray(fc.tuple(text, value), { selector: ([key]) => key, maxLength: 4 }),
      fc.boolean(),
    )
    .map(
      ([entries, said]) => new FileMap(entries, said ? ['key: env:… (cannot be read back)'] : []),
    )
const inner = createMap(fc.oneof(scalar, fc.array(scalar, { maxLength: 4 })))
const value = createMap(fc.oneof(scalar, inner, fc.array(inner, { maxLength: 3 })))

const sections = fc
  .tuple(
    fc.array(value, { maxLength: 1 }),
    fc.array(value, { maxLength: 2 }),
    fc.array(value, { maxLength: 3 }),
  )
  .map(([site, groups, projects]): readonly FileSection[] => [
    ...site.map((one) => ({ place: { scope: 'site', path: '' } as const, value: one })),
    ...groups.flatMap((one, i): FileSection[] => [
      { place: { scope: 'group', path: `g${i}` }, value: one },
      { place: { scope: 'group', path: `g${i}` }, all: true, value: one },
    ]),
    ...projects.map((one, i) => ({
      place: { scope: 'project', path: `g/${i}` } as const,
      value: one,
    })),
  ])

const toExpected = (list: readonly FileSection[]) => {
  const document: Record<string, unknown> = { version: 1 }
  for (const { place, all, value: one } of list) {
    if (place.scope === 'site') document.site = toPlainValue(one)
    else {
      const key = place.scope === 'group' ? 'groups' : 'projects'
      const name = all === true ? `${place.path}/**` : place.path
      document[key] = { ...(document[key] as object | undefined), [name]: toPlainValue(one) }
    }
  }
  return document
}

it('reads back as it was', () => {
  fc.assert(
    fc.property(sections, (list) => {
      const yaml = formatDocument(createYamlWriter(), list)
      expect(parse(yaml)).toEqual(toExpected(list))
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
      expect(yaml).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e]/)
      for (const pretty of [true, false])
        expect(JSON.parse(formatDocument(createJsonWriter(pretty), list))).toEqual(toExpected(list))
    }),
    { numRuns: countDraws(60) },
  )
})

it('begins with where the schema is, and with who wrote it', () => {
  const begins = (line: string) => [line, '# written by svcctl export', 'version: 1', '']
  const text = (path?: string) => formatDocument(createYamlWriter(path), []).split('\n')
  expect(text()).toEqual(begins('# what may stand here: svcctl explain --config-schema'))
  const line = '# yaml-language-server: $schema='
  expect(text('site.yml')).toEqual(begins(`${line}.schema.json`))
  expect(text('projects/a/b.yml')).toEqual(begins(`${line}../../.schema.json`))
  expect(formatDocument(createJsonWriter(false), [])).toBe('{"version":1}\n')
})

it('is JSON as Node writes it', () => {
  const list: FileSection[] = [
    {
      place: { scope: 'site', path: '' },
      value: new FileMap([['settings', new FileMap([['a', [1]]])]]),
    },
    {
      place: { scope: 'project', path: 'a/b' },
      value: new FileMap([['approvals', new FileMap([])]]),
    },
    { place: { scope: 'project', path: 'a/c' }, value: new FileMap([['x', 'y']]) },
  ]
  expect(formatDocument(createJsonWriter(true), list)).toBe(
    `${JSON.stringify(toExpected(list), null, 2)}\n`,
  )
  expect(formatDocument(createJsonWriter(false), list)).toBe(
    `${JSON.stringify(toExpected(list))}\n`,
  )
})
