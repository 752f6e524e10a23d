/** Tests `--sort`, the order of the records of a list. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxSorted, RowSorter } from '../../src/engine/records/kept-rows.js'
import { createConfiguration, type LineResult } from '../support/program.js'
import { type Script, useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

type Fields = Readonly<Record<string, unknown>>

const recorder = useRecorder()
const run = (line: string, env: Readonly<Record<string, string>> = {}): Promise<LineResult> =>
  svcctl(line.split(' '), { env: { SVC_BASE_URL: recorder.url, SVC_TOKEN: 't', ...env } })

/** Answers pages of records, with links from one page to the next. */
const answerPages =
  (all: readonly unknown[]): Script =>
  ({ url }) => {
    const { searchParams } = new URL(url, recorder.url)
    const size = Number(searchParams.get('per_page') ?? 20)
    const page = Number(searchParams.get('page') ?? 1)
    const next = `<${recorder.url}${new URL(url, recorder.url).pathname}?per_page=${size}&page=${page + 1}>; rel="next"`
    return {
      body: all.slice((page - 1) * size, page * size),
      headers: page * size < all.length ? { link: next } : {},
    }
  }

const list = async (line: string, records: readonly unknown[]): Promise<readonly Fields[]> => {
  recorder.answer = answerPages(records)
  const { stdout, stderr, code } = await run(`${line} -o json`)
  expect([code, stderr.replace(/^showing the first.*\n/, '')]).toEqual([0, ''])
  return JSON.parse(stdout) as Fields[]
}

interface Sample extends Fields {
  readonly n: number
  readonly id?: number | null
  readonly name?: string | null
  readonly created_at?: string | null
  readonly visibility?: string | null
  readonly archived?: boolean | null
}

const ranks = ['private', 'internal', 'public']
const { compare: byText } = new Intl.Collator('en')
/** Compares two present values of each field. */
const fields: Readonly<Record<string, (a: Sample, b: Sample) => number>> = {
  id: (a, b) => Number(a.id) - Number(b.id),
  name: (a, b) => byText(String(a.name), String(b.name)),
  created_at: (a, b) => Date.parse(String(a.created_at)) - Date.parse(String(b.created_at)),
  visibility: (a, b) => ranks.indexOf(String(a.visibility)) - ranks.indexOf(String(b.visibility)),
  archived: (a, b) => Number(a.archived) - Number(b.archived),
}

const allowNull = <T>(values: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: values }, fc.constant(null))
const samples: fc.Arbitrary<readonly Sample[]> = fc
  .array(
    fc.record(
      {
        id: allowNull(fc.integer({ min: -3, max: 12 })),
        name: allowNull(fc.constantFrom('b', 'a', 'B', 'é', 'e', '10', '9', '', 'ab')),
        created_at: allowNull(
          fc.constantFrom(
            '2026-01-31T23:00:00-05:00',
            '2026-02-01T00:00:00Z',
            '2026-02-01T03:00:00+05:30',
            '2025-12-31T00:00:00.123Z',
          ),
        ),
        visibility: allowNull(fc.constantFrom(...ranks)),
        archived: allowNull(fc.boolean()),
      },
      { requiredKeys: [] },
    ),
    { minLength: 1, maxLength: 130 },
  )
  .map((all) => all.map((one, n) => ({ n, ...one })))

const isPresent = (value: unknown): boolean => value !== null && value !== undefined

/** Sorts with the plain, stable sort of the language. Missing values come last in both directions. */
const sortPlainly = (all: readonly Sample[], by: readonly { name: string; down: boolean }[]) =>
  [...all].sort((a, b) => {
    for (const { name, down } of by) {
      const there = Number(isPresent(b[name])) - Number(isPresent(a[name]))
      if (there !== 0) return there
      const order = isPresent(a[name]) ? (fields[name]?.(a, b) ?? 0) : 0
      if (order !== 0) return down ? -order : order
    }
    return 0
  })

