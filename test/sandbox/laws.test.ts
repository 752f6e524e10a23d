/** Tests rules for every endpoint of the catalogue in the embedded instance. */
import { Value } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { type Fields, isObject } from '../../src/base/objects.js'
import { type Endpoint, getMethod, getPath } from '../../src/catalogue/endpoint.js'
import { getProperties } from '../../src/catalogue/fields.js'
import { areas } from '../../src/catalogue/index.js'
import { collectRoutes, createRouteFinder, registry } from '../../src/sandbox/server/routes.js'
import { readSource, sourceFiles } from '../support/source.js'
import { toExamplePath } from './addresses.js'
import { toRecords, useFreshSandbox } from './instance.js'

const { send } = useFreshSandbox({ now: () => new Date('2026-11-02T10:00:00Z') })

const loadEndpoints = async (): Promise<(readonly [string, string, Endpoint])[]> => {
  const loaded = await Promise.all(areas.map(async (a) => [a.name, await a.load()] as const))
  return loaded.flatMap(([area, all]) =>
    Object.entries(all).map(([key, endpoint]) => [area, key, endpoint] as const),
  )
}

/** Returns the fields of an answer, at any depth, that its shape does not have. */
const listUnnamedFields = (shape: unknown, value: unknown): readonly string[] => {
  const ways: readonly unknown[] =
    isObject(shape) && Array.isArray(shape.anyOf) ? shape.anyOf : [shape]
  const objects = ways.filter(isObject)
  if (Array.isArray(value)) {
    const items = objects.find((way) => way.items !== undefined)?.items
    return value.flatMap((one) => listUnnamedFields(items, one))
  }
  const fields: Fields = Object.assign({}, ...objects.map(getProperties))
  if (!isObject(value) || Object.keys(fields).length === 0) return []
  return Object.entries(value).flatMap(([name, one]) =>
    Object.hasOwn(fields, name)
      ? listUnnamedFields(fields[name], one).map((below) => `${name}.${below}`)
      : [name],
  )
}

