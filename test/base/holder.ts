/**
 * A process that takes a lock: `holder.ts hold <lock>` says that it has it and keeps it until it is ended;
 * `holder.ts count <lock> <file> <times>` adds one to the number in a file, so many times.
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
    // Whoever else is in here reads the same number meanwhile.
    await sleep(1)
    writeFileSync(file, String(before + 1))
    release()
  }
