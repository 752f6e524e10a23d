/** Less of an ELF file: symbols and debugging information, a fifth of Node's. No program for it needs to be there, for any processor. */
import { readFileSync, writeFileSync } from 'node:fs'

/** Where the 64-bit, little-endian header has what (`man 5 elf`). */
const header = { phoff: 32, shoff: 40, phentsize: 54, phnum: 56, shnum: 60, shstrndx: 62 }
const segment = { type: 0, offset: 8, filesz: 32 }
const loaded = 1

/**
 * Cuts off what stands behind the last part that is loaded, and the table of sections, which only tools read.
 * @throws where it is no such file
 */
export const stripped = (bytes: Buffer): Buffer => {
  if (bytes.toString('latin1', 0, 6) !== '\x7fELF\x02\x01')
    throw new Error('not a 64-bit, little-endian ELF file')
  const table = Number(bytes.readBigUInt64LE(header.phoff))
  const size = bytes.readUInt16LE(header.phentsize)
  const starts = Array.from(
    { length: bytes.readUInt16LE(header.phnum) },
    (_, i) => table + i * size,
  )
  const ends = starts
    .filter((at) => bytes.readUInt32LE(at + segment.type) === loaded)
    .map((at) =>
      Number(
        bytes.readBigUInt64LE(at + segment.offset) + bytes.readBigUInt64LE(at + segment.filesz),
      ),
    )
  const cut = Buffer.from(bytes.subarray(0, Math.max(...ends)))
  cut.writeBigUInt64LE(0n, header.shoff)
  cut.writeUInt16LE(0, header.shnum)
  cut.writeUInt16LE(0, header.shstrndx)
  return cut
}

/** The same of a file, in its place. */
export const strip = (file: string): void =>
  writeFileSync(file, stripped(readFileSync(file)), { mode: 0o755 })
