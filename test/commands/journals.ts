/** Journals of runs, made by the engine's own journal. */

import type { Header, ObjectLine } from '../../src/engine/journal/lines.js'
import { createJournal } from '../../src/engine/journal/opening.js'
import type { End } from '../../src/engine/work/report.js'
import { header } from '../engine/work/header.js'

/** A journal of a run that did these. */
export const journalOf = async (
  file: string,
  lines: readonly ObjectLine[],
  end: End | 'killed' = 'completed',
  first: Partial<Header> = {},
): Promise<void> => {
  const journal = await createJournal(file, { ...header, ...first })
  for (const { n, object, parent } of lines)
    journal.add({ n, object, ...(parent === undefined ? {} : { parent }), state: 'queued' })
  for (const line of lines) if (line.state !== 'queued') journal.add(line)
  await journal.append({ input: 'complete', total: new Set(lines.map(({ n }) => n)).size })
  if (end !== 'killed') await journal.end(end)
  await journal.drained()
  await journal.close()
}
