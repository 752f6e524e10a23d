/** Tests lists that are sorted or worded for people, while programs get what the API sends. */
import { describe, expect, it } from 'vitest'
import { answerByRoute, createCaller, parseRows } from './calling.js'

const { server, call, atTerminal } = createCaller()
const listIds = (stdout: string): readonly (string | undefined)[] =>
  parseRows(stdout).map((r) => r.id)

describe('a list of something else than records', () => {
  const formats = ['json', 'ndjson', 'csv', 'table', 'yaml', 'markdown', 'id', 'html']
  it.each(formats)('is an answer that cannot be read: -o %s', async (format) => {
    for (const body of [[null], [1], ['a'], [[]], [{ id: 1 }, null]]) {
      server.answer = () => ({ body })
      const { code, stderr } = await call(`runners list --instance -o ${format}`)
      expect([code, stderr], JSON.stringify(body)).toEqual([
        7,
        expect.stringContaining('the response has a record that is no object'),
      ])
    }
  })

  it('prints the records before it, and may be what api reads', async () => {
    server.answer = () => ({ body: [{ id: 1 }, 'a'] })
    expect((await call('runners list --instance -o id')).stdout).toBe('1\n')
    expect((await call('runners list --instance --where id=1 -o csv --fields id')).code).toBe(7)
    expect((await call('api runners/all -o ndjson')).code).toBe(0)
  })
})

describe('vulnerabilities list', () => {
  const severities = ['low', 'Critical', 'odd', 'info', 'high', 'unknown', 'medium']
  const found = severities.map((severity, id) => ({ id, severity, title: severity, state: 'x' }))

  it('shows the worst first in tables, and elsewhere in the order of the API', async () => {
    server.answer = () => ({ body: found })
    const table = await call('vulnerabilities list -P 3')
    expect(listIds(table.stdout)).toEqual(['1', '4', '6', '5', '0', '3', '2'])
    expect(JSON.parse((await call('vulnerabilities list -P 3 -o json')).stdout)).toEqual(found)
    const sheet = await call('vulnerabilities list -P 3 -o csv --fields id')
    expect(sheet.stdout.trim().split('\n')).toEqual(['id', '0', '1', '2', '3', '4', '5', '6'])
  })
})

describe('dependencies list', () => {
  const weak = (...severities: string[]) => severities.map((severity) => ({ name: 'w', severity }))
  const found = [
    { name: 'sound', version: '1', package_manager: 'npm', vulnerabilities: [] },
    { name: 'poor', version: '1', package_manager: 'npm', vulnerabilities: weak('low', 'medium') },
    { name: 'bare', version: '1', package_manager: 'yarn' },
    { name: 'bad', version: '1', package_manager: 'pip', vulnerabilities: weak('info', 'high') },
  ]

  it('shows vulnerable ones first in tables, the worst foremost', async () => {
    server.answer = () => ({ body: found })
    const table = parseRows((await call('dependencies list -P 3')).stdout)
    expect(table.map(({ name }) => name)).toEqual(['bad', 'poor', 'sound', 'bare'])
    expect(JSON.parse((await call('dependencies list -P 3 -o json')).stdout)).toEqual(found)
  })

  it('makes a bill of materials of all pages, or of the part that was asked for', async () => {
    const page = (body: unknown, next?: number) => ({
      body,
      headers:
        next === undefined
          ? {}
          : { link: `<${server.url}/api/v4/projects/3/dependencies?page=${next}>; rel="next"` },
    })
    server.answer = ({ url }) =>
      url.includes('page=2') ? page(found.slice(2)) : page(found.slice(0, 2), 2)
    const bill = async (flags = '') => {
      const ran = await call(`dependencies list -P 3 -o cyclonedx${flags}`)
      return JSON.parse(ran.stdout)
    }
    const whole = await bill()
    expect(whole).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: '3' } } })
    expect(whole.components).toHaveLength(4)
    expect(whole.vulnerabilities).toHaveLength(4)
    expect((await bill(' --limit 1')).components).toHaveLength(1)
    expect((await bill()).serialNumber).not.toBe(whole.serialNumber)
  })
})

describe('a list of shorter records', () => {
  const request = { id: 9, iid: 4, title: 'Fast', state: 'opened', web_url: 'https://x.test/4' }
  const updated_at = '2026-01-01T00:00:00Z'
  const project = { id: 3, path_with_namespace: 'a/b', default_branch: 'main' }
  const last_activity_at = updated_at

  it.each([
    ['mr list --view simple', { ...request, updated_at }],
    ['mr list -P 3 --view simple', { ...request, updated_at }],
    ['mr list -P 3 -P 4 --view simple', { ...request, updated_at }],
    ['projects list --simple', { ...project, last_activity_at }],
    ['projects list --user ana --simple', { ...project, last_activity_at }],
  ])('has the columns that they have: %s', async (line, record) => {
    server.answer = () => ({ body: [record] })
    const { stdout, stderr } = await call(line)
    const [row] = parseRows(stdout)
    const shown = Object.values(row ?? {})
    expect(shown).toContain(updated_at)
    expect(shown).not.toContain('')
    expect(stderr).toBe('')
  })

  it('has the usual columns with --no-simple', async () => {
    server.answer = () => ({ body: [{ ...project, last_activity_at, visibility: 'public' }] })
    expect((await call('projects list --no-simple')).stdout).toContain('visibility')
  })
})

