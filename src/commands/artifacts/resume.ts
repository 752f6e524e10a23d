/** Downloads over as many requests as it takes: the rest of a file only where it surely is its rest. */
import { Failure } from '../../errors.js'
import type { Answer } from '../../http/types.js'

const resumes = 5

/** The first value of a header. */
const header = (answer: Answer, name: string): string | undefined => {
  const value = answer.headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** How many bytes the answer says that it has; undefined where they are packed on the way. */
export const getTotalSize = (answer: Answer): number | undefined => {
  const length = header(answer, 'content-length')
  return length !== undefined && /^\d+$/.test(length) && !isPacked(answer)
    ? Number(length)
    : undefined
}

const isPacked = (answer: Answer): boolean =>
  !['', 'identity'].includes(header(answer, 'content-encoding')?.trim() ?? '')

/** The rest cannot be had: what came is to be thrown away, and all of it asked for again. */
export class BeginAgain extends Error {
  /** The whole, where the instance answered with it already. */
  readonly answer: Answer | undefined

  constructor(answer: Answer | undefined) {
    super('the file changed during the download')
    this.name = 'BeginAgain'
    this.answer = answer
  }
}

/** The strong entity tag of a file that may be taken up midway; without one nobody knows of what the rest is. */
const tagOf = (answer: Answer): string | undefined => {
  const tag = header(answer, 'etag')
  const strong = tag !== undefined && /^"[^"]*"$/.test(tag)
  return strong && header(answer, 'accept-ranges') === 'bytes' && !isPacked(answer)
    ? tag
    : undefined
}

interface Progress {
  readonly tag: string
  readonly received: number
  /** How long the file is, once that is known. */
  readonly total: number | undefined
}

/** How long the file is of which a 206 is the rest, exactly; undefined where it is not. */
const totalOf = (answer: Answer, { tag, received, total }: Progress): number | undefined => {
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/i.exec(header(answer, 'content-range')?.trim() ?? '')
  if (range === null || header(answer, 'etag') !== tag || isPacked(answer)) return undefined
  const [start, end, size] = range.slice(1).map(Number)
  if (start !== received || end === undefined || size === undefined || end !== size - 1)
    return undefined
  const length = getTotalSize(answer)
  if (length !== undefined && length !== size - received) return undefined
  return total === undefined || total === size ? size : undefined
}

/** Asks for a file once more, with these headers besides. */
export type Reopen = (headers: Readonly<Record<string, string>>) => Promise<Answer>

const restOf = async (
  reopen: Reopen,
  progress: Progress,
): Promise<{ readonly answer: Answer; readonly total: number }> => {
  const { received, tag } = progress
  const headers = { range: `bytes=${received}-`, 'if-range': tag }
  const answer = await reopen(headers).catch((error: unknown) => {
    throw error instanceof Failure && error.details.status === 416
      ? new BeginAgain(undefined)
      : error
  })
  if (answer.status === 200) throw new BeginAgain(answer)
  const total = answer.status === 206 ? totalOf(answer, progress) : undefined
  if (total !== undefined) return { answer, total }
  answer.cancel()
  throw new BeginAgain(undefined)
}

const shorter = (answer: Answer, received: number, total: number): Failure =>
  new Failure('unreachable', `the file has ${total} bytes, but ${received} were received`, {
    request: `GET ${answer.url}`,
    hint: 'Try again.',
  })

/**
 * Bytes of a download, over as many requests as a server with ranges makes necessary.
 * @throws BeginAgain where the instance has something else than the rest; Failure otherwise
 */
export async function* resumed(
  reopen: Reopen,
  first: Answer,
  note: (text: string) => void,
): AsyncGenerator<Uint8Array> {
  const tag = tagOf(first)
  let total = getTotalSize(first)
  let answer = first
  let received = 0
  for (let attempt = 0; ; attempt++) {
    try {
      for await (const chunk of answer.body) {
        received += chunk.length
        yield chunk
      }
      if (total === undefined || received === total) return
      throw shorter(first, received, total)
    } catch (error) {
      const cut = error instanceof Failure && error.category === 'unreachable'
      if (!cut || tag === undefined || attempt >= resumes || received === 0) throw error
      if (total !== undefined && received >= total) throw error
      note(`interrupted after ${received} bytes, resuming`)
      const rest = await restOf(reopen, { tag, received, total })
      answer = rest.answer
      total = rest.total
    }
  }
}
