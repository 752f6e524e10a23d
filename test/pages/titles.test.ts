/** The titles of pages, and of groups: what they count, and by which keys. */
import { expect, it } from 'vitest'
import type { GroupFacts } from '../../src/catalogue/views.js'
import { appendKeys, createTitle, describeMeasure } from '../../src/output/html/titles.js'

type Keys = GroupFacts['keys']
const toKey = (field: string, unit?: 'day'): Keys[number] => ({ field, column: field, unit })

it('says of a place who may access it', () => {
  const parts = { area: 'access', words: '', summary: '', of: '' }
  expect(createTitle({ ...parts, args: ['a/b'] })).toBe('Who has access to a/b')
})

it.each([
  ['commits', 'list', [], 'of a/b', 'Commits of a/b'],
  ['commits', 'refs', ['f00'], 'of a/b', 'Branches and tags of commit f00 of a/b'],
  ['runners', 'jobs', ['5'], '', 'Jobs of runner 5'],
  ['geo', 'status', [], 'of the instance', 'Replication sites of the instance'],
  ['approvals', 'rules list', [], 'of a/b', 'Approval rules of a/b'],
  ['approvals', 'rules get', ['3'], 'of a/b', 'Approval rule 3 of a/b'],
  ['check', 'policy', ['p.yml'], '', 'Findings of p.yml'],
  ['pages-domains', 'list', [], 'of a/b', 'Pages domains of a/b'],
  ['jobs', 'why', ['5'], 'of a/b', 'Explain why: 5'],
])('names the records of %s %s', (area, words, args, of, title) => {
  expect(createTitle({ area, words, args, of, summary: 'Explain why' })).toBe(title)
})

it.each([
  [[toKey('merged_by.name')], 'Number of jobs, by merged by name'],
  [[toKey('merged_by.name'), toKey('status')], 'Number of jobs, by merged by name and status'],
  [[toKey('created_at', 'day')], 'Number of jobs per day'],
  [[toKey('created_at', 'day'), toKey('by')], 'Number of jobs per day, by by'],
] satisfies readonly (readonly [Keys, string])[])('names the keys %j', (keys, title) => {
  const groups = { keys, measures: [], counts: true } satisfies GroupFacts
  expect(appendKeys(describeMeasure('count', groups, 'jobs'), groups)).toBe(title)
  const parts = { area: 'jobs', words: 'list', summary: '', args: [], of: '' }
  expect(createTitle({ ...parts, groups })).toBe(title)
})
