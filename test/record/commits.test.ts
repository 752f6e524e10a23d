/**
 * The record says what lines did before a change of the engine: a commit that changes both would say of itself that it changed nothing.
 * A deliberate change of behaviour changes the record in a commit of its own, which says why.
 */
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { has } from '../support/terminal.js'

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

const record = 'test/record/expected/'
const engine = /^src\/(?:engine|answer)\//

/** Returns the files that each commit changed of the record and the engine: merges change nothing of their own, and a first commit makes all. */
const listCommits = (): ReadonlyMap<string, readonly string[]> => {
  const text = git(
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

/** True in a clone that has the commits: not in an archive, nor where only the last one was fetched. */
const hasHistory = (): boolean => {
  if (!has('git')) return false
  try {
    return git('rev-parse', '--is-shallow-repository').trim() === 'false'
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
