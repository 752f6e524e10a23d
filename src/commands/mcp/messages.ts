/** Messages of the protocol, a line each: what is none is answered with the protocol's error, and the session goes on. */
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { isObject } from '../../base/objects.js'

/** A message is at most so large. */
export const mostMessage = 1024 * 1024

/** The protocol's own numbers (JSON-RPC 2.0, section 5.1). */
const codes = { unreadable: -32700, invalid: -32600 } as const

interface Heard {
  /** A line that is a message, with its end. */
  readonly message: (line: string) => void
  /** An answer to what is none. */
  readonly error: (line: string) => void
}

const errorLine = (id: unknown, code: number, message: string): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`

/** Whose message it was, as far as that can be read. */
const idIn = (value: unknown): string | number | null =>
  isObject(value) && (typeof value.id === 'string' || typeof value.id === 'number')
    ? value.id
    : null

export class Messages {
  readonly #heard: Heard
  #pieces: string[] = []
  #size = 0
  /** The line at hand is too large: the rest of it is passed over. */
  #lost = false

  constructor(heard: Heard) {
    this.#heard = heard
  }

  /** Takes what came, wherever it was cut. */
  take(text: string): void {
    let at = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', at)) {
      this.#gather(text.slice(at, end))
      this.#end()
      at = end + 1
    }
    this.#gather(text.slice(at))
  }

  #gather(piece: string): void {
    if (this.#lost || piece === '') return
    this.#size += Buffer.byteLength(piece)
    if (this.#size <= mostMessage) {
      this.#pieces.push(piece)
      return
    }
    this.#lost = true
    this.#pieces = []
    this.#heard.error(
      errorLine(null, codes.invalid, `a message is at most ${mostMessage} bytes: it was not read`),
    )
  }

  #end(): void {
    const [line, lost] = [this.#pieces.join(''), this.#lost]
    this.#pieces = []
    this.#size = 0
    this.#lost = false
    if (!lost && line.trim() !== '') this.#line(line)
  }

  #line(line: string): void {
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      this.#heard.error(errorLine(null, codes.unreadable, 'this is no JSON'))
      return
    }
    if (JSONRPCMessageSchema.safeParse(value).success) this.#heard.message(`${line}\n`)
    else this.#heard.error(errorLine(idIn(value), codes.invalid, 'this is no message of JSON-RPC'))
  }
}
