/** What of a run did not come to its end, as its journal knows it. */
import type { BegunLine, FailedLine } from './lines.js'
import { lineOf } from './parse.js'
import type { ObjectState, Past } from './past.js'
import { textsIn } from './reading.js'

/** An object that failed, or of which it is not known. */
export type Unfinished = FailedLine | BegunLine

const open: ReadonlySet<ObjectState | undefined> = new Set<ObjectState>([
  'failed',
  'unknown',
  'begun',
])

/** The latest line of each object that was begun and not done, in their order. */
export const unfinishedIn = async ({
  file,
  size,
  states,
}: Past): Promise<readonly Unfinished[]> => {
  const found = new Map<number, Unfinished>()
  for await (const texts of textsIn(file, size, 'any'))
    for (const text of texts) {
      const line = lineOf(text)
      if (line === undefined || !('n' in line) || !open.has(states.get(line.n))) continue
      if (line.state === 'failed' || line.state === 'unknown' || line.state === 'begun')
        found.set(line.n, line)
    }
  return [...found.values()].toSorted((a, b) => a.n - b.n)
}
