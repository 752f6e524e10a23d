/** Reads the state of objects as a journal records it: the attributes that a run changes, and those that create an object again. */

import { type Fields, getFields, isObject } from '../../base/objects.js'
import { masked } from '../../base/secrets/names.js'
import { type Endpoint, getPath, toPathPattern } from '../../catalogue/endpoint.js'
import { Failure, isMissing } from '../../errors.js'
import type { Ask } from '../../http/types.js'
import type { InstanceService } from '../command/context.js'
import {
  findObjectReader,
  getSentAttributes,
  getShownValue,
  toSentForm,
} from '../command/object-reader.js'
import type { Plan } from '../command/types.js'
import type { Attributes, Header } from '../journal/lines.js'
import { isKeepable } from '../journal/run-record.js'
import type { Item } from '../work/report.js'
import { buildInverseValues, getIdentityFields, type Inverse, readCurrent } from './inverse.js'

// A state is a record of attributes. It is `undefined` if it is not known, and `null` if the object does not exist. An attribute that cannot
// be restored, because it is secret, missing or rounded, has the text `masked`.

// The attributes that a run changes, and their previous values.

/** Returns the attributes that a plan sends, without those that name its object. */
export const getWantedFields = (plan: Plan): Fields =>
  Object.fromEntries(
    Object.entries(getSentAttributes(plan)).filter(
      ([name]) => plan.endpoint.args?.includes(name) !== true,
    ),
  )

/** Returns the attributes that a plan changes and that undo restores. */
export const getChangedFields = (plan: Plan): Fields =>
  plan.endpoint.changes === true ? getWantedFields(plan) : (plan.endpoint.leaves ?? {})

/** Returns the wanted attributes of a plan as a record shows them. */
export const getShownAttributes = (
  record: Fields,
  wanted: Fields,
  endpoint: Endpoint,
): Attributes =>
  Object.fromEntries(
    Object.entries(wanted).map(([name, sent]) => {
      const now = getShownValue(record, name, endpoint)
      return [name, isKeepable(now) ? toSentForm(now, sent) : masked]
    }),
  )

/** Returns the parameters that create an object again, as far as its record shows them. */
const getGivenFields = (record: Fields, { endpoint }: Plan): Fields =>
  Object.fromEntries(
    Object.keys(endpoint.params).flatMap((name) => {
      const shown = name.endsWith('_ids')
        ? toSentForm(getShownValue(record, name, endpoint), [])
        : record[name]
      const value = endpoint.args?.includes(name) === true ? undefined : shown
      return value === undefined ? [] : [[name, isKeepable(value) ? value : masked] as const]
    }),
  )

/** Reads data once, with a short timeout: a slow read must not delay a write. */
export type CachedRead = (ask: Ask) => Promise<unknown>

/** An object of a run, and what would restore it. */
interface PlannedItem {
  readonly inverse: Inverse
  readonly header: Header
  readonly item: Item
  readonly plan: Plan
}

/** Creates the plan that would undo the plan of an object. */
const createInversePlan = ({ inverse, header, item, plan }: PlannedItem): Plan => {
  // The plan has the resolved ID: a username can be written in several ways.
  const known = plan.values[plan.endpoint.args?.[0] ?? '']
  const object = known === undefined ? item.object : String(known)
  const was = {
    n: 1,
    object,
    parent: item.parent,
    before: {},
    after: null,
    masked: [],
  }
  const endpoint = inverse.findEndpoint(was)
  if (endpoint === undefined) throw new Failure('failed', 'no command restores the previous state')
  return { endpoint, values: buildInverseValues(endpoint, was, header) }
}

/** Reads the state of objects before they are changed. */
export class StateReader {
  constructor(
    private readonly readOnce: CachedRead,
    private readonly instance: InstanceService,
    private readonly area: string,
  ) {}

  /** Reads the attributes that a plan changes; undefined if the API cannot read a single object. */
  async readAttributes(plan: Plan): Promise<Attributes | undefined> {
    const reading = await findObjectReader(this.area, plan.endpoint)
    if (reading === undefined) return undefined
    try {
      const data = await this.readOnce({
        endpoint: reading.endpoint,
        values: reading.fillPath(plan),
      })
      return getShownAttributes(getFields(data), getChangedFields(plan), plan.endpoint)
    } catch (error) {
      if (plan.endpoint.brings === true && isMissing(error)) return null
      throw error
    }
  }

  /** Reads an object that a run creates or deletes; null if it does not exist. */
  async readPresence(object: PlannedItem): Promise<Attributes> {
    const restoring = createInversePlan(object)
    const now =
      (await this.#readSingle([object.plan, restoring])) ??
      (await readCurrent(this.instance, object.inverse, restoring))
    return now === null
      ? null
      : { ...getIdentityFields(now, restoring), ...getGivenFields(now, restoring) }
  }

  /** Returns the state of an object from the answer to its plan; undefined if the answer is no record. */
  getFromAnswer(value: unknown, object: PlannedItem): Attributes | undefined {
    if (!isObject(value)) return undefined
    const restoring = createInversePlan(object)
    return { ...getIdentityFields(value, restoring), ...getGivenFields(value, restoring) }
  }

  /** Reads an object by its own path, if one of the plans has such a path; null if it does not exist. */
  async #readSingle(plans: readonly Plan[]): Promise<Fields | null | undefined> {
    for (const { endpoint, values } of plans) {
      const name = endpoint.args?.[0] ?? ''
      const reading = /^\d+$/.test(String(values[name]))
        ? await findObjectReader(this.area, endpoint)
        : undefined
      // A record under another path does not prove that the object exists here.
      if (
        reading === undefined ||
        toPathPattern(getPath(reading.endpoint)) !== toPathPattern(getPath(endpoint))
      )
        continue
      try {
        const data = await this.readOnce({
          endpoint: reading.endpoint,
          values: reading.fillPath({ values }),
        })
        return isObject(data) ? data : undefined
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    }
    return undefined
  }
}
