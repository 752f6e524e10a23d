/**
 * The record shows what lines did before a change of the engine. A commit that changes both would hide what changed, so a deliberate
 * change of behaviour changes the record in a commit of its own, which says why.
 */
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { hasProgram } from '../support/terminal.js'

const runGit = (...args: readonly string[]): string =>
  execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

const record = 'test/record/expected/'
const engine = /^src\/(?:engine|answer)\//

/**
 * Returns the files of the record and the engine that each commit changed. Merges change nothing of their own, and a first commit
 * adds everything.
 */
const listCommits = (): ReadonlyMap<string, readonly string[]> => {
  const text = runGit(
    'log',
    '--min-parents=1',
    '--max-parents=1',
    '--format=%x00%h %s',
    '--name-only',
    '--',
    record,
    'src/engine/',
    'src/answer/',
  )
  const commits = text
    .split('\0')
    .slice(1)
    .map((part) => {
      const [subject = '', ...files] = part.split('\n')
      return [subject, files.filter((file) => file !== '')] as const
    })
  return new Map(commits)
}

/** True in a clone with history: not in an archive, nor in a shallow clone. */
const hasHistory = (): boolean => {
  if (!hasProgram('git')) return false
  try {
    return runGit('rev-parse', '--is-shallow-repository').trim() === 'false'
  } catch {
    return false
  }
}

it('the record never changes in the same commit as the engine', ({ skip }) => {
  skip(!hasHistory(), 'there is no history here')
  const both = [...listCommits()].filter(
    ([, files]) =>
      files.some((file) => file.startsWith(record)) && files.some((file) => engine.test(file)),
  )
  expect(both.map(([subject]) => subject)).toEqual([])
})
