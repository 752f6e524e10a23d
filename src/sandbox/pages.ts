/** Cuts a list into its page and writes the headers of its place (`http/README.md`, "Lists"). */
import { invalid, Keyset, Lazy } from './reply.js'

/** Above this many records totals and the last page are left out. */
const countedUpTo = 10_000

export interface Page {
  readonly items: readonly unknown[]
  readonly headers: Readonly<Record<string, string>>
}

interface Position {
  readonly page: number
  readonly perPage: number
}

const whole = (name: string, value: unknown, fallback: number): number => {
  if (value === undefined || value === '') return fallback
  const text = typeof value === 'object' ? '' : String(value)
  if (!/^-?\d+$/.test(text)) throw invalid(`${name} is invalid`)
  const number = Number(text)
  if (number < 1 || !Number.isSafeInteger(number))
    throw invalid(`${name} does not have a valid value`)
  return number
}

/** `page` (default 1) and `per_page` (default 20, at most 100) of a request. */
export const parsePosition = (sent: Readonly<Record<string, unknown>>): Position => ({
  page: whole('page', sent.page, 1),
  perPage: Math.min(whole('per_page', sent.per_page, 20), 100),
})

const secrets = ['private_token', 'access_token', 'job_token']

/** The same address with other query parameters; credentials do not travel in links. */
const address = (url: URL, changes: Readonly<Record<string, string>>): string => {
  const other = new URL(url)
  for (const name of secrets) other.searchParams.delete(name)
  for (const [name, value] of Object.entries(changes)) other.searchParams.set(name, value)
  return other.toString()
}

const linkHeader = (links: readonly (readonly [string, string])[]): string =>
  links.map(([rel, target]) => `<${target}>; rel="${rel}"`).join(', ')

const offsetHeaders = (url: URL, { page, perPage }: Position, total: number, counted: boolean) => {
  const pages = Math.max(1, Math.ceil(total / perPage))
  const at = (number: number) => address(url, { page: String(number), per_page: String(perPage) })
  const links: (readonly [string, string])[] = []
  if (page > 1) links.push(['prev', at(page - 1)])
  if (page < pages) links.push(['next', at(page + 1)])
  links.push(['first', at(1)])
  if (counted) links.push(['last', at(pages)])
  return {
    Link: linkHeader(links),
    'x-next-page': page < pages ? String(page + 1) : '',
    'x-page': String(page),
    'x-per-page': String(perPage),
    'X-prev-page': page > 1 ? String(page - 1) : '',
    ...(counted ? { 'x-total': String(total), 'x-total-pages': String(pages) } : {}),
  }
}

/** The asked-for page of a list; `url` is the request's whole address. */
export const cutPage = async (
  list: readonly unknown[] | Lazy<unknown> | Keyset<unknown>,
  sent: Readonly<Record<string, unknown>>,
  url: URL,
): Promise<Page> => {
  if (list instanceof Keyset) {
    const headers: Record<string, string> =
      list.next === null ? {} : { Link: linkHeader([['next', address(url, list.next)]]) }
    return { items: list.items, headers }
  }
  const position = parsePosition(sent)
  const start = (position.page - 1) * position.perPage
  const end = start + position.perPage
  const lazy = list instanceof Lazy
  const total = lazy ? list.size : list.length
  const items = lazy ? await list.slice(start, end) : list.slice(start, end)
  return { items, headers: offsetHeaders(url, position, total, total <= countedUpTo) }
}
