/**
 * Rows: what a command yields, in their order. A row is an event of an answer (a part of it opens, a value comes, it ends) or
 * something that has its place among these. Nothing of it knows a format, a stream or whether it is one of several.
 */

import type { FieldMatch, Records } from '../base/json/records.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import type { GroupFacts, People, StackLayout } from '../catalogue/views.js'
import { Failure } from '../errors.js'
import type { Parent, Plan } from './command/description.js'

/** Reads the single record behind a record of a list, which may show more of it. */
export interface SingleReader {
  /** Returns true if it was read already. */
  has(record: unknown): boolean
  /** Reads it; undefined if it could not be read, which was reported. */
  read(record: unknown): Promise<unknown>
}

/** The pages that draw their records in a way of their own. */
export type PageDrawing = 'access' | 'check' | 'matrix' | 'overview' | 'plan' | 'policy'

/** The way in which records want to be shown: data about them, and no format. */
export interface RecordView {
  /** The heading of this answer on a page with several; `said` is the text below the answer. */
  readonly section?: string
  readonly said?: string
  readonly columns?: readonly string[]
  /** The fields that name an object, for a format that prints nothing else; those of its kind unless given. */
  readonly names?: readonly string[]
  /** Fields that were asked for by name, unless --fields says others. */
  readonly fields?: readonly string[]
  /** Fields that its records may have beside its columns and what the endpoint's shape says. */
  readonly known?: readonly string[]
  /** The layout of a page for these records; without it, a list. */
  readonly drawing?: PageDrawing
  /** Data of a page in addition to the records. */
  readonly context?: unknown
  /** The title of a page, where the answer itself says it. */
  readonly title?: string
  /** The keys and measures, if the records are groups. */
  readonly groups?: GroupFacts
  /** When a record of a table takes several lines. */
  readonly stacks?: StackLayout
  /** The secret is the answer that was asked for: shown even without --show-secrets. */
  readonly reveal?: boolean
  /** The endpoint whose answer it is: columns and secret fields come from it. */
  readonly endpoint?: Endpoint
  /** The endpoint of the single records, where fields of these stand among those of the list. */
  readonly single?: Endpoint | undefined
  /** Columns of numbers that are not exact where a record says `approximate`. */
  readonly rough?: readonly string[]
  /** The rows that people see of it, if these are not the records themselves. */
  readonly people?: People
  /** The view of several snapshots' records for people. */
  readonly trend?: People
  /** A column that comes first in tables, whatever fields were asked for. */
  readonly lead?: string
  /** The column that says what each record belongs to: the records are `{[parent]: …, record: …}`. */
  readonly parent?: string
  /** The records among those of others, where alone they are seen in another way. */
  readonly among?: readonly unknown[]
  /** The column before it, where there are several instances or snapshots: the engine's. */
  readonly within?: 'profile' | 'snapshot'
  /** It says what was changed: a mistake in how it is to be shown is noted, and refuses nothing. */
  readonly changed?: boolean
  /** True if notes reported it to people already; only the other formats print it. */
  readonly noted?: boolean
  /** The records of a list as one document. */
  readonly document?: {
    /** All there are, whatever the paging flags say. */
    readonly whole: boolean
    readonly of: (records: readonly unknown[], plan: Plan) => Promise<unknown>
  }
}

/** The answer to one call. */
export interface PlanAnswer {
  /** Bytes of the answer's JSON value, or a value; undefined where there is none. */
  readonly bytes?: Uint8Array
  readonly value?: unknown
  readonly unchanged?: boolean
  /** It was said already what became of it. */
  readonly reported?: boolean
  /** The rows that are its answer in the place of a record: a download, the files that were written. */
  readonly rows?: Rows
  readonly status?: number
  readonly requestId?: string
}

/** A reader of the records of a list. */
interface RecordReader {
  /** The names that it looks for in the bytes of records. */
  readonly watch?: FieldMatch | undefined
  /** Returns true while its records wait for those of other targets. */
  readonly held?: () => boolean
}

/** The list of the instance that records come from, as whoever takes them sees it. */
export interface ListSource {
  /** Its records are put into another order before they are shown, so that none is before the last came. */
  readonly isOrdered: boolean
  /** Takes what reads them. */
  readonly opened: (reader: RecordReader) => void
}

/** The target that rows are about, if a line has several. */
export interface Target {
  readonly profile?: string | undefined
  /** When the snapshot was begun that it comes from. */
  readonly snapshot?: string | undefined
  readonly parent?: Parent | undefined
}

