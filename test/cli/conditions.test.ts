/** Tests that conditions that cannot match are refused everywhere: operators of other languages, and values that no field has. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createCaller } from '../commands/calling.js'
import { createFolder } from '../support/program.js'
import type { Script } from '../support/recorder.js'

const { server, call, sent } = createCaller()

const runners = [
  { id: 1, description: 'run one', status: 'online', active: true, runner_type: 'instance_type' },
  { id: 2, description: 'build and test', status: 'offline', active: false, moon: true },
]
const withRunners: Script = ({ url }) => (url.includes('/runners') ? { body: runners } : undefined)

const filter = (condition: string, ...more: string[]) => {
  server.answer = withRunners
  return call(['runners', 'list', '--where', condition, '-o', 'csv', '--fields', 'id', ...more])
}
const getIds = (stdout: string): readonly string[] => stdout.trimEnd().split('\n').slice(1)
const getHint = (stderr: string): string => /^ {2}hint: (.*)$/m.exec(stderr)?.[1] ?? ''

describe('an operator of another language is refused, with the form that is meant', () => {
  it('where records are read to know it: description=run*', async () => {
    const { code, stdout, stderr } = await filter('description=run*')
    const hint = 'Write description~run*, or description="run*" for the text itself.'
    expect([code, stdout, getHint(stderr)]).toEqual([2, '', hint])
  })

  it.each([
    ['status = offline', ['2']],
    ['description=build and test', ['2']],
    ['description="build and test"', ['2']],
    ['description~and', ['2']],
    ['description~"^run"', []],
    ['description="a and b=c"', []],
    ['description="==x"', []],
    ['description=https://x.test/?a=1&b=2', []],
    ['description=a=b', []],
    ['description~r*n', ['1']],
    ['description!=null', ['1', '2']],
    ['status=online|offline', ['1', '2']],
    ['status!=online|offline', []],
  ])('but %s is a condition', async (condition, expected) => {
    const { code, stdout } = await filter(condition)
    expect([code, getIds(stdout)]).toEqual([0, expected])
  })
})

describe('a parameter that is true or false', () => {
  const show = (condition: string) => call(['projects', 'list', '--curl', '--where', condition])

  it.each([
    ['owned=0', 'owned=false'],
    ['owned=FALSE', 'owned=false'],
    ['owned=1', 'owned=true'],
  ])('is sent as the condition has it: %s', async (condition, query) => {
    expect((await show(condition)).stdout).toContain(`/projects?${query}&`)
  })

  it('is refused for any other word', async () => {
    const { code, stderr } = await show('owned=no')
    expect(code).toBe(2)
    expect(stderr).toContain('--where owned must be true or false, not "no"')
  })
})

describe('a value that a field cannot have', () => {
  it.each([
    ['status=ofline', 'did you mean offline?'],
    ['status!=ofline', 'did you mean offline?'],
    ['status=online|ofline', 'did you mean offline?'],
    ['status~ofl1ne', 'did you mean offline?'],
    ['status=OFFLINE', 'did you mean offline?'],
    ['status=', 'no known value of status is ""'],
    ['runner_type=instance', 'no known value of runner_type is "instance"'],
    ['active=yes', 'active requires true or false'],
    ['id=abc', 'id requires a number'],
    ['moon=maybe', 'moon requires true or false'],
  ])('%s is refused, with the nearest and all that are known', async (condition, said) => {
    const { code, stdout, stderr } = await filter(condition)
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(said)])
    if (condition.startsWith('status'))
      expect(getHint(stderr)).toMatch(/^Known values: online, offline, .*quote it: status[!=~]+"/)
  })

  it.each([
    ['members list -P a/b --where access_level=maintaner', 'did you mean maintainer?'],
    ['members list -P a/b --where access_level>=maintaner', 'did you mean maintainer?'],
    ['vulnerabilities list -P a/b --where severity=hihg', 'did you mean high?'],
    ['vulnerabilities list -P a/b --where severity>=hihg', 'did you mean high?'],
    ['projects list --where visibility=privat', 'did you mean private?'],
    ['mr list -P a/b --where state=openned', 'did you mean opened?'],
    ['jobs list -P a/b --where artifacts.file_type=archiv', 'did you mean archive?'],
  ])('is refused in other lists: %s', async (line, said) => {
    server.answer = () => ({ body: [{ id: 1 }] })
    const { code, stderr } = await call(line)
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)])
  })

  it.each([
    ['runners list --where status="sleeping"', 'runners'],
    ['mr list -P a/b --where state="sleeping"', 'merge requests'],
    ['runners list --where description="run*"', 'a pattern'],
  ])('passes in quotes: %s', async (line) => {
    server.answer = () => ({
      body: [{ id: 1, status: 'online', state: 'opened', description: 'x' }],
    })
    const { code, stderr } = await call(line)
    expect([code, stderr]).toEqual([0, 'no matches\n'])
    expect(server.lines().join()).not.toContain('sleeping')
  })

  it('passes if a record of the first page has it, and on no other page', async () => {
    const page = (status: string, next = '') => ({
      body: Array.from({ length: 100 }, (_, i) => ({
        id: next === '' ? i + 100 : i,
        status: i === 2 ? status : 'online',
      })),
      headers:
        next === '' ? {} : { link: `<${server.url}/api/v4/runners?page=${next}>; rel="next"` },
    })
    server.answer = ({ url }) => (/[?&]page=2/.test(url) ? page('asleep') : page('dozing', '2'))
    const line = 'runners list -L all -o csv --fields id --where'
    expect(getIds((await call(`${line} status=dozing`)).stdout)).toEqual(['2'])
    expect((await call(`${line} status=asleep`)).code).toBe(2)
    expect(getIds((await call(`${line} status="asleep"`)).stdout)).toEqual(['102'])
  })

  it('of several projects passes if one of them has it', async () => {
    server.answer = ({ url }) => ({
      body: [{ id: 1, status: url.includes('a%2Fb') ? 'asleep' : 'success' }],
    })
    const line = 'jobs list -P a/b,a/c -o csv --fields id,status --where'
    const some = await call(`${line} status=asleep`)
    expect([some.code, some.stdout]).toEqual([0, 'project,id,status\na/b,1,asleep\n'])
    expect((await call(`${line} status=dozing`)).code).toBe(2)
  })

  it('of a list without records is refused too', async () => {
    server.answer = () => ({ body: [] })
    expect((await call('runners list --where status=ofline')).code).toBe(2)
    expect((await call('runners list --where status=offline')).code).toBe(0)
  })
})

describe('a condition that cannot match is refused', () => {
  const wrong = ['status==offline', 'status=ofline', 'status=offline and active=true']

  it.each(wrong)('in --select: %s', async (condition) => {
    server.answer = withRunners
    const { code } = await call(['runners', 'pause', '--select', condition, '--yes'])
    expect([code, sent()]).toEqual([2, []])
  })

  it.each(wrong)('in --wait-until: %s', async (condition) => {
    server.answer = () => ({ body: runners[1] })
    const line = ['runners', 'get', '2', '--wait-until', condition, '--wait-timeout', '1']
    expect((await call(line)).code).toBe(2)
    expect(server.seen.length).toBeLessThanOrEqual(1)
  })

  it('in --wait-until only by the first round: a value may go', async () => {
    server.answer = (_, i) => ({ body: { id: 2, status: i === 0 ? 'dozing' : 'online' } })
    const line = 'runners get 2 --watch 1 --wait-timeout 30 -o json --wait-until'
    expect((await call(`${line} status!=dozing`)).code).toBe(0)
    expect(server.seen).toHaveLength(2)
  })

  it.each([
    ...wrong.flatMap((condition) => [
      ['runners list', `where: '${condition}'`],
      ['runners list', `each: '${condition}'`],
      [`runners list --where "${condition}"`, 'where: id>0'],
      ['runners list --group-by status --count', `where: '${condition},count>0'`],
    ]),
    ['runners list --group-by status --count', "where: 'count=many'"],
  ])('in a policy: %s, %s', async (list, test) => {
    server.answer = withRunners
    const policy = join(createFolder(), 'policy.yml')
    writeFileSync(
      policy,
      `policy: 1\nrules:\n  - { name: one, list: ${JSON.stringify(list)}, ${test} }\n`,
    )
    const { code, stderr } = await call(['check', 'policy', policy])
    expect([code, stderr]).toEqual([2, expect.stringContaining('policy.yml:3')])
  })

  it.each(wrong)('in a list of a snapshot, with --since and in groups: %s', async (condition) => {
    server.answer = withRunners
    const to = join(createFolder(), 'kept')
    expect((await call(['snapshot', 'runners', '--to', to])).code).toBe(0)
    const line = ['runners', 'list', '--where', condition]
    const before = server.seen.length
    expect((await call([...line, '--from', to])).code).toBe(2)
    expect((await call([...line, '--from', to, '--since', to])).code).toBe(2)
    expect((await call([...line, '--from', to, '--group-by', 'status'])).code).toBe(2)
    expect(server.seen).toHaveLength(before)
  })

  it('without records that a policy could look at', async () => {
    server.answer = () => ({ body: [] })
    const policy = join(createFolder(), 'policy.yml')
    const of = (list: string, where: string) =>
      writeFileSync(
        policy,
        `policy: 1\nrules:\n  - { name: one, list: ${list}, where: '${where}' }\n`,
      )
    of('runners list', 'status=ofline')
    expect((await call(['check', 'policy', policy])).code).toBe(2)
    of('runners list --group-by status', 'status=ofline,count>0')
    expect((await call(['check', 'policy', policy])).code).toBe(2)
    of('runners list --group-by status', 'status=offline,count>0')
    expect((await call(['check', 'policy', policy])).code).toBe(0)
  })
})

describe('conditions of one field that exclude each other', () => {
  it.each([
    'id>5,id<3',
    'id=5,id=6',
    'id>5,id<=5',
    'id>5,active=true,id<3',
    'id!=5,id=5',
    'contacted_at>30d,contacted_at<10d',
    'contacted_at>2026-01-01,contacted_at<2025-01-01',
    'contacted_at=2026-10-08,contacted_at=2026-10-09',
  ])('are refused before anything is sent: %s', async (condition) => {
    const { code, stderr } = await filter(condition)
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('a comma means that all must match'),
    ])
    const chosen = await call(['runners', 'pause', '--select', condition, '--yes'])
    expect([chosen.code, chosen.stderr]).toEqual([2, expect.stringContaining('all must match')])
    expect(server.seen).toEqual([])
    const alternatives = [...getHint(stderr).matchAll(/'([^']+)'/g)].map(([, one = '']) => one)
    const words = alternatives.flatMap((one) => ['--where', one])
    server.answer = withRunners
    expect((await call(['runners', 'list', ...words])).code).toBe(0)
  })

  it.each([
    ['id>=1,id<=1', ['1']],
    ['id>1,id<3', ['2']],
    ['id>1,id!=5', ['2']],
    ['id!=null,id>1', ['2']],
    ['id>9007199254740992,id<9007199254740994', []],
    ['contacted_at>10d,contacted_at<30d', []],
    ['contacted_at=2026-10-08,contacted_at>2026-10-08', []],
  ])('are none in %s', async (condition, found) => {
    const { code, stdout } = await filter(condition)
    expect([code, getIds(stdout)]).toEqual([0, found])
  })

  it('are refused by levels of access, and in policies', async () => {
    const members = ['members', 'list', '-P', '1', '--where']
    expect((await call([...members, 'access_level>maintainer,access_level<=30'])).code).toBe(2)
    server.answer = withRunners
    const policy = join(createFolder(), 'policy.yml')
    const check = (list: string, condition: string) => {
      writeFileSync(policy, `policy: 1\nrules:\n  - { name: one, list: ${list}, ${condition} }\n`)
      return call(['check', 'policy', policy])
    }
    expect((await check('runners list', "where: 'id>5,id<3'")).code).toBe(2)
    // The list already has the condition of the rule as its filter, so no record violates the rule.
    expect((await check("'runners list --where id>0'", "each: 'id>0'")).code).toBe(0)
  })
})

describe('a day is equal to each moment of it, UTC', () => {
  const times = [
    '2026-10-07T23:59:59.999Z',
    '2026-10-08T00:00:00Z',
    '2026-10-08T23:59:59.999Z',
    '2026-10-09T00:00:00Z',
  ]
  const all = [...times, '2026-10-09T01:30:00+02:00'].map((created_at, id) => ({ id, created_at }))

  it.each([
    ['created_at=2026-10-08', ['1', '2', '4']],
    ['created_at!=2026-10-08', ['0', '3']],
    ['created_at="2026-10-08"', ['1', '2', '4']],
    ['created_at=2026-10-07|2026-10-09', ['0', '3']],
    ['created_at=2026-10-08T00:00:00Z', ['1']],
    ['created_at>=2026-10-08,created_at<2026-10-09', ['1', '2', '4']],
  ])('%s', async (condition, expected) => {
    server.answer = () => ({ body: all })
    const { stdout } = await call([
      'jobs',
      'list',
      '-P',
      'a/b',
      '--where',
      condition,
      '-o',
      'csv',
      '--fields',
      'id',
    ])
    expect(getIds(stdout)).toEqual(expected)
  })

  it('today and yesterday, also in fields of which no document speaks, and in fields of days', async () => {
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString()
    server.answer = () => ({
      body: [0, 1, 2].map((ago, id) => ({
        id,
        created_at: day(ago),
        moon_at: day(ago),
        due_date: day(ago).slice(0, 10),
      })),
    })
    // The date may change between the answer and the test.
    const before = day(0).slice(0, 10)
    for (const field of ['created_at', 'moon_at'])
      for (const [word, id] of [
        ['today', '0'],
        ['yesterday', '1'],
      ]) {
        const { stdout } = await call([
          'jobs',
          'list',
          '-P',
          'a/b',
          '--where',
          `${field}=${word}`,
          '-o',
          'csv',
          '--fields',
          'id',
        ])
        if (day(0).startsWith(before)) expect(getIds(stdout)).toEqual([id])
      }
    const due = await call([
      'issues',
      'list',
      '--where',
      'due_date=today',
      '-o',
      'csv',
      '--fields',
      'id',
    ])
    if (day(0).startsWith(before)) expect(getIds(due.stdout)).toEqual(['0'])
  })
})

it.each([
  ['events list --after 2026-12-13 --before 2026-07-01', '--after is past --before'],
  [
    'issues list --created-after today --created-before 30d',
    '--created-after is past --created-before',
  ],
  [
    'commits list -P a/b --since 2026-12-13 --until 2026-07-01T00:00:00Z',
    '--since is past --until',
  ],
  ['projects list --id-after 5 --id-before 3', '--id-after is past --id-before'],
])('%s notes that nothing can match', async (line, said) => {
  const { code, stderr } = await call(line)
  expect([code, stderr]).toEqual([0, expect.stringContaining(`${said}, so nothing can match`)])
  const fine = await call('events list --after 2026-07-01 --before 2026-12-13')
  expect(fine.stderr).not.toContain('nothing can match')
})

it.each([
  ['members list -P a/b', '--query', ''],
  ['runners list', '--tag-list', ''],
  ['mr list --milestone Q1', '--not labels', 'labels='],
  ['projects list', '--param topic', 'topic='],
])('%s notes that the value of %s is empty: the list may be whole', async (line, label, value) => {
  const words = [...line.split(' '), label.replace(/ .*/, '')]
  const empty = await call([...words, value])
  expect(empty.stderr).toContain(`${label} is empty, and the instance may ignore it`)
  expect((await call([...words, `${value}x`])).stderr).not.toContain('is empty')
})

describe('fields of --sort, --group-by and --fields', () => {
  it.each([
    ['--sort', 'id desc', 'To sort, write -id.'],
    ['--sort', 'id:DESC', 'To sort, write -id.'],
    ['--sort', 'id.desc', 'To sort, write -id.'],
    ['--sort', 'id asc', 'To sort, write id.'],
    ['--sort', '+id', 'To sort, write id.'],
    ['--sort', 'id,desc', 'A dash sorts in descending order: -name.'],
    ['--sort', 'status==offline', 'Conditions belong to --where: "svcctl help where".'],
    ['--group-by', 'status=offline', 'Conditions belong to --where: "svcctl help where".'],
    ['--group-by', 'contacted_at.day', 'To group by it, write contacted_at:day.'],
    ['--group-by', 'status.x', 'Did you mean status?'],
    ['--fields', 'status.x', 'Did you mean status?'],
  ])('%s %s is refused, with the form that is meant', async (flag, value, hint) => {
    server.answer = () => ({ body: [{ ...runners[0], contacted_at: '2026-01-01T00:00:00Z' }] })
    const { code, stdout, stderr } = await call(['runners', 'list', flag, value])
    expect([code, stdout, getHint(stderr)]).toEqual([2, '', hint])
  })
})
