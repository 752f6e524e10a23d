/** Objects from standard input: headings by the lists that have them, every format, projects kept. */
import { describe, expect, it } from 'vitest'
import { loadAllCommands } from '../../src/commands/index.js'
import { getCommandName } from '../../src/engine/command/derive.js'
import { readObjects } from '../../src/engine/plan/objects.js'
import { parsePipedObjects } from '../../src/engine/plan/stdin/reader.js'
import { createCaller } from '../commands/calling.js'
import { createConfiguration } from '../support/program.js'
import { startLine, svcctl } from '../support/within.js'

const commands = await loadAllCommands()
const read = async (command: string, text: string, project?: string) => {
  const found = commands.find((c) => getCommandName(c) === command)
  if (found === undefined) throw new Error(command)
  const objects = await parsePipedObjects(text, await readObjects(found.args[0]), project)
  return objects.map(({ text: object }) => object)
}

describe('a number past 2^53', () => {
  it('is not rounded to that of another object', async () => {
    const ids = '[{"id":9007199254740993},{"id":9007199254740995}]'
    expect(await read('runners pause', ids)).toEqual(['9007199254740993', '9007199254740995'])
    expect(await read('runners pause', '{"id":1.0}')).toEqual(['1'])
  })
})

describe('a record that names nothing', () => {
  it.each([
    ['runners get - --sandbox', 'no id of a runner'],
    ['integrations get - -P 1 --sandbox', 'no slug of an integration'],
    ['api GET /x/{} - --curl --sandbox', 'no object'],
  ])('is refused for %s: %s', async (line, says) => {
    const { code, stderr } = await svcctl(line.split(' '), {
      input: '{"name":"x"}\n',
      env: { SVC_CONFIG_DIR: createConfiguration() },
    })
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`standard input, line 1: ${says}\n`),
    ])
  })
})

describe('texts in quotes, as jq without -r and spreadsheets write them', () => {
  it.each([
    ['projects get', '"a/b"\n"c \\u0064"\n', ['a/b', 'c d']],
    ['runners pause', '"id"\r\n"1"\r\n"2"\r\n', ['1', '2']],
    ['runners pause', '"a\n"b" c\n', ['"a', '"b" c']],
  ])('name objects of %s: %j', async (command, text, names) => {
    expect(await read(command, text)).toEqual(names)
  })
})

describe('two columns of one name', () => {
  it('name objects if they agree', async () => {
    expect(await read('runners pause', 'id,id\n1,1\n2,2\n')).toEqual(['1', '2'])
    await expect(read('runners pause', 'id,status,id\n1,online,1\n2,online,3\n')).rejects.toThrow(
      'standard input, line 3: two columns id with different values',
    )
  })
})

describe('a column for the targets alone', () => {
  it.each([
    ['runners pause', 'project\na/b\n', 'the column project alone names no runner'],
    ['mr rebase', 'project\r\na/b\r\n', 'the column project alone names no merge request'],
    ['deploy-keys delete', 'of\nproject:a/b\n', 'the column of alone names no deploy key'],
  ])('names no objects of %s', async (command, text, says) => {
    await expect(read(command, text)).rejects.toThrow(`standard input, line 1: ${says}`)
  })

  it('may be the name of an object that has one', async () => {
    expect(await read('resource-groups get', 'project\n')).toEqual(['project'])
    expect(await read('pages-domains get', 'group\na.example\n')).toEqual(['group', 'a.example'])
  })
})

