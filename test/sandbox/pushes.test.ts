import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { hasConflicts, rebaseBranch } from '../../src/sandbox/git/apply-commits.js'
import { listCommits } from '../../src/sandbox/git/commits-and-refs.js'
import { Repositories } from '../../src/sandbox/git/repositories.js'
import { getCommitCard, getHistory } from '../../src/sandbox/seed/histories.js'
import { toRecords, useFreshSandbox } from './instance.js'

const { send } = useFreshSandbox({ speed: Number.POSITIVE_INFINITY })
const pushFile = (branch: string, file_path: string, content: string, as: string) =>
  send('POST /projects/1/repository/commits', {
    as,
    json: {
      branch,
      commit_message: `Write ${file_path}`,
      actions: [{ action: 'create', file_path, content }],
    },
  })

describe('a push', () => {
  it('leaves an event that tells what was pushed', async () => {
    const before = getCommitCard(1, 'login').id
    const { body } = await pushFile('feature/login', 'src/more.txt', 'x\n', 'chi')
    const [event] = (await send('GET /projects/1/events?action=pushed', { as: 'chi' })).body
    expect(event).toMatchObject({
      author_username: 'chi',
      push_data: {
        commit_count: 1,
        action: 'pushed',
        ref_type: 'branch',
        ref: 'feature/login',
        commit_from: before,
        commit_to: body.id,
        commit_title: 'Write src/more.txt',
      },
    })
    const { last_activity_at } = (await send('GET /projects/1')).body
    expect(last_activity_at).toBe(event?.created_at)
  })

  it('has the merge requests of the branch look again', async () => {
    const before = (await send('GET /projects/1/merge_requests/4')).body
    const { body } = await pushFile('feature/draft', 'src/draft.txt', 'x\n', 'chi')
    const request = (await send('GET /projects/1/merge_requests/4')).body
    expect([request.sha, request.has_conflicts]).toEqual([body.id, false])
    expect(request.updated_at > before.updated_at).toBe(true)
    expect(Number(request.changes_count)).toBe(Number(before.changes_count) + 1)
    await pushFile('main', 'src/draft.txt', 'y\n', 'ben')
    const clashing = (await send('GET /projects/1/merge_requests/4')).body
    expect([clashing.merge_status, clashing.has_conflicts]).toEqual(['cannot_be_merged', true])
  })
})

describe('a merge request', () => {
  const path = '/projects/1/merge_requests'

  it('counts the files that it changes, as far as the settings let it', async () => {
    for (let n = 1; n <= 4; n += 1) await pushFile('feature/login', `many/${n}.txt`, 'x\n', 'chi')
    const [login] = (await send(`GET ${path}?source_branch=feature/login`)).body
    const counted = async () => {
      const { changes_count, overflow } = (await send(`GET ${path}/${login?.iid}`)).body
      return [changes_count, overflow]
    }
    const [all, whole] = await counted()
    expect([Number(all) >= 5, whole]).toEqual([true, false])
    await send('PUT /application/settings', { json: { diff_max_files: 2 } })
    expect(await counted()).toEqual(['2+', true])
    await send('PUT /application/settings', { json: { diff_max_files: 1000 } })
  })
})

