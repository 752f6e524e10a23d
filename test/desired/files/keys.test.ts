/** Tests which keys are allowed where, and the errors for the others. */
import { describe, expect, it } from 'vitest'
import { managedKinds } from '../../../src/catalogue/managed.js'
import { readFiles } from '../../../src/desired/files/index.js'
import {
  findItem,
  findMistakes,
  getRefusal,
  getWanted,
  readText,
  readTexts,
  writeFolder,
} from './reading.js'

const buildProject = (text: string): string => `projects: {platform/app: {${text}}}`

const invalidFiles: readonly (readonly [string, string, readonly string[]])[] = [
  ['a key of the document', 'sites: {}', ['1:1: sites is not allowed here', 'Did you mean site?']],
  [
    'a key far from all',
    'nonsense: {}',
    [
      '1:1: nonsense is not allowed here',
      'Use one of version, instance, owns, teams, defaults, groups, projects, site.',
    ],
  ],
  [
    'a kind',
    buildProject('approval_rule: {}'),
    ['1:27: approval_rule is not allowed here', 'Did you mean approval_rules?'],
  ],
  [
    'a kind of another place below a group',
    "groups: {'platform/**': {settings: {}}}",
    ['1:26: settings is not allowed here', 'settings belongs under site.'],
  ],
  [
    'a key that is near a kind of another place',
    "groups: {'platform/**': {runnerz: []}}",
    ['1:26: runnerz is not allowed here', 'Use one of members, projects, $inherit.'],
  ],
  [
    'a kind of another place',
    buildProject('settings: {}'),
    ['1:27: settings is not allowed here', 'settings belongs under site.'],
  ],
  [
    'an attribute',
    buildProject('approvals: {reset_approval_on_push: true}'),
    ['1:39: reset_approval_on_push is not allowed here', 'Did you mean reset_approvals_on_push?'],
  ],
  [
    'an attribute far from all',
    buildProject('approvals: {nonsense: true}'),
    [
      '1:39: nonsense is not allowed here',
      'Use one of reset_approvals_on_push, disable_overriding_approvers_per_merge_request, merge_requests_author_approval, merge_requests_disable_committers_approval, require_password_to_approve, $inherit, $other. Put attributes of newer instances under $other.',
    ],
  ],
  [
    'an attribute that has a successor',
    'site: {settings: {asset_proxy_whitelist: []}}',
    [
      '1:19: asset_proxy_whitelist is not allowed here',
      'It is deprecated: use asset_proxy_allowlist.',
    ],
  ],
  [
    'an attribute that the key of its item says',
    buildProject('approval_rules: {Security: {name: Security}}'),
    ['1:55: name is not allowed here', 'The key of the item determines it.'],
  ],
  [
    'a reserved key that is none',
    buildProject('approval_rules: {$exakt: true}'),
    [
      '1:44: "$exakt" is not a valid name of an item',
      'Use $exact, $inherit, or $$name for a name that begins with $.',
    ],
  ],
  [
    'an item that begins with $',
    buildProject('approval_rules: {$Secret: {}}'),
    [
      '1:44: "$Secret" is not a valid name of an item',
      'Use $exact, $inherit, or $$name for a name that begins with $.',
    ],
  ],
  [
    'a reserved key among attributes',
    buildProject('approvals: {$add: [a]}'),
    [
      '1:39: $add is not allowed here',
      expect.stringContaining('Use one of reset_approvals_on_push, '),
    ],
  ],
  [
    'projects under a group itself',
    'groups: {platform: {projects: {}}}',
    [
      '1:21: projects is not allowed here',
      "Put settings for all projects of the group under 'group/**'.",
    ],
  ],
  [
    'a kind of projects under a group',
    'groups: {platform: {approvals: {}}}',
    ['1:21: approvals is not allowed here', 'approvals belongs under projects.'],
  ],
  [
    'a group of defaults',
    'defaults: {groups: {}}',
    ['1:12: groups is not allowed here', 'Use projects.'],
  ],
  [
    'a pattern under projects',
    "projects: {'plat?/**': {}}",
    [
      '1:12: "plat?/**" is not a valid path or pattern of projects',
      `Use group/project, a glob such as 'group/*', or '{topic: name, path: "group/**"}'.`,
    ],
  ],
  [
    'a selector with a visibility that no project has',
    "projects: {'{visibility: [PUBLIC, intern]}': {}}",
    [
      '1:12: visibility must be private, internal or public, not "intern"',
      'Did you mean internal?',
    ],
  ],
  [
    'a project without its group',
    'projects: {app: {}}',
    [
      '1:12: "app" is not a valid path or pattern of projects',
      `Use group/project, a glob such as 'group/*', or '{topic: name, path: "group/**"}'.`,
    ],
  ],
  [
    'a path with dots',
    'projects: {../app: {}}',
    [
      '1:12: "../app" is not a valid path or pattern of projects',
      `Use group/project, a glob such as 'group/*', or '{topic: name, path: "group/**"}'.`,
    ],
  ],
  [
    'a pattern that is none',
    "groups: {'plat*': {}}",
    [
      '1:10: "plat*" is not a valid path of a group',
      "Use group, group/subgroup, 'group/**' for all below it, or '**' for all groups.",
    ],
  ],
  [
    'a place of nothing',
    'projects: {platform/app: }',
    [
      '1:12: platform/app has no value',
      'Write a value, {} for an empty map, or null to remove or unset it.',
    ],
  ],
  ['a list for a map', 'groups: []', ['1:9: groups must be a map, not a list']],
  [
    'an address that is none',
    'instance: ftp://x',
    [
      '1:11: invalid base URL "ftp://x": the scheme ftp is neither http nor https',
      'Use the form https://host or https://host/path.',
    ],
  ],
]

