import { describe, expect, it } from 'vitest'
import { type Endpoint, empty, endpoint, file, many, one } from '../../src/catalogue/endpoint.js'
import {
  boolean,
  datetime,
  group,
  hash,
  integer,
  json,
  list,
  project,
  string,
} from '../../src/catalogue/params.js'
import { Unknown } from '../../src/catalogue/shapes/common.js'
import { Failure } from '../../src/errors.js'
import { buildRequest } from '../../src/http/request/request.js'
import type { Ask } from '../../src/http/types.js'

const some = Unknown()
const spec = { irreversible: 'x', summary: 's', command: 'c' }

const jobFile = endpoint('GET /projects/:id/jobs/artifacts/:ref_name/raw/*artifact_path', file, {
  ...spec,
  path: { id: project(), ref_name: string('ref'), artifact_path: string('path') },
  params: { job: string('job', { required: true }) },
})
const issues = endpoint('GET /groups/:id/issues', many(some), {
  ...spec,
  path: { id: group() },
  params: {
    iids: list('integer', 'iids'),
    labels: list('string', 'labels', { join: 'comma', words: ['None', 'Any'] }),
    assignee_id: integer('assignee', { words: ['None', 'Any'] }),
    approver_ids: list('integer', 'approvers', { words: ['None', 'Any'] }),
    created_after: datetime('after'),
    confidential: boolean('confidential'),
    search: string('search'),
    not: hash('not', {
      keys: {
        labels: list('string', 'labels', { join: 'comma' }),
        iids: list('integer', 'iids'),
        assignee_username: list('string', 'users'),
        author_id: integer('author'),
      },
    }),
    custom_attributes: hash('attributes'),
    filter: json('filter'),
  },
})
const runner = endpoint('PUT /runners/:id', one(some), {
  ...spec,
  path: { id: integer('id') },
  params: {
    description: string('d'),
    tag_list: list('string', 'tags'),
    maximum_timeout: integer('t', { nullable: true }),
    hosts: list('string', 'hosts', { single: true }),
    user_id: string('users', { format: 'csv' }),
    info: hash('info'),
    actions: json('actions'),
    token: string('token', { secret: true }),
  },
})
const vulnerability = endpoint('POST /projects/:id/vulnerabilities', one(some), {
  ...spec,
  path: { id: project() },
  params: { finding_id: string('finding', { in: 'query' }) },
})
const remove = endpoint('DELETE /projects/:id/pages/domains/:domain', empty, {
  ...spec,
  path: { id: project(), domain: string('domain') },
  params: {},
})
const alert = endpoint('POST <alert_endpoint_url>', one(some), {
  ...spec,
  path: {},
  params: { title: string('t'), hosts: list('string', 'h', { single: true }) },
})
const domains = endpoint('PUT /projects/:id/pages/domains/:domain', one(some), {
  ...spec,
  path: { id: project(), domain: string('domain') },
  params: {
    auto_ssl_enabled: boolean('auto'),
    certificate: string('c', { format: 'pem' }),
    key: string('k', { format: 'pem', secret: true }),
  },
})

const build = (e: Endpoint, values: Ask['values'], more: Partial<Ask> = {}) =>
  buildRequest({ endpoint: e, values, ...more })
const buildPath = (e: Endpoint, values: Ask['values'], extra?: Ask['extra']) =>
  build(e, values, extra === undefined ? {} : { extra }).path
const buildBody = (e: Endpoint, values: Ask['values'], extra?: Ask['extra']) =>
  build(e, values, extra === undefined ? {} : { extra }).body

