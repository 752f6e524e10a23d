/** What happens on the embedded instance by itself: each thing at its own moment, whoever looks. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type SandboxOptions, startSandbox } from '../../src/sandbox/index.js'
import { sender } from './instance.js'

const began = Date.parse('2026-11-03T09:00:00.000Z')
const momentAt = (seconds: number): string => new Date(began + seconds * 1000).toISOString()
/** Seconds since the beginning, as the instance's clock shows them. */
let clock = 0
let folder = ''
let stop: () => Promise<void> = async () => {}
let url = ''
const send = sender(() => url)

const start = async (options: Partial<SandboxOptions> = {}): Promise<void> => {
  const now = () => new Date(began + clock * 1000)
  const running = await startSandbox({ stateDir: folder, now, ...options })
  url = running.url
  stop = () => running.close()
}

beforeEach(async () => {
  clock = 0
  folder = await mkdtemp(join(tmpdir(), 'svcctl-scheduler-'))
  await start()
})
afterEach(async () => {
  await stop()
  await rm(folder, { recursive: true, force: true })
})

const app = '/projects/1'

describe('what takes a while', () => {
  it('is over at its own moment, not when somebody looks', async () => {
    await send(`PUT ${app}/merge_requests/1/rebase`, { as: 'chi' })
    await send('POST /project_repository_storage_moves', {
      json: { source_storage_name: 'default', destination_storage_name: 'second' },
    })
    clock = 3600
    // Neither the branch nor its events know of merge requests.
    const commit = (await send(`GET ${app}/repository/commits/feature%2Flogin`)).body
    expect(commit.committed_date).toBe(momentAt(2))
    const [event] = (await send(`GET ${app}/events?action=pushed`)).body
    expect([event.push_data.commit_to, event.created_at]).toEqual([commit.id, momentAt(2)])
    expect((await send(`GET ${app}/merge_requests/1`)).body.updated_at).toBe(momentAt(2))
  })

  it('is not over a moment before', async () => {
    await send(`PUT ${app}/merge_requests/1/rebase`, { as: 'chi' })
    const going = async () =>
      (await send(`GET ${app}/merge_requests/1?include_rebase_in_progress=true`)).body
        .rebase_in_progress
    clock = 1.999
    expect(await going()).toBe(true)
    clock = 2
    expect(await going()).toBe(false)
  })

  it('ends where it cannot be done, and keeps nothing else waiting', async () => {
    await send(`PUT ${app}/merge_requests/1/rebase`, { as: 'chi' })
    await stop()
    await rm(join(folder, 'repositories'), { recursive: true, force: true })
    const { PATH } = process.env
    try {
      process.env.PATH = folder
      await start({ speed: Number.POSITIVE_INFINITY })
      const { body } = await send(`GET ${app}/merge_requests?iids[]=1`)
      expect(body[0].merge_error).toBe(
        'Rebase failed: 503 Service Unavailable - git is not installed on this machine',
      )
    } finally {
      process.env.PATH = PATH
    }
  })
})
