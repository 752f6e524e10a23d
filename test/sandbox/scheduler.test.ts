/** Tests changes that happen on the embedded instance by themselves: each at its own time, whether or not somebody reads. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTimedSandbox, toTimeAfterStart } from './instance.js'

let instance: Awaited<ReturnType<typeof startTimedSandbox>>
beforeEach(async () => {
  instance = await startTimedSandbox()
})
afterEach(() => instance.end())
const send: typeof instance.send = (...request) => instance.send(...request)

const app = '/projects/1'

describe('what takes a while', () => {
  it('is over at its own moment, not when somebody looks', async () => {
    await send(`PUT ${app}/merge_requests/1/rebase`, { as: 'chi' })
    await send('POST /project_repository_storage_moves', {
      json: { source_storage_name: 'default', destination_storage_name: 'second' },
    })
    instance.at(3600)
    // Neither the branch nor its events depend on merge requests.
    const commit = (await send(`GET ${app}/repository/commits/feature%2Flogin`)).body
    expect(commit.committed_date).toBe(toTimeAfterStart(2))
    const [event] = (await send(`GET ${app}/events?action=pushed`)).body
    expect([event?.push_data?.commit_to, event?.created_at]).toEqual([
      commit.id,
      toTimeAfterStart(2),
    ])
    expect((await send(`GET ${app}/merge_requests/1`)).body.updated_at).toBe(toTimeAfterStart(2))
  })

  it('is not over a moment before', async () => {
    await send(`PUT ${app}/merge_requests/1/rebase`, { as: 'chi' })
    const going = async () =>
      (await send(`GET ${app}/merge_requests/1?include_rebase_in_progress=true`)).body
        .rebase_in_progress
    instance.at(1.999)
    expect(await going()).toBe(true)
    instance.at(2)
    expect(await going()).toBe(false)
  })

  it('happens in the order of IDs where it is due at one moment', async () => {
    for (const iid of [7, 1])
      await send(`PUT ${app}/merge_requests/${iid}/rebase?skip_ci=true`, { as: 'chi' })
    instance.at(3600)
    const pushes = (await send(`GET ${app}/events?action=pushed&sort=desc`)).body
    expect(
      pushes.slice(0, 2).map(({ push_data, created_at }) => [push_data?.ref, created_at]),
    ).toEqual([
      ['feature/auto', toTimeAfterStart(2)],
      ['feature/login', toTimeAfterStart(2)],
    ])
  })

  it('ends where it cannot be done, and keeps nothing else waiting', async () => {
    await send(`PUT ${app}/merge_requests/1/rebase`, { as: 'chi' })
    await rm(join(instance.folder, 'repositories'), { recursive: true, force: true })
    const { PATH } = process.env
    try {
      process.env.PATH = instance.folder
      await instance.restart({ speed: Number.POSITIVE_INFINITY })
      const { body } = await send(`GET ${app}/merge_requests?iids[]=1`)
      expect(body[0]?.merge_error).toBe(
        'Rebase failed: 503 Service Unavailable - git is not installed on this machine',
      )
    } finally {
      process.env.PATH = PATH
    }
  })
})

describe('reading', () => {
  const runner = fc.integer({ min: 1, max: 10 })
  const paths = ['jobs', 'merge_requests/1', 'pipelines', 'repository/branches']
  const push = fc.record({
    write: fc.constant('push'),
    branch: fc.constantFrom('main', 'feature/auto', 'feature/draft'),
  })
  const update = fc.record({ write: fc.constant('runner'), runner, active: fc.boolean() })
  const rebase = fc.record({ write: fc.constant('rebase'), iid: fc.constantFrom(1, 2, 6, 7) })
  const step = fc.record({
    wait: fc.integer({ min: 0, max: 45 }),
    reads: fc.array(fc.tuple(fc.nat(30), fc.constantFrom(...paths)), { maxLength: 2 }),
    restarts: fc.boolean(),
    write: fc.oneof(push, update, rebase),
  })
  type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

  /** Plays the writes, with or without the reads and restarts between them. Returns the saved state. */
  const play = async (steps: readonly Step[], busy: boolean): Promise<string> => {
    const one = await startTimedSandbox()
    let now = 0
    const write = async (todo: Step['write'], name: string): Promise<void> => {
      if ('branch' in todo)
        await one.send(`POST ${app}/repository/commits`, {
          json: {
            branch: todo.branch,
            commit_message: `Write ${name}`,
            actions: [{ action: 'create', file_path: `${name}.txt`, content: 'x' }],
          },
        })
      else if ('iid' in todo) await one.send(`PUT ${app}/merge_requests/${todo.iid}/rebase`)
      else await one.send(`PUT /runners/${todo.runner}`, { json: { active: todo.active } })
    }
    for (const [index, { wait, reads, restarts, write: todo }] of steps.entries()) {
      if (busy) {
        for (const [after, path] of reads.toSorted(([a], [b]) => a - b)) {
          one.at(now + Math.min(after, wait))
          await one.send(`GET ${app}/${path}`)
        }
        if (restarts) await one.restart()
      }
      now += wait
      one.at(now)
      await write(todo, String(index))
    }
    one.at(now + 3600)
    await one.send('GET /runners/1')
    return one.end()
  }

  it('changes nothing, and neither does a restart', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 5 }), async (steps) => {
        expect(await play(steps, true)).toBe(await play(steps, false))
      }),
      { numRuns: 3, endOnFailure: true, interruptAfterTimeLimit: 110_000 },
    )
  }, 120_000)
})
