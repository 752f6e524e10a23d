/** Builds archives that contradict themselves, which libraries refuse to write. */
import { constants, crc32, deflateRawSync } from 'node:zlib'

export interface Entry {
  readonly name: string
  readonly body?: Buffer
  /** Unix mode as `ls` shows it; a regular file by default. */
  readonly mode?: number
  /** Written instead of the real size. */
  readonly size?: number
  readonly crc?: number
  /** Method: 0 is stored, 8 is deflated (the default). */
  readonly method?: number
  /** Bit flags in addition to the one of UTF-8 names. */
  readonly flags?: number
  /** Compressed size that the table of contents states. */
  readonly packedSize?: number
  /** Number of the entry whose offset the table of contents gives for this one. */
  readonly at?: number
}

export const buildZip = (entries: readonly Entry[], comment = ''): Buffer => {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  const offsets: number[] = []
  let offset = 0
  for (const entry of entries) {
    const { name, body = Buffer.from('x'), mode = 0o100644, size = body.length, flags = 0 } = entry
    const { method = 8, crc = crc32(body) } = entry
    const packed = method === 8 ? deflateRawSync(body, { finishFlush: constants.Z_FINISH }) : body
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x0800 | flags, 2)
    common.writeUInt16LE(method, 4)
    common.writeUInt32LE(crc, 10)
    common.writeUInt32LE(entry.packedSize ?? packed.length, 14)
    common.writeUInt32LE(size, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    offsets.push(offset)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE((mode << 16) >>> 0, 6)
    rest.writeUInt32LE(offsets[entry.at ?? offsets.length - 1] ?? offset, 10)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed])
    centrals.push(
      Buffer.concat([Buffer.from('PK\x01\x02\x14\x03'), common, rest, Buffer.from(name)]),
    )
    locals.push(local)
    offset += local.length
  }
  const central = Buffer.concat(centrals)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  end.writeUInt16LE(comment.length, 20)
  return Buffer.concat([...locals, central, end, Buffer.from(comment, 'latin1')])
}
