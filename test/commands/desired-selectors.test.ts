/** Tests selectors: keys that select projects by path and by the fields of their records. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { useSharedSandbox } from '../sandbox/instance.js'
import { createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { type Hook, startProxy } from './front.js'

const { url } = useSharedSandbox()

const createLineRunner = async (texts: readonly string[], hook?: Hook) => {
  const front = await startProxy(url, hook)
  const cwd = createFolder()
  for (const [i, text] of texts.entries())
    writeFileSync(join(cwd, `f${i}.yml`), `version: 1\n${text}\n`)
  const env = { SVC_TOKEN: 'sandbox-root-token', SVC_BASE_URL: front.base }
  const names = texts.map((_, i) => `f${i}.yml`).join(' ')
  return (line: string) => svcctl(line.replace('FILES', names).split(' '), { cwd, env })
}
const on = '{approvals: {reset_approvals_on_push: true}}'
const off = '{approvals: {reset_approvals_on_push: false}}'
const buildRule = (n: number): string => `{approval_rules: {Every: {approvals_required: ${n}}}}`

interface PlanJson {
  readonly actions: readonly { readonly address: string; readonly body: Record<string, unknown> }[]
}
const runPlan = async (texts: readonly string[]): Promise<PlanJson> => {
  const { code, stdout, stderr } = await (await createLineRunner(texts))('plan FILES -o json')
  expect([code, stderr]).toEqual([0, expect.anything()])
  return JSON.parse(stdout) as PlanJson
}
/** Plans a file with these project keys. Returns the required approvals of each project that gets a rule. */
const planApprovals = async (
  ...keys: readonly string[]
): Promise<Readonly<Record<string, unknown>>> => {
  const { actions } = await runPlan([`projects:\n${keys.map((key) => `  ${key}`).join('\n')}`])
  return Object.fromEntries(
    actions.map(({ address, body }) => [
      address.replace(/^projects\/|:.*$/g, ''),
      body.approvals_required,
    ]),
  )
}

