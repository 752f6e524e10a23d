/** What stands in a journal: a JSON object a line, in the order in which things came to be. */

import { crc32 } from 'node:zlib'
import type { Fields } from '../../base/objects.js'
import type { Counts, End } from '../work/report.js'

// The checksum of a journal's line: CRC-32 of its text, as its last member `c`.

const member = ',"c":'
const number = /^\d{1,10}$/

/**
 * Checks the lines of one journal, in their order. The first journals had no checksums: where the first line has
 * none, no line needs one.
 */
export class Sums {
  /** Whether each line of this journal has one; undefined before the first. */
  required: boolean | undefined

  /** A line's text without its checksum; empty where the line is damaged. */
  check(text: string): string {
    const at = text.lastIndexOf(member)
    const sum = at < 0 || !text.endsWith('}') ? '' : text.slice(at + member.length, -1)
    const has = number.test(sum)
    this.required ??= has
    if (!has) return this.required ? '' : text
    const bare = `${text.slice(0, at)}}`
    return crc32(bare) === Number(sum) ? bare : ''
  }
}

/** A text as it was typed; where it names a file, with the SHA-256 of what stood in that. */
export type OptionText = string | { readonly $file: string; readonly sha256: string }

/** What was typed for a run, so that it can be asked for again: no object stands in it, and no secret. */
export interface LineOptions {
  readonly args: readonly string[]
  /** By the names of flags. */
  readonly flags: Readonly<Record<string, readonly OptionText[]>>
  /** Each object is read before it is changed. */
  readonly undo_record?: true
}

/** What a run sends, with which right, and where: its first line. */
export interface Header {
  /** Of the format. */
  readonly journal: 2
  /** `20261121T120102-runners-pause` */
  readonly id: string
  /** When it began; ISO, UTC. */
  readonly began: string | null
  /** Area and verb. */
  readonly command: string
  /** `PUT /runners/:id` */
  readonly endpoint: string
  /**
   * Attributes as they are sent, masked. A secret is where it came from: `{"$secret":"env:NAME"}`; what each object's own
   * row says is `{"$row":"access_level"}`.
   */
  readonly input: Fields
  /** The base URL, normalised; `sandbox:` and the folder of its state for an embedded one. */
  readonly instance: string
  readonly profile: string | null
  /** Null where the instance does not say. */
  readonly user: string | null
  readonly sudo: string | null
  /** `stdin`, `arguments`, `select` … */
  readonly source: string
  /** Of this tool. */
  readonly version: string
  /** Absent where nobody asked for it on a line of its own. */
  readonly options?: LineOptions
  /** Several parents were given: the column that names them. */
  readonly parents?: 'project' | 'group' | 'of'
  /** `3/8`: only that part of the objects. */
  readonly shard?: string
  /** Why it cannot be resumed, where it cannot. */
  readonly final?: string
  /** Why it cannot be undone, where it cannot. */
  readonly irreversible?: string
  /** The run that this one takes back. */
  readonly undoes?: string
  /** That was itself one that took another back: what that did is done again. */
  readonly redo?: true
}

/** The attributes that a run changes; null where the object was not there. */
export type Attributes = Fields | null

interface Place {
  readonly n: number
  readonly object: string
  readonly parent?: string
  /** When it was written; ISO, UTC. */
  readonly at?: string
}

export interface QueuedLine extends Place {
  readonly state: 'queued'
  /** The object's own attributes, by the API's names; a secret is the text that refers to it. */
  readonly input?: Fields
  /** Of an object that was selected by its record. */
  readonly before?: Attributes
}
export interface BegunLine extends Place {
  readonly state: 'begun'
  readonly before?: Attributes
  /** What it is to be, where that is not what the header says. */
  readonly after?: Attributes
  readonly unread?: string
}
export interface DoneLine extends Place {
  readonly state: 'done' | 'unchanged'
  readonly status?: number
  readonly request_id?: string
  /** Where the line that begins it does not say it. */
  readonly before?: Attributes
  /** Where it is not what it was to be. */
  readonly after?: Attributes
  /** Why what it was before is not known, and it cannot be put back. */
  readonly unread?: string
}
export interface FailedLine extends Place {
  readonly state: 'failed' | 'unknown'
  readonly category: string
  readonly status?: number
  readonly request_id?: string
  readonly message: string
}
export type ObjectLine = QueuedLine | BegunLine | DoneLine | FailedLine

/** The last line of a run. */
export interface EndLine {
  readonly end: End
  readonly counts: Counts
  /** When it ended; ISO, UTC. */
  readonly at?: string
}

export type Line =
  | Header
  | ObjectLine
  | { readonly input: 'complete'; readonly total: number }
  | { readonly resumed: string }
  | EndLine

/** A line's own text with its checksum and its end. */
export const formatLine = (line: Line, at?: string): string => {
  const bare = JSON.stringify(line).slice(0, -1)
  const text = at === undefined ? bare : `${bare},"at":"${at}"`
  return `${text}${member}${crc32(`${text}}`)}}\n`
}
