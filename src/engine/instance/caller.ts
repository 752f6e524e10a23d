/** Calls of a run, their answers held against what was asked for. */

import { maxBuilt } from '../../base/json/malformed.js'
import { echoes, writes } from '../../catalogue/endpoint.js'
import type { Naming } from '../../catalogue/words.js'
import { Failure } from '../../errors.js'
import type { Ask, Answer as Download, Whole, WireRequest } from '../../http/types.js'
import { isBare } from '../command/running.js'
import type { AnswerService, UiService } from '../command/services.js'
import type { ExchangeServices } from './exchange.js'
import { sentUnknown } from './planning.js'
import { unappliedAttributes, unknownNames } from './verify-applied.js'

// What the instance did not take over a run, said once at its end.

interface Said {
  readonly unknown: boolean
  readonly labels: string[]
  count: number
}

/** So much is said of different objects; of the rest there is a count. */
const maxSaid = 20

/** How many objects are named. */
const named = 3

type Answer = Partial<Pick<Whole, 'bytes' | 'data'>>

/** Gathers over a run what was not taken, so that it is said once, however many objects there are. */
export class UnappliedAttributes {
  readonly #said = new Map<string, Said>()
  #calls = 0
  #more = 0

  /** @param words the instance's own, where a vocabulary is in force */
  constructor(private readonly words?: Naming) {}

  /**
   * @param answer read only where it is judged, and never where it is too long to be compared: what
   *   is merely passed on need not be parsed
   * @returns whether everything was taken
   */
  note(ask: Ask & { readonly label?: string }, answer: Answer): boolean {
    this.#calls += 1
    const long = (answer.bytes?.length ?? 0) > maxBuilt.bytes
    const found =
      echoes(ask.endpoint) && !long ? unappliedAttributes(ask, answer.data, this.words) : []
    for (const { text, unknown } of found) {
      const known = this.#said.get(text)
      if (known === undefined && this.#said.size >= maxSaid) {
        this.#more += 1
        continue
      }
      const said = known ?? { unknown, labels: [], count: 0 }
      said.count += 1
      if (said.labels.length < named && ask.label !== undefined) said.labels.push(ask.label)
      this.#said.set(text, said)
    }
    return found.length === 0
  }

  /** What is to be said at the end. */
  *lines(): Generator<{ readonly text: string; readonly unknown: boolean }> {
    for (const [text, { unknown, labels, count }] of this.#said) {
      const more = count > labels.length ? ` and ${count - labels.length} more` : ''
      const of = this.#calls > 1 && labels.length > 0 ? `${labels.join(', ')}${more}: ` : ''
      yield { text: `${of}${text}`, unknown }
    }
    if (this.#more > 0)
      yield { text: `${this.#more} more attributes were not applied`, unknown: false }
  }
}

/** A read that shows nothing of what it was asked for is no answer, whatever its status. */
const checkRead = ({ endpoint }: Ask, whole: Whole, { path }: WireRequest): void => {
  const { status } = whole
  const shows = ['one', 'many'].includes(endpoint.returns.kind)
  if (writes(endpoint) || !shows || status === 304 || !isBare(whole)) return
  throw new Failure('unreachable', `the instance answered ${status} without the requested data`, {
    status,
    request: `GET ${path}`,
    hint: 'Check the base URL and any proxy in front of the instance.',
  })
}

interface Strictness {
  /** An attribute that was not taken is exit 1. */
  readonly strict?: boolean
}

/** Sends one call after the other, and remembers what was not taken. */
export class Caller {
  readonly #exchange: Pick<ExchangeServices, 'client' | 'request'>
  readonly #ui: Pick<UiService, 'note'>
  readonly #answer: Pick<AnswerService, 'exit'>
  readonly #strict: boolean
  readonly #taken: UnappliedAttributes
  readonly #words: Naming | undefined

  constructor(
    exchange: Pick<ExchangeServices, 'client' | 'request'>,
    ui: Pick<UiService, 'note'>,
    answer: Pick<AnswerService, 'exit'>,
    { strict = false }: Strictness,
    words?: Naming,
  ) {
    this.#taken = new UnappliedAttributes(words)
    this.#words = words
    this.#exchange = exchange
    this.#ui = ui
    this.#answer = answer
    this.#strict = strict
  }

  /**
   * One call, its answer whole.
   * @throws Failure `unreachable` for a read that is answered with nothing
   */
  async send(ask: Ask): Promise<Whole> {
    const wire = await this.#exchange.request(ask)
    const client = await this.#exchange.client(ask.endpoint)
    try {
      const whole = await client.call(wire)
      checkRead(ask, whole, wire)
      if (!this.#taken.note(ask, whole) && this.#strict) this.#answer.exit(1)
      return whole
    } catch (error) {
      const tell = sentUnknown(this.#ui, this.#words)
      if (echoes(ask.endpoint)) for (const name of unknownNames(ask)) tell(ask.endpoint, name)
      throw error
    }
  }

  /** A download: its body is read by the caller. */
  async open(ask: Ask, headers: Readonly<Record<string, string>> = {}): Promise<Download> {
    const client = await this.#exchange.client(ask.endpoint, true)
    const request = await this.#exchange.request(ask)
    return client.open({ ...request, headers: { ...request.headers, ...headers } })
  }

  /** What is to be said at the end of what was not taken. */
  lines(): ReturnType<UnappliedAttributes['lines']> {
    return this.#taken.lines()
  }
}
