/** The whole state of the instance: a table a kind of record, and its settings. */
import type {
  AgentRecord,
  JobRecord,
  PipelineRecord,
  ResourceGroupRecord,
  RunnerRecord,
} from './ci.js'
import type { DeployKeyRecord } from './deploy-keys.js'
import type { GeoNodeRecord } from './geo.js'
import type { IntegrationRecord } from './integrations.js'
import type {
  AlertEndpointRecord,
  AlertRecord,
  ClientKeyRecord,
  ErrorTrackingRecord,
} from './monitoring.js'
import type { PagesDomainRecord } from './pages-domains.js'
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
import type { DependencyRecord, FindingRecord, VulnerabilityRecord } from './security.js'

// What the instance remembers about itself.

/** Switches of the instance itself; not application settings. */
interface InstanceConfig {
  version: string
  revision: string
  impersonation_enabled: boolean
  registration_token: string
  /** How jobs end that a runner takes: `pass` (unless given), `fail=<glob of names>`, or `hold`. */
  jobs?: string
  /** Storage name → whether it is a clustered one. */
  storages: Record<string, { cluster: boolean }>
}

// A collection of records by ID.

interface Saved<T> {
  next: number
  rows: T[]
}

class Table<T extends { id: number }> {
  #rows: Map<number, T>
  #next: number

  constructor(saved: Saved<T> = { next: 1, rows: [] }) {
    this.#rows = new Map(saved.rows.map((row) => [row.id, row]))
    this.#next = saved.next
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
    this.#next = Math.max(this.#next, id + 1)
    this.#rows.set(id, added)
    return added
  }

  remove(id: number): boolean {
    return this.#rows.delete(id)
  }

  toJSON(): Saved<T> {
    return { next: this.#next, rows: this.all() }
  }
}

interface Records {
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
}

type Tables = { readonly [K in keyof Records]: Table<Records[K]> }

export interface State extends Tables {
  /** Application settings by attribute. */
  settings: Record<string, unknown>
  config: InstanceConfig
}

export type SavedState = { [K in keyof Records]: Saved<Records[K]> } & {
  settings: Record<string, unknown>
  config: InstanceConfig
}

/** The names of all tables, in the order they are saved. */
export const tableNames: readonly (keyof Records)[] = [
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
]

/** Tables from what was saved; a table that an older state lacks starts empty. */
export const restore = (saved: Partial<SavedState> & Pick<SavedState, 'config'>): State => {
  const tables = Object.fromEntries(
    tableNames.map((name) => [name, new Table(saved[name] as Saved<{ id: number }> | undefined)]),
  ) as unknown as Tables
  return { ...tables, settings: saved.settings ?? {}, config: saved.config }
}
