/** Tests `svcctl/run`: command lines within another program, which stays as it was. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { createLineIo } from '../src/base/line-io.js'
import { run } from '../src/run.js'
import { createConfiguration } from './support/program.js'
import { startRecorder } from './support/recorder.js'

const createSandboxEnv = () => ({ SVC_SANDBOX: '1', SVC_CONFIG_DIR: createConfiguration() })

const useTestRecorder = async (...answer: Parameters<typeof startRecorder>) => {
  const recorder = await startRecorder(...answer)
  onTestFinished(() => recorder.close())
  return recorder
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'exit'] as const
const getProcessState = () => ({
  exitCode: process.exitCode,
  listeners: signals.map((name) => process.listenerCount(name)),
  folder: process.cwd(),
  variables: { ...process.env },
})

describe('a line', () => {
  it.each([
    [['runners', 'get', '1', '-o', 'id'], { stdout: '1\n', stderr: '', exitCode: 0 }],
    [['nosuch'], { stdout: '', exitCode: 2, stderr: expect.stringContaining('"nosuch"') }],
    [['runners', 'get', '999'], { stdout: '', exitCode: 4, stderr: expect.stringMatching(/404/) }],
    [['--version'], { stdout: expect.stringMatching(/^\d/), stderr: '', exitCode: 0 }],
    [['runners', '--help'], { stdout: expect.stringContaining('CI runners.'), exitCode: 0 }],
    [['__complete', '--', 'runn'], { stdout: expect.stringContaining('runners'), exitCode: 0 }],
  ])('%j is answered as in a shell', async (args, result) => {
    expect(await run(args, { env: createSandboxEnv() })).toMatchObject(result)
  })

  it.each([
    ['a text', '1\n2\n'],
    ['bytes', Buffer.from('1\n2\n')],
    [
      'pieces',
      (async function* pieces() {
        yield '1'
        yield Buffer.from('\n2\n')
      })(),
    ],
  ])('reads %s', async (_, input) => {
    const ran = await run(['runners', 'pause', '-', '-o', 'id'], { env: createSandboxEnv(), input })
    expect(ran).toMatchObject({ stdout: '1\n2\n', exitCode: 0 })
  })

  it('is a result where a program without types passes a text, or a number as a word', async () => {
    const untyped = run as unknown as (args: unknown, options: object) => ReturnType<typeof run>
    const env = createSandboxEnv()
    expect(await untyped('runners list', { env })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('list of words'),
    })
    const words = ['runners', 'get', 1, '-o', 'id']
    expect(await untyped(words, { env })).toMatchObject({ stdout: '1\n', exitCode: 0 })
    for (const missing of [undefined, null])
      expect(await untyped(['runners', 'get', missing], { env })).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('list of words'),
      })
  })

  it('takes its variables from env alone, and the profile folder from HOME in it', async () => {
    const { url, seen } = await useTestRecorder()
    const env = {
      HOME: createConfiguration(),
      SVC_BASE_URL: url,
      SVC_TOKEN: 'canary-token-of-a-line',
    }
    expect(await run(['runners', 'list'], { env })).toMatchObject({ exitCode: 0 })
    expect(seen[0]?.headers['private-token']).toBe(env.SVC_TOKEN)
    const made = await run(['profile', 'set', 'x', '--base-url', url], { env: { HOME: env.HOME } })
    expect(made).toMatchObject({ exitCode: 0 })
    const listed = await run(['profile', 'list', '-o', 'json'], { env: { HOME: env.HOME } })
    expect(JSON.parse(listed.stdout)).toMatchObject([{ name: 'x', base_url: url }])
  })

  it('leaves the program as it was', async () => {
    const before = getProcessState()
    const { url } = await useTestRecorder(() => ({ status: 500 }))
    const env = { SVC_CONFIG_DIR: createConfiguration(), SVC_BASE_URL: url, SVC_TOKEN: 'x' }
    expect(await run(['projects', 'get', '1', '--retries', '0'], { env })).toMatchObject({
      exitCode: 7,
    })
    expect(getProcessState()).toEqual(before)
  })

  it('is interrupted by its signal', async () => {
    const stop = new AbortController()
    const { url } = await useTestRecorder(() => {
      stop.abort()
      return new Promise(() => {})
    })
    const env = { SVC_CONFIG_DIR: createConfiguration(), SVC_BASE_URL: url, SVC_TOKEN: 'x' }
    const ran = await run(['runners', 'list'], { env, signal: stop.signal })
    expect(ran).toMatchObject({ stdout: '', exitCode: 130 })
    expect(ran.stderr).toContain('interrupted')
  })
})

describe('a signal that is aborted already', () => {
  it('interrupts before anything is sent', async () => {
    const recorder = await useTestRecorder(() => ({ body: [] }))
    const env = {
      SVC_CONFIG_DIR: createConfiguration(),
      SVC_BASE_URL: recorder.url,
      SVC_TOKEN: 'x',
    }
    const ran = await run(['runners', 'list'], { env, signal: AbortSignal.abort() })
    expect([ran.exitCode, recorder.seen]).toEqual([130, []])
  })

  it('waits for a line that is still being loaded', () => {
    const line = createLineIo([], { env: {} })
    const heard: string[] = []
    line.interrupt()
    line.io.onSignal('SIGINT', (signal) => heard.push(signal))
    line.io.onSignal('SIGINT', (signal) => heard.push(signal))
    expect(heard).toEqual(['SIGINT'])
  })
})

describe('lines at the same time', () => {
  it('know nothing of each other’s secrets, streams and variables', async () => {
    // Each answer contains the token of the other line; a line masks only its own.
    const tokens = ['first-line-token-4711', 'second-line-token-4712']
    const { url } = await useTestRecorder(({ headers }) => ({
      status: 400,
      body: { message: `${tokens.join(' ')} ${headers['private-token'] === tokens[0]}` },
    }))
    const lines = tokens.map((token) =>
      run(['projects', 'get', '1'], {
        env: { SVC_CONFIG_DIR: createConfiguration(), SVC_BASE_URL: url, SVC_TOKEN: token },
      }),
    )
    const [first, second] = await Promise.all(lines)
    expect(first).toMatchObject({ exitCode: 1, stdout: '' })
    expect(first?.stderr).toContain(`*** ${tokens[1]} true`)
    expect(second?.stderr).toContain(`${tokens[0]} *** false`)
  })
})
