/** Lines that users of other tools type work, or their error names the line that does (`lines.txt`, `more-lines.txt`). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useSandbox } from '../support/sandbox.js'
import {
  createRunner,
  findLines,
  isAsMeant,
  readHabits,
  readOutcome,
  runHint,
  signIn,
} from './outcomes.js'

const read = (file: string) => readHabits(readFileSync(join(import.meta.dirname, file), 'utf8'))
const habits = read('lines.txt')
const more = read('more-lines.txt')
const place = useSandbox()

/** A configuration with a profile for the instance, created when a line first needs it. */
let signedIn: Promise<string> | undefined

/** Errors of hints that lack a value only the user knows: a token, a project, a profile, or the change. */
const personMissing = /requires a token|nothing to change|needs --project|unknown profile/

describe('a line that people type', () => {
  it.each([...habits, ...more])('svcctl $line', async (habit) => {
    signedIn ??= signIn(place().sandbox)
    const run = createRunner(await signedIn)
    const ran = await run(habit.line)
    expect({ ...habit, asMeant: isAsMeant(habit, ran), stderr: ran.stderr }).toMatchObject({
      asMeant: !habit.isOpen,
    })
    if (habit.isOpen || readOutcome(ran) === 'works') return
    for (const hint of findLines(ran.stderr)) {
      const why = await runHint(run, hint, place().sandbox.token)
      if (why !== undefined && !personMissing.test(why)) expect.fail(`${hint}: ${why}`)
    }
  })
})

it('at most 8 of the lines give a page of help alone', () => {
  expect(habits.length).toBeGreaterThanOrEqual(168)
  expect(habits.filter(({ gives }) => gives === 'help').length).toBeLessThanOrEqual(8)
  expect(more.length).toBeGreaterThanOrEqual(150)
  expect(more.filter(({ gives }) => gives === 'help').length).toBeLessThanOrEqual(12)
})

it.each([
  `settings update --data '{"akismet_api_key":"s3cretvalue"}'`,
  'settings update --akismet-api-key s3cretvalue --nosuch 1',
  'settings update --akismet-api-key=s3cretvalue --nosuch 1',
  `integrations update jira -d '{"password":"s3cretvalue"}' -P platform/app`,
  'users list --filter token=s3cretvalue',
  'runners list --filter "token eq s3cretvalue"',
  'labels list -P platform/app --server https://ana:s3cretvalue@svc.example',
])('a hint repeats no secret: %s', async (line) => {
  signedIn ??= signIn(place().sandbox)
  const { code, stdout, stderr } = await createRunner(await signedIn)(line)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).not.toContain('s3cretvalue')
})
