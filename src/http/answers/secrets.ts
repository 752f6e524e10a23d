/** Masks secrets in what is shown: credentials in headers, addresses and bodies. */
import { tryParseJson } from '../../base/objects.js'
import {
  getSecrecies,
  getSecrecy,
  listSecretsInText,
  maskAddresses,
  maskSecrets,
  maskWholeText,
  type Replacement,
} from '../../base/secrets/mask.js'
import { isSecretHeader } from '../../base/secrets/names.js'
import { redactedMark as hidden } from '../../base/secrets/redact.js'
import type { AnswerHeaders, WireRequest } from '../types.js'

/** Masks user names, passwords and secret parameters in an address, or in a text with addresses. */
export const maskAddressSecrets = (text: string): string => maskAddresses(text, () => hidden)

/** Prepares headers for a trace: credentials are masked, and several values are joined. */
export const maskHeaders = (headers: AnswerHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined) return []
      const text = Array.isArray(value) ? value.join(', ') : value
      return [[name, isSecretHeader(name) ? hidden : maskAddressSecrets(text)]]
    }),
  )

/** Lists every text in a value. */
const listTexts = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : []
}

/** Creates a replacement that passes each secret of a value to a function. */
const createCollector = (collect: (text: string) => void): Replacement => ({
  value: (_, value) => {
    listTexts(value).forEach(collect)
    return hidden
  },
  text: (_, text) => {
    for (const secret of listSecretsInText(text)) collect(secret)
    return text
  },
})

const form = 'application/x-www-form-urlencoded'

/** Parses the attributes of a body; undefined if it has none that can be read. */
const parseAttributes = (
  { body, parts }: RequestContent,
  headers: WireRequest['headers'],
): unknown => {
  if (parts !== undefined)
    return parts.map((part) => ({
      [part.name]: part.bytes === undefined ? part.value : Buffer.from(part.bytes).toString(),
    }))
  if (typeof body !== 'string') return undefined
  if (headers['content-type'] === form)
    return [...new URLSearchParams(body)].map(([name, value]) => ({ [name]: value }))
  return tryParseJson(body)
}

type RequestContent = Pick<WireRequest, 'path' | 'headers' | 'body' | 'parts' | 'secrets'>

/**
 * Finds the texts of a request that are secrets: in its JSON or form, in its headers, and in its address.
 * @param headers those that are sent, if they are more than the request's own
 */
export const findSecretTexts = (
  sent: RequestContent,
  headers = sent.headers,
): readonly string[] => {
  const found = Object.entries(headers)
    .filter(([name]) => isSecretHeader(name))
    .map(([, value]) => value)
  const query = new URLSearchParams(/\?(.*)/s.exec(sent.path)?.[1])
  const findSecrecy = getSecrecies(sent.secrets)
  for (const [name, value] of query)
    if (getSecrecy(findSecrecy, name) !== undefined) found.push(value)
  maskSecrets(
    parseAttributes(sent, headers),
    findSecrecy,
    undefined,
    createCollector((text) => found.push(text)),
  )
  return found
}

const maxTracedBody = 16 * 1024

/** The replacement for traces. It also masks secrets within longer texts, such as those that a CI file assigns. */
const traceReplacement: Replacement = {
  value: () => hidden,
  text: (_, text) => maskWholeText(text, () => hidden),
}

/**
 * Masks the secrets of a small JSON body; returns undefined for anything else.
 * @param declared names that hold secrets, in addition to names that look like secrets
 */
export const maskBody = (text: string, declared?: ReadonlySet<string>): string | undefined => {
  if (text.length > maxTracedBody) return undefined
  try {
    return JSON.stringify(
      maskSecrets(JSON.parse(text), getSecrecies(declared), undefined, traceReplacement),
    )
  } catch {
    return undefined
  }
}