describe('a column that is called as what stands in it', () => {
  it.each([
    ['members update', 'user\neva\n', 'eva'],
    ['members add', 'user,access_level\neva,30\n', 'eva'],
    ['runners get', 'runner\n7\n', '7'],
    ['runners get', '{"runner":7}\n', '7'],
    ['jobs get', 'job,name\n7,build\n', '7'],
    ['projects get', 'project\na/b\n', 'a/b'],
    ['integrations get', 'integration\nslack\n', 'slack'],
    ['deploy-keys get', 'deploy_key\n7\n', '7'],
  ])('names the objects of %s in %j', async (command, text, object) => {
    expect(await read(command, text, 'a/b')).toEqual([object])
  })

  it('gives way to the column of the lists', async () => {
    expect(await read('members update', 'user,id\nEva,5\n')).toEqual(['5'])
    expect(await read('runners get', '{"id":7,"runner":{"id":8}}\n')).toEqual(['7'])
  })

  it('names projects and groups whose lists are read', async () => {
    const env = { SVC_CONFIG_DIR: createConfiguration() }
    for (const [line, input] of [
      ['members list -G - --sandbox', 'group\nplatform\n'],
      ['members list -G - --sandbox', '[{"id":4711,"full_path":"platform"}]'],
      ['members list -P - --sandbox', 'project\nplatform/app\n'],
    ] as const) {
      const { code, stdout } = await svcctl(`${line} -o csv`.split(' '), { input, env })
      expect([code, stdout]).toEqual([0, expect.stringMatching(/\nplatform(\/app)?,\d+,/)])
    }
  })
})

describe('input without an end', () => {
  const more = 'x'.repeat((12 << 20) + 1)

  it.each([
    ['a first line', more, 1, 'a line'],
    ['a line behind others', `1\n2\n${more}`, 3, 'a line'],
    ['a quoted cell', `id,description\n1,"${`${'x'.repeat(1023)}\n`.repeat(13 << 10)}`, 2, 'a row'],
    ['a text in JSON', `[{"id":1},{"id":"${more}`, 1, 'a JSON value'],
  ])('is not held: %s', async (_, input, line, what) => {
    const { code, stderr } = await svcctl(['runners', 'pause', '-', '--yes', '--sandbox'], {
      input,
      env: { SVC_CONFIG_DIR: createConfiguration() },
    })
    expect(stderr).toContain(`standard input, line ${line}: ${what} longer than 12 MiB\n`)
    expect(code).toBe(2)
  })
})

describe('input of a write that nobody can confirm', () => {
  it('is refused at its first object, while more may come', async () => {
    const env = { SVC_CONFIG_DIR: createConfiguration() }
    const line = startLine(['deploy-keys', 'delete', '-', '-P', 'platform/app', '--sandbox'], {
      env,
    })
    await line.write('1\n')
    const { code, stderr } = await line.ended
    expect([code, stderr]).toEqual([2, expect.stringContaining('confirmation required')])
    line.endInput()
  })

  it.each([
    ['issues promote -', 'a/b#1\n', 'an epic cannot be turned back into an issue'],
    ['api DELETE runners/{} -', '1\n', 'svcctl does not know the effect of the request'],
  ])('is refused with the reason why it cannot be undone: %s', async (line, input, why) => {
    const { code, stderr } = await svcctl([...line.split(' '), '--sandbox'], { input })
    expect([code, stderr]).toEqual([2, expect.stringContaining(`This cannot be undone: ${why}.`)])
  })
})

describe('quoted cells', () => {
  const heading = 'id,description\n'

  it('go over several lines, and hold commas and quotation marks', async () => {
    const rows = '1,"a\n""b"", c"\n2,"d"\n'
    expect(await read('runners pause', heading + rows)).toEqual(['1', '2'])
  })

  it.each([
    ['that none closes', '1,a\n2,"b\n3,c\n', 3],
    ['with text behind them', '1,a\n2,b\n3,"c"d\n', 4],
    ['with text before them', '1,a"b\n2,c\n3,d"\n', 2],
  ])('%s are refused with their line', async (_, rows, line) => {
    const refused = read('runners pause', heading + rows)
    await expect(refused).rejects.toMatchObject({ category: 'usage' })
    await expect(refused).rejects.toThrow(
      `standard input, line ${line}: a misplaced quotation mark`,
    )
  })
})

describe('what a spreadsheet writes', () => {
  it.each([
    ['semicolons', 'id;description\r\n3;"a;b, c"\r\n"4";x\r\n'],
    ['semicolons, and all in quotes', '"id";"description"\r\n"3";"a"\r\n"4";"b"\r\n'],
    ['tabs', 'description\tid\r\n"a, b"\t3\r\n"say ""x"""\t4\r\n'],
  ])('has its columns between %s', async (_, text) => {
    expect(await read('runners pause', text)).toEqual(['3', '4'])
  })
})

