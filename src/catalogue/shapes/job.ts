/** Declares the shapes of jobs, bridges and the context of a job token. */
import {
  ArrayOf,
  Bool,
  Int,
  maybe,
  Num,
  nullable,
  Obj,
  ProjectSummary,
  Str,
  Timestamp,
  User,
  UserSummary,
  Word,
} from './common.js'

export const jobStates = [
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

const pipeline = { id: Int(), project_id: Int(), ref: Str(), sha: Str(), status: Str() }
const times = { created_at: Timestamp, updated_at: Timestamp, web_url: Str() }

const common = {
  id: Int(),
  name: Str(),
  stage: Str(),
  status: Word(jobStates),
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
    ...common,
    artifacts_file: maybe(Obj({ filename: Str(), size: Int({ description: 'bytes' }) })),
    artifacts: ArrayOf(
      Obj({
        file_type: Word(['archive', 'metadata', 'trace', 'junit']),
        size: Int({ description: 'bytes' }),
        filename: Str(),
        file_format: Word(['zip', 'gzip', 'raw']),
      }),
    ),
    artifacts_expire_at: nullable(Timestamp),
    pipeline: Obj(pipeline),
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
  ...times,
})

export const BridgeJob = Obj(
  {
    ...common,
    pipeline: Obj({ ...pipeline, ...times }),
    downstream_pipeline: nullable(DownstreamPipeline),
  },
  { title: 'Bridge job' },
)

export const JobContext = Obj(
  {
    allowed_agents: ArrayOf(Obj({ id: Int(), config_project: ProjectSummary })),
    job: Obj({
      id: Int(),
      name: Str(),
      stage: Str(),
      project_id: Int(),
      project_name: Str(),
    }),
    pipeline: Obj({ ...pipeline, ...times }),
    project: ProjectSummary,
    user: UserSummary,
  },
  { title: 'Job-token context' },
)
