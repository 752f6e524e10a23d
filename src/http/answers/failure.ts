/** Converts answers that refuse a request to a Failure with a category, a message and the next step (`http/README.md`). */
import { type Fields, isObject } from '../../base/objects.js'
import { type Category, Failure } from '../../errors.js'
import { parseRetryAfter, readHeader } from '../headers.js'
import { type NextStep, toDetails } from '../types.js'
import {
  findPageTitle,
  formatStatus,
  getStatusName,
  isPage,
  proxyHint,
  toOneLine,
} from './network.js'
import { maskAddressSecrets } from './secrets.js'
import { encodeSlashes } from './slashes.js'

// Error bodies are converted to one readable message (`http/README.md`). Their shape varies: instances and the proxies in front of them
// send several kinds of JSON, text and HTML pages. The message repeats only fields that are meant for messages, since any other field may
// be a secret.

interface ErrorMessage {
  /** The message in one line; empty if the body has none. */
  readonly text: string
  /** The shape of the body: `message` is about a record, `error` about the call, and `page` comes from a proxy or web server. */
  readonly shape: 'message' | 'error' | 'page' | 'text' | 'none'
  /** True if the body mentions maintenance, even if its text is not repeated. */
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

/** Lists every text of a JSON value at any depth, with the names that lead to it. */
const listLeaves = (root: unknown): Leaf[] => {
  const leaves: Leaf[] = []
  const open: { value: unknown; path: readonly string[] }[] = [{ value: root, path: [] }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next
    if (Array.isArray(value)) {
      for (const item of value.toReversed()) open.push({ value: item, path })
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value).reverse()) {
        const isOmitted = name === 'base' || path.length >= shownPrefix
        open.push({ value: inner, path: isOmitted ? path : [...path, name] })
      }
    } else if (value !== undefined && value !== null && value !== '') {
      leaves.push({ prefix: toOneLine(path.join('.')), text: toOneLine(String(value)) })
    }
  }
  return leaves
}

/** Formats a message: `name: has already been taken, is too short; the whole record is wrong`. */
const formatMessage = (value: unknown): string => {
  const groups: { prefix: string; texts: string[] }[] = []
  for (const { prefix, text } of listLeaves(value)) {
    const last = groups.at(-1)
    if (last?.prefix === prefix && prefix !== '') last.texts.push(text)
    else groups.push({ prefix, texts: [text] })
  }
  return groups
    .map(({ prefix, texts }) => [prefix, texts.join(', ')].filter((t) => t !== '').join(': '))
    .join('; ')
}

const parseCode = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[a-z][a-z0-9_]{0,59}$/.test(value) ? value : undefined

const parseScope = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[a-z][a-z_ ]{0,99}$/.test(value) ? value : undefined

const parseObjectBody = (body: Fields): ErrorMessage => {
  const { message, error, error_description: description } = body
  const parts = [
    [formatMessage(error), formatMessage(description)].filter((t) => t !== '').join(': '),
    formatMessage(message),
  ]
  const code = parseCode(body.error_code) ?? parseCode(error)
  const scope = parseScope(body.scope)
  const text = parts.filter((t) => t !== '').join('; ')
  return {
    text: maskAddressSecrets(text),
    ...detectMaintenance(text),
    shape: message !== undefined ? 'message' : 'error',
    code,
    scope,
  }
}

/** The number of characters of a plain text that are searched for the word maintenance. */
const searchedLength = 500

const detectMaintenance = (text: string): Pick<ErrorMessage, 'maintenance'> =>
  /\bmaintenance\b|\bread-only instance\b/i.test(text) ? { maintenance: true } : {}

/** @param isDeclaredHtml true if the content type declares an HTML page */
const parseTextBody = (text: string, isDeclaredHtml: boolean): ErrorMessage => {
  const empty = text.trim() === ''
  if (!isPage(text) && (empty || !isDeclaredHtml))
    return {
      text: '',
      shape: empty ? 'none' : 'text',
      ...detectMaintenance(text.slice(0, searchedLength)),
    }
  const title = findPageTitle(text)
  return {
    text: title === undefined ? 'an HTML page' : `an HTML page, “${maskAddressSecrets(title)}”`,
    shape: 'page',
    ...detectMaintenance(title ?? ''),
  }
}

/**
 * Reads the message in an error body. Never throws, whatever the bytes are.
 * @param type the content type of the answer
 */
