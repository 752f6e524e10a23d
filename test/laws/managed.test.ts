/** Laws about declared state: each fact of the catalogue agrees with the endpoints. */
import { describe, expect, it } from 'vitest'
import { approvals } from '../../src/catalogue/areas/approvals.js'
import { integrationParameters } from '../../src/catalogue/areas/integrations.js'
import { members } from '../../src/catalogue/areas/members.js'
import { runners } from '../../src/catalogue/areas/runners.js'
import { type Endpoint, getMethod, getPath } from '../../src/catalogue/endpoint.js'
import { getProperties } from '../../src/catalogue/fields.js'
import { areas } from '../../src/catalogue/index.js'
import { type Managed, managed, managedKinds } from '../../src/catalogue/managed.js'
import { getAttributes, listAlwaysSentParams } from '../../src/desired/attributes.js'

const getName = ({ scope, name }: Managed): string => `${scope}:${name}`
const each = managedKinds.map((kind) => [getName(kind), kind] as const)

const listFields = ({ read, each: one }: Managed): readonly string[] =>
  [read, one].flatMap((endpoint) => Object.keys(getProperties(endpoint?.returns.shape) ?? {}))
const listPlaceholders = (endpoint: Endpoint | undefined): readonly string[] =>
  Object.keys(endpoint?.path ?? {})
const listWrites = ({ create, update, remove, enable }: Managed): readonly Endpoint[] =>
  [create, update, remove, enable].filter((endpoint) => endpoint !== undefined)
const listParams = ({ create, update }: Managed): readonly string[] =>
  Object.keys({ ...create?.params, ...update?.params })

describe('what files can declare', () => {
  it('is these kinds, in the order in which they are done, once in each scope', () => {
    expect(managedKinds.map(getName)).toEqual([
      'site:settings',
      'site:geo_nodes',
      'group:members',
      'project:members',
      'site:runners',
      'project:runners',
      'project:approvals',
      'project:approval_rules',
      'project:deploy_keys',
      'project:pages_domains',
      'project:integrations',
      'project:error_tracking',
      'project:resource_groups',
    ])
  })

  it('is everything that has attributes to change, but what is no configuration', async () => {
    const all = (await Promise.all(areas.map((row) => row.load()))).flatMap((endpoints) =>
      Object.values<Endpoint>(endpoints),
    )
    const written = new Set(managedKinds.flatMap((kind) => listWrites(kind)))
    const left = all.filter((one) => one.changes === true && !written.has(one))
    expect(
      left.map(({ route }) => route),
      'declare a managed kind for the endpoint, or list it here with the reason',
    ).toEqual([
      'POST /projects/:id/merge_requests/:merge_request_iid/approvals',
      // It is the endpoint of the integrations under another path.
      'PUT /projects/:id/services/:slug',
    ])
  })
})