describe('a message that closes issues', () => {
  const say = (branch: string, commit_message: string) =>
    send('POST /projects/1/repository/commits', {
      as: 'ben',
      json: {
        branch,
        commit_message,
        actions: [{ action: 'create', file_path: `${commit_message.length}.txt`, content: 'x' }],
      },
    })
  const open = async () =>
    toRecords((await send('GET /projects/1/issues?state=opened&per_page=100')).body)
      .map(({ iid }) => iid)
      .toSorted()

  it('does so on the default branch, and leaves an event', async () => {
    const before = await open()
    const [first, second, third, ...others] = before
    const text = `Closes #${first}, platform/app#${second} and web/site#${third}. Not about #${third}`
    await say('feature/draft', text)
    expect(await open()).toEqual(before)
    await say('main', text)
    expect(await open()).toEqual([third, ...others])
    const issues = (await send(`GET /projects/1/issues?iids[]=${first}`)).body
    expect(issues).toHaveProperty('0.closed_by.username', 'ben')
    const events = (await send('GET /projects/1/events?action=closed')).body
    expect(events.map((e) => e.target_iid)).toEqual(expect.arrayContaining([first, second]))
  })

  it('has the merge request of its branch close them', async () => {
    const [first] = await open()
    const closes = async () =>
      (await send('GET /projects/1/merge_requests/7/closes_issues')).body.map(({ iid }) => iid)
    expect(await closes()).toEqual([])
    const rule = { name: 'Security', approvals_required: 0, user_ids: [2, 3], group_ids: [2] }
    await send('PUT /projects/1/approval_rules/2', { json: rule })
    await send('POST /projects/1/approvals', { json: { approvals_before_merge: 0 } })
    await say('feature/auto', `Resolve it\n\nImplements issue #${first}`)
    expect(await closes()).toEqual([first])
    // The pipeline ends at once, and the merge request waited for it.
    expect((await send('GET /projects/1/merge_requests/7')).body.state).toBe('merged')
    expect(await open()).not.toContain(first)
  })
})

describe('a pipeline', () => {
  it('ends with the last of its jobs', async () => {
    const jobs = async () => (await send('GET /projects/1/jobs?per_page=100')).body
    const running = (await jobs()).filter((j) => j.status === 'running')
    const of = (id: number) => (j: { pipeline: { id: number } }) => j.pipeline.id === id
    const ids = [...new Set<number>(running.map((j) => j.pipeline.id))]
    const waiting = (status: string) => ['created', 'pending', 'running'].includes(status)
    for (const { runner } of running)
      await send(`PUT /runners/${runner?.id}`, { json: { active: false } })
    const after = await jobs()
    const states = ids.map((id) => {
      const own = after.filter(of(id))
      const ended = own.every((j) => !waiting(j.status))
      return [ended, own[0]?.pipeline.status]
    })
    expect(states.length).toBeGreaterThan(0)
    for (const [ended, status] of states)
      expect(ended ? ['success', 'failed'] : ['running', 'pending']).toContain(status)
    expect(states.some(([ended]) => ended)).toBe(true)
  })
})

describe('a rebase', () => {
  let folder = ''
  afterAll(() => rm(folder, { recursive: true, force: true }))
  const ben = { name: 'Ben', email: 'ben@example.test', date: '2026-11-03T00:00:00.000Z' }

  it('repeats the commits of the branch with their authors, or says that it cannot', async () => {
    folder = await mkdtemp(join(tmpdir(), 'svcctl-rebase-'))
    const git = new Repositories(folder, async (id) => getHistory(id)?.content, process.env)
    const repository = await git.open({ id: 1, default_branch: 'main' })
    const [main, login] = [getCommitCard(1, 'head').id, getCommitCard(1, 'login').id]
    const done = await rebaseBranch(repository, login, main, ben)
    expect(done?.commits).toBe(2)
    const [last, first, base] = await listCommits(repository, { revision: done?.head ?? '' }, 0, 3)
    expect([last?.author.name, last?.committer]).toEqual(['Chi Chen', ben])
    expect([first?.message, base?.id]).toEqual(['Let people sign in\n', main])
    expect(
      await rebaseBranch(repository, getCommitCard(1, 'logging').id, main, ben),
    ).toBeUndefined()
    expect(await hasConflicts(repository, main, getCommitCard(1, 'logging').id)).toBe(true)
    expect(await hasConflicts(repository, main, login)).toBe(false)
  })

  it('leaves out what the target has already', async () => {
    const git = new Repositories(folder, async () => undefined, process.env)
    const repository = await git.open({ id: 1, default_branch: 'main' })
    const [main, search] = [getCommitCard(1, 'head').id, getCommitCard(1, 'search').id]
    expect(await rebaseBranch(repository, search, main, ben)).toEqual({ head: main, commits: 0 })
  })
})
