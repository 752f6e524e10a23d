/** The single records behind those of a list, which may show more, and the stage that tests them or what the list has. */

import { parseBytes } from '../../base/json/records.js'
import type { JsonValues } from '../../base/objects.js'
import { type Endpoint, getMethod } from '../../catalogue/endpoint.js'
import { getKindByName } from '../../catalogue/kinds.js'
import { getOwnField } from '../../catalogue/pick.js'
import { mapDottedName } from '../../catalogue/words.js'
import { Failure } from '../../errors.js'
import type { Ask, Batch, ListEnd } from '../../http/types.js'
import { findSingleCommand, getScope } from '../command/derive.js'
import type { Globals } from '../command/globals.js'
import type { Command, Given } from '../command/types.js'
import { readObjects } from '../plan/objects.js'
import { getPipedObject } from '../plan/stdin/rows.js'
import { UnseenValueFailure, type Where } from '../where/index.js'
import { findFieldKind } from '../where/shape.js'
import { run } from '../work/run.js'
import { type AnswerContext, KnownFields } from './known-fields.js'

// Fields of `--fields` and `--sort` that only the single record has.

type FieldFlags = Pick<Globals, 'fields' | 'sort'>

/** The fields that are asked for of single records, and the endpoint that reads them. */
export interface SingleFields {
  readonly endpoint: Endpoint
  /** Of `--fields`, as they were given. */
  readonly shown: readonly string[]
  /** Of `--sort`, without their direction. */
  readonly sorted: readonly string[]
}

/** Finds the fields that only single records have; undefined if the list has all that is asked for, or the area reads no single ones. */
export const getSingleFields = async (
  { command, emit, words }: AnswerContext,
  { fields = [], sort = [] }: FieldFlags,
): Promise<SingleFields | undefined> => {
  const { endpoint } = emit
  if (endpoint === undefined) return undefined
  const known = new KnownFields({ command, emit, words })
  const { targetColumns = [] } = command
  const strange = (names: readonly string[]) =>
    names.filter((name) => !known.has(name)).map((name) => getOwnField(name, targetColumns))
  const asked = {
    shown: strange(fields),
    sorted: strange(sort.map((text) => text.replace(/^-/, ''))),
  }
  if (asked.shown.length + asked.sorted.length === 0) return undefined
  const single = await createSingleReader(command, { endpoint, values: {} })
  if (single === undefined) return undefined
  const has = (field: string): boolean =>
    [field, words === undefined ? field : mapDottedName(field, words.neutral)].some(
      (name) => findFieldKind(single.endpoint.returns.shape, name) !== undefined,
    )
  const found = { shown: asked.shown.filter(has), sorted: asked.sorted.filter(has) }
  return found.shown.length + found.sorted.length === 0
    ? undefined
    : { endpoint: single.endpoint, ...found }
}

export interface SingleRecord {
  readonly command: Command
  readonly endpoint: Endpoint
  /** Returns the name of a record of the list. */
  readonly textOf: (record: unknown) => string
  /** Returns the arguments and flags by which a record is read. */
  readonly given: (record: unknown) => Given
}

/** True if an endpoint reads the objects of a list, wherever they belong. */
const reads = (endpoint: Endpoint, { endpoint: list }: Ask): boolean => {
  if (getMethod(endpoint) !== 'GET' || endpoint.returns.kind !== 'one') return false
  const holder = getScope(endpoint)
  const carried = getKindByName(list.lists)?.mark !== undefined
  return holder === undefined || carried || holder.kind === getScope(list)?.kind
}

/** Returns the scope of a list, as flags say it. */
const getScopeFlags = ({ endpoint, values }: Ask): JsonValues => {
  const scope = getScope(endpoint)
  const value = scope === undefined ? undefined : values[scope.placeholder]
  return scope === undefined || value === undefined ? {} : { [scope.kind]: value }
}

/** Finds how the records of a list are read one by one; undefined if the area cannot read them. */
export const createSingleReader = async (
  { registry, area, words, naming }: Pick<Command, 'registry' | 'area' | 'words' | 'naming'>,
  list: Ask,
): Promise<SingleRecord | undefined> => {
  if (!/(^| )list$/.test(words) || list.endpoint.lists === undefined) return undefined
  const command = await findSingleCommand({ registry, area, words })
  const endpoint = Object.values(command?.endpoints ?? {}).find((one) => reads(one, list))
  const argument = command?.args[0]
  if (command === undefined || endpoint === undefined) return undefined
  if (argument?.param?.completes !== list.endpoint.lists) return undefined
  const objects = await readObjects(argument, naming)
  // What belongs to no project is found by its ID alone.
  const scope =
    getScope(endpoint)?.kind === getScope(list.endpoint)?.kind ? getScopeFlags(list) : {}
  const project = scope.project === undefined ? undefined : String(scope.project)
  const textOf = (record: unknown): string => getPipedObject(record, objects, project)
  return {
    command,
    endpoint,
    textOf,
    given: (record) => ({ args: [textOf(record)], flags: scope, extra: {} }),
  }
}

// The stage of a list that lets only matching records through, each as the bytes that came.

type Batches = AsyncGenerator<Batch, ListEnd>

