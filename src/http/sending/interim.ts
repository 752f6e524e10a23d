/**
 * An unasked `100 Continue` is to be read and passed over (RFC 9110, 15.2). undici takes it for a
 * broken answer, and any other 1xx for what it is; so the one is shown to it as the other. Where in
 * a connection's bytes an answer begins is known: after a request was written.
 */
import { subscribe } from 'node:diagnostics_channel'

const blank = { cr: 0x0d, lf: 0x0a }
const digit = { one: 0x31, zero: 0x30, two: 0x32 }
/** Places in `HTTP/1.1 100`. */
const place = { hundreds: 9, tens: 10, ones: 11 }

/** The heads of the answers on one connection. */
export class Heads {
  #reading = false
  /** How far the status line was read; past its status the end of the head is looked for. */
  #at = 0
  #hundreds = 0
  #tens = 0
  /** Whether the line that is being read has nothing in it so far. */
  #empty = false

  /** A request is on its way: the next bytes that come begin an answer. */
  expect(): void {
    this.#reading = true
    this.#at = 0
  }

  /** Bytes as they come, of which a status of 100 is made 102. */
  look(bytes: Uint8Array): void {
    for (let i = 0; this.#reading && i < bytes.length; i++) {
      const byte = bytes[i] ?? 0
      if (this.#at > place.ones) this.#toEnd(byte)
      else if (this.#status(byte)) bytes[i] = digit.two
    }
  }

  /** True at the last digit of a status of 100. */
  #status(byte: number): boolean {
    if (this.#at === 0 && (byte === blank.cr || byte === blank.lf)) return false
    const at = this.#at++
    if (at === place.hundreds) this.#hundreds = byte
    if (at === place.tens) this.#tens = byte
    if (at !== place.ones) return false
    this.#empty = false
    const interim = this.#hundreds === digit.one && this.#tens === digit.zero
    // Any other answer is the real one, and what follows may be its body.
    this.#reading = interim && byte !== digit.one
    return interim && byte === digit.zero
  }

  #toEnd(byte: number): void {
    if (byte === blank.cr) return
    const ends = byte === blank.lf && this.#empty
    this.#empty = byte === blank.lf
    if (ends) this.#at = 0
  }
}

interface Readable {
  read: (size?: number) => unknown
}

const socketOf = (message: unknown): Readable | undefined => {
  if (typeof message !== 'object' || message === null || !('socket' in message)) return undefined
  const { socket } = message
  return typeof socket === 'object' && socket !== null && 'read' in socket
    ? (socket as Readable)
    : undefined
}

const watched = new WeakMap<Readable, Heads>()

const watch = (socket: Readable): Heads => {
  const heads = new Heads()
  const read = socket.read.bind(socket)
  socket.read = (size) => {
    const chunk = read(size)
    if (chunk instanceof Uint8Array) heads.look(chunk)
    return chunk
  }
  watched.set(socket, heads)
  return heads
}

let listening = false

/** From now on every connection of undici's passes over an unasked `100 Continue`. */
export const passOverContinue = (): void => {
  if (listening) return
  listening = true
  subscribe('undici:client:sendHeaders', (message) => {
    const socket = socketOf(message)
    if (socket !== undefined) (watched.get(socket) ?? watch(socket)).expect()
  })
}
