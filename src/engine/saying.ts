/** What a run says beside its answer: of its requests, and below the output. */

import type { Exchange } from '../http/types.js'
import { aside } from '../terminal/streams/line.js'
import { ledBy } from '../terminal/streams/notes.js'
import { say, standardError } from '../terminal/streams/standard.js'
import type { ExchangeOptions } from './instance/exchange.js'
import type { Streams } from './screen.js'

// `-v`: one exchange as text; `-vv` with headers and bodies. Credentials are redacted already.

const headerLines = (mark: string, headers: Readonly<Record<string, string>> = {}): string[] =>
  Object.entries(headers).map(([name, value]) => `${mark} ${name}: ${value}`)

/** The lines of a trace, each ended. */
const traceText = (
  exchange: Exchange,
  level: number,
  visible: (text: string) => string,
): string => {
  const { method, url, status, milliseconds, error, requestId } = exchange
  const outcome = status === undefined ? (error ?? 'no answer') : String(status)
  const id = requestId === undefined ? '' : ` (request ${requestId})`
  const { sudo } = exchange.requestHeaders
  const as = sudo === undefined ? '' : ` as ${sudo}`
  const head = `* ${method} ${url}${as} → ${outcome} in ${Math.round(milliseconds)} ms${id}`
  const rest =
    level < 2
      ? []
      : [
          ...headerLines('>', exchange.requestHeaders),
          ...(exchange.requestBody === undefined ? [] : [`> ${exchange.requestBody}`]),
          ...headerLines('<', exchange.responseHeaders),
          ...(exchange.responseBody === undefined ? [] : [`< ${exchange.responseBody}`]),
        ]
  return [head, ...rest].map((line) => `${visible(line)}\n`).join('')
}

/** What the exchange says beside the answer. */
export const heardBy = (
  { notes, meter, style, of }: Streams,
  verbose: number,
): ExchangeOptions['screen'] => ({
  say: (text, level) => {
    if (level === 'info' || verbose > 0) notes.note(text)
  },
  warn: (text) => notes.warn(text),
  trace: (exchange) => {
    if (verbose === 0) return
    const text = traceText(exchange, verbose, style.visible)
    aside(true, () => say(standardError(), of === undefined ? text : ledBy(of, text)))
  },
  meter,
})

/** Lines that stand below the output, and what else is to be said once it is there. */
export class Afterwards {
  readonly #said: (() => void)[] = []
  readonly #notes: Streams['notes']

  constructor(notes: Streams['notes']) {
    this.#notes = notes
  }

  readonly later = (text: string, level: 'note' | 'warn' = 'note'): void => {
    this.#said.push(() => this.#notes[level](text))
  }

  say(): void {
    for (const say of this.#said) say()
  }
}
