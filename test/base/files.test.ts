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
import { createFolder } from '../support/program.js'

let home: string
beforeEach(() => {
  home = createFolder()
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const getPath = (name: string): string => join(home, name)
const createFifo = (): string => {
  execFileSync('mkfifo', [getPath('pipe')])
  return getPath('pipe')
}
const readText = (name: string): string => readFileSync(getPath(name), 'utf8')

describe('writing a file whole', () => {
  it('makes it as the umask has it, and leaves nothing beside it', async () => {
    await writeWhole(getPath('new'), 'text')
    expect(readText('new')).toBe('text')
    expect(statSync(getPath('new')).mode & 0o777).toBe(0o666 & ~process.umask())
    expect(readdirSync(home)).toEqual(['new'])
  })

  it('replaces a file, keeps its mode and drops what runs it as its owner', async () => {
    writeFileSync(getPath('old'), 'old')
    chmodSync(getPath('old'), 0o4751)
    const before = statSync(getPath('old')).ino
    await writeWhole(getPath('old'), 'new')
    expect(readText('old')).toBe('new')
    expect(statSync(getPath('old')).mode & 0o7777).toBe(0o751)
    expect(statSync(getPath('old')).ino).not.toBe(before)
  })

  it('replaces what a link names, also a link of a link to what is not there yet', async () => {
    mkdirSync(getPath('real'))
    writeFileSync(getPath('real/one'), 'old')
    symlinkSync('real/one', getPath('link'))
    symlinkSync('real/two', getPath('dangling'))
    symlinkSync('dangling', getPath('twice'))
    await writeWhole(getPath('link'), 'one')
    await writeWhole(getPath('twice'), 'two')
    expect([readText('real/one'), readText('real/two')]).toEqual(['one', 'two'])
    for (const name of ['link', 'dangling', 'twice'])
      expect(lstatSync(getPath(name)).isSymbolicLink()).toBe(true)
    expect(readdirSync(getPath('real'))).toEqual(['one', 'two'])
  })

  it('refuses a folder, and a link that leads to itself', async () => {
    symlinkSync('self', getPath('self'))
    await expect(writeWhole(home, 'x')).rejects.toThrow('it is a directory')
    await expect(writeWhole(getPath('self'), 'x')).rejects.toThrow('points to itself')
  })

  it('leaves the file as it was where it is given up', async () => {
    writeFileSync(getPath('file'), 'old')
    const file = await openWhole(getPath('file'))
    await file.write([Buffer.from('half')])
    await file.discard()
    expect(readText('file')).toBe('old')
    expect(readdirSync(home)).toEqual(['file'])
  })
})

describe('what is no regular file', () => {
  it('is written into: a pipe, more than it holds', async () => {
    const path = createFifo()
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
    const writing = writeWhole(createFifo(), 'x', { signal: controller.signal })
    controller.abort()
    await expect(writing).rejects.toMatchObject({ category: 'interrupted' })
  })

  it('is written into: a device', async ({ skip }) => {
    // The test has its own null device, so that a defect does not replace the machine's.
    const made = spawnSync('mknod', [getPath('null'), 'c', '1', '3'])
    if (made.status !== 0) return skip('no device may be made here')
    symlinkSync('null', getPath('link'))
    try {
      await writeWhole(getPath('null'), 'x')
      await writeWhole(getPath('link'), 'x')
    } catch (error) {
      if (error instanceof Error && /EACCES|EPERM/.test(error.message))
        return skip('no device may be opened here')
      throw error
    }
    expect(lstatSync(getPath('null')).isCharacterDevice()).toBe(true)
    expect(readdirSync(home)).toEqual(['link', 'null'])
  })

  it.skipIf(process.platform !== 'linux')(
    'is written into: a descriptor, though a file is behind it',
    async () => {
      const descriptor = openSync(getPath('out'), 'w')
      try {
        writeFileSync(descriptor, 'before ')
        const before = statSync(getPath('out')).ino
        symlinkSync(`/proc/self/fd/${descriptor}`, getPath('link'))
        await writeWhole(getPath('link'), 'after')
        expect(readText('out')).toBe('before after')
        expect(statSync(getPath('out')).ino).toBe(before)
      } finally {
        closeSync(descriptor)
      }
    },
  )
})

describe("a file of the tool's own", () => {
  it('is for its owner only, and never written through a link', async () => {
    writeFileSync(getPath('other'), 'other')
    symlinkSync('other', getPath('tokens'))
    await writeWhole(getPath('tokens'), 'secret', { own: true })
    expect(readText('other')).toBe('other')
    expect(lstatSync(getPath('tokens')).isFile()).toBe(true)
    chmodSync(getPath('tokens'), 0o644)
    await writeWhole(getPath('tokens'), 'secret', { own: true })
    expect(statSync(getPath('tokens')).mode & 0o777).toBe(0o600)
  })

  it('is neither written into nor read from anything but a regular file, and nothing waits', async () => {
    const path = createFifo()
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
