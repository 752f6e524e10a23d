/** Reads bodies of answers within limits of time and size, and decompresses them. */
import type { Transform } from 'node:stream'
import { ByteBuffer } from '../../base/bytes.js'
import { bounds } from '../../base/json/json.js'
import { ByteOrderMarkFilter } from '../../base/utf8.js'
import { Failure } from '../../errors.js'
import { createUnusableAnswerFailure, toLostRequest } from './network.js'

const formatSeconds = (milliseconds: number): string => `${Math.round(milliseconds / 1000)} s`

/** Returns the process's uptime in milliseconds, which never decreases. */
const getMonotonicTime = (): number => process.uptime() * 1000

/** The total time that a body may keep its reader waiting without progress, as a multiple of the time-out. */
const patienceFactor = 10

/**
 * A body with a limit on the total time spent waiting for it, against answers that trickle without an end. The time that the reader takes
 * does not count. A byte order mark, which some proxies add, is removed.
 */
export class TimedBody {
  readonly #bytes: AsyncIterable<Uint8Array>
  readonly #limit: number
  readonly #label: string
  #waited = 0

  /** @param timeout milliseconds; 0 for no limit */
  constructor(bytes: AsyncIterable<Uint8Array>, timeout: number, label: string) {
    this.#bytes = bytes
    this.#limit = timeout === 0 ? Number.POSITIVE_INFINITY : timeout * patienceFactor
    this.#label = label
  }

  /** Resets the waiting time, because something complete has arrived. */
  resetWait(): void {
    this.#waited = 0
  }

  /** Returns all bytes without a time limit, for downloads. */
  withoutTimeLimit(): AsyncIterable<Uint8Array> {
    return this.#bytes
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const mark = new ByteOrderMarkFilter()
    let since = getMonotonicTime()
    for await (const chunk of this.#bytes) {
      this.#waited += getMonotonicTime() - since
      if (this.#waited > this.#limit)
        throw createUnusableAnswerFailure(
          `the response did not finish within ${formatSeconds(this.#limit)}`,
          this.#label,
        )
      yield mark.write(chunk)
      since = getMonotonicTime()
    }
    const rest = mark.end()
    if (rest.length > 0) yield rest
  }
}

/** Reads the bytes of a body. @throws Failure `unreachable` if it is cut short, or larger than the limit of `bounds` */
export const readWhole = async (
  bytes: AsyncIterable<Uint8Array>,
  label: string,
): Promise<Uint8Array> => {
  const gathered = new ByteBuffer(bounds.bytes)
  for await (const chunk of bytes)
    if (!gathered.add(chunk))
      throw createUnusableAnswerFailure(
        `the response was rejected because it is larger than ${bounds.bytes >> 20} MiB`,
        label,
        { code: 'response-size' },
      )
  return gathered.bytes()
}

/** The maximum number of bytes that are read of an error body. */
const maxErrorBytes = 256 * 1024

/** Reads the beginning of a body for a message. Errors while reading are ignored, except for interruptions. */
export const readSome = async (bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of bytes) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= maxErrorBytes) break
    }
  } catch (error) {
    if (error instanceof Failure && error.category === 'interrupted') throw error
  }
  return Buffer.concat(chunks).subarray(0, maxErrorBytes)
}

// Decompression, with a limit on the ratio of decompressed to compressed size.

/** The decompressed size above which a body is refused if it exceeds `bombRatio` times its compressed size. */
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

const toDecodingError = (error: unknown, label: string): Error => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^(Z_|ERR_|BROTLI)/.test(code)
    ? createUnusableAnswerFailure('the compressed response is damaged or incomplete', label)
    : toLostRequest(error, label, true, true)
}

async function* decodeOne(source: Bytes, name: string, label: string): AsyncGenerator<Uint8Array> {
  const [zlib, { pipeline }] = await Promise.all([import('node:zlib'), import('node:stream')])
  const input = source[Symbol.asyncIterator]()
  const first = await input.next()
  if (first.done === true) return
  let packed = 0
  let unpacked = 0
  async function* countPacked(): AsyncGenerator<Uint8Array> {
    try {
      for (let step = first; step.done !== true; step = await input.next()) {
        packed += step.value.length
        yield step.value
      }
    } finally {
      await input.return?.()
    }
  }
  const createUnpacker = unpackers[name]
  if (createUnpacker === undefined)
    throw createUnusableAnswerFailure(`the response has the unknown encoding ${name}`, label)
  const stream = createUnpacker(zlib, first.value[0] ?? 0)
  pipeline(countPacked(), stream, () => {})
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      unpacked += chunk.length
      if (unpacked > bombFloor && unpacked > packed * bombRatio)
        throw createUnusableAnswerFailure(
          'the response was rejected because it is too large when decompressed',
          label,
          { code: 'response-size' },
        )
      yield chunk
    }
  } catch (error) {
    throw toDecodingError(error, label)
  }
}

/** Decodes a body according to its `Content-Encoding`. */
export const decodeBody = (source: Bytes, encoding: string | undefined, label: string): Bytes =>
  (encoding ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity')
    .reduceRight((bytes: Bytes, name) => decodeOne(bytes, name, label), source)
