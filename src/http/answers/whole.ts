/** An answer read whole: its JSON, or a Failure that says what came instead. */

import { checkJson } from '../../base/json/check.js'
import { Malformed } from '../../base/json/malformed.js'
import { viewed, wellFormed } from '../../base/utf8.js'
import { legible } from '../../catalogue/legible.js'
import type { Words } from '../../catalogue/words.js'
import type { Failure } from '../../errors.js'
import { isSafe } from '../sending/attempts.js'
import { unknownOutcome, unusable } from '../sending/lost.js'
import type { OpenAnswer } from '../sending/open-answer.js'
import type { Whole } from '../types.js'
import { headerOf } from './headers.js'
import { safeAddress } from './secrets.js'
import { isPage, pageTitle } from './text.js'

const pageHint =
  'A proxy or a sign-in page stands in front of the instance, or the base URL is not its address.'
const jsonHint = 'Check the base URL, and what stands between here and the instance.'

const mediaType = /^[\w.+-]{1,40}\/[\w.+-]{1,60}/

/** The media type that an answer claims, where it is one. */
const typeOf = ({ headers }: OpenAnswer): string | undefined =>
  mediaType.exec(headerOf(headers, 'content-type') ?? '')?.[0]

/** What a body is, where JSON was expected. Its text is not repeated: it may hold anything. */
const described = (reply: OpenAnswer, bytes: Uint8Array): readonly [string, string] => {
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
export const notJson = (reply: OpenAnswer, bytes: Uint8Array, why = ''): Failure => {
  const [what, hint] = described(reply, bytes)
  const failure =
    why === ''
      ? unusable(`the instance should have answered with JSON and sent ${what}`, reply.label, hint)
      : unusable(`the answer ${why}`, reply.label, jsonHint)
  return isSafe(reply.method) ? failure : unknownOutcome(failure)
}

/** Whether it begins as JSON of some size does; else it is better said what came instead. */
const beginsWell = (bytes: Uint8Array): boolean => {
  const first = bytes.findIndex((byte) => byte > 0x20)
  return [0x22, 0x5b, 0x7b].includes(bytes[first] ?? 0)
}

/** Parsed when somebody looks at it: what is only passed on is held once. */
const lazily = (bytes: Uint8Array, words?: Words): Pick<Whole, 'bytes' | 'data'> => {
  let value: { readonly data: unknown } | undefined
  return {
    bytes,
    get data() {
      if (value === undefined) {
        const data: unknown = JSON.parse(viewed(bytes).toString())
        value = { data: words === undefined ? data : legible(data, words) }
      }
      return value.data
    },
  }
}

/**
 * The answer of one call; `data` is undefined where there is no body.
 * @param words the instance's own: its data is found by the names of the documents, too
 * @throws Failure `unreachable` when the body is not JSON, or of more than is built (`bounds`)
 */
export const wholeOf = (reply: OpenAnswer, bytes: Uint8Array, words?: Words): Whole => {
  const { status, headers, method } = reply
  const bare = status === 204 || status === 304 || method === 'HEAD'
  if (bare || (bytes.length === 0 && !isSafe(method)))
    return { status, headers, bytes: new Uint8Array(), data: undefined }
  try {
    checkJson(bytes)
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    throw notJson(reply, bytes, beginsWell(bytes) ? error.message : '')
  }
  return Object.assign(lazily(wellFormed(bytes), words), { status, headers })
}
