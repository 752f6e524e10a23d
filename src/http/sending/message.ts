/**
 * Error bodies → one readable message (`http/README.md`). Their shapes are left open; instances and the proxies in front of them send JSON of several kinds, text and pages. Only
 * what stands in a place for messages is repeated: anywhere else it might be a secret.
 */
import { type Fields, isObject } from '../../base/objects.js'
import { safeAddress } from '../answers/secrets.js'
import { isPage, oneLine, pageTitle } from '../answers/text.js'

export interface Said {
  /** One line; empty when the body said nothing. */
  readonly text: string
  /** `message`: about a record; `error`: about the call; `page`: from something in front. */
  readonly shape: 'message' | 'error' | 'page' | 'text' | 'none'
  /** It tells of maintenance, also where its text is not to be repeated. */
  readonly maintenance?: true
  /** A machine-readable code: `error_code`, or an `error` that is one word. */
  readonly code?: string
  /** The scope that the token lacks. */
  readonly scope?: string
}

const shownPrefix = 20

interface Leaf {
  readonly prefix: string
  readonly text: string
}

/** Every text of a JSON value with the names that lead to it, in order, at any depth. */
const leavesOf = (root: unknown): Leaf[] => {
  const leaves: Leaf[] = []
  const open: { value: unknown; path: readonly string[] }[] = [{ value: root, path: [] }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next
    if (Array.isArray(value)) {
      for (const item of value.toReversed()) open.push({ value: item, path })
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value).reverse()) {
        const silent = name === 'base' || path.length >= shownPrefix
        open.push({ value: inner, path: silent ? path : [...path, name] })
      }
    } else if (value !== undefined && value !== null && value !== '') {
      leaves.push({ prefix: oneLine(path.join('.')), text: oneLine(String(value)) })
    }
  }
  return leaves
}

/** `name: has already been taken, is too short; the whole record is wrong`. */
const sentence = (value: unknown): string => {
  const groups: { prefix: string; texts: string[] }[] = []
  for (const { prefix, text } of leavesOf(value)) {
    const last = groups.at(-1)
    if (last?.prefix === prefix && prefix !== '') last.texts.push(text)
    else groups.push({ prefix, texts: [text] })
  }
  return groups
    .map(({ prefix, texts }) => [prefix, texts.join(', ')].filter((t) => t !== '').join(': '))
    .join('; ')
}

const word = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[a-z][a-z0-9_]{0,59}$/.test(value) ? value : undefined

const words = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[a-z][a-z_ ]{0,99}$/.test(value) ? value : undefined

const fromObject = (body: Fields): Said => {
  const { message, error, error_description: description } = body
  const said = [
    [sentence(error), sentence(description)].filter((t) => t !== '').join(': '),
    sentence(message),
  ]
  const code = word(body.error_code) ?? word(error)
  const scope = words(body.scope)
  const text = said.filter((t) => t !== '').join('; ')
  return {
    text: safeAddress(text),
    ...maintenance(text),
    shape: message !== undefined ? 'message' : 'error',
    code,
    scope,
  }
}

/** So much of a plain text says what it is about. */
const telling = 500

const maintenance = (text: string): Pick<Said, 'maintenance'> =>
  /\bmaintenance\b|\bread-only instance\b/i.test(text) ? { maintenance: true } : {}

const fromText = (text: string): Said => {
  if (!isPage(text)) {
    const shape = text.trim() === '' ? 'none' : 'text'
    return { text: '', shape, ...maintenance(text.slice(0, telling)) }
  }
  const title = pageTitle(text)
  return {
    text: title === undefined ? 'an HTML page' : `an HTML page, “${safeAddress(title)}”`,
    shape: 'page',
    ...maintenance(title ?? ''),
  }
}

/** What an error body says. Never throws, whatever the bytes are. */
export const readErrorBody = (bytes: Uint8Array): Said => {
  const text = new TextDecoder().decode(bytes)
  if (!/^\s*[[{"]/.test(text)) return fromText(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return fromText(text)
  }
  if (isObject(value)) return fromObject(value)
  return { text: '', shape: 'text' }
}
