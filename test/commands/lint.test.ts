/** Tests `ci lint`: the configurations that it checks, its messages and reports, and the exit code. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../support/program.js'
import { createCaller, parseRows } from './calling.js'

const { server, call, sent, atTerminal } = createCaller()

/** Writes a folder with configurations, and mocks an instance that finds an error in `bad` and warns about `odd`. */
const writeConfigs = (): string => {
  const cwd = createFolder()
  mkdirSync(join(cwd, 'ci'))
  for (const name of ['good', 'bad', 'odd'])
    writeFileSync(join(cwd, 'ci', `${name}.yml`), `${name}: {}\n`)
  writeFileSync(join(cwd, 'broken.yml'), 'a: [\nb: {\n')
  server.answer = ({ body, url }) => {
    if (body === '') return { body: { valid: true, errors: [], warnings: ['of HEAD'] } }
    const { content, include_merged_yaml: merged } = JSON.parse(body)
    const bad = content.startsWith('bad')
    const found = {
      errors: bad ? ['jobs is missing', 'error at line 3 column 5'] : [],
      warnings: content.startsWith('odd') ? ['deprecated'] : [],
      ...(merged === true ? { merged_yaml: `all: ${content.slice(0, 4)}` } : {}),
    }
    return {
      body: url.includes('/projects/')
        ? { valid: !bad, ...found }
        : { status: bad ? 'invalid' : 'valid', ...found },
    }
  }
  return cwd
}
const lint = (line: string, cwd = writeConfigs()) =>
  call(`ci lint ${line}`.trim().split(' '), { cwd })

