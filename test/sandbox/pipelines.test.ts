/** Tests CI of the embedded instance: which pipelines a push creates, which runners take the jobs, and how the jobs proceed. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTimedSandbox, toRecords, toTimeAfterStart } from './instance.js'

let instance: Awaited<ReturnType<typeof startTimedSandbox>>
beforeEach(async () => {
  instance = await startTimedSandbox()
})
afterEach(() => instance.end())
const send: typeof instance.send = (...request) => instance.send(...request)

const app = '/projects/1'

/** Pushes files to a branch. Returns the pipeline that the push created, if any. */
const push = async (
  files: Readonly<Record<string, string>>,
  { branch = 'feature/login', message = 'Change files' } = {},
): Promise<{ id: number; status: string } | null> => {
  const actions = []
  for (const [file_path, content] of Object.entries(files)) {
    const of = `ref_name=${branch}&path=${file_path}`
    const known = (await send(`GET ${app}/repository/commits?${of}`)).body.length > 0
    actions.push({ action: known ? 'update' : 'create', file_path, content })
  }
  const json = { branch, commit_message: message, actions }
  const made = await send(`POST ${app}/repository/commits`, { json })
  expect(made.status, made.text).toBe(201)
  return (await send(`GET ${app}/repository/commits/${made.body.id}`)).body.last_pipeline
}
const pushConfiguration = async (yaml: string, more: Readonly<Record<string, string>> = {}) => {
  const pipeline = await push({ '.gitlab-ci.yml': yaml, ...more })
  if (pipeline === null) throw new Error('no pipeline was made')
  return pipeline.id
}
const listJobs = async (id: number) =>
  (await send(`GET ${app}/pipelines/${id}/jobs?per_page=100`)).body.toReversed()
const getJobStates = async (id: number): Promise<Record<string, string>> =>
  Object.fromEntries((await listJobs(id)).map(({ name, status }) => [name, status]))
const listPipelines = async (query = '') =>
  toRecords((await send(`GET ${app}/pipelines${query}`)).body)
const getPipelineStatus = async (id: number) =>
  (await listPipelines()).find((p) => p.id === id)?.status

const script = '{ script: [make] }'

describe('a push', () => {
  it('makes a pipeline of the configuration at its commit, that the commit and merge request show', async () => {
    const pipeline = await push({ 'a.txt': 'a' })
    expect(pipeline).toMatchObject({ ref: 'feature/login', status: 'running' })
    const id = pipeline?.id ?? 0
    expect(await getJobStates(id)).toEqual({
      build: 'running',
      unit: 'created',
      lint: 'created',
      deploy: 'created',
    })
    expect((await send(`GET ${app}/merge_requests/1`)).body.head_pipeline).toMatchObject({
      id,
      created_at: toTimeAfterStart(0),
    })
    instance.at(600)
    expect(await getJobStates(id)).toEqual({
      build: 'success',
      unit: 'success',
      lint: 'success',
      deploy: 'manual',
    })
    expect(await getPipelineStatus(id)).toBe('success')
    const commit = (await send(`GET ${app}/repository/commits/feature%2Flogin`)).body
    expect(commit.status).toBe('success')
  })

  it.each([
    ['says [skip ci]', {}, 'Write [skip ci]'],
    [
      'is not wanted by the workflow',
      { '.gitlab-ci.yml': `workflow: { rules: [{ when: never }] }\na: ${script}` },
      'x',
    ],
    ['has no job for it', { '.gitlab-ci.yml': 'a: { script: [x], only: [tags] }' }, 'x'],
  ])('makes none where it %s', async (_, files, message) => {
    expect(await push({ 'b.txt': 'b', ...files }, { message })).toBeNull()
    expect((await send(`GET ${app}/merge_requests/1`)).body.head_pipeline).toBeNull()
  })

  it('makes one that failed, without jobs, of a configuration that is refused', async () => {
    const id = await pushConfiguration('a: { stage: nowhere, script: [x] }')
    expect([await getPipelineStatus(id), await listJobs(id)]).toEqual(['failed', []])
    const { head_pipeline: head } = (await send(`GET ${app}/merge_requests/1`)).body
    expect(head?.yaml_errors).toContain('chosen stage does not exist')
    const matrix = `{ matrix: [{ A: [${Array.from({ length: 200 }, (_, at) => at)}] }] }`
    const names = Array.from({ length: 6 }, (_, at) => `j${at}`)
    const many = names.map((name) => `${name}: { script: [x], parallel: ${matrix} }`).join('\n')
    expect(await listJobs(await pushConfiguration(many))).toEqual([])
  })

  it('is also a cherry-pick, a revert and a rebase', async () => {
    const count = async () => (await listPipelines('?per_page=100')).length
    const before = await count()
    const commits = `${app}/repository/commits`
    const { id } = (await send(`GET ${commits}/feature%2Fdraft`)).body
    const apply = async (key: string, verb: 'cherry_pick' | 'revert') =>
      toRecords([(await send(`POST ${commits}/${key}/${verb}`, { json: { branch: 'main' } })).body])
    const [picked] = await apply(id, 'cherry_pick')
    const [reverted] = await apply(String(picked?.id), 'revert')
    expect(await count()).toBe(before + 2)
    // Each response has the pipeline that the commit made, as that of a created commit has.
    for (const made of [picked, reverted])
      expect(made).toMatchObject({ status: 'created', last_pipeline: { sha: made?.id } })
    await send(`PUT ${app}/merge_requests/1/rebase`)
    instance.at(2)
    expect(await count()).toBe(before + 3)
  })
})

