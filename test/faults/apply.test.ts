/** An apply with five writes, each of which meets each of nine faults. After a resume, the state equals the one without a fault. */
import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningSandbox, type StateSnapshot, startSandbox } from '../../src/library/sandbox.js'
import { type Hook, startProxy } from '../commands/front.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'

const wanted = `version: 1
projects:
  platform/app:
    approvals: { require_password_to_approve: true }
    members: { gus: guest }
    approval_rules: { Release: 1, Security: null }
    deploy_keys: { deploy: null }
`
const writes = 5

/** A fault of a write: whether the instance carries the write out, and what arrives of its answer. */
interface Fault {
  readonly done: boolean
  answer(response: ServerResponse): void
}

const refuseWith =
  (status: number): Fault['answer'] =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ message: `${status} no` }))
  }
const resetConnection: Fault['answer'] = (response) => {
  response.destroy()
}
const cutAnswer: Fault['answer'] = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 })
  response.write('{"id":')
  setImmediate(() => response.destroy())
}
const faults: Readonly<Record<string, Fault>> = {
  'is forbidden': { done: false, answer: refuseWith(403) },
  'finds nothing': { done: false, answer: refuseWith(404) },
  conflicts: { done: false, answer: refuseWith(409) },
  'meets an error': { done: false, answer: refuseWith(500) },
  'meets a gateway': { done: false, answer: refuseWith(502) },
  'is cut before it is done': { done: false, answer: resetConnection },
  'is done and cut': { done: true, answer: resetConnection },
  'is done and answered with an error': { done: true, answer: refuseWith(500) },
  'is done and its answer is cut short': { done: true, answer: cutAnswer },
}

let instance: RunningSandbox
let fresh: StateSnapshot
beforeAll(async () => {
  instance = await startSandbox()
  fresh = instance.snapshot()
})
afterAll(() => instance.close())

/** Reads everything that the writes change, without timestamps. */
const readState = async (): Promise<string> => {
  const read = async (path: string): Promise<string> => {
    const answer = await fetch(`${instance.url}/api/v4/projects/1/${path}`, {
      headers: { 'private-token': 'sandbox-root-token' },
    })
    return `${answer.status} ${(await answer.text()).replace(/"\w+_at":"[^"]*"/g, '')}`
  }
  const all = ['approvals', 'members', 'approval_rules', 'deploy_keys'].map(read)
  return (await Promise.all(all)).join('\n')
}

/** Resets the instance, and puts a proxy before it that makes its n-th write meet a fault once. */
const createFaultyInstance = async (fault?: Fault, n = 0) => {
  const { url } = instance
  instance.restore(fresh)
  const hook: Hook = ({ method, url: path, headers, body }, response, write) => {
    if (fault === undefined || method === 'GET' || write !== n) return false
    const { host: _, 'content-length': __, connection: ___, ...kept } = headers
    const sent = { method, headers: kept as Record<string, string>, body: body || undefined }
    const done = fault.done ? fetch(url + path, sent) : Promise.resolve()
    done.then(
      () => fault.answer(response),
      () => resetConnection(response),
    )
    return true
  }
  const front = await startProxy(() => url, hook)
  const cwd = createFolder()
  writeFileSync(join(cwd, 'svcctl.yml'), wanted)
  const env = {
    SVC_CONFIG_DIR: createConfiguration(),
    SVC_TOKEN: 'sandbox-root-token',
    SVC_BASE_URL: front.base,
  }
  const run = (line: string) => svcctl(line.split(' '), { cwd, env })
  return { run, written: () => front.written().length }
}

const liftedGuards = '--yes --retries 0 --allow-removals * --allow-empty *'

/** Applies without a fault, and returns the resulting state. */
const runWithoutFault = async (): Promise<string> => {
  const before = await readState()
  const { run, written } = await createFaultyInstance()
  expect((await run(`apply svcctl.yml ${liftedGuards}`)).code).toBe(0)
  expect(written()).toBe(writes)
  expect(await readState()).not.toBe(before)
  expect((await run('plan svcctl.yml')).stdout).toMatch(/^Plan: nothing to do/)
  return readState()
}
let expected: Promise<string> | undefined

it.each(Object.entries(faults))(
  'that %s ends as without it',
  { timeout: 60_000 },
  async (_, fault) => {
    expected ??= runWithoutFault()
    const whole = await expected
    for (let n = 1; n <= writes; n++) {
      const { run, written } = await createFaultyInstance(fault, n)
      const first = await run(`apply svcctl.yml ${liftedGuards}`)
      // A 404 to a deletion is verified by a read: the object is still there.
      const isThere = first.stderr.includes('a fresh read shows that the change was not made')
      if (fault === faults['finds nothing']) expect([n, isThere]).toEqual([n, n > 3])
      // A write that was carried out is recorded as done, so that it can be undone.
      if (fault.done) expect([n, first.code], first.stderr).toEqual([n, 0])
      if (first.code !== 0) await run('apply --resume last --yes --retries 0')
      expect([n, await readState()]).toEqual([n, whole])
      // A write that was not carried out is sent again, and nothing else is sent twice.
      expect([n, written()]).toEqual([n, writes + (fault.done ? 0 : 1)])
    }
  },
)
