import { describe, expect, it } from 'vitest'
import { useFreshSandbox } from './instance.js'

const app = '/projects/platform%2Fapp'
const mrs = `${app}/merge_requests`

const listIids = (body: readonly { iid: number }[]) => body.map((m) => m.iid).sort((a, b) => a - b)

describe('lists of merge requests', () => {
  const { send } = useFreshSandbox()
  const inApp = async (query: string, as = 'ana') =>
    listIids((await send(`GET ${mrs}?per_page=100&${query}`, { as })).body)

  it('gives what the caller created, or everything of a project', async () => {
    expect(listIids((await send('GET /merge_requests', { as: 'dov' })).body)).toEqual([2])
    expect(await inApp('')).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect((await send('GET /merge_requests', { as: '' })).status).toBe(401)
    expect((await send(`GET ${mrs}`, { as: 'eva' })).status).toBe(403)
    expect((await send('GET /projects/labs%2Fsensors/merge_requests')).status).toBe(403)
  })

  it.each([
    ['state=merged', [3]],
    ['state=opened&wip=yes', [4]],
    ['state=opened&wip=no', [1, 2, 6, 7]],
    ['iids[]=1&iids[]=5', [1, 5]],
    ['author_username=chi', [1, 3, 4]],
    ['author_id=5', [2]],
    ['assignee_id=None', [2, 3, 4, 5, 6]],
    ['assignee_id=4', [1]],
    ['reviewer_username=ben', [1]],
    ['reviewer_id=Any', [1, 2]],
    ['approved_by_ids[]=2&approved_by_ids[]=3', [3]],
    ['approved_by_ids=None', [2, 4, 5, 6, 7]],
    ['labels=backend', [2]],
    ['milestone=1.1', [1]],
    ['my_reaction_emoji=rocket', [1]],
    ['source_branch=from-fork', [6]],
    ['target_branch=stable', []],
    ['search=sign', [1]],
    ['environment=production', [3]],
    ['deployed_before=2020-01-01T00:00:00Z', []],
    ['scope=created_by_me', []],
    ['not[author_username]=chi', [2, 5, 6, 7]],
    ['not[labels]=backend,enhancement', [3, 4, 5, 6, 7]],
    ['not[reviewer_id]=Any', [3, 4, 5, 6, 7]],
  ])('filters by %s', async (query, expected) => {
    expect(await inApp(query)).toEqual(expected)
  })

  it('refuses more approvers than five and pairs that exclude each other', async () => {
    const six = [1, 2, 3, 4, 5, 6].map((id) => `approved_by_ids[]=${id}`).join('&')
    expect((await send(`GET ${mrs}?${six}`)).status).toBe(400)
    expect((await send(`GET ${mrs}?reviewer_id=1&reviewer_username=a`)).status).toBe(400)
  })

  it('has a simple view', async () => {
    const [one] = (await send(`GET ${mrs}?view=simple&iids[]=1`)).body
    expect(Object.keys(one ?? {})).toEqual([
      'id',
      'iid',
      'project_id',
      'title',
      'description',
      'state',
      'created_at',
      'updated_at',
      'web_url',
    ])
  })
})

