/** Reads lists from the instance page by page and yields their records, without keeping them in memory. */
import { parseBytes } from '../../base/json/records.js'
import { type Endpoint, getListColumns } from '../../catalogue/endpoint.js'
import { largestPage } from '../../client/defaults.js'
import type { InstanceClient } from '../../client/instance.js'
import {
  addPaging,
  getWantedCount,
  isExact,
  type Paging,
  toListOptions,
  toSearchPaging,
} from '../../client/paging.js'
import { Failure, usage } from '../../errors.js'
import { buildRequest } from '../../http/index.js'
import type { Ask, Batch, ListEnd, ListOptions, WireRequest } from '../../http/types.js'
import { type GroupFlags, isAggregate } from '../command/globals.js'
import type { Plan } from '../command/types.js'
import type { FilteredList, RecordFilter } from '../records/where.js'
import type { FullRecordReader } from '../rows.js'
import {
  type ListSource,
  type RecordView,
  type Row,
  type Rows,
  toIncompleteFailure,
} from '../rows.js'

// Describes how a list ended, for a note on standard error.

/** Describes the default scope of a list if the line sets no scope: it may explain an empty list. */
const describeDefaultScope = (plan: Plan | undefined): string => {
  const scope = plan?.endpoint.params.scope
  if (scope?.default === undefined || plan?.values.scope !== undefined) return ''
  if (Object.keys(plan?.endpoint.path ?? {}).length > 0) return ''
  return `; the default scope is ${scope.default}, see --scope`
}

/** The part of a list that a line asks for. */
type ShownPart = Pick<Paging, 'page' | 'perPage' | 'limit'>

/** Describes how to get more. The next page would skip the rest of a page that the limit cut. */
const describeNextPage = (
  { page, perPage = largestPage, limit }: ShownPart,
  records: number,
): string =>
  page === undefined || (records === limit && limit < perPage)
    ? 'use --limit <n> or --limit all for more'
    : `use --page ${page + 1} to continue`

/** Describes the end of a filtered list. Whether further records match is unknown. */
const describeFilteredEnd = ({ records, more }: ListEnd, part: ShownPart): string | undefined => {
  if (more)
    return `showing ${records} matching; there may be more: ${describeNextPage(part, records)}`
  return records === 0 ? 'no matches' : undefined
}

/** Describes the end of a list for standard error; undefined if there is nothing to say. */
export const describeListEnd = (
  end: ListEnd,
  part: ShownPart,
  plan?: Plan,
  isFiltered = false,
): string | undefined => {
  if (isFiltered) return describeFilteredEnd(end, part)
  if (end.records === 0 && !end.more) return `nothing found${describeDefaultScope(plan)}`
  if (!end.more) return undefined
  // The total of the instance may be wrong. One that the list passes is not repeated.
  const of = end.total === undefined || end.total <= end.records ? '' : ` of ${end.total}`
  return `showing ${end.records}${of}; there are more: ${describeNextPage(part, end.records)}`
}

/** Creates the failure of a list that ended too early: the instance reported a next page without a link to it. */
const createIncompleteFailure = ({ records }: ListEnd, ask?: Ask): Failure =>
  new Failure(
    'unreachable',
    `the list ended after ${records}, although the instance reported more`,
    {
      request: ask && `GET ${buildRequest(ask).path}`,
      hint: 'A proxy may remove the Link header.',
    },
  )

interface Screen {
  /** Prints a note after the output. */
  readonly noteAtEnd: (text: string) => void
  /** True if a person pages through lists at the terminal. */
  readonly isPaged?: boolean
  /** Receives the plan of each list that is read. */
  readonly onList?: ((plan: Plan) => void) | undefined
}

type ReadOptions = Pick<ListOptions, 'alone' | 'held' | 'watch'>
type Batches = AsyncGenerator<Batch, ListEnd>
type Stage = (batches: Batches) => Batches

const keepBatches: Stage = (batches) => batches
const unreadEnd: ListEnd = { records: 0, more: true }

/** Yields the batches of a list, and then passes on how the list ended. */
async function* readBatches(
  batches: Batches,
  onEnd: (end: ListEnd) => void,
): AsyncGenerator<Batch, void> {
  onEnd(yield* batches)
}

