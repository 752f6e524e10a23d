/** Declares the endpoints that list jobs and read single ones, including the job and the agents of a job token. */
import { endpoint, many, one } from '../endpoint.js'
import { boolean, integer, list, project } from '../params.js'
import { BridgeJob, Job, JobTokenContext, jobStatuses } from '../shapes/job.js'

const scope = list('enum', 'filter by job state', {
  values: jobStatuses,
  keeps: { field: 'status' },
})
const pipelineId = integer('pipeline ID', { name: 'pipeline', completes: 'pipeline' })
const columns = [
  'id',
  'status',
  'stage',
  'name',
  'ref',
  'pipeline.id',
  'duration',
  'created_at',
] as const
const holders = 'CI jobs, with their job token'

export const jobs = {
  list: endpoint('GET /projects/:id/jobs', many(Job), {
    summary: 'List the jobs of a project or a pipeline, newest first',
    command: 'list',
    path: { id: project() },
    params: { scope },
    refuses: ['include_retried'],
    columns,
    stacks: 'hidden',
    lists: 'job',
  }),
  listOfPipeline: endpoint('GET /projects/:id/pipelines/:pipeline_id/jobs', many(Job), {
    summary: 'List the jobs of a pipeline and of its child pipelines',
    command: 'list',
    path: { id: project(), pipeline_id: pipelineId },
    params: {
      scope,
      include_retried: boolean('include jobs that were retried', { default: false }),
    },
    columns,
    stacks: 'hidden',
    lists: 'job',
    notes: ['Before service version 13.5, the oldest job comes first.'],
  }),
  bridges: endpoint('GET /projects/:id/pipelines/:pipeline_id/bridges', many(BridgeJob), {
    summary: 'List the bridge jobs of a pipeline',
    command: 'bridges',
    path: {
      id: project(),
      pipeline_id: integer('pipeline ID', {
        name: 'pipeline',
        completes: 'pipeline',
        env: 'CI_PIPELINE_ID',
      }),
    },
    params: { scope },
    columns: [
      'id',
      'status',
      'stage',
      'name',
      'ref',
      'downstream_pipeline.id',
      'downstream_pipeline.status',
      'duration',
    ],
  }),
  get: endpoint('GET /projects/:id/jobs/:job_id', one(Job), {
    summary: 'Show a job',
    command: 'get',
    args: ['job_id'],
    path: { id: project(), job_id: integer('job ID', { name: 'id', completes: 'job' }) },
    params: {},
  }),
  current: endpoint('GET /job', one(Job), {
    summary: 'Show the job that a job token belongs to',
    command: 'current',
    path: {},
    params: {},
    access: holders,
    credential: 'job',
  }),
  agents: endpoint('GET /job/allowed_agents', one(JobTokenContext), {
    summary: 'Show a job token’s job and its cluster agents',
    command: 'agents',
    path: {},
    params: {},
    access: holders,
    edition: 'PREMIUM',
    credential: 'job',
  }),
} as const
