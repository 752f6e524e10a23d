/** Declares the shapes of jobs, bridge jobs, and the context of a job token. */
import {
  ArrayOf,
  Bool,
  Int,
  maybe,
  Num,
  nullable,
  Obj,
  OpenEnum,
  ProjectSummary,
  Str,
  Timestamp,
  User,
  UserSummary,
} from './common.js'

export const jobStatuses = [
  'created',
  'pending',
  'running',
  'failed',
  'success',
  'canceled',
  'skipped',
  'manual',
] as const

const CommitSummary = Obj(
  {
    id: Str(),
    short_id: Str(),
    title: Str(),
    message: Str(),
    author_name: Str(),
    author_email: Str(),
    created_at: Timestamp,
  },
  { title: 'Commit summary' },
)

const pipelineSummary = { id: Int(), project_id: Int(), ref: Str(), sha: Str(), status: Str() }
const pipelineDetails = { created_at: Timestamp, updated_at: Timestamp, web_url: Str() }

const jobFields = {
  id: Int(),
  name: Str(),
  stage: Str(),
  status: OpenEnum(jobStatuses),
  ref: Str(),
  tag: Bool(),
  coverage: nullable(Num()),
  allow_failure: Bool(),
  created_at: Timestamp,
  started_at: nullable(Timestamp),
  finished_at: nullable(Timestamp),
  duration: nullable(Num({ description: 'seconds' })),
  queued_duration: nullable(Num({ description: 'seconds' })),
  tag_list: ArrayOf(Str()),
  user: nullable(User),
  commit: CommitSummary,
  web_url: Str(),
}

export const JobRunner = Obj({
  id: Int(),
  description: Str(),
  ip_address: maybe(Str()),
  active: maybe(Bool()),
  is_shared: maybe(Bool()),
  runner_type: maybe(Str()),
  name: maybe(nullable(Str())),
  online: maybe(nullable(Bool())),
  status: maybe(Str()),
})

export const Job = Obj(
  {
    ...jobFields,
    artifacts_file: maybe(Obj({ filename: Str(), size: Int({ description: 'bytes' }) })),
    artifacts: ArrayOf(
      Obj({
        file_type: OpenEnum(['archive', 'metadata', 'trace', 'junit']),
        size: Int({ description: 'bytes' }),
        filename: Str(),
        file_format: OpenEnum(['zip', 'gzip', 'raw']),
      }),
    ),
    artifacts_expire_at: nullable(Timestamp),
    pipeline: Obj(pipelineSummary),
    runner: nullable(JobRunner),
    download_url: maybe(nullable(Str({ description: 'after keeping the artifacts' }))),
  },
  { title: 'Job' },
)

export const DownstreamPipeline = Obj({
  id: Int(),
  sha: Str(),
  ref: Str(),
  status: Str(),
  ...pipelineDetails,
})

export const BridgeJob = Obj(
  {
    ...jobFields,
    pipeline: Obj({ ...pipelineSummary, ...pipelineDetails }),
    downstream_pipeline: nullable(DownstreamPipeline),
  },
  { title: 'Bridge job' },
)

export const JobTokenContext = Obj(
  {
    allowed_agents: ArrayOf(Obj({ id: Int(), config_project: ProjectSummary })),
    job: Obj({
      id: Int(),
      name: Str(),
      stage: Str(),
      project_id: Int(),
      project_name: Str(),
    }),
    pipeline: Obj({ ...pipelineSummary, ...pipelineDetails }),
    project: ProjectSummary,
    user: UserSummary,
  },
  { title: 'Job-token context' },
)
