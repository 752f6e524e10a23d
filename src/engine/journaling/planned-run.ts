/** Saves the preview of a dry run as a planned run, and checks whether its objects have changed since. */
import { isDeepStrictEqual } from 'node:util'
import { dayLength } from '../../base/dates.js'
import { type Fields, getFields } from '../../base/objects.js'
import { volatileFields } from '../../client/snapshot-manifest.js'
import { Failure, recoverFrom, usage } from '../../errors.js'
import { createWaitOptions, getRunFolder } from '../../profile/index.js'
import type { PlannedLine } from '../command/context.js'
import type { Plan } from '../command/types.js'
import { formatRunLine } from '../journal/author.js'
import { storePlanned } from '../journal/begin-run.js'
import { type Attributes, formatLine, type Header, type QueuedLine } from '../journal/lines.js'
import { checkNotSecret } from '../journal/objects.js'
import { createAttributeMask } from '../journal/run-record.js'
import type { Item } from '../work/report.js'
import { checkNames, createHeader, type HeaderParts } from './journaled-run.js'
import { getPlanPlace } from './work-queue.js'

/** The preview of one object. */
export interface PreviewedObject {
  readonly request: string
  /** True if the object was read; otherwise its current state is unknown. */
  readonly read: boolean
  readonly changes: readonly {
    readonly attribute: string
    readonly now: unknown
    readonly new: unknown
  }[]
}

/** The time after which a plan expires, in milliseconds, by who made it. */
const lifetime = { agent: dayLength, person: 7 * dayLength } as const

type Side = 'now' | 'new'

/** Returns one side of a preview for a file, without secrets and without fields that change by themselves. */
const getSide = ({ endpoint }: Plan, { changes }: PreviewedObject, side: Side): Fields => {
  const own = changes.filter(({ attribute }) => !volatileFields.has(attribute))
  const fields = Object.fromEntries(own.map((change) => [change.attribute, change[side] ?? null]))
  // In the form in which it is read from a file.
  const kept: unknown = JSON.parse(JSON.stringify(createAttributeMask(endpoint)(fields)))
  return getFields(kept)
}

/** Returns the current state of an object from its preview; undefined if it was not read. */
const getBefore = (plan: Plan, shown: PreviewedObject): Attributes | undefined =>
  shown.read ? getSide(plan, shown, 'now') : undefined

/** Refuses a plan if its object has changed since the run was planned. */
export const refuseChangedPlan = async (
  { before }: Item,
  plan: Plan,
  show: (plan: Plan) => Promise<PreviewedObject>,
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

/** Creates the line of an object in a planned run. */
const createQueuedLine = (plan: Plan, shown: PreviewedObject, n: number): QueuedLine => ({
  n,
  ...getPlanPlace(plan),
  state: 'queued',
  input: plan.row,
  before: getBefore(plan, shown),
  after: getSide(plan, shown, 'new'),
  sends: shown.request,
})

/** Collects the previews of a run and saves them. */
export class PlanKeeper {
  /** The numbers of plans whose preview is still missing. */
  readonly #places = new Map<Plan, number>()
  #count = 0
  /** The line of each object, by number. Lines are texts, so that a hundred thousand of them stay small. */
  readonly #lines: string[] = []
  #header: Promise<Header> | undefined

  constructor(
    private readonly parts: HeaderParts,
    private readonly asked: PlannedLine,
  ) {}

  /**
   * Adds a plan before its preview.
   * @throws Failure `usage` if the line contains a literal secret, or the object's name looks like one: neither can be
   * saved
   */
  async addPlan(plan: Plan): Promise<void> {
    checkNotSecret(getPlanPlace(plan))
    this.#places.set(plan, this.#count++)
    this.#header ??= this.#describe(plan)
    await this.#header
  }

  /** Adds the preview of a plan. */
  addPreview(plan: Plan, object: PreviewedObject): void {
    const place = this.#places.get(plan)
    if (place === undefined) return
    this.#places.delete(plan)
    this.#lines[place] = formatLine(createQueuedLine(plan, object, place + 1))
  }

  /** Saves the planned run. */
  async save(): Promise<void> {
    const header = await this.#header
    if (header === undefined) return
    const { onSaved, onFailure } = this.asked
    // An object without a preview has no line.
    const lines = Object.values(this.#lines)
    const total = formatLine({ input: 'complete', total: lines.length })
    const text = [...lines, total].join('')
    try {
      const folder = getRunFolder(this.parts.place.env)
      const id = await storePlanned(folder, header, text, createWaitOptions(this.parts))
      onSaved(id, formatRunLine('journal run', { ...header, id }))
    } catch (error) {
      if (onFailure === undefined || !(error instanceof Failure)) throw error
      onFailure(error)
    }
  }

  async #describe(first: Plan): Promise<Header> {
    checkNames(first)
    const header = await createHeader(this.parts, first)
    if (header.final !== undefined)
      throw usage(
        `the plan cannot be saved: ${header.final}`,
        'Pass the secret by reference: env:NAME or @file in a flag, @file in --param.',
      )
    const { by, reason } = this.asked
    const expires = new Date(Date.parse(header.began) + lifetime[by]).toISOString()
    return { ...header, planned: { by, ...(reason === undefined ? {} : { reason }), expires } }
  }
}
