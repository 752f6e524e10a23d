/** What must not be seen: credentials in headers, addresses and bodies that are shown. */

import type { Part, WireRequest } from './types.js'

export const mask = '***'

const secretHeader =
  /^(authorization|proxy-authorization|private-token|job-token|cookie|set-cookie)$/i
const secretName =
  /(^|[_-])(tokens?|passwords?|passwd|secrets?|dsn|webhook|signature|sig|credentials?|(?!public)\w*key)($|[_-])/i
const publicName = /public_?key/i
const secretParameter =
  /([?&;][^=&?#\s]*(?:token|signature|secret|passw|credential|key|sig|dsn)[^=&?#\s]*=)[^&#>\s"']*/gi
const userInfo = /(\/\/)[^/?#\s@]+@/g

/** Whether an attribute of this name is treated as a secret where nothing else is known. */
export const isSecretName = (name: string): boolean =>
  secretName.test(name) && !publicName.test(name)

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
      return [[name, secretHeader.test(name) ? mask : safeAddress(text)]]
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

/** Shorter lines of a text of several are not looked for by themselves. */
const tellingLine = 16

/** The texts of a form's secret parts: whole, and line by line, since headers have no line breaks. */
const secretParts = (parts: readonly Part[], secret: (name: string) => boolean): string[] =>
  parts
    .filter(({ name }) => secret(name))
    .map((part) => (part.bytes === undefined ? part.value : Buffer.from(part.bytes).toString()))
    .flatMap((text) => [
      text.trim(),
      ...text.split(/[\r\n]+/).filter((line) => line.length >= tellingLine),
    ])

/** The texts of a request that stand under secret names, in JSON or in a form. */
export const secretTexts = ({
  body,
  parts,
  secrets: also = [],
}: Pick<WireRequest, 'body' | 'parts' | 'secrets'>): readonly string[] => {
  if (parts !== undefined)
    return secretParts(parts, (name) => also.includes(name) || isSecretName(name))
  if (typeof body !== 'string') return []
  const found: string[] = []
  const collect = (value: unknown, within: boolean): void => {
    if (typeof value === 'string' && within) found.push(value)
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value))
      collect(inner, within || also.includes(name) || isSecretName(name))
  }
  try {
    collect(JSON.parse(body), false)
  } catch {
    return []
  }
  return found
}

const shownBody = 16 * 1024

/** A small JSON body with its secrets masked; undefined for anything else. */
export const safeBody = (text: string, also: readonly string[] = []): string | undefined => {
  if (text.length > shownBody) return undefined
  try {
    const named = (name: string): boolean => also.includes(name) || isSecretName(name)
    return JSON.stringify(maskSecrets(JSON.parse(text), named))
  } catch {
    return undefined
  }
}

/** Shorter texts would be found everywhere. */
const scrubbedLength = 6

/** Blots out credentials that an instance repeats in what it answers. */
export const scrubber =
  (values: Iterable<string>) =>
  (text: string): string => {
    let clean = text
    for (const value of values) {
      if (value.length < scrubbedLength) continue
      // As it is, and as JSON writes it.
      clean = clean.replaceAll(value, mask)
      clean = clean.replaceAll(JSON.stringify(value).slice(1, -1), mask)
    }
    return clean
  }
