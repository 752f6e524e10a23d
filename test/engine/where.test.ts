/** Tests `--where`: the records that a list gives, the filters that the instance applies, and the conditions that are refused. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { machineClock } from '../../src/base/async.js'
import type { JsonValues } from '../../src/base/objects.js'
import type { Endpoint } from '../../src/catalogue/endpoint.js'
import { createInstance, type InstanceClient } from '../../src/client/instance.js'
import type { Paging } from '../../src/client/paging.js'
import { loadCommandByWords } from '../../src/commands/index.js'
import type { Command, Given, Plan } from '../../src/engine/command/types.js'
import { ListReader } from '../../src/engine/instance/listing.js'
import { RecordFilter } from '../../src/engine/records/where.js'
import { Failure } from '../../src/errors.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

type Fields = JsonValues
const parseJson = (text: string): unknown => JSON.parse(text)

let running: Sandbox | undefined
let instance: InstanceClient | undefined
let state = ''
beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'svcctl-where-'))
  running = await startSandbox({ stateDir: state })
  instance = createInstance({
    clock: machineClock,
    baseUrl: running.url,
    userAgent: 'svcctl test',
    credential: async () => ({ kind: 'personal', value: 'sandbox-root-token' }),
  })
})
afterAll(async () => {
  await instance?.close()
  await running?.close()
  await rm(state, { recursive: true, force: true })
})

const getClient = async (): Promise<InstanceClient> => {
  if (instance === undefined) throw new Error('no instance')
  return instance
}

/** Plans the request for one object, as the `get` commands of the areas do. */
const planObject = async ({ endpoints }: Command, { args, flags }: Given): Promise<Plan[]> => {
  const [endpoint] = Object.values(endpoints)
  if (endpoint === undefined) throw new Error('no endpoint')
  return [{ endpoint, values: { id: flags.project, [endpoint.args?.[0] ?? 'id']: args[0] } }]
}

const listRecords = async (
  area: string,
  key: string,
  values: Fields,
  texts: readonly string[],
  paging: Paging = { limit: 'all' },
) => {
  const command = await loadCommandByWords(area, 'list')
  const endpoint: Endpoint | undefined = command?.endpoints[key]
  if (command === undefined || endpoint === undefined) throw new Error(`no list ${area} ${key}`)
  const bytes: string[] = []
  const failed: string[] = []
  const notes: string[] = []
  const choice = async () =>
    new RecordFilter(texts, {
      command,
      paging,
      width: 4,
      signal: new AbortController().signal,
      now: new Date(),
      asOf: new Date(),
      planCommand: planObject,
      readData: async (ask) => (await (await getClient()).send(ask)).data,
      reportFailure: (text) => void failed.push(text),
    })
  const screen = { noteAtEnd: (text: string) => void notes.push(text) }
  const lists = new ListReader(paging, getClient, screen, texts.length === 0 ? undefined : choice)
  for await (const row of lists.listRecords({ endpoint, values }, {})) {
    if (row.kind === 'records') for (const one of row.batch) bytes.push(Buffer.from(one).toString())
    if (row.kind === 'end' && row.note !== undefined) notes.push(row.note)
  }
  return { bytes, failed, notes }
}

const listAll = async (area: string, key: string, values: Fields) =>
  (await listRecords(area, key, values, [])).bytes

const getField = (record: unknown, name: string): unknown =>
  name
    .split('.')
    .reduce<unknown>((at, part) => (at === null ? at : (at as Fields | undefined)?.[part]), record)

