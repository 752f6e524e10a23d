import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { getCommitCard } from '../../src/sandbox/seed/histories.js'
import { toRecords, useFreshSandbox } from './instance.js'

const { send } = useFreshSandbox({ speed: Number.POSITIVE_INFINITY })
const repo = '/projects/platform%2Fapp/repository/commits'
const listTitles = async (query: string) =>
  (await send(`GET ${repo}?${query}`)).body.map((c) => c.title)
const createCommit = (body: object, as = 'ben') => send(`POST ${repo}`, { as, json: body })
/** Returns the files that a commit changed. The documents do not list their fields. */
const getDiff = async (sha: string) => toRecords((await send(`GET ${repo}/${sha}/diff`)).body)
const findFileCommit = async (branch: string, path: string) => {
  const { body } = await send(`GET ${repo}?ref_name=${branch}&path=${path}&per_page=1`)
  return getDiff(String(body[0]?.id))
}

describe('listing commits', () => {
  it('follows the default branch, newest first, with totals', async () => {
    const { body, headers } = await send(`GET ${repo}?per_page=3`)
    expect(body.map((c) => c.title.slice(0, 20))).toEqual([
      'Say what the limits ',
      "Merge branch 'featur",
      'Search by name',
    ])
    expect(headers.get('x-total')).toBe('10')
    const [head, merge] = body
    expect(head).toMatchObject({
      short_id: head?.id.slice(0, 8),
      author_name: 'Ana Alves',
      parent_ids: [merge?.id],
      created_at: head?.committed_date,
    })
    expect(head).not.toHaveProperty('stats')
  })

  it('honours ref, range, path, first parent, all and order', async () => {
    expect((await listTitles('ref_name=stable'))[0]).toBe('Close the port by default')
    expect(await listTitles('ref_name=main..feature%2Flogin')).toEqual([
      'Let people sign out',
      'Let people sign in',
    ])
    expect(await listTitles('path=src%2Flimits.txt')).toEqual(['Limit concurrent jobs'])
    expect(await listTitles('first_parent=true')).not.toContain('Search by name')
    expect(await listTitles('all=true&per_page=100')).toContain('Try another port')
    expect(await listTitles('order=topo')).toHaveLength(10)
    expect((await send(`GET ${repo}?order=other`)).refusal.error).toBe(
      'order does not have a valid value',
    )
  })

  it('takes both ends of a span of time', async () => {
    const { created_at } = getCommitCard(1, 'limits')
    expect(await listTitles(`since=${created_at}&until=${created_at}`)).toEqual([
      'Limit concurrent jobs',
    ])
  })

  it('gives numbers and trailers when asked', async () => {
    const [head] = (await send(`GET ${repo}?with_stats=true&trailers=true&per_page=1`)).body
    expect(head?.stats).toEqual({ additions: 2, deletions: 0, total: 2 })
    expect(head?.trailers).toEqual({ 'Signed-off-by': 'Ana Alves <ana@example.test>' })
  })

  it('is empty for an empty repository and refuses a reference that is not there', async () => {
    expect((await send('GET /projects/labs%2Fsensors/repository/commits')).body).toEqual([])
    expect((await send(`GET ${repo}?ref_name=nowhere`)).status).toBe(404)
    expect((await send(`GET ${repo}?ref_name=--output%3Dx`)).status).toBe(404)
  })

  it('keeps the code of a private project from guests and strangers', async () => {
    expect((await send(`GET ${repo}`, { as: 'eva' })).status).toBe(403)
    expect((await send('GET /projects/13/repository/commits', { as: 'ana' })).status).toBe(404)
  })
})

