/** A list of which the instance reports more, to which no link leads, as behind a proxy that removes the header. */
import { expect, it } from 'vitest'
import { createCaller } from './calling.js'

const { server, call, sent } = createCaller()
const records = Array.from({ length: 100 }, (_, i) => ({ id: i + 1, active: true, online: true }))

it.each([
  ['a list', 'runners list --instance --limit all -o json'],
  ['a sorted list', 'runners list --instance --sort id -o json'],
  ['groups', 'runners list --instance --group-by active -o json'],
  ['a list with a limit beyond', 'runners list --instance --limit 250 -o json'],
  ['the first matches', 'runners list --instance --where id<3 --limit 5 -o json'],
  ['matches without a limit', 'runners list --instance --where id<3 -o json'],
  ['a list without an endpoint of its own', 'api /runners/all --paginate --limit all -o json'],
  ['a selection', 'runners pause --select online=true --yes'],
  ['a selection that is only tried', 'runners pause --select online=true --dry-run'],
])('is no whole answer for %s', async (_, line) => {
  server.answer = ({ method }) =>
    method === 'GET' ? { body: records, headers: { 'x-next-page': '2' } } : { body: {} }
  const { code, stderr } = await call(line)
  expect([code, stderr]).toEqual([
    7,
    expect.stringContaining('although the instance reported more'),
  ])
  expect(sent()).toEqual([])
})

it.each([
  ['as many as were asked for', 'runners list --instance --limit 100 -o json'],
  ['as many as are asked for without a limit', 'runners list --instance -o json'],
  ['one page', 'runners list --instance --page 1 -o json'],
  ['a page of matches', 'runners list --instance --page 1 --where id<3 -o json'],
])('says no more than that there are others where %s came', async (_, line) => {
  server.answer = () => ({ body: records, headers: { 'x-next-page': '2' } })
  const { code, stderr } = await call(line)
  expect([code, stderr]).toEqual([0, expect.stringMatching(/more: use --(limit|page)/)])
})
