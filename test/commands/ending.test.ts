import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findContentsFault, findEndFault, TailBuffer } from '../../src/commands/artifacts/whole.js'
import { buildZip } from '../faults/zip.js'

const findFault = (bytes: Buffer, piece = 1000): string | undefined => {
  const tail = new TailBuffer()
  for (let at = 0; at < bytes.length; at += piece) tail.push(bytes.subarray(at, at + piece))
  return findEndFault(tail)
}

const inner = buildZip([{ name: 'x', body: Buffer.alloc(5000, 'x'), method: 0 }])
const entries = [
  { name: 'a.txt', body: Buffer.from('hello'.repeat(100)) },
  { name: 'inner.jar', body: inner, method: 0 },
  { name: 'b.txt' },
]
const whole = buildZip(entries, 'a comment')

describe('the end of an archive', () => {
  it('is there, with a comment, without entries, and in pieces of any size', () => {
    expect(findFault(whole)).toBeUndefined()
    expect(findFault(buildZip([]))).toBeUndefined()
    expect(findFault(buildZip(entries, 'c'.repeat(0xffff)), 7)).toBeUndefined()
    const large = buildZip([{ name: 'large', body: Buffer.alloc(1 << 18, 'l'), method: 0 }])
    expect(findFault(large)).toBeUndefined()
  })

  it('is missed wherever it was cut, right after an archive inside of it as well', () => {
    const passed = Array.from({ length: whole.length }, (_, i) => i).filter(
      (length) => findFault(whole.subarray(0, length)) === undefined,
    )
    expect(passed).toEqual([])
    expect(whole.subarray(0, whole.indexOf(inner) + inner.length).equals(whole)).toBe(false)
  })

  it('does not hide that bytes are missing before it', () => {
    const holes = [1, 50, 600].map((bytes) =>
      Buffer.concat([whole.subarray(0, 40), whole.subarray(40 + bytes)]),
    )
    expect(holes.map((bytes) => findFault(bytes))).not.toContain(undefined)
  })
})

describe('the contents of an archive', () => {
  const contents = async (bytes: Buffer): Promise<string | undefined> => {
    const folder = await mkdtemp(join(tmpdir(), 'svcctl-test-'))
    try {
      await writeFile(join(folder, 'a.zip'), bytes)
      return await findContentsFault(join(folder, 'a.zip'))
    } finally {
      await rm(folder, { recursive: true })
    }
  }

  it('lie inside of it', async () => {
    expect(await contents(whole)).toBeUndefined()
    const many = Array.from({ length: 2000 }, (_, i) => ({ name: `some/folder/${i}` }))
    expect(await contents(buildZip(many))).toBeUndefined()
  })

  it('are missed where they lie outside, or where their table is broken', async () => {
    const outside = [{ name: 'a', packedSize: 100_000 }]
    expect(await contents(buildZip(outside))).toMatch(
      /its table of contents points outside of the file/,
    )
    const broken = Buffer.from(whole)
    broken.writeUInt32LE(0, whole.lastIndexOf('PK\x01\x02', undefined, 'latin1'))
    expect(await contents(broken)).toMatch(/its table of contents is damaged \(/)
  })
})
