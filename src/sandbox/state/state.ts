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
import type { InstanceConfig } from './instance.js'
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
import { type Saved, Table } from './table.js'

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
