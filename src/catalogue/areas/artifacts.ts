/** Job artifacts: archives, single files, keeping, deleting. */
import { archive, empty, endpoint, file, one } from '../endpoint.js'
import { integer, project, string } from '../params.js'
import { Job } from '../shapes/job.js'

const jobId = integer('job ID', { completes: 'job' })
const refName = string('branch or tag; HEAD and commit hashes are not supported', {
  name: 'ref',
  completes: 'ref',
})
const job = string('job name', { required: true })
const artifactPath = string('path inside the archive', { name: 'path' })
const access = 'whoever may read the project; with PREMIUM its running jobs, by their token'
const latest = 'The latest successful pipeline counts; its own jobs win over those of its children.'

export const artifacts = {
  download: endpoint('GET /projects/:id/jobs/:job_id/artifacts', archive, {
    summary: 'Download the archive of a job',
    command: 'download',
    args: ['job_id'],
    path: { id: project(), job_id: jobId },
    params: {},
    access,
    credential: 'user-or-job',
  }),
  downloadLatest: endpoint('GET /projects/:id/jobs/artifacts/:ref_name/download', archive, {
    summary: 'Download the archive of a job of the latest successful pipeline of a ref',
    command: 'download',
    path: { id: project(), ref_name: refName },
    params: { job },
    access,
    credential: 'user-or-job',
    notes: [latest],
  }),
  file: endpoint('GET /projects/:id/jobs/:job_id/artifacts/*artifact_path', file, {
    summary: 'Download one file of a job’s archive',
    command: 'file',
    args: ['artifact_path'],
    path: { id: project(), job_id: jobId, artifact_path: artifactPath },
    params: {},
    access,
    credential: 'user-or-job',
  }),
  fileLatest: endpoint('GET /projects/:id/jobs/artifacts/:ref_name/raw/*artifact_path', file, {
    summary: 'Download one file of the archive of the latest successful pipeline of a ref',
    command: 'file',
    args: ['artifact_path'],
    path: { id: project(), ref_name: refName, artifact_path: artifactPath },
    params: { job },
    access,
    credential: 'user-or-job',
    notes: [latest],
  }),
  keep: endpoint('POST /projects/:id/jobs/:job_id/artifacts/keep', one(Job), {
    irreversible: 'the documents show no way to set an expiry',
    summary: 'Keep the artifacts of a job past their expiry',
    command: 'keep',
    selects: { list: 'jobs list' },
    args: ['job_id'],
    path: { id: project(), job_id: jobId },
    params: {},
    leaves: { artifacts_expire_at: null },
  }),
  delete: endpoint('DELETE /projects/:id/jobs/:job_id/artifacts', empty, {
    irreversible: 'the files of the job are gone',
    summary: 'Delete the artifacts of a job',
    command: 'delete',
    selects: { list: 'jobs list' },
    args: ['job_id'],
    path: { id: project(), job_id: jobId },
    params: {},
    access: 'at least Maintainer of the project',
    done: 'deleted',
    destructive: 'The archive and reports of the job are lost.',
  }),
} as const
