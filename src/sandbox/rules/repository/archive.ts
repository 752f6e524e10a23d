/** Job archives: real zip files made from what a job left, and single files read out of them. */
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { ArtifactEntry, JobRecord } from '../../state/ci.js'
import type { State } from '../../state/state.js'

/** The archive as bytes, always the same for the same entries and time. */
const zipOf = async (entries: readonly ArtifactEntry[], at: string): Promise<Buffer> => {
  const { ZipFile } = await import('yazl')
  const zip = new ZipFile()
  const mtime = new Date(at)
  for (const { path, content, encoding } of entries)
    zip.addBuffer(Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8'), path, {
      mtime,
      mode: 0o100644,
    })
  zip.end()
  return buffer(zip.outputStream)
}

/** One file of an archive, unpacked as it is read; undefined where there is no such file. */
export const openArchiveEntry = async (
  zip: Buffer,
  path: string,
): Promise<Readable | undefined> => {
  const { fromBufferPromise } = await import('yauzl')
  const archive = await fromBufferPromise(zip, { lazyEntries: true })
  for await (const entry of archive.eachEntry())
    if (entry.fileName === path) return archive.openReadStreamPromise(entry)
  return undefined
}

const zipTime = ({ finished_at, created_at }: JobRecord): string => finished_at ?? created_at

/** What an archive holds, unless there is none or it has expired. */
export const listArchive = (job: JobRecord, now: string): readonly ArtifactEntry[] | undefined =>
  job.archive === null || (job.artifacts_expire_at !== null && job.artifacts_expire_at <= now)
    ? undefined
    : job.archive

/** Counts what a job left in, or out of, the storage of its project. */
export const countArtifacts = async (state: State, job: JobRecord, sign: 1 | -1): Promise<void> => {
  const project = state.projects.get(job.project_id)
  const archive = job.archive === null ? [] : await zipOf(job.archive, zipTime(job))
  const bytes = job.reports.reduce((sum, { size }) => sum + size, archive.length)
  if (project === undefined) return
  const { id, statistics } = project
  const job_artifacts_size = Math.max(0, statistics.job_artifacts_size + sign * bytes)
  state.projects.change(id, { statistics: { ...statistics, job_artifacts_size } })
}

/** The archive of a job as bytes; undefined when it has none or it has expired. */
export const createArchive = async (job: JobRecord, now: string): Promise<Buffer | undefined> => {
  const entries = listArchive(job, now)
  return entries === undefined ? undefined : zipOf(entries, zipTime(job))
}
