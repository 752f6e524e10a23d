/** Declares the endpoints that download, keep and delete the artifacts of jobs. */
import { type AnswerType, empty, endpoint, file, one } from '../endpoint.js'
import { integer, project, string } from '../params.js'
import { Job } from '../shapes/job.js'

const archive: AnswerType<null> & { kind: 'file' } = { ...file, media: 'application/zip' }

const jobId = integer('job ID', { completes: 'job' })
const refName = string('branch or tag; HEAD and commit hashes are not supported', {
  name: 'ref',
  completes: 'ref',
})
const job = string('job name', { required: true, completes: 'job-name' })
const artifactPath = string('path inside the archive', { name: 'path' })
const access =
  'anyone who can read the project; on PREMIUM also its running jobs, with their job token'
const latest =
  'The latest successful pipeline is used. Its own jobs take precedence over those of child pipelines.'

export const artifacts = {
  download: endpoint('GET /projects/:id/jobs/:job_id/artifacts', archive, {
    summary: 'Download the artifact archive of a job',
    command: 'download',
    args: ['job_id'],
    path: { id: project(), job_id: jobId },
    params: {},
    refuses: ['job'],
    access,
    credential: 'user-or-job',
  }),
  downloadLatest: endpoint('GET /projects/:id/jobs/artifacts/:ref_name/download', archive, {
    summary: 'Download the artifact archive of a ref’s latest pipeline',
    command: 'download',
    path: { id: project(), ref_name: refName },
    params: { job },
    access,
    credential: 'user-or-job',
    notes: [latest],
  }),
  file: endpoint('GET /projects/:id/jobs/:job_id/artifacts/*artifact_path', file, {
    summary: 'Download one file from a job’s archive',
    command: 'file',
    args: ['artifact_path'],
    path: { id: project(), job_id: jobId, artifact_path: artifactPath },
    params: {},
    refuses: ['job'],
    access,
    credential: 'user-or-job',
  }),
  fileLatest: endpoint('GET /projects/:id/jobs/artifacts/:ref_name/raw/*artifact_path', file, {
    summary: 'Download one artifact file of a ref’s latest pipeline',
    command: 'file',
    args: ['artifact_path'],
    path: { id: project(), ref_name: refName, artifact_path: artifactPath },
    params: { job },
    access,
    credential: 'user-or-job',
    notes: [latest],
  }),
  keep: endpoint('POST /projects/:id/jobs/:job_id/artifacts/keep', one(Job), {
    irreversible: 'the API has no endpoint that sets an expiry',
    summary: 'Keep the artifacts of a job beyond their expiry',
    command: 'keep',
    selects: { list: 'jobs list' },
    args: ['job_id'],
    path: { id: project(), job_id: jobId },
    params: {},
    leaves: { artifacts_expire_at: null },
  }),
  delete: endpoint('DELETE /projects/:id/jobs/:job_id/artifacts', empty, {
    irreversible: 'the files are deleted',
    summary: 'Delete the artifacts of a job',
    command: 'delete',
    selects: { list: 'jobs list' },
    args: ['job_id'],
    path: { id: project(), job_id: jobId },
    params: {},
    access: 'at least Maintainer of the project',
    done: 'deleted',
    destructive: 'This deletes the archive and the reports of the job.',
  }),
} as const
