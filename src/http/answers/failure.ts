/** Converts answers that refuse a request to a Failure with a category, a message and the next step (`http/README.md`). */
import { type Fields, isObject, tryParseJson } from '../../base/objects.js'
import { type Category, Failure } from '../../errors.js'
import { parseRetryAfter, type RequestAuthor, readHeader, toEpochTime } from '../headers.js'
import { formatStatus, getCategory, getStatusName } from '../status.js'
import { type AnswerHeaders, type NextStep, toDetails } from '../types.js'
import { findPageTitle, findStorageError, isPage, proxyHint, toOneLine } from './network.js'
import {
  createMovedStep,
  findPathBelowHost,
  hasEncodedSlash,
  suggestRequest,
} from './request-path.js'
import { maskAddressSecrets } from './secrets.js'

// Error bodies are converted to one readable message (`http/README.md`). Their shape varies: instances and the proxies in front of them
// send several kinds of JSON, text and HTML pages. The message repeats only fields that are meant for messages, since any other field may
// be a secret.

interface ErrorMessage {
  /** The message in one line; empty if the body has none. */
  readonly text: string
  /**
   * The shape of the body: `message` is about a record, `error` about the call, `page` comes from a proxy or web server, and `storage`
   * from the object storage to which the instance redirects downloads.
   */
  readonly shape: 'message' | 'error' | 'page' | 'storage' | 'text' | 'none'
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

/** Describes an HTML page by its title. */
export const describePage = (text: string): string => {
  const title = findPageTitle(text)
  return title === undefined ? 'an HTML page' : `an HTML page, “${maskAddressSecrets(title)}”`
}

/** @param isDeclaredHtml true if the content type declares an HTML page */
const parseTextBody = (text: string, isDeclaredHtml: boolean): ErrorMessage => {
  const storageError = findStorageError(text)
  if (storageError !== undefined)
    return { text: maskAddressSecrets(storageError), shape: 'storage' }
  const empty = text.trim() === ''
  if (!isPage(text) && (empty || !isDeclaredHtml))
    return {
      text: '',
      shape: empty ? 'none' : 'text',
      ...detectMaintenance(text.slice(0, searchedLength)),
    }
  return {
    text: describePage(text),
    shape: 'page',
    ...detectMaintenance(findPageTitle(text) ?? ''),
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
  const value = tryParseJson(text)
  if (value === undefined) return parseTextBody(text, claimed)
  if (isObject(value)) return parseObjectBody(value)
  return { text: '', shape: 'text' }
}

export interface RefusedAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly body: Uint8Array
  /** Method and address without credentials. */
  readonly request: string
  readonly author: RequestAuthor
}

/** Builds the message of a refusal: `404 Project Not Found`, `400 Bad Request: name is missing`. The status appears exactly once. */
const buildMessage = (status: number, errorMessage: ErrorMessage): string => {
  if (errorMessage.text.startsWith(`${status} `)) return errorMessage.text
  const head = formatStatus(status)
  const name = getStatusName(status)?.toLowerCase()
  if (errorMessage.text === '' || errorMessage.text.toLowerCase() === name) return head
  return `${head}: ${errorMessage.text}`
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

/** True if a body has one of the shapes of the instance's own errors. */
const isFromInstance = ({ shape }: ErrorMessage): boolean =>
  shape === 'message' || shape === 'error'

/** True if the instance is in maintenance: 503, or 403 if it rejects writes. */
const isInMaintenance = (status: number, errorMessage: ErrorMessage): boolean =>
  errorMessage.maintenance === true &&
  (status === 503 ||
    (status === 403 && /maintenance mode|read-only instance/i.test(errorMessage.text)))

/**
 * True if an answer reports maintenance, so that a retry is pointless.
 * @param by `instance`: only if the instance itself reports it, so that the request was certainly not carried out. A proxy may show such a
 * page for any failure.
 */
export const isMaintenance = (status: number, body: Uint8Array, by?: 'instance'): boolean => {
  const errorBody = readErrorBody(body)
  return isInMaintenance(status, errorBody) && (by === undefined || isFromInstance(errorBody))
}

/** The facts about a refusal that the rules test. */
interface Refusal extends RefusedAnswer {
  readonly errorMessage: ErrorMessage
  readonly lacks: ReturnType<typeof findMissingPart>
}

/** A rule for refusals that meet all of its conditions. */
interface Rule {
  /** The status, or only its first digit. */
  readonly status?: number
  readonly shape?: ErrorMessage['shape']
  readonly lacks?: 'route'
  readonly author?: RequestAuthor
  /** Matches the instance's message. */
  readonly text?: RegExp
  readonly when?: (refusal: Refusal) => boolean
  /** The category, if it differs from that of the status. */
  readonly category?: Category
  /** The message. That of the instance follows in parentheses. */
  readonly message?: string
  readonly next: NextStep | ((refusal: Refusal) => NextStep)
}

const matchesRule = (rule: Rule, refusal: Refusal): boolean => {
  const { status, errorMessage, lacks, author } = refusal
  return (
    [status, Math.floor(status / 100)].includes(rule.status ?? status) &&
    errorMessage.shape === (rule.shape ?? errorMessage.shape) &&
    lacks === (rule.lacks ?? lacks) &&
    author === (rule.author ?? author) &&
    rule.text?.test(errorMessage.text) !== false &&
    rule.when?.(refusal) !== false
  )
}

/** Returns the time that an instance asks to wait, as text; nothing if it gives none. */
const getRequestedWaitText = ({ headers }: RefusedAnswer): { readonly about?: string } => {
  const after = readHeader(headers, 'retry-after')
  if (after === undefined || parseRetryAfter(after, 0) === undefined) return {}
  const seconds = Number(after)
  const time = toEpochTime(seconds)
  if (time !== undefined) return { about: `until ${new Date(time).toISOString()}` }
  return { about: Number.isNaN(seconds) ? `until ${toOneLine(after)}` : `${after} s` }
}

const jobHint =
  'A job token has the rights of the job’s user, and reaches another project only if that project accepts it.'

/** The rules for messages and next steps. The first rule that matches is used. */
const rules: readonly Rule[] = [
  {
    when: ({ status, errorMessage }) => isInMaintenance(status, errorMessage),
    category: 'unreachable',
    message: 'the instance is in maintenance',
    next: (refusal) => ({ code: 'maintenance', ...getRequestedWaitText(refusal) }),
  },
  {
    shape: 'storage',
    next: 'The instance keeps the file in an object storage, which rejected the request. Try again, or tell its administrators.',
  },
  { status: 407, category: 'unreachable', next: proxyHint },
  {
    status: 404,
    when: (refusal) => !isFromInstance(refusal.errorMessage) && hasEncodedSlash(refusal),
    next: { code: 'decoded-path' },
  },
  ...[413, 414, 431].map((status) => ({
    status,
    next: 'The instance, or a web server in front of it, limits what can be sent at once. Send less, or tell its administrators.',
  })),
  // The request took too long, or came too early, on its way.
  ...[408, 425].map((status): Rule => ({ status, next: { code: 'way' } })),
  {
    status: 4,
    shape: 'page',
    when: ({ status }) => status !== 429,
    next: { code: 'no-instance' },
  },
  {
    status: 405,
    text: /\bmoved projects?\b/i,
    message: 'the project has moved, and its old path does not accept writes',
    next: ({ request }) => createMovedStep(request),
  },
  {
    status: 410,
    message: 'the instance no longer supports this',
    next: 'Its version removed this endpoint. Its release notes name the replacement.',
  },
  {
    status: 403,
    text: /must be admin to use sudo/i,
    message: 'only administrators can act as another user',
    next: { code: 'sudo' },
  },
  {
    when: ({ errorMessage: { code, scope } }) => scope === 'sudo' && code === 'insufficient_scope',
    message: 'the token cannot act as another user: it lacks the scope sudo',
    next: { code: 'sudo' },
  },
  {
    status: 404,
    text: /User with ID or username '.*' Not Found/i,
    message: 'the user to act as does not exist',
    next: { code: 'sudo-user' },
  },
  {
    // Services send this code of OAuth with 403, and some with 400 or 401.
    when: ({ errorMessage }) => errorMessage.code === 'insufficient_scope',
    next: ({ errorMessage }) => ({ code: 'scope', about: errorMessage.scope }),
  },
  { status: 401, author: 'user', next: { code: 'credential' } },
  { status: 401, author: 'job', next: 'The job token is wrong, or its job has ended.' },
  { status: 401, next: { code: 'sign-in' } },
  { status: 403, author: 'user', next: { code: 'rights' } },
  { status: 403, author: 'job', next: jobHint },
  { status: 403, next: { code: 'sign-in' } },
  {
    lacks: 'route',
    when: (refusal) => suggestRequest(refusal) !== undefined,
    next: (refusal) => ({ code: 'slashes', about: suggestRequest(refusal) }),
  },
  { lacks: 'route', when: hasEncodedSlash, next: { code: 'decoded-path' } },
  {
    lacks: 'route',
    next: 'The instance does not have this endpoint. Its version or edition may lack it, or the base URL is wrong.',
  },
  {
    status: 404,
    when: ({ errorMessage }) => errorMessage.shape !== 'message',
    next: { code: 'no-instance' },
  },
  {
    status: 404,
    when: (refusal) => findPathBelowHost(refusal) !== undefined,
    next: (refusal) => `The path must not contain the host: ${findPathBelowHost(refusal)}.`,
  },
  { status: 404, author: 'nobody', next: { code: 'private' } },
  { status: 404, author: 'job', next: `It does not exist, or is hidden from the job. ${jobHint}` },
  { status: 404, next: { code: 'hidden' } },
  {
    status: 409,
    text: /\balready (?:been|a|added|in use)\b|\bexists?\b|\btaken\b|\bduplicate/i,
    next: 'An object with this name or key already exists.',
  },
  {
    status: 409,
    next: 'The object is in another state, or was changed at the same time. Read it again, then decide.',
  },
  {
    status: 412,
    next: 'The object was changed in the meantime. Read it again, then decide.',
  },
  { status: 429, next: (refusal) => ({ code: 'rate', ...getRequestedWaitText(refusal) }) },
  {
    status: 503,
    when: ({ headers }) => headers['retry-after'] !== undefined,
    next: (refusal) => ({ code: 'unavailable', ...getRequestedWaitText(refusal) }),
  },
  {
    status: 5,
    shape: 'page',
    next: 'The page comes from a proxy or web server in front of the instance, or from the instance. Try again later, or tell its administrators.',
  },
  {
    status: 5,
    next: 'The problem is on the instance. Try again later, or give its administrators the request ID.',
  },
  {
    status: 3,
    next: 'The redirect has no target. Check the base URL: the instance may have moved.',
  },
]

const otherRule: Rule = { next: { code: 'input' } }

/**
 * Creates the Failure for an answer that is neither 2xx nor 304. It never throws. The category follows from the status. The message keeps
 * the text of every field of the body.
 */
export const toFailure = (answer: RefusedAnswer): Failure => {
  const { status, headers, body, request } = answer
  const errorMessage = readErrorBody(body, readHeader(headers, 'content-type'))
  const text = buildMessage(status, errorMessage)
  const lacks = findMissingPart(status, errorMessage)
  const refusal = { ...answer, errorMessage, lacks }
  const { category, message, next } = rules.find((rule) => matchesRule(rule, refusal)) ?? otherRule
  const requestId = readHeader(headers, 'x-request-id')
  return new Failure(
    category ?? getCategory(status),
    message === undefined ? text : `${message} (${text})`,
    {
      status,
      request,
      ...toDetails(typeof next === 'function' ? next(refusal) : next),
      lacks,
      code: errorMessage.code,
      requestId: requestId && toOneLine(requestId),
    },
  )
}
