/** Members by username, several at once, and what stays as it is. */
import { describe, expect, it } from 'vitest'
import { answerByRoute, createCaller } from './calling.js'

const { server, call, sent, atTerminal } = createCaller()
const people = [
  { id: 5, username: 'dov', access_level: 30 },
  { id: 6, username: 'eva', access_level: 40 },
]

describe('members get', () => {
  it('looks a username up among direct members, with --inherited among all', async () => {
    server.answer = answerByRoute({
      'GET /projects/3/members?': people,
      'GET /projects/3/members/all?': people,
      'GET /': people[0],
    })
    const ran = await call('members get @Dov 6 -P 3 -o json')
    expect(ran.code).toBe(0)
    expect(server.lines().toSorted()).toEqual([
      'GET /projects/3/members/5',
      'GET /projects/3/members/6',
      'GET /projects/3/members?query=Dov&per_page=100',
    ])
    server.seen.length = 0
    await call('members get dov -P 3 --inherited')
    expect(server.lines()).toEqual([
      'GET /projects/3/members/all?query=dov&per_page=100',
      'GET /projects/3/members/all/5',
    ])
  })

  it('looks names up as they come, among those whom the line is about', async () => {
    server.answer = answerByRoute({
      'GET /projects/3/members?': people,
      'GET /projects/3/members/all?': people,
      'GET /projects/3/members/': people[0],
    })
    for (const [flag, list] of [
      ['', 'members'],
      [' --inherited', 'members/all'],
    ]) {
      server.seen.length = 0
      const ran = await call(`members get - -P 3${flag}`, { input: '@dov\n6\n' })
      expect(ran.code).toBe(0)
      expect(server.lines().toSorted()).toEqual([
        `GET /projects/3/${list}/5`,
        `GET /projects/3/${list}/6`,
        `GET /projects/3/${list}?query=dov&per_page=100`,
      ])
    }
    const line = 'members update - -P 3 --access-level reporter --expires-at 2030-01-01 --yes'
    expect((await call(line, { input: 'eva\n' })).code).toBe(0)
    expect(sent().map((one) => one.line)).toEqual(['PUT /projects/3/members/6'])
  })

  it('is exit 4 for a name that nobody has, with those that are near', async () => {
    server.answer = () => ({ body: people })
    const ran = await call('members get do -G 7')
    expect(ran).toMatchObject({ code: 4, stdout: '' })
    expect(ran.stderr).toContain('group 7 has no member named "do"; there is dov (5), eva (6')
    expect(ran.stderr).toContain('"svcctl members list --inherited" shows all members.')
    expect(server.lines()).toEqual(['GET /groups/7/members?query=do&per_page=100'])
    const inherited = await call('members get do -G 7 --inherited')
    expect(inherited.stderr).toContain('Pass the ID instead.')
  })

  it('is exit 2 for a name that several have', async () => {
    server.answer = () => ({ body: [...people, { id: 9, username: 'DOV' }] })
    const ran = await call('members get dov -G 7')
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('several members of group 7 are called "dov": dov (5), DOV (9)')
  })

  it('shows with --curl the look-up, and its own request with what that would give', async () => {
    const ran = await call('members get dov -P 3 --curl')
    expect(ran.code).toBe(0)
    const [found = '', own = ''] = ran.stdout.split('\n')
    expect(found).toContain('/projects/3/members?query=dov&per_page=100')
    expect(own).toMatch(/\/projects\/3\/members\/<id>'$/)
    expect((await call('members get 5 -P 3 --curl')).stdout).toContain('/projects/3/members/5')
    expect(server.seen).toEqual([])
  })
})

describe('members add', () => {
  const add = (...users: string[]) =>
    call(['members', 'add', ...users, '--access-level', 'developer', '-P', '3'])

  it('sends several as one request and tells of each', async () => {
    server.answer = ({ method }) => ({ body: method === 'GET' ? people : { status: 'success' } })
    const ran = await add('8', 'dov')
    expect(ran.code).toBe(0)
    expect(server.lines()[0]).toBe('GET /projects/3/members/all?query=dov&per_page=100')
    expect(sent()).toEqual([
      { line: 'POST /projects/3/members', body: { user_id: '8,5', access_level: 30 } },
    ])
    expect(ran.stderr).toContain('user 8 of project 3: added')
    expect(ran.stderr).toContain('user 5 of project 3: added')
  })

  it('shows those whom the instance answers with by the columns of their list', async () => {
    server.answer = () => ({ body: people[0] })
    const { stdout } = await call('members add 5 --access-level developer -P 3,4 -o csv --yes')
    expect(stdout.split('\n', 2)).toEqual([
      'project,object,id,username,name,state,access_level,expires_at',
      '3,user 5,5,dov,,,developer,',
    ])
  })

  it('finds by name a user who is in no project, and refuses a name that nobody has', async () => {
    server.answer = ({ method, url }) => {
      if (method === 'POST') return { body: { id: 7 } }
      return { body: url.includes('/users?username=fay') ? [{ id: 7, username: 'fay' }] : [] }
    }
    expect(await add('fay')).toMatchObject({ code: 0 })
    expect(sent().map(({ body }) => body)).toEqual([{ user_id: 7, access_level: 30 }])
    const unknown = await add('nobody')
    expect(unknown).toMatchObject({ code: 4, stdout: '' })
    expect(unknown.stderr).toContain('unknown user "nobody"')
    expect(sent()).toHaveLength(1)
  })

  it('sends at most a hundred as one request', async () => {
    server.answer = () => ({ body: { status: 'success' } })
    const ids = Array.from({ length: 201 }, (_, i) => String(i + 1))
    expect((await add(...ids)).code).toBe(0)
    expect(sent().map(({ body }) => String(Object(body).user_id).split(','))).toEqual([
      ids.slice(0, 100),
      ids.slice(100, 200),
      ids.slice(200),
    ])
  })

  it('is exit 8 where some failed, by ID or by name, with the reason of each', async () => {
    server.answer = ({ method }) => ({
      body:
        method === 'GET'
          ? [people[1]]
          : { status: 'error', message: { '8': 'is a bot', eva: ['is blocked', 'is away'] } },
    })
    const ran = await add('8', '5', '6')
    expect(ran.code).toBe(8)
    expect(ran.stderr).toContain('user 8 of project 3: is a bot')
    expect(ran.stderr).toContain('user 6 of project 3: is blocked; is away')
    expect(ran.stderr).toContain('user 5 of project 3: added')
  })

  it('is a failure where the instance rejects the only one with a success', async () => {
    server.answer = ({ method }) => ({
      body: method === 'GET' ? people : { status: 'error', message: { dov: 'is a bot' } },
    })
    expect(await add('5')).toMatchObject({ code: 1, stdout: '' })
    const { stderr } = await add('5', '-o', 'json')
    expect(JSON.parse(stderr).error).toEqual({ category: 'failed', message: 'is a bot' })
  })

  it('sends one as itself', async () => {
    server.answer = () => ({ status: 201, body: { id: 8, access_level: 30 } })
    expect(JSON.parse((await add('8', '-o', 'json')).stdout)).toEqual({ id: 8, access_level: 30 })
    expect(sent()[0]?.body).toEqual({ user_id: 8, access_level: 30 })
  })
})

describe('members update', () => {
  it.each([
    ['-P', 'projects'],
    ['-G', 'groups'],
  ])('reads the level that stays as it is: %s', async (scope, root) => {
    server.answer = answerByRoute({
      [`GET /${root}/3/members?`]: people,
      'GET /': people[1],
      'PUT ': {},
    })
    await call(['members', 'update', 'eva', '--expires-at', '2027-01-31', scope, '3'])
    expect(server.lines().slice(1)).toEqual([
      `GET /${root}/3/members/6`,
      `PUT /${root}/3/members/6`,
    ])
    expect(sent()[0]?.body).toEqual({ access_level: 40, expires_at: '2027-01-31' })
  })

  it('reads nothing where it is given, and shows both requests with --curl', async () => {
    await call('members update 6 --access-level guest -P 3 --no-undo-record')
    expect(server.lines()).toEqual(['PUT /projects/3/members/6'])
    server.seen.length = 0
    const shown = await call('members update 6 --expires-at 2027-01-31 -G 3 --curl')
    const [read = '', write = ''] = shown.stdout.split('\n')
    expect(read).toMatch(/\/api\/v4\/groups\/3\/members\/6$/)
    expect(write).toContain('"access_level":"<access_level>"')
    expect(server.seen).toEqual([])
  })
})

describe('a user who is named by name and by ID', () => {
  const answerPeople = () =>
    answerByRoute({ 'GET /projects/3/members?': people, 'GET /projects/3/members/': people[0] })

  it.each(['update 5 dov', 'update @dov DOV', 'remove dov 5'])(
    'is one object: members %s',
    async (words) => {
      server.answer = answerPeople()
      const flags = words.startsWith('update') ? '--access-level guest' : '--yes'
      const { code, stderr } = await call(`members ${words} -P 3 ${flags}`)
      expect([code, sent().length]).toEqual([0, 1])
      expect(stderr).toContain('one object was given more than once and is processed once')
    },
  )

  it.each(['update', 'remove'])('is one object also in a pipe: members %s', async (verb) => {
    const flags = verb === 'update' ? '--access-level guest' : '--yes'
    for (const [input, journal] of [
      ['dov\n5\n@DOV\n', ''],
      ['5\ndov\n', ' --journal none'],
    ] as const) {
      server.answer = answerPeople()
      server.seen.length = 0
      const { code, stderr } = await call(`members ${verb} - -P 3 ${flags}${journal}`, { input })
      expect([code, sent().length], stderr).toEqual([0, 1])
      expect(stderr).toContain('given more than once and')
    }
  })

  it('is named once by the question', async () => {
    server.answer = answerPeople()
    for (const [words, input] of [
      ['dov 5', ''],
      ['-', '5\ndov\n'],
    ] as const) {
      const { stderr } = await call(`members remove ${words} -P 3 --dry-run`, { input })
      expect(stderr.match(/^ *remove user .*$/gm), words).toHaveLength(1)
    }
  })

  it.each(['dov', 'DOV'])('has the same values in all rows: 5 and %s', async (name) => {
    server.answer = answerPeople()
    const update = (rows: string) =>
      call('members update - --row-fields access_level -P 3', {
        input: `user,access_level\n5,20\n${rows}\n`,
      })
    const { code, stderr } = await update(`${name},30`)
    expect([code, sent()]).toEqual([2, []])
    expect(stderr).toContain(`another row for the user ${name} has different values`)
    expect((await update(`${name},20`)).code).toBe(0)
  })
})

describe('rows of members with --curl', () => {
  it('show the request of each, although no name is looked up', async () => {
    const ran = await call('members add - --row-fields access_level -P 3 --curl', {
      input: 'user,access_level\ndov,20\neva,30\n',
    })
    expect([ran.code, sent()]).toEqual([0, []])
    expect(ran.stdout.match(/"access_level":\d+/g)).toEqual([
      '"access_level":20',
      '"access_level":30',
    ])
  })
})

describe('members remove', () => {
  it.each([
    ['-P', 'projects'],
    ['-G', 'groups'],
  ])('removes direct members by name and by ID once it is confirmed: %s', async (scope, root) => {
    server.answer = ({ method }) =>
      method === 'GET' ? { body: people } : { status: 204, body: undefined }
    const unasked = await call(['members', 'remove', 'eva', scope, '3'])
    expect(unasked.code).toBe(2)
    expect(unasked.stderr).toContain('Pass --yes to confirm.')
    expect(sent()).toEqual([])
    server.seen.length = 0
    const ran = await call(['members', 'remove', 'eva', '5', scope, '3', '--yes'])
    expect(ran.code).toBe(0)
    expect(server.lines()[0]).toBe(`GET /${root}/3/members?query=eva&per_page=100`)
    expect(sent().map(({ line }) => line)).toEqual([
      `DELETE /${root}/3/members/6`,
      `DELETE /${root}/3/members/5`,
    ])
    expect(ran.stderr).toMatch(/^eva of \w+ 3: removed$/m)
  })

  it('is exit 4 for whoever is a member above only', async () => {
    server.answer = ({ method }) =>
      method === 'GET' ? { body: [] } : { status: 404, body: { message: '404 Not found' } }
    expect((await call('members remove eva -P 3 --yes')).code).toBe(4)
    expect(sent()).toEqual([])
    expect((await call('members remove 6 -P 3 --yes')).code).toBe(4)
    expect(sent().map(({ line }) => line)).toEqual(['DELETE /projects/3/members/6'])
  })
})

describe('members billable memberships', () => {
  it('takes a username, looked up among the billable members', async () => {
    server.answer = answerByRoute({
      'GET /groups/7/billable_members?': people,
      'GET ': [{ id: 1 }],
    })
    const ran = await call('members billable memberships eva -G 7 -o json')
    expect(server.lines().map((l) => l.replace(/[?&]per_page=\d+/, ''))).toEqual([
      'GET /groups/7/billable_members?search=eva',
      'GET /groups/7/billable_members/6/memberships',
    ])
    expect(JSON.parse(ran.stdout)).toEqual([{ id: 1 }])
  })
})

describe('members billable remove', () => {
  const memberships = [
    { source_full_name: 'Web / Site', access_level: { string_value: 'Owner', integer_value: 50 } },
    { source_full_name: 'Platform' },
  ]

  it('names every membership that goes before it is confirmed', async () => {
    server.answer = answerByRoute({
      'GET /groups/7/billable_members?': people,
      'GET /groups/7/billable_members/6/memberships': memberships,
    })
    const unasked = await call('members billable remove eva -G 7')
    expect(unasked.code).toBe(2)
    expect(unasked.stderr).toContain('Pass --yes to confirm.')
    await atTerminal('members billable remove eva -G 7', async (terminal) => {
      const screen = await terminal.until(/\(y\/N\)/i)
      expect(screen).toMatch(/eva of group 7: Web \/ Site \(Owner\)/)
      expect(screen).toMatch(/eva of group 7: Platform$/m)
    })
    expect(sent()).toEqual([])
  })

  it('removes with --yes, also where the memberships are not told', async () => {
    server.answer = ({ method, url }) =>
      url.includes('memberships')
        ? { status: 403, body: { message: '403 Forbidden' } }
        : { body: method === 'GET' ? people : undefined, status: method === 'GET' ? 200 : 204 }
    const ran = await call('members billable remove eva 5 -G 7 --yes')
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('eva of group 7: removed')
    expect(sent().map(({ line }) => line)).toEqual([
      'DELETE /groups/7/billable_members/6',
      'DELETE /groups/7/billable_members/5',
    ])
  })
})
