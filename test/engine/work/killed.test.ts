/** A run that is killed again and again, and gone on with each time. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readRunHistory } from '../../../src/engine/journal/reader.js'
import { getBundle } from '../../support/bundled.js'
import { serve } from '../../support/servers.js'

const worker = await getBundle(join(import.meta.dirname, 'worker.ts'))
const count = 300
const width = 8

const start = (...args: readonly string[]): ChildProcess => {
  const child = spawn(process.execPath, [worker, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  return child
}

describe.each([
  ['PUT /runners/:id', 8],
  ['POST /runners/:id', 4],
] as const)('%s killed at %i random moments', (endpoint, kills) => {
  it('does each object, at most a width of them twice, and none that was done', {
    timeout: 300_000,
  }, async () => {
    const home = mkdtempSync(join(tmpdir(), 'svcctl-killed-'))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    const file = join(home, 'run.ndjson')
    const writes = new Map<string, number>()
    let done = new Set<string>()
    const doneAgain: string[] = []
    let untilKill = Number.POSITIVE_INFINITY
    let kill = (): void => {}
    const server = await serve(({ method, url }, response) => {
      const id = url.slice(url.lastIndexOf('/') + 1)
      if (method !== 'GET') writes.set(id, (writes.get(id) ?? 0) + 1)
      if (done.has(id)) doneAgain.push(id)
      untilKill -= 1
      if (untilKill === 0) kill()
      // The last ones before it are on their way back when it dies.
      if (untilKill > 0) response.end('{}')
      else setImmediate(() => response.end('{}'))
    })
    const requests = fc.sample(fc.integer({ min: 1, max: 18 }), kills)
    let [killed, twice] = [0, 0]
    for (let ended = false; !ended; ) {
      const before = new Map(writes)
      untilKill = requests[killed] ?? Number.POSITIVE_INFINITY
      const child = start(file, server.base, String(count), endpoint)
      kill = () => child.kill('SIGKILL')
      const [code] = await once(child, 'exit')
      ended = code === 0
      if (ended) break
      expect(child.signalCode).toBe('SIGKILL')
      killed += 1
      const again = [...writes].filter(
        ([id, times]) => times > (before.get(id) ?? 0) && before.has(id),
      )
      expect(again.length).toBeLessThanOrEqual(width)
      twice += again.length
      const { states } = await readRunHistory(file)
      done = new Set(
        Array.from({ length: count }, (_, i) => i + 1)
          .filter((n) => states.get(n) === 'done')
          .map(String),
      )
    }
    expect(killed).toBe(kills)
    expect(doneAgain).toEqual([])
    const { counts, end, total } = await readRunHistory(file)
    expect({ counts, end, total }).toEqual({
      counts: { done: count, unchanged: 0, failed: 0, unknown: 0, not_tried: 0 },
      end: 'completed',
      total: count,
    })
    if (endpoint.startsWith('POST')) expect(twice).toBe(0)
    else expect(writes.size).toBe(count)
    // Whole lines only, each process's own.
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => typeof JSON.parse(line))).toEqual(lines.map(() => 'object'))
  })
})
