/** Builds the handlers that list, get, create, change and delete records of a kind, from its declaration. */
import type { Fields } from '../base/objects.js'
import type { Params } from '../catalogue/params.js'
import type { Call } from './call.js'
import { checkLimits, type NoParams, type ParamInput } from './check.js'
import { createLazyList, invalid, type LazyList, notFound } from './reply.js'
import { containsText, createDeclaredTests, type RecordKey, sortRecords } from './rules/filters.js'
import type { Table, TableRecords } from './state/state.js'

type Row<K extends keyof TableRecords> = TableRecords[K]
type NewRow<K extends keyof TableRecords> = Omit<Row<K>, 'id'>
type RowUpdate<K extends keyof TableRecords> = Partial<NewRow<K>>

export interface ProjectInput {
  readonly id: string | number
}

/** Predicates by filter name: each returns true if a record passes the filter with this value. */
type Tests<R, F> = {
  readonly [N in keyof F]?: (
    value: Exclude<F[N], undefined>,
    record: R,
    call: Call,
    input: F,
  ) => boolean
}

/** The records of a kind, and the attributes that identify a single one. */
interface Selection<R, P> {
  readonly table: keyof TableRecords
  /** The name of the kind in a 404. */
  readonly what?: string
  /** Returns true if a record belongs to a parent. If absent, a record belongs to the parent whose ID is its `project_id`. */
  readonly holds?: (record: R, parent: P) => boolean
  /** Lists the records of a parent, for kinds whose records alone do not show their parent. */
  readonly all?: (call: Call, parent: P) => readonly R[]
  /** Returns true if the acting user may see a record. */
  readonly sees?: (call: Call, record: R, parent: P) => boolean
  /** The attributes that the filter `search` searches. */
  readonly search?: readonly (keyof R & string)[]
  /** True if the case of identifying attributes is ignored. */
  readonly fold?: true
  /** The order of lists without `order_by`: the direction, unless `sort` names one, and the sort keys. Without it, they are in the order of IDs. */
  readonly order?: readonly [direction: 'asc' | 'desc', keys: (record: R) => readonly RecordKey[]]
  /** The sort keys for values of `order_by` that are not attributes. */
  readonly orders?: Readonly<
    Record<string, (record: R, call: Call, search: string) => readonly RecordKey[]>
  >
}

/**
 * The declaration of a kind. `At` is the input that names the parent of type `P`, and `N` the input that names a record. `F` has the
 * parameters for filters, `A` those of a new record, and `C` those of a change.
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
  /** Finds the parent. @throws Refusal if the acting user may not read the records in it */
  readonly parent: (call: Call, input: At) => P
  /** Finds the parent for a change, if other users may change records than read them. @throws Refusal if the acting user may not */
  readonly managed?: (call: Call, input: At) => P
  /** The input that names a record, and the attributes that it is compared with (`id` if absent). */
  readonly key: readonly [input: N, ...attributes: (keyof Row<K> & string)[]]
  readonly filters?: F
  /** Predicates for filters whose declaration does not determine which records pass. */
  readonly tests?: Tests<Row<K>, ParamInput<F>>
  readonly present: (call: Call, record: Row<K>, parent: P) => Shown
  /** Presents a record in a list, if lists show it in another form. */
  readonly presentListed?: (call: Call, record: Row<K>, parent: P, input: ParamInput<F>) => Listed
  readonly attributes?: A
  /** The parameters of a change. If absent, they are those of a new record, all of them optional. */
  readonly changes?: C
  /** True if a change without parameters is refused. */
  readonly some?: true
  /** Converts the parameters to attributes. `record` is the one to change. @throws Refusal if they are invalid */
  readonly accept?: (
    call: Call,
    given: Partial<ParamInput<A> & ParamInput<C>>,
    parent: P,
    record?: Row<K>,
  ) => RowUpdate<K>
  /** Returns the attributes of a new record for which no parameter was sent. */
  readonly defaults?: (call: Call, parent: P, accepted: RowUpdate<K>) => RowUpdate<K>
  /** Checks whether the acting user may change this record, besides the check of the parent. @throws Refusal if not */
  readonly refuse?: (call: Call, record: Row<K>, parent: P) => void
  /** Called before the attributes of a record are set. */
  readonly changing?: (call: Call, record: Row<K>, accepted: RowUpdate<K>, parent: P) => void
  /** Called after a record was created. */
  readonly created?: (call: Call, record: Row<K>, parent: P) => void
  /** Removes a record. If absent, the record is only removed from its table. */
  readonly remove?: (call: Call, record: Row<K>, parent: P) => void
}

const getField = (record: object, name: string): unknown => Reflect.get(record, name)

