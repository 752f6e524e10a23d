/** What must not be seen: credentials in headers, addresses and bodies that are shown. */

import { mayBeSecret, mayBeSecretHeader } from '../../base/secrets/names.js'
import { mask } from '../../base/secrets/scrub.js'
import type { Part, WireRequest } from '../types.js'

const secretParameter =
  /([?&;][^=&?#\s]*(?:token|signature|secret|passw|credential|key|sig|dsn)[^=&?#\s]*=)[^&#>\s"']*/gi
const userInfo = /(\/\/)[^/?#\s@]+@/g

/** An address, or text with addresses, without user names, passwords and secret parameters. */
export const safeAddress = (text: string): string =>
  text.replace(userInfo, `$1${mask}@`).replace(secretParameter, `$1${mask}`)

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Headers for a trace: credentials masked, several values joined. */
export const safeHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined) return []
      const text = Array.isArray(value) ? value.join(', ') : value
      return [[name, mayBeSecretHeader(name) ? mask : safeAddress(text)]]
    }),
  )

/** A copy of a JSON value in which every text under a secret name is replaced. */
export const maskSecrets = (
  value: unknown,
  secret: (name: string) => boolean,
  replacement = mask,
  within = false,
): unknown => {
  if (Array.isArray(value))
    return value.map((item: unknown) => maskSecrets(item, secret, replacement, within))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        maskSecrets(inner, secret, replacement, within || secret(name)),
      ]),
    )
  return within && typeof value === 'string' && value !== '' ? replacement : value
}

type Secret = (name: string) => boolean

const secretParts = (parts: readonly Part[], secret: Secret): string[] =>
  parts
    .filter(({ name }) => secret(name))
    .map((part) => (part.bytes === undefined ? part.value : Buffer.from(part.bytes).toString()))

const secretFields = (body: string, secret: Secret): string[] =>
  [...new URLSearchParams(body)].filter(([name]) => secret(name)).map(([, value]) => value)

const secretValues = (body: string, secret: Secret): string[] => {
  const found: string[] = []
  const collect = (value: unknown, within: boolean): void => {
    if (typeof value === 'string' && within) found.push(value)
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value)) collect(inner, within || secret(name))
  }
  try {
    collect(JSON.parse(body), false)
  } catch {
    return []
  }
  return found
}

const form = 'application/x-www-form-urlencoded'

/** The texts of a request that stand under secret names: in JSON, in a form, in its own headers. */
export const secretTexts = ({
  headers,
  body,
  parts,
  secrets: also = [],
}: Pick<WireRequest, 'headers' | 'body' | 'parts' | 'secrets'>): readonly string[] => {
  const secret = (name: string): boolean => also.includes(name) || mayBeSecret(name)
  const own = Object.entries(headers)
    .filter(([name]) => mayBeSecretHeader(name))
    .map(([, value]) => value)
  if (parts !== undefined) return [...own, ...secretParts(parts, secret)]
  if (typeof body !== 'string') return own
  const inBody = headers['content-type'] === form ? secretFields : secretValues
  return [...own, ...inBody(body, secret)]
}

const shownBody = 16 * 1024

/**
 * A small JSON body with its secrets masked; undefined for anything else.
 * @param own whether a name is a secret's in the instance's own words
 */
export const safeBody = (
  text: string,
  also: readonly string[] = [],
  own: (name: string) => boolean = () => false,
): string | undefined => {
  if (text.length > shownBody) return undefined
  try {
    const named = (name: string): boolean => also.includes(name) || mayBeSecret(name) || own(name)
    return JSON.stringify(maskSecrets(JSON.parse(text), named))
  } catch {
    return undefined
  }
}
