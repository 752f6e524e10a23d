/** A stream to where it is wanted: a file that is there whole or not at all, or what cannot be taken back. */
import { openWhole, type WholeFile } from '../../base/files/files.js'
import { Failure, getReason } from '../../errors.js'
import { BeginAgain } from './resume.js'

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

export interface Saving {
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
