/** Merges the answers of several targets: the records of each stand below its name, in one list. */
import { createWrapper } from '../base/json/records.js'
import { encodeRecord } from '../engine/records/list-stage.js'
import { getPrintedValue, isList, refusePart } from '../engine/records/object-rows.js'
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

/** Returns what a target is, in a word. */
const describeTarget = ({ parent }: Target): string =>
  parent === undefined ? 'instance' : 'project or group'

/** Puts the profile or snapshot before what stands in a record already. */
const createProfilePrefixer = (
  column: string,
  name: string,
): ((record: Uint8Array) => Uint8Array) => {
  const head = Buffer.from(`{"${column}":${JSON.stringify(name)},`)
  return (record) => Buffer.concat([head, record.subarray(record.indexOf(0x7b) + 1)])
}

/** Puts records below what they belong to, the widest first. */
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

/** Returns the view of records below a target, without what only a whole answer of one can have. */
const viewBelow = (
  { people: _, drawing, title, trend, ...view }: RecordView,
  target: Target,
  isTrend = false,
): RecordView => {
  const { parent } = target
  const site = getSite(target)
  // A trend is shown of the records of all snapshots.
  if (isTrend) return { ...view, drawing, title, trend, people: trend }
  return {
    ...view,
    ...(parent === undefined ? {} : { parent: parent.column }),
    ...(site === undefined ? {} : { within: site.column }),
  }
}

/** The part of the answer that one target has. */
interface TargetPart {
  readonly view: RecordView
  readonly wrap: (record: Uint8Array) => Uint8Array
  /** Its records stand there already. */
  readonly isFilled?: true
  /** The rows that people see of its records, made once all of them came. */
  readonly people: PeopleRows | undefined
}

/** The one list of all targets. */
class TargetList {
  readonly #answer: RunAnswer
  readonly #allowsText: boolean
  /** True while the list of all is open. */
  #isOpen = false
  #part: TargetPart | undefined
  /** Records about targets of which nothing could be read; they wait for the first part, whose endpoint says what is secret. */
  #waiting: { readonly record: object; readonly view: RecordView }[] = []
  /** The target whose text was begun. */
  #headed: string | undefined

  constructor(answer: RunAnswer, allowsText: boolean) {
    this.#answer = answer
    this.#allowsText = allowsText
  }

  /** Yields what a row of one target comes to in the answer of all. */
  async *take(row: Row, of: Target): Rows {
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
        throw refusePart(describeTarget(of))
      case 'text':
        return yield* this.#headText(row.chunk, of)
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

  /** Yields the end of the list of all. */
  async *close(): Rows {
    const [first] = this.#waiting
    if (first !== undefined) yield* this.#open(first.view)
    if (this.#isOpen) yield { kind: 'end' }
    this.#isOpen = false
  }

  /** Begins a part; what is seen in another way among those of others is there at once. */
  async *#begin(part: TargetPart): Rows {
    this.#part = part
    const { among } = part.view
    if (among === undefined) return
    yield* this.#write({ kind: 'records', batch: among.map(encodeRecord) })
    this.#part = { ...part, isFilled: true }
  }

  async #createPart(of: Target, asked: RecordView, isMade: boolean): Promise<TargetPart> {
    const view = isMade && getSite(of) !== undefined ? await this.#inRows(asked) : asked
    const isTrend =
      view.trend !== undefined && of.snapshot !== undefined && this.#answer.reader !== 'programs'
    const people = isTrend ? undefined : this.#answer.rowsForPeople(view)
    const { columns = view.columns } = people ?? {}
    const own = { ...view, columns }
    return { view: viewBelow(own, of, isTrend), wrap: createTargetWrapper(of, own), people }
  }

  /** Returns the view of a record among those of other instances: with columns, though alone it would be shown whole. */
  async #inRows(view: RecordView): Promise<RecordView> {
    const { endpoint, columns, fields } = view
    const chosen = endpoint === undefined || (columns ?? fields) !== undefined
    if (chosen || this.#answer.reader !== 'people') return view
    const own = await this.#answer.columnsFor(endpoint)
    // Of an endpoint that no document has, the first record says which columns there are.
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
    if (part.people !== undefined) return part.people.take(batch)
    yield* this.#open(part.view)
    yield { kind: 'records', batch: batch.map(part.wrap), readers }
  }

  async *#end(isCut: boolean): Rows {
    const part = this.#part
    this.#part = undefined
    if (part === undefined) return
    const rows = part.people?.rows() ?? []
    if (rows.length > 0 || !isCut) yield* this.#open(part.view)
    for (const row of rows) yield { kind: 'records', batch: [part.wrap(encodeRecord(row))] }
  }

  /** Text of one of several instances stands below its name: what only looks, and requests that are not sent. */
  async *#headText(chunk: string | Uint8Array, of: Target): Rows {
    if (of.parent !== undefined || !this.#allowsText) throw refusePart(describeTarget(of))
    const name = getSite(of)?.name
    if (this.#headed !== name) yield { kind: 'text', chunk: `# ${name}\n` }
    this.#headed = name
    yield { kind: 'text', chunk }
  }

  /** A record about a target itself. */
  async *#addFailure(target: Target, failure: Failure): Rows {
    const { parent } = target
    const site = getSite(target)
    const named = parent === undefined ? {} : { [parent.column]: parent.name }
    const within = site === undefined ? {} : { [site.column]: site.name }
    const record = { ...within, ...named, outcome: 'failed', ...failure.toJSON() }
    this.#waiting.push({ record, view: viewBelow({}, target) })
    if (this.#isOpen) yield* this.#open({})
  }
}

/**
 * Yields the records of what calls were answered with: the bytes as they came, or, where a list is seen as records, each of its
 * items.
 */
async function* splitAnswers(rows: Rows, splitsLists: boolean): Rows {
  for await (const row of rows) {
    if (row.kind !== 'answer') {
      yield row
      continue
    }
    const { answer, of, view } = row
    const splits = of !== undefined || splitsLists
    const items = splits && isList(answer) ? getPrintedValue(answer) : undefined
    const many = Array.isArray(items)
    yield { kind: 'open', many, view, of }
    if (many) for (const value of items) yield { kind: 'value', value, of }
    else yield { kind: 'records', batch: [answer.bytes ?? encodeRecord(answer.value)], of }
    yield { kind: 'end', of }
  }
}

/**
 * Yields one list for the records of several targets; what is of no target passes as it is.
 * @param allowsText false where text of one of several instances is refused
 */
export async function* mergeTargets(rows: Rows, answer: RunAnswer, allowsText: boolean): Rows {
  const list = new TargetList(answer, allowsText)
  /** True while a part of no target is open. */
  let isOwn = false
  for await (const row of splitAnswers(rows, answer.splitsLists)) {
    if (row.of !== undefined) yield* list.take(row, row.of)
    else if (row.kind === 'end' && !isOwn) yield* list.close()
    else {
      if (row.kind === 'open') isOwn = true
      if (row.kind === 'end') isOwn = false
      yield row
    }
  }
}
