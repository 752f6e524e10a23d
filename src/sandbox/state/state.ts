/** Provides the state of the embedded instance: tables of records that note their changes, and the settings. */
import type { Fields } from '../../base/objects.js'
import type * as ci from './ci.js'
import type * as features from './features.js'
import type * as people from './people-and-projects.js'
import type * as planning from './planning.js'

/** The options of the embedded instance itself, which are not application settings. */
interface InstanceConfig {
  readonly impersonation_enabled: boolean
  readonly registration_token: string
  /** The rule for the results of jobs that a runner takes: `pass` (if absent), `fail=<glob of names>`, or `hold`. */
  readonly jobs?: string
  /** Maps the name of a storage to whether it is a cluster. */
  readonly storages: Readonly<Record<string, { readonly cluster: boolean }>>
}

interface SavedTable<T> {
  readonly next: number
  readonly rows: readonly T[]
}

/** The ID of a changed record, and its current content; null if it was removed. */
type RowChange = readonly [id: number, record: object | null]

const none: readonly RowChange[] = []

/** Makes a value immutable at any depth, so that only its table can change it and every change is noted. */
const freeze = (value: unknown): void => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const inner of Object.values(value)) freeze(inner)
}

/** The values of attributes that select records, or a predicate. */
type Selector<T> = Partial<T> | ((row: T) => boolean)

const toPredicate = <T extends object>(selector: Selector<T>): ((row: T) => boolean) => {
  if (typeof selector === 'function') return selector
  const wanted = Object.entries(selector)
  return (row) => wanted.every(([name, value]) => Reflect.get(row, name) === value)
}

/** A table of records. A record stays the same object while it exists, so that references to it show its current attributes. */
export class Table<T extends { readonly id: number }> {
  readonly #rows = new Map<number, T>()
  readonly #changed = new Set<number>()
  readonly #watched = new Set<number>()
  readonly #watches: (row: T) => boolean
  /** The watched records, sorted by ID; undefined after one was added or removed. */
  #inOrder: readonly T[] | undefined
  #next = 1

  /** @param watches returns true for a record that the scheduler reads. The table finds these without a search. */
  constructor(
    { next, rows }: SavedTable<T> = { next: 1, rows: [] },
    watches = (_: T): boolean => false,
  ) {
    this.#watches = watches
    this.load({ next, rows })
  }

  #noteChange(row: T): void {
    const watched = this.#watches(row)
    if (watched === this.#watched.has(row.id)) return
    if (watched) this.#watched.add(row.id)
    else this.#watched.delete(row.id)
    this.#inOrder = undefined
  }

