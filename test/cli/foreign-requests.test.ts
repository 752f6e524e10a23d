/** Hints for operations that no command has: the requests of the line, with everything that was typed. */
import { describe, expect, it } from 'vitest'
import { svcctl } from '../support/within.js'

const hintOf = async (...words: readonly string[]): Promise<string> => {
  const { code, stderr } = await svcctl(words)
  expect(code).toBe(2)
  return /Run "(.*?)" to send (?:its requests?)/.exec(stderr)?.[1] ?? stderr
}

describe('the hint for an operation that the documents lack', () => {
  it.each([
    [
      'jobs retry 19 20 -P a/b',
      "for id in 19 20; do svcctl api POST 'projects/{project}/jobs/'$id/retry -P a/b; done",
    ],
    ['runners delete 1 2', 'for id in 1 2; do svcctl api DELETE runners/$id; done'],
    ['projects delete a/b c/d', 'for id in a%2Fb c%2Fd; do svcctl api DELETE projects/$id; done'],
    // The second argument of a write may be a value.
    ['projects rename a/b c', 'svcctl api PUT projects/a%2Fb'],
    ['jobs retry 19 -P a/b', "svcctl api POST 'projects/{project}/jobs/19/retry' -P a/b"],
  ])('has all objects: %s', async (line, hint) => {
    expect(await hintOf(...line.split(' '))).toBe(hint)
  })

  it('keeps the value of a flag that is as an argument', async () => {
    expect(await hintOf('mr', 'create', 'foo', '-P', 'foo/bar', '--title', 'foo')).toContain(
      'title=foo',
    )
    expect(await hintOf('mr', 'create', 'foo', '-P', 'foo')).toContain('-P foo')
  })
})

describe('the hint for the projects of a list that has no form for them', () => {
  const idOf = (words: string): string => `$(svcctl projects get ${words})`
  it.each([
    ['-P a/b', `--where project_id=${idOf('a/b -o value --fields id')}`],
    ['-P a/b,7', `--where "project_id=${idOf('a/b -o value --fields id')}|7"`],
    [
      '-P a/b -P c/d --sandbox',
      `--where "project_id=${idOf('a/b -o value --fields id --sandbox')}|${idOf('c/d -o value --fields id --sandbox')}" --sandbox`,
    ],
  ])('asks for the ID of each: %s', async (flags, hint) => {
    const { code, stderr } = await svcctl(['issues', 'list', ...flags.split(' ')])
    expect(code).toBe(2)
    expect(stderr).toContain(`Run "svcctl issues list ${hint}"`)
  })
})
