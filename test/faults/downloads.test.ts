/** Downloads whose connection breaks, answers that may or may not be their rest, and targets that are not regular files. */
import { execFile } from 'node:child_process'
import {
  createReadStream,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { beforeEach, describe, expect, it } from 'vitest'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { buildHead } from './answers.js'
import { type Behaviour, startLyingServer } from './server.js'
import { buildZip } from './zip.js'

const whole = buildZip([{ name: 'a.txt', body: Buffer.alloc(4000, 'a'), method: 0 }])
const other = buildZip([{ name: 'a.txt', body: Buffer.alloc(4000, 'b'), method: 0 }])
const half = whole.length >> 1

/** Creates a folder with a working folder and a configuration. */
const createHome = (): string => {
  const home = createFolder()
  mkdirSync(join(home, 'work'))
  createConfiguration(join(home, 'config'))
  return home
}

const buildArgs = (...more: string[]): string[] => [
  'artifacts',
  'download',
  '7',
  '-P',
  '1',
  ...more,
]
const createEnv = (home: string, url: string) => ({
  SVC_TOKEN: 'any',
  SVC_BASE_URL: url,
  SVC_CONFIG_DIR: join(home, 'config'),
})

const sendAnswer = (socket: Socket, status: string, headers: object, body: Buffer): void => {
  const length = { 'content-length': String(body.length) }
  socket.write(buildHead(status, { 'content-type': 'application/zip', ...length, ...headers }))
  socket.write(body)
}
const tag = { etag: '"one"', 'accept-ranges': 'bytes' }
/** Sends the first half, and then closes the connection. */
const sendFirstHalf = (socket: Socket, headers: object = tag): void => {
  sendAnswer(
    socket,
    '200 OK',
    { 'content-length': String(whole.length), ...headers },
    whole.subarray(0, half),
  )
  socket.end()
}
const buildRange = (start: number, total: number | string = whole.length) => ({
  'content-range': `bytes ${start}-${whole.length - 1}/${total}`,
})
const rest = whole.subarray(half)

/** Runs a line whose output is bytes. */
const runForBytes = async (line: readonly string[], cwd: string, more: Record<string, string>) => {
  const stdout = new PassThrough()
  const bytes = buffer(stdout)
  const { code, stderr } = await svcctl(line, { cwd, env: more, io: { stdout } })
  stdout.end()
  return { code, stderr, stdout: await bytes }
}

/** Runs a download against a server. Returns the files, and the requests that the server saw. */
const runAgainst = async (behave: Behaviour, more: readonly string[], home = createHome()) => {
  const server = await startLyingServer(behave)
  try {
    const ran = await runForBytes(
      buildArgs(...more),
      join(home, 'work'),
      createEnv(home, server.url),
    )
    const files = readdirSync(join(home, 'work'))
    const [name = ''] = files
    const bytes = files.length === 1 ? readFileSync(join(home, 'work', name)) : undefined
    return { ...ran, files, bytes, seen: server.seen }
  } finally {
    await server.close()
  }
}

// These tests mostly wait before a request is retried, so they run concurrently.
const waiting = describe.concurrent

/** Answers to the request for the rest that must not be used as the rest. */
const wrongRests: Readonly<Record<string, (socket: Socket) => void>> = {
  'another start': (s) =>
    sendAnswer(s, '206 Partial Content', { ...tag, ...buildRange(half - 1) }, rest),
  'another total': (s) =>
    sendAnswer(s, '206 Partial Content', { ...tag, ...buildRange(half, whole.length + 1) }, rest),
  'no total': (s) =>
    sendAnswer(s, '206 Partial Content', { ...tag, ...buildRange(half, '*') }, rest),
  'no Content-Range': (s) => sendAnswer(s, '206 Partial Content', tag, rest),
  'another tag': (s) =>
    sendAnswer(
      s,
      '206 Partial Content',
      { ...tag, etag: '"two"', ...buildRange(half) },
      other.subarray(half),
    ),
  'no tag': (s) => sendAnswer(s, '206 Partial Content', buildRange(half), rest),
  'another length': (s) =>
    sendAnswer(s, '206 Partial Content', { ...tag, ...buildRange(half) }, rest.subarray(1)),
  'a packed rest': (s) =>
    sendAnswer(
      s,
      '206 Partial Content',
      { ...tag, ...buildRange(half), 'content-encoding': 'gzip' },
      rest,
    ),
  'several parts': (s) =>
    sendAnswer(s, '206 Partial Content', { ...tag, 'content-type': 'multipart/byteranges' }, rest),
  'a refusal': (s) => sendAnswer(s, '416 Range Not Satisfiable', {}, Buffer.of()),
}

waiting('a download that was cut', () => {
  it('goes on where the rest is surely its rest, and asks for that alone', async () => {
    const ran = await runAgainst(({ index }, socket) => {
      if (index === 0) sendFirstHalf(socket)
      else sendAnswer(socket, '206 Partial Content', { ...tag, ...buildRange(half) }, rest)
    }, [])
    expect(ran).toMatchObject({ code: 0, files: ['artifacts.zip'] })
    expect(ran.bytes?.equals(whole)).toBe(true)
    expect(ran.seen[1]?.headers).toMatch(new RegExp(`range: bytes=${half}-(\n|$)`, 'i'))
    expect(ran.seen[1]?.headers).toMatch(/if-range: "one"/i)
  })

  it.each(Object.entries(wrongRests))('begins again after %s', async (_name, answer) => {
    const ran = await runAgainst(({ index }, socket) => {
      if (index === 0) sendFirstHalf(socket)
      else if (index === 1) answer(socket)
      else sendAnswer(socket, '200 OK', { etag: '"two"' }, other)
    }, [])
    expect(ran.stderr).toMatch(/the file changed during the download; starting again/)
    expect(ran).toMatchObject({ code: 0, files: ['artifacts.zip'] })
    expect(ran.bytes?.equals(other)).toBe(true)
    expect(ran.seen.length).toBe(3)
    expect(ran.seen[2]?.headers).not.toMatch(/range/i)
  })

  it('takes the whole that came in place of the rest', async () => {
    const ran = await runAgainst(({ index }, socket) => {
      if (index === 0) sendFirstHalf(socket)
      else sendAnswer(socket, '200 OK', { etag: '"two"' }, other)
    }, [])
    expect(ran).toMatchObject({ code: 0, files: ['artifacts.zip'] })
    expect(ran.bytes?.equals(other)).toBe(true)
    expect(ran.seen.length).toBe(2)
  })

  it('begins again once, and not for ever', async () => {
    const ran = await runAgainst(
      (_asked, socket) => sendFirstHalf(socket, { ...tag, etag: '"same"' }),
      [],
    )
    expect(ran).toMatchObject({ code: 7, files: [] })
    expect(ran.stderr).toMatch(/the file changed during the download, and again during a second/)
    expect(ran.seen.length).toBe(3)
  })

  it.each([
    { etag: 'W/"one"', 'accept-ranges': 'bytes' },
    { 'accept-ranges': 'bytes' },
    { etag: '"one"' },
  ])('is not taken up without a strong tag and ranges: %j', async (headers) => {
    const ran = await runAgainst((_asked, socket) => sendFirstHalf(socket, headers), [])
    expect(ran).toMatchObject({ code: 7, files: [] })
    expect(ran.seen.length).toBe(1)
  })

  it('onto standard output says how much was written, where the rest cannot be had', async () => {
    const ran = await runAgainst(
      ({ index }, socket) => {
        if (index === 0) sendFirstHalf(socket)
        else sendAnswer(socket, '200 OK', { etag: '"two"' }, other)
      },
      ['--to', '-'],
    )
    expect(ran.code).toBe(7)
    expect(ran.stdout.equals(whole.subarray(0, half))).toBe(true)
    expect(ran.stderr).toContain(`${half} bytes of the file were written to standard output`)
  })
})

/** Answers to the first request that are no archive. */
const noArchives: Readonly<Record<string, readonly [(socket: Socket) => void, RegExp]>> = {
  'no bytes': [(s) => sendAnswer(s, '200 OK', {}, Buffer.of()), /sent nothing/],
  JSON: [
    (s) => sendAnswer(s, '200 OK', {}, Buffer.from('{"message":"secret-in-json"}')),
    /sent JSON/,
  ],
  'a part that nobody asked for': [
    (s) => sendAnswer(s, '206 Partial Content', buildRange(0), whole),
    /answered 206: a part/,
  ],
  'an answer without a body': [(s) => s.write(buildHead('204 No Content', {})), /answered 204/],
  'what ends too early': [
    (s) => sendAnswer(s, '200 OK', {}, whole.subarray(0, -1)),
    /the archive is incomplete or damaged/,
  ],
  'what ends too early, and has no length': [
    (s) => {
      s.write(buildHead('200 OK', { 'content-type': 'application/zip', connection: 'close' }))
      s.end(whole.subarray(0, -17))
    },
    /the archive is incomplete or damaged/,
  ],
}

waiting('what is no archive', () => {
  it.each(Object.entries(noArchives))('is not kept: %s', async (_name, [answer, says]) => {
    for (const more of [[], ['--extract']]) {
      const ran = await runAgainst((_asked, socket) => answer(socket), more)
      expect(ran.stderr).toMatch(says)
      expect(ran.stderr).not.toContain('secret-in-json')
      expect(ran).toMatchObject({ code: 7, files: [] })
    }
  })

  it('is told where it went to standard output', async () => {
    const short = whole.subarray(0, -3)
    const ran = await runAgainst(
      (_asked, socket) => sendAnswer(socket, '200 OK', {}, short),
      ['--to', '-'],
    )
    expect(ran.code).toBe(7)
    expect(ran.stdout.equals(short)).toBe(true)
    expect(ran.stderr).toContain(
      `${short.length} bytes of the file were written to standard output`,
    )
  })
})

describe('a target that is no regular file', () => {
  const honestly: Behaviour = (_asked, socket) => sendAnswer(socket, '200 OK', {}, whole)
  let home: string
  beforeEach(() => {
    home = createHome()
  })

  it('is written into where it is a pipe', async () => {
    const pipe = join(home, 'pipe')
    await new Promise((resolve) => execFile('mkfifo', [pipe], resolve))
    const read = (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of createReadStream(pipe)) chunks.push(Buffer.from(chunk))
      return Buffer.concat(chunks)
    })()
    const ran = await runAgainst(honestly, ['--to', pipe], home)
    expect(ran).toMatchObject({ code: 0, files: [] })
    expect((await read).equals(whole)).toBe(true)
    expect(lstatSync(pipe).isFIFO()).toBe(true)
  })

  it.skipIf(process.platform !== 'linux')('is written into where it is a device', async () => {
    // Through a link, so that at worst the link is replaced.
    symlinkSync('/dev/full', join(home, 'full'))
    const full = await runAgainst(honestly, ['--to', join(home, 'full')], home)
    expect(full).toMatchObject({ code: 1, files: [] })
    expect(full.stderr).toMatch(/no space left on the device/)
    expect(statSync('/dev/full').isCharacterDevice()).toBe(true)
  })

  it('is replaced through a link where it is a file', async () => {
    writeFileSync(join(home, 'real'), 'old')
    symlinkSync('real', join(home, 'link'))
    const server = await startLyingServer(honestly)
    try {
      const ran = await svcctl(buildArgs('--to', join(home, 'link')), {
        env: createEnv(home, server.url),
      })
      expect(ran.code).toBe(0)
    } finally {
      await server.close()
    }
    expect(lstatSync(join(home, 'link')).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(home, 'real')).equals(whole)).toBe(true)
  })
})