describe('a heading', () => {
  it('is a first line of fields of such lists, whatever --fields asked for', async () => {
    expect(await read('runners pause', 'description\tid\nmine\t3\n')).toEqual(['3'])
    expect(await read('members update', 'name\tid\tusername\nAna\t5\tana\n')).toEqual(['5'])
    expect(await read('mr get', 'title\treferences.full\nx\ta/b!2\n')).toEqual(['a/b!2'])
    expect(await read('commits get', 'title,author_name,id\n"a, b\nc",Ana,abc\n')).toEqual(['abc'])
    expect(await read('geo nodes get', 'geo_node_id\thealthy\n2\ttrue\n')).toEqual(['2'])
    expect(await read('integrations delete', 'id\tslug\n7\temails-on-push\n')).toEqual([
      'emails-on-push',
    ])
  })

  it('of one column is passed over where lines follow it, and is an object alone', async () => {
    expect(await read('integrations get', 'slug\nx\n')).toEqual(['x'])
    expect(await read('integrations get', 'slug\n')).toEqual(['slug'])
    expect(await read('integrations get', 'name\nid\n')).toEqual(['name', 'id'])
    expect(await read('commits get', 'name\nmain\n')).toEqual(['name', 'main'])
  })

  it('that comes again below is no object', async () => {
    expect(await read('runners get', 'id\tstatus\n1\tonline\nid\tstatus\n2\toffline\n')).toEqual([
      '1',
      '2',
    ])
  })

  it('says which object an answer about several was about', async () => {
    expect(await read('issues todo', 'object\ttime_estimate\na/b#2\t0\n')).toEqual(['a/b#2'])
  })

  it('of other things is refused', async () => {
    const jobs = 'id\tstatus\tstage\n7\tsuccess\ttest\n'
    await expect(read('runners pause', jobs)).rejects.toThrow(
      'a list of objects other than runners',
    )
    const job = '{"id":7,"stage":"test"}'
    await expect(read('runners pause', job)).rejects.toThrow('a list of objects other than runners')
    const issue = 'reference\ttitle\na/b#1\tx\n'
    await expect(read('mr rebase', issue, 'a/b')).rejects.toThrow(
      'a list of objects other than merge requests',
    )
    const runner = JSON.stringify({
      id: 7,
      description: 'one',
      ip_address: null,
      is_shared: true,
      online: true,
    })
    await expect(read('vulnerabilities confirm', runner)).rejects.toThrow('than vulnerabilities')
    // Words of one's own beside the number are nobody's business.
    const own = '{"id":7,"path":"x","online":true}'
    expect(await read('vulnerabilities confirm', own)).toEqual(['7'])
  })

  it('may be cut away from a list as it is printed', async () => {
    const rows = '3\ta\tproject_type\toffline\t\ttrue\n4\tb\tproject_type\toffline\t\ttrue\n'
    expect(await read('runners pause', rows)).toEqual(['3', '4'])
    expect(await read('integrations delete', 'x\t7\tX\ttrue\t2020\n')).toEqual(['x'])
    await expect(read('integrations delete', 'x\t7\tX\ttrue\n')).rejects.toThrow('line 1')
  })
})

describe('JSON', () => {
  it.each([
    ['an array', '[{"id":1},{"id":2}]'],
    ['NDJSON', '{"id":1}\n{"id":2}\n'],
    ['objects laid out', '{\n  "id": 1\n}\n{\n  "id": 2\n}\n'],
    ['several arrays', '[{"id":1}]\n[{"id":2}]\n'],
    ['bare values', '[1, "2"]'],
  ])('%s', async (_, text) => {
    expect(await read('runners pause', text)).toEqual(['1', '2'])
  })

  it('may hold brackets in its strings', async () => {
    const text = '{"description":"}{ \\"[","id":1}{"id":2}'
    expect(await read('runners pause', text)).toEqual(['1', '2'])
  })
})

const describeProfiles = (what: string): string => `the ${what} are those of several profiles`

