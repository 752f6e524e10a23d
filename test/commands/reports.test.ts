/** Tests reports for programs against the essentials of their formats: SARIF 2.1.0 (OASIS), and JUnit's XML as CI servers read it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect, it } from 'vitest'
import { convert } from 'xmlbuilder2'
import { renderJunit, renderSarif } from '../../src/commands/reports.js'
import { createFolder } from '../support/program.js'
import { createCaller } from './calling.js'

const { call, server } = createCaller()

const text = { type: 'string', minLength: 1 }
const message = { type: 'object', required: ['text'], properties: { text } }
const positive = { type: 'integer', minimum: 1 }
const createListSchema = (items: object) => ({ type: 'array', items })
const createObjectSchema = (properties: object, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

/** The schema is written by hand from the standard: it covers the parts that are written here, and allows no others. */
const sarif = new Ajv2020({ strict: true, allErrors: true })
formats.default(sarif)
const isSarif = sarif.compile(
  createObjectSchema(
    {
      $schema: { type: 'string', format: 'uri' },
      version: { const: '2.1.0' },
      runs: createListSchema(
        createObjectSchema(
          {
            tool: createObjectSchema(
              {
                driver: createObjectSchema(
                  {
                    name: text,
                    version: text,
                    rules: {
                      ...createListSchema(
                        createObjectSchema({ id: text, shortDescription: message }, ['id']),
                      ),
                      uniqueItems: true,
                    },
                  },
                  ['name'],
                ),
              },
              ['driver'],
            ),
            columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
            results: createListSchema(
              createObjectSchema(
                {
                  ruleId: text,
                  level: { enum: ['none', 'note', 'warning', 'error'] },
                  message,
                  locations: createListSchema(
                    createObjectSchema(
                      {
                        physicalLocation: createObjectSchema(
                          {
                            artifactLocation: createObjectSchema(
                              { uri: { type: 'string', format: 'uri-reference' } },
                              [],
                            ),
                            region: createObjectSchema(
                              { startLine: positive, startColumn: positive },
                              [],
                            ),
                          },
                          [],
                        ),
                        logicalLocations: createListSchema(
                          createObjectSchema(
                            { fullyQualifiedName: text, kind: { const: 'resource' } },
                            [],
                          ),
                        ),
                      },
                      [],
                    ),
                  ),
                },
                ['message'],
              ),
            ),
          },
          ['tool'],
        ),
      ),
    },
    ['version', 'runs'],
  ),
)

interface Sarif {
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } }
    readonly results: readonly {
      readonly ruleId: string
      readonly message: { readonly text: string }
      readonly locations: readonly {
        readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } }
      }[]
    }[]
  }[]
}

const readSarif = (json: string): Sarif => {
  const report: unknown = JSON.parse(json)
  expect(isSarif(report), JSON.stringify(isSarif.errors)).toBe(true)
  return report as Sarif
}

type Element = Readonly<Record<string, string>>
interface Suite extends Element {}

/** Reads a report with one suite, and checks that its sums are those of its cases. */
const readJunit = (xml: string) => {
  const { testsuites } = convert(xml, { format: 'object' }) as unknown as {
    testsuites: { '@tests': string; testsuite: Suite & { testcase: unknown } }
  }
  const { testsuite } = testsuites
  const cases = [testsuite.testcase].flat() as readonly Readonly<Record<string, Element & string>>[]
  const having = (what: string): string =>
    String(cases.filter((one) => Object.hasOwn(one, what)).length)
  for (const suite of [testsuites, testsuite] as readonly Element[]) {
    expect(suite['@name']).toMatch(/\S/)
    expect(suite['@tests']).toBe(String(cases.length))
    expect([suite['@failures'], suite['@errors']]).toEqual([having('failure'), having('error')])
  }
  expect(testsuite['@skipped']).toBe(having('skipped'))
  for (const one of cases) {
    expect(one['@name']).toMatch(/\S/)
    expect(one['@classname']).toMatch(/\S/)
    const outcomes = ['failure', 'error', 'skipped'].filter((what) => Object.hasOwn(one, what))
    expect(outcomes.length).toBeLessThan(2)
    for (const what of outcomes) expect(one[what]?.['@message']).toMatch(/\S/)
    const known = ['@name', '@classname', '@file', 'failure', 'error', 'skipped', 'system-out']
    expect(Object.keys(one).filter((name) => !known.includes(name))).toEqual([])
  }
  return cases
}

