/** The pipeline that a push makes, by the configuration at the new commit. */
import type { Call } from '../../call.js'
import type { PipelinePlan } from '../../ci-lint/index.js'
import { commit, type GitCommit } from '../../git/read.js'
import type { CommitCard, PipelineRecord } from '../../state/ci.js'
import type { ProjectRecord } from '../../state/people-and-projects.js'
import { type BranchAt, configurationAt, filesAt, occasionAt } from './configuration.js'

const cardOf = ({ id, message, author, committer }: GitCommit): CommitCard => ({
  id,
  short_id: id.slice(0, 8),
  title: message.split('\n')[0] ?? '',
  message,
  author_name: author.name,
  author_email: author.email,
  created_at: committer.date,
})

const noJob = {
  coverage: null,
  started_at: null,
  finished_at: null,
  runner_id: null,
  retried: false,
  downstream_pipeline_id: null,
  archive: null,
  trace_size: 0,
  artifacts_expire_at: null,
  token: '',
} as const

/** Adds the planned jobs in the order of their stages; what comes first of them is the scheduler's. */
const addJobs = (call: Call, { jobs }: PipelinePlan, pipeline: PipelineRecord): void => {
  const ids = new Map<string, number>()
  const inOrder = jobs.toSorted((a, b) => a.place - b.place)
  const added = inOrder.map((planned) => {
    const { kind, name, stage, allow_failure, tag_list, place, when } = planned
    const { start_in, resource_group, artifacts } = planned
    const job = call.state.jobs.add({
      ...noJob,
      reports: [],
      project_id: pipeline.project_id,
      pipeline_id: pipeline.id,
      kind,
      name,
      stage,
      status: 'created',
      allow_failure,
      tag_list: [...tag_list],
      created_at: pipeline.created_at,
      user_id: pipeline.user_id,
      course: { place, when, start_in, resource_group, artifacts },
    })
    job.token = `sandbox-job-${job.id}-token`
    ids.set(name, job.id)
    return [planned, job] as const
  })
  for (const [{ needs }, { course }] of added)
    if (course !== undefined) course.needs = needs?.flatMap((name) => ids.get(name) ?? [])
}

/** Resource groups are there as soon as a job names them. */
const addGroups = (
  call: Call,
  { jobs }: PipelinePlan,
  { project_id, created_at }: PipelineRecord,
) => {
  const { resourceGroups } = call.state
  for (const { resource_group: key } of jobs)
    if (
      key !== undefined &&
      !resourceGroups.some((r) => r.project_id === project_id && r.key === key)
    )
      resourceGroups.add({
        project_id,
        key,
        process_mode: 'unordered',
        created_at,
        updated_at: created_at,
      })
}

const skips = /\[(skip ci|ci skip)\]/i

/** A pipeline for a branch that has moved; none where nothing asks for one. */
export const startPipeline = async (
  call: Call,
  project: ProjectRecord,
  at: BranchAt,
): Promise<PipelineRecord | undefined> => {
  if (!project.jobs_enabled) return undefined
  const content = await configurationAt(call, project, at.revision)
  if (content === undefined) return undefined
  const found = await commit(await call.git.open(project), at.revision)
  if (skips.test(found.message)) return undefined
  const { lint } = await import('../../ci-lint/index.js')
  const { errors, plan } = await lint(content, {
    files: filesAt(call, project, at.revision),
    occasion: occasionAt(call, project, at),
    asOf: call.instance.asOf,
  })
  if (plan?.jobs.length === 0) return undefined
  const now = call.clock.iso()
  const failed = plan === undefined || errors.length > 0
  const pipeline = call.state.pipelines.add({
    project_id: project.id,
    ref: at.branch,
    tag: false,
    sha: at.revision,
    before_sha: at.before ?? '0'.repeat(40),
    status: failed ? 'failed' : 'created',
    yaml_errors: failed ? errors.join(', ') : undefined,
    source: 'push',
    user_id: call.signedIn().id,
    parent_id: null,
    created_at: now,
    updated_at: now,
    started_at: null,
    finished_at: failed ? now : null,
    commit: cardOf(found),
  })
  if (failed) return pipeline
  addGroups(call, plan, pipeline)
  addJobs(call, plan, pipeline)
  return pipeline
}
