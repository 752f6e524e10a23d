/**
 * Declares a kind of record, and answers its list, a single record, and what changes it, by the declaration: for areas of
 * the catalogue, for resources beside the documents, and for those that are only known when the instance starts.
 */
import type { CheckedOf } from '../catalogue/endpoint.js'
import type { Params } from '../catalogue/params.js'
import type { Call } from './call.js'
import { createLazyList, invalid, type LazyList, notFound } from './reply.js'
import { createDeclaredTests, holdsText, type RecordKey, sortRecords } from './rules/filters.js'
import type { Table, TableRecords } from './state/state.js'

type NoParams = Readonly<Record<never, never>>
/** The checked values of these parameters. */
export type ParamInput<Ps> = CheckedOf<{ path: NoParams; params: Ps }>
type Row<K extends keyof TableRecords> = TableRecords[K]
type NewRow<K extends keyof TableRecords> = Omit<Row<K>, 'id'>
type RowUpdate<K extends keyof TableRecords> = Partial<NewRow<K>>

export interface ProjectInput {
  readonly id: string | number
}

/** Tests by the filter's name: true if a filter's value keeps a record. */
type Tests<R, F> = {
  readonly [N in keyof F]?: (
    value: Exclude<F[N], undefined>,
    record: R,
    call: Call,
    input: F,
  ) => boolean
}

/** The records of a kind, and how a single one is identified. */
interface Selection<R, P> {
  readonly table: keyof TableRecords
  /** The name that a 404 has for it. */
  readonly what?: string
  /** Returns true if a record belongs to a parent; unless given, records belong to the parent whose ID is their `project_id`. */
  readonly holds?: (record: R, parent: P) => boolean
  /** The records of a parent, where one record by itself does not tell. */
  readonly all?: (call: Call, parent: P) => readonly R[]
  /** Returns true if the acting user may see a record. */
  readonly sees?: (call: Call, record: R, parent: P) => boolean
  /** The attributes in which the filter `search` looks. */
  readonly search?: readonly (keyof R & string)[]
  /** The case of what names a record does not matter. */
  readonly fold?: true
  /** Orders by another value than the attribute that `order_by` names. */
  readonly orders?: Readonly<
    Record<string, (record: R, call: Call, search: string) => readonly RecordKey[]>
  >
}

/**
 * A kind of record. `At` is the input that says where a record belongs, `P` the parent that this names, `N` the input that
 * names a single record, `F` what its list is filtered by, `A` the attributes that a new one takes, `C` what a change takes.
 */
interface ResourceSpec<
  K extends keyof TableRecords,
  P extends object,
  At,
  N extends string,
  F extends Params,
  A extends Params,
  C extends Params,
  Shown,
  Listed,
> extends Selection<Row<K>, P> {
  readonly table: K
  /** Finds the parent. Refuses whoever may not look at the records in it. */
  readonly parent: (call: Call, input: At) => P
  /** Refuses whoever may not change them, where that is not the same. */
  readonly managed?: (call: Call, input: At) => P
  /** The input that names a single record, and the attributes it is compared with; `id` unless given. */
  readonly key: readonly [input: N, ...attributes: (keyof Row<K> & string)[]]
  readonly filters?: F
  /** Filters whose declaration does not tell what they leave in. */
  readonly tests?: Tests<Row<K>, ParamInput<F>>
  readonly present: (call: Call, record: Row<K>, parent: P) => Shown
  /** Shows a record of a list, where that is not the same. */
  readonly presentListed?: (call: Call, record: Row<K>, parent: P, input: ParamInput<F>) => Listed
  readonly attributes?: A
  /** The parameters of a change; unless given, the attributes of a new record, all of them optional then. */
  readonly changes?: C
  /** A change of nothing is refused. */
  readonly some?: true
  /** Makes the attributes of a record of what was given. Refuses what is wrong with it; `record` is the one that is changed. */
  readonly accept?: (
    call: Call,
    given: Partial<ParamInput<A> & ParamInput<C>>,
    parent: P,
    record?: Row<K>,
  ) => RowUpdate<K>
  /** The attributes of a new record that nothing was given for. */
  readonly defaults?: (call: Call, parent: P, accepted: RowUpdate<K>) => RowUpdate<K>
  /** Refuses whoever may not change this one of the records that they may change. */
  readonly refuse?: (call: Call, record: Row<K>, parent: P) => void
  /** Happens before attributes of a record are set. */
  readonly changing?: (call: Call, record: Row<K>, accepted: RowUpdate<K>, parent: P) => void
  /** Happens once a record was made. */
  readonly created?: (call: Call, record: Row<K>, parent: P) => void
  /** Removes a record, where more has to be done. */
  readonly remove?: (call: Call, record: Row<K>, parent: P) => void
}

