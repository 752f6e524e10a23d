/** Content-Encoding undone on the way, with an eye on what it unpacks to. */
import type { Transform } from 'node:stream'
import { lostTo, unusable } from './lost.js'

/** What the client asks for. */
export const acceptEncoding = 'gzip, deflate, br'

/** Past this much, a body that unpacks to more than `bombRatio` times its size is refused. */
const bombFloor = 64 << 20
const bombRatio = 200
const chunkSize = 64 * 1024

type Bytes = AsyncIterable<Uint8Array>

const unpackers: Readonly<
  Record<string, (zlib: typeof import('node:zlib'), first: number) => Transform>
> = {
  gzip: (zlib) => zlib.createGunzip({ chunkSize }),
  'x-gzip': (zlib) => zlib.createGunzip({ chunkSize }),
  // Some servers send deflate without its zlib header.
  deflate: (zlib, first) =>
    (first & 0x0f) === 8 ? zlib.createInflate({ chunkSize }) : zlib.createInflateRaw({ chunkSize }),
  br: (zlib) => zlib.createBrotliDecompress({ chunkSize }),
}

const broken = (error: unknown, label: string): Error => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^(Z_|ERR_|BROTLI)/.test(code)
    ? unusable('the compressed response is damaged or incomplete', label)
    : lostTo(error, label, true, true)
}

async function* unpack(source: Bytes, name: string, label: string): AsyncGenerator<Uint8Array> {
  const [zlib, { pipeline }] = await Promise.all([import('node:zlib'), import('node:stream')])
  const input = source[Symbol.asyncIterator]()
  const first = await input.next()
  if (first.done === true) return
  let packed = 0
  let unpacked = 0
  async function* counted(): AsyncGenerator<Uint8Array> {
    try {
      for (let step = first; step.done !== true; step = await input.next()) {
        packed += step.value.length
        yield step.value
      }
    } finally {
      await input.return?.()
    }
  }
  const make = unpackers[name]
  if (make === undefined) throw unusable(`the response has the unknown encoding ${name}`, label)
  const stream = make(zlib, first.value[0] ?? 0)
  pipeline(counted(), stream, () => {})
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      unpacked += chunk.length
      if (unpacked > bombFloor && unpacked > packed * bombRatio)
        throw unusable(
          'the response was rejected because it is too large when decompressed',
          label,
          { code: 'response-size' },
        )
      yield chunk
    }
  } catch (error) {
    throw broken(error, label)
  }
}

/** A body as its `Content-Encoding` means it. */
export const decoded = (source: Bytes, encoding: string | undefined, label: string): Bytes =>
  (encoding ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity')
    .reduceRight((bytes: Bytes, name) => unpack(bytes, name, label), source)
