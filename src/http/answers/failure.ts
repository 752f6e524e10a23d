/** Answers that refuse → Failure with category, message and what to do next (`http/README.md`). */
import { type Category, Failure, type FailureDetails } from '../../errors.js'
import { readErrorBody, type Said } from '../sending/message.js'
import { headerOf } from './headers.js'
import { nameOfStatus, statusText } from './statuses.js'
import { oneLine } from './text.js'

export interface RefusedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Uint8Array
  /** Method and address without credentials. */
  readonly request: string
  /** Whether a credential went along. */
  readonly signedIn: boolean
}

const categories: Readonly<Record<number, Category>> = {
  401: 'auth',
  403: 'auth',
  404: 'not_found',
  409: 'conflict',
  412: 'conflict',
  429: 'rate_limited',
}

/** What a status means for the exit code. */
export const categoryOf = (status: number): Category =>
  categories[status] ?? (status >= 500 ? 'unreachable' : 'failed')

/** `404 Project Not Found`, `400 Bad Request: name is missing`: the status always, and once. */
const messageOf = (status: number, said: Said): string => {
  if (said.text.startsWith(`${status} `)) return said.text
  const head = statusText(status)
  const name = nameOfStatus(status)?.toLowerCase()
  if (said.text === '' || said.text.toLowerCase() === name) return head
  return `${head}: ${said.text}`
}

interface Rule {
  readonly when: (refusal: RefusedAnswer, said: Said) => boolean
  readonly message?: (text: string, said: Said) => string
  readonly hint: (refusal: RefusedAnswer, said: Said) => string
}

const sudoHint =
  'Use an administrator’s token that has the sudo scope, or leave --sudo and SVC_SUDO out.'
const login = '`svcctl auth login` stores a credential; SVC_TOKEN gives one for a single call.'

const waitText = (after: string): string =>
  /^\d+$/.test(after) ? `${after} s` : `until ${oneLine(after)}`

/** The first rule that fits wins. */
const rules: readonly Rule[] = [
  {
    when: ({ status }, { text }) => status === 403 && /must be admin to use sudo/i.test(text),
    message: (text) =>
      `only administrators may act as another user, and this token is not one’s (${text})`,
    hint: () => sudoHint,
  },
  {
    when: ({ status }, { scope }) => status === 403 && scope === 'sudo',
    message: (text) => `the token may not act as another user: it lacks the scope sudo (${text})`,
    hint: () => sudoHint,
  },
  {
    when: ({ status }, { text }) =>
      status === 404 && /User with ID or username '.*' Not Found/i.test(text),
    message: (text) => `the user to act as does not exist (${text})`,
    hint: () => 'Check the id or user name given by --sudo or SVC_SUDO.',
  },
  {
    when: ({ status }, { code }) => status === 403 && code === 'insufficient_scope',
    hint: (_, { scope }) =>
      `The token lacks the scope ${scope ?? 'that this needs'}: make one that has it, then \`svcctl auth login\`.`,
  },
  {
    when: ({ status, signedIn }) => status === 401 && signedIn,
    hint: () =>
      'The credential is wrong, expired or revoked: `svcctl auth status` says where it comes from, `svcctl auth login` replaces it.',
  },
  { when: ({ status }) => status === 401, hint: () => `No credential was sent. ${login}` },
  {
    when: ({ status, signedIn }) => status === 403 && signedIn,
    hint: () =>
      'The user of this token may not do that: `svcctl auth status` says who it is, --help who may.',
  },
  { when: ({ status }) => status === 403, hint: () => `No credential was sent. ${login}` },
  {
    when: ({ status }, { shape, text }) =>
      status === 404 && shape === 'error' && /^404 not found$/i.test(text),
    hint: () =>
      'The instance does not know this endpoint: its version or edition may not have it, or the base URL is not its address.',
  },
  {
    when: ({ status }, { shape }) => status === 404 && shape !== 'message',
    hint: () => 'Is there an instance under the base URL? `svcctl doctor` checks it.',
  },
  {
    when: ({ status, signedIn }) => status === 404 && !signedIn,
    hint: () => `Either it does not exist or it is private; no credential was sent. ${login}`,
  },
  {
    when: ({ status }) => status === 404,
    hint: () =>
      'Either it does not exist or it is private and hidden from this user: check the id or path, and `svcctl auth status`.',
  },
  {
    when: ({ status }, { text }) =>
      status === 409 && /\balready\b|\bexists?\b|\btaken\b|\bduplicate/i.test(text),
    hint: () => 'Something with this name or key exists already.',
  },
  {
    when: ({ status }) => status === 409,
    hint: () =>
      'It does not go with the state that the object is in, or was changed at the same time: read it again, then decide.',
  },
  {
    when: ({ status }) => status === 412,
    hint: () => 'It was changed in between: read it again, then decide.',
  },
  {
    when: ({ status }) => status === 429,
    hint: ({ headers }) => {
      const after = headerOf(headers, 'retry-after')
      const asked = after === undefined ? '' : ` It asks to wait ${waitText(after)}.`
      return `Wait before the next call, and ask for less at once (--concurrency).${asked}`
    },
  },
  {
    when: ({ status }) => status >= 500,
    hint: () =>
      'The trouble is on the instance’s side: try later, and give its administrators the request id.',
  },
  {
    when: ({ status }) => status >= 300 && status < 400,
    hint: () =>
      'It names no address that could be asked instead. Check the base URL: the instance may have moved.',
  },
]

const otherHint = 'Correct what it names and try again; --help lists what the command takes.'

/**
 * The Failure for an answer that is neither 2xx nor 304. Never throws.
 * Its category follows from the status; its message keeps the text of every field of the body.
 */
export const failureOf = (refusal: RefusedAnswer): Failure => {
  const { status, headers, body, request } = refusal
  const said = readErrorBody(body)
  const text = messageOf(status, said)
  const rule = rules.find(({ when }) => when(refusal, said))
  const requestId = headerOf(headers, 'x-request-id')
  const details: FailureDetails = {
    status,
    request,
    hint: rule?.hint(refusal, said) ?? otherHint,
    ...(said.code === undefined ? {} : { code: said.code }),
    ...(requestId === undefined ? {} : { requestId: oneLine(requestId) }),
  }
  return new Failure(categoryOf(status), rule?.message?.(text, said) ?? text, details)
}
