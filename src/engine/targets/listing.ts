/** What a run does for each of several parents by itself: it lists, or it runs a command that works in its own way. */

import { Failure } from '../../errors.js'
import { PartOfAnswer, refusePart } from '../answer/part.js'
import type { RunAnswer } from '../answer/printing.js'
import type { Emit, Services } from '../command/services.js'
import type { Command, Given, Operation, Plan } from '../command/types.js'
import { Lists } from '../instance/listing.js'
import type { RunOptions } from '../options.js'
import { LiveInstance, type Parts } from '../perform/live.js'
import type { Requests } from '../perform/requests.js'
import { givenFor, type ParentTarget } from '../plan/parents.js'
import type { DeferredNotes } from '../streams.js'
import type { Over, PartOfOver } from './over.js'

type Run = NonNullable<Command['run']>

/** Prints what each of several parents has, so many records at most. */
export type ListOver = (
  given: Given,
  work: Operation | Run,
  slots: readonly ParentTarget[],
  most: number,
) => Promise<void>

interface OverParts extends Parts, Pick<Services, 'ui' | 'place'> {
  readonly requests: Pick<Requests, 'below'>
  readonly answer: RunAnswer
  readonly below: DeferredNotes
  readonly choice: ConstructorParameters<typeof Lists>[3]
  readonly asked?: ((plan: Plan) => void) | undefined
}

/** The parents that a line within another reads, in its order. */
const chosen = (
  slots: readonly ParentTarget[],
  choose: (names: readonly string[]) => readonly string[],
): readonly ParentTarget[] => {
  const known = new Map(slots.map((slot) => [slot.parent.name, slot]))
  return choose([...known.keys()]).flatMap((name) => known.get(name) ?? [])
}

class EachParent {
  readonly #globals: RunOptions['globals']
  readonly #parts: OverParts

  constructor(globals: RunOptions['globals'], parts: OverParts) {
    this.#globals = globals
    this.#parts = parts
  }

  /** One list. */
  listing(given: Given, operation: Operation): Over['one'] {
    const { emit = {} } = operation
    if (emit.document !== undefined) throw refusePart('project or group')
    return async (slot, part) => {
      const [plan] = await this.#parts.requests.below(operation.given ?? given, operation, [slot])
      if (plan === undefined) throw new Failure('internal', 'a list without a plan')
      if (plan.refused !== undefined) throw plan.refused
      const lists = this.#listsTo(part)
      await (plan.request === undefined
        ? lists.stream(plan, emit)
        : lists.streamRequest(plan.request))
    }
  }

  /** A command, which sees one parent alone. */
  running(given: Given, run: Run): Over['one'] {
    const { answer, ui, place, planning } = this.#parts
    return async (slot, part) => {
      const { parent } = slot
      const own: Parts['planning'] = {
        plans: async (...asked) =>
          (await planning.plans(...asked)).map((plan) => ({ ...plan, parent })),
        plan: async (...asked) => ({ ...(await planning.plan(...asked)), parent }),
      }
      const lists = this.#listsTo(part)
      const instance = new LiveInstance({ ...this.#parts, planning: own, lists })
      const services = { instance, answer: new PartOfAnswer(answer, part.writer), ui, place }
      await run(services, givenFor(given, slot))
    }
  }

  #listsTo({ paging, writer }: PartOfOver): Lists {
    const { choice, exchange } = this.#parts
    // What is said of a list is said of all of them together.
    const { asked } = this.#parts
    const to = { writer: async (_: boolean, emit: Emit) => writer(emit), later: () => {}, asked }
    return new Lists({ ...this.#globals, ...paging }, exchange.instance, to, choice)
  }
}

/** Several parents, one below the other. */
export const listingOver =
  ({ globals, inner, part, signal }: RunOptions, parts: OverParts): ListOver =>
  async (given, work, found, most) => {
    const { answer, below, exchange, ui } = parts
    const each = new EachParent(globals, { ...parts, asked: inner?.asked })
    const slots = inner?.parents === undefined ? found : chosen(found, inner.parents.choose)
    const one = typeof work === 'function' ? each.running(given, work) : each.listing(given, work)
    const { overParents } = await import('./over.js')
    await overParents({
      services: { answer, ui },
      slots,
      settled: inner?.parents?.settled,
      most,
      one,
      writer: (emit) => answer.writer(true, emit),
      held: part?.held ?? (() => false),
      later: below.later,
      signal,
      gate: await exchange.gate(),
      globals,
    })
  }