describe('a key that is wrong', () => {
  it.each(invalidFiles)('%s', async (_, text, mistakes) => {
    const found = await findMistakes(text)
    expect(found).toEqual(mistakes)
  })
})

describe('a document', () => {
  it.each([
    ['', 'the file is empty'],
    ['# nothing', 'the file is empty'],
    ['site: {}', 'version is missing'],
    ['version: 2', 'version must be the number 1'],
    ["version: '1'", 'version must be the number 1'],
    ['[]', 'a file of declared state must be a map, not a list'],
    ['version: 1\n---\nsite: {}', 'version is missing'],
  ])('says its version: %j', async (text, mistake) => {
    const cwd = writeFolder({ 'a.yml': text })
    const [line] = await getRefusal(readFiles(['a.yml'], { cwd, stdin: async () => '' }))
    expect(line).toMatch(/^a\.yml:\d+:\d+: /)
    expect(line).toContain(mistake)
  })

  it('names the instance at most once, compared after normalising', async () => {
    const state = await readText('instance: HTTPS://Svc.example/api/v4/')
    expect(state.instance?.value).toBe('https://svc.example')
    expect((await readText('instance: sandbox:/tmp/state')).instance?.value).toBe(
      'sandbox:/tmp/state',
    )
    expect((await readText('site: {}')).instance).toBeUndefined()
    const twice = readTexts({ 'a.yml': 'instance: svc.example', 'b.yml': 'instance: svc.example' })
    expect(await getRefusal(twice)).toEqual([
      'b.yml:2:1: instance is declared twice, first at a.yml:2:1',
    ])
  })
})

describe('what stands at its place', () => {
  it('is every kind, under the places that it belongs to', async () => {
    expect(managedKinds.length).toBeGreaterThan(10)
    for (const { name, scope, holds } of managedKinds) {
      const key = { site: 'site', group: 'platform', project: 'platform/app' }[scope]
      const body = `{${name}: ${holds === 'rules' ? '[]' : '{}'}}`
      const text = scope === 'site' ? `site: ${body}` : `${scope}s: {${key}: ${body}}`
      expect(getWanted(await readText(text))).toHaveProperty([`${key}:${name}`])
    }
  })

  it('may be unknown under $other, where nothing is secret by its name', async () => {
    const state = await readText(
      buildProject('approvals: {$other: {a_new_one: [1, {b: true}], bot_token: {env: BOT}}}'),
    )
    const { attributes } = findItem(state, 'platform/app:approvals', '')
    expect([...attributes].map(([name, { value }]) => [name, value])).toEqual([
      ['a_new_one', { is: 'value', value: [1, { b: true }] }],
      ['bot_token', { is: 'secret', source: { env: 'BOT' } }],
    ])
    expect(
      await findMistakes(
        buildProject(
          'approvals: {$other: {bot_token: glpat-1, $x: 1, reset_approvals_on_push: true}}',
        ),
      ),
    ).toEqual([
      expect.stringMatching(/^1:\d+: secrets cannot be written in files/),
      expect.stringMatching(/^1:\d+: \$x is unknown$/),
      expect.stringMatching(
        /^1:\d+: reset_approvals_on_push is a known attribute: move it out of \$other/,
      ),
    ])
  })

  it('is whatever the answer of settings has, which is not known yet', async () => {
    const state = await readText('site: {settings: {a_new_one: 5, admin_mode: true}}')
    const item = findItem(state, 'site:settings', '')
    expect([...item.attributes.keys()]).toEqual(['a_new_one', 'admin_mode'])
    expect(await findMistakes('site: {settings: {$other: {x: 1}}}')).toEqual([
      '1:19: $other is not allowed here',
      'settings accepts every attribute of the response without $other.',
    ])
    expect((await findMistakes('site: {settings: {some_api_key: abc}}'))[0]).toContain(
      'secrets cannot be written in files',
    )
  })

  it('begins with $ where that is its name', async () => {
    const state = await readText(
      buildProject('approval_rules: {$$Secret: {approvals_required: 1}}'),
    )
    expect(getWanted(state)['platform/app:approval_rules']).toEqual({
      $Secret: { approvals_required: 1 },
    })
  })
})
