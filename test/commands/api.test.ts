/** Tests `svcctl api`: the requests that it sends, the lines that it rejects, and its hints for a mistyped path. */
import { describe, expect, it } from 'vitest'
import { createConfiguration } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const server = useRecorder()

const runApi = (args: readonly string[], env: Record<string, string> = {}, input?: string) =>
  svcctl(['api', ...args], {
    env: { SVC_BASE_URL: server.url, SVC_TOKEN: 'secret-token', ...env },
    ...(input === undefined ? {} : { input }),
  })

const answerNotFound = () => ({ status: 404, body: { error: '404 Not Found' } })

describe('api', () => {
  it.each<[string, readonly string[], string]>([
    ['any case, no leading slash', ['get', 'runners/all'], '/api/v4/runners/all'],
    ['a query of its own', ['GET', '/runners?type=x'], '/api/v4/runners?type=x'],
    ['the whole path', ['GET', '/api/v4/runners'], '/api/v4/runners'],
    ['another root', ['GET', '/api/scim/v2/groups'], '/api/scim/v2/groups'],
    ['the project at hand', ['GET', 'projects/{project}/jobs'], '/api/v4/projects/a%2Fb%2Ec/jobs'],
    ['parameters', ['GET', '/x?a=1', '--param', 'b=c d'], '/api/v4/x?a=1&b=c+d'],
  ])('reads with %s', async (_, args, url) => {
    expect((await runApi(args, { SVC_PROJECT: 'a/b.c' })).code).toBe(0)
    expect(server.seen.map((s) => [s.method, s.url])).toEqual([['GET', url]])
    expect(server.seen[0]?.headers['private-token']).toBe('secret-token')
  })

  it.each(['json', 'ndjson', 'table', 'csv', 'yaml', 'markdown', 'html'])(
    'prints an object as it is, with and without --paginate: %s',
    async (format) => {
      const user = { id: 12345678901234567890n, username: 'root', token: 'canary' }
      const body = `{"id":${user.id},"username":"root","token":"canary"}`
      server.answer = () => ({ body })
      const plain = await runApi(['user', '-o', format])
      const paged = await runApi(['user', '--paginate', '-o', format])
      expect([paged.code, paged.stderr]).toEqual([0, ''])
      // An HTML page shows the command line that created it.
      const withoutLine = (text: string): string =>
        text.replaceAll('<i>--paginate</i>', '').replaceAll(/svcctl api[^<"]*/g, '')
      expect(withoutLine(paged.stdout)).toBe(withoutLine(plain.stdout))
      expect(paged.stdout).toContain('12345678901234567890')
      expect(paged.stdout).not.toContain('canary')
      // An HTML page needs one more request, for the name of the user.
      if (format !== 'html') expect(server.seen).toHaveLength(2)
    },
  )

  it('takes an object for the only record where records are chosen or each of several projects has one', async () => {
    server.answer = () => ({ body: { id: 1 } })
    for (const [line, printed] of [
      ['user --paginate --where id=1', '[{"id":1}]\n'],
      ['user --paginate --where id=2', '[]\n'],
      ['user --paginate --count', '[{"count":1}]\n'],
      ['user --paginate --fields id', '{"id":1}\n'],
      [
        'projects/{project} -P 1,2 --paginate',
        '[{"project":"1","record":{"id":1}},{"project":"2","record":{"id":1}}]\n',
      ],
    ] as const)
      expect((await runApi([...line.split(' '), '-o', 'json'])).stdout).toBe(printed)
  })

  it.each([
    ['42', 'expected a JSON list from the instance, but it sent a single value'],
    ['{"id":1', 'the response is cut short'],
    ['{"id":1}{"id":2}', 'continues after its end'],
    ['hello', 'expected JSON from the instance, but it sent something else'],
  ])('--paginate says what came in the place of a list: %s', async (body, says) => {
    server.answer = () => ({ body })
    const { code, stderr } = await runApi(['x', '--paginate', '-o', 'json'])
    expect([code, stderr]).toEqual([7, expect.stringContaining(says)])
  })

  it('writes parameters, typed, over an input', async () => {
    const args = ['POST', '/x', '--param', 'a=1', '--param', 'b=text', '--input', '-']
    await runApi(args, {}, '{"a": 0, "c": [true]}')
    expect(server.seen[0]?.body).toBe('{"a":1,"c":[true],"b":"text"}')
    expect(server.seen[0]?.headers['content-type']).toBe('application/json')
  })

  it.each(['hook[token]', 'hook[db][password]', 'variables[][value]', 'a[variables][0][value]'])(
    'shows the value of %s neither in a trace nor in a curl command',
    async (name) => {
      server.answer = () => ({ body: '{}' })
      const args = ['POST', '/x', '--param', `${name}=c4n4ry`, '--yes']
      for (const how of ['-vvv', '--curl']) {
        const { code, stdout, stderr } = await runApi([...args, how])
        expect([code, stdout + stderr]).toEqual([0, expect.stringContaining(name)])
        expect(stdout + stderr).not.toContain('c4n4ry')
      }
      expect(server.seen.map(({ body }) => body)).toEqual([`{"${name}":"c4n4ry"}`])
    },
  )

  it.each(['projects/1/variables', '/admin/ci/variables/KEY', '/groups/1/variables?a=b'])(
    'shows the value of a variable neither in a trace nor in a curl command: %s',
    async (path) => {
      server.answer = () => ({ body: { key: 'KEY', value: 'c4n4ry' } })
      for (const how of ['-vvv', '--curl']) {
        const { code, stdout, stderr } = await runApi(['PUT', path, '--param', 'value=c4n4ry', how])
        expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('"value"')])
        expect(stderr).not.toContain('c4n4ry')
        if (how === '--curl') expect(stdout).not.toContain('c4n4ry')
      }
      expect(server.seen.map(({ body }) => body)).toEqual(['{"value":"c4n4ry"}'])
    },
  )

  it('confirms a DELETE, says what came of a write without an answer, and of 304', async () => {
    server.answer = () => ({ status: 204 })
    expect((await runApi(['DELETE', '/x/1'])).code).toBe(2)
    expect(server.seen).toEqual([])
    expect((await runApi(['DELETE', '/x/1', '--yes'])).stderr).toContain(
      'DELETE /x/1: deleted, 204',
    )
    expect((await runApi(['PUT', '/x/1'])).stderr).toContain('PUT /x/1: 204')
    server.answer = () => ({ status: 304 })
    const same = await runApi(['POST', '/x/1'])
    expect(same.code).toBe(0)
    expect(JSON.parse(same.stdout)).toEqual({ object: '/x/1', outcome: 'unchanged' })
    expect(same.stderr).toContain('nothing changed: already in this state')
  })

  it('takes a job token where the path is one of those that do', async () => {
    const env = { SVC_TOKEN: '', SVC_JOB_TOKEN: 'job-token' }
    await runApi(['GET', '/job'], env)
    expect(server.seen[0]?.headers['job-token']).toBe('job-token')
    expect((await runApi(['GET', '/runners'], env)).code).toBe(3)
    expect(server.seen).toHaveLength(1)
  })

  it('sends further headers, and no credential as one', async () => {
    await runApi(['GET', '/x', '--header', 'If-None-Match: "1"'])
    expect(server.seen[0]?.headers['if-none-match']).toBe('"1"')
    await runApi(['GET', '/x', '--header', 'If-None-Match: "1", "2"', '--header', 'X-A: b'])
    expect(server.seen[1]?.headers).toMatchObject({ 'if-none-match': '"1", "2"', 'x-a': 'b' })
    const refused = await runApi(['GET', '/x', '--header', 'Private-Token: other'])
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(server.seen).toHaveLength(2)
  })

  it.each(['{"a":9007199254740993}', '{"a":{"b":[-1e400]}}', 'a: 5e10234', 'a: .inf'])(
    'refuses %s, whose number would become another or null',
    async (input) => {
      const ran = await runApi(['POST', 'x', '--input', '-'], {}, input)
      expect(ran).toMatchObject({ code: 2, stdout: '' })
      expect(ran.stderr).toContain('--input: a has a number that cannot be sent exactly')
      expect(server.seen).toEqual([])
    },
  )

  it('prints an answer that is not JSON as it came, unless the line asks for its data', async () => {
    const body = 'building \u001b[32mok\u001b[0m\n[done]\n'
    server.answer = () => ({ headers: { 'content-type': 'text/plain' }, body })
    expect(await runApi(['x'])).toEqual({ code: 0, stdout: body, stderr: '' })
    expect((await runApi(['x', '-i'])).stdout).toMatch(/^HTTP 200\n.*\n\nbuilding /s)
    expect(await runApi(['x', '--silent'])).toEqual({ code: 0, stdout: '', stderr: '' })
    for (const flags of [['-o', 'json'], ['--jq', '.'], ['--fields', 'id'], ['--paginate']])
      expect(await runApi(['x', ...flags])).toMatchObject({ code: 7, stdout: '' })
  })

  it('masks JSON of any type, and refuses a page', async () => {
    server.answer = () => ({
      headers: { 'content-type': 'text/plain' },
      body: '{"token":"canary"}',
    })
    expect((await runApi(['x'])).stdout).not.toContain('canary')
    server.answer = () => ({ headers: { 'content-type': 'text/html' }, body: '<html></html>' })
    expect(await runApi(['x'])).toMatchObject({ code: 7, stdout: '' })
  })

  it('puts lists and objects of --input into the query in brackets', async () => {
    const input = '{"a":[1,2],"b":{"c":1,"d":["x"]},"e[]":[3]}'
    expect((await runApi(['GET', 'x', '--input', '-'], {}, input)).code).toBe(0)
    const { searchParams } = new URL(server.seen[0]?.url ?? '', server.url)
    expect([...searchParams].map((one) => one.join('='))).toEqual([
      'a[]=1',
      'a[]=2',
      'b[c]=1',
      'b[d][]=x',
      'e[]=3',
    ])
  })

  it('goes on by id where the documented list does', async () => {
    server.answer = (seen) => {
      if (seen.url.includes('id_after=')) return { body: [{ id: 2 }] }
      return seen.url.includes('page=2')
        ? { status: 405, body: { error: 'use keyset pagination instead' } }
        : {
            body: [{ id: 1 }],
            headers: { link: `<${server.url}${seen.url}&page=2>; rel="next"` },
          }
    }
    const all = ['GET', '/projects?order_by=id&sort=asc', '--paginate', '--limit', 'all']
    expect(JSON.parse((await runApi([...all, '-o', 'json'])).stdout)).toEqual([
      { id: 1 },
      { id: 2 },
    ])
  })

  it.each([
    ['x?per_page=2&page=2', '/x?per_page=2&page=2'],
    ['x?page=2', '/x?page=2'],
    ['x?lastpage=2', '/x?lastpage=2&per_page=100'],
  ])('keeps the paging of the path %s', async (path, sent) => {
    server.answer = () => ({ body: [] })
    expect(await runApi([path, '--paginate'])).toMatchObject({ code: 0 })
    expect(server.seen.map(({ url }) => url)).toEqual([`/api/v4${sent}`])
  })

  it('follows pages into one array', async () => {
    server.answer = (_, index) => ({
      body: [{ n: index }],
      headers: index === 0 ? { link: `<${server.url}/api/v4/x?page=2>; rel="next"` } : {},
    })
    const ran = await runApi(['GET', '/x', '--paginate', '-o', 'json'])
    expect(JSON.parse(ran.stdout)).toEqual([{ n: 0 }, { n: 1 }])
  })

  it.each([
    ['GET', '/runers', 'GET /runners'],
    ['GET', '/projects/1/pipeline/3/jobs', 'GET /projects/:id/pipelines/:pipeline_id/jobs'],
    [
      'PUT',
      '/projects/a%2Fb/merge-requests/7/rebase',
      'PUT /projects/:id/merge_requests/:merge_request_iid/rebase',
    ],
  ])('says what %s %s was meant to be', async (method, path, route) => {
    server.answer = answerNotFound
    const ran = await runApi([method, path])
    expect(ran.code).toBe(4)
    expect(ran.stderr).toContain(`hint: The documented endpoint is ${route}.`)
  })

  it.each(['/runners/7', '/nothing/like/it', '/groups/9', '/users/9', '/projects/1/hooks'])(
    'suggests nothing for %s',
    async (path) => {
      server.answer = answerNotFound
      expect((await runApi(['GET', path])).stderr).not.toContain('The documents have')
    },
  )

  it('suggests nothing where the instance has the route, and not the record', async () => {
    server.answer = () => ({ status: 404, body: { message: '404 User Not Found' } })
    expect((await runApi(['GET', '/runers'])).stderr).not.toContain('The documents have')
  })
})

