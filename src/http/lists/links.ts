/** Where a list goes on: the Link header as it is given (`http/README.md`). */
import LinkHeader from 'http-link-header'
import { type AnswerHeaders, readHeader } from '../answers/headers.js'
import { unusable } from '../answers/lost.js'
import { safeAddress } from '../answers/secrets.js'
import { formatAddress, parseAddress, type Target } from '../request/address.js'
import type { WireRequest } from '../types.js'

/** What of an answer says where its list goes on. */
export interface Linked {
  readonly headers: AnswerHeaders
  readonly target: Target
  readonly label: string
}

const linkOf = ({ headers, label }: Linked, rel: string): string | undefined => {
  const { link } = headers
  const text = Array.isArray(link) ? link.join(', ') : link
  if (text === undefined || text.trim() === '') return undefined
  try {
    return LinkHeader.parse(text).rel(rel)[0]?.uri
  } catch {
    throw unusable('the Link header of the list cannot be read', label)
  }
}

/** How the instance's links are led back to where it is reached. */
export interface Root {
  readonly root: Target
  readonly note: (text: string) => void
}

const belowRoot = (link: string, page: Linked, { root, note }: Root): string => {
  const from = formatAddress(page.target)
  const url = URL.canParse(link, from) ? new URL(link, from) : undefined
  const target = url === undefined ? undefined : parseAddress(url.href)
  if (target === undefined || !target.path.startsWith(`${root.path}/`))
    throw unusable(
      `the list continues outside of the instance, at ${safeAddress(url?.href ?? link)}, which was not contacted`,
      page.label,
      'The instance names itself otherwise than the base URL does: use the address that it uses.',
    )
  if (target.origin !== root.origin)
    note(`next page: ${safeAddress(formatAddress(target))} taken as ${root.origin}`)
  return target.path.slice(root.path.length)
}

const getting = (path: string): WireRequest => ({ method: 'GET', path, headers: {} })

/**
 * The next page, exactly as `rel="next"` names it; only its origin is replaced by the base URL's,
 * so that no credential goes anywhere else.
 * @throws Failure `unreachable` for a link that leads out of the instance's API
 */
export const nextPage = (page: Linked, root: Root): WireRequest | undefined => {
  const link = linkOf(page, 'next')
  return link === undefined ? undefined : getting(belowRoot(link, page, root))
}

const wholeNumber = (text: string | null | undefined): number | undefined =>
  text !== null && text !== undefined && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined

const parameter = (path: string, name: string): string | null =>
  new URLSearchParams(path.slice(path.indexOf('?') + 1)).get(name)

/** The number of the last page, where the instance counts its pages. */
export const lastPage = (page: Linked): number | undefined =>
  wholeNumber(readHeader(page.headers, 'x-total-pages'))

/** A page by its number, made from a page that the instance named. */
export const numbered = (named: WireRequest, number: number): WireRequest => ({
  ...named,
  path: named.path.replace(/([?&]page=)\d+/, `$1${number}`),
})

export const pageNumber = (named: WireRequest): number | undefined =>
  wholeNumber(parameter(named.path, 'page'))

const documentedSize = 20

/** How many records a page may hold. */
export const pageSize = (page: Linked): number =>
  wholeNumber(readHeader(page.headers, 'x-per-page')) ??
  wholeNumber(parameter(page.target.path, 'per_page')) ??
  documentedSize

export const getTotal = (page: Linked): number | undefined =>
  wholeNumber(readHeader(page.headers, 'x-total'))

/** Whether the instance speaks of a further page, in whichever header. */
export const hasMore = (page: Linked): boolean =>
  wholeNumber(readHeader(page.headers, 'x-next-page')) !== undefined