describe('what cannot be understood is refused with its line', () => {
  it.each([
    ['-P 1', 'profile,id,access_level\ntwo,8,10\n'],
    ['', 'profile,project,id,access_level\ntwo,platform/app,8,10\n'],
    ['', '[{"profile":"two","project":"platform/app","record":{"id":8,"access_level":10}}]'],
  ])('members of several profiles, with attributes (%s)', async (of, input) => {
    const line = `members update - ${of} --row-fields access_level --sandbox --dry-run`.split(/ +/)
    const env = { SVC_CONFIG_DIR: createConfiguration() }
    const { code, stderr } = await svcctl(line, { input, env })
    expect([code, stderr]).toEqual([2, expect.stringContaining(describeProfiles('users'))])
  })

  it.each([
    ['a line below JSON', '{"id":1}\n2\n', 'line 2: '],
    ['JSON below lines', '1\n\n{"id":2}\n', 'line 3: JSON after lines in another format'],
    ['a cut row', 'id\tstatus\n1\tonline\n2\n', 'line 3: 1 columns, but the heading has 2'],
    ['a row without its object', 'id\tstatus\n1\tonline\n\tonline\n', 'line 3: '],
    [
      'cells in a line of objects',
      '1\n2\tonline\n',
      'line 2: several columns, but the first line is not the heading of a list of runners',
    ],
    ['a column of no list', 'id,foo\n1,x\n', 'line 1: lists of runners have no column foo'],
    ['two of a table', 'foo\tid\tbar\n', 'line 1: lists of runners have no columns foo, bar'],
    [
      'a table of several profiles',
      'profile,id\ntwo,1\n',
      `line 1: ${describeProfiles('runners')}`,
    ],
    [
      'records of several profiles',
      '{"profile":"two","id":1}',
      `line 1: ${describeProfiles('runners')}`,
    ],
    ['an object without an id', '{"id":1}\n{"status":"x"}\n', 'line 2: '],
    ['damaged JSON', '{"id":1}\n{"id":\n', 'line 2: '],
    ['nested lists', '[[1]]', 'line 1, item 1: '],
  ])('%s', async (_, text, line) => {
    await expect(read('runners pause', text)).rejects.toThrow(`standard input, ${line}`)
  })
})

