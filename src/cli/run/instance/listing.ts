/** Lists on their way from the instance to the output, page by page, never gathered. */
import { largestPage } from '../../../client/defaults.js'
import type { InstanceClient } from '../../../client/instance.js'
import { followed, isLong, type Paging, paged } from '../../../client/paging.js'
import type { Plan } from '../../../commands/described.js'
import type { Emit } from '../../../commands/services.js'
import { buildRequest } from '../../../http/index.js'
import type { Ask, Batch, ListEnd, ListOptions, WireRequest } from '../../../http/types.js'
import type { Writer } from '../../../output/types.js'
import { cutShort, noteOf } from './ended.js'

interface Screen {
  readonly writer: (many: boolean, emit: Emit) => Promise<Writer>
  /** A note that stands below the output. */
  readonly later: (text: string) => void
}

type Watching = Pick<ListOptions, 'watch'>
type Batches = AsyncGenerator<Batch, ListEnd>

/** Gives each batch away, one after the other, and how the list ended. */
const drain = async (
  batches: Batches,
  take: (batch: Batch) => Promise<void> | void,
): Promise<ListEnd> => {
  for (;;) {
    const step = await batches.next()
    if (step.done === true) return step.value
    await take(step.value)
  }
}

const decoder = new TextDecoder()

/** All records of a list, parsed. */
const gathered = async (batches: Batches): Promise<{ records: unknown[]; end: ListEnd }> => {
  const records: unknown[] = []
  const end = await drain(batches, (batch) => {
    for (const bytes of batch) records.push(JSON.parse(decoder.decode(bytes)))
  })
  return { records, end }
}

/** The lists of a run, by its paging flags. */
export class Lists {
  constructor(
    private readonly paging: Paging,
    private readonly instance: () => Promise<InstanceClient>,
    private readonly screen: Screen,
  ) {}

  /** The first request of a list. */
  request(ask: Ask): WireRequest {
    return paged(buildRequest(ask), this.paging)
  }

  /** The first request of all there is of a list. */
  whole(ask: Ask): WireRequest {
    return paged(buildRequest(ask), { limit: 'all', perPage: largestPage })
  }

  /** A list straight to the output. */
  async stream(plan: Plan, emit: Emit): Promise<ListEnd> {
    const instance = await this.instance()
    const { endpoint } = plan
    const columns = endpoint.columns === undefined ? {} : { columns: endpoint.columns }
    const batches = (how: Watching) => instance.batches(plan, this.paging, how)
    return this.print(batches, { endpoint, ...columns, ...emit }, plan)
  }

  /** A list that the catalogue does not know, straight to the output. */
  async streamRequest(wire: WireRequest): Promise<void> {
    const patience = isLong(this.paging) ? 'long' : 'usual'
    const client = await (await this.instance()).client(undefined, patience)
    const first = paged(wire, this.paging)
    await this.print((how) => client.list(first, { ...followed(this.paging), ...how }), {})
  }

  /** All records, parsed, whatever the paging flags say. */
  async gather(ask: Ask, limit?: number): Promise<readonly unknown[]> {
    const paging: Paging = { limit: limit ?? 'all', perPage: largestPage }
    const instance = await this.instance()
    const client = await instance.client(ask.endpoint)
    const wire = paged(await instance.request(ask), paging)
    return (await gathered(client.list(wire, followed(paging)))).records
  }

  /** What `stream` would print, in hand. */
  async collect(plan: Plan): Promise<readonly unknown[]> {
    const { records, end } = await gathered((await this.instance()).batches(plan, this.paging))
    this.say(end, plan)
    return records
  }

  private async print(
    batches: (how: Watching) => Batches,
    emit: Emit,
    plan?: Plan,
  ): Promise<ListEnd> {
    const writer = await this.screen.writer(true, emit)
    const watch = writer.watch?.()
    let printed = 0
    const end = await drain(batches(watch === undefined ? {} : { watch }), async (batch) => {
      await writer.raw(batch)
      printed += batch.length
    }).catch(async (error: unknown) => {
      await writer.abandon()
      throw cutShort(error, printed)
    })
    await writer.close()
    this.say(end, plan)
    return end
  }

  private say(end: ListEnd, plan?: Plan): void {
    const note = noteOf(end, this.paging, plan)
    if (note !== undefined) this.screen.later(note)
  }
}
