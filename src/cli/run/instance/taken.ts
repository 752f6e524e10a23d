/** What the instance did not take over a run, said once at its end. */
import { mostBuilt } from '../../../base/json/malformed.js'
import { echoes } from '../../../catalogue/endpoint.js'
import type { Naming } from '../../../catalogue/words.js'
import type { Ask, Whole } from '../../../http/types.js'
import { notTaken } from './judge.js'

interface Said {
  readonly unknown: boolean
  readonly labels: string[]
  count: number
}

/** So much is said of different objects; of the rest there is a count. */
const mostSaid = 20

/** How many objects are named. */
const named = 3

type Answer = Partial<Pick<Whole, 'bytes' | 'data'>>

/** Gathers over a run what was not taken, so that it is said once, however many objects there are. */
export class Taken {
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
    const long = (answer.bytes?.length ?? 0) > mostBuilt.bytes
    const found = echoes(ask.endpoint) && !long ? notTaken(ask, answer.data, this.words) : []
    for (const { text, unknown } of found) {
      const known = this.#said.get(text)
      if (known === undefined && this.#said.size >= mostSaid) {
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
      yield { text: `${this.#more} more were not taken as they were given`, unknown: false }
  }
}
