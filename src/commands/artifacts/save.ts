/** Writes an answer to where it is wanted, whole or not at all, and goes on where its connection broke. */
import { openWhole, type WholeFile } from '../../base/files/files.js'
import { Failure, getReason } from '../../errors.js'
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

interface Received {
  readonly tag: string
  readonly received: number
  /** How long the file is, once that is known. */
  readonly total: number | undefined
}

/** How long the file is of which a 206 is the rest, exactly; undefined where it is not. */
const totalOf = (answer: Answer, { tag, received, total }: Received): number | undefined => {
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
  progress: Received,
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

// A stream to where it is wanted: a file that is there whole or not at all, or what cannot be taken back.

/** Half a megabyte a write: fewer, larger system calls; one is on its way while the next fills. */
const block = 1 << 19

export type Progress = (text: string, fraction?: number) => void

/** Human bytes: `12.3 MB`. */
export const bytesText = (n: number): string => {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = n < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(n) / 3))
  const value = n / 1000 ** power
  return `${power === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${units[power]}`
}

interface Saving {
  /** How many bytes are to come, where that is known. */
  readonly total: number | undefined
  readonly progress: Progress
  /** Looks at what was written, before it gets its name. */
  readonly check?: ((path: string) => Promise<void>) | undefined
  readonly signal?: AbortSignal
}

const changed = (): Failure =>
  new Failure(
    'unreachable',
    'the file changed during the download, and the part that was written is invalid',
    {
      hint: 'Run the command again. With --to <file>, svcctl starts again automatically.',
    },
  )

/**
 * What ended a download into something from which nothing can be taken back, with what it was given.
 * Whoever cannot write tells it in another way.
 */
export const givenAway = (error: unknown, bytes: number, where: string): unknown => {
  const failure = error instanceof BeginAgain ? changed() : error
  if (!(failure instanceof Failure) || failure.category === 'failed' || bytes === 0) return failure
  return new Failure(
    failure.category,
    `${failure.message}; only ${bytes} bytes of the file were written to ${where}`,
    failure.details,
  )
}

const fill = async (
  file: WholeFile,
  body: AsyncIterable<Uint8Array>,
  { total, progress }: Saving,
  count: (bytes: number) => void,
): Promise<void> => {
  let waiting: Uint8Array[] = []
  let held = 0
  let written = 0
  let writing = Promise.resolve()
  for await (const chunk of body) {
    waiting.push(chunk)
    held += chunk.length
    if (held < block) continue
    await writing
    count(written)
    writing = file.write(waiting)
    // It is awaited in its turn; until then its failure is nobody's.
    writing.catch(() => {})
    written += held
    waiting = []
    held = 0
    progress(
      total === undefined ? bytesText(written) : `${bytesText(written)} of ${bytesText(total)}`,
      total === undefined ? undefined : written / total,
    )
  }
  await writing
  await file.write(waiting)
  count(written + held)
}

export const writeFailure = (target: string, cause: unknown): Failure =>
  new Failure('failed', `cannot write ${target}: ${getReason(cause)}`, {
    hint: 'Check the free space and the permissions, or choose another place with --to.',
    cause,
  })

/**
 * Writes a stream to `target`: a file whole or not at all; a device or a pipe is written into.
 * @returns bytes written
 * @throws Failure `failed` when it cannot be written; what the stream throws otherwise, BeginAgain only
 *   where nothing of it was given away
 */
export const save = async (
  target: string,
  body: AsyncIterable<Uint8Array>,
  saving: Saving,
): Promise<number> => {
  const { signal, check } = saving
  const worded = (error: unknown): unknown =>
    error instanceof Failure || error instanceof BeginAgain ? error : writeFailure(target, error)
  const file = await openWhole(target, {
    durable: false,
    signal,
  }).catch((error: unknown) => {
    throw worded(error)
  })
  let written = 0
  try {
    await fill(file, body, saving, (bytes) => {
      written = bytes
    })
    if (file.draft !== undefined) await check?.(file.draft)
    await file.publish()
    return written
  } catch (error) {
    await file.discard()
    const said = worded(error)
    throw file.draft === undefined ? givenAway(said, written, target) : said
  }
}
