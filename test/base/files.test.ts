import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { array, assert, asyncProperty, integer, uint8Array } from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openWhole, writeAll, writeWhole } from '../../src/base/files/files.js'
import { readRegular } from '../../src/base/files/regular.js'
import { folder } from '../support/program.js'

let home: string
beforeEach(() => {
  home = folder()
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const at = (name: string): string => join(home, name)
const fifo = (): string => {
  execFileSync('mkfifo', [at('pipe')])
  return at('pipe')
}
const text = (name: string): string => readFileSync(at(name), 'utf8')

describe('writing a file whole', () => {
  it('makes it as the umask has it, and leaves nothing beside it', async () => {
    await writeWhole(at('new'), 'text')
    expect(text('new')).toBe('text')
    expect(statSync(at('new')).mode & 0o777).toBe(0o666 & ~process.umask())
    expect(readdirSync(home)).toEqual(['new'])
  })

  it('replaces a file, keeps its mode and drops what runs it as its owner', async () => {
    writeFileSync(at('old'), 'old')
    chmodSync(at('old'), 0o4751)
    const before = statSync(at('old')).ino
    await writeWhole(at('old'), 'new')
    expect(text('old')).toBe('new')
    expect(statSync(at('old')).mode & 0o7777).toBe(0o751)
    expect(statSync(at('old')).ino).not.toBe(before)
  })

  it('replaces what a link names, also a link of a link to what is not there yet', async () => {
    mkdirSync(at('real'))
    writeFileSync(at('real/one'), 'old')
    symlinkSync('real/one', at('link'))
    symlinkSync('real/two', at('dangling'))
    symlinkSync('dangling', at('twice'))
    await writeWhole(at('link'), 'one')
    await writeWhole(at('twice'), 'two')
    expect([text('real/one'), text('real/two')]).toEqual(['one', 'two'])
    for (const name of ['link', 'dangling', 'twice'])
      expect(lstatSync(at(name)).isSymbolicLink()).toBe(true)
    expect(readdirSync(at('real'))).toEqual(['one', 'two'])
  })

  it('refuses a folder, and a link that leads to itself', async () => {
    symlinkSync('self', at('self'))
    await expect(writeWhole(home, 'x')).rejects.toThrow('it is a directory')
    await expect(writeWhole(at('self'), 'x')).rejects.toThrow('points to itself')
  })

  it('leaves the file as it was where it is given up', async () => {
    writeFileSync(at('file'), 'old')
    const file = await openWhole(at('file'))
    await file.write([Buffer.from('half')])
    await file.discard()
    expect(text('file')).toBe('old')
    expect(readdirSync(home)).toEqual(['file'])
  })
})

describe('what is no regular file', () => {
  it('is written into: a pipe, more than it holds', async () => {
    const path = fifo()
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const read: Buffer[] = []
    try {
      const sent = Buffer.alloc(300_000, 'pipe')
      let done = false
      const writing = writeWhole(path, sent).then(() => {
        done = true
      })
      const some = Buffer.alloc(1 << 16)
      const take = (): number => {
        try {
          return readSync(reader, some)
        } catch {
          return 0
        }
      }
      for (let got = 0; !done || got > 0; got = take()) {
        read.push(Buffer.from(some.subarray(0, got)))
        await new Promise(setImmediate)
      }
      await writing
      expect(Buffer.concat(read).equals(sent)).toBe(true)
    } finally {
      closeSync(reader)
    }
    expect(lstatSync(path).isFIFO()).toBe(true)
    expect(readdirSync(home)).toEqual(['pipe'])
  })

  it('is waited for where it is a pipe that nobody reads, until that is interrupted', async () => {
    const controller = new AbortController()
    const writing = writeWhole(fifo(), 'x', { signal: controller.signal })
    controller.abort()
    await expect(writing).rejects.toMatchObject({ category: 'interrupted' })
  })

  it('is written into: a device', async ({ skip }) => {
    // Of its own, so that a defect does not accept the machine's.
    const made = spawnSync('mknod', [at('null'), 'c', '1', '3'])
    if (made.status !== 0) return skip('no device may be made here')
    symlinkSync('null', at('link'))
    try {
      await writeWhole(at('null'), 'x')
      await writeWhole(at('link'), 'x')
    } catch (error) {
      if (error instanceof Error && /EACCES|EPERM/.test(error.message))
        return skip('no device may be opened here')
      throw error
    }
    expect(lstatSync(at('null')).isCharacterDevice()).toBe(true)
    expect(readdirSync(home)).toEqual(['link', 'null'])
  })

  it.skipIf(process.platform !== 'linux')(
    'is written into: a descriptor, though a file is behind it',
    async () => {
      const descriptor = openSync(at('out'), 'w')
      try {
        writeFileSync(descriptor, 'before ')
        const before = statSync(at('out')).ino
        symlinkSync(`/proc/self/fd/${descriptor}`, at('link'))
        await writeWhole(at('link'), 'after')
        expect(text('out')).toBe('before after')
        expect(statSync(at('out')).ino).toBe(before)
      } finally {
        closeSync(descriptor)
      }
    },
  )
})

describe("a file of the tool's own", () => {
  it('is for its owner only, and never written through a link', async () => {
    writeFileSync(at('other'), 'other')
    symlinkSync('other', at('tokens'))
    await writeWhole(at('tokens'), 'secret', { own: true })
    expect(text('other')).toBe('other')
    expect(lstatSync(at('tokens')).isFile()).toBe(true)
    chmodSync(at('tokens'), 0o644)
    await writeWhole(at('tokens'), 'secret', { own: true })
    expect(statSync(at('tokens')).mode & 0o777).toBe(0o600)
  })

  it('is neither written into nor read from anything but a regular file, and nothing waits', async () => {
    const path = fifo()
    await expect(writeWhole(path, 'secret', { own: true })).rejects.toThrow(/a pipe, not/)
    expect(() => readRegular(path)).toThrow(/a pipe, not a regular file/)
    expect(() => readRegular('/dev/null')).toThrow(/it is a device, not a regular file/)
    expect(() => readRegular(home)).toThrow(/a directory/)
  })
})

describe('writing on', () => {
  it('where a disk takes less than it was given, or nothing for now', () =>
    assert(
      asyncProperty(
        array(uint8Array({ maxLength: 20 }), { maxLength: 10 }),
        integer({ min: 1, max: 30 }),
        async (chunks, most) => {
          const disk: Buffer[] = []
          let busy = false
          const writev = async (given: readonly NodeJS.ArrayBufferView[]) => {
            busy = !busy
            if (busy) throw Object.assign(new Error('busy'), { code: 'EAGAIN' })
            const taken = Buffer.concat(given as readonly Uint8Array[]).subarray(0, most)
            disk.push(taken)
            return { bytesWritten: taken.length, buffers: [...given] }
          }
          await writeAll({ writev: writev as Parameters<typeof writeAll>[0]['writev'] }, chunks)
          expect(Buffer.concat(disk).equals(Buffer.concat(chunks))).toBe(true)
        },
      ),
      { numRuns: 30 },
    ))
})
