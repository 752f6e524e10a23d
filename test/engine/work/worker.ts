/**
 * A process that changes objects by way of a journal, until it is done or ended.
 * `worker.ts <journal> <base URL> <count> [parent …]` begins a journal, or resumes the existing one.
 */

import { existsSync } from 'node:fs'
import { machineClock } from '../../../src/base/async.js'
import { readSeenObjects, readWork, startSpool } from '../../../src/engine/journal/objects.js'
import { getNextStep } from '../../../src/engine/journal/reader.js'
import { createRunRecord } from '../../../src/engine/journal/run-record.js'
import { createJournal, resumeJournal } from '../../../src/engine/journal/writer.js'
import type { GivenObject } from '../../../src/engine/work/report.js'
import { runWork } from '../../../src/engine/work/run.js'
import { FleetGate } from '../../../src/http/gate.js'
import { createClient } from '../../../src/http/index.js'
import { header } from './header.js'

const [file = '', baseUrl = '', count = '0', endpoint = header.endpoint] = process.argv.slice(2)

async function* yieldObjects(): AsyncGenerator<GivenObject> {
  for (let id = 1; id <= Number(count); id++) yield { object: String(id) }
}

const { signal } = new AbortController()
const began = existsSync(file)
const { journal, past } = began
  ? await resumeJournal(file, machineClock)
  : { journal: await createJournal(file, { ...header, endpoint }, machineClock), past: undefined }
const [method = 'PUT'] = endpoint.split(' ')

// The input is given again. Objects that the journal has already are skipped.
const readsInput = past === undefined || past.total === undefined
const source = readsInput
  ? startSpool(journal, yieldObjects(), await readSeenObjects(journal))
  : undefined
const getStep = (n: number) => getNextStep(past?.states.get(n) ?? 'queued', endpoint)

const gate = new FleetGate({ clock: machineClock, concurrency: 8 })
const client = createClient({
  clock: machineClock,
  baseUrl,
  timeout: 30,
  retries: 0,
  userAgent: 'test',
  gate,
  signal,
})
const running = runWork<number>({
  items: readWork(journal, source, getStep),
  work: async ({ object, resumeBy }) => {
    const path = `/runners/${object}`
    const sent = resumeBy === 'verifying' ? 'GET' : method
    const { status } = await client.call({ method: sent, path, headers: {} })
    return { state: 'done', result: status }
  },
  gate,
  signal,
  record: createRunRecord(journal, { getFacts: (status) => ({ status }), mask: (a) => a }),
})
for await (const _ of running);
await journal.end((await running.report).end)
await journal.close()
await client.close()
