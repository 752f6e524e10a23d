/** The clock of a run: waiting ends when it is interrupted. */
import { expect, it } from 'vitest'
import { processIo } from '../../src/base/io.js'
import { createClock } from '../../src/engine/command/clock.js'

it('waits no longer than until the interruption', async () => {
  const controller = new AbortController()
  const waiting = createClock(processIo, controller.signal).sleep(60_000)
  controller.abort()
  await expect(waiting).rejects.toMatchObject({ category: 'interrupted' })
})

it('does not begin to wait after it', async () => {
  const { sleep } = createClock(processIo, AbortSignal.abort())
  await expect(sleep(60_000)).rejects.toMatchObject({ category: 'interrupted' })
})

it('goes on once the time is over', async () => {
  await expect(
    createClock(processIo, new AbortController().signal).sleep(0),
  ).resolves.toBeUndefined()
})