describe('a sorted list', () => {
  it('is in the order of a plain sort, and the first of it', { timeout: 120_000 }, async () => {
    const by = fc.uniqueArray(
      fc.record({ name: fc.constantFrom(...Object.keys(fields)), down: fc.boolean() }),
      { minLength: 1, maxLength: 3, selector: ({ name }) => name },
    )
    const limits = fc.constantFrom('1', '7', '120', 'all')
    await fc.assert(
      fc.asyncProperty(samples, by, limits, async (all, fieldsBy, limit) => {
        const flag = fieldsBy.map(({ name, down }) => `${down ? '-' : ''}${name}`).join(',')
        const found = await list(`projects list --sort=${flag} --limit ${limit}`, all)
        const most = limit === 'all' ? all.length : Number(limit)
        expect(found).toEqual(sortPlainly(all, fieldsBy).slice(0, most))
      }),
      { numRuns: 20 },
    )
  })

  it.each([
    ['dependencies list -P 1 --sort version', 'version', ['1.9', '1.10.0-rc1', '1.10', '2', 'x']],
    ['dependencies list -P 1 --sort -version', 'version', ['x', '2', '1.10', '1.10.0-rc1', '1.9']],
    ['vulnerabilities list -P 1 --sort -severity', 'severity', ['high', 'medium', 'low', 'info']],
    ['members list -P 1 --sort access_level', 'access_level', [10, 20, 30, 100]],
    ['runners list --sort weight', 'weight', [2, '9', 10, '11']],
    ['runners list --sort seen', 'seen', ['2026-01-02', '2026-01-10T00:00:00Z']],
  ])('compares versions, levels, numbers and times as such: %s', async (line, field, expected) => {
    const shuffled = [...expected].sort((a, b) => (String(a) < String(b) ? 1 : -1))
    const all = shuffled.map((value, id) => ({ id, [field]: value }))
    expect((await list(line, all)).map((one) => one[field])).toEqual(expected)
  })

  it('takes no number for its neighbour past 2^53', async () => {
    recorder.answer = () => ({ body: '[{"id":9007199254740993},{"id":9007199254740992}]' })
    const { stdout } = await run('runners list --sort id -o ndjson')
    expect(stdout).toBe('{"id":9007199254740992}\n{"id":9007199254740993}\n')
  })

  it('passes records on byte for byte', async () => {
    recorder.answer = () => ({ body: '[ {"id":2 , "x":1.0,"y":"\\u0041"},{"id" : 1}]' })
    const { stdout } = await run('runners list --sort id -o ndjson')
    expect(stdout).toBe(
      '{"id" : 1}\n{"id":2,"x":1.0,"y":"\\u0041"}\n'.replace('"id" : 1', '"id":1'),
    )
  })

  it('looks inside of records, also those of lists', async () => {
    const all = [
      { id: 1, author: { username: 'c' }, labels: ['b'] },
      { id: 2, author: null, labels: [] },
      { id: 3, author: { username: 'a' }, labels: ['a', 'z'] },
      { id: 4, author: { username: 'b' }, labels: ['a'] },
    ]
    const ids = async (line: string) => (await list(line, all)).map(({ id }) => id)
    expect(await ids('mr list -P 1 --sort author.username')).toEqual([3, 4, 1, 2])
    expect(await ids('mr list -P 1 --sort labels')).toEqual([4, 3, 1, 2])
    // A number selects an element, as in --fields.
    expect(await ids('mr list -P 1 --sort=-labels.0')).toEqual([1, 3, 4, 2])
    expect(await ids('mr list -P 1 --sort labels.1')).toEqual([3, 1, 2, 4])
    expect(await ids('mr list -P 1 --where labels.0=a')).toEqual([3, 4])
    expect(await ids('mr list -P 1 --where labels.1!=null')).toEqual([3])
  })

  it('prints only the first of all, in every format, and says so', async () => {
    recorder.answer = answerPages(
      Array.from({ length: 250 }, (_, i) => ({ id: i + 1, name: `n${i}` })),
    )
    const { stdout, stderr } = await run(
      'projects list --sort -id --limit 2 -o csv --fields id,name',
    )
    expect(stdout).toBe('id,name\n250,n249\n249,n248\n')
    expect(stderr).toBe('showing the first 2 of 250; use --limit <n> or --limit all for more\n')
    expect(recorder.lines()).toHaveLength(3)
    const { stdout: ids } = await run('runners list --sort -id -o id')
    expect(ids.split('\n').slice(0, 2)).toEqual(['250', '249'])
    expect(ids.split('\n')).toHaveLength(101)
  })

  it('stands behind --where', async () => {
    const all = [3, 1, 2, 4].map((id) => ({ id, active: id !== 3 }))
    const found = await list('runners list --where active=true --sort -id --limit 2', all)
    expect(found.map(({ id }) => id)).toEqual([4, 2])
  })

  it('leaves the order of tables to --sort', async () => {
    recorder.answer = () => ({
      body: [
        { id: 1, severity: 'low' },
        { id: 3, severity: 'high' },
        { id: 2, severity: 'critical' },
      ],
    })
    const line = 'vulnerabilities list -P 1 --fields id'
    expect((await run(line)).stdout).toBe('id\n2\n3\n1\n')
    expect((await run(`${line} --sort id`)).stdout).toBe('id\n1\n2\n3\n')
  })
})

