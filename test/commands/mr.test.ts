/** Tests `mr rebase`: the request, and with `--wait` also the wait for its end. */
import { describe, expect, it } from 'vitest'
import { createCaller } from './calling.js'

const { server, call } = createCaller()
const route = '/projects/platform%2Fapp/merge_requests/1'
/** Mocks a rebase that is reported as running for this number of reads, and then ends with these fields. */
const mockRebase = (rounds: number, end: Readonly<Record<string, unknown>>): void => {
  let left = rounds
  server.answer = ({ method }) => {
    if (method === 'PUT') return { status: 202, body: { rebase_in_progress: true } }
    const going = left-- > 0
    return { body: { iid: 1, rebase_in_progress: going, ...(going ? {} : end) } }
  }
}
const rebase = (...flags: string[]) =>
  call(['mr', 'rebase', '1', '-P', 'platform/app', ...flags, '-o', 'json'])
const look = `GET ${route}?include_rebase_in_progress=true`

describe('mr rebase', () => {
  it('shows people what a rebase changes, and programs the whole record', async () => {
    const record = {
      iid: 1,
      title: 'a title',
      sha: 'abc',
      head_pipeline: { id: 7, status: 'running' },
    }
    server.answer = ({ method }) =>
      method === 'PUT'
        ? { status: 202, body: { rebase_in_progress: true } }
        : { body: { ...record, rebase_in_progress: false, merge_error: null } }
    const line = ['mr', 'rebase', '1', '-P', 'platform/app', '--wait']
    const { stdout } = await call(line)
    expect(stdout).toContain('sha\tabc\n')
    expect(stdout).toContain('head_pipeline.id\t7\n')
    expect(stdout).not.toContain('a title')
    expect((await call([...line, '--fields', 'title'])).stdout).toBe('title\ta title\n')
    expect((await call([...line, '-o', 'csv'])).stdout).toContain('a title')
  })

  it('asks for it, and is done with that', async () => {
    mockRebase(9, {})
    expect((await rebase()).code).toBe(0)
    expect(server.lines()).toEqual([`PUT ${route}/rebase`])
  })

  it('follows it with --wait, and gives the record in the end', async () => {
    mockRebase(2, { merge_error: null })
    const ran = await rebase('--wait')
    expect(ran.code).toBe(0)
    expect(server.lines()).toEqual([`PUT ${route}/rebase`, look, look, look])
    expect(JSON.parse(ran.stdout)).toEqual({ iid: 1, rebase_in_progress: false, merge_error: null })
  })

  it('is exit 1 with the error of the record', async () => {
    mockRebase(0, { merge_error: 'There were conflicts' })
    const ran = await rebase('--wait')
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain('There were conflicts')
    mockRebase(0, { merge_error: '' })
    expect((await rebase('--wait')).code).toBe(0)
  })

  it('gives up after --wait-timeout, and says that it goes on', async () => {
    mockRebase(Number.POSITIVE_INFINITY, {})
    const ran = await rebase('--wait', '--wait-timeout', '1')
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain('the rebase was still in progress after 1 s')
    expect(ran.stderr).toContain("or check it with: svcctl mr get 'platform/app!1'")
  })

  it('takes an answer that does not tell for no end', async () => {
    server.answer = ({ method }) => ({ body: method === 'PUT' ? {} : { iid: 1 } })
    const ran = await rebase('--wait')
    expect(ran.code).toBe(7)
    expect(ran.stderr).toContain('without reporting whether the rebase is in progress')
  })
})