/** Reads single records, where the list does not show all that is asked for. */
export interface SingleReads {
  readonly width: number
  readonly signal: AbortSignal
  /** Returns the name of a record of the list. */
  readonly textOf: (record: unknown) => string
  /** Reads the single record. */
  readonly read: (record: unknown) => Promise<unknown>
  /** Takes each record that could not be read: whether it matches is not known. */
  readonly failed: (text: string, failure: Failure) => void
}

interface Filter {
  /** Tests that know the fields, or that see the first records for those of which no shape knows. */
  readonly bind: (samples?: readonly unknown[]) => Where
  /** The number of records that are looked at before the tests are made; none if the shapes know all. */
  readonly samples: number
  readonly limit: number | undefined
  readonly reading?: SingleReads
}

/** The failure of a list that does not show whether a field or a value exists: the lists of other parents may. */
class UndecidedFailure extends Failure {}

interface ParsedRecord {
  readonly bytes: Uint8Array
  readonly record: unknown
}

const parseBatch = (batch: Batch): readonly ParsedRecord[] =>
  batch.map((bytes) => ({ bytes, record: parseBytes(bytes) }))

/** A list that is read here and there, and still tells how it ended. */
class Source {
  #end: ListEnd | undefined
  readonly #batches: Batches

  constructor(batches: Batches) {
    this.#batches = batches
  }

  /** The next records; undefined at the end. */
  async next(): Promise<readonly ParsedRecord[] | undefined> {
    if (this.#end !== undefined) return undefined
    const step = await this.#batches.next()
    if (step.done !== true) return parseBatch(step.value)
    this.#end = step.value
    return undefined
  }

  /** Returns true if records may be left, known or not. */
  async more(): Promise<boolean> {
    const next = await this.next()
    return next !== undefined || this.#end?.more === true
  }

  /** The list's end, where there is more on pages that were not asked for. */
  ended({ records, more }: ListEnd): ListEnd {
    return { records, more: more || this.#end?.more === true }
  }

  async leave(): Promise<void> {
    if (this.#end === undefined) await this.#batches.return({ records: 0, more: true })
  }
}

/** Reads the first records, as many as are looked at. */
const readFirstRecords = async (
  source: Source,
  count: number,
): Promise<readonly ParsedRecord[]> => {
  const found: ParsedRecord[] = []
  while (found.length < count) {
    const next = await source.next()
    if (next === undefined) break
    found.push(...next)
  }
  return found
}

/** Yields the records whose single record matches, in their order; several are read at once. */
async function* readEach(
  seen: AsyncIterable<readonly ParsedRecord[]>,
  { matches, mayMatch }: Where,
  { width, signal, textOf, read, failed }: SingleReads,
): AsyncGenerator<readonly ParsedRecord[]> {
  const open = new Map<number, ParsedRecord>()
  const items = async function* () {
    let n = 0
    for await (const some of seen)
      for (const one of some)
        if (mayMatch(one.record)) {
          open.set(++n, one)
          yield { n, object: textOf(one.record) }
        }
  }
  const reads = run<boolean>({
    items: items(),
    gate: { width },
    signal,
    work: async ({ n }) => {
      const whole = await read(open.get(n)?.record)
      return { state: 'done', result: matches(whole) }
    },
  })
  for await (const { item, outcome } of reads) {
    const one = open.get(item.n)
    open.delete(item.n)
    if ('failure' in outcome) failed(item.object, outcome.failure)
    else if (outcome.result === true && one !== undefined) yield [one]
  }
  const { end, cause } = await reads.report
  if (end === 'interrupted') throw new Failure('interrupted', 'interrupted')
  if (cause !== undefined) throw cause
}

async function* filterMatching(
  seen: AsyncIterable<readonly ParsedRecord[]>,
  { matches }: Where,
): AsyncGenerator<readonly ParsedRecord[]> {
  for await (const some of seen) yield some.filter(({ record }) => matches(record))
}

/** Yields the first records, at most `limit` of them. `more` is called once that many were given. */
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

/** @throws Failure `usage`, `UndecidedFailure` where other lists may show the field or the value */
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
 * @throws Failure `usage` before the first record, for a field that none has
 */
export async function* filterList(batches: Batches, filter: Filter): Batches {
  const source = new Source(batches)
  try {
    const first = await readFirstRecords(source, filter.samples)
    const where = bindToSamples(filter, first)
    const all = async function* () {
      yield first
      for (let next = await source.next(); next !== undefined; next = await source.next())
        yield next
    }
    const { reading } = filter
    if (reading === undefined || where.detail.length === 0)
      return source.ended(
        yield* limitRecords(filter.limit, filterMatching(all(), where), () => source.more()),
      )
    return source.ended(
      yield* limitRecords(filter.limit, readEach(all(), where, reading), async () => true),
    )
  } finally {
    await source.leave()
  }
}

// Fields and values that lists of several parents are asked for: where one does not show them, another's records may.

export class FieldPresence {
  #unshown: UndecidedFailure | undefined
  #shown = false

  /** A list came to its end, and knew the field and the value. */
  shown(): void {
    this.#shown = true
  }

  /** Returns true for the failure of a list that does not show a field or a value: it counts only if no other list does. */
  waives(failure: unknown): boolean {
    if (!(failure instanceof UndecidedFailure)) return false
    this.#unshown = failure
    return true
  }

  /** @throws UndecidedFailure where none of the lists knew it */
  check(): void {
    if (this.#unshown !== undefined && !this.#shown) throw this.#unshown
  }
}
