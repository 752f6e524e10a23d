/**
 * The law of throws: if anything throws inside a run, the run ends with an exit code that says so. The tests make each method of each
 * class that one room hands to another (writer, confirmation, journal, gate, sink, progress) throw at its first call.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { splitCommand } from '../../src/base/shell-words.js'
import { exitCodes } from '../../src/errors.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'

const source = fileURLToPath(new URL('../../src', import.meta.url))
const rooms = ['answer', 'client', 'engine', 'http', 'terminal']
const files = rooms.flatMap((room) =>
  readdirSync(join(source, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(source, room, name)),
)

/** Classes that are called from undici's parser, where a throw is an error of undici. */
const outside = new Set(['ResponseHeads'])

type Prototype = Readonly<Record<string, () => void>>

interface Method {
  readonly name: string
  readonly prototype: Prototype
  readonly method: string
}

const isClass = (
  value: unknown,
): value is { readonly name: string; readonly prototype: Prototype } =>
  typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value))

/** Lists the methods of the classes that a module exports, without errors. */
const listMethods = (exported: Readonly<Record<string, unknown>>): readonly Method[] =>
  Object.values(exported)
    .filter(isClass)
    .filter(({ name, prototype }) => !(prototype instanceof Error) && !outside.has(name))
    .flatMap(({ name, prototype }) =>
      Object.entries(Object.getOwnPropertyDescriptors(prototype))
        .filter(([method, { value }]) => method !== 'constructor' && typeof value === 'function')
        .map(([method]) => ({ name: `${name}.${method}`, prototype, method })),
    )

const methods = (
  await Promise.all(
    files.map(async (file) =>
      listMethods((await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>),
    ),
  )
).flat()

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: createFolder() })
})
afterAll(() => sandbox.close())
afterEach(() => void vi.restoreAllMocks())

const lines = [
  'runners list --limit all -o json',
  'runners list --instance --sort status --group-by status',
  'runners get 1 4',
  'runners pause --instance --select status=online --yes',
  'jobs list -P platform/app,web/site --limit 3',
  'runners update 1 --description again --dry-run',
  // This is rejected: the API has no such operation.
  'runners delete 4 --yes',
]

const run = (line: string) => {
  const env = {
    SVC_BASE_URL: sandbox.url,
    SVC_TOKEN: 'sandbox-root-token',
    SVC_CONFIG_DIR: createConfiguration(),
  }
  return svcctl(splitCommand(line), { env })
}

/** Finds the methods that a line calls. */
const findCalled = async (line: string): Promise<ReadonlySet<Method>> => {
  // The first run may change something; the second one finds it changed.
  await run(line)
  const spies = methods.map(
    (method) => [method, vi.spyOn(method.prototype, method.method)] as const,
  )
  const { code, stderr } = await run(line)
  expect([0, exitCodes.usage], `${line}: ${stderr}`).toContain(code)
  const called = spies.filter(([, spy]) => spy.mock.calls.length > 0).map(([method]) => method)
  vi.restoreAllMocks()
  return new Set(called)
}

/** The methods that each line calls; a line is not run for a method that it does not call. */
const calledBy = new Map<string, ReadonlySet<Method>>()
beforeAll(async () => {
  for (const line of lines) calledBy.set(line, await findCalled(line))
})

describe('a throw', () => {
  it('is tried in many classes', () => {
    expect(methods.length).toBeGreaterThan(200)
    const tried = methods.filter((method) => lines.some((line) => calledBy.get(line)?.has(method)))
    expect(tried.length).toBeGreaterThan(80)
  })

  it.each(methods)('of $name ends the run', async (method) => {
    for (const line of lines.filter((one) => calledBy.get(one)?.has(method))) {
      const spy = vi.spyOn(method.prototype, method.method).mockImplementation(() => {
        throw new Error('injected')
      })
      const { code, stderr } = await run(line)
      const isCalled = spy.mock.calls.length > 0
      vi.restoreAllMocks()
      // A method that depends on timing may not be called again.
      if (isCalled)
        expect([line, code, stderr]).toEqual([
          line,
          exitCodes.internal,
          expect.stringContaining('injected'),
        ])
    }
  })
})
