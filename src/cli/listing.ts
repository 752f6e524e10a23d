/** Lists on their way from the instance to the output, page by page, never gathered. */
import type { Globals, Plan } from '../commands/types.js'
import { buildRequest } from '../http/index.js'
import type { Client, ListEnd, ListOptions, WireRequest } from '../http/types.js'
import type { Writer } from '../output/types.js'

const defaultLimit = 100
const largestPage = 100

/** How many records, over which pages, the paging flags ask for. */
export const pagingOf = (
  globals: Pick<Globals, 'limit' | 'page' | 'perPage' | 'concurrency'>,
): { options: ListOptions; query: Readonly<Record<string, number>> } => {
  const { limit, page, perPage, concurrency } = globals
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

/** A list's first request, paging included. */
export const listRequest = (plan: Plan, query: Readonly<Record<string, number>>): WireRequest => {
  const request = buildRequest(plan)
  const text = Object.entries(query)
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
  if (text === '') return request
  return { ...request, path: `${request.path}${request.path.includes('?') ? '&' : '?'}${text}` }
}

/** Streams a list into a writer. Records that came before a failure have been written. */
export const streamList = async (
  client: Client,
  request: WireRequest,
  options: ListOptions,
  writer: Writer,
): Promise<ListEnd> => {
  const records = client.list(request, options)
  for (;;) {
    const step = await records.next()
    if (step.done === true) return step.value
    await writer.raw(step.value)
  }
}

/** What standard error says after a list. */
export const listNote = (end: ListEnd, plan: Plan, globals: Globals): string | undefined => {
  const what = plan.endpoint.summary.replace(/^List /, '').split(/[:,]/)[0] ?? 'records'
  if (end.records === 0) return `nothing found: no ${what}`
  if (!end.more) return undefined
  const of = end.total === undefined ? '' : ` of ${end.total}`
  const how =
    globals.page === undefined
      ? '--limit <n> or --limit all gives more'
      : `--page ${globals.page + 1} goes on`
  return `showing ${end.records}${of}; there are more: ${how}`
}
