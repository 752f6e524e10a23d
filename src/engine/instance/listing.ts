/** Lists on their way from the instance to the output, page by page, never gathered. */
import { parseBytes } from '../../base/json/records.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { makeLegible } from '../../catalogue/words.js'
import {
  addPaging,
  getWantedCount,
  isExact,
  largestPage,
  type Paging,
  toListOptions,
  toSearchPaging,
} from '../../client/defaults.js'
import type { InstanceClient } from '../../client/instance.js'
import { Failure, usage } from '../../errors.js'
import { buildRequest } from '../../http/index.js'
import type { Ask, Batch, ListEnd, ListOptions, WireRequest } from '../../http/types.js'
import { type GroupFlags, isAggregate } from '../command/globals.js'
import type { Plan } from '../command/types.js'
import type { FilteredList, RecordChoice } from '../records/where.js'
import type { SingleReader } from '../rows.js'
import {
  type ListSource,
  type RecordView,
  type Row,
  type Rows,
  toIncompleteFailure,
} from '../rows.js'

// What is said of a list once it ended, or broke off.

/** Describes the scope that the instance takes for a list of all there is, when none is asked for: it explains an empty list. */
const describeDefaultScope = (plan: Plan | undefined): string => {
  const scope = plan?.endpoint.params.scope
  if (scope?.default === undefined || plan?.values.scope !== undefined) return ''
  if (Object.keys(plan?.endpoint.path ?? {}).length > 0) return ''
  return `; the default scope is ${scope.default}, see --scope`
}

const describeNextPage = (page: number | undefined): string =>
  page === undefined
    ? 'use --limit <n> or --limit all for more'
    : `use --page ${page + 1} to continue`

/** Of what lies beyond it is not known whether it matches. */
const noteOfChosen = ({ records, more }: ListEnd, page: number | undefined): string | undefined => {
  if (more) return `showing ${records} matching; there may be more: ${describeNextPage(page)}`
  return records === 0 ? 'no matches' : undefined
}

/** Describes the end of a list for standard error; undefined if there is nothing to say. */
export const describeListEnd = (
  end: ListEnd,
  { page }: Pick<Paging, 'page'>,
  plan?: Plan,
  chosen = false,
): string | undefined => {
  if (chosen) return noteOfChosen(end, page)
  if (end.records === 0 && !end.more) return `nothing found${describeDefaultScope(plan)}`
  if (!end.more) return undefined
  const of = end.total === undefined ? '' : ` of ${end.total}`
  return `showing ${end.records}${of}; there are more: ${describeNextPage(page)}`
}

/** Creates the failure of a list that ended too early: a page says that there is a next one, and no link leads to it. */
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
  /** A note that stands below the output. */
  readonly later: (text: string) => void
  /** True if lists are read page by page. */
  readonly isPaged?: boolean
  /** Takes the plan of each list that is asked for. */
  readonly asked?: ((plan: Plan) => void) | undefined
}

type ReadOptions = Pick<ListOptions, 'alone' | 'held' | 'watch'>
type Batches = AsyncGenerator<Batch, ListEnd>
type Stage = (batches: Batches) => Batches

const keepBatches: Stage = (batches) => batches
const unread: ListEnd = { records: 0, more: true }

/** Gives each batch away, one after the other, and how the list ended; it ends, too, where none is taken any more. */
const drain = async (
  batches: Batches,
  take: (batch: Batch) => Promise<void> | void,
): Promise<ListEnd> => {
  for (;;) {
    const step = await batches.next()
    if (step.done === true) return step.value
    try {
      await take(step.value)
    } catch (error) {
      await batches.return(unread)
      throw error
    }
  }
}

/** Parses a record, whose fields are then found by the names of the documents as well. */
const parseListRecord = (bytes: Uint8Array, { words }: Pick<InstanceClient, 'words'>): unknown => {
  const record: unknown = parseBytes(bytes)
  return words === undefined ? record : makeLegible(record, words)
}

