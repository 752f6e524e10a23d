/** An apply of five writes, each of which meets each of nine faults: once it is resumed, all is as without a fault. */
import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningSandbox, type StateSnapshot, startSandbox } from '../../src/library/sandbox.js'
import { frontOf, type Hook } from '../commands/front.js'
import { configuration, folder } from '../support/program.js'
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

/** What becomes of a write: whether the instance does it, and what of its answer arrives. */
interface Fault {
  readonly done: boolean
  answer(response: ServerResponse): void
}

const refused =
  (status: number): Fault['answer'] =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ message: `${status} no` }))
  }
const reset: Fault['answer'] = (response) => {
  response.destroy()
}
const cutShort: Fault['answer'] = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 })
  response.write('{"id":')
  setImmediate(() => response.destroy())
}
const faults: Readonly<Record<string, Fault>> = {
  'is forbidden': { done: false, answer: refused(403) },
  'finds nothing': { done: false, answer: refused(404) },
  conflicts: { done: false, answer: refused(409) },
  'meets an error': { done: false, answer: refused(500) },
  'meets a gateway': { done: false, answer: refused(502) },
  'is cut before it is done': { done: false, answer: reset },
  'is done and cut': { done: true, answer: reset },
  'is done and answered with an error': { done: true, answer: refused(500) },
  'is done and its answer is cut short': { done: true, answer: cutShort },
}

let instance: RunningSandbox
let fresh: StateSnapshot
beforeAll(async () => {
  instance = await startSandbox()
  fresh = instance.snapshot()
})
afterAll(() => instance.close())

/** All that the writes are about, but for when it was written. */
const state = async (): Promise<string> => {
  const read = async (path: string): Promise<string> => {
    const answer = await fetch(`${instance.url}/api/v4/projects/1/${path}`, {
      headers: { 'private-token': 'sandbox-root-token' },
    })
    return `${answer.status} ${(await answer.text()).replace(/"\w+_at":"[^"]*"/g, '')}`
  }
  const all = ['approvals', 'members', 'approval_rules', 'deploy_keys'].map(read)
  return (await Promise.all(all)).join('\n')
}

/** A fresh instance whose n-th write meets a fault, once. */
const desk = async (fault?: Fault, n = 0) => {
  const { url } = instance
  instance.restore(fresh)
  const hook: Hook = ({ method, url: path, headers, body }, response, write) => {
    if (fault === undefined || method === 'GET' || write !== n) return false
    const { host: _, 'content-length': __, connection: ___, ...kept } = headers
    const sent = { method, headers: kept as Record<string, string>, body: body || undefined }
    const done = fault.done ? fetch(url + path, sent) : Promise.resolve()
    done.then(
      () => fault.answer(response),
      () => reset(response),
    )
    return true
  }
  const front = await frontOf(() => url, hook)
  const cwd = folder()
  writeFileSync(join(cwd, 'svcctl.yml'), wanted)
  const env = {
    SVC_CONFIG_DIR: configuration(),
    SVC_TOKEN: 'sandbox-root-token',
    SVC_BASE_URL: front.base,
  }
  const run = (line: string) => svcctl(line.split(' '), { cwd, env })
  return { run, written: () => front.written().length }
}

const lifted = '--yes --retries 0 --allow-removals * --allow-empty *'

/** What all is like where nothing goes wrong. */
const withoutFault = async (): Promise<string> => {
  const before = await state()
  const { run, written } = await desk()
  expect((await run(`apply svcctl.yml ${lifted}`)).code).toBe(0)
  expect(written()).toBe(writes)
  expect(await state()).not.toBe(before)
  expect((await run('plan svcctl.yml')).stdout).toMatch(/^Plan: nothing to do/)
  return state()
}
let expected: Promise<string> | undefined

it.each(Object.entries(faults))(
  'that %s ends as without it',
  { timeout: 60_000 },
  async (_, fault) => {
    expected ??= withoutFault()
    const whole = await expected
    for (let n = 1; n <= writes; n++) {
      const { run, written } = await desk(fault, n)
      const first = await run(`apply svcctl.yml ${lifted}`)
      // What is to be deleted and is said not to be there is looked for: it is not gone.
      const isThere = first.stderr.includes('a fresh read shows that the change was not made')
      if (fault === faults['finds nothing']) expect([n, isThere]).toEqual([n, n > 3])
      // What was done is recorded as done, so that it can be undone.
      if (fault.done) expect([n, first.code], first.stderr).toEqual([n, 0])
      if (first.code !== 0) await run('apply --resume last --yes --retries 0')
      expect([n, await state()]).toEqual([n, whole])
      // What was not done is sent once more, and nothing else twice.
      expect([n, written()]).toEqual([n, writes + (fault.done ? 0 : 1)])
    }
  },
)
