/** Merges the rows of several targets into one list, in which each record names its target. */
import { createWrapper } from '../base/json/records.js'
import { encodeRecord } from '../engine/records/list-stage.js'
import { createPartFailure, getPrintedValue, isList } from '../engine/records/object-rows.js'
import {
  getSite,
  type RecordsRow,
  type RecordView,
  type Row,
  type Rows,
  type Target,
} from '../engine/rows.js'
import type { Failure } from '../errors.js'
import type { PeopleRows, RunAnswer } from './run-answer.js'

/** Returns the kind of a target, for messages. */
const describeTarget = ({ parent }: Target): string =>
  parent === undefined ? 'instance' : 'project or group'

/** Creates the function that adds the profile or snapshot as the first field of a record. */
const createProfilePrefixer = (
  column: string,
  name: string,
): ((record: Uint8Array) => Uint8Array) => {
  const head = Buffer.from(`{"${column}":${JSON.stringify(name)},`)
  return (record) => Buffer.concat([head, record.subarray(record.indexOf(0x7b) + 1)])
}

/** Creates the function that adds the target to a record: first the profile or snapshot, then the project or group. */
const createTargetWrapper = (
  target: Target,
  { parent: column }: RecordView,
): ((record: Uint8Array) => Uint8Array) => {
  const { parent } = target
  const site = getSite(target)
  const below = parent === undefined ? undefined : createWrapper(parent.column, parent.name)
  if (site === undefined) return below ?? ((record) => record)
  if (below === undefined)
    return column === undefined
      ? createWrapper(site.column, site.name)
      : createProfilePrefixer(site.column, site.name)
  const before = createProfilePrefixer(site.column, site.name)
  return (record) => before(below(record))
}

/**
 * Returns the view of records with a target, without the parts that only the answer of one target can have.
 * @param together what shows the records of all targets together: a trend, or a page
 */
const toTargetView = (
  { people: _, drawing, title, trend, ...view }: RecordView,
  target: Target,
  together?: 'trend' | 'page',
): RecordView => {
  const { parent } = target
  const site = getSite(target)
  if (together === 'trend') return { ...view, drawing, title, trend, people: trend }
  return {
    ...view,
    ...(together === 'page' ? { drawing } : {}),
    ...(parent === undefined ? {} : { parent: parent.column }),
    ...(site === undefined ? {} : { within: site.column }),
  }
}

/** The part of one target in the answer. */
interface TargetPart {
  readonly view: RecordView
  readonly wrap: (record: Uint8Array) => Uint8Array
  /** True if the records of the part are written already. */
  readonly isFilled?: true
  /** The holder of records from which the rows for people are made; undefined if people see the records. */
  readonly people: PeopleRows | undefined
}

/** Merges the rows of all targets into one list. */
class TargetList {
  readonly #answer: RunAnswer
  readonly #allowsText: boolean
  /** True while the merged list is open. */
  #isOpen = false
  #part: TargetPart | undefined
  /** Records about targets that could not be read. They wait for the first part, whose endpoint names the secret fields. */
  #waiting: { readonly record: object; readonly view: RecordView }[] = []
  /** The name of the target whose text was written last. */
  #headed: string | undefined

  constructor(answer: RunAnswer, allowsText: boolean) {
    this.#answer = answer
    this.#allowsText = allowsText
  }

  /** Yields the rows of the merged list for a row of one target. */
  async *merge(row: Row, of: Target): Rows {
    switch (row.kind) {
      case 'open':
        return yield* this.#begin(await this.#createPart(of, row.view, row.source === undefined))
      case 'value':
        return yield* this.#write({ kind: 'records', batch: [encodeRecord(row.value)] })
      case 'records':
        return yield* this.#write(row)
      case 'end':
        return yield* this.#end(row.isCut === true)
      case 'document':
        throw createPartFailure(describeTarget(of))
      case 'text':
        return yield* this.#labelText(row.chunk, of)
      case 'failed':
        if (this.#answer.reader === 'programs') yield* this.#addFailure(of, row.failure)
        return
      case 'flush':
      case 'answer':
        return
      case 'note':
      case 'exit':
      case 'report':
        yield row
    }
  }

  /** Yields the end of the merged list. */
  async *close(): Rows {
    const [first] = this.#waiting
    if (first !== undefined) yield* this.#open(first.view)
    if (this.#isOpen) yield { kind: 'end' }
    this.#isOpen = false
  }

  /** Begins a part. If it has other records for an answer of several targets, they are written at once. */
  async *#begin(part: TargetPart): Rows {
    this.#part = part
    const { among } = part.view
    if (among === undefined) return
    yield* this.#write({ kind: 'records', batch: among.map(encodeRecord) })
    this.#part = { ...part, isFilled: true }
  }

  async #createPart(of: Target, asked: RecordView, isMade: boolean): Promise<TargetPart> {
    const isWhole = getSite(of) !== undefined || of.run !== undefined
    const view = isMade && isWhole ? await this.#addColumns(asked) : asked
    const together = this.#findTogether(view, of)
    const people = together === undefined ? this.#answer.holdPeopleRows(view) : undefined
    const { columns = view.columns } = people ?? {}
    const own = { ...view, columns }
    return { view: toTargetView(own, of, together), wrap: createTargetWrapper(of, own), people }
  }

