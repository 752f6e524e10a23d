import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { fromBufferPromise } from 'yauzl'
import { useFreshSandbox } from './instance.js'

const { send, url } = useFreshSandbox()
const app = '/projects/platform%2Fapp'
const byJob = { as: '', headers: { 'job-token': 'sandbox-job-token' } }

const listNames = (body: readonly { name: string }[]) => body.map((job) => job.name)

describe('jobs', () => {
  it('lists those of a project, newest first, by one or several states', async () => {
    const { body } = await send(`GET ${app}/jobs`, { as: 'chi' })
    const ids = body.map((job) => job.id)
    expect(ids).toEqual([...ids].sort((a, b) => b - a))
    const some = await send(`GET ${app}/jobs?scope[]=pending&scope[]=manual`, { as: 'chi' })
    expect(new Set(some.body.map((job) => job.status))).toEqual(new Set(['pending', 'manual']))
    expect((await send(`GET ${app}/jobs?scope=running`)).body).toHaveLength(2)
    expect((await send(`GET ${app}/jobs?scope[]=odd`)).status).toBe(400)
  })

  it('lists those of a pipeline with its children, and replaced ones only when asked', async () => {
    const plain = await send(`GET ${app}/pipelines/2/jobs`)
    expect(listNames(plain.body).sort()).toEqual(['build', 'build', 'docs', 'lint', 'unit'])
    const all = await send(`GET ${app}/pipelines/2/jobs?include_retried=true`)
    expect(listNames(all.body).filter((name) => name === 'unit')).toHaveLength(2)
    expect((await send(`GET ${app}/pipelines/9/jobs`)).status).toBe(404)
  })

  it('lists bridges with what they started', async () => {
    const { body } = await send(`GET ${app}/pipelines/2/bridges`)
    expect(listNames(body)).toEqual(['rollout', 'package'])
    expect(body[0]?.downstream_pipeline?.id).toBe(4)
    expect(body[0]?.pipeline.web_url).toContain('/platform/app/-/pipelines/2')
    expect(body[0]).not.toHaveProperty('runner')
  })

  it('hides private projects from others', async () => {
    expect((await send(`GET ${app}/jobs`, { as: 'fay' })).status).toBe(403)
    expect((await send('GET /projects/chi%2Fnotes/jobs', { as: 'ben' })).status).toBe(404)
    expect((await send(`GET ${app}/jobs`, { as: '' })).status).toBe(401)
  })

  it('shows the job of a token, and the agents it may use', async () => {
    const { body } = await send('GET /job', byJob)
    expect([body.name, body.status, body.runner?.id]).toEqual(['unit', 'running', 1])
    expect((await send('GET /job?job_token=sandbox-job-token', { as: '' })).body.id).toBe(body.id)
    const agents = await send('GET /job/allowed_agents', byJob)
    expect(agents.body.allowed_agents.map((a) => a.id)).toEqual([1, 2])
    expect(agents.body.job).toMatchObject({ id: body.id, project_name: 'App' })
    expect((await send('GET /job')).status).toBe(401)
  })
})

