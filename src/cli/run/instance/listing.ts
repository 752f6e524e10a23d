/** Lists on their way from the instance to the output, page by page, never gathered. */
import type { Globals } from '../../../commands/globals.js'
import type { Emit, Plan } from '../../../commands/types.js'
import { Failure } from '../../../errors.js'
import { buildRequest } from '../../../http/index.js'
import type { Ask, Client, ListEnd, ListOptions, WireRequest } from '../../../http/types.js'
import type { Writer } from '../../../output/types.js'
import type { ExchangeServices } from './exchange.js'

const defaultLimit = 100
const largestPage = 100

type Paging = Pick<Globals, 'limit' | 'page' | 'perPage' | 'concurrency'>

/** How many records, over which pages, the paging flags ask for. */
const pagingOf = ({
  limit,
  page,
  perPage,
  concurrency,
}: Paging): { options: ListOptions; query: Readonly<Record<string, number>> } => {
  const exact = page !== undefined || (perPage !== undefined && limit === undefined)
  const count = limit === 'all' ? undefined : (limit ?? (exact ? undefined : defaultLimit))
  const size = perPage ?? (exact ? undefined : Math.min(count ?? largestPage, largestPage))
  return {
    options: {
      ...(count === undefined ? {} : { limit: count }),
      ...(exact ? { single: true } : {}),
      ...(concurrency === undefined ? {} : { concurrency }),
    },
    query: {
      ...(page === undefined ? {} : { page }),
      ...(size === undefined ? {} : { per_page: size }),
    },
  }
}

/** A request with paging parameters added to its query. */
const paged = (request: WireRequest, query: Readonly<Record<string, number>>): WireRequest => {
  const text = Object.entries(query)
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
  if (text === '') return request
  return { ...request, path: `${request.path}${request.path.includes('?') ? '&' : '?'}${text}` }
}

/** The scope that the instance takes for a list of all there is, when none is asked for: it explains an empty one. */
const scopeOf = (plan: Plan | undefined): string => {
  const scope = plan?.endpoint.params.scope
  if (scope?.default === undefined || plan?.values.scope !== undefined) return ''
  if (Object.keys(plan?.endpoint.path ?? {}).length > 0) return ''
  return `; the scope is ${scope.default} unless --scope says otherwise`
}

/** What standard error says after a list. */
const noteOf = (end: ListEnd, globals: Paging, plan?: Plan): string | undefined => {
  if (end.records === 0 && !end.more) return `nothing found${scopeOf(plan)}`
  if (!end.more) return undefined
  const of = end.total === undefined ? '' : ` of ${end.total}`
  const how =
    globals.page === undefined
      ? '--limit <n> or --limit all gives more'
      : `--page ${globals.page + 1} goes on`
  return `showing ${end.records}${of}; there are more: ${how}`
}

interface Screen {
  readonly writer: (many: boolean, emit: Emit) => Promise<Writer>
  /** A note that stands below the output. */
  readonly later: (text: string) => void
}

const drain = async (
  client: Client,
  request: WireRequest,
  options: ListOptions,
  take: (batch: readonly Uint8Array[]) => Promise<void> | void,
): Promise<ListEnd> => {
  const records = client.list(request, options)
  for (;;) {
    const step = await records.next()
    if (step.done === true) return step.value
    await take(step.value)
  }
}

/** The failure of a list of which so much is printed already; only JSON shows it in the output itself. */
const cutShort = (error: unknown, printed: number): unknown => {
  if (!(error instanceof Failure) || printed === 0) return error
  const records = printed === 1 ? '1 record was' : `${printed} records were`
  return new Failure(
    error.category,
    `${error.message}; ${records} printed before that, and the list is not whole`,
    error.details,
  )
}

const decoder = new TextDecoder()
const parsed = (bytes: Uint8Array): unknown => JSON.parse(decoder.decode(bytes))

export const listing = (globals: Globals, exchange: ExchangeServices, screen: Screen) => {
  const { options, query } = pagingOf(globals)
  const request = (ask: Ask): WireRequest => paged(buildRequest(ask), query)
  // Short lists end before undici's parser is worth optimising.
  const long = options.limit === undefined && options.single !== true

  const say = (end: ListEnd, plan?: Plan): void => {
    const note = noteOf(end, globals, plan)
    if (note !== undefined) screen.later(note)
  }

  const streamTo = async (
    client: Client,
    wire: WireRequest,
    emit: Emit,
    plan?: Plan,
  ): Promise<ListEnd> => {
    const writer = await screen.writer(true, emit)
    const watch = writer.watch?.()
    const watched = watch === undefined ? options : { ...options, watch }
    let printed = 0
    const end = await drain(client, wire, watched, async (batch) => {
      await writer.raw(batch)
      printed += batch.length
    }).catch(async (error: unknown) => {
      await writer.abandon?.()
      throw cutShort(error, printed)
    })
    await writer.close()
    say(end, plan)
    return end
  }

  /** A list straight to the output. */
  const stream = async (plan: Plan, emit: Emit): Promise<ListEnd> =>
    streamTo(
      await exchange.client(plan.endpoint, long),
      request(plan),
      {
        endpoint: plan.endpoint,
        ...(plan.endpoint.columns === undefined ? {} : { columns: plan.endpoint.columns }),
        ...emit,
      },
      plan,
    )

  /** A list that the catalogue does not know. */
  const streamRequest = async (wire: WireRequest): Promise<void> => {
    await streamTo(await exchange.client(undefined, long), paged(wire, query), {})
  }

  /** All records, parsed, whatever the paging flags say. */
  const gather = async (ask: Ask, limit?: number): Promise<readonly unknown[]> => {
    const found: unknown[] = []
    const wire = paged(await exchange.request(ask), { per_page: largestPage })
    const how = limit === undefined ? {} : { limit }
    await drain(await exchange.client(ask.endpoint), wire, how, (batch) => {
      for (const bytes of batch) found.push(parsed(bytes))
    })
    return found
  }

  /** What `stream` would print, in hand. */
  const collect = async (plan: Plan): Promise<readonly unknown[]> => {
    const found: unknown[] = []
    const client = await exchange.client(plan.endpoint, long)
    const end = await drain(client, request(plan), options, (batch) => {
      for (const bytes of batch) found.push(parsed(bytes))
    })
    say(end, plan)
    return found
  }
  return { request, stream, streamRequest, gather, collect }
}
