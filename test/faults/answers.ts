/** Answers of the lying server: heads, bodies, and bodies without an end. */
import type { Socket } from 'node:net'
import { constants, deflateRawSync, gzipSync } from 'node:zlib'
import type { Operation } from './operations.js'

export type Headers = Readonly<Record<string, string>>

export const buildHead = (status: string, headers: Headers): string =>
  [
    `HTTP/1.1 ${status}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n')

/** Sends the correct answer, with additional headers or another body. */
export const answerHonestly = (
  socket: Socket,
  { status, type, body }: Operation,
  headers: Headers = {},
  other: Buffer = body,
): void => {
  socket.write(
    buildHead(status, { 'content-type': type, 'content-length': String(other.length), ...headers }),
  )
  socket.write(other)
}

/** Builds the second page of a list, which has other records. */
export const buildSecondPage = ({ body }: Operation): Buffer =>
  Buffer.from(body.toString().replaceAll('"id":', '"id":1'))

/** Sends a short answer with an error status. */
export const refuse = (socket: Socket, status: string, headers: Headers = {}): void => {
  const body = JSON.stringify({ message: status })
  socket.write(
    buildHead(status, {
      'content-type': 'application/json',
      'content-length': String(body.length),
      ...headers,
    }),
  )
  socket.write(body)
}

/** Returns the first bytes of the answer; of a list, one and a half records. */
export const getBeginning = ({ name, body }: Operation): Buffer =>
  body.subarray(0, Math.floor(body.length * (name === 'list' ? 0.75 : 0.5)))

/** Writes a piece repeatedly, as fast as it is read, until the client disconnects. */
export const writeForever = (socket: Socket, piece: Buffer | string): void => {
  const pump = (): void => {
    while (!socket.destroyed) if (!socket.write(piece)) return
  }
  socket.on('drain', pump)
  pump()
}

/** Writes a piece at intervals, until the client disconnects. */
export const writeSlowly = (socket: Socket, piece: Buffer | string, milliseconds = 200): void => {
  const timer = setInterval(() => socket.write(piece), milliseconds)
  socket.on('close', () => clearInterval(timer))
}

/** Compresses bytes to a piece of a gzip stream that more pieces can follow. */
export const packPiece = (bytes: Buffer): Buffer =>
  deflateRawSync(bytes, { finishFlush: constants.Z_FULL_FLUSH })
/** 64 MiB of blanks in 64 KiB; 160 of them make the bomb of 10 GB. */
export const bombPiece = packPiece(Buffer.alloc(64 << 20, ' '))
export const gzipHead = gzipSync('').subarray(0, 10)

let objects: Buffer | undefined
/** Returns twenty million empty objects of a list within a list: 60 MB in 60 KB. They are compressed once. */
export const getPackedObjects = (): Buffer => {
  objects ??= gzipSync(Buffer.concat([Buffer.from('[['), Buffer.alloc(60_000_000, '{},')]))
  return objects
}
