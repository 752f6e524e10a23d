/** The whole state of the instance: a table a kind of record, and its settings. */
import type { Fields } from '../../base/objects.js'
import type {
  AgentRecord,
  JobRecord,
  PipelineRecord,
  ResourceGroupRecord,
  RunnerRecord,
} from './ci.js'
import type {
  AlertEndpointRecord,
  AlertRecord,
  ClientKeyRecord,
  DeclaredRecord,
  DependencyRecord,
  DeployKeyRecord,
  ErrorTrackingRecord,
  FindingRecord,
  GeoNodeRecord,
  IntegrationRecord,
  PagesDomainRecord,
  VulnerabilityRecord,
} from './features.js'
import type {
  EventRecord,
  GroupRecord,
  MemberRecord,
  ProjectRecord,
  ProtectedBranchRecord,
  ShareRecord,
  SnippetRecord,
  StorageMoveRecord,
  TokenRecord,
  UserRecord,
} from './people-and-projects.js'
import type {
  ApprovalRuleRecord,
  EpicRecord,
  IssueRecord,
  IterationRecord,
  LabelRecord,
  MergeRequestRecord,
  MilestoneRecord,
  NoteRecord,
  TodoRecord,
} from './planning.js'

// What the instance remembers about itself.

/** Switches of the instance itself; not application settings. */
interface InstanceConfig {
  readonly impersonation_enabled: boolean
  readonly registration_token: string
  /** The rule for the results of jobs that a runner takes: `pass` (unless given), `fail=<glob of names>`, or `hold`. */
  readonly jobs?: string
  /** Storage name → whether it is a clustered one. */
  readonly storages: Readonly<Record<string, { readonly cluster: boolean }>>
}

// A collection of records by ID.

interface SavedTable<T> {
  readonly next: number
  readonly rows: readonly T[]
}

/** The ID of a changed record, and the record as it is now; null where it was removed. */
type RowChange = readonly [id: number, record: object | null]

const none: readonly RowChange[] = []

/** Nothing inside of a value can be changed from here on, so that what was not noted did not happen. */
const freeze = (value: unknown): void => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const inner of Object.values(value)) freeze(inner)
}

/** A record is the same object as long as it exists, so that who holds one sees what it is now; only its table changes it. */
export class Table<T extends { readonly id: number }> {
  readonly #rows = new Map<number, T>()
  readonly #changed = new Set<number>()
  readonly #watched = new Set<number>()
  readonly #watches: (row: T) => boolean
  /** The watched records in order, until one of them comes or goes. */
  #inOrder: readonly T[] | undefined
  #next = 1

  /** @param watches whether the scheduler looks at a record: these are found however many others there are */
  constructor(
    { next, rows }: SavedTable<T> = { next: 1, rows: [] },
    watches = (_: T): boolean => false,
  ) {
    this.#watches = watches
    this.load({ next, rows })
  }

  #note(row: T): void {
    const watched = this.#watches(row)
    if (watched === this.#watched.has(row.id)) return
    if (watched) this.#watched.add(row.id)
    else this.#watched.delete(row.id)
    this.#inOrder = undefined
  }