/** Parses a record and makes its fields available by their documented names as well. */
const parseListRecord = (bytes: Uint8Array, { words }: Pick<InstanceClient, 'words'>): unknown =>
  words.makeLegible(parseBytes(bytes))

/** Reads all records of a list into memory. */
const gatherRecords = async (
  batches: Batches,
  instance: InstanceClient,
  where: (record: unknown) => boolean = () => true,
): Promise<{ records: unknown[]; end: ListEnd }> => {
  const records: unknown[] = []
  let end = unreadEnd
  const keepEnd = (came: ListEnd): void => {
    end = came
  }
  for await (const batch of readBatches(batches, keepEnd))
    for (const bytes of batch) {
      const record = parseListRecord(bytes, instance)
      if (where(record)) records.push(record)
    }
  return { records, end }
}

/** The paging flags of a run. Sorting and grouping need all records. */
interface ListPaging extends Paging, GroupFlags {
  readonly sort?: readonly string[]
  readonly where?: readonly string[]
}

/** Reads the lists of a run according to its paging flags. */
export class ListReader {
  constructor(
    private readonly paging: ListPaging,
    private readonly instance: () => Promise<InstanceClient>,
    private readonly screen: Screen,
    /** Creates the filter of `--where`; absent if all records are wanted. */
    private readonly choice?:
      | ((endpoint?: Endpoint) => Promise<RecordFilter | undefined>)
      | undefined,
  ) {}

  /** Builds the first request of a list, and describes the conditions that are tested on this machine. */
  async buildFirstRequest(ask: Ask): Promise<{ request: WireRequest; tested: readonly string[] }> {
    const { ask: asked, stage, tested } = await this.narrow(ask)
    const first = await (await this.instance()).build(asked)
    const { sort } = this.paging
    const order = sort === undefined ? [] : [`sorted here: ${sort.join(',')}`]
    return { request: addPaging(first, this.getPaging(stage)), tested: [...tested, ...order] }
  }

  /**
   * Checks that the line has no flags that only lists take.
   * @throws Failure `usage` if it has one
   */
  checkNoListFlags(): void {
    if (this.paging.where !== undefined) throw usage('--where works only with lists')
    if (this.paging.sort !== undefined) throw usage('--sort works only with lists')
    if (this.needsAll) throw usage('groups are made of the records of a list')
  }

  /** Builds the first request of a list without a limit. */
  async buildWholeRequest(ask: Ask): Promise<WireRequest> {
    const first = await (await this.instance()).build(ask)
    return addPaging(first, { limit: 'all', perPage: largestPage })
  }

  /** Yields the rows of a list. */
  async *listRecords(plan: Plan, emit: RecordView): Rows {
    this.screen.onList?.(plan)
    const { ask, stage, singles } = await this.narrow(plan)
    const instance = await this.instance()
    const { endpoint } = plan
    const columns = getListColumns(endpoint, plan.values)
    const batches = (options: ReadOptions) => instance.batches(ask, this.getPaging(stage), options)
    yield* this.yieldRows(
      batches,
      { endpoint, ...(columns && { columns }), ...emit },
      plan,
      stage,
      singles,
    )
  }

  /** Yields the rows of a list that is not in the catalogue. An object in its place is shown as it is. */
  async *listRequest(wire: WireRequest): Rows {
    const choice = await this.choice?.()
    const stage = choice && ((batches: Batches) => choice.filterAny(batches, this.limit))
    const paging = this.getPaging(stage)
    const client = await (await this.instance()).client()
    const first = addPaging(wire, paging)
    const batches = (options: ReadOptions) =>
      client.list(first, { ...toListOptions(paging), ...options })
    yield* this.yieldRows(batches, {}, undefined, stage)
  }

  /**
   * Reads all records that match, whatever the paging flags are.
   * @throws Failure `unreachable` if the instance reports more records without a link to them
   */
  async gather(ask: Ask, where?: (record: unknown) => boolean): Promise<readonly unknown[]> {
    const paging: Paging = { limit: 'all', perPage: largestPage }
    const { ask: asked, stage = keepBatches } = await this.narrow(ask, Number.POSITIVE_INFINITY)
    const instance = await this.instance()
    const batches = stage(instance.batches(asked, paging))
    const { records, end } = await gatherRecords(batches, instance, where)
    if (end.more) throw createIncompleteFailure(end, ask)
    return records
  }