describe('one commit', () => {
  it('is found by hash, branch and tag', async () => {
    const { id } = getCommitCard(1, 'login')
    for (const name of [id, id.slice(0, 10), 'feature%2Flogin']) {
      const { body } = await send(`GET ${repo}/${name}`)
      expect(body).toMatchObject({ id, status: 'failed', stats: { total: 1 } })
      expect(body.last_pipeline).toMatchObject({ id: 6, status: 'failed' })
    }
    expect((await send(`GET ${repo}/v1%2E0%2E0?stats=false`)).body.stats).toBeUndefined()
    expect((await send(`GET ${repo}/nothing`)).refusal.message).toBe('404 Commit Not Found')
  })

  it('is found only in projects that have it', async () => {
    const { id } = getCommitCard(1, 'login')
    const other = '/projects/web%2Fsite/repository/commits'
    expect((await send(`GET ${repo}/${id}`)).status).toBe(200)
    expect((await send(`GET ${other}/${id}`)).refusal.message).toBe('404 Commit Not Found')
  })

  it('names the branches and tags that contain it', async () => {
    const { id } = getCommitCard(1, 'v1')
    const { body } = await send(`GET ${repo}/${id}/refs?type=tag`)
    expect(body).toEqual([{ type: 'tag', name: 'v1.0.0' }])
    const all = (await send(`GET ${repo}/${id}/refs`)).body
    expect(all).toContainEqual({ type: 'branch', name: 'stable' })
    expect(all).toHaveLength(7)
  })

  it('shows what it changed', async () => {
    const [change] = await getDiff(getCommitCard(1, 'draft').id)
    expect(change).toMatchObject({ old_path: 'src/app.txt', new_file: false, b_mode: '100644' })
    expect(change?.diff).toContain('-port = 8080\n+port = 9090')
    const first = await getDiff(getCommitCard(1, 'start').id)
    expect(new Set(first.map((f) => f.new_file))).toEqual(new Set([true]))
  })
})