describe.each(each)('%s', (_, kind) => {
  it('names fields of its records', () => {
    const { identity, label, also, present, first, only = {}, at = {}, from = {} } = kind
    const paths = [identity, label, also, present, first].filter((one) => one !== undefined)
    const named = [...paths, ...Object.keys(only), ...Object.values(at), ...Object.values(from)]
    const fields = listFields(kind)
    expect(fields.length).toBeGreaterThan(3)
    for (const path of named)
      expect(fields, `the kind names a field that its records lack: ${path}`).toContain(
        path.split(/\[\]\.|\./)[0],
      )
  })

  it('names parameters of its writes', () => {
    const { from = {}, refs = {}, keep = [], without = [], operational = [] } = kind
    const named = [...Object.keys({ ...from, ...refs }), ...keep, ...without, ...operational]
    for (const name of named)
      expect(listParams(kind), 'the kind names a parameter that its writes lack').toContain(name)
  })

  it('fills the placeholders of every endpoint of an item, and nothing else', () => {
    const { at = {}, scope, each: one, update, remove, enable } = kind
    const ours = [one, update, remove, enable].flatMap((endpoint) => listPlaceholders(endpoint))
    // The ID of a project or group comes from the place.
    const filled = ours.filter((name) => scope === 'site' || name !== 'id')
    for (const name of filled)
      expect(Object.keys(at), 'say in "at" which field fills the placeholder').toContain(name)
    const taken = [...Object.keys({ ...kind.create?.params, ...enable?.params }), ...filled]
    for (const name of Object.keys(at))
      expect(taken, '"at" names no placeholder of the kind: remove it').toContain(name)
  })

  it('lies in the place that its paths name', () => {
    const roots = {
      site: /^\/(?!groups|projects)/,
      group: /^\/groups\/:id/,
      project: /^\/projects\/:id/,
    }
    for (const endpoint of [kind.read, ...listWrites(kind)])
      expect(getPath(endpoint)).toMatch(roots[kind.scope])
    if (kind.unlisted !== undefined) expect(kind.unlisted).toMatch(roots[kind.scope])
    if (kind.everywhere !== undefined) expect(getPath(kind.everywhere)).toMatch(roots.site)
  })

  it('is read by GET, as what it holds', () => {
    const reads = [kind.read, kind.each, kind.everywhere].filter((one) => one !== undefined)
    for (const endpoint of reads) expect(getMethod(endpoint)).toBe('GET')
    expect(kind.each?.returns.kind ?? 'one').toBe('one')
    const listed = kind.holds !== 'one' && kind.unlisted === undefined
    expect(kind.read.returns.kind).toBe(listed ? 'many' : 'one')
    expect(kind.identity !== undefined).toBe(kind.holds !== 'one')
  })

  it('has attributes that can all be read, but secrets', () => {
    for (const { name, field, secret, param } of getAttributes(kind).values()) {
      expect(param.deprecated, name).toBeUndefined()
      if (secret) expect(field, name).toBeUndefined()
      else expect(listFields(kind), name).toContain(field?.split(/\[\]\.|\./)[0])
    }
  })

  it('accounts for every parameter of its writes', () => {
    const attributes = getAttributes(kind)
    const { at = {}, without = [] } = kind
    const known = [...attributes.keys(), ...Object.keys(at), ...without, kind.identity]
    const params = Object.entries({ ...kind.create?.params, ...kind.update?.params })
    for (const [name, param] of params)
      if (param.deprecated === undefined)
        expect(
          known,
          'declare where the attribute is read from ("from"), or leave it out ("without")',
        ).toContain(name)
  })

  it('sends with a change what the change requires', () => {
    for (const [name, param] of Object.entries(kind.update?.params ?? {}))
      if (param.required === true)
        expect(listAlwaysSentParams(kind), 'add the attribute to "keep"').toContain(name)
  })

  it('says what is lost with an item that is removed', () => {
    for (const endpoint of listWrites(kind))
      expect(endpoint.destructive !== undefined, endpoint.route).toBe(endpoint === kind.remove)
    expect(kind.remove === undefined || getMethod(kind.remove) === 'DELETE').toBe(true)
  })

  it('comes after what it waits for', () => {
    const before = managedKinds.slice(0, managedKinds.indexOf(kind))
    for (const name of kind.after ?? [])
      expect(before.map(getName)).toContain(getName({ ...kind, name }))
  })
})

