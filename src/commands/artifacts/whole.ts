/** Whether a download is the archive that it should be: what HTTP itself cannot tell. */
import { open } from 'node:fs/promises'
import { Failure } from '../../errors.js'
import { isPage, pageTitle } from '../../http/text.js'
import type { Answer } from '../../http/types.js'

/** How an archive begins, with entries or without. */
const beginnings = ['PK\x03\x04', 'PK\x05\x06']
const signatureLength = 4
const ending = 'PK\x05\x06'
/** The record at the end of an archive, with the longest comment that it may have. */
const longestEnding = 22 + 0xffff
/** A page is known by its beginning. */
const glance = 4096

const unusable = (answer: Answer, message: string, hint: string): Failure =>
  new Failure('unreachable', message, { request: `GET ${answer.url}`, status: answer.status, hint })

/** Whether a download may begin like this. */
export type Expected = (beginning: string, answer: Answer) => boolean

/** An archive, or whatever else an instance keeps as one: anything but a page. */
export const archive: Expected = (beginning, { headers }) =>
  beginnings.some((signature) => beginning.startsWith(signature)) ||
  !(isPage(beginning) || String(headers['content-type']).startsWith('text/html'))

/** A file of any kind; a page only where its name says so, or the instance does not call it one. */
export const fileNamed =
  (name: string): Expected =>
  (beginning, { headers }) =>
    /\.x?html?$/i.test(name) ||
    !String(headers['content-type']).startsWith('text/html') ||
    !isPage(beginning)

const somethingElse = (answer: Answer, beginning: string): Failure => {
  const title = pageTitle(beginning)
  const page = `an HTML page${title === undefined ? '' : `, “${title}”`}`
  return unusable(
    answer,
    `the instance should have answered with the file and sent ${isPage(beginning) ? page : 'something else'}`,
    'A proxy or a sign-in page stands in front of the instance, or the base URL is not its address.',
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
  yield held
}

/** Whether the answer said where it ends, so that a cut one was noticed on the way. */
export const saysItsEnd = ({ headers }: Answer): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/**
 * Refuses an archive that lacks its end.
 * @param path where it was written
 * @throws Failure `unreachable`
 */
export const checkEnding = async (path: string, answer: Answer): Promise<void> => {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    const length = Math.min(size, longestEnding)
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length)
    if (buffer.includes(ending, 0, 'latin1')) return
  } finally {
    await handle.close()
  }
  throw unusable(answer, 'the archive was cut short on the way', 'Try again.')
}