describe('a list with conditions gives what a plain filter over the whole list gives', () => {
  const lists: readonly (readonly [string, string, Fields, readonly string[]])[] = [
    ['runners', 'listAll', {}, ['status', 'active', 'id', 'name', 'is_shared', 'runner_type']],
    ['projects', 'list', {}, ['visibility', 'archived', 'id', 'name', 'namespace.kind']],
    ['mr', 'listOfProject', { id: 'platform/app' }, ['state', 'source_branch', 'iid', 'draft']],
  ]
  it.each(lists)('%s %s', async (area, key, values, fields) => {
    const bytes = await listAll(area, key, values)
    const records = bytes.map((text): unknown => JSON.parse(text))
    expect(records.length).toBeGreaterThan(4)
    const condition = fc
      .tuple(fc.constantFrom(...fields), fc.constantFrom('=', '!='), fc.nat(records.length - 1))
      .map(([name, op, at]) => ({ name, op, value: getField(records[at], name) ?? null }))
    const plain =
      ({ name, op, value }: { name: string; op: string; value: unknown }) =>
      (record: unknown): boolean => {
        const own = getField(record, name) ?? null
        if (value === null) return (own === null) === (op === '=')
        return own !== null && (own === value) === (op === '=')
      }
    const expression = fc.array(condition, { minLength: 1, maxLength: 2 })
    await fc.assert(
      fc.asyncProperty(fc.array(expression, { minLength: 1, maxLength: 2 }), async (any) => {
        const texts = any.map((all) =>
          all
            .map(({ name, op, value }) =>
              value === null || typeof value !== 'string'
                ? `${name}${op}${value}`
                : `${name}${op}${JSON.stringify(value)}`,
            )
            .join(','),
        )
        const matching = bytes.filter((_, i) =>
          any.some((all) => all.every((one) => plain(one)(records[i]))),
        )
        expect((await listRecords(area, key, values, texts)).bytes).toEqual(matching)
        const some = await listRecords(area, key, values, texts, { limit: 2 })
        expect(some.bytes).toEqual(matching.slice(0, 2))
      }),
      { numRuns: 12 },
    )
  })

  it('reads each record for what the list does not show', async () => {
    const records = (await listAll('runners', 'listAll', {})).map(
      (text) => JSON.parse(text) as Fields,
    )
    const { runners } = await import('../../src/catalogue/areas/runners.js')
    const single = new Map<unknown, Fields>()
    for (const { id } of records)
      single.set(
        id,
        (await (await getClient()).call(runners.get, { id: Number(id) })).data as Fields,
      )
    const old = Date.now() - 30 * 86_400_000
    const silent = records
      .filter(({ id }) => Date.parse(String(single.get(id)?.contacted_at)) < old)
      .map(({ id }) => id)
    const got = await listRecords('runners', 'listAll', {}, ['contacted_at>30d'])
    expect(got.bytes.map((text) => (JSON.parse(text) as Fields).id)).toEqual(silent)
    expect(silent.length).toBeGreaterThan(0)
    expect(silent.length).toBeLessThan(records.length)
  })
})

const createRunner = (id: number, more: Fields = {}) => ({
  id,
  description: `d${id}`,
  active: true,
  ...more,
})

