import { describe, expect, it } from 'vitest'
import { lintContent } from '../../src/sandbox/ci-lint/index.js'
import { invalid, languages, pipelines, unseen } from './ci-corpus.js'

describe('a good configuration is called good', () => {
  it.each(Object.entries({ ...languages, ...pipelines }))('%s', async (_name, content) => {
    const { errors } = await lintContent(content, {})
    expect(errors).toEqual([])
  })
})

describe('a bad configuration is called bad, by its path', () => {
  it.each(invalid)('%s', async (_name, content, errors) => {
    expect((await lintContent(content, {})).errors).toEqual(errors)
  })
})

describe('what was not seen makes no verdict', () => {
  it.each(unseen)('%s', async (_name, content, errors, warnings) => {
    const verdict = await lintContent(content, {})
    const [notice, ...others] = verdict.warnings
    expect(verdict.errors).toEqual(errors)
    expect(notice).toContain('is not fetched here')
    expect(others.map((text) => text.replace(/ \(unless .*/, ''))).toEqual(warnings)
  })

  it('names the include that may hold it', async () => {
    const { warnings } = await lintContent(
      'include: [{template: X.yml}, {remote: https://f.example/y.yml}]\n',
      {},
    )
    expect(warnings.at(-1)).toBe(
      'jobs config should contain at least one visible job (unless an include that is not fetched here brings it: `X.yml`, `https://f.example/y.yml`)',
    )
  })

  it('gives an included file its inputs', async () => {
    const files = {
      local: async () =>
        'spec: {inputs: {stage: }}\n---\na:\n  stage: $[[ inputs.stage ]]\n  script: x\n',
      matching: async () => [],
      other: async () => undefined,
    }
    const of = (inputs: string) =>
      lintContent(`include: {local: x.yml, inputs: ${inputs}}\n`, { files })
    expect((await of('{stage: build}')).errors).toEqual([])
    expect((await of('{stage: ship}')).errors[0]).toContain('chosen stage does not exist')
    expect((await of('{}')).errors[0]).toContain('`stage` input: required value')
    expect((await of('{stage: build, kind: x}')).errors[0]).toContain(
      'unknown input arguments: kind',
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
    const { errors, warnings } = await lintContent(content, { files })
    expect([errors, warnings.length]).toEqual([[], 2])
  })
})