describe('a path', () => {
  it('holds a project path as one segment, its dots encoded', () => {
    expect(buildPath(remove, { id: 'a/b.c', domain: 'www.x.test' })).toBe(
      '/projects/a%2Fb%2Ec/pages/domains/www.x.test',
    )
    expect(buildPath(remove, { id: 42, domain: 'www.x.test' })).toBe(
      '/projects/42/pages/domains/www.x.test',
    )
  })
  it('holds a name as one segment and an archive path as several', () => {
    const values = { id: 1, ref_name: 'feature/x', artifact_path: 'a b/ü.txt', job: 'build: x+y' }
    const request = build(jobFile, values)
    expect(request.path).toBe(
      '/projects/1/jobs/artifacts/feature%2Fx/raw/a%20b/%C3%BC.txt?job=build:%20x%2By',
    )
    expect(request.headers).toEqual({ accept: '*/*', 'accept-encoding': 'identity' })
  })
  it.each(['.', '..', 'a/../b', ''])('refuses %j', (text) => {
    const values = { id: 1, ref_name: 'main', artifact_path: text, job: 'j' }
    expect(() => build(jobFile, values)).toThrow(Failure)
    expect(() => build(jobFile, { ...values, artifact_path: 'a', ref_name: text })).toThrow(Failure)
    expect(() => build(jobFile, { ...values, artifact_path: 'a', id: text })).toThrow(Failure)
  })
  it('refuses a number past 2^53: what a record gives for one may be another', () => {
    expect(() => build(remove, { id: 2 ** 53, domain: 'x' })).toThrow('id: 9007199254740992 is too')
    expect(build(remove, { id: 2 ** 53 - 1, domain: 'x' }).path).toContain('9007199254740991')
  })
  it('refuses a missing value and broken Unicode', () => {
    expect(() => build(remove, { id: 1 })).toThrow('domain is missing')
    expect(() => build(remove, { id: 1, domain: '\ud800' })).toThrow('Unicode')
  })
})

describe('a query', () => {
  const query = (values: Ask['values'], extra?: Ask['extra']) =>
    buildPath(issues, { id: 7, ...values }, extra)
  it.each<[Ask['values'], string]>([
    [{}, ''],
    [{ iids: [1, 2] }, '?iids[]=1&iids[]=2'],
    [{ iids: [3] }, '?iids[]=3'],
    [{ iids: [] }, '?iids[]='],
    [{ labels: ['a b', 'c'] }, '?labels=a%20b,c'],
    [{ labels: [] }, '?labels='],
    [{ labels: 'None' }, '?labels=None'],
    [{ labels: ['Any'] }, '?labels=Any'],
    [{ approver_ids: 'Any' }, '?approver_ids=Any'],
    [{ approver_ids: ['None'] }, '?approver_ids=None'],
    [{ approver_ids: [5] }, '?approver_ids[]=5'],
    [{ assignee_id: 'None' }, '?assignee_id=None'],
    [{ assignee_id: null }, '?assignee_id='],
    [{ confidential: false }, '?confidential=false'],
    [{ created_after: '2024-01-02T03:04:05+02:00' }, '?created_after=2024-01-02T03:04:05%2B02:00'],
    [{ search: 'a&b=c#d?e/f' }, '?search=a%26b%3Dc%23d%3Fe/f'],
    [
      { not: { labels: ['a', 'b'], iids: [3], assignee_username: ['x'], author_id: 4 } },
      '?not[labels]=a,b&not[iids][]=3&not[assignee_username][]=x&not[author_id]=4',
    ],
    [{ custom_attributes: { team: 'infra & co' } }, '?custom_attributes[team]=infra%20%26%20co'],
    [{ filter: { a: { b: 1 } } }, '?filter=%7B%22a%22:%7B%22b%22:1%7D%7D'],
  ])('%j → %s', (values, expected) => {
    expect(query(values)).toBe(`/groups/7/issues${expected}`)
  })
  it('carries --param as it is, unless the catalogue says the same', () => {
    expect(query({ iids: [1] }, { iids: ['2'], 'not[x]': 'y', novel: ['a', 'b'] })).toBe(
      '/groups/7/issues?iids[]=1&not[x]=y&novel[]=a&novel[]=b',
    )
    expect(query({ iids: [1] }, { 'iids[]': ['2'] })).toBe('/groups/7/issues?iids[]=1')
    expect(query({ not: { author_id: 1 } }, { 'not[author_id]': '2' })).toBe(
      '/groups/7/issues?not[author_id]=1',
    )
    expect(query({}, { 'iids[]': ['2', '3'], constructor: 'x' })).toBe(
      '/groups/7/issues?iids[]=2&iids[]=3&constructor=x',
    )
  })
  it('carries a parameter that is in the query by the documents, on a POST too', () => {
    const request = build(vulnerability, { id: 'a/b', finding_id: '9' })
    expect(request).toEqual({
      method: 'POST',
      path: '/projects/a%2Fb/vulnerabilities?finding_id=9',
      headers: {},
    })
    expect(buildPath(vulnerability, { id: 1 }, { finding_id: '8' })).toBe(
      '/projects/1/vulnerabilities?finding_id=8',
    )
  })
})

