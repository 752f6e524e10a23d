/** A working day of an administrator, as a shell script. */
import { expect, it } from 'vitest'
import { hasProgram } from '../support/terminal.js'
import { runScript } from './scripts.js'

it('a working day', async ({ skip }) => {
  skip(!hasProgram('jq'), 'jq is not installed')
  const ran = await runScript('story.sh')
  expect(ran.all).toContain('the day is done')
  expect(ran.exitCode).toBe(0)
}, 120_000)