describe('artifacts', () => {
  const latest = `${app}/jobs/artifacts/main`

  it('gives a real archive whose size the job tells', async () => {
    const jobs = (await send(`GET ${app}/pipelines/2/jobs`)).body
    const job = jobs.find((j) => j.name === 'build' && j.pipeline.id === 2)
    const came = await fetch(`${url()}/api/v4${app}/jobs/${job?.id}/artifacts`, {
      headers: { 'private-token': 'sandbox-chi-token' },
    })
    const zip = Buffer.from(await came.arrayBuffer())
    expect(came.headers.get('content-disposition')).toContain('artifacts.zip')
    expect(zip.length).toBe(job?.artifacts_file?.size)
    const archive = await fromBufferPromise(zip, { lazyEntries: true })
    const paths: string[] = []
    for await (const entry of archive.eachEntry()) {
      paths.push(entry.fileName)
      if (entry.fileName === 'dist/app.txt')
        expect(String(await buffer(await archive.openReadStreamPromise(entry)))).toContain('8080')
    }
    expect(paths).toContain('dist/docs/was ist das?.txt')
  })

  it('prefers the parent of pipelines that have jobs of one name', async () => {
    const file = (job: string, path: string) => send(`GET ${latest}/raw/${path}?job=${job}`)
    expect((await file('build', 'dist/app.txt')).text).toContain('8080')
    expect((await file('build', 'dist/child.txt')).status).toBe(404)
    expect((await file('docs', 'site/index.html')).text).toBe('<p>Docs</p>\n')
    expect((await send(`GET ${latest}/download`)).refusal).toEqual({ error: 'job is missing' })
    const sha = (await send(`GET ${app}/pipelines/2/jobs`)).body[0]?.pipeline.sha
    for (const ref of ['HEAD', sha])
      expect((await send(`GET ${app}/jobs/artifacts/${ref}/download?job=build`)).status).toBe(404)
  })

  it('opens to job tokens, refuses odd paths, and does not know what is not there', async () => {
    expect((await send(`GET ${latest}/download?job=build`, byJob)).status).toBe(200)
    expect((await send(`GET ${latest}/raw/dist%2F..%2Fx?job=build`)).status).toBe(400)
    expect((await send(`GET ${latest}/raw/dist//app.txt?job=build`)).status).toBe(400)
    expect((await send(`GET ${app}/jobs/1/artifacts`)).status).toBe(404)
  })

  it('keeps and deletes by role', async () => {
    const id = (await send(`GET ${app}/pipelines/2/jobs`)).body.find(
      (j) => j.name === 'build' && j.pipeline.id === 2,
    )?.id
    expect((await send(`POST ${app}/jobs/${id}/artifacts/keep`, { as: 'dov' })).status).toBe(403)
    const kept = await send(`POST ${app}/jobs/${id}/artifacts/keep`, { as: 'chi' })
    expect([kept.body.artifacts_expire_at, kept.body.download_url]).toEqual([null, null])
    expect((await send(`DELETE ${app}/jobs/${id}/artifacts`, { as: 'chi' })).status).toBe(403)
    const size = async () =>
      (await send(`GET ${app}?statistics=true`)).body.statistics?.job_artifacts_size
    const before = await size()
    expect((await send(`DELETE ${app}/jobs/${id}/artifacts`, { as: 'ben' })).status).toBe(204)
    expect(await size()).toBe(Number(before) - Number(kept.body.artifacts_file?.size))
    expect((await send(`GET ${app}/jobs/${id}/artifacts`)).status).toBe(404)
    const jobs = (await send(`GET ${app}/jobs?per_page=100`)).body
    const other = jobs.find((job) => job.artifacts_expire_at !== null)
    await send(`DELETE ${app}/jobs/${other?.id}/artifacts`, { as: 'ben' })
    const { body } = await send(`GET ${app}/jobs/${other?.id}`)
    expect(body).toMatchObject({ id: other?.id, artifacts_expire_at: null })
    expect((await send(`POST ${app}/jobs/${id}/artifacts/keep`)).status).toBe(404)
  })
})

describe('resource groups', () => {
  it('shows and changes one whose key holds slashes', async () => {
    const path = `${app}/resource_groups/review%2Ffeature%2Flogin`
    expect((await send(`GET ${path}`)).body.process_mode).toBe('unordered')
    const to = { process_mode: 'newest_first' }
    expect((await send(`PUT ${path}`, { as: 'eva', json: to })).status).toBe(403)
    const changed = await send(`PUT ${path}`, { as: 'chi', json: to })
    expect([changed.status, changed.body.process_mode]).toEqual([200, 'newest_first'])
    expect((await send(`PUT ${path}`, { json: { process_mode: 'odd' } })).status).toBe(400)
    expect((await send(`GET ${app}/resource_groups/none`)).status).toBe(404)
  })
})

describe('the log of a job', () => {
  it('is kept raw', async () => {
    const { body } = await send('GET /projects/1/jobs?per_page=100')
    const logs = body.flatMap((job) =>
      job.artifacts.filter(({ file_type }) => file_type === 'trace'),
    )
    expect(logs.length).toBeGreaterThan(0)
    expect(new Set(logs.map((l) => l.file_format))).toEqual(new Set(['raw']))
  })
})
