/** Tests the sections of an export: the text of each kind, its order, and the parts that are left out. */

import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../../src/base/objects.js'
import { toReferenceText } from '../../../src/desired/address.js'
import { buildSection } from '../../../src/desired/exporting/kind.js'
import {
  createYamlWriter,
  formatDocument,
  toPlainValue,
} from '../../../src/desired/exporting/model.js'
import type { CurrentKind } from '../../../src/desired/state.js'
import { Failure } from '../../../src/errors.js'
import { app, createCurrentKind, createExportOptions, findKind, site } from './seen.js'
import { publicKeys } from './writes.js'

/** Returns the lines below the place's key. */
const formatSection = (kinds: readonly CurrentKind[], how = createExportOptions()): string => {
  const section = buildSection(kinds, how)
  if (section === undefined) return ''
  const [depth, from] = section.place.scope === 'site' ? [2, 4] : [4, 5]
  const lines = formatDocument(createYamlWriter(), [section]).split('\n').slice(from)
  return lines
    .map((line) => line.slice(depth))
    .join('\n')
    .trimEnd()
}

type Attributes = Readonly<Record<string, JsonValue>>
const createRule = (attributes: Attributes, record = {}) => ({
  identity: 'Security',
  attributes,
  record,
})

describe('an item of a set', () => {
  it('has names for numbers, in order, and numbers where no name is known', () => {
    const rules = createCurrentKind('approval_rules', [
      createRule({
        approvals_required: 2,
        user_ids: [9, 3, 2],
        group_ids: [12],
        rule_type: 'regular',
      }),
    ])
    expect(formatSection([rules])).toBe(
      [
        'approval_rules:',
        '  Security:',
        '    approvals_required: 2',
        '    user_ids: [ana, ben, 9]',
        '    group_ids: [12]',
      ].join('\n'),
    )
  })

  it('has a name of digits only with a sign before it', () => {
    const members = createCurrentKind('members', [
      { identity: '007', attributes: { access_level: 40, expires_at: null } },
      { identity: 'ana', attributes: { access_level: 35, expires_at: '2027-06-30' } },
    ])
    expect(formatSection([members])).toBe(
      [
        'members:',
        '  "@007":',
        '    access_level: maintainer',
        '  ana:',
        '    access_level: 35',
        '    expires_at: "2027-06-30"',
      ].join('\n'),
    )
  })

  it('says the end of what never ends in exact files only', () => {
    const members = createCurrentKind('members', [
      { identity: 'ana', attributes: { access_level: 40, expires_at: null } },
    ])
    expect(formatSection([members], createExportOptions({ exact: true }))).toBe(
      'members:\n  $exact: true\n  ana:\n    access_level: maintainer\n    expires_at: null',
    )
  })

  it('begins with one sign more where its name begins like a word of ours', () => {
    const attributes = { approvals_required: 1 }
    const rules = createCurrentKind('approval_rules', [{ identity: '$exact', attributes }])
    expect(formatSection([rules])).toBe('approval_rules:\n  $$exact:\n    approvals_required: 1')
  })

  it('keeps groups to itself where some cannot be seen', () => {
    const rules = createCurrentKind('approval_rules', [
      createRule({ approvals_required: 2, group_ids: [12] }, { contains_hidden_groups: true }),
    ])
    expect(formatSection([rules])).toBe(
      'approval_rules:\n  Security:\n    approvals_required: 2\n    # group_ids: some groups cannot be seen',
    )
  })
})

describe('a set', () => {
  it('says that it is exact where asked, also when it is empty', () => {
    const kinds = [createCurrentKind('approval_rules', []), createCurrentKind('deploy_keys', [])]
    expect(formatSection(kinds)).toBe('')
    expect(formatSection(kinds, createExportOptions({ exact: true }))).toBe(
      'approval_rules:\n  $exact: true\ndeploy_keys:\n  $exact: true',
    )
  })

  it('is not exact where nothing of it can be deleted, or not all of it is written', () => {
    const attributes = { process_mode: 'unordered' }
    const groups = createCurrentKind('resource_groups', [{ identity: 'prod', attributes }])
    expect(formatSection([groups], createExportOptions({ exact: true }))).not.toContain('$exact')
    const chosen = { item: () => true, wholly: () => false }
    expect(
      formatSection(
        [createCurrentKind('deploy_keys', [])],
        createExportOptions({ exact: true, chosen }),
      ),
    ).toBe('')
  })

  it('is left out where it could not be read, with a line that says so', () => {
    const failure = new Failure('auth', '403')
    const place = app
    const kinds: CurrentKind[] = [
      { place, kind: findKind('deploy_keys', 'project'), is: 'unreadable', failure },
      { place, kind: findKind('integrations', 'project'), is: 'unsupported' },
      createCurrentKind('approvals', [{ attributes: { reset_approvals_on_push: true } }]),
    ]
    expect(formatSection(kinds, createExportOptions({ exact: true }))).toBe(
      'approvals:\n  reset_approvals_on_push: true\n# deploy_keys: could not be read',
    )
  })
})

