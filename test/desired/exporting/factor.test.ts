/** Tests that values which all projects below a group share move to the group, and that each project keeps its meaning. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { JsonValue } from '../../../src/base/objects.js'
import {
  CommonItemFinder,
  FileMap,
  type FileSection,
  toPlainValue,
} from '../../../src/desired/exporting/model.js'

type Kinds = Readonly<Record<string, Readonly<Record<string, JsonValue>>>>

const toFileMap = (kinds: Kinds): FileMap =>
  new FileMap(Object.entries(kinds).map(([kind, one]) => [kind, new FileMap(Object.entries(one))]))

const createPart = (path: string, kinds: Kinds) => ({
  place: { scope: 'project', path } as const,
  value: toFileMap(kinds),
})
const findShared = (
  parts: readonly ReturnType<typeof createPart>[],
  groups: readonly ReturnType<typeof createGroup>[],
) => {
  const factoring = new CommonItemFinder(groups)
  for (const { place, value } of parts) factoring.add(place, value)
  const shared = factoring.shared()
  return { shared, own: parts.flatMap(({ place }) => factoring.own(place) ?? []) }
}
const createGroup = (path: string) => ({ scope: 'group', path }) as const

const toPlainSections = (list: readonly FileSection[]) =>
  list.map(({ place, all, value }) => [
    `${place.path}${all === true ? '/**' : ''}`,
    toPlainValue(value),
  ])

it('moves single attributes and whole items up, the outermost first', () => {
  const parts = [
    createPart('a/b/x', {
      approvals: { p: true, q: 1 },
      members: { ana: { access_level: 'owner' } },
    }),
    createPart('a/b/y', {
      approvals: { p: true, q: 1 },
      members: { ana: { access_level: 'guest' } },
    }),
    createPart('a/z', { approvals: { p: true, q: 2 } }),
    createPart('b/one', { approvals: { p: true } }),
  ]
  const { shared, own } = findShared(parts, [
    createGroup('a/b'),
    createGroup('a'),
    createGroup('b'),
  ])
  expect(toPlainSections(shared)).toEqual([
    ['a/**', { projects: { approvals: { p: true } } }],
    ['a/b/**', { projects: { approvals: { q: 1 } } }],
  ])
  expect(toPlainSections(own)).toEqual([
    ['a/b/x', { members: { ana: { access_level: 'owner' } } }],
    ['a/b/y', { members: { ana: { access_level: 'guest' } } }],
    ['a/z', { approvals: { q: 2 } }],
    ['b/one', { approvals: { p: true } }],
  ])
})

it('shares nothing with a project of which nothing is known', () => {
  const parts = [
    createPart('a/x', { approvals: { p: true } }),
    createPart('a/y', {}),
    createPart('a/z', { approvals: { p: true } }),
  ]
  expect(findShared(parts, [createGroup('a')]).shared).toEqual([])
})

const kinds = fc.dictionary(
  fc.constantFrom('approvals', 'members'),
  fc.dictionary(
    fc.constantFrom('p', 'q', '$exact'),
    fc.constantFrom<JsonValue>(true, 1, { b: 2 }),
    { minKeys: 1 },
  ),
)
const paths = ['a/x', 'a/b/x', 'a/b/y', 'a/b/c/z', 'B/x', 'b/Y']

it('says of each project what was said before', () => {
  fc.assert(
    fc.property(fc.tuple(...paths.map(() => kinds)), (all) => {
      const parts = paths.map((path, i) => createPart(path, all[i] ?? {}))
      const { shared, own } = findShared(parts, ['a', 'a/b', 'a/b/c', 'b'].map(createGroup))
      for (const { place, value } of parts) {
        const merged: Record<string, Record<string, JsonValue>> = {}
        const said = [
          ...shared.filter((s) => place.path.toLowerCase().startsWith(`${s.place.path}/`)),
          ...own.filter((s) => s.place.path === place.path),
        ]
        for (const { all: below, value: one } of said) {
          const here = toPlainValue(one) as { projects?: Kinds } & Kinds
          for (const [kind, entries] of Object.entries(
            below === true ? (here.projects ?? {}) : here,
          ))
            merged[kind] = { ...merged[kind], ...entries }
        }
        expect(merged).toEqual(toPlainValue(value))
      }
    }),
  )
})