describe('a selector', () => {
  it.each([
    ["'platform/*'", ['platform/app']],
    [
      "'platform/**'",
      [
        'platform/app',
        'platform/core/engine',
        'platform/core/protocol',
        'platform/tools/cli',
        'platform/tools/deploy',
      ],
    ],
    ["'**/e*'", ['platform/core/engine']],
    ["'PLATFORM/*/CL*'", ['platform/tools/cli']],
    ["'{topic: cli}'", ['platform/tools/cli']],
    ["'{topic: [CLI, flagship]}'", ['platform/app', 'platform/tools/cli']],
    ['\'{topic: service, path: "platform/**", not: [platform/core/*]}\'', ['platform/app']],
    ['\'{visibility: public, path: "web/*"}\'', ['web/docs', 'web/site']],
  ])('means %s', async (key, projects) => {
    expect(Object.keys(await planApprovals(`${key}: ${buildRule(1)}`))).toEqual(projects)
  })

  it('goes after groups and before paths, maps before globs, short beginnings before long ones', async () => {
    const keys = [
      `'platform/tools/cli': ${buildRule(1)}`,
      `'platform/tools/*': ${buildRule(2)}`,
      `'platform/**': ${buildRule(3)}`,
      `'{path: "platform/**"}': ${buildRule(4)}`,
      `'{path: "web/*"}': ${buildRule(5)}`,
    ]
    expect(await planApprovals(...keys)).toEqual({
      'platform/app': 3,
      'platform/core/engine': 3,
      'platform/core/protocol': 3,
      'platform/tools/cli': 1,
      'platform/tools/deploy': 2,
      'web/docs': 5,
      'web/legacy': 5,
      'web/shop': 5,
      'web/site': 5,
    })
  })

  it('brings defaults along, and reaches nothing of a person', async () => {
    const { actions } = await runPlan([
      `defaults: {projects: ${buildRule(2)}}\nprojects: {'{path: "web/s*"}': {approval_rules: {Other: {approvals_required: 1}}}, 'ana/*': ${buildRule(1)}}`,
    ])
    expect(actions.map(({ address }) => address)).toEqual([
      'projects/web/shop:approval_rules/Every',
      'projects/web/shop:approval_rules/Other',
      'projects/web/site:approval_rules/Every',
      'projects/web/site:approval_rules/Other',
    ])
    const none = await (await createLineRunner([`projects: {'ana/*': ${on}}`]))('plan FILES')
    expect(none.stderr).toContain('f0.yml:2:12: ana/* matches no project')
  })

  it('may not be gainsaid by one of its rank, unless something more specific speaks', async () => {
    const two = `'{topic: service}': ${on}, '{path: "platform/*"}': ${off}`
    const refused = await (await createLineRunner([`projects: {${two}}`]))('plan FILES')
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(
        /f0\.yml:2:\d+: projects\/platform\/app:approvals#reset_approvals_on_push has another value at f0\.yml:2:\d+/,
      ),
    ])
    const settled = await (await createLineRunner([`projects: {${two}, platform/app: ${on}}`]))(
      'plan FILES',
    )
    expect(settled.code).toBe(0)
    const gone = `'{topic: service}': {approval_rules: {Security: null}}, '{path: "platform/*"}': ${buildRule(1)}`
    expect((await (await createLineRunner([`projects: {${gone}}`]))('plan FILES')).code).toBe(0)
    const both = gone.replace('Every', 'Security')
    expect(
      (await (await createLineRunner([`projects: {${both}}`]))('plan FILES')).stderr,
    ).toContain('approval_rules/Security has another value at')
  })

  it('may agree with one of its rank that something is gone, and leaves it to what is more specific', async () => {
    const rule = (text: string): string => `{approval_rules: {Security: ${text}}}`
    const of = (one: string, other: string, app: string) =>
      runPlan([
        `projects: {'{topic: service}': ${rule(one)}, '{path: "platform/*"}': ${rule(other)}, platform/app: ${app}}`,
      ])
    const { actions } = await of('null', 'null', '{}')
    expect(actions).toMatchObject([
      { address: 'projects/platform/app:approval_rules/Security', verb: 'delete' },
    ])
    const some = '{approvals_required: 3}'
    for (const [one, other] of [
      ['null', some],
      [some, 'null'],
    ] as const)
      expect((await of(one, other, rule('{}'))).actions).toContainEqual(
        expect.objectContaining({
          id: 'update projects/platform/app:approval_rules/Security',
          changes: [expect.objectContaining({ attribute: 'approvals_required', wanted: 3 })],
        }),
      )
  })

  it.each([
    [
      'previously',
      'approval_rules: {Every: {approvals_required: 1, previously: [A]}}',
      'approval_rules: {Every: {previously: [B]}}',
    ],
    [
      'family',
      'integrations: {own: {family: chat-webhook, push_events: true}}',
      'integrations: {own: {family: chat-room}}',
    ],
  ])('may not be gainsaid by one of its rank in %s', async (word, one, other) => {
    const two = `'{topic: service}': {${one}}, '{path: "platform/*"}': {${other}}`
    const { code, stderr } = await (await createLineRunner([`projects: {${two}}`]))('plan FILES')
    expect([code, stderr]).toEqual([2, expect.stringMatching(/f0\.yml:2:\d+: /)])
    expect(stderr).toMatch(new RegExp(`#${word} has another value at f0\\.yml:2:`))
  })

  it('unites what is alike, items of sets, and changes of lists', async () => {
    const list = (change: string): string => `{approval_rules: {Security: {user_ids: {${change}}}}}`
    const run = await createLineRunner([
      `projects: {'{topic: service}': ${list('$add: [chi]')}, '{path: "platform/*"}': ${list('$remove: [ben]')}}`,
    ])
    expect((await run('plan FILES -P platform/app')).stdout).toContain('- ben  + chi')
    const other = await createLineRunner([
      `projects: {'{topic: service}': ${list('$add: [chi]')}, '{path: "platform/*"}': ${list('$remove: [chi]')}}`,
    ])
    expect((await other('plan FILES')).stderr).toContain('has another value')
  })

  it('does not know of a project what its record does not say', async () => {
    const hook: Hook = ({ url: asked }, response) => {
      if (!asked.startsWith('/api/v4/projects?')) return false
      response.writeHead(200, { 'content-type': 'application/json' })
      const namespace = { id: 2, kind: 'group', full_path: 'platform' }
      const records = [
        { id: 1, path_with_namespace: 'platform/app', namespace, topics: ['service'] },
        { id: 2, path_with_namespace: 'platform/dark', namespace },
      ]
      response.end(asked.includes('page=2') ? '[]' : JSON.stringify(records))
      return true
    }
    const run = await createLineRunner([`projects: {'{topic: service}': ${on}}`], hook)
    const { code, stdout } = await run('plan FILES')
    expect([code, stdout]).toEqual([8, expect.stringContaining('platform/dark')])
    expect(stdout).toContain('its record lacks a field that a selector needs')
  })

  it('is explained by where its values stand', async () => {
    const run = await createLineRunner([
      `projects: {'platform/*': ${on}, '{topic: flagship}': ${off}}`,
    ])
    const { stdout } = await run('plan FILES --explain projects/platform/app:approvals -o json')
    expect(JSON.parse(stdout)).toMatchObject([
      { value: 'true', origin: 'f0.yml:2:39', over: [{ value: 'false' }] },
    ])
  })

  it.each([
    ['{topic: a}: {}', "Quote it: '{topic: a}'."],
    ["'{topic: a': {}", '"{topic: a" is not a valid path or pattern of projects'],
    ["'{topics: a}': {}", 'Did you mean topic?'],
    ["'{}': {}", 'a selector must not be empty'],
    ["'{topic: {a: b}}': {}", 'topic must be text or a list, not a map'],
    ['\'{path: "a b"}\': {}', 'a b is not a valid path pattern'],
    ["'a**b/c': {}", 'a**b/c is not a valid path pattern'],
    ["'plat?/*': {}", '"plat?/*" is not a valid path or pattern of projects'],
  ])('is refused: %s', async (key, why) => {
    const { code, stderr } = await (await createLineRunner([`projects: {${key}}`]))('plan FILES')
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^svcctl: f0\.yml:2:12: /)])
    expect(stderr).toContain(why)
  })
})

it('make the same plan in whatever order and files they stand', async () => {
  const keys = [
    `'platform/tools/*': ${buildRule(2)}`,
    `'platform/**': ${buildRule(3)}`,
    `'{topic: service}': ${on}`,
    `'{topic: [web, service]}': ${on}`,
    `'{path: "web/*"}': {approval_rules: {Every: {approvals_required: 5}, Own: 1}}`,
    `platform/app: ${off}`,
  ]
  const said = async (files: readonly (readonly string[])[]) => {
    const texts = files.map((some) => `projects: {${some.join(', ')}}`)
    return (await runPlan(texts)).actions.map(({ address, body }) => [address, body])
  }
  const once = await said([keys])
  expect(once.length).toBeGreaterThan(8)
  const shuffled = fc.shuffledSubarray(keys, { minLength: keys.length })
  await fc.assert(
    fc.asyncProperty(shuffled, fc.integer({ min: 1, max: 5 }), async (all, cut) => {
      expect(await said([all.slice(0, cut), all.slice(cut)])).toEqual(once)
    }),
    { numRuns: 8 },
  )
})
