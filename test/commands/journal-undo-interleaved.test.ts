/** Tests writes, undos, redos and kills in random order: the embedded instance always agrees with a model of a few lines. */
import { once } from 'node:events'
import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { startKillable } from '../support/killed.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'

/** Time when the process is killed: before the instance gets the write, or before the process gets the answer. */
type KillTime = 'before the write' | 'before the answer'
type Step = 'write' | 'undo' | 'redo' | KillTime

let sandbox: Sandbox
let killed: { readonly kill: () => void; readonly gap: KillTime } | undefined

/** Forwards requests to the instance, and kills the line at its write. */
const proxy = createServer((req, res) => {
  const due = req.method === 'PUT' ? killed : undefined
  if (due?.gap === 'before the write') {
    due.kill()
    return void req.destroy()
  }
  const { method, headers } = req
  const onward = forward(new URL(req.url ?? '', sandbox.url), { method, headers }, (answer) => {
    if (due !== undefined)
      return void answer.resume().on('end', () => {
        due.kill()
        req.destroy()
      })
    res.writeHead(answer.statusCode ?? 500, answer.headers)
    answer.pipe(res)
  })
  req.pipe(onward)
})

beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: createFolder(), speed: Number.POSITIVE_INFINITY })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
})
afterAll(async () => {
  proxy.close()
  proxy.closeAllConnections()
  await sandbox.close()
})

const createEnv = (config: string) => {
  const { port } = proxy.address() as AddressInfo
  return {
    SVC_CONFIG_DIR: config,
    SVC_BASE_URL: `http://127.0.0.1:${port}`,
    SVC_TOKEN: 'sandbox-root-token',
  }
}

const buildUpdateArgs = (text: string): readonly string[] => [
  'runners',
  'update',
  '1',
  '--description',
  text,
]

/** The current text of the instance's runner, and the latest write that a journal holds. */
interface Model {
  readonly now: string
  readonly last?: { readonly before: string; readonly after: string; readonly undone: boolean }
}

/** Returns the model after a step, or undefined if the step is refused. */
const applyStep = ({ now, last }: Model, step: Step, text: string): Model | undefined => {
  if (step === 'undo') {
    if (last === undefined || last.undone) return undefined
    // A write that never reached the instance leaves nothing to undo, so this undo is not a write either.
    return { now: last.before, last: { ...last, undone: now !== last.before } }
  }
  if (step === 'redo')
    return last?.undone === true ? { now: last.after, last: { ...last, undone: false } } : undefined
  const written = step === 'before the write' ? now : text
  return { now: written, last: { before: now, after: text, undone: false } }
}

/** Runs a step. Returns its result, or undefined for a process that was killed. */
const doStep = async (config: string, step: Step, text: string) => {
  const env = createEnv(config)
  if (step === 'write') return svcctl(buildUpdateArgs(text), { env })
  if (step === 'undo') return svcctl(['journal', 'undo', 'last', '--yes'], { env })
  if (step === 'redo') return svcctl(['journal', 'undo', 'last', '--redo', '--yes'], { env })
  const line = startKillable(buildUpdateArgs(text), { env }, [config])
  killed = { kill: line.kill, gap: step }
  const { wasKilled } = await line.ended
  killed = undefined
  expect(wasKilled).toBe(true)
  return undefined
}

const readDescription = async (config: string): Promise<unknown> => {
  const { stdout } = await svcctl(['runners', 'get', '1', '-o', 'json'], { env: createEnv(config) })
  return JSON.parse(stdout).description
}

it('is as the model says after every step', { timeout: 180_000 }, async () => {
  const all: readonly Step[] = ['write', 'undo', 'redo', 'before the write', 'before the answer']
  // Undos and redos are drawn twice as often, because more of them are refused.
  const step = fc.constantFrom(...all, 'undo' as const, 'redo' as const)
  const done = new Map<string, number>()
  let n = 0
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 4, maxLength: 12 }),
    async (steps) => {
      const config = createConfiguration()
      let model: Model = { now: `text ${++n}` }
      await svcctl(buildUpdateArgs(model.now), { env: createEnv(createConfiguration()) })
      for (const [i, one] of steps.entries()) {
        const text = `text ${++n}`
        const ran = await doStep(config, one, text)
        const next = applyStep(model, one, text)
        const said = `${steps.slice(0, i + 1).join(', ')}: ${ran?.stderr}`
        if (ran !== undefined) expect(ran.code, said).toBe(next === undefined ? 2 : 0)
        model = next ?? model
        expect(await readDescription(config), said).toBe(model.now)
        const what = next === undefined ? `${one}, refused` : one
        done.set(what, (done.get(what) ?? 0) + 1)
      }
    },
  )
  // The example does each step once, done and refused, even if a slow machine has time for few others.
  await fc.assert(property, { numRuns: 7, examples: [[['redo', 'undo', ...all]]] })
  for (const what of [...all, 'undo, refused', 'redo, refused'])
    expect(done.get(what) ?? 0, what).toBeGreaterThan(0)
})
