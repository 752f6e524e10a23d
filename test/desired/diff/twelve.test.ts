/** Tests every kind that files can declare: absent, null, a value, additive, exact. */
import { expect, it } from 'vitest'
import type { Fields } from '../../../src/base/objects.js'
import { managedKinds } from '../../../src/catalogue/managed.js'
import { buildWish, type DeclaredSet, planWorld } from './world.js'

interface Row {
  readonly place: string
  readonly record: Fields
  /** The name of the item in files; empty for kinds of one object. */
  readonly item: string
  /** `same` has the current value, `other` a different one. `unset` names an attribute that null clears. */
  readonly same: Fields
  readonly other: Fields
  readonly unset?: string
  /** The requests of an update and of a delete. */
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

const allRows = Object.entries(rows)
/** Lists the kinds that have the form. The other kinds do not support it, so no test is skipped. */
const listRows = (form: 'update' | 'unset' | 'remove') => allRows.filter(([, row]) => form in row)

const listRoutes = async (title: string, said: DeclaredSet): Promise<readonly string[]> => {
  const name = title.split(' ')[1] ?? ''
  const { place, record } = rows[title] ?? { place: '', record: {} }
  const { actions, findings } = await planWorld({ [`${place}:${name}`]: [record] }, [
    buildWish(place, name, said),
  ])
  expect(findings).toEqual([])
  return actions.map(({ step }) => step.endpoint.route)
}

const toDeclaration = (item: string, fields: Fields): DeclaredSet =>
  item === '' ? (fields as DeclaredSet) : ({ [item]: fields } as DeclaredSet)

it.each(allRows)('%s that files do not speak of stays as it is', async (title, { item, same }) => {
  const said = same.$match === undefined ? {} : { $match: same.$match }
  expect(await listRoutes(title, toDeclaration(item, said))).toEqual([])
})

it.each(allRows)('%s as it is wanted is left alone, however it is spelt', async (title, row) => {
  expect(await listRoutes(title, toDeclaration(row.item, row.same))).toEqual([])
})

it.each(listRows('update'))('%s that differs is changed', async (title, row) => {
  expect(await listRoutes(title, toDeclaration(row.item, row.other))).toEqual([row.update])
})

it.each(listRows('unset'))('%s has an attribute unset by null', async (title, row) => {
  expect(await listRoutes(title, toDeclaration(row.item, { [row.unset ?? '']: null }))).toEqual([
    row.update,
  ])
})

it.each(listRows('remove'))(
  '%s is deleted by null, and by an exact set alone',
  async (title, row) => {
    expect(await listRoutes(title, { [row.item]: null })).toEqual([row.remove])
    expect(await listRoutes(title, { $exact: true })).toEqual([row.remove])
    expect(await listRoutes(title, { $exact: false })).toEqual([])
    expect(await listRoutes(title, {})).toEqual([])
    expect(await listRoutes(title, { $exact: true, [row.item]: row.same } as DeclaredSet)).toEqual(
      [],
    )
  },
)

it('has the forms that the kinds have', () => {
  const can = (what: 'update' | 'remove') =>
    managedKinds
      .filter((kind) => kind[what] !== undefined)
      .map(({ scope, name }) => `${scope} ${name}`)
  expect(
    listRows('update')
      .map(([title]) => title)
      .sort(),
  ).toEqual(can('update').sort())
  expect(
    listRows('remove')
      .map(([title]) => title)
      .sort(),
  ).toEqual(can('remove').sort())
})
