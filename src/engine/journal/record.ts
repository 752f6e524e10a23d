/** Writes into the journal of a run what becomes of each object. */
import { isDeepStrictEqual } from 'node:util'
import type { Fields } from '../../base/objects.js'
import {
  getSecrecies,
  maskAddresses,
  maskFields,
  maskText,
  type Replacement,
} from '../../base/secrets/mask.js'
import { masked } from '../../base/secrets/names.js'
import { redactSecrets } from '../../base/secrets/scrub.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { getSecretFields } from '../../catalogue/fields.js'
import type { Failure } from '../../errors.js'
import type { Item } from '../work/report.js'
import type { RunRecord } from '../work/run.js'
import type { Attributes, DoneLine, FailedLine } from './lines.js'
import type { Journal } from './writer.js'

// What journals keep of an object: masked as the output masks it, and without what was sent as a secret.

/** Masks a value that has a text which was sent as a secret. */
const maskSentSecret = (value: unknown): unknown => {
  const text = JSON.stringify(value)
  return text === undefined || redactSecrets(text) === text ? value : masked
}

/** The replacement for a value that holds a secret: the value is masked whole, because what is masked in part could not be put back. */
const whole: Replacement = {
  value: () => masked,
  text: (_, text) => (maskText(text) === text ? text : masked),
}

/** Attributes of what an endpoint takes or gives, as they may be written down. */
export const createAttributeMask = (
  endpoint: Endpoint,
): ((attributes: Fields | null) => Fields | null) => {
  const secrecyOf = getSecrecies(getSecretFields(endpoint))
  return (attributes) =>
    attributes === null
      ? null
      : Object.fromEntries(
          Object.entries(maskFields(attributes, secrecyOf, whole)).map(([name, value]) => [
            name,
            maskSentSecret(value),
          ]),
        )
}

/** The facts that an outcome shows besides its state. */
export interface Facts {
  readonly status?: number
  readonly requestId?: string
  /** The attributes that the run changed, as they were and as they are. */
  readonly before?: Attributes
  readonly after?: Attributes
  /** Why what it was before is not known. */
  readonly unread?: string
}

/** A function that masks attributes before they are written, as the output does it. */
export type Masking = (attributes: Attributes) => Attributes

/** Removes secrets from a text of an instance, which may say back what it was sent. */
const clean = (text: string): string => maskAddresses(redactSecrets(text))

/** The facts of an object before its request is sent, as its journal line says them. */
type KnownFacts = Pick<Facts, 'before' | 'after'>

const nothing: Facts = {}

const createFailedLine = (
  { n, object, parent }: Item,
  state: FailedLine['state'],
  { category, message, details }: Failure,
): FailedLine => ({
  n,
  object,
  parent,
  state,
  category,
  status: details.status,
  request_id: details.requestId && clean(details.requestId),
  message: clean(message),
})

interface RecordOptions<R> {
  /** Returns the facts that are kept of a result. */
  readonly facts: (result: R | undefined) => Facts
  readonly mask: Masking
  /** Returns the facts that are kept of an object before it is begun. */
  readonly found?: (item: Item) => Facts
  /** Returns the attributes that an object is to have by the header, from those that it had. */
  readonly wished?: (before: Attributes) => Attributes
}

/** Creates the line of an object that is done, without what its line said as it was begun, and without what it was to be. */
const createDoneLine = (
  { n, object, parent }: Item,
  state: DoneLine['state'],
  { status, requestId, before, after, unread }: Facts,
  known: KnownFacts,
  wished: (before: Attributes) => Attributes,
): DoneLine => {
  const was = before ?? known.before
  const wish = known.after === undefined && was !== undefined ? wished(was) : known.after
  return {
    n,
    object,
    parent,
    state,
    status,
    request_id: requestId && clean(requestId),
    before: known.before === undefined ? before : undefined,
    after: after === undefined || isDeepStrictEqual(after, wish) ? undefined : after,
    unread: unread && clean(unread),
  }
}

/** Keeps a run's journal. */
export const recordIn = <R>(
  journal: Pick<Journal, 'append'>,
  { facts, mask, found = () => nothing, wished = () => ({}) }: RecordOptions<R>,
): RunRecord<R> => {
  /** The facts in the lines of the objects under way, by their places. */
  const underWay = new Map<number, KnownFacts>()
  const masked = ({ status, requestId, before, after, unread }: Facts): Facts => ({
    status,
    requestId,
    unread,
    before: before && mask(before),
    after: after && mask(after),
  })
  return {
    begun: (item) => {
      const { n, object, parent } = item
      const { before, after, unread } = masked(found(item))
      if (before !== undefined) underWay.set(n, { before, after })
      const why = unread && clean(unread)
      return journal.append({ n, object, parent, state: 'begun', before, after, unread: why })
    },
    settled: (item, outcome) => {
      const known = underWay.get(item.n) ?? nothing
      underWay.delete(item.n)
      if ('failure' in outcome)
        return journal.append(createFailedLine(item, outcome.state, outcome.failure))
      const done = masked(facts(outcome.result))
      return journal.append(createDoneLine(item, outcome.state, done, known, wished))
    },
  }
}
