import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { processIo } from '../../src/base/io.js'
import { ClosedPipe } from '../../src/errors.js'
import { openStdout } from '../../src/terminal/stdout.js'

describe('standard output', () => {
  it('gathers what is written in one turn', async () => {
    const chunks: string[] = []
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        chunks.push(chunk.toString())
        done()
      },
    })
    const stdout = openStdout(processIo, stream)
    await stdout.write('a')
    await stdout.write(new TextEncoder().encode('ü'))
    await stdout.write('c')
    expect(chunks).toEqual([])
    await new Promise((resolve) => setImmediate(resolve))
    expect(chunks).toEqual(['aüc'])
    await stdout.write('x'.repeat(70_000))
    expect(chunks).toHaveLength(2)
    await stdout.write('end')
    await stdout.end()
    expect(chunks.filter((c) => c !== '').at(-1)).toBe('end')
  })

  it('waits while the reader is slow', async () => {
    const stream = new PassThrough({ highWaterMark: 10 })
    const stdout = openStdout(processIo, stream)
    let written = false
    const writing = stdout.write('x'.repeat(100_000)).then(() => {
      written = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(written).toBe(false)
    stream.resume()
    await writing
    expect(written).toBe(true)
  })

  const broken = (code: string): Writable =>
    new Writable({
      write(_chunk, _encoding, done) {
        done(Object.assign(new Error(`write ${code}`), { code }))
      },
    })

  it('ends quietly when the reader is gone', async () => {
    const stdout = openStdout(processIo, broken('EPIPE'))
    await stdout.write('a')
    await expect(stdout.end()).rejects.toBeInstanceOf(ClosedPipe)
    await expect(stdout.write('b')).rejects.toBeInstanceOf(ClosedPipe)
  })

  it('wakes a writer that waits for a reader who leaves', async () => {
    const stream = new PassThrough({ highWaterMark: 10 })
    const stdout = openStdout(processIo, stream)
    const writing = stdout.write('x'.repeat(100_000))
    stream.destroy(Object.assign(new Error('gone'), { code: 'EPIPE' }))
    await expect(writing).rejects.toBeInstanceOf(ClosedPipe)
  })

  it('says when the disk is full', async () => {
    const stdout = openStdout(processIo, broken('ENOSPC'))
    await stdout.write('a')
    await expect(stdout.end()).rejects.toMatchObject({
      category: 'failed',
      message: 'cannot write to standard output: write ENOSPC',
    })
  })
})
