/** Compares a write to the embedded instance with a read, for a small and a large state. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { loadSampleState } from '../../src/sandbox/seed/index.js'
import type { Bench } from './bench.js'
import { computeMedian, startServer } from './measure.js'

const requests = 2_000

/** Adds copies of the last record, which has a final state. */
const addCopies = <T extends { readonly id: number }>(
  table: { readonly all: () => readonly T[]; readonly add: (row: Omit<T, 'id'>) => T },
  count: number,
): void => {
  const last = table.all().at(-1)
  if (last === undefined) throw new Error('the sample data hold nothing to copy')
  const { id: _, ...row } = last
  for (let i = 0; i < count; i++) table.add(row)
}

/** Writes a state folder with `count` objects beside the sample data, divided equally among five kinds. */
const writeState = (folder: string, count: number): string => {
  const state = loadSampleState()
  const { runners, jobs, issues, notes, events } = state
  addCopies(runners, count / 5)
  addCopies(jobs, count / 5)
  addCopies(issues, count / 5)
  addCopies(notes, count / 5)
  addCopies(events, count / 5)
  const at = join(folder, `sandbox-${count}`)
  mkdirSync(at, { recursive: true, mode: 0o700 })
  const text = JSON.stringify({ format: 2, generation: 'bench', ...state })
  writeFileSync(join(at, 'state.json'), text, { mode: 0o600 })
  return at
}

const sendRequest = (url: string, method: string, body: string): Promise<void> =>
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

const measureRequest = async (url: string, method: string): Promise<number> => {
  const began = performance.now()
  for (let i = 0; i < requests; i++)
    await sendRequest(url, method, method === 'GET' ? '' : `{"description":"bench ${i}"}`)
  return (performance.now() - began) / requests
}

/** Reports the rows for one number of objects: a write compared with a read in the same turn, and the memory of the process. */
const measureSize = async (bench: Bench, count: number): Promise<void> => {
  const { folder, runs, report } = bench
  const served = await startServer(
    folder,
    'sandbox',
    'serve',
    '--state-dir',
    writeState(folder, count),
  )
  const took: { readonly wall: [number, number]; readonly cpu: [number, number] }[] = []
  try {
    await measureRequest(served.url, 'PUT')
    for (let i = 0; i < (runs || 5); i++) {
      const [at, read] = [served.cpu(), await measureRequest(served.url, 'GET')]
      const [between, write] = [served.cpu(), await measureRequest(served.url, 'PUT')]
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
      measured: computeMedian(took.map(({ [time]: [write, read] }) => write / read)),
      budget: 1.5,
      unit: '×',
      detail: `${computeMedian(took.map(({ wall: [write] }) => write)).toFixed(2)} ms beside ${computeMedian(took.map(({ wall: [, read] }) => read)).toFixed(2)} ms; ${took.length} pairs`,
    })
}

export const measureSandbox = async (bench: Bench): Promise<void> => {
  for (const count of [100, 100_000]) await measureSize(bench, count)
}
