/** What a line says of its journal. */
import { writes } from '../../catalogue/endpoint.js'
import { usage } from '../../errors.js'
import { keepsJournal } from '../command/derived.js'
import type { Globals } from '../command/globals.js'
import type { Command, Plan } from '../command/types.js'
import type { Next, Past } from '../journal/reader.js'
import type { Journal } from '../journal/writer.js'
import type { Raw } from '../plan/line.js'
import type { Item } from '../work/report.js'

// A run that is gone on with: its journal, and which of its objects are left.

export interface Resumed {
  readonly journal: Journal
  readonly past: Past
  /** The input was cut, and is given once more. */
  readonly again: boolean
  /** What is to be done with the object in a place. */
  readonly next: (n: number) => Next
  /** The objects that something is to be done with, in their order. */
  readonly left: () => AsyncIterable<Item>
}

/** Where the objects of a run come from. */
type Source = 'arguments' | 'parents' | 'select' | 'stdin'

/** It is completed while the line is understood, and by the journal that is gone on with. */
export interface JournalOptions {
  source: Source
  /** Whether the line is one for several objects, however many there are in the end. */
  several: boolean
  /** The line itself. */
  raw: Raw
  /** The column that names the parents, where there are several. */
  parents?: 'project' | 'group' | 'of'
  /** The run that is gone on with. */
  resumed?: Resumed
  /** The attributes that rows say, by the API's names. */
  rowFields?: readonly string[]
  /** SHA-256 of the files that the line names, as they were read, by their paths. */
  readonly digests: Map<string, string>
}

interface Asked {
  readonly command: Command
  readonly globals: Pick<Globals, 'journal'>
  readonly journaling: JournalOptions
}

/** Whether a run keeps a journal: whatever writes does, but for what the API itself only tries. */
export const isKept = (
  { command, globals, journaling }: Asked,
  { endpoint, values }: Plan,
): boolean => {
  if (journaling.resumed !== undefined) return true
  if (globals.journal === 'none' || !keepsJournal(command)) return false
  if (endpoint.rehearses === true && values.dry_run === true) return false
  return globals.journal !== undefined || writes(endpoint)
}

/** @throws Failure `usage` for flags that say the contrary of each other */
export const checkJournal = ({
  curl,
  journal,
  resume,
  shard,
}: Pick<Globals, 'curl' | 'journal' | 'resume' | 'shard'>): void => {
  if (resume !== undefined && curl) throw usage('--resume and --curl exclude each other')
  if (resume !== undefined && journal !== undefined)
    throw usage(
      '--resume and --journal exclude each other',
      'A resumed run continues in its own journal.',
    )
  if (resume !== undefined && shard !== undefined)
    throw usage('--resume and --shard exclude each other', 'The journal contains the shard.')
}

/** How the record that an object was selected by is known: by its text, and its parent where there are several. */
export const chosenAs = (text: string, parent = ''): string => `${parent}\0${text}`

/** The record that the object of a plan was selected by. */
export const recordFor = (
  chosen: ReadonlyMap<string, unknown>,
  { label = '', parent }: Plan,
): unknown => chosen.get(chosenAs(label, parent?.name.replace(/^(?:group|project):/, '')))
