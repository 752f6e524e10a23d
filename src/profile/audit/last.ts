/** The last write of a profile in its audit log, by the order of the lines. */
import type { AuditEntry } from './audit.js'
import { entryIn, linesIn } from './read.js'

export interface LastAudited {
  /** The last write that the instance carried out, or may have; undefined where there is none. */
  readonly entry: AuditEntry | undefined
  /** Lines after it that cannot be read. */
  readonly unreadable: number
}

const mayBeDone = ({ outcome }: AuditEntry): boolean => outcome === 'done' || outcome === 'unknown'

/**
 * @param profile by name: several may share a log
 * @throws Failure `usage` where the file cannot be read
 */
export const lastAudited = async (file: string, profile: string): Promise<LastAudited> => {
  let [last, unreadable]: [AuditEntry | undefined, number] = [undefined, 0]
  for await (const line of linesIn(file)) {
    if (line.trim() === '') continue
    const entry = entryIn(line)
    if (entry === undefined) unreadable += 1
    else if (entry.profile === profile && mayBeDone(entry)) [last, unreadable] = [entry, 0]
  }
  return { entry: last, unreadable }
}