describe('a name whose slashes are not encoded', () => {
  const form = 'hint: Slashes in the name of a project, group, branch or file are written %2F'

  it.each<[readonly string[], string]>([
    [['GET', 'projects/group/name'], 'projects/group%2Fname'],
    [['groups/a/b/'], 'groups/a%2Fb'],
    [['GET', 'projects/a/b/c/issues/5'], 'projects/a%2Fb%2Fc/issues/5'],
    [['GET', 'projects/a/b/jobs', '--paginate'], "'projects/a%2Fb/jobs?per_page=100'"],
    [['GET', 'projects/a/b?x=1&y=2'], "'projects/a%2Fb?x=1&y=2'"],
    [
      ['GET', 'projects/a%2Fb/repository/branches/fix/one'],
      'projects/a%2Fb/repository/branches/fix%2Fone',
    ],
    [
      ['GET', 'projects/1/repository/files/src/a.ts/raw'],
      'projects/1/repository/files/src%2Fa.ts/raw',
    ],
    [['GET', 'projects/1/labels/a/b'], 'projects/1/labels/a%2Fb'],
    [
      ['DELETE', 'projects/a/b/protected_branches/fix/one', '--yes'],
      'DELETE projects/a%2Fb/protected_branches/fix%2Fone',
    ],
    [['PUT', 'projects/a/b', '--param', 'x=y', '--yes'], 'PUT projects/a%2Fb'],
    [['GET', 'projects/a/b/jobs/{}', '-'], 'projects/a%2Fb/jobs/7'],
  ])('is shown as it is to be written: %j', async (args, line) => {
    server.answer = answerNotFound
    const { stderr } = await runApi(args, {}, '7\n')
    expect(stderr).toContain(`${form}. Run "svcctl api ${line}".\n`)
  })

  it.each([
    'projects/1/nope',
    'projects/a%2Fb/nope',
    'projects/a',
    'users/a/b',
    'projects/1/jobs/artifacts/main/raw/a/b',
  ])('is not suspected in %s', async (path) => {
    server.answer = answerNotFound
    const { stderr } = await runApi(['GET', path])
    expect(stderr).toContain('hint: ')
    expect(stderr).not.toContain(form)
  })

  it('is none where the record is missing', async () => {
    server.answer = () => ({ status: 404, body: { message: '404 Project Not Found' } })
    expect((await runApi(['GET', 'projects/a/b'])).stderr).not.toContain(form)
  })

  it('is found by the line that is shown', async () => {
    const env = {
      SVC_SANDBOX: '1',
      SVC_BASE_URL: '',
      SVC_TOKEN: '',
      SVC_CONFIG_DIR: createConfiguration(),
    }
    const { stderr } = await svcctl(['api', 'GET', 'projects/platform/app'], { env })
    const [, line = ''] = /written %2F. Run "svcctl (.+)"/.exec(stderr) ?? []
    const { code, stdout } = await svcctl([...line.split(' '), '-o', 'json'], { env })
    expect({ code, path: JSON.parse(stdout).path_with_namespace }).toEqual({
      code: 0,
      path: 'platform/app',
    })
  })
})

