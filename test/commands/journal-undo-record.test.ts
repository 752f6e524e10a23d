/** Tests the journal of an undo, against an instance that rejects requests and repeats what it was sent. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { version } from '../../src/base/version.js'
import type { Header, ObjectLine } from '../../src/engine/journal/lines.js'
import { LineChecksums, parseLine } from '../../src/engine/journal/lines.js'
import { header } from '../engine/work/header.js'
import { createConfiguration } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'
import { writeJournal } from './journals.js'

const token = 'glpat-c4n4ry-0123456789'
const server = useRecorder()
const createObjectLine = (n: number, before: string): ObjectLine => ({
  n,
  object: String(n),
  state: 'done',
  before: { description: before },
  after: { description: 'new' },
})

/** Undoes a run that changed these objects, and returns the result with the text of the undo's own journal. */
const undoRun = async (lines: readonly ObjectLine[], first: Partial<Header> = {}) => {
  const config = createConfiguration()
  const folder = join(config, 'state', 'runs')
  writeJournal(join(folder, `1-${header.id}.ndjson`), lines, 'completed', {
    command: 'runners update',
    input: { description: 'new' },
    instance: server.url,
    profile: null,
    user: 'ana',
    version,
    ...first,
  })
  const env = { SVC_CONFIG_DIR: config, SVC_BASE_URL: server.url, SVC_TOKEN: token }
  const ran = await svcctl(['journal', 'undo', header.id, '--yes', '--concurrency', '1'], { env })
  const own = readdirSync(folder).filter((name) => /undo\.ndjson$/.test(name))
  expect(own).toHaveLength(1)
  const text = readFileSync(join(folder, own[0] ?? ''), 'utf8')
  const sums = new LineChecksums()
  const read = (line: string) => parseLine(sums.check(line))
  return { ...ran, text, lines: text.trimEnd().split('\n').map(read) }
}

it('keeps of every outcome what any run keeps, and no secret that is said back', async () => {
  server.answer = ({ method, url }) => {
    const headers = { 'x-request-id': `id-of-${url.split('/').at(-1)}` }
    if (url.endsWith('/user')) return { body: { username: 'ana' } }
    if (method === 'GET') return { body: { description: url.endsWith('/3') ? token : 'new' } }
    const said = `${token} may not, nor ${Buffer.from(token).toString('base64')}`
    return url.endsWith('/2') ? { status: 400, headers, body: { message: said } } : { headers }
  }
  const { code, stderr, text, lines } = await undoRun([
    createObjectLine(1, token),
    createObjectLine(2, 'old'),
    createObjectLine(3, 'old'),
  ])
  expect([code, stderr]).toEqual([
    8,
    expect.stringMatching(
      /^1 done, 2 failed \(1 rejected by the instance, 1 in conflict\)\. Journal: /m,
    ),
  ])
  expect(text).not.toContain('c4n4ry')
  expect(text).not.toContain(Buffer.from(token).toString('base64').slice(0, 12))
  expect(lines.filter((line) => line !== undefined && 'n' in line && line.n === 1)).toEqual([
    { n: 1, object: '1', state: 'queued' },
    {
      n: 1,
      object: '1',
      state: 'begun',
      before: { description: 'new' },
      after: { description: '[masked]' },
      at: expect.any(String),
    },
    {
      n: 1,
      object: '1',
      state: 'done',
      status: 200,
      request_id: 'id-of-1',
      at: expect.any(String),
    },
  ])
  expect(lines).toContainEqual(
    expect.objectContaining({ n: 2, state: 'failed', status: 400, request_id: 'id-of-2' }),
  )
  expect(lines).toContainEqual(expect.objectContaining({ n: 3, state: 'failed' }))
})

it('takes digits for an ID, though another user is called so', async () => {
  server.answer = ({ method, url }) => {
    if (url.endsWith('/user')) return { body: { username: 'ana' } }
    return method === 'GET' ? { body: [{ id: 77, username: '5', access_level: 10 }] } : {}
  }
  server.seen.length = 0
  const before = { id: 5, username: 'dov', access_level: 30, expires_at: '2099-01-31T00:00:00Z' }
  const line: ObjectLine = { n: 1, object: '5', parent: 'g', state: 'done', before, after: null }
  const { code } = await undoRun([line], {
    command: 'members remove',
    endpoint: 'DELETE /groups/:id/members/:user_id',
  })
  expect(code).toBe(0)
  const [sent] = server.seen.filter(({ method }) => method === 'POST')
  expect([sent?.url, JSON.parse(String(sent?.body))]).toEqual([
    '/api/v4/groups/g/members',
    { user_id: 5, access_level: 30, expires_at: '2099-01-31' },
  ])
})

it('says of a run that was stopped that it was', async () => {
  server.answer = ({ method, url }) => {
    if (url.endsWith('/user')) return { body: { username: 'ana' } }
    if (method === 'GET') return { body: { description: 'new' } }
    return { status: 401, body: { message: '401 Unauthorized' } }
  }
  const many = Array.from({ length: 30 }, (_, i) => createObjectLine(i + 1, 'old'))
  const { code, lines } = await undoRun(many)
  expect(code).toBe(3)
  expect(lines.at(-1)).toMatchObject({ end: 'stopped' })
})
