/** Knows the statuses of answers: their names and categories, and the texts and sets that several modules need. */
import type { Category } from '../errors.js'
import type { AdviceCode } from './types.js'

/** The names that differ from those of Node: 413 has a newer one (RFC 9110), and the IANA registry does not have the others. */
const ownNames = new Map<number, string | undefined>([
  [413, 'Content Too Large'],
  [418, undefined],
  [509, undefined],
  [510, undefined],
])

/** Returns the name of a status; undefined for one that is not registered. Only messages load the module with the names. */
export const getStatusName = (status: number): string | undefined =>
  ownNames.has(status)
    ? ownNames.get(status)
    : process.getBuiltinModule('node:http').STATUS_CODES[status]

const classes: Readonly<Record<number, string>> = {
  2: 'a success',
  3: 'a redirect',
  4: 'a refusal',
  5: 'a failure of the instance',
}

/** Formats a status with its name: `404 Not Found`, `499 (a refusal of no known name)`. */
export const formatStatus = (status: number): string => {
  const name = getStatusName(status)
  if (name !== undefined) return `${status} ${name}`
  return `${status} (${classes[Math.floor(status / 100)] ?? 'a status'} of no known name)`
}

const categories: Readonly<Record<number, Category>> = {
  401: 'auth',
  403: 'auth',
  404: 'not_found',
  410: 'not_found',
  409: 'conflict',
  412: 'conflict',
  429: 'rate_limited',
}

/** Returns the category of a status, which decides the exit code. */
export const getCategory = (status: number): Category =>
  categories[status] ?? (status >= 500 ? 'unreachable' : 'failed')

export const isSuccess = (status: number): boolean =>
  (status >= 200 && status < 300) || status === 304

/** The statuses of gateways. They may be temporary, and do not show whether the instance carried out the request. */
export const gatewayStatuses: ReadonlySet<number> = new Set([502, 503, 504])

/** True for a status that an instance may give after it wrote. An instance in maintenance (503) did not write. */
export const canFollowWrite = (status: number): boolean => status >= 500 && status !== 503

/** The statuses that redirect to another address. */
export const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** The status that closes the gate: 429, or 503 with a time to come again. */
export type ClosedBy = 429 | 503

interface ClosingText {
  readonly category: Category
  readonly code: AdviceCode
  readonly message: string
  /** The reason for a wait, in a note. */
  readonly reason: string
}

/** The texts about requests that the instance asks to send later. */
export const closingTexts: Readonly<Record<ClosedBy, ClosingText>> = {
  429: {
    category: 'rate_limited',
    code: 'rate',
    message: 'the instance limits requests',
    reason: 'too many requests (429)',
  },
  503: {
    category: 'unreachable',
    code: 'unavailable',
    message: 'the instance is not available',
    reason: 'the instance is not available (503)',
  },
}
