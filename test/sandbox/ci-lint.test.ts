import { describe, expect, it } from 'vitest'
import { type Files, lintContent } from '../../src/sandbox/ci-lint/index.js'
import { useSharedSandbox } from './instance.js'

const getErrors = async (content: string) => (await lintContent(content, {})).errors
const job = 'a:\n  script: [make]\n'

describe('a valid configuration', () => {
  it.each([
    ['one job', job],
    ['nested scripts', 'a:\n  script:\n    - [x, [y]]\n    - z\n'],
    ['anchors and merge keys', '.x: &x\n  image: a\na:\n  <<: *x\n  script: make\n'],
    [
      'defaults',
      `default:\n  image: {name: a, entrypoint: ['']}\n  retry: {max: 2, when: [api_failure]}\n${job}`,
    ],
    [
      'a bridge',
      'a:\n  trigger: {project: g/p, strategy: depend}\n  rules: [{if: \'$A == "x" && ($B =~ /yy/i || $C)\'}]\n',
    ],
    ['needs within a stage', `${job}b:\n  script: x\n  needs: [a, {job: c, optional: true}]\n`],
    ['a delayed job', 'a:\n  script: x\n  when: delayed\n  start_in: 30 minutes\n'],
    ['a matrix', 'a:\n  script: x\n  parallel: {matrix: [{A: [x, y]}]}\n'],
    ['the last of equal keys', 'a:\n  script: x\n  script: y\n'],
  ])('%s', async (_name, content) => {
    expect(await getErrors(content)).toEqual([])
  })
})

describe('an invalid configuration', () => {
  it.each([
    ['no hash', 'just text', ['Invalid configuration format']],
    ['nothing', '', ['Invalid configuration format']],
    ['no job', 'stages: [a]\n', ['jobs config should contain at least one visible job']],
    [
      'hidden jobs only',
      '.a:\n  script: x\n',
      ['jobs config should contain at least one visible job'],
    ],
    [
      'a job without script',
      'a:\n  stage: test\n',
      ['jobs:a config should implement the script:, run:, or trigger: keyword'],
    ],
    ['an unknown keyword', `${job}  scirpt: x\n`, ['jobs:a config contains unknown keys: scirpt']],
    [
      'a script in a bridge',
      'a:\n  trigger: g/p\n  script: x\n',
      ['jobs:a config contains unknown keys: trigger'],
    ],
    [
      'a wrong type',
      'a:\n  script: {x: y}\n',
      ['jobs:a:script config should be a string or a nested array of strings up to 10 levels deep'],
    ],
    [
      'a wrong word',
      `${job}  when: sometimes\n`,
      ['jobs:a when should be one of: on_success, on_failure, always, manual, delayed'],
    ],
    ['wrong stages', `stages: build\n${job}`, ['stages config should be an array of strings']],
    [
      'an unknown stage',
      `${job}  stage: ship\n`,
      ['a job: chosen stage does not exist; available stages are .pre, build, test, deploy, .post'],
    ],
    ['an unknown need', `${job}  needs: [b]\n`, ['a job: undefined need: b']],
    ['an unknown dependency', `${job}  dependencies: [b]\n`, ['a job: undefined dependency: b']],
    [
      'a need of a later stage',
      `${job}  needs: [b]\nb:\n  stage: deploy\n  script: x\n`,
      ['a job: need b is not defined in current or prior stages'],
    ],
    [
      'a circle of needs',
      'a:\n  script: x\n  needs: [b]\nb:\n  script: x\n  needs: [a]\n',
      ['The pipeline has circular dependencies'],
    ],
    ['an unknown parent', `${job}  extends: .b\n`, ['a: unknown keys in `extends` (`.b`)']],
    [
      'a circle of parents',
      '.a:\n  extends: .b\n.b:\n  extends: .a\nc:\n  extends: .a\n  script: x\n',
      ['.a: circular dependency detected in `extends`'],
    ],
    [
      'an unknown reference',
      'a:\n  script: [!reference [.b, script]]\n',
      ['!reference [".b","script"] could not be found'],
    ],
    [
      'rules beside only',
      `${job}  rules: [{if: $A}]\n  only: [main]\n`,
      ['jobs:a config key may not be used with `rules`: only'],
    ],
    [
      'a wrong expression',
      `${job}  rules: [{if: '$A =='}]\n`,
      ['jobs:a:rules:rule if invalid expression syntax'],
    ],
    [
      'too many retries',
      `${job}  retry: 5\n`,
      ['jobs:a:retry config must be less than or equal to 2'],
    ],
    ['a start without delay', `${job}  start_in: 1h\n`, ['jobs:a start in must be blank']],
    [
      'a wrong coverage',
      `${job}  coverage: all\n`,
      ['jobs:a:coverage config must be a regular expression with re2 syntax'],
    ],
    [
      'a local file without a project',
      `include: /x.yml\n${job}`,
      ['Local file `/x.yml` does not have project!'],
    ],
    [
      'a stop job that is none',
      `${job}  environment: {name: x, on_stop: b}\n`,
      ['a job: on_stop job b is not defined'],
    ],
  ])('%s', async (_name, content, errors) => {
    expect(await getErrors(content)).toEqual(errors)
  })

  it('says where the text is no YAML', async () => {
    const [error] = await getErrors('a:\n  script: "x\n')
    expect(error).toMatch(/^\(<unknown>\): .* at line 3 column 1$/)
  })
})