const getTableOf = <R extends { readonly id: number }>({ state }: Call, name: keyof TableRecords) =>
  state[name] as unknown as Table<R>

/** Creates the predicate for the records of a parent. */
const createParentTest = <R extends object, P extends object>(
  { holds }: Selection<R, P>,
  parent: P,
) => {
  if (holds !== undefined) return (row: R) => holds(row, parent)
  const id = getField(parent, 'id')
  return (row: R) => getField(row, 'project_id') === id
}

/** Finds the record that an input names. @throws Refusal 404 if there is none */
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
  const isHeld = createParentTest(kind, parent)
  const find = (): R | undefined => {
    if (attributes.length > 0) return table.find((row) => isNamed(row) && isHeld(row))
    // The lookup of an ID takes the same time for any number of records.
    const row = table.get(Number(wanted))
    return row !== undefined && isHeld(row) ? row : undefined
  }
  const record = kind.all === undefined ? find() : kind.all(call, parent).find(isNamed)
  if (record === undefined || kind.sees?.(call, record, parent) === false) throw notFound(kind.what)
  return record
}

type AnyInput = Readonly<Record<string, unknown>>
type AnyTests = Tests<object, AnyInput>

/** Lists the records of a parent that pass the filters, in the requested order. */
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
  const isHeld = createParentTest(kind, parent)
  const all = kind.all?.(call, parent)
  const passesTests = (row: R): boolean =>
    (all !== undefined || isHeld(row)) &&
    tests.every((passes) => passes(row)) &&
    containsText(search, places?.map((field) => row[field]) ?? [search]) &&
    sees?.(call, row, parent) !== false
  const rows = all?.filter(passesTests) ?? getTableOf<R>(call, kind.table).filter(passesTests)
  if (order_by === undefined)
    return kind.order === undefined ? rows : sortRecords(rows, kind.order[1], sort ?? kind.order[0])
  const keys = kind.orders?.[order_by] ?? ((row: R) => [getField(row, order_by) as RecordKey])
  return sortRecords(rows, (row) => keys(row, call, search ?? ''), sort ?? 'desc')
}

/** Returns the attributes that were sent: all but the inputs that name a record and its parent. */
const selectGiven = (input: unknown, places: readonly string[]): Fields =>
  Object.fromEntries(
    Object.entries(input as object).filter(
      ([name, value]) => value !== undefined && !places.includes(name),
    ),
  )

/** Checks that a change has at least one of the parameters, if any are known. @throws Refusal 400 if not */
export const requireSome = (params: Params, input: object): void => {
  const names = Object.keys(params)
  if (names.length > 0 && names.every((name) => getField(input, name) === undefined))
    throw invalid(`${names.join(', ')} are missing, at least one parameter must be provided`)
}

interface DatedRecord {
  readonly updated_at?: string
  readonly created_at?: string
}

/** Builds the handlers that list and get records of a kind. */
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
  /** Finds a record that the acting user may change. */
  const findManaged = (call: Call, at: P, input: Named): Row<K> => {
    const record = findRecord(call, kind, at, input)
    kind.refuse?.(call, record, at)
    return record
  }
  const listIn = (call: Call, at: P, input: ParamInput<F>): LazyList<Awaited<Listed>> => {
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

/** Builds the handlers that list, get, create, change and delete records of a kind. */
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
      const given = selectGiven(input, ['id'])
      checkLimits(kind.attributes ?? {}, given)
      const accepted = accept(call, given as Given, at)
      const row = { ...kind.defaults?.(call, at, accepted), ...selectGiven(accepted, []) }
      const record = getTableOf<Row<K>>(call, kind.table).add(row as NewRow<K>)
      kind.created?.(call, record, at)
      return present(call, record, at)
    },
    update: (call: Call, input: At & Named & Partial<ParamInput<C>>): Shown => {
      const at = managed(call, input)
      const record = findManaged(call, at, input)
      const { changes = kind.attributes ?? {}, some = false } = kind
      if (some) requireSome(changes, input)
      const given = selectGiven(input, ['id', kind.key[0]])
      checkLimits(changes, given)
      const accepted = accept(call, given as Given, at, record)
      kind.changing?.(call, record, accepted, at)
      const dated: object = { ...accepted, updated_at: call.clock.iso() }
      getTableOf<Row<K>>(call, kind.table).change(record.id, dated)
      return present(call, record, at)
    },
    delete: (call: Call, input: At & Named): undefined => {
      const at = managed(call, input)
      const record = findManaged(call, at, input)
      call.checkUnmodified(record as DatedRecord)
      if (kind.remove === undefined) getTableOf(call, kind.table).remove(record.id)
      else kind.remove(call, record, at)
    },
  }
}