export const readErrorBody = (bytes: Uint8Array, type = ''): ErrorMessage => {
  const text = new TextDecoder().decode(bytes)
  const claimed = /^\s*(?:text\/html|application\/xhtml)/i.test(type)
  if (!/^\s*[[{"]/.test(text)) return parseTextBody(text, claimed)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return parseTextBody(text, claimed)
  }
  if (isObject(value)) return parseObjectBody(value)
  return { text: '', shape: 'text' }
}

export interface RefusedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Uint8Array
  /** Method and address without credentials. */
  readonly request: string
  /** True if the request carried a credential. */
  readonly signedIn: boolean
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

/** Builds the message of a refusal: `404 Project Not Found`, `400 Bad Request: name is missing`. The status appears exactly once. */
const buildMessage = (status: number, said: ErrorMessage): string => {
  if (said.text.startsWith(`${status} `)) return said.text
  const head = formatStatus(status)
  const name = getStatusName(status)?.toLowerCase()
  if (said.text === '' || said.text.toLowerCase() === name) return head
  return `${head}: ${said.text}`
}

/**
 * Returns what is missing according to an answer. An unknown route has `error` in its body, a missing record `message`. A path that exists
 * only for other methods counts as an unknown route, too. A removed route answers 410.
 */
const findMissingPart = (
  status: number,
  { shape, text }: ErrorMessage,
): 'route' | 'record' | undefined => {
  if (status === 410) return 'route'
  if (status === 405 && shape === 'error' && /^405 not allowed$/i.test(text)) return 'route'
  if (status !== 404) return undefined
  if (shape === 'message') return 'record'
  return shape === 'error' && /^404 not found$/i.test(text) ? 'route' : undefined
}

/** True if the instance is in maintenance: 503, or 403 if it rejects writes. */
const isInMaintenance = (status: number, said: ErrorMessage): boolean =>
  said.maintenance === true &&
  (status === 503 || (status === 403 && /maintenance mode|read-only instance/i.test(said.text)))

/**
 * True if an answer reports maintenance, so that a retry is pointless.
 * @param by `instance`: only if the instance itself reports it, so that the request was certainly not carried out. A proxy may show such a
 * page for any failure.
 */
export const isMaintenance = (status: number, body: Uint8Array, by?: 'instance'): boolean => {
  const errorBody = readErrorBody(body)
  const isFromInstance = errorBody.shape === 'message' || errorBody.shape === 'error'
  return isInMaintenance(status, errorBody) && (by === undefined || isFromInstance)
}

/** Returns the project that a request names in its path. */
const parseProjectPath = (request: string): string | undefined => {
  const [, segment = ''] = /\/projects\/([^/?\s]+)/.exec(request) ?? []
  try {
    return segment === '' ? undefined : decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** Returns the next step for a project that now has another path. */
export const createMovedStep = (request: string): NextStep => {
  const about = parseProjectPath(request)
  return { code: 'moved-project', about }
}

/** True if a path names a project or group by its full path, whose slashes a web server may decode. */
const hasEncodedSlash = ({ request }: RefusedAnswer): boolean =>
  /\/(?:projects|groups)\/[^/?\s]*%2F/i.test(request)

/** Returns the intended method and path of a request whose path has a name with plain slashes; undefined for other requests. */
const suggestRequest = ({ request }: RefusedAnswer): string | undefined => {
  const [, method = '', path = ''] = /^(\S+) \S*?\/api\/v4\/(\S+)$/.exec(request) ?? []
  const encodedPath = encodeSlashes(path)
  return encodedPath === undefined ? undefined : `${method} ${encodedPath}`
}

interface Rule {
  readonly when: (refusal: RefusedAnswer, said: ErrorMessage) => boolean
  /** The category, if it differs from that of the status. */
  readonly category?: Category
  readonly message?: (text: string, said: ErrorMessage) => string
  readonly next: (refusal: RefusedAnswer, said: ErrorMessage) => NextStep
}

/** Returns the time that an instance asks to wait, as text; nothing if it gives none. */
const getRequestedWaitText = ({ headers }: RefusedAnswer): { readonly about?: string } => {
  const after = readHeader(headers, 'retry-after')
  if (after === undefined || parseRetryAfter(after, 0) === undefined) return {}
  return { about: /^\d+$/.test(after) ? `${after} s` : `until ${toOneLine(after)}` }
}

/** The rules for messages and next steps. The first rule that matches is used. */
const rules: readonly Rule[] = [
  {
    when: ({ status }, said) => isInMaintenance(status, said),
    category: 'unreachable',
    message: (text) => `the instance is in maintenance (${text})`,
    next: (refusal) => ({ code: 'maintenance', ...getRequestedWaitText(refusal) }),
  },
  {
    when: ({ status }) => status === 407,
    category: 'unreachable',
    next: () => proxyHint,
  },
  {
    when: (refusal, { shape }) =>
      refusal.status === 404 &&
      shape !== 'message' &&
      shape !== 'error' &&
      hasEncodedSlash(refusal),
    next: () => ({ code: 'decoded-path' }),
  },
  {
    when: ({ status }, { shape }) => status === 413 && shape === 'page',
    next: () =>
      'The web server in front of the instance limits what can be sent at once. Send less, or tell its administrators.',
  },
  {
    when: ({ status }, { shape }) =>
      shape === 'page' && status >= 400 && status < 500 && status !== 429,
    next: () => ({ code: 'no-instance' }),
  },
  {
    when: ({ status }, { text }) => status === 405 && /\bmoved projects?\b/i.test(text),
    message: (text) => `the project has moved, and its old path does not accept writes (${text})`,
    next: ({ request }) => createMovedStep(request),
  },
  {
    when: ({ status }) => status === 410,
    message: (text) => `the instance no longer supports this (${text})`,
    next: () => 'Its version removed this endpoint. Its release notes name the replacement.',
  },
  {
    when: ({ status }, { text }) => status === 403 && /must be admin to use sudo/i.test(text),
    message: (text) => `only administrators can act as another user (${text})`,
    next: () => ({ code: 'sudo' }),
  },
  {
    when: ({ status }, { scope }) => status === 403 && scope === 'sudo',
    message: (text) => `the token cannot act as another user: it lacks the scope sudo (${text})`,
    next: () => ({ code: 'sudo' }),
  },
  {
    when: ({ status }, { text }) =>
      status === 404 && /User with ID or username '.*' Not Found/i.test(text),
    message: (text) => `the user to act as does not exist (${text})`,
    next: () => ({ code: 'sudo-user' }),
  },
  {
    when: ({ status }, { code }) => status === 403 && code === 'insufficient_scope',
    next: (_, { scope }) => ({ code: 'scope', about: scope }),
  },
  {
    when: ({ status, signedIn }) => status === 401 && signedIn,
    next: () => ({ code: 'credential' }),
  },
  { when: ({ status }) => status === 401, next: () => ({ code: 'sign-in' }) },
  { when: ({ status, signedIn }) => status === 403 && signedIn, next: () => ({ code: 'rights' }) },
  { when: ({ status }) => status === 403, next: () => ({ code: 'sign-in' }) },
  {
    when: (refusal, said) =>
      findMissingPart(refusal.status, said) === 'route' && suggestRequest(refusal) !== undefined,
    next: (refusal) => ({ code: 'slashes', about: suggestRequest(refusal) }),
  },
  {
    when: (refusal, said) =>
      findMissingPart(refusal.status, said) === 'route' && hasEncodedSlash(refusal),
    next: () => ({ code: 'decoded-path' }),
  },
  {
    when: ({ status }, said) => findMissingPart(status, said) === 'route',
    next: () =>
      'The instance does not have this endpoint. Its version or edition may lack it, or the base URL is wrong.',
  },
  {
    when: ({ status }, { shape }) => status === 404 && shape !== 'message',
    next: () => ({ code: 'no-instance' }),
  },
  {
    when: ({ status, signedIn }) => status === 404 && !signedIn,
    next: () => ({ code: 'private' }),
  },
  { when: ({ status }) => status === 404, next: () => ({ code: 'hidden' }) },
  {
    when: ({ status }, { text }) =>
      status === 409 && /\balready\b|\bexists?\b|\btaken\b|\bduplicate/i.test(text),
    next: () => 'An object with this name or key already exists.',
  },
  {
    when: ({ status }) => status === 409,
    next: () =>
      'The object is in another state, or was changed at the same time. Read it again, then decide.',
  },
  {
    when: ({ status }) => status === 412,
    next: () => 'The object was changed in the meantime. Read it again, then decide.',
  },
  {
    when: ({ status }) => status === 429,
    next: (refusal) => ({ code: 'rate', ...getRequestedWaitText(refusal) }),
  },
  {
    when: ({ status, headers }) => status === 503 && headers['retry-after'] !== undefined,
    next: (refusal) => ({ code: 'unavailable', ...getRequestedWaitText(refusal) }),
  },
  {
    when: ({ status }, { shape }) => status >= 500 && shape === 'page',
    next: () =>
      'The page comes from a proxy or web server in front of the instance, or from the instance. Try again later, or tell its administrators.',
  },
  {
    when: ({ status }) => status >= 500,
    next: () =>
      'The problem is on the instance. Try again later, or give its administrators the request ID.',
  },
  {
    when: ({ status }) => status >= 300 && status < 400,
    next: () => 'The redirect has no target. Check the base URL: the instance may have moved.',
  },
]

/**
 * Creates the Failure for an answer that is neither 2xx nor 304. It never throws. The category follows from the status. The message keeps
 * the text of every field of the body.
 */
export const toFailure = (refusal: RefusedAnswer): Failure => {
  const { status, headers, body, request } = refusal
  const errorBody = readErrorBody(body, readHeader(headers, 'content-type'))
  const text = buildMessage(status, errorBody)
  const rule = rules.find(({ when }) => when(refusal, errorBody))
  const requestId = readHeader(headers, 'x-request-id')
  const lacks = findMissingPart(status, errorBody)
  return new Failure(
    rule?.category ?? getCategory(status),
    rule?.message?.(text, errorBody) ?? text,
    {
      status,
      request,
      ...toDetails(rule?.next(refusal, errorBody) ?? { code: 'input' }),
      lacks,
      code: errorBody.code,
      requestId: requestId && toOneLine(requestId),
    },
  )
}
