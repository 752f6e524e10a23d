/** What all projects below a group share is said once, and everything is still said of each. */
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

const mapOf = (kinds: Kinds): FileMap =>
  new FileMap(Object.entries(kinds).map(([kind, one]) => [kind, new FileMap(Object.entries(one))]))

const part = (path: string, kinds: Kinds) => ({
  place: { scope: 'project', path } as const,
  value: mapOf(kinds),
})
const factored = (
  parts: readonly ReturnType<typeof part>[],
  groups: readonly ReturnType<typeof group>[],
) => {
  const factoring = new CommonItemFinder(groups)
  for (const { place, value } of parts) factoring.add(place, value)
  const shared = factoring.shared()
  return { shared, own: parts.flatMap(({ place }) => factoring.own(place) ?? []) }
}
const group = (path: string) => ({ scope: 'group', path }) as const

const shown = (list: readonly FileSection[]) =>
  list.map(({ place, all, value }) => [
    `${place.path}${all === true ? '/**' : ''}`,
    toPlainValue(value),
  ])

it('moves single attributes and whole items up, the outermost first', () => {
  const parts = [
    part('a/b/x', { approvals: { p: true, q: 1 }, members: { ana: { access_level: 'owner' } } }),
    part('a/b/y', { approvals: { p: true, q: 1 }, members: { ana: { access_level: 'guest' } } }),
    part('a/z', { approvals: { p: true, q: 2 } }),
    part('b/one', { approvals: { p: true } }),
  ]
  const { shared, own } = factored(parts, [group('a/b'), group('a'), group('b')])
  expect(shown(shared)).toEqual([
    ['a/**', { projects: { approvals: { p: true } } }],
    ['a/b/**', { projects: { approvals: { q: 1 } } }],
  ])
  expect(shown(own)).toEqual([
    ['a/b/x', { members: { ana: { access_level: 'owner' } } }],
    ['a/b/y', { members: { ana: { access_level: 'guest' } } }],
    ['a/z', { approvals: { q: 2 } }],
    ['b/one', { approvals: { p: true } }],
  ])
})

it('shares nothing with a project of which nothing is known', () => {
  const parts = [
    part('a/x', { approvals: { p: true } }),
    part('a/y', {}),
    part('a/z', { approvals: { p: true } }),
  ]
  expect(factored(parts, [group('a')]).shared).toEqual([])
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
      const parts = paths.map((path, i) => part(path, all[i] ?? {}))
      const { shared, own } = factored(parts, ['a', 'a/b', 'a/b/c', 'b'].map(group))
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