const getField = (record: object, name: string): unknown => Reflect.get(record, name)

const getTableOf = <R extends { readonly id: number }>({ state }: Call, name: keyof TableRecords) =>
  state[name] as unknown as Table<R>

/** Creates the test whether a record belongs to a parent. */
const isHeldBy = <R extends object, P extends object>({ holds }: Selection<R, P>, parent: P) => {
  if (holds !== undefined) return (row: R) => holds(row, parent)
  const id = getField(parent, 'id')
  return (row: R) => getField(row, 'project_id') === id
}

/** Finds the record that an input names. Refuses with 404. */
const findRecord = <R extends { readonly id: number }, P extends object>(
  call: Call,
  kind: Selection<R, P> & { readonly key: readonly string[] },
  parent: P,
  input: object,
): R => {
  const [name = '', ...attributes] = kind.key
  const toText = (value: unknown) =>
    kind.fold === true ? String(value).toLowerCase() : String(value)
  const wanted = toText(getField(input, name))
  const compared = attributes.length === 0 ? ['id'] : attributes
  const isNamed = (row: R) =>
    compared.some((attribute) => toText(getField(row, attribute)) === wanted)
  const table = getTableOf<R>(call, kind.table)
  const isHeld = isHeldBy(kind, parent)
  const find = (): R | undefined => {
    if (attributes.length > 0) return table.find((row) => isNamed(row) && isHeld(row))
    // A record is found by its ID however many others there are.
    const row = table.get(Number(wanted))
    return row !== undefined && isHeld(row) ? row : undefined
  }
  const record = kind.all === undefined ? find() : kind.all(call, parent).find(isNamed)
  if (record === undefined || kind.sees?.(call, record, parent) === false) throw notFound(kind.what)
  return record
}

type AnyInput = Readonly<Record<string, unknown>>
type AnyTests = Tests<object, AnyInput>

/** Selects the records of a parent that the filters keep, in order. */
const selectRecords = <R extends { readonly id: number }, P extends object>(
  call: Call,
  kind: Selection<R, P> & { readonly filters?: Params; readonly tests?: object },
  parent: P,
  input: object,
): readonly R[] => {
  const { search, order_by, sort } = input as { search?: string; order_by?: string; sort?: 'asc' }
  const { filters = {}, search: places, sees } = kind
  const own = Object.entries((kind.tests ?? {}) as AnyTests).flatMap(([filter, test]) => {
    const value = getField(input, filter)
    return value === undefined ? [] : [(row: object) => test?.(value, row, call, input as AnyInput)]
  })
  const tests = [...createDeclaredTests(call.state, filters, input), ...own]
  const isHeld = isHeldBy(kind, parent)
  const all = kind.all?.(call, parent)
  const passing = (row: R): boolean =>
    (all !== undefined || isHeld(row)) &&
    tests.every((passes) => passes(row)) &&
    holdsText(search, places?.map((field) => row[field]) ?? [search]) &&
    sees?.(call, row, parent) !== false
  const rows = all?.filter(passing) ?? getTableOf<R>(call, kind.table).filter(passing)
  if (order_by === undefined) return rows
  const keys = kind.orders?.[order_by] ?? ((row: R) => [getField(row, order_by) as RecordKey])
  return sortRecords(rows, (row) => keys(row, call, search ?? ''), sort ?? 'desc')
}

/** Returns the given attributes: all except those that name a record and its parent. */
const getGiven = (input: unknown, places: readonly string[]): object =>
  Object.fromEntries(
    Object.entries(input as object).filter(
      ([name, value]) => value !== undefined && !places.includes(name),
    ),
  )

