/** Durations in CI configurations: what instances read, and what they refuse. */
import { expect, it } from 'vitest'
import { lintContent } from '../../src/sandbox/ci-lint/index.js'

const isDuration = async (text: string): Promise<boolean> =>
  (await lintContent(JSON.stringify({ a: { script: 'x', artifacts: { expire_in: text } } }), {}))
    .errors.length === 0

it.each([
  '1:30',
  '1:30:15',
  '1:00:00:00',
  '1h 30m',
  '90',
  '1.5 hours',
  '2 weeks and 3 days',
  '1 day, 2 hrs',
  ' 3 mins ',
  '1 Month',
  'one week',
  '2h20min',
  '47 yrs 6 mos and 4d',
])('reads %j', async (text) => {
  expect(await isDuration(text)).toBe(true)
})

it.each(['', ' ', 'soon', '1:', ':30', '1:2:3:4:5', '3 parsecs', '1h!', '1'.repeat(201)])(
  'refuses %j',
  async (text) => {
    expect(await isDuration(text)).toBe(false)
  },
)
