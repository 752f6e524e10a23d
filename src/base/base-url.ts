/** Normalizes the base URL of an instance, so that equal instances have equal texts, and detects path segments that lead elsewhere. */

import { domainToASCII } from 'node:url'
import { type Failure, usage } from '../errors.js'
import { trimTrailingSlashes } from './text.js'

const formHint = 'Use the form https://host or https://host/path.'
/** Matches the scheme and the credentials of an address. */
const beforeAt = /^([a-z][a-z0-9+.-]*:\/\/)?.*@/i
/** Matches the parts of an address that may hold a secret: the query and the fragment. */
const afterPath = /([?#]).+/s
const createUrlFailure = (text: string, why: string): Failure =>
  usage(
    `invalid base URL "${text.replace(beforeAt, '$1…@').replace(afterPath, '$1…')}": ${why}`,
    formHint,
  )

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression searches for control characters
const unsafe = /[\u0000-\u0020\u007f\\]/

/**
 * Normalizes a base URL: without a trailing slash and without `/api/v4`, and with https if no scheme is given.
 * @throws Failure `usage` for credentials, a query, a fragment, and any scheme but http and https
 */
export const normalizeBaseUrl = (given: string): string => {
  const text = given.trim()
  if (text === '' || unsafe.test(text))
    throw createUrlFailure(text, 'it is empty or contains spaces')
  if (text.includes('@')) throw createUrlFailure(text, 'it must not contain credentials')
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase()
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https')
    throw createUrlFailure(text, `the scheme ${scheme} is neither http nor https`)
  if (scheme === undefined && /^https?[:/]/i.test(text))
    throw createUrlFailure(text, 'its scheme is not followed by ://')
  let url: URL
  try {
    url = new URL(scheme === undefined ? `https://${text}` : text)
  } catch {
    throw createUrlFailure(text, 'it is not a URL')
  }
  if (text.includes('?')) throw createUrlFailure(text, 'it has a query')
  if (text.includes('#')) throw createUrlFailure(text, 'it has a fragment')
  const path = trimTrailingSlashes(url.pathname).replace(/\/api\/v4$/, '')
  return url.origin + trimTrailingSlashes(path)
}

/** True if a host name means this machine. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname === '[::1]' ||
  /^127(\.\d{1,3}){3}$/.test(hostname)

/** Returns a warning for a base URL that sends tokens in clear text over a network; undefined if there is no such risk. */
export const createClearTextWarning = (baseUrl: string): string | undefined => {
  const url = new URL(baseUrl)
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return undefined
  return `${baseUrl} is not encrypted: the token is sent in clear text`
}

/** True if a segment is `.` or `..`, which mean another path than their text. */
export const isDots = (segment: string): boolean => segment === '.' || segment === '..'

/** True if a path, whose segments are separated by slashes, contains `.` or `..` as a segment. */
export const hasDots = (path: string): boolean => path.split('/').some(isDots)

/** Returns a domain as instances accept it, for one in another script; undefined if there is none. */
export const toAsciiDomain = (text: string): string | undefined =>
  /\P{ASCII}/u.test(text) ? domainToASCII(text) || undefined : text
