/** Writes journals of runs, as the program does. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Header, ObjectLine } from '../../src/engine/journal/lines.js'
import type { End } from '../../src/engine/work/report.js'
import { header } from '../engine/work/header.js'

/** Converts a value to a line with its checksum. */
const toJournalLine = (value: object): string => {
  const text = JSON.stringify(value)
  return `${text.slice(0, -1)},"c":${crc32(text)}}\n`
}

/** Writes the journal of a run with these object lines. */
export const writeJournal = (
  file: string,
  lines: readonly ObjectLine[],
  end: End | 'killed' = 'completed',
  first: Partial<Header> = {},
): void => {
  const last = new Map(lines.map(({ n, state }) => [n, state]))
  const count = (state: string): number =>
    [...last.values()].filter((reached) => reached === state).length
  const counts = {
    done: count('done'),
    unchanged: count('unchanged'),
    failed: count('failed'),
    unknown: count('unknown') + count('begun'),
    not_tried: count('queued'),
  }
  const written = [
    { ...header, ...first },
    ...lines.map(({ n, object, parent }) => ({ n, object, parent, state: 'queued' })),
    ...lines.filter(({ state }) => state !== 'queued'),
    { input: 'complete', total: last.size },
    ...(end === 'killed' ? [] : [{ end, counts }]),
  ]
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, written.map(toJournalLine).join(''), { mode: 0o600 })
}