describe('facts', () => {
  const of = (name: string): Managed => {
    const found = managedKinds.find((kind) => getName(kind) === name)
    if (found === undefined) throw new Error(`no kind ${name}`)
    return found
  }
  const namesWhere = (name: string, test: 'fixed' | 'required' | 'secret') =>
    [...getAttributes(of(name)).values()].filter((one) => one[test]).map((one) => one.name)

  it('say that these alone cannot be deleted', () => {
    const lasting = managedKinds.filter(({ remove }) => remove === undefined)
    expect(lasting.map(getName)).toEqual([
      'site:settings',
      'site:runners',
      'project:approvals',
      'project:error_tracking',
      'project:resource_groups',
    ])
  })

  it('derive what is given once, and what goes with every change', () => {
    expect(namesWhere('project:approval_rules', 'fixed')).toEqual(['rule_type'])
    expect([...listAlwaysSentParams(of('project:approval_rules'))]).toEqual([
      'name',
      'approvals_required',
      'user_ids',
      'group_ids',
    ])
    expect(namesWhere('project:deploy_keys', 'fixed')).toEqual(['key'])
    expect([...listAlwaysSentParams(of('site:geo_nodes'))]).toEqual(['name', 'url'])
    expect(namesWhere('group:members', 'required')).toEqual(['access_level'])
    expect([...getAttributes(of('project:runners')).keys()]).toEqual([])
  })

  it('read from files only keys and certificates, and secrets', () => {
    const sources = managedKinds.flatMap((kind) =>
      [...getAttributes(kind).values()]
        .filter(({ source, secret }) => source === 'file' || secret)
        .map(({ name, source }) => `${getName(kind)} ${name} ${source}`),
    )
    expect(sources).toEqual([
      'site:settings spamsvc_api_key secret',
      'site:settings asset_proxy_secret_key secret',
      'site:settings cloud_access_key_id secret',
      'project:deploy_keys key file',
      'project:pages_domains certificate file',
      'project:pages_domains key secret',
      'project:integrations api_key secret',
      'project:integrations password secret',
      'project:integrations token secret',
      'project:integrations webhook secret',
    ])
  })

  it('have of an integration what its family takes', () => {
    const kind = of('project:integrations')
    const { families = [] } = kind
    expect(families).toHaveLength(11)
    expect([...getAttributes(kind).keys()]).toEqual(Object.keys(integrationParameters))
    for (const family of families) {
      const attributes = getAttributes(kind, family)
      const taken = Object.entries(family.params).filter(([, p]) => p.deprecated === undefined)
      expect([...attributes.keys()]).toEqual(taken.map(([name]) => name))
      for (const { name, required } of attributes.values())
        expect(required).toBe(family.params[name]?.required === true)
    }
  })

  it('do not compile with names that their endpoints do not have', () => {
    const rule = {
      name: 'x',
      scope: 'project',
      holds: 'set',
      read: approvals.rulesList,
      update: approvals.rulesUpdate,
    } as const
    const joined = { read: members.listOfGroup, create: members.addToGroup } as const
    const wrong = [
      // @ts-expect-error no field of a rule
      managed({ ...rule, identity: 'title' }),
      // @ts-expect-error no placeholder of the change
      managed({ ...rule, at: { rule_id: 'id' } }),
      // @ts-expect-error no field of a rule
      managed({ ...rule, at: { approval_rule_id: 'iid' } }),
      // @ts-expect-error no field of a rule
      managed({ ...rule, from: { user_ids: 'people[].id' } }),
      // @ts-expect-error no parameter of the change
      managed({ ...rule, from: { usernames: 'users[].id' } }),
      // @ts-expect-error nothing that a number stands for
      managed({ ...rule, refs: { user_ids: 'person' } }),
      // @ts-expect-error no parameter of the change
      managed({ ...rule, keep: ['users'] }),
      // @ts-expect-error no parameter of the change
      managed({ ...rule, operational: ['active'] }),
      // @ts-expect-error no field of a rule
      managed({ ...rule, only: { type: ['regular'] } }),
      // @ts-expect-error no field of a rule
      managed({ ...rule, label: 'title' }),
      // @ts-expect-error no field of a runner, be it listed or read alone
      managed({ ...rule, read: runners.listAll, each: runners.get, present: 'enabled' }),
      // @ts-expect-error no parameter of adding a member
      managed({ ...rule, ...joined, without: ['role'] }),
      // @ts-expect-error no scope
      managed({ ...rule, scope: 'user' }),
    ]
    expect(wrong).toHaveLength(13)
    expect(managed({ ...rule, identity: 'name', at: { approval_rule_id: 'id' } })).toBeTruthy()
  })
})
