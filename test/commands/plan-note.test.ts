/** Tests `--note`: it adds one note to the merge request of the CI job, or prints the text if it cannot be added. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useSharedSandbox } from '../sandbox/instance.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { startProxy } from './front.js'

const { url } = useSharedSandbox()
const token = 'sandbox-root-token'
const own = { id: 1 }

interface Note {
  readonly id: number
  body: string
  readonly author: { readonly id: number }
}

const cwd = createFolder()
writeFileSync(
  join(cwd, 'a.yml'),
  'version: 1\nprojects: {platform/app: {approval_rules: {Security: {approvals_required: 5}}}}\n',
)

/** Starts an instance with a merge request that has these notes, and creates a function that runs lines in its CI job. */
const createMergeRequest = async (
  notes: Note[],
  refuses?: (path: string) => number | undefined,
) => {
  const asked: { readonly url: string; readonly token: string | undefined }[] = []
  const front = await startProxy(url, ({ url: path, method, body, headers }, response) => {
    const [, id] = /\/merge_requests\/7\/notes(?:\/(\d+))?(?:\?|$)/.exec(path) ?? []
    if (!path.includes('/notes')) return false
    asked.push({ url: path, token: headers['private-token']?.toString() })
    const status = refuses?.(path)
    const text = method === 'GET' ? '' : (JSON.parse(body) as { body: string }).body
    const page = Number(/&page=(\d+)/.exec(path)?.[1] ?? 1)
    const known = notes.find((note) => note.id === Number(id))
    if (status === undefined && known !== undefined) known.body = text
    else if (status === undefined && method === 'POST')
      notes.push({ id: 1000, body: text, author: own })
    response.writeHead(status ?? 200, { 'content-type': 'application/json' })
    const listed = notes.toReversed().slice((page - 1) * 100, page * 100)
    response.end(JSON.stringify(status === undefined ? listed : { message: 'no' }))
    return true
  })
  const config = createConfiguration()
  const run = (line: string, more: Readonly<Record<string, string | undefined>> = {}) =>
    svcctl(line.split(' '), {
      cwd,
      env: {
        SVC_CONFIG_DIR: config,
        SVC_BASE_URL: front.base,
        SVC_TOKEN: token,
        SVC_NOTE_TOKEN: token,
        CI_PROJECT_ID: '1',
        CI_MERGE_REQUEST_IID: '7',
        ...more,
      },
    })
  return { run, asked, front, notes }
}

describe('plan --note', () => {
  it('creates one note, and updates it, whatever others wrote', async () => {
    const foreign = { id: 3, body: '<!-- svcctl:plan -->\nnot ours', author: { id: 2 } }
    const { run, notes } = await createMergeRequest([
      { id: 1, body: 'Looks good', author: own },
      foreign,
      { id: 4, body: '<!-- svcctl:drift -->\n', author: own },
    ])
    const first = await run('plan a.yml --note')
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('created a note') })
    expect(first.stderr).toContain('on merge request !7')
    expect(notes.at(-1)?.body).toMatch(/^<!-- svcctl:plan -->\n## Plan for /)
    const again = await run('plan a.yml --note --only approvals')
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('updated note 1000') })
    expect(notes.map(({ id }) => id)).toEqual([1, 3, 4, 1000])
    expect(foreign.body).toContain('not ours')
    expect(notes.at(-1)?.body).toContain('**Nothing to do**')
  })

  it('finds its note behind many others', async () => {
    const others = Array.from({ length: 150 }, (_, i) => ({ id: i + 2, body: 'x', author: own }))
    const mine = { id: 1, body: '<!-- svcctl:plan -->\nold', author: own }
    const { run, notes } = await createMergeRequest([mine, ...others])
    expect((await run('plan a.yml --note')).stderr).toContain('updated note 1 ')
    expect([notes.length, mine.body]).toEqual([151, expect.stringContaining('Plan for')])
  })

  it('uses its own token for the note, and never that of the plan', async () => {
    const { run, asked, front } = await createMergeRequest([])
    const { stderr } = await run('plan a.yml --note', { SVC_NOTE_TOKEN: 'sandbox-ana-token' })
    expect(stderr).toContain('created a note')
    expect(new Set(asked.map((one) => one.token))).toEqual(new Set(['sandbox-ana-token']))
    expect(front.written()).toHaveLength(1)
  })

  it('needs its token, and a merge request, before anything is planned', async () => {
    const { run, front } = await createMergeRequest([])
    const none = await run('plan missing.yml --note', { SVC_NOTE_TOKEN: '' })
    expect(none).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('--note requires SVC_NOTE_TOKEN'),
    })
    for (const name of ['CI_PROJECT_ID', 'CI_MERGE_REQUEST_IID'])
      expect(await run('drift a.yml --note', { [name]: '' })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--note requires the CI job of a merge request'),
      })
    expect((await run('plan a.yml --explain site:settings --note')).code).toBe(2)
    expect((await run('apply a.yml --note')).code).toBe(2)
    expect(front.written()).toEqual([])
  })

  it('is for the instance that runs the job, and for the project of the merge request', async () => {
    const there = await createMergeRequest([])
    const { run, asked } = await createMergeRequest([])
    const elsewhere = { CI_SERVER_URL: there.front.base, CI_MERGE_REQUEST_PROJECT_ID: 'a/b' }
    expect((await run('plan a.yml --note', elsewhere)).stderr).toContain('created a note')
    expect(asked).toEqual([])
    expect(there.asked.at(-1)?.url).toBe('/api/v4/projects/a%2Fb/merge_requests/7/notes')
  })

  it.each([
    ['plan', 0],
    ['drift', 1],
  ])('prints what cannot be posted, and ends as without: %s', async (verb, code) => {
    const { run } = await createMergeRequest([], (path) => (path.includes('?') ? undefined : 403))
    const wanted = await run(`${verb} a.yml`)
    const ran = await run(`${verb} a.yml --note`)
    expect([wanted.code, ran.code]).toEqual([code, code])
    expect(ran.stderr).toMatch(/the note was not posted: .*403/)
    expect(ran.stdout).toContain(`<!-- svcctl:${verb} -->`)
    const json = await run(`${verb} a.yml --note -o json`)
    expect(JSON.parse(json.stdout)).toHaveProperty('actions')
    expect(json.stderr).toContain(`<!-- svcctl:${verb} -->`)
    expect(json.stdout + json.stderr + ran.stdout + ran.stderr).not.toContain(token)
  })

  it('prints it where no user or no instance answers', async () => {
    const { run } = await createMergeRequest([], () => 401)
    const ran = await run('plan a.yml --note', { CI_SERVER_URL: 'http://127.0.0.1:9' })
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('<!-- svcctl:plan -->')])
  })
})
