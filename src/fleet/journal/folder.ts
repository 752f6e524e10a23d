/** The folder of journals: which there are, which is the last, and which may go. */
import { constants, existsSync } from 'node:fs'
import { readdir, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { codeOf } from '../../errors.js'
import type { Counts, End } from '../report.js'
import { type Header, type Line, lineOf } from './lines.js'
import { isDone, type Past, readPast } from './past.js'
import { openJournal } from './reading.js'

/** So many that ended are kept. */
const mostKept = 50
/** What did not come to its end is kept so long, in milliseconds. */
const keptFor = 30 * 24 * 3_600_000
/** A first line, and a last one, are no longer. */
const headBytes = 1 << 16
const tailBytes = 1 << 12

/** A journal by its first line and its last. */
export interface Entry {
  readonly file: string
  readonly header: Header
  /** Absent while it runs, and where it was killed. */
  readonly end?: End
  readonly counts?: Counts
  /** A process has it, or had when it was killed. */
  readonly locked: boolean
  /** When it was written last, in milliseconds of the epoch. */
  readonly changed: number
}

/** `20261121T120102-runners-pause`, by UTC. */
export const journalId = (command: string, now: Date): string =>
  `${now.toISOString().replace(/[-:]|\.\d+Z$/g, '')}-${command.replaceAll(/[^a-z0-9]+/gi, '-')}`

/** The file beside a journal that has the plan of its run, where it is one of declared state. */
export const planBeside = (journal: string): string =>
  `${journal.replace(/\.ndjson$/, '')}.plan.json`

const lastLine = (bytes: Buffer): Line | undefined => {
  const text = bytes.toString()
  const lines = text.slice(0, Math.max(0, text.lastIndexOf('\n'))).split('\n')
  return lineOf(lines.at(-1) ?? '')
}

/** A journal at a glance; undefined for what is none. */
const entryOf = async (file: string): Promise<Entry | undefined> => {
  const handle = await openJournal(file, constants.O_RDONLY, 'any')
  try {
    const { size, mtimeMs } = await handle.stat()
    const read = async (position: number, length: number): Promise<Buffer> => {
      const buffer = Buffer.alloc(Math.min(length, size))
      const { bytesRead } = await handle.read(buffer, { position })
      return buffer.subarray(0, bytesRead)
    }
    const head = (await read(0, headBytes)).toString()
    const header = lineOf(head.slice(0, Math.max(0, head.indexOf('\n'))))
    if (header === undefined || !('journal' in header)) return undefined
    const last = lastLine(await read(Math.max(0, size - tailBytes), tailBytes))
    const ended = last !== undefined && 'end' in last ? { end: last.end, counts: last.counts } : {}
    return { file, header, ...ended, locked: existsSync(`${file}.lock`), changed: mtimeMs }
  } finally {
    await handle.close()
  }
}

const namesIn = (folder: string): Promise<readonly string[]> =>
  readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  })

/** When a run began, by its name. */
const beganAt = ({ file }: Entry): string => basename(file).slice(0, '20261121T120102'.length)

/** The newest first; of those that began in one second, the one that was written last. */
const byAge = (a: Entry, b: Entry): number => {
  const [one, other] = [beganAt(a), beganAt(b)]
  return one === other ? b.changed - a.changed : one < other ? 1 : -1
}

/** All journals of a folder, the newest first; files that are none are passed over. */
export const journalsIn = async (folder: string): Promise<readonly Entry[]> => {
  const names = (await namesIn(folder)).filter((name) => name.endsWith('.ndjson'))
  const entries: Entry[] = []
  for (const name of names) {
    const entry = await entryOf(join(folder, name)).catch(() => undefined)
    if (entry !== undefined) entries.push(entry)
  }
  return entries.toSorted(byAge)
}

/** The newest journal that is left to be gone on with, of those that `which` takes. */
export const lastOpen = async (
  folder: string,
  which: (header: Header) => boolean,
): Promise<Past | undefined> => {
  for (const { file, header } of await journalsIn(folder)) {
    if (!which(header)) continue
    const past = await readPast(file)
    if (!isDone(past)) return past
  }
  return undefined
}

/** Removes journals that ended long ago, and their plans; those that did not are kept for thirty days at least. */
export const pruneJournals = async (folder: string, now: number): Promise<readonly string[]> => {
  const entries = await journalsIn(folder)
  const mayGo = entries.filter(
    ({ end, locked, changed }) => (end === 'completed' && !locked) || now - changed > keptFor,
  )
  const gone = mayGo.slice(mostKept).map(({ file }) => file)
  for (const file of gone.flatMap((each) => [each, planBeside(each)]))
    await unlink(file).catch(() => {})
  return gone
}
