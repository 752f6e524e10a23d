/** The stored records of runners, pipelines, jobs and resource groups. */
import type { ResourceGroup } from '../../catalogue/areas/resource-groups.js'
import type { Runner } from '../../catalogue/areas/runners.js'
import type { Job, jobStates } from '../../catalogue/shapes/job.js'
import type { ArtifactPlan, JobCondition } from '../ci-lint/index.js'
import type { StoredRecord } from './stored.js'

export type RunnerRecord = StoredRecord<
  typeof Runner,
  {
    readonly runner_type: 'instance_type' | 'group_type' | 'project_type'
    readonly access_level: 'not_protected' | 'ref_protected'
    readonly tag_list: readonly string[]
    /** It follows from the others. */
    readonly status?: never
    /** Once it has been changed. */
    readonly updated_at?: string
    readonly project_ids: readonly number[]
    readonly group_ids: readonly number[]
    /** The number of jobs that it runs at once; 1 unless given. */
    readonly concurrent?: number
    readonly token: string
    readonly created_at: string
  }
>

/** The commit a pipeline ran for, as jobs show it. */
export interface CommitHeader {
  readonly id: string
  readonly short_id: string
  readonly title: string
  readonly message: string
  readonly author_name: string
  readonly author_email: string
  readonly created_at: string
}

export interface PipelineRecord {
  readonly id: number
  readonly project_id: number
  readonly ref: string
  readonly tag: boolean
  readonly sha: string
  readonly before_sha: string
  readonly status: string
  /** Why its configuration is refused. */
  readonly yaml_errors?: string | undefined
  readonly source: string
  readonly user_id: number
  /** A child pipeline's parent. */
  readonly parent_id: number | null
  readonly created_at: string
  readonly updated_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly commit: CommitHeader
}

export type JobStatus = (typeof jobStates)[number]

export interface ArtifactEntry {
  /** The path inside the archive. */
  readonly path: string
  readonly content: string
  readonly encoding: 'text' | 'base64'
}

/** The course of a job: only jobs that have one move by themselves. */
export interface JobTimeline {
  /** The place of its stage among all stages. */
  readonly place: number
  /** IDs of the jobs that it waits for; absent where it waits for the stages before. */
  readonly needs?: readonly number[] | undefined
  readonly when: JobCondition
  /** Seconds that a delayed job waits once its turn has come, and when that was. */
  readonly start_in?: number | undefined
  readonly ready_at?: string
  readonly resource_group?: string | undefined
  readonly artifacts?: ArtifactPlan | undefined
  /** Since a runner took it: how many seconds it runs, and how it ends; `hold` runs on. */
  readonly seconds?: number
  readonly end?: 'success' | 'failed' | 'hold'
}

export type JobRecord = StoredRecord<
  typeof Job,
  {
    /** Once it has been changed. */
    readonly updated_at?: string
    readonly project_id: number
    readonly pipeline_id: number
    readonly kind: 'build' | 'bridge'
    readonly status: JobStatus
    readonly tag_list: readonly string[]
    readonly runner_id: number | null
    readonly user_id: number | null
    /** Sample jobs have none. */
    readonly course?: JobTimeline
    /** When its runner was paused: it runs to its end from then on. */
    readonly ending_since?: string
    /** A later job of the same name took its place. */
    readonly retried: boolean
    /** Bridges only. */
    readonly downstream_pipeline_id: number | null
    /** The content of the archive; null if the job left none or it was deleted. */
    readonly archive: readonly ArtifactEntry[] | null
    /** Names of JUnit reports beside the archive. */
    readonly reports: readonly {
      readonly file_type: string
      readonly filename: string
      readonly file_format: string
      readonly size: number
    }[]
    readonly trace_size: number
    /** The value of CI_JOB_TOKEN; works while the job runs. */
    readonly token: string
    // Those of its pipeline.
    readonly ref?: never
    readonly tag?: never
  }
>

export interface AgentRecord {
  readonly id: number
  readonly name: string
  readonly config_project_id: number
  /** Projects whose jobs may use it. */
  readonly project_ids: readonly number[]
}

export type ResourceGroupRecord = StoredRecord<
  typeof ResourceGroup,
  { readonly project_id: number }
>
