/** Declares what the embedded instance stores about runners, pipelines, jobs and resource groups. */
import type { ResourceGroup } from '../../catalogue/areas/resource-groups.js'
import type { Runner } from '../../catalogue/areas/runners.js'
import type { Job, jobStatuses } from '../../catalogue/shapes/job.js'
import type { HeadPipeline } from '../../catalogue/shapes/planning.js'
import type { ArtifactPlan, JobCondition } from '../ci-lint/index.js'
import type { StoredRecord } from './stored.js'

export type RunnerRecord = StoredRecord<
  typeof Runner,
  {
    readonly runner_type: 'instance_type' | 'group_type' | 'project_type'
    readonly access_level: 'not_protected' | 'ref_protected'
    readonly tag_list: readonly string[]
    /** Absent, since the status of a runner is computed from its other attributes. */
    readonly status?: never
    /** Absent until the runner is first changed. */
    readonly updated_at?: string
    readonly project_ids: readonly number[]
    readonly group_ids: readonly number[]
    /** The number of jobs that the runner executes at the same time; 1 if absent. */
    readonly concurrent?: number
    readonly token: string
    readonly created_at: string
  }
>

/** The commit of a pipeline, with the fields that jobs present. */
export interface CommitHeader {
  readonly id: string
  readonly short_id: string
  readonly title: string
  readonly message: string
  readonly author_name: string
  readonly author_email: string
  readonly created_at: string
}

export type PipelineRecord = StoredRecord<
  typeof HeadPipeline,
  {
    readonly project_id: number
    /** The reason why the pipeline's configuration is invalid. */
    readonly yaml_errors?: string | undefined
    readonly source: string
    readonly user_id: number
    /** The parent of a child pipeline; null for other pipelines. */
    readonly parent_id: number | null
    readonly commit: CommitHeader
  }
>

export type JobStatus = (typeof jobStatuses)[number]

export interface ArtifactEntry {
  /** The path inside the archive. */
  readonly path: string
  readonly content: string
  readonly encoding: 'text' | 'base64'
}

/** The schedule of a job. Jobs without one, such as sample jobs, never change their status by themselves. */
export interface JobTimeline {
  /** The index of the job's stage among all stages. */
  readonly place: number
  /** The IDs of the jobs that the job waits for. If absent, it waits for all jobs of earlier stages. */
  readonly needs?: readonly number[] | undefined
  readonly when: JobCondition
  /** The seconds that a delayed job waits, and the time at which the wait began. */
  readonly start_in?: number | undefined
  readonly ready_at?: string
  readonly resource_group?: string | undefined
  readonly artifacts?: ArtifactPlan | undefined
  /** Set when a runner takes the job: the duration of the job in seconds, and its result. A job with `hold` does not end. */
  readonly seconds?: number
  readonly end?: 'success' | 'failed' | 'hold'
}

export type JobRecord = StoredRecord<
  typeof Job,
  {
    /** Absent until the job is first changed. */
    readonly updated_at?: string
    readonly project_id: number
    readonly pipeline_id: number
    readonly kind: 'build' | 'bridge'
    readonly status: JobStatus
    readonly tag_list: readonly string[]
    readonly runner_id: number | null
    readonly user_id: number | null
    /** Absent for sample jobs. */
    readonly course?: JobTimeline
    /** The time at which the job's runner was paused. The job ends some seconds later. */
    readonly ending_since?: string
    /** True if a later job with the same name replaced this one. */
    readonly retried: boolean
    /** The pipeline that a bridge started; null for other jobs. */
    readonly downstream_pipeline_id: number | null
    /** The files of the archive; null if the job created none, or if the archive was deleted. */
    readonly archive: readonly ArtifactEntry[] | null
    /** The names of reports that are stored besides the archive. */
    readonly reports: readonly {
      readonly file_type: string
      readonly filename: string
      readonly file_format: string
      readonly size: number
    }[]
    readonly trace_size: number
    /** The value of CI_JOB_TOKEN. It is valid while the job runs. */
    readonly token: string
    // The pipeline of the job has these two fields.
    readonly ref?: never
    readonly tag?: never
  }
>

export interface AgentRecord {
  readonly id: number
  readonly name: string
  readonly config_project_id: number
  /** The projects whose jobs may use the agent. */
  readonly project_ids: readonly number[]
}

export type ResourceGroupRecord = StoredRecord<
  typeof ResourceGroup,
  { readonly project_id: number }
>
