/** Tests that an answer that is refused, incomplete or wrong never counts as an absent object. */
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { managedKinds } from '../../../src/catalogue/managed.js'
import { openView } from '../../../src/desired/reading/index.js'
import type { CurrentKind } from '../../../src/desired/state.js'
import { getRejection, type RequestHandler, sendJson, serve } from '../../support/servers.js'
import { openRecordedInstance } from '../open.js'

/** Sends an HTML page, as a proxy does. */
const sendPage = (response: ServerResponse, status: number): void => {
  response.writeHead(status, { 'content-type': 'text/html' })
  response.end('<html><title>404 Not Found</title></html>')
}

const getPlace = (scope: 'site' | 'group' | 'project') =>
  scope === 'site' ? { scope, path: '' } : { scope, path: 'a/b' }

/** Reads every kind from a server that answers every request in the same way. */
const readEveryKind = async (answer: RequestHandler, keys?: readonly string[]) => {
  const { base } = await serve(answer)
  const states = new Map<string, CurrentKind>()
  for (const kind of managedKinds) {
    const view = openView(openRecordedInstance(base, 'token').instance)
    const current = await view.readKind(getPlace(kind.scope), kind, keys)
    states.set(`${kind.scope} ${kind.name}`, current)
  }
  expect(states.size).toBe(managedKinds.length)
  return states
}
const listOthers = (states: ReadonlyMap<string, CurrentKind>, is: CurrentKind['is']) =>
  [...states].filter(([, current]) => current.is !== is).map(([name]) => name)

describe('every kind', () => {
  it('is not there where the instance has no such route', async () => {
    const answer: RequestHandler = (_, response) =>
      sendJson(response, 404, { error: '404 Not Found' })
    expect(listOthers(await readEveryKind(answer, ['x']), 'unsupported')).toEqual([])
  })

  it('is not known where it may not be read', async () => {
    const answer: RequestHandler = (_, response) =>
      sendJson(response, 403, { message: '403 Forbidden' })
    const states = await readEveryKind(answer, ['x'])
    expect(listOthers(states, 'unreadable')).toEqual([])
    for (const current of states.values())
      expect(current).toMatchObject({ failure: { category: 'auth', details: { status: 403 } } })
  })

  it('is not known where the instance fails, or a page stands in its place', async () => {
    for (const answer of [
      (_, response) => sendJson(response, 500, { message: '500' }),
      (_, response) => sendPage(response, 404),
      (_, response) => sendPage(response, 200),
      (_, response) => response.destroy(),
    ] as RequestHandler[])
      expect(listOthers(await readEveryKind(answer, ['x']), 'unreadable')).toEqual([])
  })

  it('is not known where a record is missing, but for what says so that there is none', async () => {
    const answer: RequestHandler = (_, response) =>
      sendJson(response, 404, { message: '404 Not Found' })
    const states = await readEveryKind(answer, ['x'])
    expect(listOthers(states, 'unreadable').sort()).toEqual([
      'project error_tracking',
      'project resource_groups',
    ])
    const gone: RequestHandler = (_, response) =>
      sendJson(response, 404, { message: '404 Project Not Found' })
    expect(listOthers(await readEveryKind(gone, ['x']), 'unreadable')).toEqual([])
  })

  it('is not known where the answer is cut, or of another kind', async () => {
    for (const answer of [
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' })
        response.write('[{"id": 1, "name": "x"')
        setImmediate(() => response.destroy())
      },
      (_, response) => sendJson(response, 200, 7),
      (_, response) => sendJson(response, 200, '"text"'),
    ] as RequestHandler[])
      expect(listOthers(await readEveryKind(answer, ['x']), 'unreadable')).toEqual([])
  })

  it('is not known where its items do not say which they are', async () => {
    const answer: RequestHandler = (_, response) => sendJson(response, 200, [{ title: 'x' }])
    const states = await readEveryKind(answer)
    const sets = managedKinds.filter(
      ({ holds, read }) => holds !== 'one' && read.returns.kind === 'many',
    )
    expect(sets.length).toBeGreaterThan(6)
    for (const { scope, name } of sets)
      expect(states.get(`${scope} ${name}`)).toMatchObject({ is: 'unreadable' })
  })
})

