/** What the instance remembers about runners, pipelines, jobs and resource groups. */
import type { ArtifactPlan, When } from '../ci-lint/index.js'

type RunnerType = 'instance_type' | 'group_type' | 'project_type'

export interface RunnerRecord {
  id: number
  /** Once it has been changed. */
  updated_at?: string
  description: string
  ip_address: string
  active: boolean
  runner_type: RunnerType
  name: string | null
  /** null when it never connected. */
  online: boolean | null
  architecture: string | null
  platform: string | null
  revision: string | null
  version: string | null
  contacted_at: string | null
  tag_list: string[]
  access_level: 'not_protected' | 'ref_protected'
  maximum_timeout: number | null
  run_untagged: boolean
  locked: boolean
  project_ids: number[]
  group_ids: number[]
  /** How many jobs it runs at once; 1 unless given. */
  concurrent?: number
  token: string
  created_at: string
}

/** The commit a pipeline ran for, as jobs show it. */
export interface CommitCard {
  id: string
  short_id: string
  title: string
  message: string
  author_name: string
  author_email: string
  created_at: string
}

export interface PipelineRecord {
  id: number
  project_id: number
  ref: string
  tag: boolean
  sha: string
  before_sha: string
  status: string
  /** Why its configuration is refused. */
  yaml_errors?: string | undefined
  source: string
  user_id: number
  /** A child pipeline's parent. */
  parent_id: number | null
  created_at: string
  updated_at: string
  started_at: string | null
  finished_at: string | null
  commit: CommitCard
}

export type JobStatus =
  | 'created'
  | 'pending'
  | 'running'
  | 'failed'
  | 'success'
  | 'canceled'
  | 'skipped'
  | 'manual'

export interface ArtifactEntry {
  /** The path inside the archive. */
  path: string
  content: string
  encoding: 'text' | 'base64'
}

/** How a job goes: only jobs that have one move by themselves. */
export interface JobCourse {
  /** The place of its stage among all stages. */
  place: number
  /** IDs of the jobs that it waits for; absent where it waits for the stages before. */
  needs?: number[] | undefined
  when: When
  /** Seconds that a delayed job waits once its turn has come, and when that was. */
  start_in?: number | undefined
  ready_at?: string
  resource_group?: string | undefined
  artifacts?: ArtifactPlan | undefined
  /** Since a runner took it: how many seconds it runs, and how it ends; `hold` runs on. */
  seconds?: number
  end?: 'success' | 'failed' | 'hold'
}

export interface JobRecord {
  id: number
  /** Once it has been changed. */
  updated_at?: string
  project_id: number
  pipeline_id: number
  kind: 'build' | 'bridge'
  name: string
  stage: string
  status: JobStatus
  allow_failure: boolean
  coverage: number | null
  created_at: string
  started_at: string | null
  finished_at: string | null
  tag_list: string[]
  runner_id: number | null
  user_id: number | null
  /** Sample jobs have none. */
  course?: JobCourse
  /** When its runner was paused: it runs to its end from then on. */
  ending_since?: string
  /** A later job of the same name took its place. */
  retried: boolean
  /** Bridges only. */
  downstream_pipeline_id: number | null
  /** What the archive holds; null when the job left none or it was deleted. */
  archive: ArtifactEntry[] | null
  /** Names of JUnit reports beside the archive. */
  reports: { file_type: string; filename: string; file_format: string; size: number }[]
  trace_size: number
  artifacts_expire_at: string | null
  /** The value of CI_JOB_TOKEN; works while the job runs. */
  token: string
}

export interface AgentRecord {
  id: number
  name: string
  config_project_id: number
  /** Projects whose jobs may use it. */
  project_ids: number[]
}

export interface ResourceGroupRecord {
  id: number
  project_id: number
  key: string
  process_mode: 'unordered' | 'oldest_first' | 'newest_first'
  created_at: string
  updated_at: string
}