/** A name as hostile as possible. The report below has a difference, an unreadable part, an impossible value and an expired certificate. */
const hostile = 'a ]]> <b> & "c" \u0007\ud800 é😀'
const namespace = { id: 5, kind: 'group', full_path: 'a' }
const project = { id: 1, path_with_namespace: 'a/one', namespace }
const answers: Readonly<Record<string, unknown>> = {
  '/projects/a%2Fone': project,
  '/projects/1/approval_rules': [],
  '/projects/1/pages/domains': [
    { domain: 'x.test', certificate: { expired: true, expiration: '2020-01-01T00:00:00Z' } },
  ],
}

const files = {
  projects: {
    'a/one': {
      approval_rules: { [hostile]: { approvals_required: 1 } },
      members: { ana: { access_level: 'guest' } },
      pages_domains: { 'x.test': {} },
      resource_groups: { nowhere: { process_mode: 'unordered' } },
    },
  },
}

it('are what their formats say, whatever differs', async () => {
  server.answer = ({ url }) => {
    const path = url.replace(/^\/api\/v4/, '').replace(/\?.*/, '')
    if (Object.hasOwn(answers, path)) return { body: answers[path] }
    const status = /\/members/.test(path) ? 403 : 404
    return { status, body: { message: `${status} as you asked` } }
  }
  const cwd = createFolder()
  mkdirSync(join(cwd, 'c: #1'))
  writeFileSync(join(cwd, 'c: #1', '100%?.json'), JSON.stringify({ version: 1, ...files }))
  const ran = await call(
    ['drift', 'c: #1', '--report', 'sarif=d.sarif', '--report', 'junit=d.xml'],
    { cwd },
  )
  expect(ran.code, ran.stderr).toBe(8)
  const [run] = readSarif(readFileSync(join(cwd, 'd.sarif'), 'utf8')).runs
  const results = run?.results ?? []
  expect(results.map(({ ruleId }) => ruleId)).toEqual(['unreadable', 'drift', 'certificate'])
  const rules = run?.tool.driver.rules.map(({ id }) => id)
  for (const { ruleId, locations } of results) {
    expect(rules).toContain(ruleId)
    expect(locations[0]?.physicalLocation.artifactLocation.uri).toBe('c%3A%20%231/100%25%3F.json')
  }
  const cases = readJunit(readFileSync(join(cwd, 'd.xml'), 'utf8'))
  expect(cases.flatMap((one) => Object.keys(one).filter((name) => !name.startsWith('@')))).toEqual([
    'system-out',
    'error',
    'failure',
    'skipped',
  ])
})

it('are so of any text', async () => {
  const texts = ['', ' ', '\0\u001b[31m', '\ud800', ']]>', '<a>&amp;', '\ufffe', 'ü'.repeat(1000)]
  const cases = texts.map((one) => ({
    name: `n${one}`,
    failure: { type: 'drift', message: `m${one}`, text: one },
  }))
  readJunit(await renderJunit('any', cases))
  const results = texts.map((one) => ({
    ruleId: 'drift',
    level: 'error' as const,
    text: `t${one}`,
    file: `f${one}`,
    logical: `l${one}`,
  }))
  readSarif(renderSarif('1.0.0', { drift: 'x' }, results))
})

it('name files by a URI, which of an absolute path has a scheme', () => {
  const results = ['a b/#1.yml', '/a b/#1.yml'].map((file) => ({
    ruleId: 'drift',
    level: 'note' as const,
    text: 'x',
    file,
  }))
  const [run] = readSarif(renderSarif('1.0.0', { drift: 'x' }, results)).runs
  expect(JSON.stringify(run)).toMatch(/"a%20b\/%231.yml".*"file:\/\/\/a%20b\/%231.yml"/)
})
