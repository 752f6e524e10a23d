/** The pipeline that a push to the branch of a merge request starts. */
import type { Call } from '../../call.js'
import { commit } from '../../git/read.js'
import type { CommitCard, PipelineRecord } from '../../state/ci.js'
import type { ProjectRecord } from '../../state/people-and-projects.js'
import type { MergeRequestRecord } from '../../state/planning.js'

/** What a job is like before it runs. */
const waiting = {
  status: 'pending',
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

/** The jobs of one pipeline once more, waiting, in another. */
const repeatJobs = (call: Call, from: number | null, into: PipelineRecord): void => {
  const before = call.state.jobs.filter((j) => j.pipeline_id === from && !j.retried)
  for (const { kind, name, stage, allow_failure, tag_list } of before) {
    const added = call.state.jobs.add({
      ...waiting,
      project_id: into.project_id,
      pipeline_id: into.id,
      kind,
      name,
      stage,
      allow_failure,
      tag_list: [...tag_list],
      created_at: into.created_at,
      user_id: into.user_id,
      reports: [],
    })
    added.token = `sandbox-job-${added.id}-token`
  }
}

const cardOf = async (call: Call, project: ProjectRecord, sha: string): Promise<CommitCard> => {
  const { id, message, author, committer } = await commit(await call.git.open(project), sha)
  return {
    id,
    short_id: id.slice(0, 8),
    title: message.split('\n')[0] ?? '',
    message,
    author_name: author.name,
    author_email: author.email,
    created_at: committer.date,
  }
}

/** A pipeline for the present head of a merge request, with the jobs of the one before. */
export const startPipeline = async (
  call: Call,
  source: ProjectRecord,
  request: MergeRequestRecord,
): Promise<PipelineRecord> => {
  const now = call.clock.iso()
  const pipeline = call.state.pipelines.add({
    project_id: source.id,
    ref: request.source_branch,
    tag: false,
    sha: request.sha,
    before_sha: request.base_sha,
    status: 'pending',
    source: 'push',
    user_id: call.signedIn().id,
    parent_id: null,
    created_at: now,
    updated_at: now,
    started_at: null,
    finished_at: null,
    commit: await cardOf(call, source, request.sha),
  })
  repeatJobs(call, request.pipeline_id, pipeline)
  return pipeline
}