describe('with --where', () => {
  const recorder = useRecorder()
  const run = (...args: string[]) =>
    svcctl(args, { env: { SVC_BASE_URL: recorder.url, SVC_TOKEN: 'any' } })
  const pages = (count: number, more: (id: number) => Fields = () => ({})) => {
    recorder.answer = ({ url }) => {
      const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1)
      const records = [1, 2].map((n) => createRunner(page * 2 - 2 + n, more(page * 2 - 2 + n)))
      const next = `<${recorder.url}/api/v4/runners?page=${page + 1}>; rel="next"`
      return { body: records, headers: page < count ? { link: next } : {} }
    }
  }

  it('counts the limit after the conditions, and asks for no page behind it', async () => {
    pages(9)
    const { stdout, stderr, code } = await run('runners', 'list', '--where', 'id>2', '-L', '2')
    expect([code, stdout.split('\n').filter((line) => /^\d/.test(line)).length]).toEqual([0, 2])
    expect(stderr).toContain(
      'showing 2 matching; there may be more: use --limit <n> or --limit all for more',
    )
    expect(recorder.lines().length).toBeLessThan(5)
    expect(recorder.lines()[0]).toBe('GET /runners?per_page=100')
  })

  it('tests one page where --page says which', async () => {
    pages(9)
    const line = ['runners', 'list', '--where', 'id=4', '--page', '2', '-o', 'ndjson']
    const { stdout, stderr } = await run(...line)
    expect(parseJson(stdout)).toMatchObject({ id: 4 })
    expect(stderr).toContain('showing 1 matching; there may be more: use --page 3 to continue')
    expect(recorder.lines()).toEqual(['GET /runners?page=2'])
  })

  it('refuses a field that no record of the first page has, before anything is printed', async () => {
    pages(1, () => ({ newer: 1 }))
    const { stdout, stderr, code } = await run('runners', 'list', '--where', 'stauts=online')
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(
      /no record has the field stauts; did you mean status\?\n {4}stauts=online\n {4}\^/,
    )
    const known = await run('runners', 'list', '--where', 'newer=1', '-o', 'csv', '--fields', 'id')
    expect(known.stdout).toBe('id\n1\n2\n')
  })

  it('refuses such a field of an empty list', async () => {
    recorder.answer = () => ({ body: [] })
    expect((await run('runners', 'list', '--where', 'newer=1')).code).toBe(2)
  })

  it('masks the secrets of records that wait for others to be read', async () => {
    const token = 'glrt-canary'
    recorder.answer = ({ url }) => {
      const id = Number(/runners\/(\d+)/.exec(url)?.[1])
      if (id > 0) return { body: { id, version: '17' } }
      return { body: [1, 2, 3, 4].map((n) => createRunner(n, { token })) }
    }
    const { stdout } = await run('runners', 'list', '--where', 'version=17', '-o', 'json')
    expect(stdout).toContain('"id":4')
    expect(stdout).not.toContain('canary')
  })

  it('passes matching records on byte for byte', async () => {
    const text = '[ {"id":1 , "active" : true,"x":1.0,"y":"\\u0041"},{"id":2}]'
    recorder.answer = () => ({ body: text, headers: { 'content-type': 'application/json' } })
    const { stdout } = await run('runners', 'list', '--where', 'active=true', '-o', 'ndjson')
    expect(stdout).toBe('{"id":1,"active":true,"x":1.0,"y":"\\u0041"}\n')
  })

  it('tells of each record that cannot be read, and ends 8', async () => {
    recorder.answer = ({ url }) =>
      /runners\/1/.test(url)
        ? { status: 403, body: { message: 'no' } }
        : {
            body: /runners\/2/.test(url)
              ? { id: 2, version: '17' }
              : [createRunner(1), createRunner(2)],
          }
    const line = ['runners', 'list', '--where', 'version=17', '-o', 'json']
    const { stdout, stderr, code } = await run(...line)
    expect([code, (parseJson(stdout) as Fields[]).map(({ id }) => id)]).toEqual([8, [2]])
    expect(stderr).toMatch(/1: .*403|1: /)
  })

  it.each<[string[], string | undefined, string[]]>([
    [['tag_list=docker'], 'tag_list=docker', []],
    [
      ['tag_list=docker', 'id=1'],
      undefined,
      ['filtered by svcctl: tag_list=docker', 'reading each record'],
    ],
    [['tag_list=a|b'], undefined, ['filtered by svcctl: tag_list=a|b']],
    [['tag_list='], undefined, ['filtered by svcctl: tag_list=$']],
    [['tag_list=[]'], undefined, ['filtered by svcctl: tag_list=']],
    [['tag_list=["a"]'], undefined, ['filtered by svcctl: tag_list=']],
    [['status=offline'], undefined, ['filtered by svcctl: status=offline']],
    [['type=group_type,active=true'], 'type=group_type', ['filtered by svcctl']],
    [['type=group_type,id=1', 'type=group_type,id=2'], 'type=group_type', ['id=1', 'id=2']],
  ])('sends of %j with --curl %s', async (texts, sent, said) => {
    const flags = texts.flatMap((text) => ['--where', text])
    const { stdout, code } = await run('runners', 'list', ...flags, '--curl')
    expect([code, recorder.lines()]).toEqual([0, []])
    const query = sent === undefined ? '' : `${sent}&`
    expect(stdout).toContain(`/runners?${query}per_page=100`)
    for (const line of said)
      expect(stdout).toMatch(new RegExp(`^# .*${line.replace('|', '\\|')}`, 'm'))
    if (said.length === 0) expect(stdout).not.toContain('#')
  })

  it.each([
    ['--where value=b|c --sort -value', 'c\nb\n'],
    ['--where value~A --fields value', 'a\n'],
    ['--group-by value --where value!=c', 'a\t1\nb\t1\n'],
  ])('finds the field value of texts: %s', async (flags, expected) => {
    recorder.answer = () => ({ body: ['a', 'b', 'c'] })
    const words = `api /tags --paginate ${flags} -o csv --no-headers`.split(' ')
    const { stdout, stderr, code } = await run(...words)
    expect([code, stderr, stdout.replaceAll(',', '\t')]).toEqual([0, '', expected])
    const unknown = await run('api', '/tags', '--paginate', '--fields', 'name')
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      expect.stringContaining('Available: value.'),
    ])
  })

  it.each([
    ['"@type"=b', ['b']],
    ['"last seen"=null', ['b']],
    ['"x.y">1', ['b']],
    ['x.y<2', ['a']],
    ['inner.z.w=3', ['a']],
    ['"a,b"="q|r"', ['a']],
  ])('finds a field by a name in quotes, or with its dots: %s', async (text, expected) => {
    recorder.answer = () => ({
      body: [
        { '@type': 'a', 'x.y': 1, 'last seen': 'q', 'a,b': 'q|r', inner: { 'z.w': 3 } },
        { '@type': 'b', 'x.y': 2, 'last seen': null, 'a,b': 'q', inner: { z: { w: 4 } } },
      ],
    })
    const words = ['api', '/notes', '--paginate', '--where', text]
    const { stdout, stderr, code } = await run(...words, '--fields', '@type', '-o', 'value')
    expect([code, stderr, stdout]).toEqual([0, '', `${expected.join('\n')}\n`])
  })

  it('says that a field with other signs is written in quotes', async () => {
    const { stderr, code } = await run('api', '/notes', '--paginate', '--where', '@type=b')
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('invalid condition: write the field in quotes: "@type"\n'),
    ])
  })

  it.each([
    ['version>=14.9', ['14.10.1', '15.0.0-ee']],
    ['version<14.10', ['14.6.0-ee', '14.9.0-rc1']],
    ['version=14.6', ['14.6.0-ee']],
    ['version=nightly', ['nightly']],
    ['version!=14.6|nightly', ['14.10.1', '14.9.0-rc1', '15.0.0-ee']],
  ])('compares versions part by part: %s', async (text, expected) => {
    const versions = ['14.6.0-ee', '14.10.1', '14.9.0-rc1', '15.0.0-ee', 'nightly', null]
    recorder.answer = ({ url = '' }) => {
      const id = Number(/runners\/(\d+)/.exec(url)?.[1] ?? 0)
      if (id > 0) return { body: createRunner(id, { version: versions[id - 1] }) }
      return { body: versions.map((_, i) => createRunner(i + 1, {})) }
    }
    const { stdout, stderr, code } = await run('runners', 'list', '--where', text, '-o', 'id')
    expect([code, stderr]).toEqual([0, ''])
    expect(
      stdout
        .split('\n')
        .filter(Boolean)
        .map((id) => versions[Number(id) - 1]),
    ).toEqual(expected)
  })

  it.each([
    ['vulnerabilities list -P 1 --where severity>=High', 'severity', ['high', 'CRITICAL']],
    ['vulnerabilities list -P 1 --where severity=odd', 'severity', ['odd']],
    ['projects list --where visibility<public', 'visibility', ['private', 'internal']],
    ['dependencies list -P 1 --where vulnerabilities.severity>medium', 'n', ['a']],
  ])('compares words that have an order: %s', async (line, field, expected) => {
    const words = ['low', 'high', 'CRITICAL', 'odd', 'private', 'internal', 'public']
    const all = [
      ...words.map((word, id) => ({ id, [field]: word })),
      { n: 'a', vulnerabilities: [{ severity: 'low' }, { severity: 'high' }] },
      { n: 'b', vulnerabilities: [{ severity: 'low' }] },
    ]
    recorder.answer = () => ({ body: all })
    const { stdout, code } = await run(...line.split(' '), '-o', 'json')
    expect(code).toBe(0)
    const found = parseJson(stdout) as Fields[]
    expect(found.map((one) => one[field])).toEqual(expected)
  })

  it('waits until a version is reached', async () => {
    recorder.answer = () => ({ body: createRunner(1, { version: '14.10.0' }) })
    const line = ['runners', 'get', '1', '--wait-until', 'version>=14.9', '-o', 'id']
    expect(await run(...line)).toMatchObject({ code: 0, stdout: '1\n' })
  })

  it.each([
    ['runners list --where engine>=100', [createRunner(1, { engine: '14.6.0' })]],
    ['api things --paginate --where engine<15', [{ engine: null }, { engine: '14.6.0' }]],
    ['runners get 1 --wait-until engine>=100', { id: 1, engine: '14.6.0' }],
    ['runners pause --yes --select engine>=100', [createRunner(1, { engine: '14.6.0' })]],
  ])('refuses an order of what the first page shows to be text: %s', async (line, body) => {
    recorder.answer = () => ({ body })
    const { stderr, code } = await run(...line.split(' '))
    expect(code).toBe(2)
    expect(stderr).toContain('engine is text and cannot be compared by order')
    expect(recorder.lines().filter((asked) => !asked.startsWith('GET'))).toEqual([])
  })

  it('orders numbers, levels and times of fields that no shape knows', async () => {
    const more = (id: number) => ({ weight: `${id}`, seen: `2026-01-0${id}T00:00:00Z`, load: id })
    pages(1, more)
    for (const text of ['weight>1', 'load>1', 'seen>2026-01-01'])
      expect((await run('runners', 'list', '--where', text, '-o', 'id')).stdout).toBe('2\n')
  })

  it('chooses over several projects, and counts the limit over all', async () => {
    recorder.answer = ({ url }) => ({
      body: /a%2Fb/.test(url)
        ? [createRunner(1), createRunner(2)]
        : [createRunner(2), createRunner(3)],
    })
    const line = ['runners', 'list', '-P', 'a/b,c/d', '--where', 'id>1', '-o', 'ndjson']
    const { stdout } = await run(...line)
    const found = stdout.trim().split('\n').map(parseJson)
    expect(found).toMatchObject([
      { project: 'a/b', record: { id: 2 } },
      { project: 'c/d', record: { id: 2 } },
      { project: 'c/d', record: { id: 3 } },
    ])
    expect((await run(...line, '-L', '2')).stdout.trim().split('\n')).toHaveLength(2)
  })

  it('takes no number for its neighbour past 2^53', async () => {
    const ids = ['9007199254740994', '9007199254740995', '9007199254740996']
    recorder.answer = () => ({ body: `[${ids.map((id) => `{"id":${id}}`).join()}]` })
    const line = 'runners list --where id=9007199254740995 -o ndjson'
    expect((await run(...line.split(' '))).stdout).toBe('{"id":9007199254740995}\n')
  })

  it('tests a list that the catalogue does not know, and refuses one object', async () => {
    recorder.answer = () => ({ body: [{ a: 1 }, { a: 2 }] })
    const many = await run('api', 'things', '--paginate', '--where', 'a=2', '-o', 'ndjson')
    expect(many.stdout).toBe('{"a":2}\n')
    const one = await run('api', 'things', '--where', 'a=2')
    expect([one.code, one.stderr]).toEqual([
      2,
      expect.stringContaining('--where works only with lists'),
    ])
  })
})

