/** A stream to a file: written beside the target, renamed when it is whole, resumed when cut. */
import { randomBytes } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Failure, reasonOf } from '../../errors.js'
import type { Answer, Client, WireRequest } from '../../http/types.js'

/** Half a megabyte a write: fewer, larger system calls; one is on its way while the next fills. */
const block = 1 << 19
const resumes = 5

export type Progress = (text: string, fraction?: number) => void

const header = (answer: Answer, name: string): string | undefined => {
  const value = answer.headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Where an answer may be taken up again, if the server allows ranges. */
const resumable = (answer: Answer): string | undefined =>
  header(answer, 'accept-ranges') === 'bytes' && header(answer, 'content-encoding') === undefined
    ? (header(answer, 'etag') ?? header(answer, 'last-modified') ?? '')
    : undefined

/** Bytes of a download, over as many requests as a server with ranges makes necessary. */
export async function* resumed(
  client: Client,
  request: WireRequest,
  first: Answer,
  note: (text: string) => void,
): AsyncGenerator<Uint8Array> {
  let answer = first
  let received = 0
  for (let attempt = 0; ; attempt++) {
    try {
      for await (const chunk of answer.body) {
        received += chunk.length
        yield chunk
      }
      return
    } catch (error) {
      const mark = resumable(first)
      if (!(error instanceof Failure) || error.category !== 'unreachable') throw error
      if (mark === undefined || attempt >= resumes || received === 0) throw error
      note(`cut short after ${received} bytes, resuming`)
      answer = await client.open({
        ...request,
        headers: {
          ...request.headers,
          range: `bytes=${received}-`,
          ...(mark === '' ? {} : { 'if-range': mark }),
        },
      })
      if (answer.status !== 206) throw error
    }
  }
}

export const sizeOf = (answer: Answer): number | undefined => {
  const length = Number(header(answer, 'content-length'))
  return Number.isFinite(length) && length > 0 && header(answer, 'content-encoding') === undefined
    ? length
    : undefined
}

/** Human bytes: `12.3 MB`. */
export const bytesText = (n: number): string => {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = n < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(n) / 3))
  const value = n / 1000 ** power
  return `${power === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${units[power]}`
}

/** What is left of chunks after their first bytes. */
const after = (chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] => {
  let done = bytes
  const first = chunks.findIndex((chunk) => {
    if (done < chunk.length) return true
    done -= chunk.length
    return false
  })
  if (first < 0) return []
  return chunks.slice(first).map((chunk, i) => (i === 0 ? chunk.subarray(done) : chunk))
}

/** All chunks in one system call, and in further ones what the disk has not taken. */
export const writeAll = async (
  handle: Pick<FileHandle, 'writev'>,
  chunks: readonly Uint8Array[],
): Promise<void> => {
  for (let left = chunks; left.length > 0; )
    left = after(left, (await handle.writev(left)).bytesWritten)
}

const fill = async (
  handle: FileHandle,
  body: AsyncIterable<Uint8Array>,
  total: number | undefined,
  progress: Progress,
): Promise<number> => {
  let waiting: Uint8Array[] = []
  let held = 0
  let written = 0
  let writing = Promise.resolve()
  for await (const chunk of body) {
    waiting.push(chunk)
    held += chunk.length
    if (held < block) continue
    await writing
    writing = writeAll(handle, waiting)
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
  await writeAll(handle, waiting)
  return written + held
}

const writeFailure = (target: string, cause: unknown): Failure =>
  new Failure('failed', `cannot write ${target}: ${reasonOf(cause)}`, {
    hint: 'Choose another place with --to.',
    cause,
  })

/**
 * Writes a stream to `target`, whole or not at all.
 * @param check looks at what was written, before it gets its name
 * @returns bytes written
 * @throws Failure `failed` when the file cannot be written; what the stream throws otherwise
 */
export const save = async (
  target: string,
  body: AsyncIterable<Uint8Array>,
  total: number | undefined,
  progress: Progress,
  check?: (path: string) => Promise<void>,
): Promise<number> => {
  const part = join(dirname(target), `.${basename(target)}.${randomBytes(4).toString('hex')}.part`)
  const handle = await open(part, 'wx', 0o644).catch((cause: unknown) => {
    throw writeFailure(target, cause)
  })
  try {
    const written = await fill(handle, body, total, progress)
    await handle.close()
    await check?.(part)
    await rename(part, target)
    return written
  } catch (error) {
    await handle.close().catch(() => {})
    await rm(part, { force: true })
    throw error instanceof Failure ? error : writeFailure(target, error)
  }
}