describe('every endpoint', () => {
  it('has a handler, and every handler an endpoint', async () => {
    expect(Object.keys(registry).sort()).toEqual(areas.map(({ name }) => name).sort())
    for (const { name, load } of areas)
      expect(Object.keys(registry[name]?.handlers ?? {}).sort(), name).toEqual(
        Object.keys(await load()).sort(),
      )
  })

  it('names only its own endpoints in scopes and addresses', async () => {
    for (const { name, load } of areas) {
      const keys = Object.keys(await load())
      const { scopes = {}, urls = {} } = registry[name] ?? {}
      for (const key of [...Object.keys(scopes), ...Object.keys(urls)]) expect(keys).toContain(key)
    }
  })

  it('has a route of its own that its path leads to', async () => {
    const finder = createRouteFinder(collectRoutes())
    for (const [area, key, endpoint] of await loadEndpoints()) {
      const path = getPath(endpoint)
      if (!path.startsWith('/')) continue
      const found = finder.find(getMethod(endpoint), `/api/v4${path}`)
      const led = 'value' in found ? found.value.endpoint?.route : undefined
      expect(led, `${area} ${key}`).toBe(endpoint.route)
    }
  })

  it('wants somebody to be signed in, unless the catalogue says otherwise', async () => {
    for (const [area, key, endpoint] of await loadEndpoints()) {
      if (endpoint.credential !== undefined && endpoint.credential !== 'user') continue
      // Public data needs no token. The project of the examples is private, and so is this group.
      const path = toExamplePath(getPath(endpoint)).replace('/groups/platform', '/groups/labs')
      const { status, refusal } = await send(`${getMethod(endpoint)} ${path}`, { as: '' })
      expect([status, refusal], `${area} ${key}`).toEqual([401, { message: '401 Unauthorized' }])
    }
  })

  it('says who may not before it says what is wrong with what was sent', async () => {
    let asked = 0
    for (const [area, key, endpoint] of await loadEndpoints()) {
      const { access = '' } = endpoint
      if (!/^administrators|(Developer|Maintainers?|Owners) of the/.test(access)) continue
      const route = `${getMethod(endpoint)} ${toExamplePath(getPath(endpoint))}`
      const typed = Object.entries(endpoint.params).find(([, { type }]) => type === 'integer')
      const needed = Object.values(endpoint.params).some(({ required }) => required === true)
      if (typed === undefined && !needed) continue
      const json = typed === undefined ? {} : { [typed[0]]: 'no number' }
      const sent = getMethod(endpoint) === 'GET' ? {} : { json }
      const query = getMethod(endpoint) === 'GET' ? `?${new URLSearchParams(json)}` : ''
      const wrong = await send(route + query, sent)
      expect(wrong.status, `${area} ${key}`).toBe(400)
      const outside = await send(route + query, { ...sent, as: 'eva' })
      expect([403, 404], `${area} ${key}: ${outside.text}`).toContain(outside.status)
      asked += 1
    }
    expect(asked).toBeGreaterThan(15)
  })

  it('answers reads of the sample data in the shape of the catalogue', async () => {
    const empty: string[] = []
    for (const [area, key, endpoint] of await loadEndpoints()) {
      if (getMethod(endpoint) !== 'GET' || endpoint.returns.kind === 'file') continue
      const sending =
        endpoint.credential === 'job'
          ? { as: '', headers: { 'job-token': 'sandbox-job-token' } }
          : {}
      const came = await send(`GET ${toExamplePath(getPath(endpoint))}`, sending)
      expect(came.status, `${area} ${key}: ${came.text.slice(0, 300)}`).toBe(200)
      const { shape } = endpoint.returns
      if (shape === null) continue
      const records = endpoint.returns.kind === 'many' ? toRecords(came.body) : [came.body]
      if (records.length === 0) empty.push(`${area} ${key}`)
      for (const record of records) {
        const errors = Value.Errors(shape, record)
        expect(errors, `${area} ${key}`).toEqual([])
        expect(listUnnamedFields(shape, record), `${area} ${key}`).toEqual([])
      }
    }
    // The tests of the areas get records from the lists that are empty here; no other list may become empty.
    expect(empty).toEqual([
      'issues list',
      'issues relatedMergeRequests',
      'mr list',
      'events list',
      'pages-domains list',
    ])
  })

  it('deletes nothing that has changed since the moment that the request names', async () => {
    const headers = { 'if-unmodified-since': 'Mon, 01 Jan 1990 00:00:00 GMT' }
    const [own] = (await send('GET /projects/1/runners?type=project_type')).body
    for (const [area, key, endpoint] of await loadEndpoints()) {
      if (getMethod(endpoint) !== 'DELETE') continue
      const path = toExamplePath(getPath(endpoint)).replace(/runners\/1$/, `runners/${own?.id}`)
      const { status, refusal } = await send(`DELETE ${path}`, { headers })
      const label = `${area} ${key}`
      expect([status, refusal], label).toEqual([412, { message: '412 Precondition Failed' }])
    }
  })
})

/** Only the compiler prevents changes to a record, and it accepts these. */
const uncheckedWrite =
  /\bObject\.(?:assign|defineProperty)\(|\bReflect\.set\(|\bas (?:Mutable|Writable)/

describe('records', () => {
  it('are changed by their tables alone', () => {
    const others = sourceFiles.filter(
      (file) => /^sandbox\/(?!ci-lint\/)/.test(file) && file !== 'sandbox/state/state.ts',
    )
    expect(others.length).toBeGreaterThan(50)
    expect(others.filter((file) => uncheckedWrite.test(readSource(file)))).toEqual([])
    expect(readSource('sandbox/state/state.ts')).toMatch(uncheckedWrite)
  })
})