/** Refuses a change of nothing. */
export const requireSome = (params: Params, input: object): void => {
  const names = Object.keys(params)
  if (names.every((name) => getField(input, name) === undefined))
    throw invalid(`${names.join(', ')} are missing, at least one parameter must be provided`)
}

interface DatedRecord {
  readonly updated_at?: string
  readonly created_at?: string
}

/** Lists and shows records of a kind. */
const createReads = <
  K extends keyof TableRecords,
  P extends object,
  At,
  N extends string,
  F extends Params,
  A extends Params,
  C extends Params,
  Shown,
  Listed,
>(
  kind: ResourceSpec<K, P, At, N, F, A, C, Shown, Listed>,
) => {
  const { parent, managed = parent, present } = kind
  type Named = { readonly [I in N]: string | number }
  /** One that the acting user may change. */
  const findManaged = (call: Call, at: P, input: Named): Row<K> => {
    const record = findRecord(call, kind, at, input)
    kind.refuse?.(call, record, at)
    return record
  }
  const listIn = (call: Call, at: P, input: ParamInput<F>): LazyList<Listed> => {
    const show = kind.presentListed ?? (present as unknown as typeof kind.presentListed)
    return createLazyList(
      selectRecords<Row<K>, P>(call, kind, at, input),
      (row) => show?.(call, row, at, input) as Listed,
    )
  }
  return {
    findManaged,
    findIn: (call: Call, at: P, input: Named) => findRecord<Row<K>, P>(call, kind, at, input),
    managed: (call: Call, input: At & Named) => findManaged(call, managed(call, input), input),
    select: (call: Call, at: P, input: object) => selectRecords<Row<K>, P>(call, kind, at, input),
    listIn,
    list: (call: Call, input: At & ParamInput<F>) => listIn(call, parent(call, input), input),
    get: (call: Call, input: At & Named): Shown => {
      const at = parent(call, input)
      return present(call, findRecord(call, kind, at, input), at)
    },
  }
}

/** Lists, shows, makes, changes and deletes records of a kind. */
export const resource = <
  K extends keyof TableRecords,
  P extends object,
  At,
  N extends string,
  Shown,
  F extends Params = NoParams,
  A extends Params = NoParams,
  C extends Params = A,
  Listed = Shown,
>(
  kind: ResourceSpec<K, P, At, N, F, A, C, Shown, Listed>,
) => {
  type Named = { readonly [I in N]: string | number }
  type Given = Partial<ParamInput<A> & ParamInput<C>>
  const { parent, managed = parent, present, accept = (_, given) => given as object } = kind
  const { findManaged, ...reads } = createReads(kind)
  return {
    ...kind,
    ...reads,
    create: (call: Call, input: At & ParamInput<A>): Shown => {
      const at = managed(call, input)
      const accepted = accept(call, getGiven(input, ['id']) as Given, at)
      const row = { ...kind.defaults?.(call, at, accepted), ...getGiven(accepted, []) }
      const record = getTableOf<Row<K>>(call, kind.table).add(row as NewRow<K>)
      kind.created?.(call, record, at)
      return present(call, record, at)
    },
    update: (call: Call, input: At & Named & Partial<ParamInput<C>>): Shown => {
      const at = managed(call, input)
      const record = findManaged(call, at, input)
      const { changes = kind.attributes ?? {}, some = false } = kind
      if (some) requireSome(changes, input)
      const accepted = accept(call, getGiven(input, ['id', kind.key[0]]) as Given, at, record)
      kind.changing?.(call, record, accepted, at)
      const dated: object = { ...accepted, updated_at: call.clock.iso() }
      getTableOf<Row<K>>(call, kind.table).change(record.id, dated)
      return present(call, record, at)
    },
    delete: (call: Call, input: At & Named): undefined => {
      const at = managed(call, input)
      const record = findManaged(call, at, input)
      call.unmodified(record as DatedRecord)
      if (kind.remove === undefined) getTableOf(call, kind.table).remove(record.id)
      else kind.remove(call, record, at)
    },
  }
}