  /** Yields the first `most` records that match, one by one, whatever the paging flags are. */
  async *yieldFirst(ask: Ask, most: number): AsyncGenerator<unknown> {
    const { ask: asked, stage } = await this.narrow(ask, most)
    const few = stage === undefined && most < Number.POSITIVE_INFINITY
    const paging: Paging = few ? { limit: most } : { limit: 'all', perPage: largestPage }
    const instance = await this.instance()
    const batches = instance.batches(asked, paging)
    let records = 0
    const checkEnd = (end: ListEnd): void => {
      if (end.more && records < most) throw createIncompleteFailure(end, ask)
    }
    for await (const batch of readBatches(stage === undefined ? batches : stage(batches), checkEnd))
      for (const bytes of batch) {
        records += 1
        yield parseListRecord(bytes, instance)
      }
  }

  /** Returns the records that `listRecords` would yield. */
  async collect(plan: Plan): Promise<readonly unknown[]> {
    const { ask, stage } = await this.narrow(plan)
    const instance = await this.instance()
    const batches = instance.batches(ask, this.getPaging(stage))
    const { records, end } = await gatherRecords((stage ?? keepBatches)(batches), instance)
    const note = describeListEnd(end, this.paging, plan, stage !== undefined)
    if (note !== undefined && this.screen.isPaged !== true) this.screen.noteAtEnd(note)
    return records
  }

  private get needsAll(): boolean {
    return this.paging.sort !== undefined || isAggregate(this.paging)
  }

  /** True if a list ended before its limit although there are more records. */
  private isCut({ records, more }: ListEnd): boolean {
    const readPageByPage = isExact(this.paging) || this.screen.isPaged === true
    return more && !readPageByPage && records < (this.limit ?? Number.POSITIVE_INFINITY)
  }

  /** The number of records to read; undefined if sorting or grouping needs all. */
  private get limit(): number | undefined {
    return this.needsAll ? undefined : getWantedCount(this.paging)
  }

  private async narrow<A extends Ask>(ask: A, limit = this.limit): Promise<FilteredList<A>> {
    return (await this.choice?.(ask.endpoint))?.narrow(ask, limit) ?? { ask, tested: [] }
  }

  /** Returns the paging of a list. A list that is filtered on this machine reads more records than it prints. */
  private getPaging(stage: Stage | undefined): Paging {
    return stage === undefined && !this.needsAll ? this.paging : toSearchPaging(this.paging)
  }

  private async *yieldRows(
    open: (how: ReadOptions) => Batches,
    view: RecordView,
    plan?: Plan,
    stage: Stage = keepBatches,
    singles?: FullRecordReader,
  ): Rows {
    const isTested = stage !== keepBatches
    let reader: Parameters<ListSource['attachReader']>[0] = {}
    const source: ListSource = {
      isOrdered: this.needsAll,
      attachReader: (opened) => {
        reader = opened
      },
    }
    yield { kind: 'open', many: true, view, source }
    let isAlone = false
    // A single object is shown as an object, unless a filter or a sort order treats it as a list.
    const found = (): void => {
      isAlone = !isTested && !this.needsAll
    }
    const how = {
      held: () => reader.held?.() === true,
      // A watcher sees unfiltered batches, so a filtered list has none.
      watch: isTested ? undefined : reader.watch,
    }
    const batches = stage(open({ ...how, ...(plan === undefined ? { alone: found } : {}) }))
    let count = 0
    let end = unreadEnd
    const keepEnd = (came: ListEnd): void => {
      end = came
    }
    try {
      for await (const batch of readBatches(batches, keepEnd)) {
        if (isAlone && count === 0) yield { kind: 'open', many: false, view, source }
        count += batch.length
        yield { kind: 'records', batch, readers: singles && batch.map(() => singles) }
      }
      if (this.isCut(end)) throw createIncompleteFailure(end, plan)
      yield this.createEndRow(end, plan, isTested)
    } catch (error) {
      throw toIncompleteFailure(error, this.needsAll ? 0 : count)
    }
  }

  private createEndRow(end: ListEnd, plan: Plan | undefined, isTested: boolean): Row {
    const note = describeListEnd(end, this.paging, plan, isTested)
    return { kind: 'end', more: end.more, note }
  }
}