describe('deploy keys', () => {
  const key = (title: string, text = '') => ({
    identity: text,
    label: title,
    attributes: { title, key: text, can_push: false },
  })

  it('are called by their titles, with numbers behind where several are called so', () => {
    const [a, b, c] = publicKeys.toSorted()
    const keys = [key('ci', b), key('ci (2)', c), key('ci', a)]
    const lines = formatSection([createCurrentKind('deploy_keys', keys)]).split('\n')
    expect(lines.filter((line) => !line.includes('can_push'))).toEqual([
      'deploy_keys:',
      '  ci:',
      `    key: ${a}`,
      '  ci (3):',
      '    title: ci',
      `    key: ${b}`,
      '  ci (2):',
      `    key: ${c}`,
    ])
    expect(formatSection([createCurrentKind('deploy_keys', keys.toReversed())])).toBe(
      lines.join('\n'),
    )
  })
})

describe('integrations', () => {
  it('have their secrets as comments, by their family', () => {
    const properties = {
      branches_to_be_notified: 'all',
      push_events: true,
      notify_only_broken_pipelines: true,
    }
    const attributes = { push_events: true, branches_to_be_notified: 'all', recipients: 'x' }
    const chat = { identity: 'chat', attributes, record: { properties } }
    expect(formatSection([createCurrentKind('integrations', [chat])])).toBe(
      [
        'integrations:',
        '  chat:',
        '    family: chat-webhook',
        '    branches_to_be_notified: all',
        '    push_events: true',
        '    # webhook: env:… (cannot be read back)',
      ].join('\n'),
    )
  })

  it('say no family where the documents do', () => {
    const mails = { identity: 'emails-on-push', attributes: { recipients: 'a b' } }
    expect(formatSection([createCurrentKind('integrations', [mails])])).toBe(
      'integrations:\n  emails-on-push:\n    recipients: a b',
    )
  })
})

describe('of the site', () => {
  const runner = (id: number, label: string) => ({
    identity: String(id),
    label,
    attributes: { description: label, active: false, locked: true, maximum_timeout: null },
  })

  it('there is a rule a runner, by its description where no other has it', () => {
    const all = [runner(10, 'two'), runner(9, 'one'), runner(3, 'Two'), runner(4, 'a*')]
    const runners = createCurrentKind('runners', all, site)
    const set = 'locked: true\n      maximum_timeout: null'
    const byNumber = (id: number, label: string) =>
      `  - match:\n      id: ${id}\n    set:\n      description: ${label}\n      ${set}`
    expect(formatSection([runners])).toBe(
      [
        'runners:',
        byNumber(3, 'Two'),
        byNumber(4, 'a*'),
        `  - match:\n      description: one\n    set:\n      ${set}`,
        byNumber(10, 'two'),
      ].join('\n'),
    )
    expect(formatSection([runners], createExportOptions({ operational: true }))).toContain(
      'active: false',
    )
  })

  it('there are the documented settings, by the names of their levels; others where asked', () => {
    const attributes = { zebra: 1, default_branch_protection: 2, admin_mode: false, unset: null }
    const settings = createCurrentKind('settings', [{ attributes }], site)
    const documented =
      'settings:\n  admin_mode: false\n  default_branch_protection: fully-protected'
    expect(formatSection([settings])).toBe(documented)
    expect(formatSection([settings], createExportOptions({ allSettings: true }))).toBe(
      `${documented}\n  zebra: 1`,
    )
  })
})

it('leaves out what only the instance knows: a file that says nothing of it leaves it as it is', () => {
  const record = { active: true, brand_new: 1, properties: { newer: 'x' } }
  const attributes = { recipients: 'a@x.test' }
  const item = { identity: 'emails-on-push', attributes, record }
  const section = buildSection([createCurrentKind('integrations', [item])], createExportOptions())
  expect(section === undefined ? undefined : toPlainValue(section.value)).toEqual({
    integrations: { 'emails-on-push': attributes },
  })
})

it.each([
  ['ana', 'ana'],
  ['007', '@007'],
  ['@ana', '@ana'],
  // These descriptions would be read as something else, so the export contains the ID.
  ['@7', undefined],
  ['', undefined],
])('writes a name %s so that it is read as one', (name, written) => {
  expect(toReferenceText(name)).toBe(written)
})

it('takes an integration for none of which it lacks what is required', () => {
  const shown = { push_events: true, tag_push_events: false, branches_to_be_notified: 'all' }
  const item = { identity: 'ours', at: {}, attributes: {}, record: { properties: shown } }
  const kind = findKind('integrations', 'project')
  expect(formatSection([{ place: app, kind, is: 'read', items: [item] }])).toContain(
    'family: chat-webhook',
  )
})
