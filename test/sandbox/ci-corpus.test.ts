import { describe, expect, it } from 'vitest'
import { lint } from '../../src/sandbox/ci-lint/index.js'
import { invalid, languages, pipelines, unseen } from './ci-corpus.js'

describe('a good configuration is called good', () => {
  it.each(Object.entries({ ...languages, ...pipelines }))('%s', async (_name, content) => {
    const { errors } = await lint(content, {})
    expect(errors).toEqual([])
  })
})

describe('a bad configuration is called bad, by its path', () => {
  it.each(invalid)('%s', async (_name, content, errors) => {
    expect((await lint(content, {})).errors).toEqual(errors)
  })
})

describe('what was not seen makes no verdict', () => {
  it.each(unseen)('%s', async (_name, content, errors, warnings) => {
    const verdict = await lint(content, {})
    const [notice, ...others] = verdict.warnings
    expect(verdict.errors).toEqual(errors)
    expect(notice).toContain('is not fetched here')
    expect(others.map((text) => text.replace(/ \(unless .*/, ''))).toEqual(warnings)
  })

  it('names the include that may hold it', async () => {
    const { warnings } = await lint(
      'include: [{template: X.yml}, {remote: https://f.example/y.yml}]\n',
      {},
    )
    expect(warnings.at(-1)).toBe(
      'jobs config should contain at least one visible job (unless an include that is not fetched here brings it: `X.yml`, `https://f.example/y.yml`)',
    )
  })

  it('takes a path with a variable for such an include', async () => {
    const files = {
      local: async () => undefined,
      matching: async () => [],
      other: async () => undefined,
    }
    const content =
      'include: [{local: "ci/$KIND.yml"}, {project: "$GROUP/ci", file: x.yml}]\na: {script: x}\n'
    const { errors, warnings } = await lint(content, { files })
    expect([errors, warnings.length]).toEqual([[], 2])
  })
})
