/** Tests `issues promote`, which adds a note with the quick action. */
import { describe, expect, it } from 'vitest'
import { createCaller } from './calling.js'

const { server, call, sent } = createCaller()
const runPromote = (...flags: string[]) =>
  call(['issues', 'promote', '3', '-P', 'platform/app', '--yes', ...flags])
const listBodies = () => sent().map(({ body }) => body)

describe('issues promote', () => {
  it('sends a note that is just the quick action', async () => {
    server.answer = () => ({ status: 204 })
    const ran = await runPromote()
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('promoted')
    expect(sent()).toEqual([
      { line: 'POST /projects/platform%2Fapp/issues/3/notes', body: { body: '/promote' } },
    ])
  })

  it.each(['/promote', 'Here it goes\n/promote', '/promote\nthanks'])(
    'sends a note that promotes: %j',
    async (body) => {
      expect((await runPromote('--body', body)).code).toBe(0)
      expect(listBodies()).toEqual([{ body }])
    },
  )

  it('checks the note of --input as well, and leaves that of --param alone', async () => {
    const line = ['issues', 'promote', '3', '-P', 'platform/app', '--yes', '--input', '-']
    expect((await call(line, { input: '{"body": "no"}' })).code).toBe(2)
    expect((await runPromote('--param', 'body=anything')).code).toBe(0)
    expect(listBodies()).toEqual([{ body: 'anything' }])
  })
})