/** Gathers all records of a list, parsed. */
const gatherRecords = async (
  batches: Batches,
  instance: InstanceClient,
  where: (record: unknown) => boolean = () => true,
): Promise<{ records: unknown[]; end: ListEnd }> => {
  const records: unknown[] = []
  const end = await drain(batches, (batch) => {
    for (const bytes of batch) {
      const record = parseListRecord(bytes, instance)
      if (where(record)) records.push(record)
    }
  })
  return { records, end }
}

/** The paging of a run's lists; where they are sorted or grouped, all is read of them. */
interface ListPaging extends Paging, GroupFlags {
  readonly sort?: readonly string[]
  readonly where?: readonly string[]
}

/** The lists of a run, by its paging flags. */
export class Lists {
  constructor(
    private readonly paging: ListPaging,
    private readonly instance: () => Promise<InstanceClient>,
    private readonly screen: Screen,
    /** `--where`: which records are wanted; absent where all are. */
    private readonly choice?:
      | ((endpoint?: Endpoint) => Promise<RecordChoice | undefined>)
      | undefined,
  ) {}

  /** The first request of a list, and what of its records is tested here. */
  async request(ask: Ask): Promise<{ request: WireRequest; tested: readonly string[] }> {
    const { ask: asked, stage, tested } = await this.narrowed(ask)
    const first = await (await this.instance()).build(asked)
    const { sort } = this.paging
    const order = sort === undefined ? [] : [`sorted here: ${sort.join(',')}`]
    return { request: addPaging(first, this.pagingOf(stage)), tested: [...tested, ...order] }
  }

  /** @throws Failure `usage` where records were to be chosen, and there is no list */
  refuseChoice(): void {
    if (this.paging.where !== undefined) throw usage('--where works only with lists')
    if (this.paging.sort !== undefined) throw usage('--sort works only with lists')
    if (this.sorts) throw usage('groups are made of the records of a list')
  }

  /** The first request of all there is of a list. */
  async whole(ask: Ask): Promise<WireRequest> {
    const first = await (await this.instance()).build(ask)
    return addPaging(first, { limit: 'all', perPage: largestPage })
  }

  /** Yields a list. */
  async *listRecords(plan: Plan, emit: RecordView): Rows {
    this.screen.asked?.(plan)
    const { ask, stage, singles } = await this.narrowed(plan)
    const instance = await this.instance()
    const { endpoint } = plan
    const columns = endpoint.columns === undefined ? {} : { columns: endpoint.columns }
    const batches = (how: ReadOptions) => instance.batches(ask, this.pagingOf(stage), how)
    yield* this.read(batches, { endpoint, ...columns, ...emit }, plan, stage, singles)
  }

  /** Yields a list that the catalogue does not know; an object in its place as it is. */
  async *listRequest(wire: WireRequest): Rows {
    const choice = await this.choice?.()
    const stage = choice && ((batches: Batches) => choice.ofAny(batches, this.limit))
    const paging = this.pagingOf(stage)
    const client = await (await this.instance()).client()
    const first = addPaging(wire, paging)
    const batches = (how: ReadOptions) => client.list(first, { ...toListOptions(paging), ...how })
    yield* this.read(batches, {}, undefined, stage)
  }

  /**
   * All records, parsed, whatever the paging flags say; those that are wanted of them.
   * @throws Failure `unreachable` where the instance says that there are more, and not where
   */
  async gather(ask: Ask, where?: (record: unknown) => boolean): Promise<readonly unknown[]> {
    const paging: Paging = { limit: 'all', perPage: largestPage }
    const { ask: asked, stage = keepBatches } = await this.narrowed(ask, Number.POSITIVE_INFINITY)
    const instance = await this.instance()
    const batches = stage(instance.batches(asked, paging))
    const { records, end } = await gatherRecords(batches, instance, where)
    if (end.more) throw createIncompleteFailure(end, ask)
    return records
  }