describe('creating a commit', () => {
  it('carries out every kind of action at once', async () => {
    const { status, body } = await createCommit({
      branch: 'work/all',
      start_branch: 'main',
      commit_message: 'Change everything',
      author_name: 'Zoë',
      author_email: 'zoe@example.test',
      actions: [
        { action: 'create', file_path: 'new/ü.txt', content: 'one\n' },
        { action: 'create', file_path: 'logo.bin', content: 'AAEC', encoding: 'base64' },
        { action: 'update', file_path: 'README.md', content: '# Changed\n' },
        { action: 'move', previous_path: 'LICENSE', file_path: 'LICENSE.md' },
        { action: 'chmod', file_path: 'ci/test.yml', execute_filemode: true },
        { action: 'delete', file_path: 'CHANGELOG.md' },
      ],
    })
    expect([status, body.title, body.author_name, body.committer_name]).toEqual([
      201,
      'Change everything',
      'Zoë',
      'Ben Baker',
    ])
    expect(body.parent_ids).toEqual([getCommitCard(1, 'head').id])
    const files = await getDiff(body.id)
    const paths = files.map((f) => f.new_path)
    expect(paths.sort()).toEqual(
      ['CHANGELOG.md', 'LICENSE.md', 'README.md', 'ci/test.yml', 'logo.bin', 'new/ü.txt'].sort(),
    )
    const named = (path: string) => files.find((f) => f.new_path === path)
    expect(named('LICENSE.md')).toMatchObject({ renamed_file: true, old_path: 'LICENSE' })
    expect(named('ci/test.yml')).toMatchObject({ a_mode: '100644', b_mode: '100755' })
    expect(body.stats?.total).toBeGreaterThan(0)
  })

  it('decodes actions from a form', async () => {
    const form = new URLSearchParams([
      ['branch', 'work/form'],
      ['start_sha', getCommitCard(1, 'v1').id],
      ['commit_message', 'From a form'],
      ['actions[][action]', 'create'],
      ['actions[][file_path]', 'a.txt'],
      ['actions[][content]', 'a'],
      ['actions[][action]', 'delete'],
      ['actions[][file_path]', 'LICENSE'],
    ])
    const { status, body } = await send(`POST ${repo}`, { as: 'ben', body: form })
    expect([status, body.parent_ids]).toEqual([201, [getCommitCard(1, 'v1').id]])
    expect(await getDiff(body.id)).toHaveLength(2)
  })

  it('refuses what cannot be done, and then does nothing', async () => {
    const base = { branch: 'stable', commit_message: 'x' }
    const cases = [
      [[{ action: 'create', file_path: 'README.md', content: '' }], 'already exists'],
      [[{ action: 'update', file_path: 'nope', content: '' }], "doesn't exist"],
      [[{ action: 'create', file_path: '../x', content: '' }], 'invalid path'],
      [[{ action: 'create', file_path: 'src', content: '' }], 'directory'],
    ] as const
    for (const [actions, words] of cases) {
      const { status, refusal } = await createCommit({ ...base, actions })
      expect([status, refusal.message]).toEqual([400, expect.stringContaining(words)])
    }
    expect((await listTitles('ref_name=stable'))[0]).toBe('Close the port by default')
    expect(
      (await createCommit({ ...base, actions: [{ action: 'create', file_path: 'a' }] })).refusal,
    ).toEqual({
      error: 'actions[0][content] is missing',
    })
    expect((await createCommit(base)).refusal).toEqual({ error: 'actions is missing' })
  })

  it('refuses a last commit that is not the last', async () => {
    const change = (last_commit_id: string) =>
      createCommit({
        branch: 'stable',
        commit_message: 'Careful',
        actions: [{ action: 'update', file_path: 'README.md', content: 'x\n', last_commit_id }],
      })
    expect((await change(getCommitCard(1, 'v1').id)).refusal.message).toContain('changed since')
    expect((await change(getCommitCard(1, 'start').id)).status).toBe(201)
  })

  it('leaves an existing branch alone unless forced', async () => {
    const actions = [{ action: 'create', file_path: 'forced.txt', content: 'x' }]
    const body = { branch: 'stable', start_branch: 'main', commit_message: 'Again', actions }
    expect((await createCommit(body)).refusal.message).toContain('already exists')
    expect((await createCommit({ ...body, force: true })).body.parent_ids).toEqual([
      getCommitCard(1, 'head').id,
    ])
  })

  it('starts from another project, and in an empty repository', async () => {
    const actions = [{ action: 'create', file_path: 'b.txt', content: 'b' }]
    const from = { start_project: 'ben/app', start_branch: 'from-fork' }
    const made = await createCommit({ branch: 'work/fork', commit_message: 'x', actions, ...from })
    expect(made.body.parent_ids).toEqual([getCommitCard(14, 'fork').id])
    const first = await send('POST /projects/labs%2Fsensors/repository/commits', {
      as: 'dov',
      json: { branch: 'main', commit_message: 'First', actions },
    })
    expect([first.status, first.body.parent_ids]).toEqual([201, []])
  })

  it('is for those who may push to the branch', async () => {
    const actions = [{ action: 'create', file_path: 'c.txt', content: 'c' }]
    const onto = (branch: string, as: string) =>
      createCommit({ branch, commit_message: 'x', actions, start_branch: 'main' }, as)
    expect((await onto('main', 'chi')).refusal.message).toContain('not allowed to push')
    expect((await onto('work/dov', 'dov')).status).toBe(403)
    expect((await onto('work/chi', 'chi')).status).toBe(201)
    expect((await onto('-bad', 'chi')).status).toBe(400)
  })

  it('makes commits for the same branch one after the other', async () => {
    const made = await Promise.all(
      ['1', '2', '3', '4'].map((n) =>
        createCommit({
          branch: 'stable',
          commit_message: n,
          actions: [{ action: 'create', file_path: n, content: n }],
        }),
      ),
    )
    expect(made.map((m) => m.status)).toEqual([201, 201, 201, 201])
    expect(await findFileCommit('stable', '3')).toHaveLength(1)
  })
})

