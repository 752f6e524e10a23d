/** Tests that `ci lint` gives each message of the instance the line that it is about, in text, JSON, JUnit and SARIF. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { readCases } from '../sandbox/ci-cases.js'
import { createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { createCaller } from './calling.js'

const all = Object.values(readCases(join(import.meta.dirname, 'ci-lint-cases'))).flat()

/** Converts an expected error such as `6:3 text` to what the command prints for the file. */
const toPrintedError = (file: string, marked: string): string => {
  const [, place = '', text = ''] = /^(\S+) (.*)$/.exec(marked) ?? []
  return place === '-' ? text : `${file}:${place}: ${text}`
}

interface LintRecord {
  readonly file: string
  readonly errors: readonly string[]
  readonly problems?: readonly {
    readonly level: string
    readonly message: string
    readonly file: string
    readonly line?: number
    readonly column?: number
  }[]
}

/** Lists the errors of a file, each after its position. */
const listErrors = ({ errors, problems }: LintRecord): readonly string[] =>
  problems === undefined
    ? errors
    : problems
        .filter(({ level }) => level === 'error')
        .map(({ file, line, column, message }) =>
          line === undefined ? message : `${file}:${line}:${column}: ${message}`,
        )

describe('each problem has the line that it is about', () => {
  const cwd = createFolder()
  const found = new Map<string, readonly string[]>()
  const fileOf = (index: number): string => `f${String(index).padStart(3, '0')}.yml`

  beforeAll(async () => {
    for (const [index, { content }] of all.entries())
      writeFileSync(join(cwd, fileOf(index)), content)
    const line = ['ci', 'lint', '--sandbox', '-o', 'json', '--report', 'sarif=r.sarif', 'f*.yml']
    const ran = await svcctl(line, { cwd })
    for (const one of JSON.parse(ran.stdout)) found.set(one.file, listErrors(one))
  })

  it.each(all.map(({ name }, index) => [name, index] as const))('%s', (_name, index) => {
    const file = fileOf(index)
    const errors = (all[index]?.errors ?? []).map((marked) => toPrintedError(file, marked))
    expect([...(found.get(file) ?? [])].sort()).toEqual([...errors].sort())
  })

  it('are the same lines in SARIF, which has no line where none is known', () => {
    const { results } = JSON.parse(readFileSync(join(cwd, 'r.sarif'), 'utf8')).runs[0]
    const shown = results
      .filter(({ level }: { readonly level: string }) => level === 'error')
      .map(({ message, locations: [{ physicalLocation }] }: SarifResult) => {
        const { artifactLocation, region } = physicalLocation
        const place = region === undefined ? '' : `:${region.startLine}:${region.startColumn}`
        return `${artifactLocation.uri}${place} ${message.text}`
      })
    const errors = all.flatMap((one, index) =>
      one.errors.map(
        (marked) => `${fileOf(index)}${marked.replace(/^- /, ' ').replace(/^(?=\d)/, ':')}`,
      ),
    )
    expect(shown.sort()).toEqual(errors.sort())
  })
})

interface SarifResult {
  readonly message: { readonly text: string }
  readonly locations: readonly [
    {
      readonly physicalLocation: {
        readonly artifactLocation: { readonly uri: string }
        readonly region?: { readonly startLine: number; readonly startColumn: number }
      }
    },
  ]
}

describe('sentences of a service', () => {
  const { server, call } = createCaller()
  const lint = async (content: string, errors: readonly string[], ...flags: readonly string[]) => {
    const cwd = createFolder()
    writeFileSync(join(cwd, 'f.yml'), content)
    server.answer = () => ({ body: { valid: false, status: 'invalid', errors, warnings: [] } })
    const ran = await call(['ci', 'lint', 'f.yml', '-o', 'json', ...flags], { cwd })
    return { ...ran, cwd, errors: listErrors(JSON.parse(ran.stdout)[0]) }
  }

  it('are found in any letters, and without a place where the file has none', async () => {
    const { errors } = await lint('Build App:\n  script: x\n  Image: 3\n', [
      'jobs:build app config contains unknown keys: Image',
      'jobs:elsewhere script should be a string',
      'Something else is wrong',
    ])
    expect(errors).toEqual([
      'f.yml:3:3: jobs:build app config contains unknown keys: Image',
      'jobs:elsewhere script should be a string',
      'Something else is wrong',
    ])
  })

  it('about an included file have their line there, and never in the including one', async () => {
    const sentences = [
      '`ci/a.yml`: (<unknown>): mapping values are not allowed at line 4 column 3',
      'Included file `ci/a.yml` does not have valid YAML syntax! (<unknown>): x at line 5 column 1',
      '`b.yml`: (<unknown>): did not find expected key at line 9 column 1',
      '`ci/a.yml`: `stage` input: required value has not been provided',
    ]
    const content = 'include:\n  - local: /ci/a.yml\n  - {project: g/p, file: b.yml}\n'
    const ran = await lint(content, sentences, '-P', 'g/q', '--report', 'sarif=r.sarif')
    expect(ran.errors).toEqual([
      `ci/a.yml:4:3: ${sentences[0]}`,
      `ci/a.yml:5:1: ${sentences[1]}`,
      sentences[2],
      `f.yml:2:12: ${sentences[3]}`,
    ])
    const { results } = JSON.parse(readFileSync(join(ran.cwd, 'r.sarif'), 'utf8')).runs[0]
    const places = results.map(({ locations: [{ physicalLocation }] }: SarifResult) => [
      physicalLocation.artifactLocation.uri,
      physicalLocation.region?.startLine,
    ])
    expect(places).toEqual([
      ['ci/a.yml', 4],
      ['ci/a.yml', 5],
      ['f.yml', undefined],
      ['f.yml', 2],
    ])
  })

  it('about includes have the hint to name a project, unless one is named', async () => {
    const hint = 'hint: Includes are read in the context of a project. Add --project.'
    const sentence = 'Local file `a.yml` does not have project!'
    expect((await lint('include: a.yml\n', [sentence])).stderr).toContain(hint)
    expect((await lint('include: a.yml\n', [sentence], '-P', 'g/p')).stderr).not.toContain(hint)
  })

  it('about a date have the hint to quote it', async () => {
    const { stderr } = await lint('a: {script: x, variables: {A: 2024-05-01}}\n', [
      '(<unknown>): Tried to load unspecified class: Date',
    ])
    expect(stderr).toContain("hint: Quote a date, such as '2024-05-01'")
  })
})

it('shows the lines in a table and in JUnit', async () => {
  const cwd = createFolder()
  writeFileSync(join(cwd, 'f.yml'), 'a:\n  script: x\n  scirpt: y\n')
  const line = ['ci', 'lint', '--sandbox', 'f.yml', '--report', 'junit=r.xml']
  const { stdout } = await svcctl(line, { cwd })
  const says = 'f.yml:3:3: jobs:a config contains unknown keys: scirpt'
  expect(stdout).toContain(says)
  expect(readFileSync(join(cwd, 'r.xml'), 'utf8')).toContain(`>${says}</failure>`)
})

it('says nothing on standard error of many good files', async () => {
  const cwd = createFolder()
  for (let index = 0; index < 24; index++)
    writeFileSync(join(cwd, `f${index}.yml`), 'a: {script: x}\n')
  const ran = await svcctl(['ci', 'lint', '--sandbox', 'f*.yml'], { cwd })
  expect([ran.code, ran.stderr]).toEqual([0, ''])
})
