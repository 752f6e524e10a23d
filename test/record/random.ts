/** Random values that are the same in each run, by a text that they are for. */
import { createHash } from 'node:crypto'

/** Creates bytes and numbers that follow from a text. */
export const createPinnedRandom = (seed: string) => {
  let count = 0
  const next = (size: number): Buffer => {
    const blocks: Buffer[] = []
    for (let length = 0; length < size; length += 32)
      blocks.push(createHash('sha256').update(`${seed}\n${count++}`).digest())
    return Buffer.concat(blocks).subarray(0, size)
  }
  return {
    randomBytes: (size: number): Uint8Array => next(size),
    random: (): number => next(4).readUInt32BE() / 2 ** 32,
  }
}
