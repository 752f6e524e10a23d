/** Tests groups of a list: `--group-by`, `--count`, `--sum`, `--avg`, `--min`, `--max` and `--p95`. */
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createCaller } from '../commands/calling.js'

const { server, call, atTerminal } = createCaller()

const jobs = [
  {
    id: 1,
    name: 'build',
    status: 'success',
    duration: 10,
    tag_list: ['a', 'b'],
    created_at: '2026-01-05T10:00:00Z',
  },
  {
    id: 2,
    name: 'build',
    status: 'failed',
    duration: 30,
    tag_list: [],
    created_at: '2026-01-05T23:59:59Z',
  },
  {
    id: 3,
    name: 'test',
    status: 'success',
    duration: null,
    tag_list: ['a'],
    created_at: '2026-01-12T00:00:00Z',
  },
  {
    id: 4,
    name: 'test',
    status: 'success',
    duration: 5.5,
    tag_list: ['b'],
    created_at: '2026-02-01T00:00:00Z',
  },
]
const runJobs = async (line: string, body: unknown = jobs) => {
  server.answer = () => ({ body })
  const { code, stdout, stderr } = await call(`jobs list -P a/b -o json ${line}`)
  return { code, stderr, rows: code === 0 ? (JSON.parse(stdout) as unknown[]) : [] }
}

/** Creates a pattern for a number in a column of the JSON output. */
const createCellPattern = (name: string, value: string): RegExp =>
  new RegExp(`"${name}_n":${value.replaceAll('.', '\\.')}[,}]`)