describe('jobs', () => {
  it('wait for a runner that fits, and go on once it is resumed', async () => {
    const id = await pushConfiguration(
      `mac: { script: [x], tags: [macos], artifacts: { paths: [out] } }`,
    )
    instance.at(100)
    expect(await getJobStates(id)).toEqual({ mac: 'pending' })
    await send('PUT /runners/3', { json: { active: true } })
    // The sample job is taken first because it has waited longer: the runner has room for one.
    expect((await send(`GET ${app}/jobs/15`)).body).toMatchObject({
      status: 'running',
      started_at: toTimeAfterStart(100),
    })
    expect(await getJobStates(id)).toEqual({ mac: 'pending' })
    instance.at(300)
    const [mac] = await listJobs(id)
    expect(mac).toMatchObject({ status: 'success', runner: { id: 3 }, artifacts_file: {} })
    const lint = (await send(`GET ${app}/jobs/15`)).body
    expect(mac).toMatchObject({ started_at: lint.finished_at })
    expect((await send(`GET ${app}/jobs/${mac?.id}/artifacts/out/app.txt`)).text).toContain('mac')
  })

  it('leave what their paths name, wherever these lead', async () => {
    await instance.restart({ speed: Number.POSITIVE_INFINITY })
    const paths = ['/dist/', '../up.txt', 'C:/x.txt', 'a\\\\b', 'out/**/*.log', '.', '']
    const list = paths.map((path) => `"${path}"`).join(', ')
    const id = await pushConfiguration(`a: { script: [x], artifacts: { paths: [${list}] } }`)
    const [job] = await listJobs(id)
    expect(job).toMatchObject({ status: 'success' })
    const files = ['dist/app.txt', 'up.txt', 'C_/x.txt', 'a_b/app.txt', 'out/app/app.log']
    for (const file of files)
      expect((await send(`GET ${app}/jobs/${job?.id}/artifacts/${file}`)).status, file).toBe(200)
  })

  it('begin by stages, needs and what became of those before them', async () => {
    await instance.restart({ speed: Number.POSITIVE_INFINITY, jobs: 'fail=bad*' })
    const id = await pushConfiguration(`
stages: [one, two, three]
bad: { stage: one, script: [x] }
badly: { stage: one, script: [x], allow_failure: true }
early: { stage: three, needs: [], script: [x] }
mild: { stage: two, needs: [badly], script: [x] }
lost: { stage: two, needs: [bad], script: [x] }
behind: { stage: three, needs: [lost], script: [x] }
usual: { stage: two, script: [x] }
rescue: { stage: two, script: [x], when: on_failure }
last: { stage: three, script: [x], when: always }
ask: { stage: three, script: [x], when: manual }
`)
    expect(await getJobStates(id)).toEqual({
      bad: 'failed',
      badly: 'failed',
      mild: 'success',
      lost: 'skipped',
      usual: 'skipped',
      rescue: 'success',
      early: 'success',
      behind: 'skipped',
      last: 'success',
      ask: 'skipped',
    })
    expect(await getPipelineStatus(id)).toBe('failed')
  })

  it('are chosen by rules on variables and paths, and made several by parallel', async () => {
    const yaml = `
default: { tags: [nobody-has-it] }
by-name: { script: [x], rules: [{ if: '$CI_COMMIT_BRANCH == "feature/login"' }] }
elsewhere: { script: [x], rules: [{ if: '$CI_COMMIT_BRANCH == "main"' }] }
docs: { script: [x], rules: [{ changes: ['docs/**/*.md'], when: manual, allow_failure: true }] }
code: { script: [x], only: { changes: ['src/*'] } }
there: { script: [x], rules: [{ exists: ['scripts/*.sh'] }] }
gone: { script: [x], rules: [{ exists: ['none/*'] }] }
split: { script: [x], parallel: 2 }
os: { script: [x], parallel: { matrix: [{ OS: [linux, mac], V: ['1'] }] }, tags: ['$OS'] }
after: { script: [x], needs: [{ job: os, parallel: { matrix: [{ OS: mac, V: '1' }] } }, split] }
`
    const id = await pushConfiguration(yaml, { 'docs/deep/new.md': 'x' })
    const jobs = await listJobs(id)
    expect(jobs.map(({ name }) => name)).toEqual([
      ...['by-name', 'docs', 'there', 'split 1/2', 'split 2/2'],
      ...['os: [linux, 1]', 'os: [mac, 1]', 'after'],
    ])
    expect(jobs.map((job) => job.tag_list[0])).toEqual([
      ...Array(5).fill('nobody-has-it'),
      ...['linux', 'mac', 'nobody-has-it'],
    ])
    expect(await getJobStates(id)).toMatchObject({
      docs: 'manual',
      there: 'pending',
      after: 'created',
    })
  })

  it('that are delayed start late, and a manual job that may not fail holds the pipeline', async () => {
    const id = await pushConfiguration(`
stages: [one, two]
later: { stage: one, script: [x], when: delayed, start_in: 10 minutes }
gate: { stage: one, script: [x], rules: [{ when: manual }] }
next: { stage: two, script: [x] }
`)
    instance.at(599)
    expect(await getJobStates(id)).toEqual({ later: 'created', gate: 'manual', next: 'created' })
    instance.at(600)
    expect(await getJobStates(id)).toMatchObject({ later: 'running' })
    instance.at(1200)
    expect(await getJobStates(id)).toEqual({ later: 'success', gate: 'manual', next: 'created' })
    expect(await getPipelineStatus(id)).toBe('manual')
  })

  it('enter a resource group one by one, in the order of its mode', async () => {
    const yaml = 'deploy: { script: [x], tags: [macos], resource_group: eu }'
    const first = await pushConfiguration(yaml)
    const others = [await pushConfiguration(`${yaml}\n#`), await pushConfiguration(`${yaml}\n##`)]
    expect(await getJobStates(first)).toEqual({ deploy: 'pending' })
    for (const id of others) expect(await getJobStates(id)).toEqual({ deploy: 'created' })
    const changed = await send(`PUT ${app}/resource_groups/eu`, {
      json: { process_mode: 'newest_first' },
    })
    expect(changed.status).toBe(200)
    await send('PUT /runners/3', { json: { active: true } })
    const begun: (string | null | undefined)[] = []
    instance.at(3600)
    for (const id of [first, others[1] ?? 0, others[0] ?? 0]) {
      const [job] = await listJobs(id)
      begun.push(job?.started_at)
    }
    expect(begun).toEqual(begun.toSorted())
    expect(new Set(begun).size).toBe(3)
  })

  it('run on where all are held, until their runner is paused or the rule is changed', async () => {
    await instance.restart({ jobs: 'hold' })
    const id = await pushConfiguration('held: { script: [x] }')
    instance.at(86_400)
    const [held] = await listJobs(id)
    expect(held?.status).toBe('running')
    await send(`PUT /runners/${held?.runner?.id}`, { json: { active: false } })
    instance.at(86_402)
    expect(await getJobStates(id)).toEqual({ held: 'success' })
    const other = await pushConfiguration('held: { script: [x] } #')
    await instance.restart({ jobs: 'pass' })
    expect(await getJobStates(other)).toEqual({ held: 'running' })
    instance.at(86_404)
    expect(await getJobStates(other)).toEqual({ held: 'success' })
  })
})

