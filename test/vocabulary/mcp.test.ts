/** `mcp serve` on an instance in other words: its names are as good as those of the documents, and unprotect nothing. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type McpServer, serve } from '../support/mcp.js'
import { createFolder } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'

const vocabulary = `vocabulary: 1
words: { runners: workers, description: label, spamsvc: junkguard, branch: trunk }
values: { runners.status: [stale] }
secrets: [hub_blob]
`
const server = useRecorder()
let served: McpServer
beforeAll(async () => {
  const config = createFolder()
  const file = join(config, 'work.yml')
  writeFileSync(file, vocabulary, { mode: 0o600 })
  const env = { SVC_VOCABULARY: file, SVC_CONFIG_DIR: config, SVC_TOKEN: 'x' }
  // Lines within the server are understood as those of this process.
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  served = await serve({ env: { ...env, SVC_BASE_URL: server.url } })
})
afterAll(() => served.close().finally(() => vi.unstubAllEnvs()))

const record = { id: 1, label: 'one', hub_blob: 'c4nary' }
const read = (input: object) => served.call('read', { command: 'runners list', ...input })

it('reads under either name, and masks what the vocabulary names', async () => {
  server.answer = () => ({ body: [record] })
  const { data } = await read({ arguments: { instance: true } })
  expect(data.records).toEqual([{ ...record, hub_blob: '[masked]' }])
  const fields = ['description', 'label', 'hub_blob']
  const chosen = await read({ arguments: { instance: true }, fields })
  expect(chosen.data.records).toEqual([{ description: 'one', label: 'one', hub_blob: '[masked]' }])
})

it('takes the further values of the instance', async () => {
  const { isError } = await read({ arguments: { instance: true, status: 'stale' } })
  expect(isError).toBe(false)
  expect(server.lines()).toEqual(['GET /workers/all?status=stale&page=1&per_page=50'])
})

it.each(['label', 'description'])('plans what is given as %s', async (name) => {
  server.answer = () => ({ body: record })
  const planned = await served.call('plan', {
    command: 'runners update',
    arguments: { id: 1, [name]: 'two' },
  })
  expect(planned.command_line).toBe('svcctl runners update 1 --description two')
  expect(planned.data.changes).toMatchObject([
    { request: 'PUT /workers/1', changes: [{ attribute: 'label', now: 'one', new: 'two' }] },
  ])
})

it('takes one thing by one name', async () => {
  const both = { id: 1, label: 'a', description: 'b' }
  const came = await served.call('plan', { command: 'runners update', arguments: both })
  expect(came.error).toEqual({ category: 'usage' })
  expect(came.data.message).toContain('description and label are two names of the same parameter')
})

it('repeats no secret, whichever its name', async () => {
  for (const name of ['spamsvc_api_key', 'junkguard_api_key']) {
    const planned = await served.call('plan', {
      command: 'settings update',
      arguments: { [name]: 'c4nary' },
    })
    expect(planned.command_line).toContain('--spamsvc-api-key env:SPAMSVC_API_KEY')
  }
  expect(served.written.join('\n')).not.toContain('c4nary')
})

it('names what is missing without the marks of flags', async () => {
  const { data } = await served.call('plan', { command: 'runners update', arguments: {} })
  expect(data.message).toBe('runners update needs id')
  const both = { command: 'runners list', arguments: { instance: true, project: 1 } }
  expect((await served.call('read', both)).data.message).toBe(
    'instance and project exclude each other',
  )
  const made = await served.call('plan', {
    command: 'commits revert',
    arguments: { sha: 'a', project: 1 },
  })
  expect(made.data.message).toBe('commits revert needs trunk [branch]')
})
