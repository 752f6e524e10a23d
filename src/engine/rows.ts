/**
 * Defines the rows that every command yields, in order. A row is an event of an answer (a part begins, a value arrives, a part ends) or a
 * note between such events. A row knows no format and no stream, and does not know whether it is one of several targets.
 */

import type { FieldMatch, Records } from '../base/json/records.js'
import { formatCount } from '../base/text.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import type { GroupFacts, People, StackLayout } from '../catalogue/views.js'
import { Failure } from '../errors.js'
import type { Parent, Plan } from './command/description.js'

/** Reads the full record of a record in a list. The full record may have more fields. */
export interface FullRecordReader {
  /** True if the full record was read already. */
  has(record: unknown): boolean
  /** Reads the full record. Returns undefined after an error, which was reported. */
  read(record: unknown): Promise<unknown>
}

/** The kinds of pages that are not lists. */
export type PageDrawing = 'access' | 'check' | 'matrix' | 'overview' | 'plan' | 'policy'

/** Data about records that says how they are shown in any format. */
export interface RecordView {
  readonly columns?: readonly string[]
  /** The fields that name an object, for formats that print only names. The default is the fields of its kind. */
  readonly names?: readonly string[]
  /** The name of the record's object on the line, for such formats if the record has none of these fields. */
  readonly object?: string | undefined
  /** The fields that are shown unless `--fields` chooses others. */
  readonly fields?: readonly string[]
  /** The fields that records may have in addition to the columns and the endpoint's shape. */
  readonly known?: readonly string[]
  /** The layout of a page for these records. The default is a list. */
  readonly drawing?: PageDrawing
  /** True if a page draws the records of several instances, one below the other. */
  readonly drawsInstances?: boolean
  /** Data of a page in addition to the records. */
  readonly context?: unknown
  /** The title of a page. The default is made of the command line. */
  readonly title?: string
  /** The keys and measures of records that are groups. */
  readonly groups?: GroupFacts
  /** The layout for records that take several lines of a table. */
  readonly stacks?: StackLayout
  /** True if the secret is the answer. It is shown even without `--show-secrets`. */
  readonly reveal?: boolean
  /** The endpoint of the answer, which has the columns and the secret fields. */
  readonly endpoint?: Endpoint
  /** The endpoint of the single records, if fields of single records are shown in the list. */
  readonly single?: Endpoint | undefined
  /** The columns whose numbers are not exact in records with a true field `approximate`. */
  readonly approximate?: readonly string[]
  /** The rows for people, if these are not the records themselves. */
  readonly people?: People
  /** The rows for people if the records come from several snapshots. */
  readonly trend?: People
  /** A column that always comes first in tables, even with `--fields`. */
  readonly lead?: string
  /** The column that names the parent of each record. The records are `{[parent]: …, record: …}`. */
  readonly parent?: string
  /** The records to show if the line has several targets; by default the same as for one. */
  readonly among?: readonly unknown[]
  /** The column of the instance or snapshot, if a line has several. The engine sets it. */
  readonly within?: 'profile' | 'snapshot'
  /** True if the records say what was changed. A mistake in `--fields` is then only noted, since the change is done. */
  readonly changed?: boolean
  /** True if notes told people the same already. Only formats for programs print the record. */
  readonly noted?: boolean
  /** The records of a list as one document. */
  readonly document?: {
    /** True if all records are read, whatever the paging flags say. */
    readonly whole: boolean
    readonly build: (records: readonly unknown[], plan: Plan) => Promise<unknown>
  }
}

/** The answer to one call. */
export interface PlanAnswer {
  /** The answer as bytes of JSON, or as a value. Both are undefined if there is no answer. */
  readonly bytes?: Uint8Array
  readonly value?: unknown
  readonly unchanged?: boolean
  /** True if the outcome was reported already. */
  readonly reported?: boolean
  /** The rows that replace the record, such as those of a download. */
  readonly rows?: Rows
  readonly status?: number
  readonly requestId?: string
}

