/** What a run writes into its journal of each object. */
import { isDeepStrictEqual } from 'node:util'
import { maskAddresses } from '../../base/secrets/addresses.js'
import { scrub } from '../../base/secrets/scrub.js'
import { getItemPlace, type Item } from '../work/items.js'
import type { Outcome } from '../work/report.js'
import type { RunRecord } from '../work/run.js'
import type { Attributes, ObjectLine } from './lines.js'
import type { Journal } from './writing.js'

/** What an outcome shows besides its state. */
export interface Facts {
  readonly status?: number
  readonly requestId?: string
  /** The attributes that the run changed, as they were and as they are. */
  readonly before?: Attributes
  readonly after?: Attributes
  /** Why what it was before is not known. */
  readonly unread?: string
}

/** How attributes are masked before they are written: as the output does it. */
export type Masking = (attributes: Attributes) => Attributes

/** A text of an instance, which may say back what it was sent. */
const clean = (text: string): string => maskAddresses(scrub(text))

const factsOf = ({ status, requestId, before, after, unread }: Facts, mask: Masking): Facts => ({
  status,
  requestId: requestId && clean(requestId),
  before: before && mask(before),
  after: after && mask(after),
  unread: unread && clean(unread),
})

/** What is known of an object before it is begun, as its line says it. */
type Begun = Pick<Facts, 'before' | 'after'>

const lineOf = <R>(
  item: Item,
  outcome: Outcome<R>,
  facts: (result: R | undefined) => Facts,
): ObjectLine => {
  if (outcome.state === 'done' || outcome.state === 'unchanged') {
    const { requestId, status, ...found } = facts(outcome.result)
    return { ...getItemPlace(item), state: outcome.state, status, request_id: requestId, ...found }
  }
  const { category, message, details } = outcome.failure
  return {
    ...getItemPlace(item),
    state: outcome.state,
    category,
    status: details.status,
    request_id: details.requestId && clean(details.requestId),
    message: clean(message),
  }
}

export interface RecordOptions<R> {
  /** What is kept of a result. */
  readonly facts: (result: R | undefined) => Facts
  readonly mask: Masking
  /** What is kept of an object before it is begun. */
  readonly found?: (item: Item) => Facts
  /** What the header says that an object of these attributes is to be. */
  readonly wished?: (before: Attributes) => Attributes
}

/** Keeps a run's journal. */
export const recordIn = <R>(
  journal: Pick<Journal, 'append'>,
  { facts, mask, found = () => ({}), wished = () => ({}) }: RecordOptions<R>,
): RunRecord<R> => {
  /** What the lines of the objects under way say, by their places. */
  const underWay = new Map<number, Begun>()
  /** Without what the object's line said as it was begun, and without what it was to be. */
  const news = (known: Begun, { before, after, ...others }: Facts): Facts => {
    const was = before ?? known.before
    const wish = known.after === undefined && was !== undefined ? wished(was) : known.after
    return {
      ...others,
      before: known.before === undefined ? before : undefined,
      after: after === undefined || isDeepStrictEqual(after, wish) ? undefined : after,
    }
  }
  return {
    begun: (item) => {
      const { before, after, unread } = factsOf(found(item), mask)
      if (before !== undefined) underWay.set(item.n, { before, after })
      return journal.append({ ...getItemPlace(item), state: 'begun', before, after, unread })
    },
    settled: (item, outcome) => {
      const known = underWay.get(item.n) ?? {}
      underWay.delete(item.n)
      return journal.append(
        lineOf(item, outcome, (result) => news(known, factsOf(facts(result), mask))),
      )
    },
  }
}
