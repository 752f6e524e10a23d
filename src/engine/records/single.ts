/**
 * Finds how single records of a list are read, and filters lists by conditions on these or on the list's own records.
 */

import { parseBytes } from '../../base/json/records.js'
import { type Endpoint, getMethod } from '../../catalogue/endpoint.js'
import { getKindByName } from '../../catalogue/kinds.js'
import { getOwnField } from '../../catalogue/pick.js'
import { Failure } from '../../errors.js'
import type { Ask, Batch, ListEnd } from '../../http/types.js'
import { findGetCommand, getScope } from '../command/derive.js'
import type { Globals } from '../command/globals.js'
import { getListScope } from '../command/target-fields.js'
import type { Command, Given } from '../command/types.js'
import { readObjects } from '../plan/objects.js'
import { getPipedObject } from '../plan/stdin/rows.js'
import { UnseenValueFailure, type Where } from '../where/index.js'
import { findFieldKind } from '../where/shape.js'
import { checkEnd, runWork } from '../work/run.js'
import { type AnswerContext, KnownFields } from './known-fields.js'

// Fields in `--fields` and `--sort` that only single records have.

type FieldFlags = Pick<Globals, 'fields' | 'sort'>

/** The fields that are read from single records, and the endpoint that reads these. */
export interface SingleFields {
  readonly endpoint: Endpoint
  /** The fields in `--fields`, as typed. */
  readonly shown: readonly string[]
  /** The fields in `--sort`, without their direction. */
  readonly sorted: readonly string[]
}

/**
 * Finds the fields of a line that only single records have; undefined if there are none, or if the area cannot read
 * single records.
 */
export const getSingleFields = async (
  { command, emit }: AnswerContext,
  { fields = [], sort = [] }: FieldFlags,
): Promise<SingleFields | undefined> => {
  const { endpoint } = emit
  if (endpoint === undefined) return undefined
  const known = new KnownFields({ command, emit })
  const { naming, targetColumns = [] } = command
  const listUnshown = (names: readonly string[]) =>
    names.filter((name) => !known.has(name)).map((name) => getOwnField(name, targetColumns))
  const request = {
    shown: listUnshown(fields),
    sorted: listUnshown(sort.map((text) => text.replace(/^-/, ''))),
  }
  if (request.shown.length + request.sorted.length === 0) return undefined
  const single = await findSingleReader(command, { endpoint, values: {} })
  if (single === undefined) return undefined
  const has = (field: string): boolean =>
    [field, naming.neutral(field)].some(
      (name) => findFieldKind(single.endpoint.returns.shape, name) !== undefined,
    )
  const found = { shown: request.shown.filter(has), sorted: request.sorted.filter(has) }
  return found.shown.length + found.sorted.length === 0
    ? undefined
    : { endpoint: single.endpoint, ...found }
}

export interface SingleCommand {
  readonly command: Command
  readonly endpoint: Endpoint
  /** Returns the text that names a record of the list. */
  readonly getName: (record: unknown) => string
  /** Returns the arguments and flags that read a record. */
  readonly createGiven: (record: unknown) => Given
}

/** True if an endpoint can read the objects of a list. */
const canRead = (endpoint: Endpoint, { endpoint: list }: Ask): boolean => {
  if (getMethod(endpoint) !== 'GET' || endpoint.returns.kind !== 'one') return false
  const holder = getScope(endpoint)
  const carried = getKindByName(list.lists)?.mark !== undefined
  return holder === undefined || carried || holder.kind === getScope(list)?.kind
}

/** Finds the command that reads the records of a list one by one; undefined if the area has none. */
export const findSingleReader = async (
  lister: Pick<Command, 'registry' | 'area' | 'words'>,
  list: Ask,
): Promise<SingleCommand | undefined> => {
  if (list.endpoint.lists === undefined) return undefined
  const command = await findGetCommand(lister)
  const endpoint = Object.values(command?.endpoints ?? {}).find((one) => canRead(one, list))
  const argument = command?.args[0]
  if (command === undefined || endpoint === undefined) return undefined
  if (argument?.param?.completes !== list.endpoint.lists) return undefined
  const objects = await readObjects(argument)
  // Objects without a project are found by their ID alone.
  const scope = getScope(endpoint)?.kind === getScope(list.endpoint)?.kind ? getListScope(list) : {}
  const project = scope.project === undefined ? undefined : String(scope.project)
  const getName = (record: unknown): string => getPipedObject(record, objects, project)
  return {
    command,
    endpoint,
    getName,
    createGiven: (record) => ({ args: [getName(record)], flags: scope, extra: {} }),
  }
}

// The stage that passes on matching records, byte by byte as they came.

type Batches = AsyncGenerator<Batch, ListEnd>

/** Reads single records for conditions on fields that the list does not show. */
export interface SingleReads {
  readonly width: number
  readonly signal: AbortSignal
  /** Returns the text that names a record of the list. */
  readonly getName: (record: unknown) => string
  /** Reads the single record of a list's record. */
  readonly readRecord: (record: unknown) => Promise<unknown>
  /** Receives each record that could not be read; whether it matches is unknown. */
  readonly onFailure: (text: string, failure: Failure) => void
}

interface Filter {
  /** Makes the fields of a parsed record legible by their documented names. */
  readonly makeLegible: (record: unknown) => unknown
  /** Creates the tests. Without samples, only documented fields are known. */
  readonly bind: (samples?: readonly unknown[]) => Where
  /** The number of records to read before the tests are created; 0 if the shapes contain all fields. */
  readonly samples: number
  readonly limit: number | undefined
  readonly reading?: SingleReads
}

/** A list does not show whether a field or a value exists; the lists of other parents may. */
class UndecidedFailure extends Failure {}