describe('cherry-picking and reverting', () => {
  const apply = <V extends 'cherry_pick' | 'revert'>(verb: V, key: string, body: object) =>
    send(`POST ${repo}/${getCommitCard(1, key).id}/${verb}`, { as: 'ben', json: body })

  it('picks, then finds nothing left to pick, then takes it back', async () => {
    const dry = await apply('cherry_pick', 'limits', { branch: 'stable', dry_run: true })
    expect([dry.status, dry.body]).toEqual([200, { dry_run: 'success' }])
    const picked = await apply('cherry_pick', 'limits', { branch: 'stable' })
    const from = `(cherry picked from commit ${getCommitCard(1, 'limits').id})`
    expect(picked).toMatchObject({
      status: 201,
      body: { author_name: 'Chi Chen', message: expect.stringContaining(from) },
    })
    const again = await apply('cherry_pick', 'limits', { branch: 'stable' })
    expect([again.status, again.refusal.error_code]).toEqual([400, 'empty'])
    const back = await apply('revert', 'limits', { branch: 'stable' })
    const reverts = expect.stringMatching(/\n\nThis reverts commit [\da-f]{40}$/)
    expect(back).toMatchObject({
      status: 201,
      body: { title: 'Revert "Limit concurrent jobs"', message: reverts },
    })
    const twice = await apply('revert', 'limits', { branch: 'stable', dry_run: true })
    expect(twice.refusal).toMatchObject({ error_code: 'empty', dry_run: 'error' })
  })

  it('says when it clashes', async () => {
    const clash = await apply('cherry_pick', 'logging', { branch: 'main' })
    expect([clash.status, clash.refusal.error_code]).toEqual([400, 'conflict'])
    expect(clash.refusal).not.toHaveProperty('dry_run')
    expect((await apply('revert', 'start', { branch: 'main' })).refusal.error_code).toBe('conflict')
  })

  it('takes back a merge along its first parent, and takes a message of its own', async () => {
    await apply('revert', 'merge', { branch: 'main' })
    expect((await listTitles('per_page=1'))[0]).toContain('Revert "Merge branch')
    const picked = await apply('cherry_pick', 'search', { branch: 'main', message: 'Back again' })
    expect(picked.body).toHaveProperty('message', 'Back again')
  })

  it('needs branch and commit', async () => {
    expect((await apply('revert', 'merge', { branch: 'none' })).refusal.message).toBe(
      '404 Branch Not Found',
    )
    expect((await apply('revert', 'merge', {})).refusal).toEqual({ error: 'branch is missing' })
  })
})

describe('git', () => {
  /** Counts the programs that are started meanwhile. The function gets the number of those so far. */
  const countStarts = async (work: (count: () => Promise<number>) => Promise<void>) => {
    const place = await mkdtemp(join(tmpdir(), 'svcctl-git-'))
    const log = join(place, 'log')
    const { PATH } = process.env
    try {
      const real = (await execa('which', ['git'])).stdout
      const script = `#!/bin/sh\nprintf x >>'${log}'\nexec '${real}' "$@"\n`
      await writeFile(join(place, 'git'), script, { mode: 0o755 })
      await writeFile(log, '')
      process.env.PATH = `${place}:${PATH}`
      await work(async () => (await readFile(log, 'utf8')).length)
    } finally {
      process.env.PATH = PATH
      await rm(place, { recursive: true, force: true })
    }
  }

  it('is started no more often for a commit of many actions than for one of few', async () => {
    await countStarts(async (count) => {
      const create = async (prefix: string, files: number): Promise<number> => {
        const before = await count()
        const actions = Array.from({ length: files }, (_, at) => ({
          action: 'create',
          file_path: `${prefix}/${at}.txt`,
          content: `${prefix} ${at}\n`,
        }))
        const json = { branch: 'main', commit_message: prefix, actions }
        expect((await send(`POST ${repo}`, { json })).status).toBe(201)
        return (await count()) - before
      }
      // The first commit also creates the repository.
      await create('first', 1)
      const few = await create('few', 2)
      expect(few).toBeGreaterThan(0)
      expect(await create('many', 200)).toBe(few)
    })
    const last = await send(`GET ${repo}/main`)
    expect(last.body.stats).toEqual({ additions: 200, deletions: 0, total: 200 })
  })

  it('is asked only once about a commit', async () => {
    const { id } = getCommitCard(1, 'login')
    const first = await send(`GET ${repo}/${id}`)
    await countStarts(async (count) => {
      expect((await send(`GET ${repo}/${id}`)).body).toEqual(first.body)
      expect(await count()).toBe(0)
    })
  })
})
