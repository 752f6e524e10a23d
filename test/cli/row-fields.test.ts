/** Tests `--row-fields`: columns of standard input that are attributes of the object in their row. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { parseRows } from '../commands/calling.js'
import { createRuns, readHeader, readJournalLines, user } from '../engine/journaling/runs.js'
import { createFolder } from '../support/program.js'

const { server, run, files, forget, fresh, written } = createRuns()
const canary = 'canary-of-a-secret-0123456789'
const listBodies = () =>
  server.seen.flatMap(({ method, url, body }) =>
    method === 'GET' ? [] : [[`${method} ${url.replace('/api/v4', '')}`, JSON.parse(body)]],
  )
const listQueued = (file: string) =>
  readJournalLines(file).filter((line) => 'n' in line && line.state === 'queued')

beforeEach(() => {
  fresh()
  server.answer = ({ url, method }) => {
    if (url.endsWith('/user')) return user
    return { body: method === 'POST' ? { status: 'success' } : { id: 1, description: 'before' } }
  }
})

describe('--row-fields', () => {
  it('leaves the text of a JSON record as it is', async () => {
    const description = '  indented\n'
    const line = 'runners update - --row-fields description,maximum_timeout'
    const ran = await run(line, JSON.stringify({ id: 1, description, maximum_timeout: ' 700 ' }))
    expect([ran.code, listBodies()]).toEqual([
      0,
      [['PUT /runners/1', { description, maximum_timeout: 700 }]],
    ])
  })

  it.each(['=1+1', "'=1+1", '+49 30', '-x', '-5', "'quoted'", '  in ', 'a\n\n \nb', '\n\n'])(
    'reads the text that -o csv wrote: %s',
    async (description) => {
      server.answer = ({ url }) =>
        url.endsWith('/user') ? user : { body: url.includes('?') ? [{ id: 1, description }] : {} }
      const listed = await run('runners list -o csv --fields id,description')
      server.answer = ({ url }) => (url.endsWith('/user') ? user : { body: { id: 1 } })
      const ran = await run('runners update - --row-fields description', listed.stdout)
      expect([ran.code, listBodies()]).toEqual([0, [['PUT /runners/1', { description }]]])
    },
  )

  it.each([
    ['commas', 'id,description,tag_list\r\n1,"say ""hi""","a,b"\r\n'],
    ['semicolons', '\ufeffid;description;tag_list\r\n1;"say ""hi""";a,b\r\n'],
    ['tabs', 'id\tdescription\ttag_list\r\n1\t"say ""hi"""\t"a,b"\r\n'],
  ])('reads a sheet with its columns between %s', async (_, sheet) => {
    const ran = await run('runners update - --row-fields description,tag_list', sheet)
    const body = { description: 'say "hi"', tag_list: ['a', 'b'] }
    expect([ran.code, listBodies()]).toEqual([0, [['PUT /runners/1', body]]])
  })

  it('keeps the spaces in quotation marks, and drops those around other cells', async () => {
    const ran = await run(
      'runners update - --row-fields description',
      'id,description\n1,"  in "\n2,  out  \n',
    )
    expect([ran.code, listBodies()]).toEqual([
      0,
      [
        ['PUT /runners/1', { description: '  in ' }],
        ['PUT /runners/2', { description: 'out' }],
      ],
    ])
  })

  it('leaves the items of a list in a JSON record whole, as --input does', async () => {
    const tag_list = ['a,b', 'c', '7']
    const ran = await run(
      'runners update - --row-fields tag_list',
      JSON.stringify({ id: 1, tag_list }),
    )
    expect([ran.code, listBodies()]).toEqual([0, [['PUT /runners/1', { tag_list }]]])
  })

  it.each([
    ['FALSE', false],
    ['0', false],
    ['TRUE', true],
    ['1', true],
  ])('reads %s of a sheet as %s', async (cell, active) => {
    const ran = await run('runners update - --row-fields active', `id,active\n1,${cell}\n`)
    expect([ran.code, listBodies()]).toEqual([0, [['PUT /runners/1', { active }]]])
  })

  it('adds each member of a sheet with the level and the day of its row', async () => {
    const sheet =
      'user_id,Department,access_level,expires_at\n5,QA,40,2027-01-01\n6,Ops,developer,\n7,Ops,30,\n'
    const ran = await run('members add - -P web/site --row-fields access_level,expires_at', sheet)
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('3 done')])
    expect(listBodies().toSorted(([, a], [, b]) => b.access_level - a.access_level)).toEqual([
      [
        'POST /projects/web%2Fsite/members',
        { user_id: 5, access_level: 40, expires_at: '2027-01-01' },
      ],
      ['POST /projects/web%2Fsite/members', { user_id: '6,7', access_level: 30 }],
    ])
    const [journal = ''] = files()
    expect(listQueued(journal)).toMatchObject([
      { object: '5', input: { access_level: 40, expires_at: '2027-01-01' } },
      { object: '6', input: { access_level: 30 } },
      { object: '7', input: { access_level: 30 } },
    ])
    expect(readHeader(journal).input).toMatchObject({ access_level: { $row: 'access_level' } })
  })

  it.each([
    ['{"id":1,"description":"","tag_list":[]}', [{ description: '', tag_list: [] }]],
    ['{"id":1,"description":null,"tag_list":null}', []],
    ['id,description,tag_list\n1,,', []],
  ])('clears what JSON says is empty, and leaves what has no value: %s', async (sheet, wanted) => {
    await run('runners update - --row-fields description,tag_list', `${sheet}\n`)
    expect(listBodies().map(([, body]) => body)).toEqual(wanted)
  })

  it.each([
    ['csv', 'id,description,maximum-timeout\n1,"a, b",3600\n2,c,\n'],
    ['a table', 'id\tdescription\tmaximum_timeout\n1\ta, b\t3600\n2\tc\t\n'],
    [
      'ndjson',
      '{"id":1,"description":"a, b","maximum_timeout":3600}\n{"id":2,"description":"c","maximum_timeout":null}\n',
    ],
    ['json', '[{"id":1,"description":"a, b","maximum_timeout":"3600"},{"id":2,"description":"c"}]'],
  ])('takes %s, and leaves out what a row does not say', async (_, sheet) => {
    const line = 'runners update - --row-fields description,maximum-timeout --locked'
    expect((await run(line, sheet)).code).toBe(0)
    expect(listBodies()).toEqual([
      ['PUT /runners/1', { description: 'a, b', maximum_timeout: 3600, locked: true }],
      ['PUT /runners/2', { description: 'c', locked: true }],
    ])
  })

  it.each([
    ['user', 'user,access_level\n5,10\n'],
    ['username', 'username,access_level\n5,10\n'],
    ['user beside words of their own', 'Department,access_level,user\nQA,10,5\n'],
    ['user behind a column that is more certain', 'id,user,access_level\n5,Eva E.,10\n'],
    ['a table', 'user\taccess_level\n5\t10\n'],
    ['JSON', '[{"user":"5","access_level":10}]'],
    ['project and user', 'project,user,access_level\na/b,5,10\n'],
  ])('takes members from the column %s', async (_, sheet) => {
    const place = sheet.startsWith('project') ? '' : ' -P a/b'
    const ran = await run(`members add -${place} --row-fields access_level`, sheet)
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('1 done')])
    expect(listBodies()).toEqual([
      ['POST /projects/a%2Fb/members', { user_id: 5, access_level: 10 }],
    ])
  })

  it('quotes no values where the first line is no heading', async () => {
    const sheet = `5,${canary}\n6,x\n`
    const { code, stderr } = await run('members add - -P a/b --row-fields access_level', sheet)
    expect([code, stderr]).toEqual([2, expect.stringContaining('names a user\n')])
    expect(stderr).not.toContain(canary)
  })

  it('takes rows that bring their project along, and several projects for all', async () => {
    const sheet = 'project,user_id,access_level\na/b,5,10\nc/d,6,20\n'
    await run('members add - --row-fields access_level', sheet)
    const all = () => listBodies().map(([line, body]) => [line, body.user_id, body.access_level])
    expect(all()).toEqual([
      ['POST /projects/a%2Fb/members', 5, 10],
      ['POST /projects/c%2Fd/members', 6, 20],
    ])
    forget()
    await run('members add - -P a/b,c/d --row-fields access_level', 'user_id,access_level\n5,10\n')
    expect(all()).toEqual([
      ['POST /projects/a%2Fb/members', 5, 10],
      ['POST /projects/c%2Fd/members', 5, 10],
    ])
  })

  it('shows each row in --dry-run and --curl', async () => {
    const sheet = 'id,description\n1,a\n2,b\n'
    const preview = await run('runners update - --row-fields description --dry-run', sheet)
    expect(
      parseRows(preview.stdout).filter(({ attribute }) => attribute === 'description'),
    ).toMatchObject([
      { object: '1', now: 'before', new: 'a' },
      { object: '2', now: 'before', new: 'b' },
    ])
    const curl = await run('runners update - --row-fields description --curl', sheet)
    expect(curl.stdout).toMatch(/"description":"a".*runners\/1\n.*"description":"b".*runners\/2\n/s)
    expect(written()).toEqual([])
  })

  it('is the same when the run is resumed, and is undone', async () => {
    server.answer = ({ url, method }) => {
      if (url.endsWith('/user')) return user
      return method !== 'GET' && url.endsWith('/2')
        ? { status: 503 }
        : { body: { id: 1, description: 'before' } }
    }
    const sheet = 'id,description\n1,a\n2,b\n3,c\n'
    await run('runners update - --row-fields description --retries 0', sheet)
    forget()
    let now = 'before'
    server.answer = ({ url, method, body }) => {
      if (url.endsWith('/user')) return user
      if (method !== 'GET') now = JSON.parse(body).description
      return { body: { id: 2, description: now } }
    }
    const ran = await run('runners update --resume last')
    expect([ran.code, listBodies()]).toEqual([0, [['PUT /runners/2', { description: 'b' }]]])
    const typed = await run('runners update --resume last --row-fields description')
    expect(typed.code).toBe(2)
  })

  it('is put back by journal undo', async () => {
    const texts = new Map([
      ['/1', 'one'],
      ['/2', 'two'],
    ])
    server.answer = ({ url, method, body }) => {
      if (url.endsWith('/user')) return user
      const key = url.slice(url.lastIndexOf('/'))
      if (method !== 'GET') texts.set(key, JSON.parse(body).description)
      return { body: { id: Number(key.slice(1)), description: texts.get(key) } }
    }
    await run('runners update - --row-fields description', 'id,description\n1,a\n2,b\n')
    forget()
    const ran = await run('journal undo last --yes')
    expect([ran.code, listBodies()]).toEqual([
      0,
      [
        ['PUT /runners/1', { description: 'one' }],
        ['PUT /runners/2', { description: 'two' }],
      ],
    ])
  })

  it('takes a secret by reference alone, and journals the reference', async () => {
    const file = join(createFolder(), 'token')
    writeFileSync(file, `${canary}\n`)
    const line = 'integrations update - -P a/b --row-fields webhook'
    const plain = await run(line, `slug,webhook\nslack,${canary}\n`)
    expect([plain.code, server.seen]).toEqual([2, []])
    expect(plain.stderr).toContain('standard input, line 2, column webhook is a secret')
    const ran = await run(line, `slug,webhook\nslack,@${file}\ndiscord,env:HOOK\n`, {
      HOOK: canary,
    })
    expect(ran.code).toBe(0)
    expect(listBodies().map(([, body]) => body.webhook)).toEqual([canary, canary])
    const [journal = ''] = files()
    expect(listQueued(journal)).toMatchObject([
      { input: { webhook: `@${file}` } },
      { input: { webhook: 'env:HOOK' } },
    ])
    for (const text of [plain.stderr, ran.stderr, ran.stdout, readFileSync(journal, 'utf8')])
      expect(text).not.toContain(canary)
  })

  it('says what is otherwise filled from the record', async () => {
    server.answer = ({ url }) =>
      url.endsWith('/user') ? user : { body: { id: 5, access_level: 30 } }
    const line = 'members update - -P a/b --row-fields access_level,expires_at'
    await run(line, 'user_id,access_level,expires_at\n5,10,\n6,,2027-01-01\n')
    expect(
      listBodies()
        .toSorted()
        .map(([, body]) => body),
    ).toEqual([{ access_level: 10 }, { access_level: 30, expires_at: '2027-01-01' }])
  })
})

describe('a sheet that is wrong sends nothing', () => {
  it.each<[string, string, string, string]>([
    [
      'a name that is near',
      'runners update - --row-fields descripton',
      'id,descripton\n1,a\n',
      'runners update has no attribute "descripton"',
    ],
    [
      'a column that is not there',
      'runners update - --row-fields description',
      'id,descripton\n1,a\n',
      'no column description',
    ],
    [
      'a flag beside it',
      'runners update - --row-fields description --description x',
      'id,description\n1,a\n',
      '--row-fields description and --description both set description',
    ],
    [
      'a --param beside it',
      'runners update - --row-fields description --param description=x',
      'id,description\n1,a\n',
      '--row-fields description and --param both set description',
    ],
    [
      'a value in the third row',
      'runners update - --row-fields maximum_timeout',
      'id,maximum_timeout\n1,3600\n2,long\n',
      'standard input, line 3, column maximum_timeout must be an integer',
    ],
    [
      'a word that is no boolean',
      'runners update - --row-fields active',
      'id,active\n1,no\n',
      'line 2, column active must be true or false, not "no"',
    ],
    [
      'several values of an attribute with one',
      'runners update - --row-fields maximum_timeout',
      '{"id":1,"maximum_timeout":[700,800]}',
      'line 1, column maximum_timeout must be one value, not a list',
    ],
    [
      'a level that is none',
      'members add - -P a/b --row-fields access_level',
      'user_id,access_level\n5,king\n',
      'line 2, column access_level',
    ],
    [
      'an attribute that a row lacks',
      'members add - -P a/b --row-fields access_level',
      'user_id,access_level\n5,10\n6,\n',
      'needs --access-level',
    ],
    [
      'two rows of one object',
      'runners update - --row-fields description',
      'id,description\n1,a\n1,b\n',
      'another row for 1 has different values',
    ],
    [
      'a sheet without a column of the objects',
      'members add - -P a/b --row-fields access_level',
      'who,access_level\n5,10\n',
      'line 1: no column of the heading names a user: who, access_level\n  hint: Columns that name a user: id, username, user_id, user.',
    ],
    [
      'the same with tabs, of runners',
      'runners update - --row-fields description',
      'machine\tdescription\n1\ta\n',
      'line 1: no column of the heading names a runner: machine, description\n  hint: Columns that name a runner: id, runner.',
    ],
    [
      'one object a line',
      'runners update - --row-fields description',
      '1\n2\n',
      'no columns found for --row-fields',
    ],
    [
      'no rows at all',
      'runners update 1 --row-fields description',
      '',
      '--row-fields requires rows on standard input',
    ],
  ])('%s', async (_, line, sheet, says) => {
    const ran = await run(line, sheet)
    expect([ran.code, ran.stdout, written()]).toEqual([2, '', []])
    expect(ran.stderr).toContain(says)
  })
})

describe('a column that is not used', () => {
  it('is told, with the flag that takes it', async () => {
    const line = 'members add - -P a/b --access-level 20'
    const ran = await run(line, 'user_id,access_level,expires_at\n5,40,2027-01-01\n')
    expect(ran.stderr).toContain(
      'ignored columns access_level, expires_at; use --row-fields access_level,expires_at to set these values per object',
    )
    const json = await run('runners update - --locked', '{"id":1,"description":"a"}\n')
    expect(json.stderr).toContain(
      'ignored column description; use --row-fields description to set these values per object',
    )
  })

  it('of a list that a command printed is none', async () => {
    const list = 'id\tdescription\trunner_type\tstatus\tip_address\tactive\n1\ta\tx\ty\tz\ttrue\n'
    expect((await run('runners update - --locked', list)).stderr).not.toContain('not used')
    expect((await run('runners pause -', 'id,description\n1,a\n')).stderr).not.toContain('not used')
  })
})
