/** Tests `storage-move schedule`: which storage is emptied of which objects, and whether the command waits. */
import { describe, expect, it } from 'vitest'
import { createCaller } from './calling.js'

const { server, call, sent } = createCaller()
const between = '--source-storage-name default --destination-storage-name second'
const answerProjects = (count: number) => ({
  body: Array.from({ length: count }, (_, id) => ({ id })),
})

describe('storage-move schedule', () => {
  it.each([
    ['projects', 'POST /project_repository_storage_moves'],
    ['snippets', 'POST /snippet_repository_storage_moves'],
    ['groups', 'POST /group_repository_storage_moves'],
  ])('moves %s', async (kind, line) => {
    server.answer = () => ({ status: 202 })
    const ran = await call(`storage-move schedule ${kind} ${between} --yes`)
    expect(ran).toMatchObject({ code: 0, stdout: '' })
    expect(ran.stderr).toContain('scheduled')
    const body = { source_storage_name: 'default', destination_storage_name: 'second' }
    expect(sent()).toEqual([{ line, body }])
    expect(server.seen).toHaveLength(1)
  })

  it.each([
    ['', 'storage-move schedule requires one of projects, snippets, groups'],
    [
      ' repositories',
      'storage-move schedule requires one of projects, snippets, groups, not "repositories"',
    ],
    [' snippets --wait', 'the API cannot list snippets by storage'],
    [' groups --wait', 'the API cannot list groups by storage'],
  ])('refuses "%s" before anything is sent', async (kind, says) => {
    const ran = await call(`storage-move schedule${kind} ${between} --yes`)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(says)
    expect(server.seen).toEqual([])
  })

  it('says which of them needs an edition', async () => {
    const { stdout } = await call('storage-move schedule --help')
    expect(stdout).toMatch(/^ *edition +PREMIUM or higher, only for groups$/m)
  })

  it('waits with --wait until no project is left on the source', async () => {
    let left = 2
    server.answer = ({ method }) => (method === 'GET' ? answerProjects(left--) : { body: {} })
    const ran = await call(`storage-move schedule projects ${between} --yes --wait`)
    expect(ran.code).toBe(0)
    const look = 'GET /projects?simple=true&repository_storage=default&per_page=100'
    expect(server.lines()).toEqual(['POST /project_repository_storage_moves', look, look, look])
    expect(ran.stderr).toContain('no projects left on default')
  })

  it('ends with 1 when they outlast --wait-timeout, and says how to look again', async () => {
    server.answer = ({ method }) => (method === 'GET' ? answerProjects(3) : { body: {} })
    const line = `storage-move schedule projects ${between} --yes --wait --wait-timeout 1`
    const ran = await call(line)
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain('3 projects were still on default after 1 s')
    expect(ran.stderr).toContain('svcctl projects list --repository-storage default')
    expect(ran.stderr).not.toContain('no project is left')
  })

  it('does not wait where the moves were refused', async () => {
    server.answer = () => ({ status: 403, body: { message: '403 Forbidden' } })
    const ran = await call(`storage-move schedule projects ${between} --yes --wait`)
    expect(ran.code).toBe(3)
    expect(server.lines()).toEqual(['POST /project_repository_storage_moves'])
  })

  it('sends nothing with --curl', async () => {
    const ran = await call(`storage-move schedule projects ${between} --wait --curl`)
    expect(ran.code).toBe(0)
    expect(ran.stdout).toContain('/api/v4/project_repository_storage_moves')
    expect(server.seen).toEqual([])
  })
})