describe('lists', () => {
  const rules = managedKinds.find(({ name }) => name === 'approval_rules')
  if (rules === undefined) throw new Error('no approval rules')
  const seenOf = async (answer: RequestHandler) => {
    const { base } = await serve(answer)
    return openView(openRecordedInstance(base, 'token').instance).readKind(
      getPlace('project'),
      rules,
    )
  }

  it('whose records come twice have each once', async () => {
    const rule = { id: 1, name: 'x', rule_type: 'regular', users: [], groups: [] }
    const current = await seenOf((_, response) =>
      sendJson(response, 200, [rule, { ...rule, id: 2, name: 'y' }, rule]),
    )
    expect(current).toMatchObject({ items: [{ identity: 'x' }, { identity: 'y' }] })
  })

  it('have only what is managed', async () => {
    const rule = { name: 'x', users: [], groups: [] }
    const current = await seenOf((_, response) =>
      sendJson(response, 200, [
        { ...rule, id: 1, rule_type: 'regular' },
        { ...rule, id: 2, rule_type: 'code_owner' },
        { ...rule, id: 3, rule_type: 'report_approver' },
      ]),
    )
    expect(current).toMatchObject({ is: 'read', items: [{ at: { approval_rule_id: 1 } }] })
  })
})

it('says where the instance has no list of what is read by key', async () => {
  const { base } = await serve((_, response) => sendJson(response, 404, { error: '404 Not Found' }))
  const groups = managedKinds.find(({ name }) => name === 'resource_groups')
  if (groups === undefined) throw new Error('no resource groups')
  const view = openView(openRecordedInstance(base, 'token').instance)
  expect(await view.readKind(getPlace('project'), groups)).toMatchObject({ is: 'read', items: [] })
  expect(view.notes).toEqual([
    'the instance cannot list resource_groups, so only objects named in the files are checked',
  ])
})

it('takes no secret of the settings in hand, whatever it is called', async () => {
  const settings = managedKinds.find(({ name }) => name === 'settings')
  if (settings === undefined) throw new Error('no settings')
  const { base } = await serve((_, response) =>
    sendJson(response, 200, {
      id: 1,
      admin_mode: true,
      spamsvc_api_key: 'canary',
      hub_api_key: 'canary',
      hub: { url: 'https://hub.test', access: [{ password: 'canary' }] },
      list_token: ['canary'],
      external_pipeline_validation_service_token: 'canary',
      disable_feed_token: true,
      first_day_of_week: 1,
    }),
  )
  const current = await openView(openRecordedInstance(base, 'token').instance).readKind(
    getPlace('site'),
    settings,
  )
  const [item] = current.is === 'read' ? current.items : []
  expect(item?.attributes).toEqual({
    admin_mode: true,
    disable_feed_token: true,
    first_day_of_week: 1,
  })
})

describe('a token that is refused everywhere', () => {
  it('ends the run, and is not asked with for each of thousands', async () => {
    const { base, seen: current } = await serve((_, response) =>
      sendJson(response, 401, { message: '401 Unauthorized' }),
    )
    const view = openView(openRecordedInstance(base, 'token').instance)
    const members = managedKinds.find(
      ({ name, scope }) => name === 'members' && scope === 'project',
    )
    if (members === undefined) throw new Error('no members')
    const look = async () => {
      for (let i = 0; i < 100; i++)
        await view.readKind({ scope: 'project', path: `a/${i}` }, members)
    }
    expect(await getRejection(look())).toMatchObject({ category: 'auth' })
    expect(current.length).toBe(10)
  })
})

describe('who asks', () => {
  it('is asked once, and not known where nobody says', async () => {
    const { base, seen: current } = await serve((_, response) =>
      sendJson(response, 200, { id: 7, username: 'ana' }),
    )
    const view = openView(openRecordedInstance(base, 'token').instance)
    expect(await view.self()).toEqual({ id: 7, username: 'ana' })
    expect(await view.self()).toEqual({ id: 7, username: 'ana' })
    expect(current.map(({ url }) => url)).toEqual(['/api/v4/user'])
    for (const [status, body] of [
      [404, { error: '404 Not Found' }],
      [403, { message: '403 Forbidden' }],
      [200, { id: 'x' }],
      [200, []],
    ] as const) {
      const other = await serve((_, response) => sendJson(response, status, body))
      expect(
        await openView(openRecordedInstance(other.base, 'token').instance).self(),
      ).toBeUndefined()
    }
  })
})