describe('one merge request', () => {
  const { send } = useFreshSandbox({ speed: Number.POSITIVE_INFINITY })

  it('is shown in full', async () => {
    const { body } = await send(`GET ${mrs}/1`, { as: 'chi' })
    expect(body).toMatchObject({
      merge_status: 'can_be_merged',
      has_conflicts: false,
      changes_count: '1',
      project_id: 1,
      references: { short: '!1', relative: '!1', full: 'platform/app!1' },
      head_pipeline: { id: 6, status: 'failed' },
    })
    expect(body).not.toHaveProperty('rebase_in_progress')
    expect((await send(`GET ${mrs}/2`)).body).toMatchObject({
      merge_status: 'cannot_be_merged',
      has_conflicts: true,
    })
    expect((await send(`GET ${mrs}/1`, { as: 'eva' })).status).toBe(403)
    expect((await send(`GET ${mrs}`, { as: 'eva' })).status).toBe(403)
  })

  it('subscribes and unsubscribes once', async () => {
    expect((await send(`POST ${mrs}/1/subscribe`, { as: 'dov' })).status).toBe(201)
    expect((await send(`POST ${mrs}/1/subscribe`, { as: 'dov' })).status).toBe(304)
    const off = await send(`POST ${mrs}/1/unsubscribe`, { as: 'dov' })
    expect([off.status, off.body.subscribed]).toEqual([201, false])
    expect((await send(`POST ${mrs}/1/unsubscribe`, { as: 'dov' })).status).toBe(304)
  })

  it('stops waiting for its pipeline', async () => {
    const path = `${mrs}/7/cancel_merge_when_pipeline_succeeds`
    expect((await send(`POST ${path}`, { as: 'dov' })).status).toBe(403)
    const done = await send(`POST ${path}`, { as: 'ben' })
    expect([done.status, done.body.merge_when_pipeline_succeeds]).toEqual([201, false])
    expect((await send(`POST ${path}`, { as: 'ben' })).status).toBe(405)
  })

  it('names the issues it closes', async () => {
    const { body } = await send(`GET ${mrs}/1/closes_issues`)
    expect(body.map((i) => i.title)).toEqual(['People cannot sign out'])
  })

  it('is really rebased, with an event, a pipeline, and approvals taken back', async () => {
    const before = (await send(`GET ${mrs}/1`)).body
    const head = (await send(`GET ${app}/repository/commits/main`)).body.id
    const asked = await send(`PUT ${mrs}/1/rebase`, { as: 'chi' })
    expect([asked.status, asked.body]).toEqual([202, { rebase_in_progress: true }])
    const { body } = await send(`GET ${mrs}/1?include_rebase_in_progress=true`)
    expect(body).toMatchObject({ rebase_in_progress: false, merge_error: null })
    expect(body.sha).not.toBe(before.sha)
    expect(body.diff_refs?.base_sha).toBe(head)
    expect(body.pipeline?.id).toBeGreaterThan(Number(before.pipeline?.id))
    expect((await send(`GET ${mrs}/1/approvals`)).body.approved_by).toEqual([])
    const commit = (await send(`GET ${app}/repository/commits/feature%2Flogin`)).body
    expect([commit.id, commit.author_name]).toEqual([body.sha, 'Chi Chen'])
    const [event] = (await send('GET /events?action=pushed', { as: 'chi' })).body
    expect(event?.push_data).toMatchObject({ ref: 'feature/login', commit_to: body.sha })
  })

  it('tells of a conflict', async () => {
    expect((await send(`PUT ${mrs}/2/rebase`, { as: 'ben' })).status).toBe(202)
    const { body } = await send(`GET ${mrs}/2?include_rebase_in_progress=true`)
    expect(body.rebase_in_progress).toBe(false)
    expect(body.merge_error).toContain('Rebase failed')
  })

  it('comes from a fork that lets members of the target push', async () => {
    expect((await send(`PUT ${mrs}/6/rebase`, { as: 'dov' })).status).toBe(403)
    expect((await send(`PUT ${mrs}/6/rebase?skip_ci=true`, { as: 'chi' })).status).toBe(202)
    const { body } = await send(`GET ${mrs}/6`)
    expect([body.merge_error, body.pipeline]).toEqual([null, null])
  })

  it('is not rebased once it is merged', async () => {
    expect((await send(`PUT ${mrs}/3/rebase`)).status).toBe(409)
  })
})

describe('a rebase that goes on', () => {
  const { send } = useFreshSandbox({ speed: 0 })

  it('is in progress until it is through', async () => {
    expect((await send(`PUT ${mrs}/1/rebase`)).status).toBe(202)
    const { body } = await send(`GET ${mrs}/1?include_rebase_in_progress=true`)
    expect(body.rebase_in_progress).toBe(true)
    expect((await send(`PUT ${mrs}/1/rebase`)).status).toBe(409)
  })

  it('is looked at again when a list asks for it', async () => {
    const { body } = await send(`GET ${mrs}?with_merge_status_recheck=true&iids[]=4`)
    expect(body[0]?.merge_status).toBe('checking')
  })
})

describe('a merge request', () => {
  const { send } = useFreshSandbox()
  const path = '/projects/1/merge_requests'

  it('loses its approvals when somebody pushes, where the project wants it so', async () => {
    const requests = (await send(`GET ${path}?state=opened&per_page=100`)).body
    const approved = async (iid: number) =>
      (await send(`GET ${path}/${iid}/approvals`)).body.approved_by.length
    const withApprovals = []
    for (const request of requests)
      if ((await approved(request.iid)) > 0) withApprovals.push(request)
    const [{ iid, source_branch: branch } = { iid: 0 }] = withApprovals
    for (const [reset, left] of [
      [false, await approved(iid)],
      [true, 0],
    ]) {
      await send('POST /projects/1/approvals', { json: { reset_approvals_on_push: reset } })
      const actions = [{ action: 'create', file_path: `src/reset-${reset}.txt`, content: 'x' }]
      const json = { branch, commit_message: 'Push', actions }
      await send('POST /projects/1/repository/commits', { json })
      expect(await approved(iid)).toBe(left)
    }
  })
})
