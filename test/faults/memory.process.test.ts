/**
 * Answers that are small to send and large to hold: memory stays bounded, and errors explain it. Each body and format runs in a
 * process of its own.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { maxBuilt } from '../../src/base/json/json.js'
import { createConfiguration, createFolder, getCleanEnv, program } from '../support/program.js'
import { startRecorder } from '../support/recorder.js'
import { maxMegabytes } from './cell.js'

const usage = join(import.meta.dirname, '..', 'bench', 'usage.cjs')
const mega = 1 << 20

const buildRecord = (inner: Buffer | string): Buffer =>
  Buffer.concat([Buffer.from('{"id":7,"description":'), Buffer.from(inner), Buffer.from('}')])
const buildTextRecord = (bytes: number, unit: string): Buffer =>
  buildRecord(Buffer.concat([Buffer.from('"'), Buffer.alloc(bytes, unit), Buffer.from('"')]))
const buildList = (count: number, item: (i: number) => string): string =>
  `[${Array.from({ length: count }, (_, i) => item(i)).join(',')}]`

/** Runs the program on an answer. Returns its exit code, its errors, the digest of its output and its peak memory. */
const runWithBody = async (body: Buffer, line: string) => {
  const packed = gzipSync(body, { level: 1 })
  const server = await startRecorder(() => ({
    body: packed,
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  }))
  const home = createFolder()
  const env = {
    ...getCleanEnv(),
    SVC_CONFIG_DIR: createConfiguration(home),
    SVC_TOKEN: 'any-token',
    SVC_BASE_URL: server.url,
    BENCH_USAGE: join(home, 'usage.json'),
  }
  const child = spawn(process.execPath, ['--require', usage, program, ...line.split(' ')], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const hash = createHash('sha256')
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => hash.update(chunk))
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const [code] = await once(child, 'close')
  const { megabytes } = JSON.parse(readFileSync(env.BENCH_USAGE, 'utf8'))
  await server.close()
  rmSync(home, { recursive: true })
  return { code, stderr, digest: hash.digest('hex'), megabytes }
}

const computeDigest = (...parts: readonly (Buffer | string)[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

const longText = buildTextRecord(60 * mega, 'x')
const twoByte = buildTextRecord(30 * mega, 'é')
const number = buildRecord(`1${'0'.repeat(60 * mega)}`)

/** Expects that the peak memory of each run is within bounds. */
const expectBounded = (...runs: readonly { readonly megabytes: number }[]): void => {
  for (const { megabytes } of runs) expect(megabytes).toBeLessThan(maxMegabytes)
}

const patience = 120_000

it('passes on large texts and numbers within bounds', { timeout: patience }, async () => {
  for (const [body, format] of [
    [longText, 'json'],
    [longText, 'ndjson'],
    [twoByte, 'json'],
    [number, 'json'],
  ] as const) {
    const got = await runWithBody(body, `runners get 7 -o ${format}`)
    expect([got.code, got.stderr, got.digest]).toEqual([0, '', computeDigest(body, '\n')])
    expectBounded(got)
  }
})

it('refuses in words what a format would have to build', { timeout: patience }, async () => {
  const tooMany = buildRecord(buildList(maxBuilt.values, () => '{}'))
  for (const [body, says, line] of [
    [longText, /larger than 12 MiB/, 'get 7 -o table'],
    [longText, /larger than 12 MiB/, 'get 7 -o csv'],
    [longText, /larger than 12 MiB/, 'update 7 --description x -o table'],
    [tooMany, /more than 250000 values/, 'get 7 -o table'],
    [tooMany, /more than 250000 values/, 'get 7 -o yaml'],
  ] as const) {
    const got = await runWithBody(body, `runners ${line}`)
    expect([got.code, got.stderr]).toEqual([7, expect.stringMatching(says)])
    expect(got.stderr).toMatch(/hint: (Run the command again with -o json|Check the object)/)
    expectBounded(got)
  }
})

it('builds what is large and allowed within bounds', { timeout: patience }, async () => {
  for (const body of [
    buildTextRecord(11 * mega, 'line\\n'),
    buildRecord(`{${buildList(240_000, (i) => `"k${i}":1`).slice(1, -1)}}`),
    buildRecord(buildList(240_000, () => '1.0')),
    buildRecord(buildList(1200, () => `${'['.repeat(190)}${']'.repeat(190)}`)),
  ])
    for (const format of ['table', 'yaml']) {
      const got = await runWithBody(body, `runners get 7 -o ${format}`)
      expect([got.code, got.stderr]).toEqual([0, ''])
      expectBounded(got)
    }
})
