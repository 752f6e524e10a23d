/** `--curl` for every endpoint: curl itself sends the same request as the program. */

import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { machineClock } from '../../src/base/async.js'
import type { JsonValue } from '../../src/base/objects.js'
import type { Endpoint } from '../../src/catalogue/endpoint.js'
import { areas } from '../../src/catalogue/index.js'
import type { Param } from '../../src/catalogue/params.js'
import { buildRequest, createClient, toCurl } from '../../src/http/index.js'
import { type Recorder, type SeenRequest, startRecorder } from '../support/recorder.js'
import { runProgram } from '../support/starting.js'
import { hasProgram } from '../support/terminal.js'

const loaded = await Promise.all(areas.map((row) => row.load()))
const endpoints = loaded.flatMap((all) => Object.values(all)).map((e) => [e.route, e] as const)
const awkward = 'a b&c=ü\'"$x`!'
const secret = 'secret value'

const createSample = (param: Param): JsonValue | undefined => {
  if (param.secret === true) return secret
  switch (param.type) {
    case 'boolean':
      return false
    case 'integer':
      return param.min ?? 7
    case 'enum':
      return param.values[0]
    case 'list':
      return param.of === 'integer' ? [1, 2] : [param.values?.[0] ?? awkward, 'z']
    case 'hash':
      return { k: awkward }
    case 'json':
      return [{ deep: awkward }]
    case 'project':
    case 'group':
      return 'group/name.with dot'
    default:
      return param.format === 'pem' ? undefined : awkward
  }
}

const buildAsk = (endpoint: Endpoint) => {
  const values: Record<string, JsonValue | undefined> = {}
  const files: Record<string, { filename: string; bytes: Uint8Array }> = {}
  for (const [name, param] of [
    ...Object.entries(endpoint.path),
    ...Object.entries(endpoint.params),
  ])
    if (param.type === 'string' && param.format === 'pem')
      files[name] = { filename: `${name}.pem`, bytes: Buffer.from(`the ${name}\n`) }
    else values[name] = createSample(param)
  if (endpoint.route.includes('<')) values.endpoint = `${server.url}/notify.json`
  return { endpoint, values, files }
}

let server: Recorder
const folder = mkdtempSync(join(tmpdir(), 'svcctl-curl-'))
beforeAll(async () => {
  server = await startRecorder(({ method }) => (method === 'GET' ? { body: [] } : { body: {} }))
  for (const name of ['certificate', 'key'])
    writeFileSync(join(folder, `${name}.pem`), `the ${name}\n`)
})
afterAll(() => server.close())
beforeEach(() => {
  server.seen.length = 0
})

/** Returns the parts of a request that must be equal. The boundary of a form differs, so it is replaced. */
const getEssentials = ({ method, url, headers, body }: SeenRequest) => {
  const type = headers['content-type'] ?? ''
  const boundary = /boundary=(.*)$/.exec(type)?.[1]
  const plain = (text: string): string =>
    boundary === undefined ? text : text.replaceAll(boundary, 'B').replace(/-+B/g, '--B')
  return {
    method,
    url,
    type: plain(type),
    token: headers['private-token'],
    sudo: headers.sudo,
    body: plain(body),
  }
}

describe.skipIf(!hasProgram('curl'))('curl sends', () => {
  it.each(endpoints)('%s', async (_, endpoint) => {
    const request = buildRequest(buildAsk(endpoint))
    const client = createClient({
      clock: machineClock,
      baseUrl: server.url,
      timeout: 10,
      retries: 0,
      userAgent: 'svcctl/test',
      credential: { kind: 'personal', value: 'the-token' },
      sudo: 'ana',
    })
    await client.call(request).catch(() => undefined)
    await client.close()
    const command = toCurl(server.url, request, 'personal', 'ana')
    expect(command).not.toContain(secret)
    const names = [...command.matchAll(/"\$([A-Z0-9_]+)"/g)].map(([, name]) => name ?? '')
    const env = {
      ...Object.fromEntries(names.map((name) => [name, secret])),
      SVC_TOKEN: 'the-token',
    }
    const { code, stderr } = await runProgram('sh', ['-c', command], {
      cwd: folder,
      env: { ...env, PATH: process.env.PATH ?? '' },
    })
    expect(code, stderr.toString()).toBe(0)
    const [sent, bySelf] = server.seen
    expect(server.seen).toHaveLength(2)
    if (sent !== undefined && bySelf !== undefined)
      expect(getEssentials(bySelf)).toEqual(getEssentials(sent))
  })
})
