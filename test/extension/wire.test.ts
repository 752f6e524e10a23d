/** The requests of an extension's commands, pinned: one line for each form of a parameter, a body and an answer. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createConfiguration, createFolder } from '../support/program.js'
import { serve } from '../support/servers.js'
import { svcctl } from '../support/within.js'

const parameters = [
  { name: 'q', in: 'query', schema: { type: 'string' } },
  { name: 'ids', in: 'query', schema: { type: 'array', items: { type: 'integer' } } },
  { name: 'tags', in: 'query', explode: false, schema: { type: 'array', items: {} } },
  { name: 'kinds', in: 'query', explode: true, schema: { type: 'array', items: {} } },
  { name: 'filter', in: 'query', style: 'deepObject', schema: { type: 'object' } },
  { name: 'since', in: 'query', schema: { type: 'string', format: 'date-time' } },
  { name: 'limit', in: 'query', schema: { type: 'integer' } },
  { name: 'limited', in: 'query', schema: { type: 'boolean' } },
]
const properties = {
  name: { type: 'string' },
  weight: { type: 'number' },
  size: { type: 'integer' },
  on: { type: 'boolean' },
  tags: { type: 'array', items: { type: 'string' } },
  labels: { type: 'object', additionalProperties: { type: 'string' } },
  rules: { type: 'array', items: { type: 'object' } },
  level: { type: 'string', enum: ['low', 'high'] },
}
const requestBody = {
  content: { 'application/json': { schema: { required: ['name'], properties } } },
}
const item = { properties: { id: { type: 'integer' }, name: { type: 'string' } } }
const answer = (schema: object, type = 'application/json') => ({
  200: { description: 'ok', content: { [type]: { schema } } },
})
const one = { responses: answer(item) }
const list = { responses: answer({ type: 'array', items: item }) }
const document = {
  openapi: '3.0.3',
  servers: [{ url: 'https://elsewhere.test/api/v4' }],
  paths: {
    '/things': { get: { ...list, parameters }, post: { ...one, requestBody } },
    '/things/{thing-id}': {
      get: one,
      put: { ...one, requestBody: { content: { 'application/json': { schema: { properties } } } } },
      delete: {
        responses: { 204: {} },
        parameters: [{ name: 'force', in: 'query', schema: { type: 'boolean' } }],
      },
    },
    '/things/{thing-id}/lock': { post: { responses: { 204: {} } } },
    '/things/{thing-id}/move': {
      put: { ...one, parameters: [{ name: 'to_id', in: 'query', schema: { type: 'integer' } }] },
    },
    '/things/{thing-id}/raw': { get: { responses: answer({ type: 'string' }, 'text/plain') } },
    '/things/{thing-id}/parts/{part_id}': { get: one },
    '/projects/{id}/things': { get: list },
  },
}

const given = ['--name', 'x', '--weight', '1.5', '--size', '9007199254740991', '--on']
const more = ['--tags', 'a,b', '--labels', 'k=v', '--rules', '[{"a":1}]', '--level', 'low']

const lines: readonly (readonly [line: readonly string[], request: string])[] = [
  [['things', 'list', '--limit', '1'], 'GET /things?per_page=1'],
  [['things', 'list', '-P', 'a/b', '--limit', '1'], 'GET /projects/a%2Fb/things?per_page=1'],
  [
    ['things', 'create', ...given, ...more],
    `POST /things {"name":"x","weight":1.5,"size":9007199254740991,"on":true,"tags":["a","b"],"labels":{"k":"v"},"rules":[{"a":1}],"level":"low"}`,
  ],
  [['things', 'get', '5'], 'GET /things/5'],
  [['things', 'update', '5', '--on=false', '--tags', ''], 'PUT /things/5 {"on":false,"tags":[]}'],
  [['things', 'delete', '5', '--force', '--yes'], 'DELETE /things/5?force=true'],
  [['things', 'lock', '5'], 'POST /things/5/lock'],
  [['things', 'move', '5', '--to-id', '7'], 'PUT /things/5/move?to_id=7'],
  [['things', 'raw', '5'], 'GET /things/5/raw'],
  [['things', 'parts', 'get', '6', '--thing', '5'], 'GET /things/5/parts/6'],
]

it('sends each form as the document has it, to the instance of the profile', async () => {
  const cwd = createFolder()
  writeFileSync(join(cwd, 'api.json'), JSON.stringify(document))
  const { base, seen } = await serve(({ url, method }, response) => {
    response.setHeader('content-type', 'application/json')
    const isList = /\/things\?/.test(url) && method === 'GET'
    response.end(isList ? '[]' : '{"id":5,"name":"x"}')
  })
  const env = { SVC_CONFIG_DIR: createConfiguration(), SVC_BASE_URL: base, SVC_TOKEN: 'glpat-x' }
  expect((await svcctl(['extend', 'add', 'api.json'], { cwd, env })).stderr).toContain('added api')
  for (const [line, request] of lines) {
    seen.length = 0
    const { code, stderr } = await svcctl(line, { cwd, env })
    const sent = seen.map(
      ({ method, url, body }) => `${method} ${url.replace('/api/v4', '')}${body && ` ${body}`}`,
    )
    expect({ line, stderr: code === 0 ? '' : stderr, last: sent.at(-1) }).toEqual({
      line,
      stderr: '',
      last: request,
    })
  }
}, 120_000)

it('prints an answer that is a file, or writes it to --to', async () => {
  const cwd = createFolder()
  writeFileSync(join(cwd, 'api.json'), JSON.stringify(document))
  const { base } = await serve((_, response) => response.end('first\r\nsecond'))
  const env = { SVC_CONFIG_DIR: createConfiguration(), SVC_BASE_URL: base, SVC_TOKEN: 'glpat-x' }
  await svcctl(['extend', 'add', 'api.json'], { cwd, env })
  const printed = await svcctl(['things', 'raw', '5'], { cwd, env })
  expect(printed).toMatchObject({ code: 0, stdout: 'first\r\nsecond' })
  const written = await svcctl(['things', 'raw', '5', '--to', 'x.txt'], { cwd, env })
  expect(written).toMatchObject({ code: 0, stdout: '' })
  expect(readFileSync(join(cwd, 'x.txt'), 'utf8')).toBe('first\r\nsecond')
})

it('writes lists, objects and global names into a query as the document has them', async () => {
  const cwd = createFolder()
  writeFileSync(join(cwd, 'api.json'), JSON.stringify(document))
  const env = {
    SVC_CONFIG_DIR: createConfiguration(),
    SVC_BASE_URL: 'https://svc.test',
    SVC_TOKEN: 'x',
  }
  await svcctl(['extend', 'add', 'api.json'], { cwd, env })
  const line = ['things', 'list', '--q', 'a b', '--ids', '1,2', '--tags', 'a,b']
  const others = ['--kinds', 'a,b', '--filter', 'state=on', '--api-limit', '7', '--limited']
  const { stdout, stderr } = await svcctl([...line, ...others, '--curl'], { cwd, env })
  expect({ stderr, query: stdout.match(/things\?([^']*)'/)?.[1] }).toEqual({
    stderr: expect.any(String),
    query: expect.stringContaining(
      'q=a%20b&ids[]=1&ids[]=2&tags=a,b&kinds=a&kinds=b&filter[state]=on&limit=7&limited=true',
    ),
  })
}, 120_000)
