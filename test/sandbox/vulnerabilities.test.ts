import { describe, expect, it } from 'vitest'
import { readState } from '../../src/sandbox/index.js'
import { useFreshSandbox } from './instance.js'

const { send, folder } = useFreshSandbox()

describe('vulnerabilities', () => {
  it('are listed with their findings for who may use the dashboard', async () => {
    const { body } = await send('GET /projects/1/vulnerabilities', { as: 'chi' })
    expect(body).toHaveLength(4)
    expect(body[0]).toMatchObject({ state: 'detected', project_default_branch: 'main' })
    expect(JSON.parse(String(body[0]?.finding?.raw_metadata))).toHaveProperty('severity')
    expect((await send('GET /projects/1/vulnerabilities', { as: 'dov' })).status).toBe(403)
    expect((await send('GET /projects/2/vulnerabilities', { as: 'gus' })).status).toBe(404)
    expect((await send('GET /projects/6/vulnerabilities', { as: '' })).status).toBe(401)
  })

  it('are made from a finding that has none, in the query', async () => {
    const create = (finding: string) =>
      send(`POST /projects/1/vulnerabilities?finding_id=${finding}`, { as: 'chi' })
    const { status, body } = await create('5')
    expect(status).toBe(201)
    expect(body).toMatchObject({
      title: 'Regular expression without bounds',
      state: 'detected',
      author_id: 4,
      project: { full_path: 'platform/app' },
    })
    for (const finding of ['5', '1', '999', 'abc', '7'])
      expect((await create(finding)).refusal).toEqual({
        message: { base: ['finding is not found or is already attached to a vulnerability'] },
      })
    expect((await send('POST /projects/1/vulnerabilities')).refusal).toEqual({
      error: 'finding_id is missing',
    })
  })

  it.each([
    ['confirm', 'confirmed', {}],
    ['resolve', 'resolved', { closed_at: null }],
    ['dismiss', 'closed', { closed_by_id: 3 }],
    ['revert', 'detected', { closed_by_id: null }],
  ])('%s leads to %s once, and then says 304', async (verb, state, more) => {
    await send('POST /projects/1/vulnerabilities?finding_id=5')
    if (verb === 'revert') await send('POST /vulnerabilities/7/dismiss', { as: 'ben' })
    const first = await send(`POST /vulnerabilities/7/${verb}`, { as: 'ben' })
    expect(first.body).toMatchObject({ state, ...more })
    const again = await send(`POST /vulnerabilities/7/${verb}`, { as: 'ben' })
    expect([again.status, again.text]).toEqual([304, ''])
  })

  it('hide those of a private project, and refuse who may not change them', async () => {
    expect((await send('GET /vulnerabilities/1', { as: 'dov' })).status).toBe(403)
    expect((await send('POST /vulnerabilities/1/confirm', { as: 'eva' })).status).toBe(403)
    expect((await send('GET /vulnerabilities/6', { as: 'gus' })).status).toBe(404)
    expect((await send('GET /vulnerabilities/999')).status).toBe(404)
  })
})

describe('dependencies', () => {
  it('are filtered by package manager', async () => {
    const of = (query: string) => send(`GET /projects/1/dependencies?${query}`, { as: 'chi' })
    expect((await of('')).body).toHaveLength(4)
    expect((await of('package_manager=npm,pip')).body.map((d) => d.name)).toEqual([
      'left-pad',
      'tls-lite',
      'requests-light',
    ])
    expect((await of('package_manager=rpm')).refusal).toEqual({
      error: 'package_manager does not have a valid value',
    })
    expect((await of('')).body[1]?.vulnerabilities).toEqual([
      { name: 'Outdated TLS library', severity: 'high' },
    ])
  })

  it('need the repository, and the dashboard for what is wrong with them', async () => {
    const { body } = await send('GET /projects/1/dependencies', { as: 'dov' })
    expect(body[1]).not.toHaveProperty('vulnerabilities')
    expect((await send('GET /projects/1/dependencies', { as: 'eva' })).status).toBe(403)
    expect((await send('GET /projects/7/dependencies', { as: 'eva' })).status).toBe(404)
  })
})

describe('the list of vulnerabilities', () => {
  it('stands in the order of severity, also after one was made', async () => {
    const order = ['critical', 'high', 'medium', 'low', 'unknown', 'info']
    const list = async () => (await send('GET /projects/1/vulnerabilities?per_page=100')).body
    const before = await list()
    const { findings } = await readState(folder())
    const free = findings.filter((f) => f.project_id === 1 && f.vulnerability_id === null)
    for (const { id } of free)
      expect((await send(`POST /projects/1/vulnerabilities?finding_id=${id}`)).status).toBe(201)
    const after = await list()
    expect(after.length).toBeGreaterThan(before.length)
    const ranks = after.map(({ severity }) => order.indexOf(severity))
    expect(ranks).toEqual([...ranks].sort())
  })
})
