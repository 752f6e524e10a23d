/** Calls of a run, their answers held against what was asked for. */
import { echoes, writes } from '../../../catalogue/endpoint.js'
import type { Naming } from '../../../catalogue/words.js'
import { isBare } from '../../../commands/answered.js'
import type { AnswerService, PersonService } from '../../../commands/services.js'
import { Failure } from '../../../errors.js'
import type { Ask, Answer as Download, Whole, WireRequest } from '../../../http/types.js'
import type { ExchangeServices } from './exchange.js'
import { unknownNames } from './judge.js'
import { sentUnknown } from './planning.js'
import { Taken } from './taken.js'

/** A read that shows nothing of what it was asked for is no answer, whatever its status. */
const checkRead = ({ endpoint }: Ask, whole: Whole, { path }: WireRequest): void => {
  const { status } = whole
  const shows = ['one', 'many'].includes(endpoint.returns.kind)
  if (writes(endpoint) || !shows || status === 304 || !isBare(whole)) return
  throw new Failure('unreachable', `the instance answered ${status} without what was asked for`, {
    status,
    request: `GET ${path}`,
    hint: 'Check the base URL, and what stands between here and the instance.',
  })
}

interface Strictness {
  /** An attribute that was not taken is exit 1. */
  readonly strict?: boolean
}

/** Sends one call after the other, and remembers what was not taken. */
export class Sending {
  readonly #exchange: Pick<ExchangeServices, 'client' | 'request'>
  readonly #person: Pick<PersonService, 'note'>
  readonly #answer: Pick<AnswerService, 'exit'>
  readonly #strict: boolean
  readonly #taken: Taken
  readonly #words: Naming | undefined

  constructor(
    exchange: Pick<ExchangeServices, 'client' | 'request'>,
    person: Pick<PersonService, 'note'>,
    answer: Pick<AnswerService, 'exit'>,
    { strict = false }: Strictness,
    words?: Naming,
  ) {
    this.#taken = new Taken(words)
    this.#words = words
    this.#exchange = exchange
    this.#person = person
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
      const tell = sentUnknown(this.#person, this.#words)
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
  lines(): ReturnType<Taken['lines']> {
    return this.#taken.lines()
  }
}
