/** What a write to the embedded instance costs beside a read, however much it holds. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { loadSampleState } from '../../src/sandbox/seed/index.js'
import type { Bench } from './bench.js'
import { median, serving } from './measure.js'

const requests = 2_000

/** Copies of the last record, which is over and done with. */
const grow = <T extends { readonly id: number }>(
  table: { readonly all: () => readonly T[]; readonly add: (row: Omit<T, 'id'>) => T },
  count: number,
): void => {
  const last = table.all().at(-1)
  if (last === undefined) throw new Error('the sample data hold nothing to copy')
  const { id: _, ...row } = last
  for (let i = 0; i < count; i++) table.add(row)
}

/** A state folder with so many objects beside the sample data: as many of each kind. */
const stateOf = (folder: string, count: number): string => {
  const state = loadSampleState()
  const { runners, jobs, issues, notes, events } = state
  grow(runners, count / 5)
  grow(jobs, count / 5)
  grow(issues, count / 5)
  grow(notes, count / 5)
  grow(events, count / 5)
  const at = join(folder, `sandbox-${count}`)
  mkdirSync(at, { recursive: true, mode: 0o700 })
  const text = JSON.stringify({ format: 2, generation: 'bench', ...state })
  writeFileSync(join(at, 'state.json'), text, { mode: 0o600 })
  return at
}

const send = (url: string, method: string, body: string): Promise<void> =>
  new Promise((done, fail) => {
    const headers = { 'private-token': 'sandbox-root-token', 'content-type': 'application/json' }
    const sent = request(`${url}/api/v4/runners/1`, { method, headers }, (answer) => {
      answer.on('end', () =>
        answer.statusCode === 200 ? done() : fail(new Error(`HTTP ${answer.statusCode}`)),
      )
      answer.resume()
    })
    sent.on('error', fail).end(body)
  })

const milliseconds = async (url: string, method: string): Promise<number> => {
  const began = performance.now()
  for (let i = 0; i < requests; i++)
    await send(url, method, method === 'GET' ? '' : `{"description":"bench ${i}"}`)
  return (performance.now() - began) / requests
}

/** Rows of one size: what a write takes beside a read in the same turn, and what the process holds. */
const ofSize = async (bench: Bench, count: number): Promise<void> => {
  const { folder, runs, report } = bench
  const served = await serving(folder, 'sandbox', 'serve', '--state-dir', stateOf(folder, count))
  const took: { readonly wall: [number, number]; readonly cpu: [number, number] }[] = []
  try {
    await milliseconds(served.url, 'PUT')
    for (let i = 0; i < (runs || 5); i++) {
      const [at, read] = [served.cpu(), await milliseconds(served.url, 'GET')]
      const [between, write] = [served.cpu(), await milliseconds(served.url, 'PUT')]
      took.push({ wall: [write, read], cpu: [served.cpu() - between, between - at] })
    }
    report({
      work: `sandbox, ${count} objects: peak memory`,
      measured: served.megabytes(),
      budget: 250,
      unit: 'MB',
    })
  } finally {
    await served.end()
  }
  for (const time of ['cpu', 'wall'] as const)
    report({
      work: `sandbox, ${count} objects: an update beside a read, ${time === 'cpu' ? 'processor time' : 'wall'}`,
      measured: median(took.map(({ [time]: [write, read] }) => write / read)),
      budget: 1.5,
      unit: '×',
      detail: `${median(took.map(({ wall: [write] }) => write)).toFixed(2)} ms beside ${median(took.map(({ wall: [, read] }) => read)).toFixed(2)} ms; ${took.length} pairs`,
    })
}

export const sandbox = async (bench: Bench): Promise<void> => {
  for (const count of [100, 100_000]) await ofSize(bench, count)
}
