/** Tests the items of each kind as they are read, against the records of the instance. */
import { describe, expect, it } from 'vitest'
import { managedKinds } from '../../../src/catalogue/managed.js'
import type { ManagedPlace } from '../../../src/desired/address.js'
import { openView } from '../../../src/desired/reading/index.js'
import type { CurrentItem } from '../../../src/desired/state.js'
import { toRecords, useSharedSandbox } from '../../sandbox/instance.js'
import { openRecordedInstance } from '../open.js'

const box = useSharedSandbox()
const site = { scope: 'site', path: '' } as const
const app = { scope: 'project', path: 'platform/app' } as const
const findKind = (scope: string, name: string) => {
  const kind = managedKinds.find((one) => one.scope === scope && one.name === name)
  if (kind === undefined) throw new Error(`no kind ${name}`)
  return kind
}
const openSandboxView = () => {
  const { instance, asked } = openRecordedInstance(box.url(), 'sandbox-root-token')
  return { view: openView(instance), asked }
}
const readItems = async (
  place: ManagedPlace,
  name: string,
  keys?: readonly string[],
): Promise<readonly CurrentItem[]> => {
  const current = await openSandboxView().view.readKind(place, findKind(place.scope, name), keys)
  if (current.is !== 'read') throw new Error(current.is)
  return current.items
}
const sendOk = async <R extends string>(route: R, json?: unknown) => {
  const { status, body } = await box.send(route, json === undefined ? {} : { json })
  expect(status).toBeLessThan(300)
  return body
}

describe('settings', () => {
  it('are what the instance answers, but secrets, dates and what has a successor', async () => {
    const record = await sendOk('GET /application/settings')
    const [item, ...others] = await readItems(site, 'settings')
    expect(others).toEqual([])
    const attributes = item?.attributes ?? {}
    expect(attributes).toMatchObject({
      default_project_visibility: record.default_project_visibility,
      disable_feed_token: record.disable_feed_token,
      rsa_key_restriction: record.rsa_key_restriction,
    })
    for (const name of [
      'id',
      'created_at',
      'spamsvc_api_key',
      'asset_proxy_secret_key',
      'admin_notification_email',
    ]) {
      if (name !== 'spamsvc_api_key') expect(Object.keys(record)).toContain(name)
      expect(Object.keys(attributes)).not.toContain(name)
    }
  })
})

describe('deploy keys', () => {
  it('are told apart by type and base64', async () => {
    const records = await sendOk('GET /projects/1/deploy_keys')
    const items = await readItems(app, 'deploy_keys')
    expect(items.length).toBeGreaterThan(0)
    expect(items.map(({ label, at }) => [label, at])).toEqual(
      records.map(({ id, title }) => [title, { key_id: id }]),
    )
    for (const [i, { identity }] of items.entries()) {
      expect(identity.split(' ')).toHaveLength(2)
      expect(records[i]?.key.startsWith(identity)).toBe(true)
    }
  })
})

describe('approval rules', () => {
  it('show who approves by number, and leave others alone that are not managed', async () => {
    const [rule] = await readItems(app, 'approval_rules')
    const [record] = await sendOk('GET /projects/1/approval_rules')
    expect(rule).toMatchObject({ identity: record?.name, at: { approval_rule_id: record?.id } })
    expect(rule?.attributes).toMatchObject({
      approvals_required: record?.approvals_required,
      user_ids: record?.users.map(({ id }) => id).sort(),
      group_ids: record?.groups.map(({ id }) => id).sort(),
    })
    expect(Object.keys(rule?.attributes ?? {})).not.toContain('name')
  })
})

describe('runners of a project', () => {
  it('are its own, not those of the instance and of groups', async () => {
    const all = await sendOk('GET /projects/1/runners?per_page=100')
    const own = all.filter((one) => one.runner_type === 'project_type')
    expect(all.length).toBeGreaterThan(own.length)
    expect(own.length).toBeGreaterThan(0)
    const items = await readItems(app, 'runners')
    expect(items.map(({ at }) => at.runner_id)).toEqual(own.map(({ id }) => id))
    expect(items.map(({ attributes }) => attributes)).toEqual(items.map(() => ({})))
  })
})

describe('runners of the instance', () => {
  it('have what only each by itself shows', async () => {
    const [first] = await readItems(site, 'runners')
    const record = await sendOk(`GET /runners/${first?.identity}`)
    expect(first?.attributes.tag_list).toEqual([...record.tag_list].sort())
    expect(first).toMatchObject({
      label: record.description,
      record: { platform: record.platform },
    })
  })
})

