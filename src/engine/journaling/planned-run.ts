/** Keeps what a dry run showed as a run that has not begun, and tells whether an object still is as it was then. */
import { isDeepStrictEqual } from 'node:util'
import { type Fields, isObject } from '../../base/objects.js'
import { volatileFields } from '../../client/snapshot-manifest.js'
import { Failure, recoverFrom, usage } from '../../errors.js'
import { getRunFolder } from '../../profile/index.js'
import type { PlannedLine } from '../command/context.js'
import type { Plan } from '../command/types.js'
import { storePlanned } from '../journal/begin-run.js'
import { type Attributes, formatLine, type Header, type QueuedLine } from '../journal/lines.js'
import { createAttributeMask } from '../journal/record.js'
import { checkNotSecret } from '../journal/work.js'
import type { Item } from '../work/report.js'
import { checkNames, describeHeader, type HeaderParts } from './journaled-run.js'
import { placeOf } from './work-queue.js'

/** The preview of one object. */
export interface ShownObject {
  readonly request: string
  /** True if it was read: else nothing is known of what it is now. */
  readonly read: boolean
  readonly changes: readonly {
    readonly attribute: string
    readonly now: unknown
    readonly new: unknown
  }[]
}

/** The time for which a plan may wait, in milliseconds, by who made it. */
const lifetime = { agent: 24 * 3_600_000, person: 7 * 24 * 3_600_000 } as const

type Side = 'now' | 'new'

/** Returns one side of a preview as a file may hold it: without fields that change by themselves, and without secrets. */
const getSide = ({ endpoint }: Plan, { changes }: ShownObject, side: Side): Fields => {
  const own = changes.filter(({ attribute }) => !volatileFields.has(attribute))
  const fields = Object.fromEntries(own.map((change) => [change.attribute, change[side] ?? null]))
  // As it comes back from a file.
  const kept: unknown = JSON.parse(JSON.stringify(createAttributeMask(endpoint)(fields)))
  return isObject(kept) ? kept : {}
}

/** Returns an object as it is, by its preview; undefined where it is not read. */
const getBefore = (plan: Plan, shown: ShownObject): Attributes | undefined =>
  shown.read ? getSide(plan, shown, 'now') : undefined

/** Refuses a plan whose object is not as it was when its run was planned. */
export const refuseChangedPlan = async (
  { before }: Item,
  plan: Plan,
  show: (plan: Plan) => Promise<ShownObject>,
): Promise<Plan> => {
  if (plan.refused !== undefined) return plan
  try {
    const now = getBefore(plan, await show(plan))
    if (isDeepStrictEqual(now ?? null, before ?? null)) return plan
  } catch (error) {
    const failure = recoverFrom(error)
    if (failure.category !== 'not_found') return { ...plan, refused: failure }
  }
  return { ...plan, refused: new Failure('conflict', 'it changed since the run was planned') }
}

/** Creates the line of an object that waits for its run. */
const createQueuedLine = (plan: Plan, shown: ShownObject, n: number): QueuedLine => ({
  n,
  ...placeOf(plan),
  state: 'queued',
  input: plan.row,
  before: getBefore(plan, shown),
  after: getSide(plan, shown, 'new'),
  sends: shown.request,
})

/** Keeps what is shown, object by object. */
export class PlanKeeper {
  readonly #parts: HeaderParts
  readonly #asked: PlannedLine
  /** The places of plans that were taken and not shown yet. */
  readonly #places = new Map<Plan, number>()
  #count = 0
  /** The line of each that was shown, at its place: as text, so that a hundred thousand stay small. */
  readonly #lines: string[] = []
  #header: Promise<Header> | undefined

  constructor(parts: HeaderParts, asked: PlannedLine) {
    this.#parts = parts
    this.#asked = asked
  }

  /**
   * Takes a plan before it is shown.
   * @throws Failure `usage` where the line cannot be carried out from a file: it has a secret that is no reference, or the plan
   * an object whose name looks like one
   */
  async begin(plan: Plan): Promise<void> {
    checkNotSecret(placeOf(plan))
    this.#places.set(plan, this.#count++)
    this.#header ??= this.#describe(plan)
    await this.#header
  }

  /** Takes what a plan showed. */
  shown(plan: Plan, object: ShownObject): void {
    const place = this.#places.get(plan)
    if (place === undefined) return
    this.#places.delete(plan)
    this.#lines[place] = formatLine(createQueuedLine(plan, object, place + 1))
  }

  /** Keeps the run. */
  async save(): Promise<void> {
    const header = await this.#header
    if (header === undefined) return
    const { onSaved: kept, onFailure: failed } = this.#asked
    // An object that could not be shown has no line.
    const lines = Object.values(this.#lines)
    const total = formatLine({ input: 'complete', total: lines.length })
    const text = [...lines, total].join('')
    try {
      kept(await storePlanned(getRunFolder(this.#parts.place.env), header, text))
    } catch (error) {
      if (failed === undefined || !(error instanceof Failure)) throw error
      failed(error)
    }
  }

  async #describe(first: Plan): Promise<Header> {
    checkNames(first)
    const header = await describeHeader(this.#parts, first)
    if (header.final !== undefined)
      throw usage(
        `the plan cannot be saved: ${header.final}`,
        'Pass the secret by reference: env:NAME or @file in a flag, @file in --param.',
      )
    const { by, reason } = this.#asked
    const expires = new Date(Date.parse(header.began) + lifetime[by]).toISOString()
    return { ...header, planned: { by, ...(reason === undefined ? {} : { reason }), expires } }
  }
}
