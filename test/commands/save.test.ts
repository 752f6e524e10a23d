import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { array, assert, asyncProperty, integer, uint8Array } from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { save, writeAll } from '../../src/commands/artifacts/save.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcctl-test-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('saving a stream', () => {
  it('writes every chunk in order, over several blocks', async () => {
    const chunks = Array.from({ length: 40 }, (_, i) => Buffer.alloc(50_001 + i, i))
    const target = join(folder, 'archive.zip')
    const body = (async function* () {
      yield* chunks
    })()
    expect(await save(target, body, undefined, () => {})).toBe(40 * 50_001 + 780)
    expect(Buffer.concat(chunks).equals(await readFile(target))).toBe(true)
  })

  it('leaves nothing of a stream that breaks while a block is written', async () => {
    const body = (async function* () {
      yield Buffer.alloc(1 << 20)
      throw new Error('cut')
    })()
    const saving = save(join(folder, 'archive.zip'), body, undefined, () => {})
    await expect(saving).rejects.toThrow()
    expect(await readdir(folder)).toEqual([])
  })

  it('writes on where a disk takes less than it was given', () =>
    assert(
      asyncProperty(
        array(uint8Array({ maxLength: 20 }), { maxLength: 10 }),
        integer({ min: 1, max: 30 }),
        async (chunks, most) => {
          const disk: Buffer[] = []
          const writev = async (given: readonly NodeJS.ArrayBufferView[]) => {
            const taken = Buffer.concat(given as readonly Uint8Array[]).subarray(0, most)
            disk.push(taken)
            return { bytesWritten: taken.length, buffers: [...given] }
          }
          await writeAll({ writev: writev as Parameters<typeof writeAll>[0]['writev'] }, chunks)
          expect(Buffer.concat(disk).equals(Buffer.concat(chunks))).toBe(true)
        },
      ),
    ))
})
