/** The journals of the parts of a run, as one. */
import { isDeepStrictEqual } from 'node:util'
import { usage } from '../../errors.js'
import type { Clock } from '../../http/gate/clock.js'
import { identityOf, placeOf } from '../work/items.js'
import type { Counts, End } from '../work/report.js'
import type { Header, ObjectLine } from './lines.js'
import { createJournal } from './opening.js'
import { lineOf } from './parse.js'
import { type ObjectState, type Past, readPast } from './past.js'
import { textsIn } from './reading.js'

export interface Merged {
  readonly file: string
  readonly counts: Counts
  /** The journals that did not come to an end. */
  readonly open: readonly string[]
  /** Those that do not say what became of all their objects. */
  readonly damaged: readonly Past[]
}

/** Of several lines about an object the best one is kept. */
const rank: Readonly<Record<ObjectState, number>> = {
  done: 5,
  unchanged: 4,
  failed: 3,
  unknown: 2,
  begun: 1,
  queued: 0,
}

const same = ['command', 'endpoint', 'values', 'instance'] as const

const checkSame = ([first, ...others]: readonly Past[]): Header => {
  if (first === undefined) throw usage('there is no journal to merge')
  for (const { file, header } of others)
    for (const what of same)
      if (!isDeepStrictEqual(header[what], first.header[what]))
        throw usage(
          `${file} is of another run than ${first.file}: ${what} differs`,
          'Only the parts of one run are merged.',
        )
  return first.header
}

/** What was asked of all parts together: no part of the objects. */
const ofWhole = (header: Header): Header => {
  if (header.asked === undefined) return header
  const { shard: _, ...asked } = header.asked
  return { ...header, asked }
}

type Best = Map<string, ObjectLine>

/** The best line about each object of a journal; a later one of the same worth takes its place. */
const gather = async ({ file, size }: Past, best: Best): Promise<void> => {
  for await (const texts of textsIn(file, size))
    for (const text of texts) {
      const line = lineOf(text)
      if (line === undefined || !('n' in line)) continue
      const key = `${identityOf(line.parent ?? '')}\0${identityOf(line.object)}`
      const known = best.get(key)
      if (known === undefined || rank[line.state] >= rank[known.state]) best.set(key, line)
    }
}

const endOf = (parts: readonly Past[]): End | undefined => {
  const ends = parts.map(({ end }) => end)
  if (ends.includes(undefined)) return undefined
  if (ends.every((end) => end === 'completed')) return 'completed'
  return ends.includes('interrupted') ? 'interrupted' : 'stopped'
}

/**
 * Joins journals of the same command, endpoint, values and instance into a new one.
 * @throws Failure `usage` where they are of different runs, or the new one cannot be made
 */
export const mergeJournals = async (
  files: readonly string[],
  to: string,
  id: string,
  clock?: Clock,
): Promise<Merged> => {
  const parts: Past[] = []
  for (const file of files) parts.push(await readPast(file))
  const header = ofWhole(checkSame(parts))
  const best: Best = new Map()
  for (const part of parts) await gather(part, best)
  const journal = await createJournal(to, { ...header, id, source: 'merge' }, clock)
  try {
    let n = 0
    for (const line of best.values()) {
      n += 1
      journal.add({ ...placeOf({ ...line, n }), state: 'queued' })
      if (line.state !== 'queued') journal.add({ ...line, n })
      if (journal.full) await journal.drained()
    }
    // Of what is not whole nobody knows how many there were.
    if (parts.every(({ gap, total }) => gap === undefined && total !== undefined))
      await journal.append({ input: 'complete', total: n })
    const end = endOf(parts)
    if (end !== undefined) await journal.end(end)
    await journal.drained()
  } finally {
    await journal.close()
  }
  return {
    file: to,
    counts: journal.states.counts(),
    open: parts.filter(({ end }) => end === undefined).map(({ file }) => file),
    damaged: parts.filter(({ gap }) => gap !== undefined),
  }
}
