/** Writes, undos, redos and kills in any order: the embedded instance is always as a model of a few lines says. */
import { once } from 'node:events'
import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { startKillable } from '../support/killed.js'
import { configuration, folder } from '../support/program.js'
import { svcctl } from '../support/within.js'

/** Where a process is killed: before the instance has its write, or before it has the answer. */
type Gap = 'before the write' | 'before the answer'
type Step = 'write' | 'undo' | 'redo' | Gap

let sandbox: Sandbox
let killed: { readonly kill: () => void; readonly gap: Gap } | undefined

/** Stands between the line and the instance, and kills the line at its write. */
const between = createServer((req, res) => {
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
  sandbox = await startSandbox({ stateDir: folder(), speed: Number.POSITIVE_INFINITY })
  between.listen(0, '127.0.0.1')
  await once(between, 'listening')
})
afterAll(async () => {
  between.close()
  between.closeAllConnections()
  await sandbox.close()
})

const envIn = (config: string) => {
  const { port } = between.address() as AddressInfo
  return {
    SVC_CONFIG_DIR: config,
    SVC_BASE_URL: `http://127.0.0.1:${port}`,
    SVC_TOKEN: 'sandbox-root-token',
  }
}

const writing = (text: string): readonly string[] => [
  'runners',
  'update',
  '1',
  '--description',
  text,
]

/** What the instance has, and the newest write that is known of. */
interface Model {
  readonly now: string
  readonly last?: { readonly before: string; readonly after: string; readonly undone: boolean }
}

/** What a step makes of it; undefined where it is refused. */
const after = ({ now, last }: Model, step: Step, text: string): Model | undefined => {
  if (step === 'undo') {
    if (last === undefined || last.undone) return undefined
    // Of a write that the instance never had there is nothing to undo: this is no write either.
    return { now: last.before, last: { ...last, undone: now !== last.before } }
  }
  if (step === 'redo')
    return last?.undone === true ? { now: last.after, last: { ...last, undone: false } } : undefined
  const written = step === 'before the write' ? now : text
  return { now: written, last: { before: now, after: text, undone: false } }
}

/** Does a step. @returns its exit code; undefined for what was killed */
const doStep = async (config: string, step: Step, text: string) => {
  const env = envIn(config)
  if (step === 'write') return svcctl(writing(text), { env })
  if (step === 'undo') return svcctl(['journal', 'undo', 'last', '--yes'], { env })
  if (step === 'redo') return svcctl(['journal', 'undo', 'last', '--redo', '--yes'], { env })
  const line = startKillable(writing(text), { env }, [config])
  killed = { kill: line.kill, gap: step }
  const { wasKilled } = await line.ended
  killed = undefined
  expect(wasKilled).toBe(true)
  return undefined
}

const described = async (config: string): Promise<unknown> => {
  const { stdout } = await svcctl(['runners', 'get', '1', '-o', 'json'], { env: envIn(config) })
  return JSON.parse(stdout).description
}

it('is as the model says after every step', { timeout: 180_000 }, async () => {
  const all: readonly Step[] = ['write', 'undo', 'redo', 'before the write', 'before the answer']
  // Undos and redos are refused more often than the others.
  const step = fc.constantFrom(...all, 'undo' as const, 'redo' as const)
  const done = new Map<string, number>()
  let n = 0
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 4, maxLength: 12 }),
    async (steps) => {
      const config = configuration()
      let model: Model = { now: `text ${++n}` }
      await svcctl(writing(model.now), { env: envIn(configuration()) })
      for (const [i, one] of steps.entries()) {
        const text = `text ${++n}`
        const ran = await doStep(config, one, text)
        const next = after(model, one, text)
        const said = `${steps.slice(0, i + 1).join(', ')}: ${ran?.stderr}`
        if (ran !== undefined) expect(ran.code, said).toBe(next === undefined ? 2 : 0)
        model = next ?? model
        expect(await described(config), said).toBe(model.now)
        const what = next === undefined ? `${one}, refused` : one
        done.set(what, (done.get(what) ?? 0) + 1)
      }
    },
  )
  // Each step once, done and refused, however few of the others a slow machine has the time for.
  await fc.assert(property, { numRuns: 7, examples: [[['redo', 'undo', ...all]]] })
  for (const what of [...all, 'undo, refused', 'redo, refused'])
    expect(done.get(what) ?? 0, what).toBeGreaterThan(0)
})