  /** Returns the records that the scheduler reads, lowest ID first. */
  watched(): readonly T[] {
    this.#inOrder ??= [...this.#watched]
      .sort((a, b) => a - b)
      .flatMap((id) => this.#rows.get(id) ?? [])
    return this.#inOrder
  }

  get(id: number | null | undefined): T | undefined {
    return id === null || id === undefined ? undefined : this.#rows.get(id)
  }

  /** Returns all records, lowest ID first. */
  all(): T[] {
    return [...this.#rows.values()]
  }

  find(selector: Selector<T>): T | undefined {
    const test = toPredicate(selector)
    for (const row of this.#rows.values()) if (test(row)) return row
    return undefined
  }

  filter(selector: Selector<T>): T[] {
    const test = toPredicate(selector)
    const found: T[] = []
    for (const row of this.#rows.values()) if (test(row)) found.push(row)
    return found
  }

  some(selector: Selector<T>): boolean {
    return this.find(selector) !== undefined
  }

  get size(): number {
    return this.#rows.size
  }

  /** Adds a record with its own ID, or with the next one. The table never reuses an ID. */
  add(row: Omit<T, 'id'> & { id?: number }): T {
    const id = row.id ?? this.#next
    const added = { ...row, id } as T
    this.put(id, added)
    Object.values(added).forEach(freeze)
    this.#changed.add(id)
    return added
  }

  /** Sets attributes of a record, except undefined ones. Does nothing if the record does not exist. */
  change(id: number, patch: Partial<Omit<T, 'id'>>): void {
    const row = this.#rows.get(id)
    if (row === undefined) return
    for (const [name, value] of Object.entries(patch)) {
      if (value === undefined) continue
      freeze(value)
      Reflect.set(row, name, value)
    }
    this.#noteChange(row)
    this.#changed.add(id)
  }

  remove(id: number): void {
    if (!this.#rows.has(id)) return
    this.put(id, null)
    this.#changed.add(id)
  }

  /** Returns the changes since the last call. */
  takeChanges(): readonly RowChange[] {
    if (this.#changed.size === 0) return none
    const changed = [...this.#changed].map((id) => [id, this.#rows.get(id) ?? null] as const)
    this.#changed.clear()
    return changed
  }

  /** Sets a record from the log, without noting a change. */
  put(id: number, record: T | null): void {
    this.#next = Math.max(this.#next, id + 1)
    if (record === null) {
      this.#rows.delete(id)
      this.#watched.delete(id)
    } else {
      this.#rows.set(id, record)
      this.#noteChange(record)
    }
    this.#inOrder = undefined
  }

  /** Replaces all records by saved ones, without noting a change. */
  load({ next, rows }: SavedTable<T> = { next: 1, rows: [] }): void {
    this.#rows.clear()
    this.#changed.clear()
    this.#watched.clear()
    this.#inOrder = undefined
    for (const row of rows) this.put(row.id, row)
    this.#next = next
  }

  toJSON(): SavedTable<T> {
    return { next: this.#next, rows: this.all() }
  }
}

/** A table with exactly one record. */
class SingletonTable<T extends object> {
  #value: T
  #changed = false

  constructor(value: T) {
    this.#value = value
  }

  get value(): T {
    return this.#value
  }

  change(patch: Partial<T>): void {
    this.#value = { ...this.#value, ...patch }
    this.#changed = true
  }

  takeChanges(): readonly RowChange[] {
    if (!this.#changed) return none
    this.#changed = false
    return [[0, this.#value]]
  }

  put(_id: number, value: T | null): void {
    if (value !== null) this.#value = value
  }

  load(value: T): void {
    this.#value = value
    this.#changed = false
  }

  toJSON(): T {
    return this.#value
  }
}

/** Creates the function that restores a table. @param watches returns true for a record that the scheduler reads */
const defineTable =
  <T extends { readonly id: number }>(watches?: (record: T) => boolean) =>
  (saved: SavedTable<T> | undefined): Table<T> =>
    new Table(saved, watches)

/** All tables, in the order in which they are saved and refer to each other. */
const tables = {
  users: defineTable<people.UserRecord>(),
  tokens: defineTable<people.TokenRecord>(),
  groups: defineTable<people.GroupRecord>(),
  projects: defineTable<people.ProjectRecord>(),
  members: defineTable<people.MemberRecord>(),
  shares: defineTable<people.ShareRecord>(),
  protectedBranches: defineTable<people.ProtectedBranchRecord>(),
  snippets: defineTable<people.SnippetRecord>(),
  storageMoves: defineTable<people.StorageMoveRecord>(),
  events: defineTable<people.EventRecord>(),
  // Among the runners, only a changed one takes sample jobs.
  runners: defineTable<ci.RunnerRecord>(({ updated_at }) => updated_at !== undefined),
  pipelines: defineTable<ci.PipelineRecord>(),
  jobs: defineTable<ci.JobRecord>(({ status }) =>
    ['created', 'pending', 'running'].includes(status),
  ),
  agents: defineTable<ci.AgentRecord>(),
  resourceGroups: defineTable<ci.ResourceGroupRecord>(),
  milestones: defineTable<planning.MilestoneRecord>(),
  labels: defineTable<planning.LabelRecord>(),
  epics: defineTable<planning.EpicRecord>(),
  iterations: defineTable<planning.IterationRecord>(),
  issues: defineTable<planning.IssueRecord>(),
  mergeRequests: defineTable<planning.MergeRequestRecord>(
    ({ rebase_started_at, merge_when_pipeline_succeeds }) =>
      rebase_started_at !== null || merge_when_pipeline_succeeds,
  ),
  notes: defineTable<planning.NoteRecord>(),
  todos: defineTable<planning.TodoRecord>(),
  approvalRules: defineTable<planning.ApprovalRuleRecord>(),
  deployKeys: defineTable<features.DeployKeyRecord>(),
  pagesDomains: defineTable<features.PagesDomainRecord>(),
  findings: defineTable<features.FindingRecord>(),
  vulnerabilities: defineTable<features.VulnerabilityRecord>(),
  dependencies: defineTable<features.DependencyRecord>(),
  integrations: defineTable<features.IntegrationRecord>(),
  alertEndpoints: defineTable<features.AlertEndpointRecord>(),
  alerts: defineTable<features.AlertRecord>(),
  errorTracking: defineTable<features.ErrorTrackingRecord>(),
  clientKeys: defineTable<features.ClientKeyRecord>(),
  geoNodes: defineTable<features.GeoNodeRecord>(),
  declared: defineTable<features.DeclaredRecord>(),
}

export type TableRecords = {
  [K in keyof typeof tables]: ReturnType<(typeof tables)[K]> extends Table<infer R> ? R : never
}
export const tableNames = Object.keys(tables) as (keyof TableRecords)[]

type Tables = { readonly [K in keyof TableRecords]: Table<TableRecords[K]> }

export interface State extends Tables {
  /** The application settings, by attribute. */
  readonly settings: SingletonTable<Readonly<Record<string, unknown>>>
  readonly config: SingletonTable<InstanceConfig>
}

export type SavedState = { readonly [K in keyof TableRecords]: SavedTable<TableRecords[K]> } & {
  readonly settings: Readonly<Record<string, unknown>>
  readonly config: InstanceConfig
}

/** Restores the tables from a saved state. A table that an older state lacks is empty. */
export const restore = (saved: Partial<SavedState> & Pick<SavedState, 'config'>): State => {
  const restored = tableNames.map((name) => [name, tables[name](saved[name] as never)] as const)
  return {
    ...(Object.fromEntries(restored) as unknown as Tables),
    settings: new SingletonTable(saved.settings ?? {}),
    config: new SingletonTable(saved.config),
  }
}

/** A table without the type of its records. */
interface AnyTable {
  all(): (Fields & { readonly id: number })[]
  remove(id: number): void
  add(row: object): Fields & { readonly id: number }
  get(id: number): Fields | undefined
  change(id: number, patch: Fields): void
}

/** Returns a table by its name, without the type of its records. */
export const getTable = (state: State, name: keyof TableRecords): AnyTable =>
  state[name] as unknown as AnyTable

/** A changed record: its table, its ID, and its current content (null if it was removed). */
export type StateChange = readonly [table: string, ...RowChange]

/** Returns the changes in all tables since the last call. */
export const takeChanges = (state: State): readonly StateChange[] => {
  const changes: StateChange[] = []
  for (const [name, table] of Object.entries(state))
    for (const [id, record] of table.takeChanges()) changes.push([name, id, record])
  return changes
}