describe('integrations', () => {
  it('are those in force, with the attributes of their family', async () => {
    await sendOk('PUT /projects/2/integrations/emails-on-push', { recipients: 'a@x.test b@x.test' })
    await sendOk('PUT /projects/2/integrations/chat-room', { token: 'canary', room: 'ops' })
    const items = await readItems(
      { scope: 'project', path: 'platform/core/engine' },
      'integrations',
    )
    const mail = items.find(({ identity }) => identity === 'emails-on-push')
    expect(mail?.at).toEqual({ slug: 'emails-on-push' })
    expect(mail?.attributes).toEqual({
      recipients: 'a@x.test b@x.test',
      push_events: true,
      tag_push_events: true,
    })
    const room = items.find(({ identity }) => identity === 'chat-room')
    expect(room?.attributes).toMatchObject({ room: 'ops' })
    expect(JSON.stringify(items.map(({ attributes }) => attributes))).not.toContain('canary')
  })
})

describe('error tracking', () => {
  it('is none where it was never configured', async () => {
    expect((await box.send('GET /projects/12/error_tracking/settings')).status).toBe(404)
    expect(await readItems({ scope: 'project', path: 'ana/dotfiles' }, 'error_tracking')).toEqual(
      [],
    )
    await sendOk('PATCH /projects/12/error_tracking/settings', { active: true, integrated: true })
    const [item] = await readItems({ scope: 'project', path: 'ana/dotfiles' }, 'error_tracking')
    expect(item?.attributes).toEqual({ active: true, integrated: true })
  })

  it('of a project that is not there is not known', async () => {
    const place = { scope: 'project', path: 'no/such' } as const
    const current = await openSandboxView().view.readKind(
      place,
      findKind('project', 'error_tracking'),
    )
    expect(current).toMatchObject({ is: 'unreadable', failure: { category: 'not_found' } })
  })
})

describe('resource groups', () => {
  it('are read by the keys that are asked for, or as the instance lists them', async () => {
    const listed = toRecords(await sendOk('GET /projects/1/resource_groups'))
    expect(listed.length).toBeGreaterThan(0)
    const key = String(listed[0]?.key)
    const process_mode = listed[0]?.process_mode
    const all = await readItems(app, 'resource_groups')
    expect(all.map(({ identity }) => identity)).toEqual(listed.map((one) => one.key))
    const some = await readItems(app, 'resource_groups', [key, 'nowhere'])
    expect(some).toMatchObject([{ identity: key, at: { key }, attributes: { process_mode } }])
  })
})

describe('Pages domains', () => {
  it('are automatic or have a certificate, never both', async () => {
    const places = (await sendOk('GET /pages/domains')).map((one) => one.project_id)
    const { view } = openSandboxView()
    const { projects } = await view.places('everything')
    const current = await Promise.all(
      projects
        .filter(({ id }) => places.includes(id))
        .map((place) => view.readKind(place, findKind('project', 'pages_domains'))),
    )
    const items = current.flatMap((one) => (one.is === 'read' ? one.items : []))
    expect(items.length).toBeGreaterThan(1)
    for (const { attributes } of items) {
      expect(typeof attributes.auto_ssl_enabled).toBe('boolean')
      if (attributes.auto_ssl_enabled === true)
        expect(Object.keys(attributes)).not.toContain('certificate')
    }
  })

  it('of projects without any are not asked for', async () => {
    const { view, asked } = openSandboxView()
    const { projects } = await view.places('everything')
    for (const place of projects) await view.readKind(place, findKind('project', 'pages_domains'))
    const having = new Set((await sendOk('GET /pages/domains')).map((d) => d.project_id))
    const single = asked.filter((line) => /^GET \/projects\/\d+\/pages/.test(line))
    expect(single).toHaveLength(projects.filter(({ id }) => having.has(id)).length)
    expect(asked.filter((line) => line.startsWith('GET /pages/domains'))).toHaveLength(1)
  })

  it('are asked for where something may have changed since', async () => {
    const { view } = openSandboxView()
    const { projects } = await view.places('everything')
    const place = projects.find(({ path }) => path === 'web/shop')
    if (place === undefined) throw new Error('no web/shop')
    const kind = findKind('project', 'pages_domains')
    expect(await view.readKind(place, kind)).toMatchObject({ is: 'read', items: [] })
    await sendOk(`POST /projects/${place.id}/pages/domains`, { domain: 'new.example.test' })
    expect(await view.readKind(place, kind)).toMatchObject({ items: [] })
    view.forget(place)
    expect(await view.readKind(place, kind)).toMatchObject({
      items: [{ identity: 'new.example.test', attributes: { auto_ssl_enabled: false } }],
    })
  })
})
