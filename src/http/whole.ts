/** An answer read whole: its JSON, or a Failure that says what came instead. */
import { isUtf8 } from 'node:buffer'
import type { Failure } from '../errors.js'
import { isSafe } from './attempts.js'
import { headerOf } from './failure.js'
import { unknownOutcome, unusable } from './lost.js'
import { safeAddress } from './secrets.js'
import { deepest } from './splitter.js'
import { isPage, pageTitle } from './text.js'
import type { Whole } from './types.js'
import type { Reply } from './wire.js'

const pageHint =
  'A proxy or a sign-in page stands in front of the instance, or the base URL is not its address.'
const jsonHint = 'Check the base URL, and what stands between here and the instance.'

const mediaType = /^[\w.+-]{1,40}\/[\w.+-]{1,60}/

/** The media type that an answer claims, where it is one. */
const typeOf = ({ headers }: Reply): string | undefined =>
  mediaType.exec(headerOf(headers, 'content-type') ?? '')?.[0]

/** What a body is, where JSON was expected. Its text is not repeated: it may hold anything. */
const described = (reply: Reply, bytes: Uint8Array): readonly [string, string] => {
  const text = new TextDecoder().decode(bytes.subarray(0, 64 * 1024))
  if (isPage(text)) {
    const title = pageTitle(text)
    return [`an HTML page${title === undefined ? '' : `, “${safeAddress(title)}”`}`, pageHint]
  }
  if (text.trim() === '') return [`nothing (${reply.status})`, jsonHint]
  const type = typeOf(reply)
  const kind = /^\s*\{/.test(text) ? 'an object' : 'something else'
  return [`${kind}${type === undefined ? '' : ` (${type})`}`, jsonHint]
}

/**
 * The Failure for an answer that is not the JSON it should be.
 * @param why what is wrong with JSON that began well; empty when the body is something else
 */
export const notJson = (reply: Reply, bytes: Uint8Array, why = ''): Failure => {
  const [what, hint] = described(reply, bytes)
  const failure =
    why === ''
      ? unusable(`the instance should have answered with JSON and sent ${what}`, reply.label, hint)
      : unusable(`the answer ${why}`, reply.label, jsonHint)
  return isSafe(reply.method) ? failure : unknownOutcome(failure)
}

/** What the parser says without repeating the text: some of its messages quote what stands there. */
const wordless =
  /^((?:Expected|Unterminated|Bad|No number|Exponent|Unexpected non-whitespace)[A-Za-z '",:{}[\]-]*?)(?: in JSON)? at position (\d+)/

/** Where JSON that began well is broken; empty for what does not begin as JSON. */
const brokenAt = (error: unknown, text: string): string => {
  if (!/^\s*[[{"]/.test(text)) return ''
  const length = Buffer.byteLength(text)
  const said = error instanceof Error ? error.message : ''
  if (/^Unexpected end|^Unterminated/.test(said)) return `is cut short after ${length} bytes`
  const [, expected, position] = wordless.exec(said) ?? []
  if (expected === undefined) return `is ${length} bytes of no valid JSON`
  return `is no valid JSON: ${expected.toLowerCase()} at character ${position} of ${text.length}`
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
export const wholeOf = (reply: Reply, bytes: Uint8Array): Whole => {
  const { status, headers, method } = reply
  const bare = status === 204 || status === 304 || method === 'HEAD'
  if (bare || (bytes.length === 0 && !isSafe(method)))
    return { status, headers, bytes: new Uint8Array(), data: undefined }
  if (!isUtf8(bytes)) throw notJson(reply, bytes, 'holds text that is not UTF-8')
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  if (isDeep(text)) throw notJson(reply, bytes, 'is nested absurdly deep')
  try {
    return { status, headers, bytes, data: JSON.parse(text) }
  } catch (error) {
    throw notJson(reply, bytes, brokenAt(error, text))
  }
}
