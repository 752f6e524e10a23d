/** The end of a rebase and its error are one change: no request that is answered meanwhile sees only half of it. */
import { expect, it } from 'vitest'
import { type Instance, InstanceClock } from '../../src/sandbox/call.js'
import { listDueRebases } from '../../src/sandbox/rules/merge-requests.js'
import { loadSampleState } from '../../src/sandbox/seed/index.js'

it('is in progress until its error is known', async () => {
  const state = loadSampleState()
  const clock = new InstanceClock(undefined, Number.POSITIVE_INFINITY)
  const [request] = state.mergeRequests.all()
  if (request === undefined) throw new Error('the sample data has no merge request')
  const { id } = request
  const progress = () => {
    const { rebase_started_at, merge_error } = state.mergeRequests.get(id) ?? {}
    return [rebase_started_at !== null, merge_error]
  }
  state.mergeRequests.change(id, {
    rebase_started_at: clock.iso(),
    rebase_user_id: 1,
    merge_error: null,
  })
  const seen: unknown[] = []
  const git = {
    open: async () => {
      seen.push(progress())
      throw new Error('the disk is full')
    },
  }
  const instance = { state, clock, git } as unknown as Instance
  const [due] = listDueRebases(instance)
  await due?.play(instance)
  expect([...seen, progress()]).toEqual([
    [true, null],
    [false, 'Rebase failed: the disk is full'],
  ])
})