  /** Returns what shows the records of all targets together; undefined if each target has rows of its own. */
  #findTogether({ trend, drawsInstances }: RecordView, of: Target): 'trend' | 'page' | undefined {
    const { reader } = this.#answer
    if (reader === 'programs') return undefined
    if (of.snapshot !== undefined) return trend === undefined ? undefined : 'trend'
    return drawsInstances === true && reader === 'pages' ? 'page' : undefined
  }

  /** Adds columns to the view of a single record, which alone would be shown with all fields. */
  async #addColumns(view: RecordView): Promise<RecordView> {
    const { endpoint, columns, fields } = view
    const chosen = endpoint === undefined || (columns ?? fields) !== undefined
    if (chosen || this.#answer.reader !== 'people') return view
    const own = await this.#answer.borrowColumns(endpoint)
    // An undocumented endpoint has no columns. The first record decides.
    return own.length === 0 ? view : { ...view, columns: own }
  }

  async *#open(view: RecordView): Rows {
    if (!this.#isOpen) yield { kind: 'open', many: true, view, isMerged: true }
    this.#isOpen = true
    for (const { record } of this.#waiting.splice(0)) yield { kind: 'value', value: record }
  }

  async *#write({ batch, readers }: RecordsRow): Rows {
    const part = this.#part
    if (part === undefined || part.isFilled === true || batch.length === 0) return
    if (part.people !== undefined) return part.people.add(batch)
    yield* this.#open(part.view)
    yield { kind: 'records', batch: batch.map(part.wrap), readers }
  }

  async *#end(isCut: boolean): Rows {
    const part = this.#part
    this.#part = undefined
    if (part === undefined) return
    const rows = part.people?.createRows() ?? []
    if (rows.length > 0 || !isCut) yield* this.#open(part.view)
    for (const row of rows) yield { kind: 'records', batch: [part.wrap(encodeRecord(row))] }
  }

  /** Yields the text of one of several instances below its name. Only lines that write nothing may print text. */
  async *#labelText(chunk: string | Uint8Array, of: Target): Rows {
    if (of.parent !== undefined || !this.#allowsText) throw createPartFailure(describeTarget(of))
    const name = getSite(of)?.name
    if (this.#headed !== name) yield { kind: 'text', chunk: `# ${name}\n` }
    this.#headed = name
    yield { kind: 'text', chunk }
  }

  /** Adds the record of a target that could not be read. */
  async *#addFailure(target: Target, failure: Failure): Rows {
    const { parent } = target
    const site = getSite(target)
    const named = parent === undefined ? {} : { [parent.column]: parent.name }
    const within = site === undefined ? {} : { [site.column]: site.name }
    const record = { ...within, ...named, outcome: 'failed', ...failure.toJSON() }
    this.#waiting.push({ record, view: toTargetView({}, target) })
    if (this.#isOpen) yield* this.#open({})
  }
}

/**
 * Replaces the answer to a call by a record, the bytes as they came, or by each item if the answer is a list and is shown as records. Any
 * other row stays as it is.
 */
const splitAnswer = (row: Row, splitsLists: boolean): readonly Row[] => {
  if (row.kind !== 'answer') return [row]
  const { answer, target, view } = row
  const splits = target !== undefined || splitsLists
  const items = splits && isList(answer) ? getPrintedValue(answer) : undefined
  const many = Array.isArray(items)
  const records: Row[] = many
    ? items.map((value: unknown) => ({ kind: 'value', value, target }))
    : [{ kind: 'records', batch: [answer.bytes ?? encodeRecord(answer.value)], target }]
  return [{ kind: 'open', many, view, target }, ...records, { kind: 'end', target }]
}

/**
 * Yields one list for the records of several targets. Rows without a target are passed on.
 * @param allowsText false if the text of one of several instances is refused
 */
export async function* mergeTargets(rows: Rows, answer: RunAnswer, allowsText: boolean): Rows {
  const list = new TargetList(answer, allowsText)
  /** True while a part without a target is open. */
  let isOwn = false
  for await (const one of rows)
    for (const row of splitAnswer(one, answer.splitsLists)) {
      if (row.target !== undefined) yield* list.merge(row, row.target)
      else if (row.kind === 'end' && !isOwn) yield* list.close()
      else {
        if (row.kind === 'open') isOwn = true
        if (row.kind === 'end') isOwn = false
        yield row
      }
    }
}
