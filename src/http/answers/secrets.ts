/** What must not be seen: credentials in headers, addresses and bodies that are shown. */
import {
  maskAddresses,
  maskSecrets,
  maskWholeText,
  type OwnNames,
  type Replacement,
  secrecies,
  secretsInText,
} from '../../base/secrets/mask.js'
import { isSecretHeader, isSecretName } from '../../base/secrets/names.js'
import { scrubbedMark as hidden } from '../../base/secrets/scrub.js'
import type { WireRequest } from '../types.js'

/** An address, or text with addresses, without user names, passwords and secret parameters. */
export const safeAddress = (text: string): string => maskAddresses(text, () => hidden)

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Headers for a trace: credentials masked, several values joined. */
export const safeHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined) return []
      const text = Array.isArray(value) ? value.join(', ') : value
      return [[name, isSecretHeader(name) ? hidden : safeAddress(text)]]
    }),
  )

/** Every text in a value. */
const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** Tells of each secret of a value, and of nothing else. */
const collecting = (tell: (text: string) => void): Replacement => ({
  value: (_, value) => {
    textsIn(value).forEach(tell)
    return hidden
  },
  text: (_, text) => {
    for (const secret of secretsInText(text)) tell(secret)
    return text
  },
})

const form = 'application/x-www-form-urlencoded'

/** The attributes of a body; undefined where it has none that are known. */
const attributesIn = ({ headers, body, parts }: RequestContent): unknown => {
  if (parts !== undefined)
    return parts.map((part) => ({
      [part.name]: part.bytes === undefined ? part.value : Buffer.from(part.bytes).toString(),
    }))
  if (typeof body !== 'string') return undefined
  if (headers['content-type'] === form)
    return [...new URLSearchParams(body)].map(([name, value]) => ({ [name]: value }))
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

type RequestContent = Pick<WireRequest, 'path' | 'headers' | 'body' | 'parts' | 'secrets'>

/** The texts of a request that are secrets: in JSON, in a form, in its own headers, in its address. */
export const secretTexts = (sent: RequestContent, words?: OwnNames): readonly string[] => {
  const found = Object.entries(sent.headers).flatMap(([name, value]) =>
    isSecretHeader(name) ? [value] : [],
  )
  const query = new URLSearchParams(/\?(.*)/s.exec(sent.path)?.[1])
  for (const [name, value] of query) if (isSecretName(name)) found.push(value)
  const secrecyOf = secrecies(sent.secrets, words)
  maskSecrets(
    attributesIn(sent),
    secrecyOf,
    undefined,
    collecting((text) => found.push(text)),
  )
  return found
}

const shownBody = 16 * 1024

/** A trace is no data: also what a text only mentions is masked there, and what a CI file assigns. */
const shown: Replacement = {
  value: () => hidden,
  text: (_, text) => maskWholeText(text, () => hidden),
}

/**
 * A small JSON body with its secrets masked; undefined for anything else.
 * @param declared names that hold secrets besides those that look so
 * @param words the instance's own
 */
export const safeBody = (
  text: string,
  declared?: ReadonlySet<string>,
  words?: OwnNames,
): string | undefined => {
  if (text.length > shownBody) return undefined
  try {
    return JSON.stringify(
      maskSecrets(JSON.parse(text), secrecies(declared, words), undefined, shown),
    )
  } catch {
    return undefined
  }
}