  /** The first records of a list that are wanted, one by one, whatever the paging flags say. */
  async *first(ask: Ask, most: number): AsyncGenerator<unknown> {
    const { ask: asked, stage } = await this.narrowed(ask, most)
    const few = stage === undefined && most < Number.POSITIVE_INFINITY
    const paging: Paging = few ? { limit: most } : { limit: 'all', perPage: largestPage }
    const instance = await this.instance()
    const batches = instance.batches(asked, paging)
    const chosen = stage === undefined ? batches : stage(batches)
    let records = 0
    try {
      for (let step = await chosen.next(); ; step = await chosen.next()) {
        if (step.done === true) {
          // Fewer than were wanted, and not for want of records.
          if (step.value.more && records < most) throw createIncompleteFailure(step.value, ask)
          return
        }
        for (const bytes of step.value) {
          records += 1
          yield parseListRecord(bytes, instance)
        }
      }
    } finally {
      await chosen.return({ records, more: true })
    }
  }

  /** Returns the records that `listRecords` would yield, all at once. */
  async collect(plan: Plan): Promise<readonly unknown[]> {
    const { ask, stage } = await this.narrowed(plan)
    const instance = await this.instance()
    const batches = instance.batches(ask, this.pagingOf(stage))
    const { records, end } = await gatherRecords((stage ?? keepBatches)(batches), instance)
    const said = describeListEnd(end, this.paging, plan, stage !== undefined)
    if (said !== undefined && this.screen.isPaged !== true) this.screen.later(said)
    return records
  }

  private get sorts(): boolean {
    return this.paging.sort !== undefined || isAggregate(this.paging)
  }

  /** True if a list ended before it had as many records as were asked for, although there are more. */
  private isCut({ records, more }: ListEnd): boolean {
    const readPageByPage = isExact(this.paging) || this.screen.isPaged === true
    return more && !readPageByPage && records < (this.limit ?? Number.POSITIVE_INFINITY)
  }

  /** The number of records that are wanted. It is undefined if they are sorted or grouped: then it is known behind the last of them. */
  private get limit(): number | undefined {
    return this.sorts ? undefined : getWantedCount(this.paging)
  }

  private async narrowed<A extends Ask>(ask: A, limit = this.limit): Promise<FilteredList<A>> {
    return (await this.choice?.(ask.endpoint))?.of(ask, limit) ?? { ask, tested: [] }
  }

  /** Returns the paging of a list. If records are tested here, more are read than are printed. */
  private pagingOf(stage: Stage | undefined): Paging {
    return stage === undefined && !this.sorts ? this.paging : toSearchPaging(this.paging)
  }

  private async *read(
    open: (how: ReadOptions) => Batches,
    view: RecordView,
    plan?: Plan,
    stage: Stage = keepBatches,
    singles?: SingleReader,
  ): Rows {
    const isTested = stage !== keepBatches
    let reader: Parameters<ListSource['attachReader']>[0] = {}
    const source: ListSource = {
      isOrdered: this.sorts,
      attachReader: (opened) => {
        reader = opened
      },
    }
    yield { kind: 'open', many: true, view, source }
    let isAlone = false
    // One object is shown as it is, unless it goes through what works on lists.
    const found = (): void => {
      isAlone = !isTested && !this.sorts
    }
    const how = {
      held: () => reader.held?.() === true,
      // What is told of a batch as it comes says nothing of one that went through a stage.
      watch: isTested ? undefined : reader.watch,
    }
    const batches = stage(open({ ...how, ...(plan === undefined ? { alone: found } : {}) }))
    let count = 0
    try {
      for (let step = await batches.next(); ; step = await batches.next()) {
        if (step.done === true) {
          if (this.isCut(step.value)) throw createIncompleteFailure(step.value, plan)
          return yield this.endOf(step.value, plan, isTested)
        }
        const batch = step.value
        if (isAlone && count === 0) yield { kind: 'open', many: false, view, source }
        count += batch.length
        yield { kind: 'records', batch, readers: singles && batch.map(() => singles) }
      }
    } catch (error) {
      throw toIncompleteFailure(error, this.sorts ? 0 : count)
    } finally {
      await batches.return(unread)
    }
  }

  private endOf(end: ListEnd, plan: Plan | undefined, isTested: boolean): Row {
    const said = describeListEnd(end, this.paging, plan, isTested)
    return { kind: 'end', more: end.more, note: said }
  }
}
