/**
 * A process that takes a lock. `holder.ts hold <lock>` prints `held` and keeps the lock until it is ended.
 * `holder.ts count <lock> <file> <times>` adds 1 to the number in a file, `times` times.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { lock } from '../../src/base/files/lock.js'

const [action, directory = '', file = '', times = '0'] = process.argv.slice(2)
const take = () =>
  lock(directory, { patience: 120_000, held: (owner) => new Error(owner) as never })

if (action === 'hold') {
  await take()
  console.log('held')
  setInterval(() => undefined, 60_000)
} else
  for (let i = 0; i < Number(times); i++) {
    const { release } = await take()
    const before = Number(readFileSync(file, 'utf8'))
    // A second holder of the lock would read the same number during this wait.
    await sleep(1)
    writeFileSync(file, String(before + 1))
    release()
  }
