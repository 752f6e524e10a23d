/** Tests the grammar of files, and the positions of their parts. */
import { describe, expect, it } from 'vitest'
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

const buildSettings = (text: string): string => `site:\n  settings:\n    ${text}\n`

const invalidFiles: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'a key twice',
    buildSettings('admin_mode: true\n    admin_mode: true'),
    ['4:5: the key appears twice here, first at standard input:4:5'],
  ],
  [
    'an unquoted @',
    'projects:\n  a/b:\n    integrations: {chat: {webhook: @file}}',
    [
      '3:36: invalid YAML: Plain value cannot start with reserved character @',
      'Write {file: path}: an unquoted @ is not valid YAML.',
    ],
  ],
  [
    'a command in a flow map',
    'projects: {a/b: {integrations: {chat: {webhook: command:["a","b"]}}}}',
    [
      '1:49: invalid YAML: Block collections are not allowed within flow collections',
      'Write {command: [program, argument]}: the short form does not work here.',
    ],
  ],
  ['a tag', buildSettings('after_sign_up_text: !secret x'), ['3:25: invalid YAML: unknown tag']],
  [
    'an alias of nothing',
    buildSettings('admin_mode: *x'),
    ['3:17: this alias has no anchor before it'],
  ],
  [
    'an alias of itself',
    buildSettings('domain_allowlist: &x [*x]'),
    ['3:27: this alias has no anchor before it'],
  ],
  ['a key that is no text', buildSettings('? [a]\n    : b'), ['3:7: a key must be text']],
  [
    'a document without a map',
    '---\n- a',
    [
      '2:1: standard input must contain a single document',
      '2:1: a file of declared state must be a map, not a list',
    ],
  ],
]

describe('what is no document', () => {
  it.each(invalidFiles)('%s', async (_, text, mistakes) => {
    expect(await findMistakes(text)).toEqual(mistakes)
  })

  it("'**' that is not quoted gets a hint that says so", async () => {
    const lines = await findMistakes('groups:\n  **: {projects: {}}')
    expect(lines.join('\n')).toContain("Quote '**'")
  })

  it('never shows what stands where a parser stumbles', async () => {
    const lines = await findMistakes(
      'projects:\n  a/b: {integrations: {chat: {webhook: "hunter2" "hunter3"}}}',
    )
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.join('\n')).not.toContain('hunter')
  })

  it.each([
    ['- '.repeat(20_000)],
    ['['.repeat(20_000)],
    ['? '.repeat(20_000)],
    ['{a: '.repeat(20_000)],
  ])('nests without end', async (text) => {
    expect(await getRefusal(readText(`site: \n  ${text}`))).toEqual([
      'standard input:1:1: the file is too large or too deeply nested',
      'Split it into several files.',
    ])
  })

  it('counts aliases, those within aliases as well', async () => {
    const ten = (alias: string): string => Array(10).fill(alias).join(', ')
    const bomb = `domain_allowlist: [&a x, &b y, ${ten('*a')}]\n`
    expect(getWanted(await readText(buildSettings(bomb)))['site:settings']).toBeDefined()
    const many = `domain_allowlist: [&a x, ${Array(101).fill('*a').join(', ')}]\n`
    const [first] = await getRefusal(readText(buildSettings(many)))
    expect(first).toMatch(/^standard input:4:\d+: more than 100 aliases in one document$/)
    const nested = [
      'projects:',
      `  a/b: &p {approvals: &q {reset_approvals_on_push: true}}`,
      ...Array.from({ length: 60 }, (_, i) => `  a/c${i}: *p`),
      `  a/z: {approvals: *q}`,
    ].join('\n')
    expect((await readText(nested)).reach.projects).toHaveLength(62)
  })
})

it('aliases of aliases end where they are too many', async () => {
  const ten = (name: string): string => Array(10).fill(`*${name}`).join(', ')
  const lines = Array.from({ length: 30 }, (_, i) => `  x${i + 1}: &x${i + 1} [${ten(`x${i}`)}]`)
  const bomb = ['site:', '  x0: &x0 [a]', ...lines].join('\n')
  const [first, ...more] = await getRefusal(readText(bomb))
  expect(first).toMatch(/^standard input:\d+:\d+: more than 100 aliases in one document$/)
  expect(more).toEqual([])
})

describe('texts', () => {
  it('stay what was written, where the attribute is text', async () => {
    const state = await readText(
      buildSettings(
        'after_sign_up_text: 007\n    home_page_url: 2027-01-01\n    commit_email_hostname: true\n    default_branch_name: 1.0',
      ),
    )
    expect(getWanted(state)['site:settings']).toEqual({
      '': {
        after_sign_up_text: '007',
        home_page_url: '2027-01-01',
        commit_email_hostname: 'true',
        default_branch_name: '1.0',
      },
    })
  })

  it('are keys as they are written: 007 is not 7', async () => {
    const state = await readText(
      'projects: {platform/app: {approval_rules: {007: {approvals_required: 1}, 7: {approvals_required: 2}, true: null}}}',
    )
    expect(getWanted(state)['platform/app:approval_rules']).toEqual({
      '007': { approvals_required: 1 },
      7: { approvals_required: 2 },
      true: null,
    })
  })

  it('are no merge keys and no words of YAML 1.1', async () => {
    expect(await findMistakes(buildSettings('<<: {admin_mode: true}'))).toEqual([
      '3:5: << is unknown',
    ])
    expect(await findMistakes(buildSettings('admin_mode: yes'))).toEqual([
      '3:17: admin_mode must be true or false, not "yes"',
      'In YAML 1.2, only true and false are booleans.',
    ])
  })

  it('may be JSON, with tabs, and a byte order mark', async () => {
    const cwd = writeFolder({
      'a.json': '\uFEFF{\n\t"version": 1,\n\t"site": {"settings": {"admin_mode": true}}\n}',
    })
    const state = await readFiles(['a.json'], { cwd, stdin: async () => '' })
    expect(getWanted(state)['site:settings']).toEqual({ '': { admin_mode: true } })
  })
})

describe('positions', () => {
  it('are those of the keys, by file, line and column', async () => {
    const state = await readTexts({
      'a.yml': 'projects:\n  platform/app:\n    approvals:\n      reset_approvals_on_push: true\n',
    })
    const item = findItem(state, 'platform/app:approvals', '')
    expect(item.attributes.get('reset_approvals_on_push')?.origin).toEqual({
      file: 'a.yml',
      line: 5,
      column: 7,
    })
    expect(state.reach.origins?.get('projects/platform/app')).toEqual({
      file: 'a.yml',
      line: 3,
      column: 3,
    })
  })

  it('tell all mistakes at once, in the order of files and lines', async () => {
    const lines = await getRefusal(
      readTexts({
        'b.yml': 'site: {setings: {}}\nversoin: 1',
        'a.yml':
          'projects:\n  platform/app: {approvals: {resset_approvals_on_push: true}}\n  app: {}',
      }),
    )
    expect(lines.map((line) => line.replace(/: .*/, ''))).toEqual([
      'a.yml:3:30',
      'a.yml:4:3',
      'b.yml:2:8',
      'b.yml:3:1',
    ])
  })
})