describe('ci lint', () => {
  it('says of each file what is wrong, where, and ends with 1', async () => {
    const ran = await lint('ci/good.yml ci/bad.yml ci/odd.yml broken.yml -o json')
    expect(ran.code).toBe(1)
    const [good, bad, odd, broken] = JSON.parse(ran.stdout)
    expect(good).toEqual({ file: 'ci/good.yml', valid: true, errors: [], warnings: [] })
    expect(bad).toMatchObject({
      valid: false,
      errors: ['jobs is missing', 'ci/bad.yml:3:5: error at line 3 column 5'],
    })
    expect(odd).toMatchObject({ valid: true, warnings: ['deprecated'] })
    expect(broken).toMatchObject({ file: 'broken.yml', valid: false })
    expect(broken.errors[0]).toMatch(/^broken\.yml:\d+:\d+: /)
    expect(sent().map(({ line }) => line)).toEqual(Array(3).fill('POST /ci/lint'))
  })

  it('ends with 0 where all are valid, and with 1 for warnings with --strict', async () => {
    expect((await lint('ci/good.yml ci/odd.yml')).code).toBe(0)
    expect((await lint('ci/good.yml ci/odd.yml --strict')).code).toBe(1)
    expect((await lint('ci/good.yml --strict')).code).toBe(0)
  })

  it('takes globs, each file once, and the configuration of the directory', async () => {
    const ran = await lint('ci/*.yml ci/good.yml')
    expect(parseRows(ran.stdout).map(({ file }) => file)).toEqual([
      'ci/bad.yml',
      'ci/good.yml',
      'ci/odd.yml',
    ])
    expect(parseRows(ran.stdout)[0]?.errors).toContain('jobs is missing; ci/bad.yml:3:5: error')
    const cwd = writeConfigs()
    expect((await lint('', cwd)).stderr).toContain('there is no .gitlab-ci.yml and no .svc-ci.yml')
    writeFileSync(join(cwd, '.svc-ci.yml'), 'a: {}\n')
    expect(parseRows((await lint('', cwd)).stdout)[0]).toMatchObject({ file: '.svc-ci.yml' })
    writeFileSync(join(cwd, '.gitlab-ci.yml'), 'a: {}\n')
    expect(parseRows((await lint('', cwd)).stdout)[0]).toMatchObject({ file: '.gitlab-ci.yml' })
  })

  it('checks files within a project, or what is at its head', async () => {
    await lint('ci/good.yml -P a/b --dry-run')
    expect(sent()).toEqual([
      { line: 'POST /projects/a%2Fb/ci/lint', body: { content: 'good: {}\n', dry_run: true } },
    ])
    server.seen.length = 0
    const head = await lint('-P a/b -o json')
    expect(server.lines()).toEqual(['GET /projects/a%2Fb/ci/lint'])
    expect(JSON.parse(head.stdout)).toEqual([
      { file: 'HEAD', valid: true, errors: [], warnings: ['of HEAD'] },
    ])
    expect((await lint('-P a/b --strict')).code).toBe(1)
  })

  it('prints the expanded configuration, with problems on standard error', async () => {
    const ran = await lint('ci/good.yml ci/bad.yml --merged-yaml')
    expect(ran.code).toBe(1)
    expect(ran.stdout).toBe('# ci/good.yml\nall: good\n---\n# ci/bad.yml\nall: bad:\n')
    expect(ran.stderr).toContain('ci/bad.yml: jobs is missing')
    const one = await lint('ci/odd.yml --include-merged-yaml')
    expect(one.stdout).toBe('all: odd:\n')
    expect(one.stderr).toContain('ci/odd.yml: deprecated')
    const programs = await lint('ci/good.yml --merged-yaml -o json')
    expect(JSON.parse(programs.stdout)[0].merged_yaml).toBe('all: good')
    expect(JSON.parse((await lint('ci/good.yml -o json')).stdout)[0]).not.toHaveProperty(
      'merged_yaml',
    )
  })

  it('writes reports that count what fails', async () => {
    const cwd = writeConfigs()
    const line = 'ci/good.yml ci/bad.yml ci/odd.yml --report junit=r.xml --report sarif=r.sarif'
    expect((await lint(line, cwd)).code).toBe(1)
    const xml = readFileSync(join(cwd, 'r.xml'), 'utf8')
    expect(xml).toContain('<testsuites name="svcctl ci lint" tests="3" failures="1"')
    expect(xml).toContain('<failure type="invalid" message="jobs is missing">')
    expect(xml).toContain('<system-out>ci/odd.yml: deprecated</system-out>')
    const { runs } = JSON.parse(readFileSync(join(cwd, 'r.sarif'), 'utf8'))
    expect(runs[0].results).toMatchObject([
      { level: 'error', message: { text: 'jobs is missing' } },
      {
        level: 'error',
        locations: [{ physicalLocation: { region: { startLine: 3, startColumn: 5 } } }],
      },
      { level: 'warning', message: { text: 'deprecated' } },
    ])
    await lint('ci/odd.yml --strict --report junit=strict.xml', cwd)
    expect(readFileSync(join(cwd, 'strict.xml'), 'utf8')).toContain('failures="1"')
    const kind = await lint('ci/good.yml --report markdown=strict.xml', cwd)
    expect(kind.stderr).toContain('--report accepts the keys junit, sarif, not "markdown"')
    const nowhere = await lint('ci/good.yml --report junit=no/r.xml', cwd)
    expect(nowhere.code).toBe(1)
    expect(existsSync(join(cwd, 'no'))).toBe(false)
  })

  it('leaves out what was not checked, with the exit code of that', async () => {
    const cwd = writeConfigs()
    const { answer } = server
    server.answer = (seen, index) =>
      seen.body.includes('odd')
        ? { status: 403, body: { message: '403 Forbidden' } }
        : answer(seen, index)
    const line = 'ci/odd.yml ci/good.yml --report junit=r.xml --report sarif=r.sarif'
    const ran = await lint(line, cwd)
    expect(ran.code).toBe(3)
    const xml = readFileSync(join(cwd, 'r.xml'), 'utf8')
    expect(xml).toContain('tests="2" failures="0" errors="1"')
    expect(xml).toContain('<error type="auth" message="ci/odd.yml was not checked">403 Forbidden')
    const { results } = JSON.parse(readFileSync(join(cwd, 'r.sarif'), 'utf8')).runs[0]
    expect(results).toMatchObject([
      {
        ruleId: 'unchecked',
        level: 'error',
        message: { text: 'ci/odd.yml was not checked: 403 Forbidden' },
      },
    ])
    expect(parseRows(ran.stdout).map(({ file }) => file)).toEqual(['ci/good.yml'])
    expect(ran.stderr).toContain('ci/odd.yml was not checked')
    server.answer = () => ({ body: { valid: false, errors: 'one', warnings: [{ line: 3 }] } })
    const [other] = JSON.parse((await lint('ci/good.yml -o json', cwd)).stdout)
    expect(other).toMatchObject({ errors: ['one'], warnings: ['{"line":3}'] })
    server.answer = () => ({ body: { other: true } })
    const strange = await lint('ci/good.yml', cwd)
    expect(strange.code).toBe(7)
    const head = await lint('-P a/b --report junit=head.xml', cwd)
    expect(head.code).toBe(7)
    expect(readFileSync(join(cwd, 'head.xml'), 'utf8')).toContain('message="HEAD was not checked"')
    expect(strange.stderr).toContain('the response for ci/good.yml is not a lint result')
  })

  it('is a page on a terminal', async () => {
    const seen = async (line: string, end: RegExp): Promise<string> =>
      atTerminal(line, (terminal) => terminal.until(end), writeConfigs())
    const screen = await seen('ci lint ci/good.yml ci/bad.yml ci/odd.yml', /ended with 1/)
    expect(screen).toMatch(/✓ ci\/good\.yml {2}valid\n/)
    expect(screen).toMatch(/✗ ci\/bad\.yml {2}invalid\n {4}✗ jobs is missing\n/)
    expect(screen).toMatch(/! ci\/odd\.yml {2}valid, with warnings\n {4}! deprecated/)
    const strict = await seen('ci lint ci/odd.yml broken.yml --strict', /ended with 1/)
    expect(strict).toMatch(/✗ ci\/odd\.yml {2}valid, with warnings/)
    expect(strict).toMatch(/✗ broken\.yml:\d+:\d+: /)
  })
})
