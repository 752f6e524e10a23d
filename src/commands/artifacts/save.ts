/** Saves a download completely or not at all, and resumes it when the connection breaks. */
import { openWhole, type WholeFile } from '../../base/files/files.js'
import type { Context } from '../../engine/command/context.js'
import type { Plan } from '../../engine/command/types.js'
import { createTextRow, type Rows } from '../../engine/rows.js'
import { Failure, toWriteFailure } from '../../errors.js'
import type { Answer } from '../../http/types.js'
import { type CheckedBody, checkBody } from './whole.js'

const maxResumes = 5

/** Returns the first value of a header. */
const getHeader = (answer: Answer, name: string): string | undefined => {
  const value = answer.headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Returns the size of a response body; undefined if it is unknown or compressed. */
const getTotalSize = (answer: Answer): number | undefined => {
  const length = getHeader(answer, 'content-length')
  return length !== undefined && /^\d+$/.test(length) && !isCompressed(answer)
    ? Number(length)
    : undefined
}

const isCompressed = (answer: Answer): boolean =>
  !['', 'identity'].includes(getHeader(answer, 'content-encoding')?.trim() ?? '')

/** Thrown if the rest of a download is not available, so that all of it must be requested again. */
class RestartDownload extends Error {
  /** The answer with the complete file, if the instance sent it already. */
  readonly answer: Answer | undefined

  constructor(answer: Answer | undefined) {
    super('the file changed during the download')
    this.name = 'BeginAgain'
    this.answer = answer
  }
}

/** Returns the strong entity tag of a file. A download without one cannot be resumed, because the rest could belong to another file. */
const getStrongTag = (answer: Answer): string | undefined => {
  const tag = getHeader(answer, 'etag')
  const strong = tag !== undefined && /^"[^"]*"$/.test(tag)
  return strong && getHeader(answer, 'accept-ranges') === 'bytes' && !isCompressed(answer)
    ? tag
    : undefined
}

interface ResumePoint {
  readonly tag: string
  readonly received: number
  /** The length of the file in bytes; undefined if it is not known. */
  readonly total: number | undefined
}

/** Returns the length of the complete file, according to a 206 answer; undefined if the answer is not the missing rest. */
const getResumedTotal = (
  answer: Answer,
  { tag, received, total }: ResumePoint,
): number | undefined => {
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/i.exec(getHeader(answer, 'content-range')?.trim() ?? '')
  if (range === null || getHeader(answer, 'etag') !== tag || isCompressed(answer)) return undefined
  const [start, end, size] = range.slice(1).map(Number)
  if (start !== received || end === undefined || size === undefined || end !== size - 1)
    return undefined
  const length = getTotalSize(answer)
  if (length !== undefined && length !== size - received) return undefined
  return total === undefined || total === size ? size : undefined
}

/** Requests the file again, with additional headers. */
type ReopenDownload = (headers: Readonly<Record<string, string>>) => Promise<Answer>

const requestRest = async (
  reopen: ReopenDownload,
  progress: ResumePoint,
): Promise<{ readonly answer: Answer; readonly total: number }> => {
  const { received, tag } = progress
  const headers = { range: `bytes=${received}-`, 'if-range': tag }
  const answer = await reopen(headers).catch((error: unknown) => {
    throw error instanceof Failure && error.details.status === 416
      ? new RestartDownload(undefined)
      : error
  })
  if (answer.status === 200) throw new RestartDownload(answer)
  const total = answer.status === 206 ? getResumedTotal(answer, progress) : undefined
  if (total !== undefined) return { answer, total }
  answer.cancel()
  throw new RestartDownload(undefined)
}

const createIncompleteFileFailure = (answer: Answer, received: number, total: number): Failure =>
  new Failure('unreachable', `the file has ${total} bytes, but ${received} were received`, {
    request: `GET ${answer.url}`,
    hint: 'Try again.',
  })

/**
 * Yields the bytes of a download, with as many range requests as necessary.
 * @throws RestartDownload if the file on the instance changed; Failure for other errors
 */
async function* resumeBody(
  reopen: ReopenDownload,
  first: Answer,
  note: (text: string) => void,
): AsyncGenerator<Uint8Array> {
  const tag = getStrongTag(first)
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
      throw createIncompleteFileFailure(first, received, total)
    } catch (error) {
      const cut = error instanceof Failure && error.category === 'unreachable'
      if (!cut || tag === undefined || attempt >= maxResumes || received === 0) throw error
      if (total !== undefined && received >= total) throw error
      note(`interrupted after ${received} bytes, resuming`)
      const rest = await requestRest(reopen, { tag, received, total })
      answer = rest.answer
      total = rest.total
    }
  }
}

// Writing a stream to a file, completely or not at all, or to a device or pipe.

/** The number of bytes per write. One write is in progress while the next buffer fills. */
const writeSize = 1 << 20

/** Reports progress: a text, and the fraction that is done. */
export type Progress = (text: string, fraction?: number) => void

/** Formats a number of bytes: `12.3 MB`. */
export const formatBytes = (n: number): string => {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = n < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(n) / 3))
  const value = n / 1000 ** power
  return `${power === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${units[power]}`
}

interface SaveOptions {
  /** The expected number of bytes; undefined if it is not known. */
  readonly total: number | undefined
  readonly progress: Progress
  /** Checks the file before it gets its final name. */
  readonly check?: ((path: string) => Promise<void>) | undefined
  readonly signal?: AbortSignal
}