describe('an input that ends is checked whole before anything is written', () => {
  const { call, server, sent } = createCaller()
  const csv = 'id,description\n4,a\nabc,b\n'
  const owned = (project: string, id: unknown): string =>
    `${JSON.stringify({ project, record: { id } })}\n`
  const unnamed = '<id> must be an integer or the name of a runner'

  it('says of a column of no list what to pipe in', async () => {
    const { code, stderr } = await call('runners pause -', { input: 'id,foo\n1,x\n' })
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('Pipe in the column that names the objects, without the others.'),
    ])
    expect(server.seen).toEqual([])
  })

  it.each([
    ['runners pause -', '1\n2\nabc\n4\n', `line 3: ${unnamed}`],
    ['runners pause - --journal none', '1\n\nabc\n4\n', `line 3: ${unnamed}`],
    ['runners pause - --dry-run', '1\nabc\n', `line 2: ${unnamed}`],
    ['runners pause - --curl', '1\nabc\n', 'line 2: --curl requires the ID of the runner'],
    ['runners pause - --shard 1/1', '1\nabc\n', `line 2: ${unnamed}`],
    ['runners pause 1 -', '2\nabc\n', `line 2: ${unnamed}`],
    ['runners drain -', '1\nabc\n', `line 2: ${unnamed}`],
    ['runners get -', '1\nabc\n', `line 2: ${unnamed}`],
    ['runners pause - -o json', csv, `line 3: ${unnamed}`],
    ['runners update - --row-fields description', csv, `line 3: ${unnamed}`],
    ['runners pause -', csv.replaceAll(',', '\t'), `line 3: ${unnamed}`],
    ['runners pause -', '{"id":1}\n{"id":"x"}\n', `line 2: ${unnamed}`],
    ['runners pause -', '[{"id":1},\n {"id":"x"}]\n', `line 2, item 2: ${unnamed}`],
    ['runners pause -', '{"id":1}\n{"id":2}\n{"id":oops\n', 'line 3: not valid JSON'],
    [
      'deploy-keys update - --title x',
      owned('g/a', 1) + owned('g/b', 'y'),
      'line 2: <key-id> must be an integer or the name of a deploy key',
    ],
    [
      'deploy-keys update - --title x',
      'project,id,title\ng/a,1,x\ng/a,y,x\n',
      'line 3: <key-id> must be an integer or the name of a deploy key',
    ],
    [
      'deploy-keys enable - -P g/a,g/b',
      '1\nx\n',
      'line 2: <key-id> must be an integer or the name of a deploy key',
    ],
    ['deploy-keys enable 3 -P -', 'g/a\n..\n', 'line 2: project: "." and ".." cannot be used'],
    ['integrations delete - -P g/a --yes', 'jira\n..\n', 'line 2: <slug>: "." and ".." cannot be'],
    ['jobs get - -P g/a', '1\nx\n', 'line 2: <id> must be an integer'],
    ['mr subscribe -', 'g/a!1\ng/a#2\n', 'line 2: g/a#2 is an issue'],
    ['api PUT runners/{} -', '1\n..\n', 'line 2: ".." cannot be used in a path'],
    [
      'members add - -G g --row-fields access_level',
      'user_id,access_level\n1,20\n2,30\n1,30\n',
      'line 4: another row for 1 has different values',
    ],
  ])('%s', async (line, input, says) => {
    server.answer = () => ({ body: [] })
    const { code, stderr } = await call(line, { input })
    expect([code, stderr]).toEqual([2, expect.stringContaining(`standard input, ${says}`)])
    expect(sent()).toEqual([])
  })

  it('of names that have to be looked up, too', async () => {
    server.answer = ({ url }) => ({
      body: url.includes('query=') ? [] : { id: 1, username: 'ana' },
    })
    const line = 'members update - -P g/a --access-level reporter'
    const { code, stderr } = await call(line, { input: '6\nnobody\n' })
    expect(stderr).toContain('standard input, line 2: project g/a has no member named "nobody"')
    expect([code, sent()]).toEqual([4, []])
  })
})

describe('the project of a number', () => {
  it('travels with it, best as a reference', async () => {
    const record = { iid: 2, project_id: 1, references: { full: 'a/b!2' } }
    expect(await read('mr rebase', JSON.stringify(record))).toEqual(['a/b!2'])
    expect(await read('mr rebase', 'iid\tproject_id\n2\t1\n')).toEqual(['1!2'])
    expect(await read('issues todo', '{"iid":2,"project_id":1}')).toEqual(['1#2'])
    expect(await read('mr get', 'web_url\nhttps://h/a/b/-/merge_requests/2\n')).toEqual([
      'https://h/a/b/-/merge_requests/2',
    ])
  })

  it('is that of --project, and no other', async () => {
    expect(await read('mr rebase', '2\n3\n', 'a/b')).toEqual(['2', '3'])
    expect(await read('mr rebase', 'iid\ttitle\n2\tx\n', 'a/b')).toEqual(['2'])
    expect(await read('mr rebase', 'iid\tproject_id\n2\t1\n', '1')).toEqual(['2'])
    for (const text of ['2\n', '!2\n', 'iid\ttitle\n2\tx\n', '{"iid":2}'])
      await expect(read('mr rebase', text), text).rejects.toThrow('but not its project')
  })

  it('is never the one at hand', async () => {
    const env = { SVC_PROJECT: 'platform/app', SVC_CONFIG_DIR: createConfiguration() }
    const ran = await svcctl(['mr', 'rebase', '-', '--curl', '--sandbox'], { env, input: '1\n' })
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain('but not its project')
  })

  it('may be given by number where the rows have its path', async () => {
    const input = 'reference\ttitle\nplatform/app!1\tx\n'
    const line = ['mr', 'get', '-', '--sandbox', '--fields', 'iid', '-P']
    expect(await svcctl([...line, '1'], { input })).toMatchObject({ code: 0 })
    const other = await svcctl([...line, '2'], { input })
    expect(other).toMatchObject({ code: 2, stdout: '' })
    expect(other.stderr).toContain('the reference names platform/app, but --project is 2')
  })
})
