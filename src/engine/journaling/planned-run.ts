/** What a dry run showed, kept as a run that has not begun; and whether an object still is as it was then. */
import { isDeepStrictEqual } from 'node:util'
import { type Fields, isObject } from '../../base/objects.js'
import { volatileFields } from '../../client/snapshot-manifest.js'
import { Failure, survived, usage } from '../../errors.js'
import { runFolder } from '../../profile/index.js'
import type { PlannedLine } from '../command/services.js'
import type { Plan } from '../command/types.js'
import { keepPlanned } from '../journal/begin-run.js'
import type { Attributes, Header, QueuedLine } from '../journal/lines.js'
import { createAttributeMask } from '../journal/record.js'
import { checkPlain } from '../journal/work.js'
import type { Item } from '../work/report.js'
import { checkNames, describeHeader, type HeaderParts } from './journaled-run.js'
import { placeOf } from './work-queue.js'

/** What a preview says of one object. */
export interface ShownObject {
  readonly request: string
  /** Whether it was read: else nothing is known of what it is now. */
  readonly read: boolean
  readonly changes: readonly {
    readonly attribute: string
    readonly now: unknown
    readonly new: unknown
  }[]
}

/** So long a plan may wait, in milliseconds: one of an agent, and one of a person. */
const lifetime = { agent: 24 * 3_600_000, person: 7 * 24 * 3_600_000 } as const

type Side = 'now' | 'new'

/** One side of a preview, without what changes by itself and without secrets, as a file may hold it. */
const sideOf = ({ endpoint }: Plan, { changes }: ShownObject, side: Side): Fields => {
  const own = changes.filter(({ attribute }) => !volatileFields.has(attribute))
  const fields = Object.fromEntries(own.map((change) => [change.attribute, change[side] ?? null]))
  // As it comes back from a file.
  const kept: unknown = JSON.parse(JSON.stringify(createAttributeMask(endpoint)(fields)))
  return isObject(kept) ? kept : {}
}

/** An object as it is, by its preview; undefined where it is not read. */
const beforeIn = (plan: Plan, shown: ShownObject): Attributes | undefined =>
  shown.read ? sideOf(plan, shown, 'now') : undefined

/** Refuses a plan whose object is not as it was when its run was planned. */
export const checkedPlan = async (
  { before }: Item,
  plan: Plan,
  show: (plan: Plan) => Promise<ShownObject>,
): Promise<Plan> => {
  if (plan.refused !== undefined) return plan
  try {
    const now = beforeIn(plan, await show(plan))
    if (isDeepStrictEqual(now ?? null, before ?? null)) return plan
  } catch (error) {
    const failure = survived(error)
    if (failure.category !== 'not_found') return { ...plan, refused: failure }
  }
  return { ...plan, refused: new Failure('conflict', 'it changed since the run was planned') }
}

/** Keeps what is shown, object by object. */
export class PlanKeeper {
  readonly #parts: HeaderParts
  readonly #asked: PlannedLine
  readonly #plans: Plan[] = []
  readonly #shown = new Map<Plan, ShownObject>()
  #header: Promise<Header> | undefined

  constructor(parts: HeaderParts, asked: PlannedLine) {
    this.#parts = parts
    this.#asked = asked
  }

  /**
   * Takes a plan before it is shown.
   * @throws Failure `usage` where the line cannot be carried out from a file: it has a secret that is no reference
   */
  async begin(plan: Plan): Promise<void> {
    this.#plans.push(plan)
    this.#header ??= this.#describe(plan)
    await this.#header
  }

  shown(plan: Plan, object: ShownObject): void {
    this.#shown.set(plan, object)
  }

  /** Keeps the run. */
  async save(): Promise<void> {
    const header = await this.#header
    if (header === undefined) return
    const { kept, failed } = this.#asked
    const lines = this.#plans.flatMap((plan, i) => this.#lineOf(plan, i + 1))
    const total = { input: 'complete', total: lines.length } as const
    try {
      kept(await keepPlanned(runFolder(this.#parts.place.env), header, [...lines, total]))
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
        'Pass the secret by reference: env:NAME, or @file.',
      )
    const { by, reason } = this.#asked
    const expires = new Date(Date.parse(header.began) + lifetime[by]).toISOString()
    return { ...header, planned: { by, ...(reason === undefined ? {} : { reason }), expires } }
  }

  #lineOf(plan: Plan, n: number): QueuedLine[] {
    const shown = this.#shown.get(plan)
    if (shown === undefined) return []
    const given = placeOf(plan)
    checkPlain(given)
    return [
      {
        n,
        ...given,
        state: 'queued',
        input: plan.row,
        before: beforeIn(plan, shown),
        after: sideOf(plan, shown, 'new'),
        sends: shown.request,
      },
    ]
  }
}