/** Returns the column and name by which a target stands among several instances or snapshots. */
export const getSite = ({
  profile,
  snapshot,
}: Target): { readonly column: 'profile' | 'snapshot'; readonly name: string } | undefined => {
  if (snapshot !== undefined) return { column: 'snapshot', name: snapshot }
  return profile === undefined ? undefined : { column: 'profile', name: profile }
}

type Event =
  /** A part of the answer begins: a list, or one record. Its values follow, up to its `end`. */
  | {
      readonly kind: 'open'
      readonly many: boolean
      readonly view: RecordView
      /** The list of the instance that its records come from, if they come from one. */
      readonly source?: ListSource | undefined
      /** The one answer of several targets: what came of it is shown where it ends before its time. */
      readonly isMerged?: true
    }
  /** A record that the command made. */
  | { readonly kind: 'value'; readonly value: unknown }
  /** Records as the bytes of one JSON value each, in the memory that they came in. */
  | {
      readonly kind: 'records'
      readonly batch: Records
      /** The readers of more of each record, if more is asked for. */
      readonly readers?: readonly (SingleReader | undefined)[] | undefined
    }
  /** A part of the answer ends; without a target, and where there were several, the answer of all of them. */
  | {
      readonly kind: 'end'
      /** It ends before its time: what was held back of it is shown all the same. */
      readonly isCut?: boolean
      /** True if the list goes on behind it. */
      readonly more?: boolean
      /** The text about that below the answer. */
      readonly said?: string | undefined
    }
  /** The answer to one call, its bytes passed on where nothing needs its fields. */
  | { readonly kind: 'answer'; readonly answer: PlanAnswer; readonly view: RecordView }
  /** One object that makes no rows: a schema, an OpenAPI document. */
  | { readonly kind: 'document'; readonly value: unknown }
  /** Raw text or bytes, which no format writes. */
  | { readonly kind: 'text'; readonly chunk: string | Uint8Array }
  /** A report for standard output, whatever becomes of the answer. */
  | { readonly kind: 'report'; readonly text: string }
  /** A target of which nothing more can be read. */
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** A request to hand what came so far to the system before the next row is asked for. */
  | { readonly kind: 'flush' }
  /** A note for people at this place of the answer, or below it. */
  | {
      readonly kind: 'note'
      readonly text: string
      readonly level: 'note' | 'warn'
      readonly isBelow?: true
    }
  /** The exit code is at least this, where the run ends well. */
  | { readonly kind: 'exit'; readonly code: number }

/** The event that begins a part of an answer. */
export type OpenRow = Extract<Row, { kind: 'open' }>

/** Records as bytes. */
export type RecordsRow = Extract<Row, { kind: 'records' }>

/** An event of an answer, and the target that it is about if there are several. */
export type Row = Event & { readonly of?: Target }

export type Rows = AsyncGenerator<Row, void>

/** Converts the failure of a list of which some records are shown already; only JSON shows it in the output itself. */
export const cutShort = (error: unknown, count: number): unknown => {
  if (!(error instanceof Failure) || count === 0) return error
  const records = count === 1 ? '1 record was' : `${count} records were`
  return new Failure(
    error.category,
    `${error.message}; ${records} printed before that, so the list is incomplete`,
    error.details,
  )
}

/** Yields the records of a list. */
export async function* yieldRecords(
  records: Iterable<unknown> | AsyncIterable<unknown>,
  view: RecordView = {},
): Rows {
  yield { kind: 'open', many: true, view }
  for await (const value of records) yield { kind: 'value', value }
  yield { kind: 'end' }
}

/** Yields one record. */
export async function* yieldRecord(value: unknown, view: RecordView = {}): Rows {
  yield { kind: 'open', many: false, view }
  yield { kind: 'value', value }
  yield { kind: 'end' }
}

/** Creates the row of a text that no format writes. */
export const createTextRow = (chunk: string | Uint8Array): Row => ({ kind: 'text', chunk })

/** Yields a text that no format writes. */
export async function* yieldText(chunk: string | Uint8Array): Rows {
  yield createTextRow(chunk)
}

/** Creates the row of what is said to people at this place. */
export const createNoteRow = (text: string, level: 'note' | 'warn' = 'note'): Row => ({
  kind: 'note',
  text,
  level,
})

/** Creates the row of what is said below the answer. */
export const createNoteBelow = (text: string): Row => ({
  kind: 'note',
  text,
  level: 'note',
  isBelow: true,
})

/** Creates the row that sets the least exit code of a run that ends well. */
export const createExitRow = (code: number): Row => ({ kind: 'exit', code })