  /** The records that the scheduler looks at, oldest ID first. */
  watched(): readonly T[] {
    this.#inOrder ??= [...this.#watched]
      .sort((a, b) => a - b)
      .flatMap((id) => this.#rows.get(id) ?? [])
    return this.#inOrder
  }

  get(id: number | null | undefined): T | undefined {
    return id === null || id === undefined ? undefined : this.#rows.get(id)
  }

  /** All records, oldest ID first. */
  all(): T[] {
    return [...this.#rows.values()]
  }

  find(test: (row: T) => boolean): T | undefined {
    for (const row of this.#rows.values()) if (test(row)) return row
    return undefined
  }

  filter(test: (row: T) => boolean): T[] {
    const found: T[] = []
    for (const row of this.#rows.values()) if (test(row)) found.push(row)
    return found
  }

  some(test: (row: T) => boolean): boolean {
    return this.find(test) !== undefined
  }

  get size(): number {
    return this.#rows.size
  }

  /** Adds a record under the next free ID, or under its own. IDs are never given twice. */
  add(row: Omit<T, 'id'> & { id?: number }): T {
    const id = row.id ?? this.#next
    const added = { ...row, id } as T
    this.put(id, added)
    Object.values(added).forEach(freeze)
    this.#changed.add(id)
    return added
  }

  /** Sets attributes of a record, but for undefined ones: the only way to change it. Nothing happens to one that is gone. */
  change(id: number, patch: Partial<Omit<T, 'id'>>): void {
    const row = this.#rows.get(id)
    if (row === undefined) return
    for (const [name, value] of Object.entries(patch)) {
      if (value === undefined) continue
      freeze(value)
      Reflect.set(row, name, value)
    }
    this.#note(row)
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

  /** Makes a record what a log says; it counts as no change. */
  put(id: number, record: T | null): void {
    this.#next = Math.max(this.#next, id + 1)
    if (record === null) {
      this.#rows.delete(id)
      this.#watched.delete(id)
    } else {
      this.#rows.set(id, record)
      this.#note(record)
    }
    this.#inOrder = undefined
  }

  /** Makes the table what was saved; it counts as no change. */
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

/** A table of one record, which is always there. */
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

export interface TableRecords {
  users: UserRecord
  tokens: TokenRecord
  groups: GroupRecord
  projects: ProjectRecord
  members: MemberRecord
  shares: ShareRecord
  protectedBranches: ProtectedBranchRecord
  snippets: SnippetRecord
  storageMoves: StorageMoveRecord
  events: EventRecord
  runners: RunnerRecord
  pipelines: PipelineRecord
  jobs: JobRecord
  agents: AgentRecord
  resourceGroups: ResourceGroupRecord
  milestones: MilestoneRecord
  labels: LabelRecord
  epics: EpicRecord
  iterations: IterationRecord
  issues: IssueRecord
  mergeRequests: MergeRequestRecord
  notes: NoteRecord
  todos: TodoRecord
  approvalRules: ApprovalRuleRecord
  deployKeys: DeployKeyRecord
  pagesDomains: PagesDomainRecord
  findings: FindingRecord
  vulnerabilities: VulnerabilityRecord
  dependencies: DependencyRecord
  integrations: IntegrationRecord
  alertEndpoints: AlertEndpointRecord
  alerts: AlertRecord
  errorTracking: ErrorTrackingRecord
  clientKeys: ClientKeyRecord
  geoNodes: GeoNodeRecord
  declared: DeclaredRecord
}

type Tables = { readonly [K in keyof TableRecords]: Table<TableRecords[K]> }

export interface State extends Tables {
  /** Application settings by attribute. */
  readonly settings: SingletonTable<Readonly<Record<string, unknown>>>
  readonly config: SingletonTable<InstanceConfig>
}

export type SavedState = { readonly [K in keyof TableRecords]: SavedTable<TableRecords[K]> } & {
  readonly settings: Readonly<Record<string, unknown>>
  readonly config: InstanceConfig
}

/** The names of all tables, in the order they are saved. */
export const tableNames: readonly (keyof TableRecords)[] = [
  'users',
  'tokens',
  'groups',
  'projects',
  'members',
  'shares',
  'protectedBranches',
  'snippets',
  'storageMoves',
  'events',
  'runners',
  'pipelines',
  'jobs',
  'agents',
  'resourceGroups',
  'milestones',
  'labels',
  'epics',
  'iterations',
  'issues',
  'mergeRequests',
  'notes',
  'todos',
  'approvalRules',
  'deployKeys',
  'pagesDomains',
  'findings',
  'vulnerabilities',
  'dependencies',
  'integrations',
  'alertEndpoints',
  'alerts',
  'errorTracking',
  'clientKeys',
  'geoNodes',
  'declared',
]

/** The records that the scheduler looks at before and after each request. */
const watches: { readonly [K in keyof TableRecords]?: (record: TableRecords[K]) => boolean } = {
  jobs: ({ status }) => status === 'created' || status === 'pending' || status === 'running',
  mergeRequests: ({ rebase_started_at, merge_when_pipeline_succeeds }) =>
    rebase_started_at !== null || merge_when_pipeline_succeeds,
  // Only these take sample jobs.
  runners: ({ updated_at }) => updated_at !== undefined,
}

/** Tables from what was saved; a table that an older state lacks starts empty. */
export const restore = (saved: Partial<SavedState> & Pick<SavedState, 'config'>): State => {
  const tables = Object.fromEntries(
    tableNames.map((name) => [
      name,
      new Table(
        saved[name] as SavedTable<never> | undefined,
        watches[name] as (row: never) => boolean,
      ),
    ]),
  ) as unknown as Tables
  return {
    ...tables,
    settings: new SingletonTable(saved.settings ?? {}),
    config: new SingletonTable(saved.config),
  }
}

/** Any table, looked at from outside. */
interface AnyTable {
  all(): (Fields & { readonly id: number })[]
  remove(id: number): void
  add(row: object): Fields & { readonly id: number }
  get(id: number): Fields | undefined
}

/** A table by its name, whatever its records are. */
export const getTable = (state: State, name: keyof TableRecords): AnyTable =>
  state[name] as unknown as AnyTable

/** A record that changed: its table, its ID, and what it is now. */
export type StateChange = readonly [table: string, ...RowChange]

/** Returns the changes of a state since the last call. */
export const takeChanges = (state: State): readonly StateChange[] => {
  const changes: StateChange[] = []
  for (const [name, table] of Object.entries(state))
    for (const [id, record] of table.takeChanges()) changes.push([name, id, record])
  return changes
}