describe('over several parents', () => {
  const both: Script = ({ url }) => {
    if (url.includes('projects/c')) return { status: 403, body: { message: 'no' } }
    const first = url.includes('projects/a')
    return { body: (first ? [5, 1, 3] : [4, 2, 6]).map((iid) => ({ iid, title: `t${iid}` })) }
  }
  it('sorts all together, and counts the limit over all', async () => {
    recorder.answer = both
    const line = 'mr list -P a -P b --sort -iid --limit 4 --fields iid'
    const { stdout, stderr, code } = await run(line)
    expect([code, stdout]).toEqual([0, 'project\tiid\nb\t6\na\t5\nb\t4\na\t3\n'])
    expect(stderr).toContain('showing the first 4 of 6')
  })
  it('sorts by the column of the parents', async () => {
    recorder.answer = both
    const { stdout } = await run('mr list -P a -P b --sort -project,iid --fields iid')
    expect(stdout).toBe('project\tiid\nb\t2\nb\t4\nb\t6\na\t1\na\t3\na\t5\n')
  })
  it('prints all that could be read, and what became of the others behind it', async () => {
    recorder.answer = both
    const { stdout, code } = await run('mr list -P c -P a --sort iid --limit 2 -o ndjson')
    const rows = stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text) as Fields)
    expect(code).toBe(8)
    expect(rows).toMatchObject([
      { project: 'a', record: { iid: 1 } },
      { project: 'a', record: { iid: 3 } },
      { project: 'c', outcome: 'failed' },
    ])
  })
})

it('sorts what several instances have together, and counts the limit over all', async () => {
  const config = createConfiguration()
  const env = { SVC_CONFIG_DIR: config, SVC_BASE_URL: '', SVC_TOKEN: '' }
  for (const name of ['x', 'y']) {
    const line = ['profile', 'set', name, '--base-url', recorder.url, '--token-command']
    await svcctl([...line, 'printf token'], { env })
  }
  recorder.answer = () => ({ body: [3, 1, 2].map((id) => ({ id })) })
  const { stdout, stderr } = await run('runners list -p x,y --sort -id --limit 2 --fields id', env)
  expect(stdout, stderr).toBe('profile\tid\nx\t3\ny\t3\n')
  expect(stderr).toBe('showing the first 2 of 6; use --limit <n> or --limit all for more\n')
})

describe('where the API has a flag of that name', () => {
  const sorted = async (line: string): Promise<readonly unknown[]> => {
    recorder.seen.length = 0
    const found = await list(line, [{ iid: 1 }, { iid: 3 }, { iid: 2 }])
    return [recorder.seen[0]?.url.split('?')[1], found.map(({ iid }) => iid)]
  }
  it('keeps its values for the API, and takes fields as well', async () => {
    expect(await sorted('mr list -P 1 --sort asc')).toEqual(['sort=asc&per_page=100', [1, 3, 2]])
    expect(await sorted('mr list -P 1 --sort -iid')).toEqual(['per_page=100', [3, 2, 1]])
    expect(await sorted('mr list -P 1 --sort asc --sort iid --limit 2')).toEqual([
      'sort=asc&per_page=100',
      [1, 2],
    ])
  })
  it('says so in its help', async () => {
    const { stdout } = await run('mr list --help --all')
    expect(stdout.replace(/\s+/g, ' ')).toContain('or fields to sort all records by: name,-id')
  })
})