describe('sample jobs', () => {
  it('do not move by themselves', async () => {
    const all = async () =>
      (await send(`GET ${app}/jobs?per_page=100`)).body.map(({ id, status }) => [id, status])
    const before = await all()
    await push({ 'c.txt': 'c' }, { message: 'Nothing to do [skip ci]' })
    instance.at(1_000_000)
    expect(await all()).toEqual(before)
  })
})

describe('a merge request that waits for its pipeline', () => {
  const request = async () => (await send(`GET ${app}/merge_requests/7`)).body
  /** Removes the approvals that the merge request needs. */
  const approve = async () => {
    const json = { name: 'Security', approvals_required: 0, user_ids: [2, 3], group_ids: [2] }
    await send(`PUT ${app}/approval_rules/2`, { json })
    await send(`POST ${app}/approvals`, { json: { approvals_before_merge: 0 } })
  }

  it('is merged as soon as that has succeeded', async () => {
    await approve()
    const pipeline = await push({ 'd.txt': 'd' }, { branch: 'feature/auto' })
    const { sha } = await request()
    instance.at(3600)
    const merged = await request()
    expect(merged).toMatchObject({
      state: 'merged',
      merge_when_pipeline_succeeds: false,
      merge_error: null,
      merged_by: { username: 'ben' },
      pipeline: { id: pipeline?.id, status: 'success' },
      merged_at: merged.latest_build_finished_at,
    })
    const head = (await send(`GET ${app}/repository/commits/main`)).body
    expect([head.id, head.parent_ids[1]]).toEqual([merged.merge_commit_sha, sha])
    expect(head.title).toBe("Merge branch 'feature/auto' into 'main'")
    expect(head.last_pipeline).toMatchObject({ ref: 'main', status: 'success' })
    const [event] = (await send(`GET ${app}/events?action=merged`)).body
    expect([event?.target_iid, event?.created_at]).toEqual([7, merged.merged_at])
  })

  it.each([
    ['merge', false, 'default_on'],
    ['merge', true, 'default_on'],
    ['rebase_merge', true, 'default_off'],
    ['ff', false, 'default_on'],
    ['ff', true, 'default_on'],
    ['ff', false, 'always'],
    ['ff', true, 'never'],
  ] as const)(
    'is merged as its project merges: %s, squash %s, %s',
    async (merge_method, squash, squash_option) => {
      await approve()
      instance.change('projects', 1, { merge_method, squash_option })
      instance.change('mergeRequests', 7, { squash })
      await push({ 'd.txt': 'd' }, { branch: 'feature/auto', message: 'Change d [skip ci]' })
      const { body: before } = await send(`GET ${app}/repository/commits/main`)
      await push({ 'e.txt': 'e' }, { branch: 'feature/auto', message: 'Change e' })
      const { sha } = await request()
      instance.at(3600)
      const merged = await request()
      expect([merged.state, merged.merge_error, merged.sha]).toEqual(['merged', null, sha])
      const { body: head } = await send(`GET ${app}/repository/commits/main`)
      const squashed = squash_option === 'always' || (squash && squash_option !== 'never')
      const last = merged.squash_commit_sha ?? sha
      if (merge_method === 'ff') expect([merged.merge_commit_sha, head.id]).toEqual([null, last])
      else expect([head.id, head.parent_ids]).toEqual([merged.merge_commit_sha, [before.id, last]])
      expect(merged.squash_commit_sha).toEqual(squashed ? expect.stringMatching(/^\w{40}$/) : null)
      if (squashed) {
        const { body } = await send(`GET ${app}/repository/commits/${last}`)
        expect([body.parent_ids, body.title, body.author_name, body.committer_name]).toEqual([
          [before.id],
          merged.title,
          merged.author.name,
          merged.merged_by?.name,
        ])
        const { body: files } = await send(`GET ${app}/repository/commits/${last}/diff`)
        expect(toRecords(files).map(({ new_path }) => new_path)).toEqual(
          expect.arrayContaining(['d.txt', 'e.txt']),
        )
      }
      const [event] = (await send(`GET ${app}/events?action=pushed&per_page=1`)).body
      expect(event?.push_data).toMatchObject({
        ref: 'main',
        commit_from: before.id,
        commit_to: head.id,
      })
    },
  )

  it('waits no more where it may not be merged, and says why', async () => {
    const wait = async (branch = 'feature/auto') => {
      await push({ [`${branch}.txt`]: 'd' }, { branch })
      instance.at(3600)
      const { state, merge_when_pipeline_succeeds: waits, merge_error: why } = await request()
      return [state, waits, why]
    }
    expect(await wait()).toEqual([
      'opened',
      false,
      'Merge request was not merged: it needs 1 more approval',
    ])
  })

  it('has to be rebased where the project wants that, and waits on where its pipeline fails', async () => {
    await approve()
    await instance.restart({ jobs: 'fail=unit' })
    await push({ 'e.txt': 'e' }, { branch: 'feature/auto' })
    instance.at(3600)
    expect(await request()).toMatchObject({
      merge_when_pipeline_succeeds: true,
      pipeline: { status: 'failed' },
    })
    await instance.restart({ jobs: 'pass' })
    await push({ 'f.txt': 'f' }, { branch: 'main' })
    await push({ 'g.txt': 'g' }, { branch: 'feature/auto' })
    instance.at(7200)
    expect((await request()).merge_error).toBe(
      'Merge request was not merged: its branch has to be rebased onto the target branch first',
    )
  })
})
