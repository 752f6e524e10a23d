import { describe, expect, it } from 'vitest'
import { type Files, lintContent } from '../../src/sandbox/ci-lint/index.js'
import { invalid, languages, pipelines, unseenIncludes } from './ci-corpus.js'

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
  it.each(unseenIncludes)('%s', async (_name, content, errors, warnings) => {
    const verdict = await lintContent(content, {})
    const [notice, ...others] = verdict.warnings
    expect(verdict.errors).toEqual(errors)
    expect(notice).toContain('is not fetched here')
    expect(others.map((text) => text.replace(/ \(unless .*/, ''))).toEqual(warnings)
  })

  it('names the include that may hold it', async () => {
    const { warnings } = await lintContent(
      'include: [{template: X.gitlab-ci.yml}, {remote: https://f.example/y.yml}]\n',
      {},
    )
    expect(warnings.at(-1)).toBe(
      'jobs config should contain at least one visible job (unless an include that is not fetched here brings it: `X.gitlab-ci.yml`, `https://f.example/y.yml`)',
    )
  })

  it('gives an included file its inputs', async () => {
    const files = {
      project: 'platform/app',
      local: async () =>
        'spec: {inputs: {stage: }}\n---\na:\n  stage: $[[ inputs.stage ]]\n  script: x\n',
      matching: async () => [],
      other: async () => 'project' as const,
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

  /** The files of projects by path. */
  const filesOf = (project: string, all: Record<string, Record<string, string>>): Files => ({
    project,
    local: async (path) => all[project]?.[path],
    matching: async () => Object.keys(all[project] ?? {}),
    other: async (name) => (name in all ? filesOf(name, all) : 'project'),
  })

  it('reads the local includes of a file in the project of that file', async () => {
    const files = filesOf('web/shop', {
      'web/shop': { 'jobs.yml': '.own: {script: x}' },
      'shared/ci': {
        'a.yml': 'include: [{local: /ci/b.yml}, {local: "*.yml"}]',
        'ci/b.yml': '.b: {script: x}',
      },
    })
    const content =
      'include: [{project: shared/ci, file: a.yml}, jobs.yml]\nb: {extends: [.b, .own]}\n'
    expect(await lintContent(content, { files })).toMatchObject({ errors: [], warnings: [] })
    const wrong = 'include: {project: shared/ci, file: ci/b.yml}\nb: {extends: .own}\n'
    expect((await lintContent(wrong, { files })).errors).toEqual([
      'b: unknown keys in `extends` (`.own`)',
    ])
  })

  it('ends at a file that includes itself, and takes one that two files include', async () => {
    const files = filesOf('web/shop', {
      'web/shop': {
        'self.yml': 'include: self.yml',
        'b.yml': '.b: {script: x}',
        'c.yml': 'include: b.yml',
      },
    })
    const lint = async (content: string) => (await lintContent(content, { files })).errors
    expect(await lint('include: self.yml\na: {script: x}')).toEqual([
      'Maximum of 150 nested includes are allowed!',
    ])
    expect(await lint('include: [b.yml, null, c.yml, b.yml]\na: {extends: .b}')).toEqual([])
  })

  it('refuses an included file of comments only', async () => {
    const files = filesOf('web/shop', { 'web/shop': { 'x.yml': '# Nothing yet.\n' } })
    expect((await lintContent('include: x.yml\na: {script: x}\n', { files })).errors).toEqual([
      'Included file `x.yml` does not have valid YAML syntax!',
    ])
  })

  it('leaves an include with rules open that cannot be read', async () => {
    const content = 'include: {local: x.yml, rules: [{if: $NIGHTLY}]}\na: {script: x}\n'
    expect(await lintContent(content, {})).toMatchObject({
      errors: [],
      warnings: [expect.stringContaining('`x.yml` is not fetched here')],
    })
  })

  it('takes a path with a variable for such an include', async () => {
    const files = {
      project: 'platform/app',
      local: async () => undefined,
      matching: async () => [],
      other: async () => 'project' as const,
    }
    const content =
      'include: [{local: "ci/$KIND.yml"}, {project: "$GROUP/ci", file: x.yml}]\na: {script: x}\n'
    const { errors, warnings } = await lintContent(content, { files })
    expect([errors, warnings.length]).toEqual([[], 2])
  })
})
