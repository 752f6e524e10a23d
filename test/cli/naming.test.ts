import { describe, expect, it } from 'vitest'
import { describeObjects } from '../../src/answer/prompter.js'
import type { JsonValues } from '../../src/base/objects.js'
import { areas } from '../../src/catalogue/index.js'
import { loadCommand } from '../../src/commands/index.js'
import { Failure } from '../../src/errors.js'
import type { Ask } from '../../src/http/types.js'
import { startRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

/** Describes the objects of plans as a confirmation does, and records the routes that were read for it. */
const describePlans = async (
  area: string,
  words: string,
  objects: readonly (readonly [label: string, values: JsonValues])[],
  answer: (ask: Ask) => unknown,
) => {
  const endpoints = await areas.find(({ name }) => name === area)?.load()
  const command = endpoints && (await loadCommand(area, words, endpoints))
  const [key, endpoint] = Object.entries(command?.endpoints ?? {})[0] ?? []
  if (command === undefined || key === undefined || endpoint === undefined)
    throw new Error(`no ${area} ${words}`)
  const read: string[] = []
  const plans = objects.map(([label, values]) => ({ key, endpoint, label, values }))
  const lines = await describeObjects(command, plans, async (ask) => {
    read.push(ask.endpoint.route)
    return answer(ask)
  })
  return { lines, read }
}

const app = { id: 'platform/app' }

describe('what a confirmation lists', () => {
  it.each([
    [
      'deploy-keys',
      'delete',
      { ...app, key_id: 3 },
      { title: 'ci' },
      'delete deploy key 3 "ci" of platform/app',
      'GET /projects/:id/deploy_keys/:key_id',
    ],
    [
      'artifacts',
      'delete',
      { id: 1, job_id: 3 },
      { name: 'build' },
      'delete artifacts of job 3 "build" of project 1',
      'GET /projects/:id/jobs/:job_id',
    ],
    [
      'geo',
      'nodes delete',
      { id: 3 },
      { name: 'south' },
      'delete geo node 3 "south"',
      'GET /geo_nodes/:id',
    ],
    [
      'members',
      'billable remove',
      { id: 'web', user_id: 3 },
      { username: 'dov' },
      'remove user 3 "dov" of group web',
      'GET /groups/:id/members/:user_id',
    ],
  ] as const)('%s %s', async (area, words, values, record, line, route) => {
    const { lines, read } = await describePlans(area, words, [['3', values]], () => record)
    expect({ lines, read }).toEqual({ lines: [line], read: [route] })
  })

  it('is named without a read where what was given is the name, or nothing tells one', async () => {
    const domain = await describePlans(
      'pages-domains',
      'delete',
      [['www.svc.example', { ...app, domain: 'www.svc.example' }]],
      () => ({}),
    )
    expect(domain).toEqual({
      lines: ['delete pages domain www.svc.example of platform/app'],
      read: [],
    })
    const key = [['3', { ...app, key_id: 3 }]] as const
    const { lines, read } = await describePlans('error-tracking', 'keys delete', key, () => ({}))
    expect({ lines, read }).toEqual({ lines: ['delete client key 3 of platform/app'], read: [] })
  })

  it('goes by what was given where the read fails, but not past an interruption', async () => {
    const key = [['3', { ...app, key_id: 3 }]] as const
    const failing = (category: 'unreachable' | 'interrupted') => () => {
      throw new Failure(category, 'no')
    }
    const { lines } = await describePlans('deploy-keys', 'delete', key, failing('unreachable'))
    expect(lines).toEqual(['delete deploy key 3 of platform/app'])
    expect(await describePlans('deploy-keys', 'delete', key, () => 'odd')).toMatchObject({ lines })
    await expect(
      describePlans('deploy-keys', 'delete', key, failing('interrupted')),
    ).rejects.toThrow('no')
  })

  it('is read of the first ten only', async () => {
    const keys = Array.from({ length: 12 }, (_, i) => [`${i}`, { ...app, key_id: i }] as const)
    const { lines, read } = await describePlans('deploy-keys', 'delete', keys, () => ({
      title: 'ci',
    }))
    expect(read).toHaveLength(10)
    expect(lines).toHaveLength(12)
    expect(lines.filter((line) => line.includes('"ci"'))).toHaveLength(10)
  })

  it('is read only where somebody is asked', async () => {
    const server = await startRecorder(() => ({ status: 204 }))
    const args = ['deploy-keys', 'delete', '3', '-P', 'a/b', '--base-url', server.url]
    const env = { SVC_TOKEN: 'any' }
    const refused = await svcctl(args, { env })
    expect(refused.code).toBe(2)
    expect(server.lines()).toEqual([])
    const done = await svcctl([...args, '--yes', '--no-undo-record'], { env })
    expect(done.code).toBe(0)
    expect(server.lines()).toEqual(['DELETE /projects/a%2Fb/deploy_keys/3'])
    await server.close()
  })
})
