/** What an export could not read, told as it goes, and what it ends with. */
import type { LookedAt } from '../../desired/exporting/index.js'
import type { UnreadPlace } from '../../desired/reading/index.js'
import type { PersonService } from '../../engine/command/services.js'
import { type Category, Failure } from '../../errors.js'

/** So many are told one by one. */
const mostTold = 20

export class UnreadParts {
  readonly #person: Pick<PersonService, 'note' | 'report'>
  readonly #categories = new Set<Category>()
  readonly #unsupported = new Set<string>()
  #first: Failure | undefined
  #unread = 0
  #asked = 0

  constructor(person: Pick<PersonService, 'note' | 'report'>) {
    this.#person = person
  }

  /** A part that is not in what is written. */
  add(address: string, failure: Failure): void {
    this.#unread += 1
    this.#first ??= failure
    this.#categories.add(failure.category)
    if (this.#unread <= mostTold) this.#person.report(failure, address)
  }

  looked({ unread, unsupported, denied, kinds }: LookedAt): void {
    this.#asked += kinds - denied.length
    for (const kind of denied)
      this.#person.note(`${kind}: only administrators may read it, left out`)
    for (const { address, failure } of unread) this.add(address, failure)
    for (const kind of unsupported) this.#unsupported.add(kind)
  }

  /** A place that was named, and of which nothing is known. */
  unseen({ place, failure }: UnreadPlace): void {
    this.#asked += 1
    this.add(`${place.scope}s/${place.path}`, failure)
  }

  /** Whether anything was read, or there was nothing to read. */
  get some(): boolean {
    return this.#unread < this.#asked || this.#asked === 0
  }

  /** What the run ends with; undefined where all was read. */
  verdict(): Failure | undefined {
    for (const kind of this.#unsupported) this.#person.note(`${kind}: unsupported here, left out`)
    const first = this.#first
    if (first === undefined) return undefined
    const more = this.#unread - mostTold
    if (more > 0) this.#person.note(`and ${more} more that could not be read`)
    const alike = !this.some && this.#categories.size === 1
    return new Failure(
      alike ? first.category : 'partial',
      this.some
        ? `${this.#unread} of ${this.#asked} could not be read: not in what was written`
        : 'nothing could be read',
      first.details.hint === undefined || !alike ? {} : { hint: first.details.hint },
    )
  }
}