const createChangedFileFailure = (): Failure =>
  new Failure(
    'unreachable',
    'the file changed during the download, and the part that was written is invalid',
    {
      hint: 'Run the command again. With --to <file>, svcctl starts again automatically.',
    },
  )

/**
 * Adds the number of bytes that were written to a device, a pipe or standard output, which cannot be undone. Failures of writing itself are
 * returned unchanged.
 */
const describePartialWrite = (error: unknown, bytes: number, where: string): unknown => {
  const failure = error instanceof RestartDownload ? createChangedFileFailure() : error
  if (!(failure instanceof Failure) || failure.category === 'failed' || bytes === 0) return failure
  return new Failure(
    failure.category,
    `${failure.message}; only ${bytes} bytes of the file were written to ${where}`,
    failure.details,
  )
}

const writeBody = async (
  file: WholeFile,
  body: AsyncIterable<Uint8Array>,
  { total, progress }: SaveOptions,
  count: (bytes: number) => void,
): Promise<void> => {
  let waiting: Uint8Array[] = []
  let held = 0
  let written = 0
  let writing = Promise.resolve()
  for await (const chunk of body) {
    waiting.push(chunk)
    held += chunk.length
    if (held < writeSize) continue
    await writing
    count(written)
    writing = file.write(waiting)
    // The promise is awaited later, and must not cause an unhandled rejection until then.
    writing.catch(() => {})
    written += held
    waiting = []
    held = 0
    progress(
      total === undefined
        ? formatBytes(written)
        : `${formatBytes(written)} of ${formatBytes(total)}`,
      total === undefined ? undefined : written / total,
    )
  }
  await writing
  await file.write(waiting)
  count(written + held)
}

/**
 * Writes a stream to a file, completely or not at all. Devices and pipes are written directly.
 * @returns the number of bytes
 * @throws Failure `failed` if the file cannot be written; errors of the stream; RestartDownload only if nothing was written to a device or
 * pipe
 */
export const save = async (
  target: string,
  body: AsyncIterable<Uint8Array>,
  saving: SaveOptions,
): Promise<number> => {
  const { signal, check } = saving
  const toSaveFailure = (error: unknown): unknown =>
    error instanceof RestartDownload ? error : toWriteFailure(target, error)
  const file = await openWhole(target, {
    durable: false,
    signal,
  }).catch((error: unknown) => {
    throw toSaveFailure(error)
  })
  let written = 0
  try {
    await writeBody(file, body, saving, (bytes) => {
      written = bytes
    })
    if (file.draft !== undefined) await check?.(file.draft)
    await file.publish()
    return written
  } catch (error) {
    await file.discard()
    const failure = toSaveFailure(error)
    throw file.draft === undefined ? describePartialWrite(failure, written, target) : failure
  }
}

// Downloads from the instance, whose bytes are checked while they are received.

/** An open download. */
export interface CheckedDownload extends CheckedBody {
  readonly answer: Answer
  /** Opens the download again from its beginning, or from the answer that already contains the complete file. */
  readonly reopen: (answer: Answer | undefined) => Promise<CheckedDownload>
}

/**
 * Opens a download that resumes after interruptions.
 * @param first the answer to the first request
 * @param file the name of the expected file; undefined for an archive
 */
export const openDownload = async (
  { instance, ui }: Pick<Context, 'instance' | 'ui'>,
  plan: Plan,
  first: Answer,
  file: string | undefined,
): Promise<CheckedDownload> => {
  const restart = async (given: Answer | undefined): Promise<CheckedDownload> => {
    const answer = given ?? (await instance.open(plan))
    const reopen: ReopenDownload = (headers) => instance.open(plan, headers)
    const bytes = resumeBody(reopen, answer, (text) => ui.note(text))
    return { answer, reopen: restart, ...checkBody(answer, bytes, file, (text) => ui.warn(text)) }
  }
  return restart(first)
}

/** Yields the bytes of a download for standard output. */
export async function* yieldBody({ body }: CheckedDownload): Rows {
  let written = 0
  try {
    for await (const chunk of body) {
      yield createTextRow(chunk)
      written += chunk.length
    }
  } catch (error) {
    throw describePartialWrite(error, written, 'standard output')
  }
}

const createChangedTwiceFailure = (answer: Answer): Failure =>
  new Failure(
    'unreachable',
    'the file changed during the download, and again during a second attempt',
    { request: `GET ${answer.url}`, hint: 'Try again when the file no longer changes.' },
  )

/** Saves a download. If the file changed meanwhile, it starts again once. */
export const saveToFile = async (
  { ui, place }: Pick<Context, 'ui' | 'place'>,
  download: CheckedDownload,
  target: string,
  progress: Progress,
): Promise<number> => {
  const saveOnce = ({ answer, body, check }: CheckedDownload): Promise<number> =>
    save(target, body, { total: getTotalSize(answer), progress, check, signal: place.clock.signal })
  try {
    return await saveOnce(download)
  } catch (error) {
    if (!(error instanceof RestartDownload)) throw error
    ui.note('the file changed during the download; starting again')
    const whole = await download.reopen(error.answer)
    return saveOnce(whole).catch((second: unknown) => {
      throw second instanceof RestartDownload ? createChangedTwiceFailure(whole.answer) : second
    })
  }
}