describe('a JSON body', () => {
  it.each<[Ask['values'], string]>([
    [{ tag_list: ['a', 'b'] }, '{"tag_list":["a","b"]}'],
    [{ tag_list: [] }, '{"tag_list":[]}'],
    [{ maximum_timeout: null }, '{"maximum_timeout":null}'],
    [{ hosts: ['one'] }, '{"hosts":"one"}'],
    [{ hosts: ['one', 'two'] }, '{"hosts":["one","two"]}'],
    [{ user_id: ['1', '2'] }, '{"user_id":"1,2"}'],
    [{ info: { version: '16.1' } }, '{"info":{"version":"16.1"}}'],
    [{ actions: [{ action: 'create' }] }, '{"actions":[{"action":"create"}]}'],
    [{ description: '', novel: true }, '{"description":"","novel":true}'],
  ])('%j → %s', (values, expected) => {
    const request = build(runner, { id: 7, ...values })
    expect(request.body).toBe(expected)
    expect(request.headers).toEqual({ 'content-type': 'application/json' })
  })
  it('is absent without attributes', () => {
    expect(build(runner, { id: 7 })).toEqual({
      method: 'PUT',
      path: '/runners/7',
      headers: {},
      secrets: new Set(['token']),
    })
    expect(build(runner, { id: 7, description: undefined })).not.toHaveProperty('body')
  })
  it('takes --param as given JSON, unless the catalogue says the same', () => {
    expect(
      buildBody(
        runner,
        { id: 7, description: 'd' },
        { description: 'no', novel: { a: [1, null] } },
      ),
    ).toBe('{"description":"d","novel":{"a":[1,null]}}')
    expect(buildBody(runner, { id: 7 }, JSON.parse('{"__proto__":1}'))).toBe('{"__proto__":1}')
  })
  it('says which of its attributes are secret', () => {
    expect(build(runner, { id: 7, token: 't' }).secrets).toEqual(new Set(['token']))
    expect(build(runner, { id: 7 }, { extra: { token: 't' } }).secrets).toEqual(new Set(['token']))
  })
})

describe('a form', () => {
  const bytes = new TextEncoder().encode('PEM')
  it('is multipart as soon as there is a file, the other attributes its parts', () => {
    const request = build(
      domains,
      { id: 1, domain: 'x.test', auto_ssl_enabled: false, certificate: 'ignored' },
      { files: { certificate: { filename: 'a"b.pem', bytes } }, extra: { more: ['1', '2'] } },
    )
    expect(request.headers['content-type']).toBe('multipart/form-data; boundary=svcctl-form-data-0')
    expect(Buffer.from(request.body ?? '').toString()).toBe(
      [
        '--svcctl-form-data-0',
        'Content-Disposition: form-data; name="auto_ssl_enabled"',
        '',
        'false',
        '--svcctl-form-data-0',
        'Content-Disposition: form-data; name="more[]"',
        '',
        '1',
        '--svcctl-form-data-0',
        'Content-Disposition: form-data; name="more[]"',
        '',
        '2',
        '--svcctl-form-data-0',
        'Content-Disposition: form-data; name="certificate"; filename="a%22b.pem"',
        'Content-Type: application/octet-stream',
        '',
        'PEM',
        '--svcctl-form-data-0--',
        '',
      ].join('\r\n'),
    )
  })
  it('has a boundary that its parts do not hold', () => {
    const held = new TextEncoder().encode('x svcctl-form-data-0 y')
    const files = { certificate: { filename: 'c', bytes: held } }
    const request = build(domains, { id: 1, domain: 'x' }, { files })
    expect(request.headers['content-type']).toContain('boundary=svcctl-form-data-1')
  })
})

describe('an alert', () => {
  const address = 'https://forge.test/a/alerts/notify.json?x=1'
  it('goes to the address it names, always as JSON', () => {
    expect(build(alert, { endpoint: address, title: 'T', hosts: ['h'] })).toEqual({
      method: 'POST',
      path: address,
      absolute: true,
      headers: { 'content-type': 'application/json' },
      body: '{"title":"T","hosts":"h"}',
    })
    expect(buildBody(alert, { endpoint: address })).toBe('{}')
  })
  it.each(['https://:key@forge.test/x', 'ftp://forge.test/', 'forge.test', undefined])(
    'refuses the address %s',
    (endpoint) => {
      expect(() => build(alert, { endpoint })).toThrow(Failure)
    },
  )
})
