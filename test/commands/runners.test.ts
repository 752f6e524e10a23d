/** `runners pause`, `resume` and `register`; `drain.test.ts` has `runners drain`. */
import { describe, expect, it } from 'vitest'
import { createCaller } from './calling.js'

const { server, call, sent } = createCaller()

describe.each([
  ['pause', false, 'paused'],
  ['resume', true, 'resumed'],
])('runners %s', (verb, active, done) => {
  it('changes nothing but whether they take jobs, and says so of each', async () => {
    server.answer = () => ({ status: 204 })
    const ran = await call(`runners ${verb} 1 2`)
    expect(ran.code).toBe(0)
    expect(sent()).toEqual([
      { line: 'PUT /runners/1', body: { active } },
      { line: 'PUT /runners/2', body: { active } },
    ])
    expect(ran.stderr).toContain(done)
  })

  it('takes no attribute', async () => {
    expect((await call(`runners ${verb} 1 --description x`)).code).toBe(2)
    expect((await call(`runners ${verb} 1 --active`)).code).toBe(2)
    expect(server.seen).toEqual([])
  })
})

it('many answers that are not as asked are said of twenty, and the others counted', async () => {
  server.answer = ({ url }) => ({ body: { id: Number(url.split('/').at(-1)), description: url } })
  const ids = Array.from({ length: 23 }, (_, i) => String(i + 1))
  const { stderr } = await call(['runners', 'update', ...ids, '--description', 'x'])
  expect(stderr.match(/did not apply description: the value is/g)).toHaveLength(20)
  expect(stderr).toContain('3 more attributes were not applied')
})

describe('runners register', () => {
  const token = 'new-runner-token'

  it.each([[[]], [['-o', 'json']], [['-o', 'csv']]])(
    'shows the runner’s own token whole, this once: %j',
    async (flags) => {
      server.answer = () => ({ status: 201, body: { id: 9, token } })
      const ran = await call(['runners', 'register', '--token', 'env:REGISTRATION', ...flags], {
        env: { REGISTRATION: 'registration-token' },
      })
      expect(ran.code).toBe(0)
      expect(ran.stdout).toContain(token)
      expect(sent()).toEqual([{ line: 'POST /runners', body: { token: 'registration-token' } }])
      expect(server.seen[0]?.headers['private-token']).toBeUndefined()
    },
  )
})