describe('is refused', () => {
  it.each([
    ['runners list --sort statu', 'unknown field "statu"', 'Did you mean status?'],
    ['runners list --sort a.b', 'unknown field "a.b"', ''],
    ['mr list -P 1 --sort dsc', 'unknown field "dsc"', '--sort desc'],
    ['mr list -P 1 --sort author', 'author is an object', 'after a dot'],
    [
      'runners list --sort id --page 2',
      '--sort and --page exclude each other',
      'The whole list is ordered. Use --limit.',
    ],
    [
      'runners list --sort id --per-page 2',
      '--sort and --per-page exclude each other',
      '--limit 20',
    ],
    [
      'runners list --sort -',
      '--sort must be a list of fields, such as name,-created_at, not "',
      '',
    ],
    ['dependencies list -P 1 --sort name -o cyclonedx', 'one document', ''],
    ['api things --sort id', '--sort works only with lists', ''],
    ['api DELETE things/1 --yes --sort id', '--sort works only with lists', ''],
  ])('%s', async (line, message, hint) => {
    recorder.answer = () => ({ body: [{ id: 1 }, { id: 2 }] })
    const { stdout, stderr, code } = await run(line)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
    expect(stderr).toContain(hint)
    expect(recorder.lines().filter((asked) => !asked.startsWith('GET'))).toEqual([])
  })

  it('a field that nothing has, after a page of records and not after all', async () => {
    recorder.answer = answerPages(Array.from({ length: 2000 }, (_, id) => ({ id })))
    const { stderr, code } = await run('runners list --sort nothing --concurrency 1 -L all')
    expect([code, stderr]).toEqual([2, expect.stringContaining('unknown field "nothing"')])
    expect(recorder.lines().length).toBeLessThan(10)
  })
})

it('prints nothing of a list that broke off: the first of some are not the first of all', async () => {
  const all = answerPages(Array.from({ length: 300 }, (_, id) => ({ id })))
  recorder.answer = (seen, index) =>
    seen.url.includes('page=3') ? { status: 400, body: { message: 'no' } } : all(seen, index)
  const { stdout, stderr, code } = await run('runners list --sort -id -o id --concurrency 1')
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).not.toContain('printed before')
})

it('shows the request and the order with --curl', async () => {
  const { stdout } = await run('runners list --sort -id --curl')
  expect(stdout).toMatch(/^# sorted here: -id\n.*per_page=100/)
  expect(recorder.lines()).toEqual([])
})

it('keeps the order of large records, and compares numbers past 2^53', async () => {
  const big = 'x'.repeat(200_000)
  const ids = Array.from({ length: 240 }, (_, i) => (i * 89) % 240)
  // Numbers beyond 2^53 as text, each in several records.
  const large = (id: number): string => `900719925474099${200 + (id % 80)}`
  recorder.answer = answerPages(ids.map((id) => ({ id, big, large: large(id) })))
  const sorted = async (field: string): Promise<readonly unknown[]> => {
    const line = `runners list --sort ${field} -L all -o ndjson`
    const { stdout, code } = await run(line)
    expect(code).toBe(0)
    const rows = stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text) as Fields)
    expect(rows.every((row) => row.big === big)).toBe(true)
    return rows.map(({ id }) => id)
  }
  expect(await sorted('id')).toEqual([...ids].sort((a, b) => a - b))
  expect(await sorted('-large')).toEqual([...ids].sort((a, b) => (b % 80) - (a % 80)))
})

it('sorts at most so many records, and says how to sort more', () => {
  const kept = new RowSorter({ compare: () => 0 }, Number.POSITIVE_INFINITY)
  const row = { key: [], bytes: new Uint8Array(), reader: undefined }
  for (let i = 0; i < maxSorted; i++) kept.add(row)
  expect(() => kept.add(row)).toThrow('--sort can sort 500000 records, and there are more')
})