describe('a request in the words of gh', () => {
  it.each<[readonly string[], string, string | undefined]>([
    [['x/1', '-X', 'PUT', '-f', 'a=1', '-F', 'b=1'], 'PUT /x/1', '{"b":1,"a":"1"}'],
    [['-X', 'get', 'x', '-f', 'a=1'], 'GET /x?a=1', undefined],
    [['x', '-F', 'on=false', '-F', 'to=null'], 'POST /x', '{"on":false,"to":null}'],
    [['x', '-f', 'a[]=1', '-f', 'a[]=2'], 'POST /x', '{"a[]":["1","2"]}'],
    [['x', '-X', 'DELETE', '--yes'], 'DELETE /x', undefined],
    [['x', '-f', 'title= a, state=b '], 'POST /x', '{"title":" a, state=b "}'],
    [['x', '-F', 'id="9007199254740993"'], 'POST /x', '{"id":"9007199254740993"}'],
    [['-X', 'GET', 'x', '-H', 'X-A: 1', '-f', 'a=1'], 'GET /x?a=1', undefined],
    [['-X', 'GET', 'x', '-F', 'id=9007199254740993'], 'GET /x?id=9007199254740993', undefined],
  ])('%j', async (args, line, body) => {
    expect(await runApi(args)).toMatchObject({ code: 0 })
    expect(server.lines()).toEqual([line])
    expect(server.seen[0]?.body || undefined).toEqual(body)
  })

  it('is refused with two methods, and a field without a value', async () => {
    expect(await runApi(['PUT', 'x', '-X', 'PUT'])).toMatchObject({ code: 2, stdout: '' })
    expect(await runApi(['x', '-f', 'title'])).toMatchObject({ code: 2, stdout: '' })
    expect(await runApi(['x', '-i', '--paginate'])).toMatchObject({ code: 2, stdout: '' })
    expect((await runApi(['DELETE', 'x', '--paginate'])).stderr).toMatch(/and DELETE does not\n$/)
    expect((await runApi(['x', '-f', 'a=1', '--paginate'])).stderr).toContain('With -X GET')
    expect(server.seen).toEqual([])
  })

  it('prints the headers with -i, their secrets masked, and nothing with --silent', async () => {
    server.answer = () => ({ headers: { 'private-token': 'hunter2', 'x-total': '1' }, body: [] })
    const { stdout } = await runApi(['x', '-i'])
    expect(stdout).toMatch(/^HTTP 200\n(?:.+\n)*x-total: 1\n(?:.+\n)*\n\[\]\n$/)
    expect(stdout).not.toContain('hunter2')
    expect(await runApi(['x', '--silent'])).toEqual({ code: 0, stdout: '', stderr: '' })
  })
})
