/** Tests `jobs why`: what a job waits for, and what to do about it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { createFolder } from '../support/program.js'
import { answerByRoute, createCaller } from './calling.js'

const { server, call } = createCaller()

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: createFolder() })
})
afterAll(() => sandbox.close())

const createJob = (id: number, status: string, more = {}) => ({
  id,
  status,
  name: `j${id}`,
  stage: 'test',
  ref: 'main',
  tag_list: [],
  created_at: new Date(Date.now() - 7_200_000).toISOString(),
  pipeline: { id: 1 },
  ...more,
})
const createRunner = (id: number, more = {}) => ({
  id,
  description: `r${id}`,
  active: true,
  status: 'online',
  tag_list: [],
  run_untagged: true,
  access_level: 'not_protected',
  ...more,
})

/** Answers for a project with these runners, jobs and CI configuration. */
const answerProject = (
  one: ReturnType<typeof createJob>,
  runners: readonly ReturnType<typeof createRunner>[],
  { yaml = '', jobs = [one] }: { yaml?: string; jobs?: readonly unknown[] } = {},
) =>
  answerByRoute({
    [`GET /projects/1/jobs/${one.id}`]: one,
    ...Object.fromEntries(runners.map((r) => [`GET /runners/${r.id}`, r])),
    'GET /projects/1/runners': runners,
    'GET /projects/1/ci/lint': { valid: true, merged_yaml: yaml },
    'GET /projects/1/pipelines/1/jobs': jobs,
    'GET /projects/1/jobs?scope': jobs.filter(
      (other) => (other as { status: string }).status === 'running',
    ),
    'GET /projects/1/resource_groups/': { key: 'prod', process_mode: 'oldest_first' },
  })

const explainJob = async (id: number, line = '') => {
  const ran = await call(`jobs why ${id} -P 1 -o json ${line}`.trim())
  return { ...ran, found: JSON.parse(ran.stdout || '{}') }
}

