/** What a run writes into its journal of each object. */
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

const factsOf = ({ status, requestId, before, after, unread }: Facts, mask: Masking) => ({
  status,
  request_id: requestId && clean(requestId),
  before: before && mask(before),
  after: after && mask(after),
  unread: unread && clean(unread),
})

const lineOf = <R>(
  item: Item,
  outcome: Outcome<R>,
  facts: (result: R | undefined) => Facts,
  mask: Masking,
): ObjectLine => {
  if (outcome.state === 'done' || outcome.state === 'unchanged')
    return { ...getItemPlace(item), state: outcome.state, ...factsOf(facts(outcome.result), mask) }
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

/**
 * Keeps a run's journal.
 * @param facts what is kept of a result
 * @param found what is kept of an object before it is begun
 */
export const recordIn = <R>(
  journal: Pick<Journal, 'append'>,
  facts: (result: R | undefined) => Facts,
  mask: Masking,
  found: (item: Item) => Facts = () => ({}),
): RunRecord<R> => ({
  begun: (item) =>
    journal.append({ ...getItemPlace(item), state: 'begun', ...factsOf(found(item), mask) }),
  settled: (item, outcome) => journal.append(lineOf(item, outcome, facts, mask)),
})
