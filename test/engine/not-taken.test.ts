/** What was not taken over a long run is said of the first, and counted of the others. */
import { expect, it } from 'vitest'
import { deployKeys } from '../../src/catalogue/areas/deploy-keys.js'
import { UnappliedAttributes } from '../../src/engine/instance/caller.js'

it('says no more than a person reads, however many objects there are', () => {
  const taken = new UnappliedAttributes()
  for (let id = 1; id <= 1000; id++)
    taken.note(
      { endpoint: deployKeys.update, values: { id: 1, key_id: id, title: 'x' }, label: `${id}` },
      { data: { id, title: `t${id}` } },
    )
  const lines = [...taken.lines()].map(({ text }) => text)
  expect(lines).toHaveLength(21)
  expect(lines[0]).toMatch(/the instance did not apply title/)
  expect(lines.at(-1)).toBe('980 more attributes were not applied')
})