describe('jobs why', () => {
  it('finds the paused runner of the embedded instance, and says how it is resumed', async () => {
    const env = { SVC_BASE_URL: sandbox.url, SVC_TOKEN: sandbox.users[0]?.token ?? '' }
    const ran = await call('jobs why 15 -P platform/app', { env })
    expect(ran.code).toBe(0)
    const [head, first, next, ...runners] = ran.stdout.trimEnd().split('\n')
    expect(head).toBe('what\tid\tname\tstate\twhy')
    expect(first).toBe('job\t15\tlint\tpending\tthe only matching runner is paused')
    expect(next).toBe('next\t\t\t\tsvcctl runners resume 3')
    expect(runners[0]).toBe('runner\t3\tshared-macos\tpaused\thas all its tags')
    expect(runners).toContain('runner\t1\tshared-linux-1\tonline\tlacks macos')
  })

  it('names the job that holds the resource group and waits for a runner itself', async () => {
    const headers = { 'private-token': 'sandbox-root-token', 'content-type': 'application/json' }
    const project = `${sandbox.url}/api/v4/projects/platform%2Fcore%2Fengine`
    const content = 'roll: { script: [x], tags: [gpu], resource_group: eu }'
    for (const text of [content, `${content}\n# again`]) {
      const actions = [{ action: 'update', file_path: '.gitlab-ci.yml', content: text }]
      const body = JSON.stringify({ branch: 'main', commit_message: 'Roll', actions })
      const came = await fetch(`${project}/repository/commits`, { method: 'POST', headers, body })
      expect(came.status).toBe(201)
    }
    const came = await fetch(`${project}/jobs?scope[]=created`, { headers })
    const [second]: { id: number }[] = JSON.parse(await came.text())
    const env = { SVC_BASE_URL: sandbox.url, SVC_TOKEN: sandbox.users[0]?.token ?? '' }
    const ran = await call(`jobs why ${second?.id} -P platform/core/engine -o json`, { env })
    const found = JSON.parse(ran.stdout)
    expect(found).toMatchObject({ status: 'created', resource_group: { key: 'eu' } })
    expect(found.reason).toMatch(/^its resource group eu is in use by roll \(\d+, pending\)$/)
  })

  const tagged = createJob(5, 'pending', { tag_list: ['gpu', 'linux'] })
  const gpu = { tag_list: ['linux', 'gpu', 'x'] }
  it.each([
    ['no runner', tagged, [], 'the project has no runners', 'svcctl runners enable <id> -P 1'],
    [
      'none with the tags',
      tagged,
      [createRunner(1, { tag_list: ['linux'] })],
      'none of 1 runner has the tags gpu, linux',
      '--tag-list',
    ],
    [
      'one that is paused',
      tagged,
      [createRunner(1, { ...gpu, active: false })],
      'the only matching runner is paused',
      'svcctl runners resume 1',
    ],
    [
      'one that is offline',
      tagged,
      [createRunner(1, { ...gpu, status: 'offline' })],
      'the only matching runner is not connected',
      'svcctl runners get 1',
    ],
    [
      'one of each',
      tagged,
      [
        createRunner(1, { ...gpu, active: false }),
        createRunner(2, { ...gpu, status: 'not_connected' }),
      ],
      'all 2 matching runners are paused or not connected',
      'svcctl runners resume 1',
    ],
    [
      'one that is there',
      tagged,
      [createRunner(1, gpu)],
      '1 runner online fits: the job starts as soon as one has a free slot',
      'svcctl runners jobs 1 --status running',
    ],
    [
      'a protected one',
      tagged,
      [createRunner(1, { ...gpu, access_level: 'ref_protected' })],
      'no runner certainly matches; 1 runner may match',
      'svcctl runners get 1',
    ],
    [
      'one for tags only',
      createJob(5, 'pending'),
      [createRunner(1, { run_untagged: false })],
      'none of 1 runner accepts untagged jobs',
      'svcctl runners update 1 --run-untagged',
    ],
    [
      'one for any job',
      createJob(5, 'pending'),
      [createRunner(1)],
      '1 runner online fits',
      'svcctl runners jobs 1',
    ],
  ] as const)('holds a pending job against %s', async (_, one, runners, reason, next) => {
    server.answer = answerProject(one, runners)
    const { found, code } = await explainJob(5)
    expect(code).toBe(0)
    expect(found).toMatchObject({ id: 5, waits: true, unread: [] })
    expect(found.reason).toContain(reason)
    expect(found.next.join('\n')).toContain(next)
    expect(Math.round(found.waited_seconds / 3600)).toBe(2)
    expect(found.runners).toHaveLength(runners.length)
  })

  it('says which tags each runner lacks, those that fit first', async () => {
    server.answer = answerProject(tagged, [
      createRunner(1, { tag_list: ['gpu'] }),
      createRunner(2),
      createRunner(3, gpu),
    ])
    const { found } = await explainJob(5)
    expect(found.runners).toMatchObject([
      { id: 3, fits: true, missing_tags: [] },
      { id: 1, fits: false, missing_tags: ['linux'], why: 'lacks linux' },
      { id: 2, fits: false, missing_tags: ['gpu', 'linux'] },
    ])
  })

  it('says that a runner whose tags are hidden may fit', async () => {
    const table = answerProject(tagged, [createRunner(1, gpu)])
    server.answer = (seen, i) =>
      /\/runners\/1$/.test(seen.url)
        ? { status: 403, body: { message: '403 Forbidden' } }
        : table(seen, i)
    const { found } = await explainJob(5)
    expect(found.runners).toMatchObject([
      { fits: null, why: 'its tags are unknown: not permitted: 403 Forbidden' },
    ])
    expect(found.reason).toContain('no runner certainly matches')
  })

  const yaml = `stages: [build, test, deploy]
j5: { stage: deploy, resource_group: prod }
other: { stage: deploy, resource_group: prod }
free: { stage: deploy }
needy: { stage: deploy, needs: [{ job: compile }] }
`
  it('names the job that holds its resource group', async () => {
    const one = createJob(5, 'created', { stage: 'deploy' })
    const holder = createJob(3, 'running', {
      name: 'other 1/2',
      stage: 'deploy',
      pipeline: { id: 9 },
    })
    const jobs = [one, holder, createJob(4, 'running', { name: 'free', stage: 'deploy' })]
    server.answer = answerProject(one, [], { yaml, jobs })
    const { found, code } = await explainJob(5)
    expect(code).toBe(0)
    expect(found.reason).toBe('its resource group prod is in use by other 1/2 (3, running)')
    expect(found.resource_group).toMatchObject({
      key: 'prod',
      process_mode: 'oldest_first',
      held_by: [{ id: 3 }],
    })
    expect(found.next).toEqual([
      'svcctl jobs get 3 -P 1 --wait-until status=success',
      'svcctl resource-groups get prod -P 1',
    ])
    // The author of the file chooses the name and a person may run the line, so the name is quoted.
    const chosen = yaml.replaceAll('prod', '"eu; reboot"')
    server.answer = answerProject(one, [], { yaml: chosen, jobs })
    expect((await explainJob(5)).found.next[1]).toBe("svcctl resource-groups get 'eu; reboot' -P 1")
    // The job itself does not hold the resource group.
    server.answer = answerProject(one, [], { yaml, jobs: [one] })
    expect((await explainJob(5)).found.reason).toContain('the job is')
  })

  it('names the jobs that come first, by stages or by needs', async () => {
    const one = createJob(5, 'created', { stage: 'deploy' })
    const jobs = [
      one,
      createJob(1, 'success', { stage: 'build' }),
      createJob(2, 'running', { stage: 'build', name: 'compile' }),
      createJob(3, 'pending'),
      createJob(4, 'running', { stage: 'deploy' }),
      createJob(6, 'created', { stage: 'nowhere' }),
    ]
    server.answer = answerProject(one, [], { yaml, jobs })
    expect((await explainJob(5)).found).toMatchObject({
      reason: '2 jobs of its pipeline must finish first: compile (2, running), j3 (3, pending)',
      next: ['svcctl jobs why 2 -P 1'],
    })
    const needy = { ...one, name: 'needy' }
    server.answer = answerProject(needy, [], { yaml, jobs: [needy, ...jobs.slice(1)] })
    expect((await explainJob(5)).found.waits_for).toMatchObject([{ id: 2 }])
    // Without a readable configuration, the job waits for the earlier jobs of other stages.
    server.answer = answerProject(one, [], { yaml: ': [', jobs })
    expect((await explainJob(5)).found.waits_for.map(({ id }: { id: number }) => id)).toEqual([
      2, 3,
    ])
  })

  it.each([
    ['running', 'the job is not waiting: it is running'],
    ['success', 'the job is not waiting: its status is success'],
    ['manual', 'the job is manual: start it on its web page'],
  ])(
    'says of a job that is %s that it does not wait, and asks for no more',
    async (status, reason) => {
      server.answer = answerProject(createJob(5, status), [])
      const { found, code } = await explainJob(5)
      expect(code).toBe(0)
      expect(found).toMatchObject({ waits: false, waited_seconds: null })
      expect(found.reason).toContain(reason)
      expect(server.lines()).toEqual(['GET /projects/1/jobs/5'])
    },
  )

  it('takes a job without a list of tags for one without tags', async () => {
    const bare = createJob(5, 'pending', { tag_list: null })
    server.answer = answerProject(bare, [createRunner(1)])
    const { found, code } = await explainJob(5)
    expect([code, found.tag_list]).toEqual([0, []])
    expect(found.runners).toMatchObject([{ fits: true, why: 'accepts untagged jobs' }])
    expect(found.reason).toContain('1 runner online fits')
  })

  it('names what of a pipeline it could not read', async () => {
    const table = answerProject(createJob(5, 'created'), [])
    server.answer = (seen, i) =>
      seen.url.includes('/pipelines/') ? { status: 500, body: {} } : table(seen, i)
    const { found, code } = await explainJob(5, '--retries 0')
    expect(code).toBe(8)
    expect(found.unread).toEqual([expect.stringMatching(/^the jobs of the pipeline: /)])
    expect(found.reason).toBe(`the reason is unknown: ${found.unread[0]}`)
  })

  it('says what it could not read, and does not guess', async () => {
    const table = answerProject(tagged, [createRunner(1, gpu)])
    server.answer = (seen, i) =>
      seen.url.includes('/projects/1/runners') ? { status: 500, body: {} } : table(seen, i)
    const { found, code } = await explainJob(5, '--retries 0')
    expect(code).toBe(8)
    expect(found.reason).toMatch(/^the reason is unknown: the runners of the project: /)
    expect(found.unread).toHaveLength(1)
  })

  it('ends with the code of what kept it from the job itself, and takes one', async () => {
    server.answer = () => ({ status: 404, body: { message: '404 Not Found' } })
    expect(await call('jobs why 5 -P 1')).toMatchObject({ code: 4, stdout: '' })
    expect((await call('jobs why 5 6 -P 1')).code).toBe(2)
    expect((await call('jobs why x -P 1')).code).toBe(2)
  })

  it.each([
    ['', '\t'],
    [' -o csv', ','],
  ])('says it of jobs in several projects, a row each%s', async (format, separator) => {
    server.answer = ({ url }) =>
      /jobs\/5$/.test(url)
        ? { body: createJob(5, 'success') }
        : { status: 404, body: { message: 'x' } }
    const { code, stdout, stderr } = await call(`jobs why 5 -P 1,2${format}`)
    const [heading, ...rows] = stdout.trimEnd().split('\n')
    expect([code, stderr]).toEqual([0, ''])
    expect(heading?.split(separator)).toEqual([
      'project',
      'id',
      'name',
      'status',
      'waits',
      'reason',
      'next',
    ])
    const reason = 'the job is not waiting: its status is success'
    expect(rows.map((row) => row.split(separator).slice(0, 6))).toEqual([
      ['1', '5', 'j5', 'success', 'false', reason],
      ['2', '5', 'j5', 'success', 'false', reason],
    ])
  })
})
