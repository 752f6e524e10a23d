/** A list of which the instance reports more, to which no link leads, as behind a proxy that removes the header. */
import { expect, it } from 'vitest'
import { calling } from './calling.js'

const { server, call, sent } = calling()
const records = Array.from({ length: 100 }, (_, i) => ({ id: i + 1, active: true, online: true }))

it.each([
  ['a list', 'runners list --instance --limit all -o json'],
  ['a sorted list', 'runners list --instance --sort id -o json'],
  ['groups', 'runners list --instance --group-by active -o json'],
  ['a selection', 'runners pause --select online=true --yes'],
  ['a selection that is only tried', 'runners pause --select online=true --dry-run'],
])('is no whole answer for %s', async (_, line) => {
  server.answer = ({ method }) =>
    method === 'GET' ? { body: records, headers: { 'x-next-page': '2' } } : { body: {} }
  const { code, stderr } = await call(line)
  expect([code, stderr]).toEqual([
    7,
    expect.stringContaining('the list ended after 100, although the instance reported more'),
  ])
  expect(sent()).toEqual([])
})
