/** The standard streams of a process whose reader is gone, or which are full: one test for each shape. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, lstatSync, openSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createConfiguration, createFolder, getCleanEnv, program } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { start } from './start.js'

const server = useRecorder()

type Fault = 'whole' | 'closed' | 'full'
/** Opens a pipe, or a device without room for `full`. The caller closes a pipe that is to be `closed`. */
const openStream = (fault: Fault): 'pipe' | number =>
  fault === 'full' ? openSync('/dev/full', 'w') : 'pipe'

interface RunOptions {
  readonly stdout?: Fault
  readonly stderr?: Fault
  /** Number of lines of standard output after which its reader leaves. */
  readonly reads?: number
}

const run = async (
  args: readonly string[],
  { stdout = 'whole', stderr = 'whole', reads }: RunOptions,
) => {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: createFolder(),
    env: {
      ...getCleanEnv(),
      SVC_CONFIG_DIR: createConfiguration(),
      SVC_BASE_URL: server.url,
      SVC_TOKEN: 'any',
    },
    stdio: ['ignore', openStream(stdout), openStream(stderr)],
  })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.on('data', (chunk: Buffer) => {
      texts[name] += chunk.toString()
      if (name === 'stdout' && reads !== undefined && texts.stdout.split('\n').length > reads)
        child.stdout?.destroy()
    })
  if (stdout === 'closed') child.stdout?.destroy()
  if (stderr === 'closed') child.stderr?.destroy()
  const [code] = await once(child, 'close')
  return { code: Number(code), ...texts }
}

const runners = Array.from({ length: 40 }, (_, i) => String(i + 1))
const pausing = ['runners', 'pause', ...runners, '-v', '-o', 'ndjson', '--concurrency', '2']
const setAnswers = () => {
  server.answer = ({ url }) => ({ body: { id: Number(url.split('/').at(-1)), active: false } })
}
const countWrites = () => server.seen.filter(({ method }) => method !== 'GET').length
const withFull = describe.skipIf(!existsSync('/dev/full'))

withFull('standard error', () => {
  it.each(['closed', 'full'] as const)('that is %s decides nothing', async (stderr) => {
    setAnswers()
    const { code, stdout } = await run(pausing, { stderr })
    expect([code, stdout.trimEnd().split('\n').length, countWrites()]).toEqual([0, 40, 40])
  })
})

withFull('standard output', () => {
  it('closed by its reader ends a bulk write with what is under way, and the counts', async () => {
    setAnswers()
    const { code, stderr } = await run(pausing, { reads: 2 })
    const sent = countWrites()
    expect(code).toBe(8)
    expect(sent).toBeLessThan(40)
    expect(stderr).toContain(
      `standard output was closed: ${sent} of 40 done, ${40 - sent} not attempted`,
    )
  })

  it('full ends a bulk write with exit 1, and says what was done', async () => {
    setAnswers()
    const { code, stderr } = await run(pausing, { stdout: 'full' })
    const sent = countWrites()
    expect(code).toBe(1)
    expect(stderr).toMatch(/cannot write to standard output: .*ENOSPC.*; \d+ of 40 done/)
    expect(stderr).toContain(`${40 - sent} not attempted`)
  })

  it('closed by its reader is a quiet end of help, which is written at once', async () => {
    const { code, stderr } = await run(['runners', 'list', '--help'], { stdout: 'closed' })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  it('full is no stack trace of --version', async () => {
    const { code, stderr } = await run(['--version'], { stdout: 'full' })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^svcctl: cannot write to standard output: .*ENOSPC.*\n$/)
  })
})

it('a list whose reader goes away ends well and quietly', async () => {
  server.answer = ({ url }) => {
    const page = Number(new URL(url, server.url).searchParams.get('page') ?? 1)
    const link = `<${server.url}/api/v4/runners?page=${page + 1}>; rel="next"`
    const body = Array.from({ length: 100 }, (_, row) => ({ id: page * 100 + row }))
    return { body, headers: { link } }
  }
  const list = ['runners', 'list', '--limit', 'all', '-o', 'ndjson']
  expect(await run(list, { reads: 2 })).toMatchObject({ code: 0, stderr: '' })
})

it('a pipe that stays open as standard input is worked on as it comes', async () => {
  const first = new Promise<void>((come) => {
    server.answer = ({ url }) => {
      if (url.endsWith('/runners/1')) come()
      return { body: { id: Number(url.split('/').at(-1)) } }
    }
  })
  const env = { SVC_BASE_URL: server.url }
  const run = start(['runners', 'get', '-', '-o', 'id'], env, createFolder(), 'open')
  await run.write('1\n')
  await first
  await run.write('2\n')
  run.endInput()
  expect(await run.ended).toEqual({ code: 0, signal: null, stdout: '1\n2\n', stderr: '' })
})

it.skipIf(process.platform !== 'linux')(
  'a link to standard output as the target of a download is written into',
  async () => {
    const archive = `PK\x05\x06${'\0'.repeat(18)}`
    server.answer = () => ({ body: archive, headers: { 'content-type': 'application/zip' } })
    const out = join(createFolder(), 'out')
    symlinkSync('/proc/self/fd/1', out)
    const { code, stdout } = await run(['artifacts', 'download', '7', '-P', '1', '--to', out], {})
    expect([code, stdout]).toEqual([0, archive])
    expect(lstatSync(out).isSymbolicLink()).toBe(true)
  },
)