it('sends only what the instance answers as the field says', async () => {
  const { canListRecords: lists } = await import('../../src/engine/command/derive.js')
  const { loadAllCommands } = await import('../../src/commands/index.js')
  const { findSingleReader: createSingleReader } = await import(
    '../../src/engine/records/single.js'
  )
  const { findFieldKind } = await import('../../src/engine/where/shape.js')
  const kinds: Readonly<Record<string, readonly string[]>> = {
    boolean: ['boolean'],
    integer: ['number'],
    enum: ['text', 'level'],
    string: ['text'],
    list: ['text'],
  }
  let marked = 0
  for (const command of (await loadAllCommands()).filter(lists))
    for (const endpoint of Object.values(command.endpoints)) {
      const single = await createSingleReader(command, { endpoint, values: {} })
      for (const [name, param] of Object.entries(endpoint.params).filter(([, p]) => p.exact)) {
        const kind =
          findFieldKind(endpoint.returns.shape, name) ??
          findFieldKind(single?.endpoint.returns.shape, name)
        expect([endpoint.route, name, kinds[param.type]?.includes(kind ?? '')]).toEqual([
          endpoint.route,
          name,
          true,
        ])
        marked++
      }
    }
  expect(marked).toBeGreaterThan(10)
})

it('compares every version and level of the catalogue as such', async () => {
  const { loadAllCommands } = await import('../../src/commands/index.js')
  const { getShapeFields, findFieldKind, findFieldLevels } = await import(
    '../../src/engine/where/shape.js'
  )
  const seen = new Set<string>()
  for (const { endpoints } of await loadAllCommands())
    for (const { returns, route } of Object.values(endpoints))
      for (const field of getShapeFields(returns.shape, 3)) {
        const name = field.split('.').at(-1) ?? ''
        const kind = findFieldKind(returns.shape, field)
        const as = { version: 'version', severity: 'level', visibility: 'level' }[name]
        if (as !== undefined) expect([route, field, kind]).toEqual([route, field, as])
        if (name !== 'access_level' || kind !== 'number') continue
        seen.add(field)
        expect([route, findFieldLevels(returns.shape, field)?.maintainer]).toEqual([route, 40])
      }
  expect(seen.size).toBeGreaterThan(3)
})

it('knows in which list of an area a field stands', async () => {
  const condition = 'certificate.expiration<+30d'
  expect((await listRecords('pages-domains', 'listAll', {}, [condition])).bytes).not.toEqual([])
  await expect(
    listRecords('pages-domains', 'list', { id: 'web/docs' }, [condition]),
  ).rejects.toThrow(/no record has the field certificate.expiration/)
})

it('is refused by a failure of the house', async () => {
  await expect(listRecords('runners', 'listAll', {}, ['id=x'])).rejects.toBeInstanceOf(Failure)
})
