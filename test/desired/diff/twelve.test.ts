/** Every kind that files can declare: absent, null, a value, additive, exact. */
import { expect, it } from 'vitest'
import type { Fields } from '../../../src/base/objects.js'
import { managedKinds } from '../../../src/catalogue/managed.js'
import { planned, type Said, wish } from './world.js'

interface Row {
  readonly place: string
  readonly record: Fields
  /** What files call it; '' of one object. */
  readonly item: string
  /** An attribute as it is, as it is not, and what null makes of it. */
  readonly same: Fields
  readonly other: Fields
  readonly unset?: string
  /** What a change and a delete send. */
  readonly update?: string
  readonly remove?: string
}

const app = 'projects/platform/app'
const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN3FXXtqJIUKP2hbkPRAQMoMBUjsUnWWb7lHxS9H40mA'
const rows: Readonly<Record<string, Row>> = {
  'site settings': {
    place: 'site',
    record: { default_project_visibility: 'private', after_sign_up_text: 'Hello' },
    item: '',
    same: { default_project_visibility: 'private' },
    other: { default_project_visibility: 'internal' },
    unset: 'after_sign_up_text',
    update: 'PUT /application/settings',
  },
  'site geo_nodes': {
    place: 'site',
    record: { id: 1, name: 'south', url: 'https://south.test/', selective_sync_type: 'shards' },
    item: 'south',
    same: { url: 'https://south.test' },
    other: { url: 'https://austral.test' },
    unset: 'selective_sync_type',
    update: 'PUT /geo_nodes/:id',
    remove: 'DELETE /geo_nodes/:id',
  },
  'site runners': {
    place: 'site',
    record: { id: 3, description: 'shared', runner_type: 'instance_type', maximum_timeout: 60 },
    item: 'rule',
    same: { $match: { id: 3 }, maximum_timeout: 60 },
    other: { $match: { id: 3 }, maximum_timeout: 90 },
    update: 'PUT /runners/:id',
  },
  'group members': {
    place: 'groups/platform',
    record: { id: 2, username: 'ben', access_level: 30, expires_at: '2027-01-01' },
    item: 'ben',
    same: { access_level: 'developer' },
    other: { access_level: 'maintainer' },
    unset: 'expires_at',
    update: 'PUT /groups/:id/members/:user_id',
    remove: 'DELETE /groups/:id/members/:user_id',
  },
  'project members': {
    place: app,
    record: { id: 2, username: 'ben', access_level: 30, expires_at: '2027-01-01' },
    item: 'ben',
    same: { access_level: 30 },
    other: { access_level: 20 },
    unset: 'expires_at',
    update: 'PUT /projects/:id/members/:user_id',
    remove: 'DELETE /projects/:id/members/:user_id',
  },
  'project runners': {
    place: app,
    record: { id: 4, description: 'mine', runner_type: 'project_type' },
    item: 'mine',
    same: {},
    other: {},
    remove: 'DELETE /projects/:id/runners/:runner_id',
  },
  'project approvals': {
    place: app,
    record: { reset_approvals_on_push: true },
    item: '',
    same: { reset_approvals_on_push: 'true' },
    other: { reset_approvals_on_push: false },
    update: 'POST /projects/:id/approvals',
  },
  'project approval_rules': {
    place: app,
    record: {
      id: 7,
      name: 'Rule',
      rule_type: 'regular',
      approvals_required: 1,
      users: [],
      groups: [],
    },
    item: 'Rule',
    same: { approvals_required: 1 },
    other: { approvals_required: 2 },
    update: 'PUT /projects/:id/approval_rules/:approval_rule_id',
    remove: 'DELETE /projects/:id/approval_rules/:approval_rule_id',
  },
  'project deploy_keys': {
    place: app,
    record: { id: 5, title: 'deploy', key: `${key} host`, can_push: false },
    item: 'deploy',
    same: { key, can_push: false },
    other: { key, can_push: true },
    update: 'PUT /projects/:id/deploy_keys/:key_id',
    remove: 'DELETE /projects/:id/deploy_keys/:key_id',
  },
  'project pages_domains': {
    place: app,
    record: { domain: 'docs.test', auto_ssl_enabled: true },
    item: 'docs.test',
    same: { auto_ssl_enabled: true },
    other: { auto_ssl_enabled: false },
    update: 'PUT /projects/:id/pages/domains/:domain',
    remove: 'DELETE /projects/:id/pages/domains/:domain',
  },
  'project integrations': {
    place: app,
    record: {
      slug: 'emails-on-push',
      active: true,
      push_events: true,
      properties: { recipients: 'a@x.test' },
    },
    item: 'emails-on-push',
    same: { push_events: '1' },
    other: { push_events: false },
    update: 'PUT /projects/:id/integrations/:slug',
    remove: 'DELETE /projects/:id/integrations/:slug',
  },
  'project error_tracking': {
    place: app,
    record: { active: true, integrated: false },
    item: '',
    same: { active: true },
    other: { active: false },
    update: 'PATCH /projects/:id/error_tracking/settings',
  },
  'project resource_groups': {
    place: app,
    record: { key: 'production', process_mode: 'unordered' },
    item: 'production',
    same: { process_mode: 'unordered' },
    other: { process_mode: 'newest_first' },
    update: 'PUT /projects/:id/resource_groups/:key',
  },
}