describe('groups', () => {
  it('count, add up and compare, with null for what is not there', async () => {
    const told = await runJobs(
      '--group-by name --count --sum duration --avg duration --min duration --max duration',
    )
    expect(told.rows).toEqual([
      {
        name: 'build',
        count: 2,
        sum_duration: 40,
        avg_duration: 20,
        min_duration: 10,
        max_duration: 30,
      },
      {
        name: 'test',
        count: 2,
        sum_duration: 5.5,
        avg_duration: 5.5,
        min_duration: 5.5,
        max_duration: 5.5,
      },
    ])
    expect(told.stderr).toContain('1 record without a number is left out of sum_duration')
  })

  it('are one without --group-by, of no records too', async () => {
    expect((await runJobs('--count')).rows).toEqual([{ count: 4 }])
    const none = await runJobs('--count --max duration', [])
    expect(none.rows).toEqual([{ count: 0, max_duration: null }])
  })

  it('count a record for each element of a list, and say so', async () => {
    const told = await runJobs('--group-by tag_list')
    expect(told.rows).toEqual([
      { tag_list: 'a', count: 2 },
      { tag_list: 'b', count: 2 },
      { tag_list: null, count: 1 },
    ])
    expect(told.stderr).toContain('counted in several groups')
  })

  it('count a record once in a group, even if its list has the value several times', async () => {
    const records = [
      { id: 1, tag_list: ['a', 'a', 'b'], artifacts: [{ size: 1 }, { size: 1 }] },
      { id: 2, tag_list: ['a'], artifacts: [{ size: 1 }] },
    ]
    expect((await runJobs('--group-by tag_list', records)).rows).toEqual([
      { tag_list: 'a', count: 2 },
      { tag_list: 'b', count: 1 },
    ])
    const told = await runJobs('--group-by artifacts.size', records)
    expect(told.rows).toEqual([{ artifacts_size: 1, count: 2 }])
    expect(told.stderr).not.toContain('several groups')
  })

  it.each([
    ['day', ['2026-01-05', '2026-01-12', '2026-02-01']],
    ['week', ['2026-01-05', '2026-01-12', '2026-01-26']],
    ['month', ['2026-01', '2026-02']],
  ])('take times by %s', async (unit, expected) => {
    const told = await runJobs(`--group-by created_at:${unit}`)
    expect(told.rows.map((row) => (row as Record<string, unknown>)[`created_at_${unit}`])).toEqual(
      expected,
    )
  })

  it('take times without an offset as UTC, as conditions do, whatever the zone of the machine is', async () => {
    vi.stubEnv('TZ', 'Asia/Tokyo')
    const times = ['2026-01-05T03:00:00', '2026-01-04T23:00:00Z']
    const told = await runJobs(
      '--group-by created_at:day --min created_at',
      times.map((created_at, at) => ({ id: at + 1, created_at })),
    )
    vi.unstubAllEnvs()
    expect(told.rows).toEqual([
      { created_at_day: '2026-01-04', min_created_at: times[1] },
      { created_at_day: '2026-01-05', min_created_at: times[0] },
    ])
  })

  it('give the least and the most of times, as they came', async () => {
    const told = await runJobs('--min created_at --max created_at')
    expect(told.rows).toEqual([
      { min_created_at: '2026-01-05T10:00:00Z', max_created_at: '2026-02-01T00:00:00Z' },
    ])
  })

  it('come after --where, are sorted by their own columns, and limited', async () => {
    const some = await runJobs(
      '--where status=success --group-by name --sum duration --sort -sum --limit 1',
    )
    expect(some.rows).toEqual([{ name: 'build', sum_duration: 10 }])
    expect(some.stderr).toContain('showing 1 of 2 groups')
    const none = await runJobs('--group-by name --sort counts')
    expect([none.code, none.stderr.includes('Did you mean count?')]).toEqual([2, true])
  })

  it('are in the order of their levels, as --sort orders records', async () => {
    server.answer = () => ({
      body: ['low', 'critical', 'medium', 'high', 'low'].map((severity, id) => ({ id, severity })),
    })
    const runOn = async (line: string) =>
      (await call(`vulnerabilities list -P a/b --group-by severity ${line}-o value`)).stdout
    expect(await runOn('')).toBe('low\t2\nmedium\t1\nhigh\t1\ncritical\t1\n')
    expect(await runOn('--sort -severity ')).toBe('critical\t1\nhigh\t1\nmedium\t1\nlow\t2\n')
  })

  it('read the whole list, whatever the default limit', async () => {
    server.answer = ({ url }) => {
      const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1)
      const link = `<${server.url}/api/v4/projects/a%2Fb/jobs?page=${page + 1}>; rel="next"`
      const body = Array.from({ length: 100 }, (_, i) => ({ id: page * 100 + i }))
      return { body, headers: page < 4 ? { link } : {} }
    }
    const { stdout } = await call('jobs list -P a/b --count -o json')
    expect(JSON.parse(stdout)).toEqual([{ count: 400 }])
  })

  it('tell projects apart, and end with 8 where one was refused', async () => {
    server.answer = ({ url }) => {
      if (url.includes('a%2Fc')) return { status: 403 }
      return { body: url.includes('a%2Fb') ? jobs : [{ id: 9, name: 'build' }] }
    }
    const { code, stdout, stderr } = await call(
      'jobs list -P a/b -P a/c -P a/d --group-by project --count -o json',
    )
    expect(code).toBe(8)
    expect(JSON.parse(stdout)).toEqual([
      { project: 'a/b', count: 4 },
      { project: 'a/d', count: 1 },
    ])
    expect(stderr).toContain('a/c')
  })

  it('keep numbers past 2^53 apart, and print them as they came', async () => {
    server.answer = () => ({
      body: '[{"id":9007199254740993},{"id":9007199254740992},{"id":9007199254740993,"n":1e400}]',
      headers: { 'content-type': 'application/json' },
    })
    const { stdout, stderr } = await call('jobs list -P a/b --group-by id --count --sum n -o json')
    expect(stdout).toContain('"id":9007199254740993,"count":2')
    expect(stdout).toContain('"id":9007199254740992,"count":1')
    expect(stdout).toContain('"id":9007199254740993,"count":2,"sum_n":1e400')
    expect(stderr).toContain('2 records without a number are left out of sum_n')
  })

  it.each<[values: string, exact: Record<string, string>]>([
    ['9007199254740993,1', { sum: '9007199254740994', avg: '4503599627370497' }],
    ['9007199254740993,9007199254740995', { sum: '18014398509481988', avg: '9007199254740994' }],
    ['9007199254740993,9007199254740993,9007199254740994', { avg: '9007199254740993.3333' }],
    ['-9007199254740993,-1', { sum: '-9007199254740994' }],
    ['9007199254740993,-9007199254740992', { sum: '1' }],
    ['9007199254740993,9007199254740992', { min: '9007199254740992', max: '9007199254740993' }],
    ['-9007199254740992,-9007199254740993', { min: '-9007199254740993', p95: '-9007199254740992' }],
    ['9007199254740992,9007199254740993', { p95: '9007199254740993' }],
    ['0.1,0.2', { sum: '0.3', avg: '0.15' }],
    ['0.1,0.1,0.1', { sum: '0.3', avg: '0.1' }],
    ['1,1,0', { avg: '0.6666666666666666' }],
    ['1.0,1', { sum: '2', min: '1.0', max: '1.0' }],
    ['1e3,1', { sum: '1001', max: '1e3' }],
    ['1e-7,1', { sum: '1.0000001' }],
    ['1e308,1e308', { sum: '2e308', avg: '1e308' }],
    ['1e400,1', { max: '1e400', min: '1', p95: '1e400' }],
    ['-1e400,1e399', { min: '-1e400', sum: '-9e399' }],
    ['0.30000000000000004,0.3', { max: '0.30000000000000004', sum: '0.60000000000000004' }],
    ['12345678901234567890.5,0.5', { sum: '12345678901234567891' }],
    ['-0,0', { sum: '0' }],
  ])('compute %s exactly', async (values, exact) => {
    const body = `[${values.split(',').map((n, id) => `{"id":${id},"n":${n}}`)}]`
    server.answer = () => ({ body })
    const flags = Object.keys(exact).map((name) => `--${name} n`)
    const { stdout } = await call(`jobs list -P a/b ${flags.join(' ')} -o json`)
    for (const [name, value] of Object.entries(exact))
      expect(stdout).toMatch(createCellPattern(name, value))
    const together = await call(`jobs list -P a/b,a/b,c/d ${flags.join(' ')} -o json`)
    const { sum, ...others } = exact
    for (const [name, value] of Object.entries(others))
      expect(together.stdout).toMatch(createCellPattern(name, value))
    expect([together.code, sum === undefined || /"sum_n":/.test(together.stdout)]).toEqual([
      0,
      true,
    ])
  })

  it('sum numbers as fractions of whole numbers say', async () => {
    const digits = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n })
    const number = fc.tuple(digits, fc.integer({ min: 0, max: 12 }))
    await fc.assert(
      fc.asyncProperty(fc.array(number, { minLength: 1, maxLength: 8 }), async (numbers) => {
        const body = `[${numbers.map(([n, places]) => `{"id":1,"n":${n}e-${places}}`)}]`
        server.answer = () => ({ body })
        const { stdout } = await call('jobs list -P a/b --sum n -o ndjson')
        const printed = /"sum_n":(-?)(\d+)(?:\.(\d+))?(?:e(-?\d+))?\}/.exec(stdout)
        const [, sign = '', whole = '', fraction = '', power = '0'] = printed ?? []
        const scaled = BigInt(`${sign}${whole}${fraction}`)
        const places = 30 - fraction.length + Number(power)
        const sum = numbers.reduce((all, [n, by]) => all + n * 10n ** BigInt(30 - by), 0n)
        expect(scaled * 10n ** BigInt(places)).toBe(sum)
      }),
      { numRuns: 25 },
    )
  })

  it('put the spellings of a number into one group, and order groups by their numbers', async () => {
    server.answer = () => ({
      body: '[{"n":9007199254740993},{"n":1},{"n":1.0},{"n":10e-1},{"n":9007199254740992},{"n":"1"}]',
    })
    const { stdout } = await call('jobs list -P a/b --group-by n --count --sort -n -o ndjson')
    expect(stdout.trimEnd().split('\n').sort()).toEqual([
      '{"n":"1","count":1}',
      '{"n":1,"count":3}',
      '{"n":9007199254740992,"count":1}',
      '{"n":9007199254740993,"count":1}',
    ])
    server.answer = () => ({
      body: '[{"id":1,"n":9007199254740992},{"id":2,"n":9007199254740993},{"id":3,"n":1e-3},{"id":4,"n":1e400}]',
    })
    const most = await call('jobs list -P a/b --group-by id --max n --sort -max_n -o csv')
    expect(most.stdout).toBe('id,max_n\n4,1e400\n2,9007199254740993\n1,9007199254740992\n3,1e-3\n')
  })

  it('never show a secret', async () => {
    const told = await runJobs('--group-by runners_token', [{ runners_token: 'c4n4ry' }])
    expect(JSON.stringify(told)).not.toContain('c4n4ry')
  })

  it.each([
    ['--group-by nmae', 'Did you mean name?'],
    ['--sum nmae --count', 'Did you mean name?'],
    ['--group-by created_at:year', 'hour, day, week, month'],
    ['--group-by name:day', 'name is not a time'],
    ['--group-by name --fields id', 'Omit --fields'],
    ['--count --page 2', 'Omit --page'],
    ['--sum id --sum id', 'twice'],
  ])('refuse %s', async (line, said) => {
    const { code, stderr } = await runJobs(line)
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)])
  })

  it('refuse a field that only single records have, and say so', async () => {
    server.answer = () => ({ body: [{ id: 1, description: 'a' }] })
    for (const flags of ['--group-by contacted_at:day', '--max contacted_at']) {
      const { code, stderr } = await call(`runners list ${flags}`)
      expect([code, stderr]).toEqual([2, expect.stringContaining('Only single records have')])
      expect(stderr).not.toContain('Did you mean')
    }
  })

  it('refuse an object, and name its fields', async () => {
    const told = await runJobs('--group-by user', [{ user: { username: 'ana', id: 1 } }])
    expect([told.code, told.stderr]).toEqual([2, expect.stringContaining('user.username, user.id')])
    const named = await runJobs('--group-by user.username', [{ user: { username: 'ana' } }])
    expect(named.rows).toEqual([{ user_username: 'ana', count: 1 }])
  })

  it('are there in every format', async () => {
    server.answer = () => ({ body: jobs })
    const { stdout } = await call('jobs list -P a/b --group-by name --sum duration -o csv')
    expect(stdout).toBe('name,sum_duration\nbuild,40\ntest,5.5\n')
    expect((await call('jobs list -P a/b --count -o value')).stdout).toBe('4\n')
  })
})

