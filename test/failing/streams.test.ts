/** Standard output and standard error that are closed or full while a command runs. `streams.process.test.ts` uses real ones. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createConfiguration } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const server = useRecorder()

type Fault = 'whole' | 'closed' | 'full'

const failures = {
  closed: { code: 'EPIPE', message: 'write EPIPE' },
  full: { code: 'ENOSPC', message: 'ENOSPC: no space left on device, write' },
} as const
const createFailure = (fault: 'closed' | 'full'): Error =>
  Object.assign(new Error(failures[fault].message), failures[fault])

interface Output {
  readonly stream: Writable
  readonly writeNow: (bytes: Uint8Array) => number
  readonly text: () => string
}

/** Creates an output: a pipe without a reader, a pipe whose reader leaves after `reads` lines, a full device, or a pipe that is read. */
const createOutput = (fault: Fault, reads = Number.POSITIVE_INFINITY): Output => {
  let text = ''
  const take = (bytes: Uint8Array): number => {
    if (fault !== 'whole') throw createFailure(fault)
    if (text.split('\n').length > reads) throw createFailure('closed')
    text += Buffer.from(bytes).toString()
    return bytes.length
  }
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      try {
        take(chunk)
        done()
      } catch (error) {
        done(error instanceof Error ? error : undefined)
      }
    },
  })
  return { stream, writeNow: take, text: () => text }
}

interface RunOptions {
  readonly stdout?: Fault
  readonly stderr?: Fault
  /** Number of lines of standard output after which its reader leaves. */
  readonly reads?: number
  readonly env?: Readonly<Record<string, string>>
}

const run = async (
  args: readonly string[],
  { stdout = 'whole', stderr = 'whole', reads, env = {} }: RunOptions,
) => {
  const [out, err] = [createOutput(stdout, reads), createOutput(stderr)]
  const { code } = await svcctl(args, {
    env: { SVC_BASE_URL: server.url, SVC_TOKEN: 'any', ...env },
    io: { stdout: out.stream, stderr: err.stream, writeNow: out.writeNow, isPiped: () => true },
  })
  return { code, stdout: out.text(), stderr: err.text() }
}

const runners = Array.from({ length: 40 }, (_, i) => String(i + 1))
const pausing = ['runners', 'pause', ...runners, '-v', '-o', 'ndjson', '--concurrency', '2']
const setAnswers = () => {
  server.answer = ({ url }) =>
    url.endsWith('/7')
      ? { status: 404, body: { message: '404 Not found' } }
      : { body: { id: Number(url.split('/').at(-1)), active: false } }
}
/** Counts the writes that were sent. The program asks for the user before the first of them. */
const countWrites = () => server.seen.filter(({ method }) => method !== 'GET').length

describe('standard error', () => {
  const commands = {
    'a list': ['runners', 'list', '-v'],
    'a record': ['runners', 'get', '1', '-vv'],
    'a refusal': ['runners', 'get', '7'],
    'a bulk write': pausing,
    'a mistake': ['runners', 'list', '--stauts', 'online'],
    'an area': ['runners'],
    help: ['runners', 'list', '--help'],
  }
  it.each(
    Object.entries(commands).flatMap(([name, args]) =>
      (['closed', 'full'] as const).map((fault) => [fault, name, args] as const),
    ),
  )('that is %s decides nothing: %s', async (stderr, _name, args) => {
    setAnswers()
    const whole = await run(args, {})
    const requests = server.seen.splice(0).length
    const { code, stdout } = await run(args, { stderr })
    expect({ code, stdout, requests: server.seen.length }).toEqual({
      code: whole.code,
      stdout: whole.stdout,
      requests,
    })
    expect(whole.stderr + whole.stdout).not.toBe('')
  })
})

describe('standard output', () => {
  it('closed by its reader ends a bulk write with what is under way, and the counts', async () => {
    setAnswers()
    const { code, stderr } = await run(pausing, { reads: 2 })
    const sent = countWrites()
    expect(code).toBe(8)
    expect(sent).toBeGreaterThan(2)
    expect(sent).toBeLessThan(40)
    const failed = sent >= 7 ? ', 1 failed' : ''
    const done = failed === '' ? sent : sent - 1
    expect(stderr).toContain(
      `standard output was closed: ${done} of 40 done${failed}, ${40 - sent} not attempted`,
    )
  })

  it('full ends a bulk write with exit 1, and says what was done', async () => {
    setAnswers()
    const { code, stderr } = await run(pausing, { stdout: 'full' })
    const sent = countWrites()
    expect(code).toBe(1)
    expect(sent).toBeLessThan(40)
    expect(stderr).toMatch(/cannot write to standard output: .*ENOSPC.*; \d+ of 40 done/)
    expect(stderr).toContain(`${40 - sent} not attempted`)
  })

  it('full after one write says that it was done', async () => {
    setAnswers()
    const { code, stderr } = await run(['runners', 'pause', '1'], { stdout: 'full' })
    expect(code).toBe(1)
    expect(stderr).toMatch(/cannot write to standard output: .*; 1: paused before that\n/)
  })

  it('full after one request for several says what became of each', async () => {
    server.answer = () => ({
      status: 201,
      body: { status: 'error', message: { 6: 'Member already exists' } },
    })
    const add = ['members', 'add', '5', '6', '7', '--access-level', '20', '-G', '1', '-o', 'ndjson']
    const { code, stderr } = await run(add, { stdout: 'full' })
    expect(code).toBe(1)
    expect(countWrites()).toBe(1)
    expect(stderr).toContain('2 of 3 done, 1 failed')
    expect(stderr).not.toContain('not attempted')
  })

  it('full hides no failure of the work', async () => {
    setAnswers()
    const { code, stderr } = await run(['runners', 'get', '7'], { stdout: 'full' })
    expect(code).toBe(4)
    expect(stderr).toContain('404')
  })

  it('full is said once, whichever of several instances comes to it', async () => {
    const config = createConfiguration()
    const one = { baseUrl: server.url, tokenCommand: ['printf', 'x'] }
    const text = JSON.stringify({ profiles: { a: one, b: one } })
    writeFileSync(join(config, 'config.json'), text, { mode: 0o600 })
    const env = { SVC_CONFIG_DIR: config, SVC_BASE_URL: '', SVC_TOKEN: '' }
    for (const line of ['check runners -p a,b', 'runners list -p a,b']) {
      const { code, stderr } = await run(line.split(' '), { stdout: 'full', env })
      expect([code, stderr.match(/cannot write to standard output/g)?.length], line).toEqual([1, 1])
    }
  })

  it('closed by its reader is a quiet end of help, which is written at once', async () => {
    const { code, stderr } = await run(['runners', 'list', '--help'], { stdout: 'closed' })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })
})