describe('events list', () => {
  const event = (id: number, project_id: number) => ({
    id,
    project_id,
    action_name: 'opened',
    target_type: 'Issue',
    target_iid: id,
    target_title: 'Late',
    author: { name: 'Ana' },
    created_at: new Date(Date.now() - 7_200_000).toISOString(),
  })

  it('sends its filters: of everybody with --scope all, of one user, of a project', async () => {
    await call('events list --scope all')
    await call('events list --user ana --action pushed')
    await call('events list -P a/b --target-type issue --after 2026-01-01')
    expect(server.lines()).toEqual([
      'GET /events?scope=all&per_page=100',
      'GET /users/ana/events?action=pushed&per_page=100',
      'GET /projects/a%2Fb/events?target_type=issue&after=2026-01-01&per_page=100',
    ])
  })

  it('gives programs the records, and asks for no project', async () => {
    const found = [event(1, 3)]
    server.answer = () => ({ body: found })
    expect(JSON.parse((await call('events list -o json')).stdout)).toEqual(found)
    expect(server.seen).toHaveLength(1)
  })

  it('is a line an event on a terminal, each project asked for once', async () => {
    server.answer = ({ url }) =>
      url.includes('/projects/4')
        ? { status: 404, body: { message: '404 Not found' } }
        : url.includes('/projects/3')
          ? { body: { path_with_namespace: 'platform/app' } }
          : { body: [event(1, 3), event(2, 4), event(3, 3)] }
    await atTerminal('events list', async (terminal) => {
      const screen = await terminal.until(/ended with 0/)
      expect(screen).toContain('2 h ago     Ana opened issue #1 “Late” in platform/app')
      expect(screen).toContain('2 h ago     Ana opened issue #2 “Late” in project 4')
      expect(screen).toContain('2 h ago     Ana opened issue #3 “Late” in platform/app')
    })
    expect(server.lines().slice(1)).toEqual(['GET /projects/3', 'GET /projects/4'])
  })
})

describe('integrations list', () => {
  const found = [{ slug: 'x', id: 1, active: '1', push_events: 'false', job_events: 0, title: '1' }]

  it('shows booleans as such in tables and sheets, and to programs what came', async () => {
    server.answer = () => ({ body: found })
    const line = 'integrations list -P 3'
    const fields = '--fields slug,active,push_events,job_events,title'
    expect(parseRows((await call(`${line} ${fields}`)).stdout)).toEqual([
      { slug: 'x', active: 'true', push_events: 'false', job_events: 'false', title: '1' },
    ])
    expect((await call(`${line} ${fields} -o csv`)).stdout).toContain('x,true,false,false,1')
    expect(JSON.parse((await call(`${line} -o json`)).stdout)).toEqual(found)
  })
})

describe('integrations get', () => {
  it('shows booleans as such, in nested properties too', async () => {
    const record = { slug: 'x', active: 1, properties: { push_events: 'true', title: '0' } }
    server.answer = () => ({ body: record })
    const line = 'integrations get x -P 3'
    const table = await call(`${line} --fields active,properties`)
    expect(table.stdout).toBe('active\ttrue\nproperties\t{"push_events":true,"title":"0"}\n')
    expect(JSON.parse((await call(`${line} -o json`)).stdout)).toEqual(record)
    expect(server.lines()[0]).toBe('GET /projects/3/integrations/x')
  })
})

describe('pages-domains list', () => {
  it('shows name and end of certificates, which the API has not as fields', async () => {
    const expiration = '2027-01-31T00:00:00.000Z'
    server.answer = answerByRoute({
      'GET /pages/domains': [{ domain: 'a.test', certificate: { expired: false, expiration } }],
      'GET /projects/3': [
        { domain: 'b.test', certificate: { subject: '/CN=b.test', certificate: 'no' } },
      ],
    })
    expect(parseRows((await call('pages-domains list --instance')).stdout)[0]).toMatchObject({
      domain: 'a.test',
      expires_at: expiration,
    })
    expect(parseRows((await call('pages-domains list -P 3')).stdout)[0]).toMatchObject({
      domain: 'b.test',
      subject: 'b.test',
      expires_at: '',
    })
  })
})
