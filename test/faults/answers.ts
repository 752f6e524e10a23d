/** Answers for the lying server: heads, bodies, and bodies without an end. */
import type { Socket } from 'node:net'
import { constants, deflateRawSync, gzipSync } from 'node:zlib'
import type { Operation } from './operations.js'

export type Headers = Readonly<Record<string, string>>

export const head = (status: string, headers: Headers): string =>
  [
    `HTTP/1.1 ${status}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n')

/** The truthful answer, with other headers, or another body. */
export const honest = (
  socket: Socket,
  { status, type, body }: Operation,
  headers: Headers = {},
  other: Buffer = body,
): void => {
  socket.write(
    head(status, { 'content-type': type, 'content-length': String(other.length), ...headers }),
  )
  socket.write(other)
}

/** The page after the first one of a list: other records. */
export const secondPage = ({ body }: Operation): Buffer =>
  Buffer.from(body.toString().replaceAll('"id":', '"id":1'))

/** A short answer of a status. */
export const refuse = (socket: Socket, status: string, headers: Headers = {}): void => {
  const body = JSON.stringify({ message: status })
  socket.write(
    head(status, {
      'content-type': 'application/json',
      'content-length': String(body.length),
      ...headers,
    }),
  )
  socket.write(body)
}

/** The first bytes of the answer: of a list, its first record and a half. */
export const beginning = ({ name, body }: Operation): Buffer =>
  body.subarray(0, Math.floor(body.length * (name === 'list' ? 0.75 : 0.5)))

/** Writes a piece again and again, as fast as it is read, until the other side goes away. */
export const forEver = (socket: Socket, piece: Buffer | string): void => {
  const pump = (): void => {
    while (!socket.destroyed) if (!socket.write(piece)) return
  }
  socket.on('drain', pump)
  pump()
}

/** Writes a piece every so often, until the other side goes away. */
export const trickle = (socket: Socket, piece: Buffer | string, milliseconds = 200): void => {
  const timer = setInterval(() => socket.write(piece), milliseconds)
  socket.on('close', () => clearInterval(timer))
}

/** A piece of a gzip stream, to which others may follow. */
export const packedPiece = (bytes: Buffer): Buffer =>
  deflateRawSync(bytes, { finishFlush: constants.Z_FULL_FLUSH })
/** 64 MiB of blanks in 64 KiB; 160 of them are the bomb of 10 GB. */
export const bombPiece = packedPiece(Buffer.alloc(64 << 20, ' '))
export const gzipHead = gzipSync('').subarray(0, 10)

let objects: Buffer | undefined
/** Twenty million empty objects of a list within a list: 60 MB in 60 KB. */
export const packedObjects = (): Buffer => {
  objects ??= gzipSync(Buffer.concat([Buffer.from('[['), Buffer.alloc(60_000_000, '{},')]))
  return objects
}
