/** One exchange for `-v` and the audit log, with nothing in it that must not be seen. */
import type { OwnNames } from '../../base/secrets/mask.js'
import { scrub } from '../../base/secrets/scrub.js'
import { Failure } from '../../errors.js'
import { type AnswerHeaders, readHeader } from '../answers/headers.js'
import { Lost } from '../answers/lost.js'
import { safeAddress, safeBody, safeHeaders } from '../answers/secrets.js'
import { oneLine } from '../answers/text.js'
import type { ClientOptions, Exchange } from '../types.js'
import type { Outgoing } from './incoming.js'

/** Tells of an exchange once, when its outcome is known. */
export interface Trace {
  answered(status: number, headers: AnswerHeaders, body?: Uint8Array): void
  failed(error: Error): void
}

const neverSent = (error: Error): boolean =>
  error instanceof Lost
    ? !error.sent
    : error instanceof Failure &&
      error.category === 'interrupted' &&
      error.details.unknownOutcome !== true

const silent: Trace = { answered: () => {}, failed: () => {} }

const requestBody = (
  body: Outgoing['body'],
  secrets: ReadonlySet<string> | undefined,
  words: OwnNames | undefined,
): string | undefined =>
  typeof body === 'string' ? safeBody(body, secrets, words) : body && `(${body.length} bytes)`

const cleanHeaders = (headers: AnswerHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(safeHeaders(headers)).map(([k, v]) => [scrub(k), scrub(v)]))

/**
 * @param secrets names of attributes and fields that are secret besides those that look so
 * @param words the instance's own, by which further ones are
 */
export const startTrace = (
  tell: ClientOptions['trace'],
  outgoing: Outgoing,
  secrets?: ReadonlySet<string>,
  words?: OwnNames,
): Trace => {
  if (tell === undefined) return silent
  const { method, origin, path, headers, body } = outgoing
  const started = performance.now()
  const sent = requestBody(body, secrets, words)
  let told = false
  const once = (rest: Partial<Exchange>): void => {
    if (told) return
    told = true
    tell({
      method,
      url: scrub(safeAddress(`${origin}${path}`)),
      requestHeaders: cleanHeaders(headers),
      requestBody: sent && scrub(sent),
      milliseconds: Math.round(performance.now() - started),
      ...rest,
    })
  }
  return {
    answered: (status, responseHeaders, bytes) => {
      const shown = bytes && safeBody(Buffer.from(bytes).toString(), secrets, words)
      const id = readHeader(responseHeaders, 'x-request-id')
      once({
        status,
        responseHeaders: cleanHeaders(responseHeaders),
        requestId: id && scrub(oneLine(id)),
        responseBody: shown && scrub(shown),
      })
    },
    failed: (error) =>
      once({
        error: scrub(oneLine(error.message)),
        ...(neverSent(error) ? { sent: false } : {}),
      }),
  }
}
