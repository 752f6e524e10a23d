/** Tests the facets of a list (columns to filter by, but none that identifies records), and the caption of its chart. */
import { expect, it } from 'vitest'
import { toSeries } from '../../src/output/html/charts.js'
import { describeSteps, toSteps } from '../../src/output/html/counts.js'
import { ListSummary, type SummaryColumn } from '../../src/output/html/summary.js'

/** Returns the names of the columns with facets, for a list of 30 records. */
const listFacets = (
  columns: readonly (Partial<SummaryColumn> & { readonly name: string })[],
  rowOf: (i: number) => readonly string[],
): readonly string[] => {
  const summary = new ListSummary(
    columns.map((one) => ({ isTime: false, words: [], ...one })),
    {
      nouns: ['record', 'records'],
      parent: undefined,
      view: { now: new Date(0), printedAt: new Date(0) },
      csvRaw: false,
      snapshots: () => [],
      href: () => undefined,
    },
  )
  for (let i = 0; i < 30; i++)
    summary.add(rowOf(i).map((text) => ({ raw: text, text, cssClass: '' })))
  const [, json = '{}'] = /class="facets">(.*)<\/script>/.exec(summary.render().text) ?? []
  const { facets }: { readonly facets: readonly { readonly name: string }[] } = JSON.parse(json)
  return facets.map(({ name }) => name)
}

it('offers the first column as well, but no column whose values hardly repeat', () => {
  const columns = [{ name: 'severity' }, { name: 'title' }, { name: 'id' }]
  const rows = (i: number) => [i % 3 === 0 ? 'high' : 'low', `title ${i % 15}`, `${i}`]
  expect(listFacets(columns, rows)).toEqual(['severity'])
})

it('offers the instance of several, and what repeats on each of them', () => {
  const columns = [
    { name: 'profile', isTarget: true, isSite: true },
    { name: 'description' },
    { name: 'stage' },
  ]
  const rows = (i: number) => [`p${i % 5}`, `runner ${Math.floor(i / 5)}`, `stage ${i % 2}`]
  expect(listFacets(columns, rows)).toEqual(['profile', 'stage'])
})

it.each([
  ['day', [1, 3], 'most on 1970-01-06 (3)'],
  ['week', [1, 3], 'most in the week of 1970-01-05 (4)'],
  ['month', [1, 3], 'most in 1970-01 (4)'],
  ['day', [3, 3], ''],
] as const)('says where the most are per %s, if one has the most: %s', (unit, counts, caption) => {
  const days = new Map(counts.map((count, i) => [4 + i, new Map([['open', count]])]))
  const steps = toSteps(days, unit, new Set(['open']))
  expect(describeSteps(steps, unit, toSeries(['open']), 'issues')).toBe(caption)
})
