/** Whether a download is the archive, or the file, that it should be: what HTTP itself cannot tell. */
import { Failure } from '../../errors.js'
import { isPage, pageTitle } from '../../http/answers/text.js'
import type { Answer } from '../../http/types.js'
import { contentsFault, endingFault, Tail } from './ending.js'

/** How an archive begins, with entries or without. */
const beginnings = ['PK\x03\x04', 'PK\x05\x06']
const signatureLength = 4
/** A page is known by its beginning. */
const glance = 4096

const unusable = (answer: Answer, message: string, hint: string): Failure =>
  new Failure('unreachable', message, { request: `GET ${answer.url}`, status: answer.status, hint })

/** Whether a download may begin like this. */
export type Expected = (beginning: string, answer: Answer) => boolean

const saysType = ({ headers }: Answer, type: RegExp): boolean =>
  type.test(String(headers['content-type']))
const jsonType = /^application\/(?:[^;]*\+)?json\b/i
const isJson = (beginning: string): boolean => /^[\ufeff\s]*[[{]/.test(beginning)

/** An archive, whatever stands before it; a page, JSON or nothing is none. */
export const archive: Expected = (beginning, answer) =>
  beginnings.some((signature) => beginning.startsWith(signature)) ||
  !(
    beginning === '' ||
    isPage(beginning) ||
    isJson(beginning) ||
    saysType(answer, /^text\/html/i) ||
    saysType(answer, jsonType)
  )

/** A file of any kind; a page only where its name says so, or the instance does not call it one. */
export const fileNamed =
  (name: string): Expected =>
  (beginning, answer) =>
    /\.x?html?$/i.test(name) || !saysType(answer, /^text\/html/i) || !isPage(beginning)

const whatCame = (beginning: string, answer: Answer): string => {
  if (beginning === '') return 'nothing'
  if (isPage(beginning)) {
    const title = pageTitle(beginning)
    return `an HTML page${title === undefined ? '' : `, “${title}”`}`
  }
  return isJson(beginning) || saysType(answer, jsonType) ? 'JSON' : 'something else'
}

const somethingElse = (answer: Answer, beginning: string): Failure =>
  unusable(
    answer,
    `the instance should have answered with the file and sent ${whatCame(beginning, answer)}`,
    'A proxy or a sign-in page stands in front of the instance, or the base URL is not its address.',
  )

/**
 * Takes only an answer that is the whole: nobody asked for a part, and there is none without a body.
 * @throws Failure `unreachable`
 */
export const checkStatus = (answer: Answer): void => {
  if (answer.status === 200) return
  answer.cancel()
  const what = answer.status === 206 ? 'a part of the file, which nobody asked for' : 'no file'
  throw unusable(
    answer,
    `the instance answered ${answer.status}: ${what}`,
    'Something between here and the instance is not right: try again, or ask `svcctl doctor`.',
  )
}

/**
 * The same bytes, refused where they do not begin as expected: a sign-in page must not be kept as an
 * archive.
 * @throws Failure `unreachable`
 */
export async function* beginningAs(
  expected: Expected,
  body: AsyncIterable<Uint8Array>,
  answer: Answer,
): AsyncGenerator<Uint8Array> {
  const check = (held: Buffer): void => {
    const beginning = held.toString('latin1', 0, glance)
    if (!expected(beginning, answer)) throw somethingElse(answer, held.toString('utf8', 0, glance))
  }
  let held: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of body) {
    if (held === undefined) {
      yield chunk
      continue
    }
    held = Buffer.concat([held, chunk])
    if (held.length < signatureLength) continue
    check(held)
    yield held
    held = undefined
  }
  if (held === undefined) return
  check(held)
  if (held.length > 0) yield held
}

/** Whether the answer said where it ends, so that a cut one was noticed on the way. */
export const saysItsEnd = ({ headers }: Answer): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

const cutShort = (answer: Answer, why: string): Failure =>
  unusable(answer, `the archive was cut short or damaged on the way: ${why}`, 'Try again.')

/**
 * The same bytes of an archive, and a refusal after them where they do not end as one.
 * @throws Failure `unreachable`
 */
export async function* endingWhole(
  body: AsyncIterable<Uint8Array>,
  answer: Answer,
): AsyncGenerator<Uint8Array> {
  const tail = new Tail()
  for await (const chunk of body) {
    tail.push(chunk)
    yield chunk
  }
  const fault = endingFault(tail)
  if (fault !== undefined) throw cutShort(answer, fault)
}

/**
 * Refuses an archive that lacks something of what it says it has.
 * @param path where it was written
 * @throws Failure `unreachable`
 */
export const checkContents = async (path: string, answer: Answer): Promise<void> => {
  const fault = await contentsFault(path)
  if (fault !== undefined) throw cutShort(answer, fault)
}