describe('warnings and the expanded text', () => {
  it('warns of jobs that may run twice, and of what it does not fetch', async () => {
    const twice = await lintContent('a:\n  script: x\n  rules: [{when: always}]\n', {})
    expect([twice.errors, twice.warnings[0]]).toEqual([
      [],
      expect.stringContaining('multiple pipelines'),
    ])
    const far = await lintContent(
      `include: [{template: X.gitlab-ci.yml}]\n${job}  extends: .from-there\n`,
      {},
    )
    expect([far.errors, far.warnings[0]]).toEqual([[], expect.stringContaining('X.gitlab-ci.yml')])
  })

  it('puts references in place, and extends only with a project', async () => {
    const content =
      '.x:\n  script: [one]\na:\n  extends: .x\nb:\n  script:\n    - !reference [.x, script]\n    - two\n'
    const alone = await lintContent(content, {})
    expect(await alone.merged?.()).toContain('extends: .x')
    expect(await alone.merged?.()).toContain('- - one\n    - two')
    const files = {
      project: 'platform/app',
      local: async () => undefined,
      matching: async () => [],
      other: async () => 'project' as const,
    }
    expect(await (await lintContent(content, { files })).merged?.()).not.toContain('extends')
  })
})

describe('a simulated pipeline', () => {
  const dry = async (content: string, variables = {}) =>
    (await lintContent(content, { occasion: { branch: 'main', variables }, plan: true })).errors

  it('has no jobs where the rules leave none', async () => {
    const content = 'a:\n  script: x\n  rules: [{if: \'$GO == "yes"\'}]\n'
    expect(await dry(content)).toEqual(['No stages / jobs for this pipeline.'])
    expect(await dry(content, { GO: 'yes' })).toEqual([])
    expect(await dry(`variables: {GO: 'yes'}\n${content}`)).toEqual([])
  })

  it.each([
    ['a class of characters', 'v[0-9].[!b]d', 'v1.ad', 'v1.bd'],
    ['a sign that means itself', '\\\\*.[\\\\]a]d', '*.]d', 'x.ad'],
    ['alternatives in alternatives', '{a,{b,c}}.txt', 'c.txt', '{b.txt'],
    ['a folder', 'docs/', 'docs/x/a.md', 'doc/a.md'],
    ['variables in variables', '$DIR/*.md', 'src/app/a.md', '$DIR/a.md'],
    ['no such variable', '$NONE/*.md', '$NONE/a.md', '/a.md'],
    ['no bracket that closes', '{a,b}[c', 'none', 'a[c'],
  ])('reads globs as instances do: %s', async (_name, glob, fits, other) => {
    const content = `variables: {DIR: src/$APP, APP: app}\na: {script: x, rules: [{exists: ["${glob}"]}]}\n`
    const look = async (...paths: readonly string[]) =>
      (
        await lintContent(content, {
          occasion: { branch: 'main', variables: {}, files: async () => paths },
          plan: true,
        })
      ).errors
    const none = ['No stages / jobs for this pipeline.']
    expect(await look(other, fits)).toEqual(fits === 'none' ? none : [])
    expect(await look(other)).toEqual(none)
  })

  it.each([
    ['if: $GO', { GO: '1' }, ['a', 'b']],
    ['if: $GO', {}, ['a']],
    ['if: $OWN', {}, ['a']],
    ['exists: [b.yml]', {}, ['a', 'b']],
    ['exists: [no.yml]', {}, ['a']],
    ['{if: $GO, when: never}, {when: always}', { GO: '1' }, ['a']],
  ])('includes a file by its rules: %s', async (rule, variables, jobs) => {
    const files: Files = {
      project: 'g/p',
      local: async (path) => (path === 'b.yml' ? 'b: {script: x}\n' : undefined),
      matching: async () => [],
      other: async () => 'project',
    }
    const rules = rule.startsWith('{') ? `[${rule}]` : `[{${rule}}]`
    const content = `variables: {OWN: x}\ninclude: [{local: b.yml, rules: ${rules}}]\na: {script: x}\n`
    const occasion = { branch: 'main', variables, files: async () => ['b.yml'] }
    const { plan } = await lintContent(content, { files, occasion, plan: true })
    expect(plan?.jobs.map(({ name }) => name).toSorted()).toEqual(jobs)
    const lost = content.replace('b.yml, rules', 'lost.yml, rules')
    for (const plan of [true, false]) {
      const { errors } = await lintContent(lost, { files, occasion, plan })
      const missing = 'Local file `lost.yml` does not exist!'
      expect(errors).toEqual(jobs.length > 1 ? [missing] : [])
    }
  })

  it('knows refs by the project behind an @, and pushes by both names', async () => {
    const of = (ref: string) =>
      dry(`a: {script: x, only: ["${ref}"]}\n`, { CI_PROJECT_PATH: 'platform/app' })
    for (const ref of ['main@platform/app', '/^ma/@platform/app', 'push', 'pushes', 'branches'])
      expect(await of(ref)).toEqual([])
    for (const ref of ['main@platform/lib', 'tags', 'web'])
      expect(await of(ref)).toEqual(['No stages / jobs for this pipeline.'])
  })

  it('is filtered by its workflow, and misses jobs that others need', async () => {
    expect(await dry(`workflow: {rules: [{if: $NO}]}\n${job}`)).toEqual([
      'Pipeline filtered out by workflow rules.',
    ])
    expect(await dry(`${job}  except: [main]\nb:\n  script: x\n  needs: [a]\n`)).toEqual([
      "'b' job needs 'a' job, but 'a' is not in any previous stage",
    ])
    expect(await dry(`${job}  only: [/^ma/]\n`)).toEqual([])
  })
})

