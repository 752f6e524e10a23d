/** An answer read whole: its JSON, or a Failure that says what came instead. */
import { isUtf8 } from 'node:buffer'
import type { Failure } from '../errors.js'
import { isSafe } from './attempts.js'
import { unknownOutcome, unusable } from './lost.js'
import { deepest } from './splitter.js'
import { excerpt, isPage, pageTitle } from './text.js'
import type { Whole } from './types.js'
import type { Reply } from './wire.js'

const shown = 80
const pageHint =
  'A proxy or a sign-in page stands in front of the instance, or the base URL is not its address.'
const jsonHint = 'Check the base URL, and what stands between here and the instance.'

/** What a body is, where JSON was expected, without the credentials that it may repeat. */
const described = (
  bytes: Uint8Array,
  scrub: (text: string) => string,
): readonly [string, string] => {
  const text = new TextDecoder().decode(bytes.subarray(0, 64 * 1024))
  if (isPage(text)) {
    const title = pageTitle(text)
    return [`an HTML page${title === undefined ? '' : `, “${scrub(title)}”`}`, pageHint]
  }
  if (text.trim() === '') return ['nothing', jsonHint]
  return [`this: ${scrub(excerpt(text, shown))}`, jsonHint]
}

/**
 * The Failure for an answer that is not the JSON it should be.
 * @param why what is wrong with JSON that began well; empty when the body is something else
 */
export const notJson = (
  reply: Reply,
  bytes: Uint8Array,
  scrub: (text: string) => string,
  why = '',
): Failure => {
  const [what, hint] = described(bytes, scrub)
  const failure =
    why === ''
      ? unusable(`the instance should have answered with JSON and sent ${what}`, reply.label, hint)
      : unusable(`the answer ${why}`, reply.label, jsonHint)
  return isSafe(reply.method) ? failure : unknownOutcome(failure)
}

/** Whether brackets are nested deeper than could be printed again. */
const isDeep = (text: string): boolean => {
  if (text.length <= deepest * 2) return false
  let depth = 0
  for (const [bracket] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (bracket === '[' || bracket === '{') depth += 1
    else if (bracket === ']' || bracket === '}') depth -= 1
    if (depth > deepest) return true
  }
  return false
}

/**
 * The answer of one call; `data` is undefined where there is no body.
 * @throws Failure `unreachable` when the body is not JSON, or nested absurdly deep
 */
export const wholeOf = (
  reply: Reply,
  bytes: Uint8Array,
  scrub: (text: string) => string,
): Whole => {
  const { status, headers, method } = reply
  const bare = status === 204 || status === 304 || method === 'HEAD'
  if (bare || (bytes.length === 0 && !isSafe(method)))
    return { status, headers, bytes: new Uint8Array(), data: undefined }
  if (!isUtf8(bytes)) throw notJson(reply, bytes, scrub, 'holds text that is not UTF-8')
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  if (isDeep(text)) throw notJson(reply, bytes, scrub, 'is nested absurdly deep')
  try {
    return { status, headers, bytes, data: JSON.parse(text) }
  } catch {
    throw notJson(reply, bytes, scrub)
  }
}