it('has a row for every kind', () => {
  expect(Object.keys(rows).sort()).toEqual(
    managedKinds.map(({ scope, name }) => `${scope} ${name}`).sort(),
  )
})

const all = Object.entries(rows)
/** The kinds with such a form; nothing is skipped, since the others have none. */
const having = (form: 'update' | 'unset' | 'remove') => all.filter(([, row]) => form in row)

const sent = async (title: string, said: Said): Promise<readonly string[]> => {
  const name = title.split(' ')[1] ?? ''
  const { place, record } = rows[title] ?? { place: '', record: {} }
  const { actions, findings } = await planned({ [`${place}:${name}`]: [record] }, [
    wish(place, name, said),
  ])
  expect(findings).toEqual([])
  return actions.map(({ step }) => step.endpoint.route)
}

const inFile = (item: string, fields: Fields): Said =>
  item === '' ? (fields as Said) : ({ [item]: fields } as Said)

it.each(all)('%s that files do not speak of stays as it is', async (title, { item, same }) => {
  const said = same.$match === undefined ? {} : { $match: same.$match }
  expect(await sent(title, inFile(item, said))).toEqual([])
})

it.each(all)('%s as it is wanted is left alone, however it is spelt', async (title, row) => {
  expect(await sent(title, inFile(row.item, row.same))).toEqual([])
})

it.each(having('update'))('%s that differs is changed', async (title, row) => {
  expect(await sent(title, inFile(row.item, row.other))).toEqual([row.update])
})

it.each(having('unset'))('%s has an attribute unset by null', async (title, row) => {
  expect(await sent(title, inFile(row.item, { [row.unset ?? '']: null }))).toEqual([row.update])
})

it.each(having('remove'))(
  '%s is deleted by null, and by an exact set alone',
  async (title, row) => {
    expect(await sent(title, { [row.item]: null })).toEqual([row.remove])
    expect(await sent(title, { $exact: true })).toEqual([row.remove])
    expect(await sent(title, { $exact: false })).toEqual([])
    expect(await sent(title, {})).toEqual([])
    expect(await sent(title, { $exact: true, [row.item]: row.same } as Said)).toEqual([])
  },
)

it('has the forms that the kinds have', () => {
  const can = (what: 'update' | 'remove') =>
    managedKinds
      .filter((kind) => kind[what] !== undefined)
      .map(({ scope, name }) => `${scope} ${name}`)
  expect(
    having('update')
      .map(([title]) => title)
      .sort(),
  ).toEqual(can('update').sort())
  expect(
    having('remove')
      .map(([title]) => title)
      .sort(),
  ).toEqual(can('remove').sort())
})