describe('the endpoints', () => {
  const { send } = useSharedSandbox()
  const app = '/projects/platform%2Fapp/ci/lint'

  it('answer 200, valid or not', async () => {
    const good = await send('POST /ci/lint', { json: { content: job } })
    expect([good.status, good.body]).toEqual([200, { status: 'valid', errors: [], warnings: [] }])
    const bad = await send('POST /ci/lint?include_merged_yaml=true', { json: { content: 'x' } })
    expect([bad.status, bad.body.status, bad.body.errors]).toEqual([
      200,
      'invalid',
      ['Invalid configuration format'],
    ])
    expect((await send('POST /ci/lint', { json: {} })).refusal).toEqual({
      error: 'content is missing',
    })
  })

  it('write texts so that they are texts when they are checked again', async () => {
    const content =
      'a: {script: ["x\\ty"], variables: {A: "yes", B: "010", C: "2020-01-01", D: "1:30"}}\n'
    const { body } = await send('POST /ci/lint?include_merged_yaml=true', { json: { content } })
    for (const line of ['A: "yes"', 'B: "010"', 'C: "2020-01-01"', 'D: "1:30"', '- "x\\ty"'])
      expect(body.merged_yaml).toContain(`${line}\n`)
    const again = await send('POST /ci/lint', { json: { content: body.merged_yaml } })
    expect(again.body.errors).toEqual([])
  })

  it('check the head of the default branch with its local files', async () => {
    const { status, body } = await send(`GET ${app}`, { as: 'dov' })
    expect([status, body.valid, body.errors]).toEqual([200, true, []])
    expect(body.merged_yaml).toContain('unit:')
    expect(body.merged_yaml).not.toContain('include')
    expect((await send(`GET ${app}?dry_run=true`)).body.valid).toBe(true)
    expect((await send('GET /projects/labs%2Fsensors/ci/lint')).status).toBe(404)
    expect((await send(`GET ${app}`, { as: 'eva' })).status).toBe(403)
  })

  it('check a text with the files of a project, of others, and with its variables', async () => {
    const content = `include:\n  - local: /ci/*.yml\n  - project: platform/tools/cli\n    file: .gitlab-ci.yml\nstages: [build, test]\nbuild:\n  script: x\n`
    const { status, body } = await send(`POST ${app}`, { json: { content } })
    expect([status, body.errors]).toEqual([200, []])
    expect(body.merged_yaml).toContain('check:')
    const missing = 'include: /ci/none.yml\n'
    expect((await send(`POST ${app}`, { json: { content: missing } })).body.errors).toEqual([
      'Local file `/ci/none.yml` does not exist!',
    ])
  })

  it('simulate a pipeline only for someone who may make one', async () => {
    const refused = {
      valid: false,
      errors: ['Insufficient permissions to create a new pipeline'],
    }
    const dry = { json: { content: job, dry_run: true }, as: 'dov' }
    expect((await send(`POST ${app}`, dry)).body).toMatchObject(refused)
    expect((await send(`GET ${app}?dry_run=true`, { as: 'dov' })).body).toMatchObject(refused)
    expect((await send(`GET ${app}`, { as: 'dov' })).body.valid).toBe(true)
    expect((await send(`POST ${app}`, { ...dry, as: 'chi' })).body.valid).toBe(true)
  })

  it('find the local files that a pattern means', async () => {
    const of = async (include: string) =>
      (await send(`POST ${app}`, { json: { content: `include: '${include}'\n${job}` } })).body
    expect((await of('/ci/*.yml')).merged_yaml).toContain('unit:')
    expect((await of('/**.yml')).merged_yaml).toContain('unit:')
    expect(await of(`/${'*a'.repeat(100)}.yml`)).toMatchObject({ valid: true, warnings: [] })
  })

  it('want a user where signing up is not open to anyone', async () => {
    const anonymous = () => send('POST /ci/lint', { as: '', json: { content: job } })
    await send('PUT /application/settings', {
      json: { signup_enabled: true, require_admin_approval_after_user_signup: false },
    })
    expect((await anonymous()).status).toBe(200)
    await send('PUT /application/settings', { json: { signup_enabled: false } })
    expect((await anonymous()).status).toBe(401)
  })
})