/** A reader of the records of a list. */
interface RecordReader {
  /** The field names that the reader looks for in the bytes of records. */
  readonly watch?: FieldMatch | undefined
  /** Returns true while the records wait for those of other targets. */
  readonly held?: () => boolean
}

/** The list of the instance that records come from. */
export interface ListSource {
  /** True if the records are sorted. None is shown before the last one came. */
  readonly isOrdered: boolean
  /** Tells the list who reads its records. */
  readonly attachReader: (reader: RecordReader) => void
}

/** The target of a row, if a line has several. */
export interface Target {
  readonly profile?: string | undefined
  /** The time at which the snapshot was begun. */
  readonly snapshot?: string | undefined
  /** The name of the run that is resumed. Records have no column with it. */
  readonly run?: string | undefined
  readonly parent?: Parent | undefined
}

/** Returns the column and the name of a target among several instances or snapshots. */
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
      /** The list of the instance that the records come from; undefined if a command made them. */
      readonly source?: ListSource | undefined
      /** True for the one answer of several targets. If it ends early, the records so far are shown. */
      readonly isMerged?: true
    }
  /** A record that the command made. */
  | { readonly kind: 'value'; readonly value: unknown }
  /** A batch of records, each as the bytes of a JSON value, in the memory in which they arrived. */
  | {
      readonly kind: 'records'
      readonly batch: Records
      /** The readers of the single records, if fields of single records are wanted. */
      readonly readers?: readonly (FullRecordReader | undefined)[] | undefined
    }
  /** A part of the answer ends. Without a target, the answer of all targets ends. */
  | {
      readonly kind: 'end'
      /** True if the part ends early. Rows that were held back are shown all the same. */
      readonly isCut?: boolean
      /** True if the instance has further records. */
      readonly more?: boolean
      /** The note about the end of the list, for below the answer. */
      readonly note?: string | undefined
    }
  /** The answer to one call. Its bytes are passed on unless something needs its fields. */
  | { readonly kind: 'answer'; readonly answer: PlanAnswer; readonly view: RecordView }
  /** One object that is no record, such as a schema or an OpenAPI document. */
  | { readonly kind: 'document'; readonly value: unknown }
  /** Text or bytes that are printed as they are, in any format. */
  | { readonly kind: 'text'; readonly chunk: string | Uint8Array }
  /** A report for standard output, which is printed even if the answer goes to a file. */
  | { readonly kind: 'report'; readonly text: string }
  /** A target of which nothing more can be read. */
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** A request to write all earlier rows before the next one is read. */
  | { readonly kind: 'flush' }
  /** A note for people, at this place of the answer or below it. */
  | {
      readonly kind: 'note'
      readonly text: string
      readonly isBelow?: true
    }
  /** The least exit code of a run that ends well. */
  | { readonly kind: 'exit'; readonly code: number }

/** The event that begins a part of an answer. */
export type OpenRow = Extract<Row, { kind: 'open' }>

/** Records as bytes. */
export type RecordsRow = Extract<Row, { kind: 'records' }>

/** An event of an answer, with its target if a line has several. */
export type Row = Event & { readonly target?: Target }

export type Rows = AsyncGenerator<Row, void>

/** Adds to the failure of a list how many records arrived before it. */
export const toIncompleteFailure = (error: unknown, count: number): unknown => {
  if (!(error instanceof Failure) || count === 0) return error
  return new Failure(
    error.category,
    `${error.message}; ${formatCount(count, 'record')} arrived before that, so the list is incomplete`,
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

/** Creates a row of text that is printed as it is. */
export const createTextRow = (chunk: string | Uint8Array): Row => ({ kind: 'text', chunk })

/** Yields text that is printed as it is. */
export async function* yieldText(chunk: string | Uint8Array): Rows {
  yield createTextRow(chunk)
}

/** Creates the row of a note at this place of the answer. */
export const createNoteRow = (text: string): Row => ({ kind: 'note', text })

/** Creates the row of a note below the answer. */
export const createFooterRow = (text: string): Row => ({ kind: 'note', text, isBelow: true })

/** Creates the row of the least exit code of a run that ends well. */
export const createExitRow = (code: number): Row => ({ kind: 'exit', code })
