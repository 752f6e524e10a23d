/**
 * Tests objects that several projects share: two files cannot give one deploy key two titles, nor one domain two
 * projects. After an apply the next plan is empty.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useSharedSandbox } from '../sandbox/instance.js'
import { leaf, leafKey } from '../sandbox/pem.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'

const { send, url } = useSharedSandbox()

const createLineRunner = (files: Readonly<Record<string, string>>) => {
  const cwd = createFolder()
  mkdirSync(join(cwd, 'svcctl'))
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(cwd, 'svcctl', name), name.endsWith('.pem') ? text : `version: 1\n${text}\n`)
  const env = {
    SVC_CONFIG_DIR: createConfiguration(),
    SVC_TOKEN: 'sandbox-root-token',
    SVC_BASE_URL: url(),
  }
  return (line: string) => svcctl(line.split(' '), { cwd, env })
}
const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINAZ3vWwqQ3q1a0Vn1H6c0mYVnS1uB7o4t3o2kO0x2a1b'
const other = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIC6yD2mlIRgmyZvFPGkn4Cdyc8N+EhUUpU0wIlFcpnnw'
const buildDeployKey = (path: string, title: string, text = key): string =>
  `projects: {${path}: {deploy_keys: {${title}: {key: "${text}"}}}}`
const rule = 'a key has one title in all its projects'

describe('one deploy key', () => {
  it.each([
    [
      'in one file',
      {
        'a.yml': `projects: {web/docs: {deploy_keys: {a: {key: "${key}"}}}, web/shop: {deploy_keys: {b: {key: "${key}"}}}}`,
      },
    ],
    [
      'in two files',
      { 'a.yml': buildDeployKey('web/docs', 'a'), 'b.yml': buildDeployKey('web/shop', 'b') },
    ],
    [
      'in two groups',
      { 'a.yml': buildDeployKey('web/docs', 'a'), 'b.yml': buildDeployKey('platform/app', 'b') },
    ],
    [
      'by case alone',
      { 'a.yml': buildDeployKey('web/docs', 'Key'), 'b.yml': buildDeployKey('web/shop', 'key') },
    ],
    [
      'with another comment',
      {
        'a.yml': buildDeployKey('web/docs', 'a'),
        'b.yml': buildDeployKey('web/shop', 'b', `${key} me`),
      },
    ],
    [
      'by a group and by a project',
      {
        'a.yml': `groups: {web/**: {projects: {deploy_keys: {a: {key: "${key}"}}}}}`,
        'b.yml': buildDeployKey('platform/app', 'b'),
      },
    ],
    [
      'by title: and by name',
      {
        'a.yml': buildDeployKey('web/docs', 'a'),
        'b.yml': `projects: {web/shop: {deploy_keys: {a: {title: b, key: "${key}"}}}}`,
      },
    ],
  ])('has one title: two %s', async (_, files) => {
    for (const line of ['plan', 'apply --yes', 'drift']) {
      const { code, stderr } = await createLineRunner(files)(line)
      expect([line, code, stderr]).toEqual([line, 2, expect.stringContaining(rule)])
      expect(stderr).toMatch(/svcctl\/\w\.yml:2:\d+: projects.* and svcctl\/\w\.yml:2:\d+ says/)
    }
  })

  it('may have one title under two names, and is as declared from then on', async () => {
    const run = createLineRunner({
      'a.yml': buildDeployKey('web/docs', 'a'),
      'b.yml': `projects: {web/shop: {deploy_keys: {b: {title: a, can_push: true, key: "${key}"}}}}`,
    })
    expect(await run('apply --yes')).toMatchObject({ code: 0 })
    expect((await run('plan')).stdout).toContain('nothing to do; 2 unchanged')
  })

  it('that the instance has is held against another title, too', async () => {
    await send('POST /projects/web%2Fdocs/deploy_keys', { json: { title: 'there', key: other } })
    const there = 'projects: {web/docs: {deploy_keys: {there: {can_push: true}}}}'
    const both = await createLineRunner({
      'a.yml': there,
      'b.yml': buildDeployKey('web/shop', 'here', other),
    })('plan')
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining(rule)])
    // If no file names the other project, the title of its key changes too: the apply reports it, and the next plan is empty.
    const run = createLineRunner({ 'b.yml': buildDeployKey('web/shop', 'here', other) })
    const applied = await run('apply --yes')
    expect([applied.code, applied.stdout]).toEqual([
      0,
      expect.stringContaining('other projects call this key there: its title changes there, too'),
    ])
    expect((await run('plan')).stdout).toContain('nothing to do; 1 unchanged')
  })
})

it('a domain belongs to one project, whatever its case', async () => {
  const domain = (path: string, name: string): string =>
    `projects: {${path}: {pages_domains: {${name}: {}}}}`
  const files = {
    'a.yml': domain('web/docs', 'a.example'),
    'b.yml': domain('web/shop', 'A.example'),
  }
  const { code, stderr } = await createLineRunner(files)('plan')
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('it belongs to one project, and svcctl/a.yml:2:39 says web/docs'),
  ])
})

it.each([
  [
    'a certificate',
    'projects: {web/shop: {pages_domains: {www.shop.test: {certificate: {file: leaf.pem}, key: {file: key.pem}}}}}',
    'certificate',
  ],
  [
    'no certificate',
    'projects: {web/shop: {pages_domains: {www.shop.test: {certificate: null}}}}',
    '→ unset',
  ],
  [
    'another address inside',
    'site: {geo_nodes: {south: {internal_url: "https://s.example"}}}',
    '→ https://s.example',
  ],
  ['its own address inside', 'site: {geo_nodes: {south: {internal_url: null}}}', '→ unset'],
  [
    'a list in one text',
    'site: {settings: {asset_proxy_allowlist: "a.example, b.example"}}',
    '+ a.example',
  ],
  [
    'a list with repeats',
    'site: {settings: {domain_allowlist: [b.example, a.example, a.example]}}',
    '+ a.example',
  ],
])('an apply of %s is kept, and the next plan is empty', async (_, text, what) => {
  const run = createLineRunner({ 'a.yml': text, 'leaf.pem': leaf, 'key.pem': leafKey })
  const { code, stdout, stderr } = await run('apply --yes')
  expect([code, stdout]).toEqual([0, expect.stringContaining(what)])
  expect(stderr).not.toContain('did not keep')
  expect((await run('plan')).stdout).toMatch(/^Plan: nothing to do; 1 unchanged/m)
})

it('undo brings back what was not set', async () => {
  const changed = 'after_sign_out_path: /x, archive_builds_in_human_readable: 3 days'
  const run = createLineRunner({
    'a.yml': `site: {settings: {${changed}, home_page_url: "https://h.example"}}`,
  })
  const names = ['after_sign_out_path', 'archive_builds_in_human_readable', 'home_page_url']
  const shown = async () => {
    const { body } = await send('GET /application/settings')
    return names.map((name) => (body as Readonly<Record<string, unknown>>)[name] || null)
  }
  const before = await shown()
  expect(await run('apply --yes')).toMatchObject({ code: 0 })
  expect(await shown()).toEqual(['/x', '3 days', 'https://h.example'])
  expect(await run('journal undo last --yes')).toMatchObject({ code: 0 })
  expect(await shown()).toEqual(before)
})
