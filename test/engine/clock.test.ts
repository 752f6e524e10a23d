/** The clock of a run: waiting ends when it is interrupted. */
import { expect, it } from 'vitest'
import { clockOf } from '../../src/engine/workspace/workspace.js'

it('waits no longer than until the interruption', async () => {
  const controller = new AbortController()
  const waiting = clockOf(controller.signal).sleep(60_000)
  controller.abort()
  await expect(waiting).rejects.toMatchObject({ category: 'interrupted' })
})

it('does not begin to wait after it', async () => {
  const { sleep } = clockOf(AbortSignal.abort())
  await expect(sleep(60_000)).rejects.toMatchObject({ category: 'interrupted' })
})

it('goes on once the time is over', async () => {
  await expect(clockOf(new AbortController().signal).sleep(0)).resolves.toBeUndefined()
})