interface ParsedRecord {
  readonly bytes: Uint8Array
  readonly record: unknown
}

/** Reads the records of a list on demand, and remembers how the list ended. */
class RecordSource {
  #end: ListEnd | undefined
  readonly #batches: Batches
  readonly #makeLegible: Filter['makeLegible']

  constructor(batches: Batches, { makeLegible }: Filter) {
    this.#batches = batches
    this.#makeLegible = makeLegible
  }

  /** Returns the next records; undefined at the end. */
  async readNext(): Promise<readonly ParsedRecord[] | undefined> {
    if (this.#end !== undefined) return undefined
    const step = await this.#batches.next()
    if (step.done !== true)
      return step.value.map((bytes) => ({ bytes, record: this.#makeLegible(parseBytes(bytes)) }))
    this.#end = step.value
    return undefined
  }

  /** Returns true if the list has, or may have, further records. */
  async hasMore(): Promise<boolean> {
    const next = await this.readNext()
    return next !== undefined || this.#end?.more === true
  }

  /** Returns the end of the list, and whether further pages exist. */
  createEnd({ records, more }: ListEnd): ListEnd {
    return { records, more: more || this.#end?.more === true }
  }

  async close(): Promise<void> {
    if (this.#end === undefined) await this.#batches.return({ records: 0, more: true })
  }
}

/** Reads at least `count` records, if there are as many. */
const readFirstRecords = async (
  source: RecordSource,
  count: number,
): Promise<readonly ParsedRecord[]> => {
  const found: ParsedRecord[] = []
  while (found.length < count) {
    const next = await source.readNext()
    if (next === undefined) break
    found.push(...next)
  }
  return found
}

/** Yields the records whose single record matches, in their order. Several are read at once. */
async function* readEach(
  seen: AsyncIterable<readonly ParsedRecord[]>,
  { matches, mayMatch }: Where,
  { width, signal, getName, readRecord, onFailure }: SingleReads,
): AsyncGenerator<readonly ParsedRecord[]> {
  const open = new Map<number, ParsedRecord>()
  const yieldItems = async function* () {
    let n = 0
    for await (const some of seen)
      for (const one of some)
        if (mayMatch(one.record)) {
          open.set(++n, one)
          yield { n, object: getName(one.record) }
        }
  }
  const reads = runWork<boolean>({
    items: yieldItems(),
    gate: { width },
    signal,
    work: async ({ n }) => {
      const whole = await readRecord(open.get(n)?.record)
      return { state: 'done', result: matches(whole) }
    },
  })
  for await (const { item, outcome } of reads) {
    const one = open.get(item.n)
    open.delete(item.n)
    if ('failure' in outcome) onFailure(item.object, outcome.failure)
    else if (outcome.result === true && one !== undefined) yield [one]
  }
  checkEnd(await reads.report)
}

async function* filterMatching(
  seen: AsyncIterable<readonly ParsedRecord[]>,
  { matches }: Where,
): AsyncGenerator<readonly ParsedRecord[]> {
  for await (const some of seen) yield some.filter(({ record }) => matches(record))
}

/** Yields at most `limit` records. After that many, `more` is called to learn whether there are further ones. */
async function* limitRecords(
  limit = Number.POSITIVE_INFINITY,
  found: AsyncIterable<readonly ParsedRecord[]>,
  more: () => Promise<boolean>,
): Batches {
  let records = 0
  for await (const some of found) {
    const batch = some.slice(0, limit - records).map(({ bytes }) => bytes)
    records += batch.length
    if (batch.length > 0) yield batch
    if (records >= limit) return { records, more: some.length > batch.length || (await more()) }
  }
  return { records, more: false }
}

/**
 * Creates the tests from the first records.
 * @throws Failure `usage` for an unknown field; `UndecidedFailure` if another list may have the field or the value
 */
const bindToSamples = ({ bind, samples }: Filter, first: readonly ParsedRecord[]): Where => {
  if (samples === 0) return bind()
  try {
    return bind(first.map(({ record }) => record))
  } catch (error) {
    const may = first.length === 0 || error instanceof UnseenValueFailure
    if (!(error instanceof Failure) || !may) throw error
    throw new UndecidedFailure(error.category, error.message, error.details)
  }
}

/**
 * Yields the matching records of a list.
 * @throws Failure `usage` before the first record, for a field that no record has
 */
export async function* filterList(batches: Batches, filter: Filter): Batches {
  const source = new RecordSource(batches, filter)
  try {
    const first = await readFirstRecords(source, filter.samples)
    const where = bindToSamples(filter, first)
    const yieldAll = async function* () {
      yield first
      for (let next = await source.readNext(); next !== undefined; next = await source.readNext())
        yield next
    }
    const reading = where.detail.length === 0 ? undefined : filter.reading
    const found =
      reading === undefined
        ? filterMatching(yieldAll(), where)
        : readEach(yieldAll(), where, reading)
    const hasMore = async (): Promise<boolean> => reading !== undefined || source.hasMore()
    return source.createEnd(yield* limitRecords(filter.limit, found, hasMore))
  } finally {
    await source.close()
  }
}

// A field that one of several lists does not show may exist in another.

export class FieldPresence {
  #unshown: UndecidedFailure | undefined
  #shown = false

  /** Records that a list knows the field and the value. */
  recordShown(): void {
    this.#shown = true
  }

  /**
   * Returns true if a failure is an `UndecidedFailure`, and remembers it: it counts only if no other list knows the
   * field.
   */
  canWaive(failure: unknown): boolean {
    if (!(failure instanceof UndecidedFailure)) return false
    this.#unshown = failure
    return true
  }

  /** @throws UndecidedFailure if none of the lists knows the field */
  check(): void {
    if (this.#unshown !== undefined && !this.#shown) throw this.#unshown
  }
}
