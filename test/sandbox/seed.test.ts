import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { getMethod, getPath } from '../../src/catalogue/endpoint.js'
import { areas } from '../../src/catalogue/index.js'
import { isScope } from '../../src/catalogue/params.js'
import { Repositories } from '../../src/sandbox/git/repositories.js'
import { getHistory } from '../../src/sandbox/seed/histories.js'
import { loadSampleState } from '../../src/sandbox/seed/index.js'
import { getTable, tableNames } from '../../src/sandbox/state/state.js'
import { toRecords, useSharedSandbox } from './instance.js'

const run = promisify(execFile)
const folders: string[] = []
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

describe('the sample data', () => {
  it('is the same at every start', () => {
    expect(JSON.stringify(loadSampleState())).toBe(JSON.stringify(loadSampleState()))
  })

  it('shares nothing between instances that could be changed', () => {
    const { runners, approvalRules } = loadSampleState()
    const lists = [
      ...runners.all().flatMap((runner) => [runner.project_ids, runner.tag_list]),
      ...approvalRules.all().map((rule) => rule.user_ids),
    ]
    for (const list of lists) expect(Object.isFrozen(list)).toBe(true)
    const before = JSON.stringify(loadSampleState())
    runners.change(1, { description: 'changed' })
    expect(JSON.stringify(loadSampleState())).toBe(before)
  })
  it('has the default branch of every project with commits', () => {
    const { projects } = loadSampleState()
    const branches = projects.all().flatMap(({ id, default_branch }) => {
      const refs = getHistory(id)?.content.refs
      return refs === undefined ? [] : [[id, refs.get(`refs/heads/${default_branch}`)]]
    })
    expect(branches.length).toBeGreaterThan(5)
    for (const [id, commit] of branches) expect(commit, `project ${id}`).toMatch(/^[0-9a-f]{40}$/)
  })

  it('has a row in every table that an operation does not have to fill first', () => {
    const { settings, config, ...tables } = loadSampleState()
    const empty = Object.entries(tables).filter(([, table]) => table.size === 0)
    expect(empty.map(([name]) => name)).toEqual(['storageMoves', 'alerts', 'declared'])
  })

  it('refers only to what there is', () => {
    const state = loadSampleState()
    for (const job of state.jobs.all()) {
      expect(state.pipelines.get(job.pipeline_id)?.project_id).toBe(job.project_id)
      if (job.runner_id !== null) expect(state.runners.get(job.runner_id)).toBeDefined()
      if (job.downstream_pipeline_id !== null)
        expect(state.pipelines.get(job.downstream_pipeline_id)).toBeDefined()
    }
    for (const member of state.members.all())
      expect(state[`${member.source_type}s`].get(member.source_id)).toBeDefined()
    for (const issue of state.issues.all())
      for (const id of [issue.author_id, ...issue.assignee_ids, ...issue.subscriber_ids])
        expect(state.users.get(id)).toBeDefined()
  })

  it('gives all records of a table the same attributes, and IDs without a gap', () => {
    const state = loadSampleState()
    let records = 0
    for (const name of tableNames) {
      const all = getTable(state, name).all()
      records += all.length
      expect(all.map(({ id }) => id)).toEqual(all.map((_, index) => index + 1))
      const attributes = all.map((record) => Object.keys(record).sort())
      for (const own of attributes) expect(own, name).toEqual(attributes[0])
    }
    expect(records).toBeGreaterThan(200)
  })

  it('names only records that there are, whatever the attribute that names them', () => {
    const state = loadSampleState()
    const tables = new Map<string, string>(
      tableNames.map((name) => [`${name.slice(0, -1)}_id`, name]),
    )
    const people = ['author_id', 'creator_id', 'assignee_ids', 'reviewer_ids', 'approved_by_ids']
    for (const field of [...people, 'user_ids', 'subscriber_ids', 'starred_by'])
      tables.set(field, 'users')
    let checked = 0
    for (const name of tableNames)
      for (const [field, value] of getTable(state, name).all().flatMap(Object.entries)) {
        const table = tableNames.find((known) => known === tables.get(field))
        if (table === undefined || value === null) continue
        for (const id of [value].flat()) {
          expect(getTable(state, table).get(Number(id)), `${name} ${field}`).toBeDefined()
          checked += 1
        }
      }
    expect(checked).toBeGreaterThan(300)
  })

  it('has jobs in every state and runners of every kind and state', () => {
    const state = loadSampleState()
    expect(new Set(state.jobs.all().map((j) => j.status)).size).toBe(8)
    expect(new Set(state.runners.all().map((r) => r.runner_type)).size).toBe(3)
    expect(new Set(state.runners.all().map((r) => r.online)).size).toBe(3)
  })

  it('makes repositories that git finds nothing wrong with', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svcctl-git-'))
    folders.push(folder)
    const git = new Repositories(folder, async (id) => getHistory(id)?.content, process.env)
    const repository = await git.open({ id: 1, default_branch: 'main' })
    const { stdout } = await run('git', ['--git-dir', repository.path, 'fsck', '--full'])
    expect(stdout).not.toContain('error')
    expect(await repository.line(['log', '-1', '--format=%s', 'main'])).toBe(
      'Say what the limits mean',
    )
    expect(await repository.line(['rev-parse', 'feature/login'])).toBe(
      loadSampleState().mergeRequests.get(1)?.sha,
    )
  })
})

describe('what is shown of the sample data', () => {
  const { send } = useSharedSandbox()

  it('is in the shape of its list in each project and group', async () => {
    const loaded = await Promise.all(areas.map(({ load }) => load()))
    const lists = loaded
      .flatMap((area) => Object.values(area))
      .filter((endpoint) => getMethod(endpoint) === 'GET' && endpoint.returns.kind === 'many')
      .filter(({ path }) => Object.keys(path).length === 1 && Object.values(path).every(isScope))
    const state = loadSampleState()
    let shown = 0
    for (const endpoint of lists) {
      const [[placeholder = '', param] = []] = Object.entries(endpoint.path)
      const places = param?.type === 'project' ? state.projects : state.groups
      for (const { id } of places.all()) {
        // The client of these tests holds each answer to the shape of its endpoint.
        const path = getPath(endpoint).replace(`:${placeholder}`, String(id))
        const came = await send(`GET ${path}?per_page=100`)
        if (came.status === 200) shown += toRecords(came.body).length
      }
    }
    expect(lists.length).toBeGreaterThan(15)
    expect(shown).toBeGreaterThan(200)
  })
})
