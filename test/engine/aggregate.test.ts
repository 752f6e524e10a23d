/** Groups of a list: `--group-by`, `--count`, `--sum`, `--avg`, `--min`, `--max`, `--p95`. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { calling } from '../commands/calling.js'
import { has } from '../support/terminal.js'

const { server, call, atTerminal } = calling()

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
const rows = async (line: string, body: unknown = jobs) => {
  server.answer = () => ({ body })
  const { code, stdout, stderr } = await call(`jobs list -P a/b -o json ${line}`)
  return { code, stderr, rows: code === 0 ? (JSON.parse(stdout) as unknown[]) : [] }
}

describe('groups', () => {
  it('count, add up and compare, with null for what is not there', async () => {
    const told = await rows(
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
    expect((await rows('--count')).rows).toEqual([{ count: 4 }])
    const none = await rows('--count --max duration', [])
    expect(none.rows).toEqual([{ count: 0, max_duration: null }])
  })

  it('count a record for each element of a list, and say so', async () => {
    const told = await rows('--group-by tag_list')
    expect(told.rows).toEqual([
      { tag_list: 'a', count: 2 },
      { tag_list: 'b', count: 2 },
      { tag_list: null, count: 1 },
    ])
    expect(told.stderr).toContain('counted in several groups')
  })

  it.each([
    ['day', ['2026-01-05', '2026-01-12', '2026-02-01']],
    ['week', ['2026-01-05', '2026-01-12', '2026-01-26']],
    ['month', ['2026-01', '2026-02']],
  ])('take times by %s', async (unit, expected) => {
    const told = await rows(`--group-by created_at:${unit}`)
    expect(told.rows.map((row) => (row as Record<string, unknown>)[`created_at_${unit}`])).toEqual(
      expected,
    )
  })

  it('give the least and the most of times, as they came', async () => {
    const told = await rows('--min created_at --max created_at')
    expect(told.rows).toEqual([
      { min_created_at: '2026-01-05T10:00:00Z', max_created_at: '2026-02-01T00:00:00Z' },
    ])
  })

  it('come after --where, are sorted by their own columns, and limited', async () => {
    const some = await rows(
      '--where status=success --group-by name --sum duration --sort -sum --limit 1',
    )
    expect(some.rows).toEqual([{ name: 'build', sum_duration: 10 }])
    expect(some.stderr).toContain('showing 1 of 2 groups')
    const none = await rows('--group-by name --sort counts')
    expect([none.code, none.stderr.includes('Did you mean count?')]).toEqual([2, true])
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
    expect(stderr).toContain('3 records without a number are left out of sum_n')
  })

  it('never show a secret', async () => {
    const told = await rows('--group-by runners_token', [{ runners_token: 'c4n4ry' }])
    expect(JSON.stringify(told)).not.toContain('c4n4ry')
  })

  it.each([
    ['--group-by nmae', 'Did you mean name?'],
    ['--sum nmae --count', 'Did you mean name?'],
    ['--group-by created_at:year', 'hour, day, week, month'],
    ['--group-by name --fields id', 'Omit --fields'],
    ['--count --page 2', 'Omit --page'],
    ['--sum id --sum id', 'twice'],
  ])('refuse %s', async (line, said) => {
    const { code, stderr } = await rows(line)
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)])
  })

  it('refuse an object, and name its fields', async () => {
    const told = await rows('--group-by user', [{ user: { username: 'ana', id: 1 } }])
    expect([told.code, told.stderr]).toEqual([2, expect.stringContaining('user.username, user.id')])
    const named = await rows('--group-by user.username', [{ user: { username: 'ana' } }])
    expect(named.rows).toEqual([{ user_username: 'ana', count: 1 }])
  })

  it('are there in every format', async () => {
    server.answer = () => ({ body: jobs })
    const { stdout } = await call('jobs list -P a/b --group-by name --sum duration -o csv')
    expect(stdout).toBe('name,sum_duration\nbuild,40\ntest,5.5\n')
  })
})

describe('--p95', () => {
  const p95 = async (values: readonly number[]) => {
    const records = values.map((duration, id) => ({ id, duration }))
    return (await rows('--p95 duration', records)).rows[0] as Record<string, number | true>
  }

  it('is exact of few values', async () => {
    expect(await p95(Array.from({ length: 100 }, (_, i) => i + 1))).toEqual({ p95_duration: 95 })
    expect(await p95([7])).toEqual({ p95_duration: 7 })
  })

  it.skipIf(!has('tmux', '-V'))(
    'is marked for people at a terminal, and for nobody else',
    async () => {
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
    },
  )

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
