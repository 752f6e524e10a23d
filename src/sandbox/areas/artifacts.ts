/** Serves the endpoints that download, keep and delete the artifacts of jobs (`catalogue/reference/artifacts.md`). */

import { posix } from 'node:path'
import type { Readable } from 'node:stream'
import { isDots } from '../../base/base-url.js'
import { artifacts } from '../../catalogue/areas/artifacts.js'
import type { Call } from '../call.js'
import { serve } from '../handlers.js'
import {
  archiveName,
  listWithChildren,
  requireJob,
  requireProjectWithJobs,
  showJob,
} from '../present/job.js'
import { badRequest, FileReply, forbidden, notFound } from '../reply.js'
import { countArtifacts, createArchive, listArchive } from '../rules/job-runs.js'
import type { JobRecord } from '../state/ci.js'
import type { ProjectRecord } from '../state/people-and-projects.js'

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.xml': 'application/xml',
}

/**
 * Finds a job by name in the latest successful pipeline of a branch or tag. If several jobs have the name, the one of the parent pipeline
 * counts.
 */
const findLatestJob = (
  call: Call,
  project: ProjectRecord,
  ref: string,
  name: string,
): JobRecord => {
  const pipeline = call.state.pipelines
    .filter({ project_id: project.id, ref, parent_id: null, status: 'success' })
    .at(-1)
  if (pipeline === undefined) throw notFound()
  for (const { id } of listWithChildren(call, pipeline)) {
    const job = call.state.jobs.filter({ pipeline_id: id, name, status: 'success' }).at(-1)
    if (job !== undefined && listArchive(job, call.clock.iso()) !== undefined) return job
  }
  throw notFound()
}

const readArchive = async (call: Call, job: JobRecord): Promise<FileReply> => {
  const zip = await createArchive(job, call.clock.iso())
  if (zip === undefined) throw notFound()
  return new FileReply(zip, 'application/zip', archiveName)
}

/** Opens a file of an archive as a stream of its unpacked content; undefined if the archive has no such file. */
const openArchiveEntry = async (zip: Buffer, path: string): Promise<Readable | undefined> => {
  const { fromBufferPromise } = await import('yauzl')
  const archive = await fromBufferPromise(zip, { lazyEntries: true })
  for await (const entry of archive.eachEntry())
    if (entry.fileName === path) return archive.openReadStreamPromise(entry)
  return undefined
}

const isValid = (path: string): boolean =>
  path !== '' &&
  !/[\0\\]/.test(path) &&
  path.split('/').every((part) => part !== '' && !isDots(part))

const readArchiveFile = async (call: Call, job: JobRecord, path: string): Promise<FileReply> => {
  const zip = await createArchive(job, call.clock.iso())
  if (zip === undefined) throw notFound()
  if (!isValid(path)) throw badRequest('400 Bad request - Invalid path')
  const stream = await openArchiveEntry(zip, path)
  if (stream === undefined) throw notFound()
  const type = types[posix.extname(path)] ?? 'application/octet-stream'
  return new FileReply(stream, type, posix.basename(path))
}

/** Finds a job whose artifacts the acting user may change. */
const findWritableJob = (
  call: Call,
  id: string | number,
  jobId: number,
  role: 'developer' | 'maintainer',
): JobRecord => {
  const project = call.requireProject(id, { role })
  if (project.archived) throw forbidden()
  return requireJob(call, project, jobId)
}

export const served = serve(artifacts, {
  download: (call, { id, job_id }) =>
    readArchive(call, requireJob(call, requireProjectWithJobs(call, id), job_id)),
  downloadLatest: (call, { id, ref_name, job }) =>
    readArchive(call, findLatestJob(call, requireProjectWithJobs(call, id), ref_name, job)),
  file: (call, { id, job_id, artifact_path }) =>
    readArchiveFile(
      call,
      requireJob(call, requireProjectWithJobs(call, id), job_id),
      artifact_path,
    ),
  fileLatest: (call, { id, ref_name, artifact_path, job }) =>
    readArchiveFile(
      call,
      findLatestJob(call, requireProjectWithJobs(call, id), ref_name, job),
      artifact_path,
    ),
  keep: async (call, { id, job_id }) => {
    const job = findWritableJob(call, id, job_id, 'developer')
    if (listArchive(job, call.clock.iso()) === undefined) throw notFound()
    call.state.jobs.change(job_id, { artifacts_expire_at: null, updated_at: call.clock.iso() })
    return { ...(await showJob(call, job)), download_url: null }
  },
  delete: async (call, { id, job_id }) => {
    const job = findWritableJob(call, id, job_id, 'maintainer')
    call.checkUnmodified({ updated_at: job.updated_at ?? job.finished_at ?? job.created_at })
    await countArtifacts(call.state, job, -1)
    call.state.jobs.change(job_id, {
      archive: null,
      reports: [],
      artifacts_expire_at: null,
      updated_at: call.clock.iso(),
    })
    return undefined
  },
})
