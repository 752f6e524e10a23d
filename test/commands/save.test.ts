import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { save } from '../../src/commands/artifacts/save.js'

const saving = { total: undefined, progress: () => {} }

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
    expect(await save(target, body, saving)).toBe(40 * 50_001 + 780)
    expect(Buffer.concat(chunks).equals(await readFile(target))).toBe(true)
  })

  it('leaves nothing of a stream that breaks while a block is written', async () => {
    const body = (async function* () {
      yield Buffer.alloc(1 << 20)
      throw new Error('cut')
    })()
    const done = save(join(folder, 'archive.zip'), body, saving)
    await expect(done).rejects.toThrow()
    expect(await readdir(folder)).toEqual([])
  })
})
