/** Records the start and the outcome of each object in the journal of a run, without secrets. */
import { isDeepStrictEqual } from 'node:util'
import { isNumber } from '../../base/json/json.js'
import { type Fields, mapValues } from '../../base/objects.js'
import {
  getSecrecies,
  maskAddresses,
  maskFields,
  maskText,
  type Replacement,
} from '../../base/secrets/mask.js'
import { masked } from '../../base/secrets/names.js'
import { redactSecrets } from '../../base/secrets/redact.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { getSecretFields } from '../../catalogue/fields.js'
import type { Failure } from '../../errors.js'
import type { Item } from '../work/report.js'
import type { RunRecord } from '../work/run.js'
import type { Attributes, DoneLine, FailedLine } from './lines.js'
import type { Journal } from './writer.js'

// Attributes are masked as in the output, and values that were sent as secrets are removed.

/** Masks a value that contains a text which was sent as a secret. */
const maskSentSecret = (value: unknown): unknown => {
  const text = JSON.stringify(value)
  return text === undefined || redactSecrets(text) === text ? value : masked
}

/** Replaces a value that contains a secret as a whole: a partly masked value could not be restored. */
const wholeValueReplacement: Replacement = {
  value: () => masked,
  text: (_, text) => (maskText(text) === text ? text : masked),
}

/** True if a value contains a whole number beyond 2^53, which JSON would round. */
const holdsRounded = (value: unknown): boolean => {
  if (isNumber(value))
    return Number.isInteger(Number(value)) && !Number.isSafeInteger(Number(value))
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsRounded)
}

/**
 * True if a journal can record a value. A missing or rounded value is treated like a masked one: it cannot be restored.
 */
export const isKeepable = (value: unknown): boolean => value !== undefined && !holdsRounded(value)

/** Creates the function that masks the attributes of an endpoint for a journal. */
export const createAttributeMask = (
  endpoint: Endpoint,
): ((attributes: Fields | null) => Fields | null) => {
  const findSecrecy = getSecrecies(getSecretFields(endpoint))
  return (attributes) =>
    attributes === null
      ? null
      : mapValues(maskFields(attributes, findSecrecy, wholeValueReplacement), maskSentSecret)
}

/** The facts about an outcome that a journal records besides the state. */
export interface OutcomeFacts {
  readonly status?: number
  readonly requestId?: string
  /** The attributes that the run changed, before and after. */
  readonly before?: Attributes
  readonly after?: Attributes
  /** The reason why the previous state is unknown. */
  readonly unread?: string
  /** The new name of an object that was created again. */
  readonly object?: string
}

/** Masks attributes before they are written. */
export type AttributeMask = (attributes: Attributes) => Attributes

/** Removes secrets from a text of the instance, which may repeat what it received. */
const removeSecrets = (text: string): string => maskAddresses(redactSecrets(text))

/** The facts that the lines of a journal tell about an object that is begun. */
interface KnownFacts {
  readonly before?: Attributes
  /** The state that the object is to have. */
  readonly intended?: Attributes
}

const noFacts: OutcomeFacts = {}

/** Creates the line of an object that failed. */
export const createFailedLine = (
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
  request_id: details.requestId && removeSecrets(details.requestId),
  message: removeSecrets(message),
})

interface RecordOptions<R> {
  /** Returns the facts to record about a result. */
  readonly getFacts: (result: R | undefined, item: Item) => OutcomeFacts
  readonly mask: AttributeMask
  /** Returns the facts to record about an object before it is begun. */
  readonly getKnownFacts?: (item: Item) => OutcomeFacts
  /** Returns the attributes that an object should have according to the header, from those that it had. */
  readonly getIntendedAttributes?: (before: Attributes) => Attributes
}

/**
 * Creates the line of a completed object. It leaves out facts of the begun line, and a final state that equals the
 * intended one.
 */
const createDoneLine = (
  { n, object, parent }: Item,
  state: DoneLine['state'],
  { status, requestId, before, after, unread, object: renamed = object }: OutcomeFacts,
  known: KnownFacts,
  getIntendedAttributes: (before: Attributes) => Attributes,
): DoneLine => {
  // Nothing tells beforehand what an object that is created will show.
  const intended =
    known.intended === undefined && before ? getIntendedAttributes(before) : known.intended
  return {
    n,
    object: renamed,
    parent,
    state,
    status,
    request_id: requestId && removeSecrets(requestId),
    before: known.before === undefined ? before : undefined,
    after: after === undefined || isDeepStrictEqual(after, intended) ? undefined : after,
    unread: unread && removeSecrets(unread),
  }
}

/** Creates the record of a run, which writes its outcomes to a journal. */
export const createRunRecord = <R>(
  journal: Pick<Journal, 'append'>,
  {
    getFacts,
    mask,
    getKnownFacts = () => noFacts,
    getIntendedAttributes = () => ({}),
  }: RecordOptions<R>,
): RunRecord<R> => {
  /** The facts in the begun lines of unfinished objects, by number. */
  const knownFacts = new Map<number, KnownFacts>()
  const maskFacts = ({ before, after, ...facts }: OutcomeFacts): OutcomeFacts => ({
    ...facts,
    before: before && mask(before),
    after: after && mask(after),
  })
  return {
    recordStart: (item) => {
      const { n, object, parent } = item
      const { before, after: wanted, unread } = maskFacts(getKnownFacts(item))
      const intended = before === undefined ? undefined : getIntendedAttributes(before)
      const after = isDeepStrictEqual(wanted, intended) ? undefined : wanted
      if (before !== undefined)
        knownFacts.set(n, { before, intended: wanted === undefined ? intended : wanted })
      const why = unread && removeSecrets(unread)
      return journal.append({ n, object, parent, state: 'begun', before, after, unread: why })
    },
    recordOutcome: (item, outcome) => {
      const known = knownFacts.get(item.n) ?? noFacts
      knownFacts.delete(item.n)
      if ('failure' in outcome)
        return journal.append(createFailedLine(item, outcome.state, outcome.failure))
      const done = maskFacts(getFacts(outcome.result, item))
      return journal.append(createDoneLine(item, outcome.state, done, known, getIntendedAttributes))
    },
  }
}
