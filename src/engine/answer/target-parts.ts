/** One answer of several targets: the records of each stand below its name. */
import { stringifyExact } from '../../base/json/json.js'
import { wrapper } from '../../base/json/records.js'
import type { Failure } from '../../errors.js'
import type { Writer } from '../../output/types.js'
import type { RecordView, Target } from '../rows.js'
import type { RunAnswer } from './run-answer.js'

const encoder = new TextEncoder()

/** Puts the profile before what stands in a record already. */
const beforeAll = (name: string): ((record: Uint8Array) => Uint8Array) => {
  const head = Buffer.from(`{"profile":${JSON.stringify(name)},`)
  return (record) => Buffer.concat([head, record.subarray(record.indexOf(0x7b) + 1)])
}

/** Puts records below what they belong to, the widest first. */
const wrapperFor = (
  { parent, profile }: Target,
  { parent: column }: RecordView,
): ((record: Uint8Array) => Uint8Array) => {
  const below = parent === undefined ? undefined : wrapper(parent.column, parent.name)
  if (profile === undefined) return below ?? ((record) => record)
  if (below === undefined)
    return column === undefined ? wrapper('profile', profile) : beforeAll(profile)
  const before = beforeAll(profile)
  return (record) => before(below(record))
}

/** The view of records below a target, without what only a whole answer of one can have. */
const viewBelow = (
  { people: _, ...view }: RecordView,
  { parent, profile }: Target,
): RecordView => ({
  ...view,
  ...(parent === undefined ? {} : { parent: parent.column }),
  ...(profile === undefined ? {} : { within: 'profile' }),
})

export class TargetParts {
  readonly #answer: RunAnswer
  #whole: Promise<Writer> | undefined
  /** Records about targets of which nothing could be read; they wait for the first part, whose endpoint says what is secret. */
  #waiting: { readonly record: object; readonly view: RecordView }[] = []

  constructor(answer: RunAnswer) {
    this.#answer = answer
  }

  /** Begins the part of one target. */
  async open(target: Target, asked: RecordView, isMade: boolean): Promise<Writer> {
    const view = isMade && target.profile !== undefined ? await this.#inRows(asked) : asked
    return this.#answer.part((own) => this.#place(target, own), view)
  }

  /** A record about a target itself. */
  async addFailure({ parent, profile }: Target, failure: Failure): Promise<void> {
    const named = parent === undefined ? {} : { [parent.column]: parent.name }
    const within = profile === undefined ? {} : { profile }
    const record = { ...within, ...named, outcome: 'failed', ...failure.toJSON() }
    this.#waiting.push({ record, view: viewBelow({}, { parent, profile }) })
    if (this.#whole !== undefined) await this.#write({}, async () => {})
  }

  /** Ends the answer. */
  async close(): Promise<void> {
    const [first] = this.#waiting
    if (first !== undefined) await this.#write(first.view, async () => {})
    const whole = await this.#whole
    this.#whole = undefined
    await whole?.close()
  }

  /** Ends it before its time. */
  async abandon(): Promise<void> {
    await (await this.#whole?.catch(() => undefined))?.abandon()
  }

  /** What one instance would have shown whole has columns among others. */
  async #inRows(view: RecordView): Promise<RecordView> {
    const { endpoint, columns, fields } = view
    const chosen = endpoint === undefined || (columns ?? fields) !== undefined
    if (chosen || this.#answer.reader !== 'people') return view
    const own = await this.#answer.columnsFor(endpoint)
    // Of an endpoint that no document has, the first record says which columns there are.
    return own.length === 0 ? view : { ...view, columns: own }
  }

  #place(target: Target, own: RecordView): Writer {
    const wrap = wrapperFor(target, own)
    const view = viewBelow(own, target)
    const raw: Writer['raw'] = async (batch, readers) => {
      if (batch.length === 0) return
      await this.#write(view, (whole) => whole.raw(batch.map(wrap), readers))
    }
    return {
      raw,
      record: (value) => raw([encoder.encode(stringifyExact(value) ?? 'null')]),
      close: () => this.#write(view, async () => {}),
      abandon: async () => {},
    }
  }

  async #write(view: RecordView, work: (whole: Writer) => Promise<void>): Promise<void> {
    this.#whole ??= this.#answer.writer(true, view)
    const whole = await this.#whole
    for (const { record } of this.#waiting.splice(0)) await whole.record(record)
    await work(whole)
  }
}
