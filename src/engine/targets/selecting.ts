/** `--select` over several parents: the objects of each, all of them before the first write. */

import { exitCodes, Failure } from '../../errors.js'
import type { Services } from '../command/services.js'
import type { Given } from '../command/types.js'
import { givenFor, type ParentTarget } from '../plan/parents.js'
import { maxNamed } from '../work/report.js'
import { type EngineOptions, type Run, run } from '../work/run.js'
import type { Chosen, Selection } from './selection.js'
import { FieldPresence, isOwn } from './shared.js'

interface Choosing {
  readonly selection: Selection
  readonly services: Services
  readonly given: Given
  readonly signal: AbortSignal
  readonly gate: EngineOptions<Chosen>['gate']
}

/** @throws Failure for what ended the reading as a whole */
const ended = async ({ report }: Run<Chosen>): Promise<void> => {
  const { end, cause } = await report
  if (end === 'interrupted') throw new Failure('interrupted', 'interrupted')
  if (cause !== undefined) throw cause
}

const wordOf = (slots: readonly ParentTarget[]): string => {
  const [first] = slots
  const word = first?.parent.column === 'of' ? 'place' : (first?.kind ?? 'project')
  return slots.length === 1 ? `1 ${word}` : `${slots.length} ${word}s`
}

/** The lists of the parents, several at once; the objects of each in the order of the parents. */
class Gathering {
  readonly slots: ParentTarget[] = []
  readonly #names: string[] = []
  readonly #choosing: Choosing
  #left: number
  readonly #sightings = new FieldPresence()
  /** How many there are of each parent whose list was read. */
  readonly #counts = new Map<number, number>()
  #next = 1
  /** How many there may still be behind the parents that are read without a gap. */
  #open: number

  constructor(choosing: Choosing) {
    this.#choosing = choosing
    this.#left = choosing.selection.most
    this.#open = this.#left
  }

  async of(slots: readonly ParentTarget[]): Promise<void> {
    const { services, selection, given, signal, gate } = this.#choosing
    const tally = services.ui.tally(slots.length)
    const items = async function* (wanted: () => boolean) {
      for (const [i, slot] of slots.entries()) {
        if (!wanted()) return
        yield { n: i + 1, object: slot.parent.name, slot }
      }
    }
    const reads = run<Chosen, { n: number; object: string; slot: ParentTarget }>({
      items: items(() => this.#open > 0),
      gate,
      signal,
      work: async ({ n, slot }) => {
        const result = await selection.in(givenFor(given, slot), this.#open)
        this.#count(n, result.args.length)
        return { state: 'done', result }
      },
      told: ({ item, outcome }) => {
        if ('failure' in outcome) this.#count(item.n, 0)
        tally.add(1, 'failure' in outcome)
      },
    })
    try {
      for await (const { item, outcome } of reads) {
        if (this.#left <= 0) break
        if ('failure' in outcome) this.#fail(item.slot, outcome.failure)
        else if (outcome.result !== undefined) this.#take(item.slot, outcome.result)
      }
    } finally {
      tally.end()
    }
    await ended(reads)
    this.#sightings.check()
  }

  #count(n: number, count: number): void {
    this.#counts.set(n, count)
    for (let known = this.#counts.get(this.#next); known !== undefined; ) {
      this.#open -= known
      this.#counts.delete(this.#next)
      known = this.#counts.get(++this.#next)
    }
  }

  #take(slot: ParentTarget, chosen: Chosen): void {
    this.#sightings.shown()
    const args = chosen.args.slice(0, this.#left)
    if (args.length === 0) return
    this.#left -= args.length
    this.slots.push({ ...slot, args })
    if (this.#names.length >= maxNamed) return
    const names = chosen.names.slice(0, args.length)
    this.#names.push(...names.map((name) => `${name} of ${slot.parent.name}`))
  }

  #fail(slot: ParentTarget, failure: Failure): void {
    if (this.#sightings.waives(failure)) return
    if (!isOwn(failure)) throw failure
    this.slots.push({ ...slot, failure })
  }

  /** All of them together. */
  get chosen(): Chosen {
    const args = this.slots.flatMap((slot) => slot.args ?? [])
    return { args, names: this.#names }
  }
}

/**
 * The parents that have objects to work on, with these, and those of which they are not known.
 * @throws Failure `usage` where it is not confirmed
 */
export const selectedIn = async (
  choosing: Choosing,
  slots: readonly ParentTarget[],
): Promise<readonly ParentTarget[]> => {
  const gathering = new Gathering(choosing)
  await gathering.of(slots)
  const { chosen } = gathering
  const having = gathering.slots.filter(({ args }) => args !== undefined)
  const failed = gathering.slots.length - having.length
  const unread = failed === 0 ? '' : `; ${failed} more lists could not be read`
  if (chosen.args.length > 0)
    await choosing.selection.confirm(
      chosen.names,
      chosen.args.length,
      ` in ${wordOf(having)}${unread}`,
    )
  else if (gathering.slots.length === 0) await choosing.selection.nothing()
  return gathering.slots
}

/**
 * A verb whose objects belong to no project, over those that the lists of several named.
 * @throws Failure of the verb; what the lists came to, where none names any
 */
export const doTogether = async (
  { given, services, selection }: Pick<Choosing, 'given' | 'services' | 'selection'>,
  slots: readonly ParentTarget[],
  perform: (given: Given) => Promise<void>,
): Promise<void> => {
  const failures = slots.flatMap(({ failure, parent }) =>
    failure === undefined ? [] : [{ failure, name: parent.name }],
  )
  for (const { failure, name } of failures) services.ui.report(failure, name)
  const args = [...new Set(slots.flatMap((slot) => slot.args ?? []))]
  if (args.length > 0) await perform(selection.verbed({ ...given, args }))
  const [first] = failures
  if (first === undefined) return
  const alike = failures.every(({ failure }) => failure.category === first.failure.category)
  if (args.length === 0 && alike)
    throw new Failure(first.failure.category, `all ${failures.length} failed`)
  services.answer.exit(exitCodes.partial)
}