describe('--p95', () => {
  const p95 = async (values: readonly number[]) => {
    const records = values.map((duration, id) => ({ id, duration }))
    return (await runJobs('--p95 duration', records)).rows[0] as Record<string, number | true>
  }

  it('is exact of few values', async () => {
    expect(await p95(Array.from({ length: 100 }, (_, i) => i + 1))).toEqual({ p95_duration: 95 })
    expect(await p95([7])).toEqual({ p95_duration: 7 })
  })

  it('is marked for people at a terminal, and for nobody else', async () => {
    const records = Array.from({ length: 1100 }, (_, id) => ({
      id,
      name: id < 1050 ? 'many' : 'few',
      duration: 100,
    }))
    server.answer = () => ({ body: records })
    const line = 'jobs list -P a/b --limit all --group-by name --p95 duration'
    await atTerminal(line, async (terminal) => {
      const screen = await terminal.until(/ended with 0/)
      expect(screen).toMatch(/^few +1 min 40 s$/m)
      expect(screen).toMatch(/^many +≈ 1 min 4\d s$/m)
      expect(screen).toContain('p95 of more than 1000 values is within one percent')
    })
    expect((await call(line)).stdout).not.toContain('≈')
    expect((await call(`${line} -o json`)).stdout).toContain('"approximate":true')
  })

  it('takes many numbers that JavaScript cannot say', async () => {
    const numbers = Array.from({ length: 1100 }, (_, id) => `{"id":${id},"n":${id + 1}e400}`)
    server.answer = () => ({ body: `[${numbers}]` })
    const { stdout } = await call('jobs list -P a/b --limit all --p95 n -o json')
    const [, digits = '', power = ''] =
      /"p95_n":([\d.]+)e(\d+),"approximate":true/.exec(stdout) ?? []
    expect(Number(power) + Math.log10(Number(digits))).toBeCloseTo(400 + Math.log10(1045), 1)
  })

  it('is within one percent of many, and says so', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), {
          minLength: 1100,
          maxLength: 1300,
        }),
        async (values) => {
          const told = await p95(values)
          const exact = [...values].sort((a, b) => a - b)[Math.ceil(0.95 * values.length) - 1] ?? 0
          expect(told.approximate).toBe(true)
          expect(Math.abs(Number(told.p95_duration) - exact)).toBeLessThanOrEqual(
            0.0101 * Math.abs(exact),
          )
        },
      ),
      { numRuns: 10 },
    )
  })
})
