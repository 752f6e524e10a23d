/** Tests that objects are processed as they arrive: a run begins before its input ends, and keeps no object back. */
import { expect, it } from 'vitest'
import { createConfiguration, createFolder } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { startLine, svcctl } from '../support/within.js'
import { readJournalLines } from './journaling/runs.js'

const recorder = useRecorder()

const record = {
  id: 1,
  iid: 1,
  key_id: 1,
  active: true,
  path_with_namespace: 'g/a',
  references: { full: 'g/a!1' },
}

const createEnv = (): Readonly<Record<string, string>> => ({
  SVC_CONFIG_DIR: createConfiguration(),
  SVC_BASE_URL: recorder.url,
  SVC_TOKEN: 'a-token-of-ana',
})

/** Starts a line on an input that stays open until the awaited request arrives. */
const runWhileOpen = async (
  line: string,
  [first, rest]: readonly [string, string],
  awaited: string,
) => {
  const env = createEnv()
  let came = (): void => {}
  const arrived = new Promise<void>((resolve) => {
    came = resolve
  })
  recorder.answer = ({ method, url }) => {
    if (`${method} ${url.replace('/api/v4', '')}` === awaited) came()
    if (url.endsWith('/user')) return { body: { id: 1, username: 'ana' } }
    return { body: /\/runners\?/.test(url) ? [] : record }
  }
  const started = startLine(line.split(' '), { cwd: createFolder(), env })
  void started.write(first)
  // A line that waits for the end of its input makes the test time out.
  await Promise.race([arrived, started.ended])
  void started.write(rest)
  started.endInput()
  const { code, stdout, stderr } = await started.ended
  return { code, sent: recorder.lines(), text: `${stdout}${stderr}`, env }
}

const createOwnedLine = (column: string, parent: string, id: number): string =>
  `${JSON.stringify({ [column]: parent, record: { id, iid: id } })}\n`

/** The beginning of a list on one line that continues. It is longer than the part that the detection of the format reads. */
const longLine = `[{"id":1,"description":"${'x'.repeat(1 << 16)}"},`

it.each([
  [
    'records below their projects',
    'deploy-keys update - --title x -o ndjson',
    [createOwnedLine('project', 'g/a', 1), createOwnedLine('project', 'g/b', 2)],
    ['PUT /projects/g%2Fa/deploy_keys/1', 'PUT /projects/g%2Fb/deploy_keys/2'],
  ],
  [
    'a table of several projects',
    'deploy-keys update - --title x',
    ['project\tid\ttitle\ng/a\t1\tx\n', 'project\tid\ttitle\ng/b\t2\ty\n'],
    ['PUT /projects/g%2Fa/deploy_keys/1', 'PUT /projects/g%2Fb/deploy_keys/2'],
  ],
  [
    'a spreadsheet of several projects',
    'deploy-keys update - --title x',
    ['project,id,title\ng/a,1,"a\nb"\n', 'g/b,2,y\n'],
    ['PUT /projects/g%2Fa/deploy_keys/1', 'PUT /projects/g%2Fb/deploy_keys/2'],
  ],
  [
    'a list of JSON in one line',
    'runners get -',
    [longLine, '{"id":2}]'],
    ['GET /runners/1', 'GET /runners/2'],
  ],
  [
    'a list of JSON in one line for any request',
    'api GET /runners/{} -',
    [longLine, '{"id":2}]'],
    ['GET /runners/1', 'GET /runners/2'],
  ],
  [
    'merge requests to rebase',
    'mr rebase - -P g/a',
    ['1\n', '2\n'],
    ['PUT /projects/g%2Fa/merge_requests/1/rebase', 'PUT /projects/g%2Fa/merge_requests/2/rebase'],
  ],
  [
    'integrations to read',
    'integrations get - -P g/a',
    ['slack\n', 'jira\n'],
    ['GET /projects/g%2Fa/integrations/slack', 'GET /projects/g%2Fa/integrations/jira'],
  ],
  [
    'rules that are read first',
    'approvals rules update - -P g/a --approvals-required 2 --keep',
    ['1\n', '2\n'],
    ['GET /projects/g%2Fa/approval_rules/1', 'PUT /projects/g%2Fa/approval_rules/2'],
  ],
  [
    'what is only tried',
    'runners pause - --dry-run',
    ['1\n', '2\n'],
    ['GET /runners/1', 'GET /runners/2'],
  ],
] as const)('of %s', async (_, line, input, [awaited, last]) => {
  const { code, sent, text } = await runWhileOpen(line, input, awaited)
  expect([code, text]).toEqual([0, expect.any(String)])
  expect(sent).toEqual(expect.arrayContaining([awaited, last]))
})

it.each([
  [
    'runners pause -',
    ['1\n2\n', '3\nabc\n4\n'],
    'PUT /runners/1',
    'line 4: <id> must be an integer or the name of a runner; 3',
  ],
  [
    'runners pause - --journal none',
    ['1\n', 'abc\n'],
    'PUT /runners/1',
    'line 2: <id> must be an integer or the name of a runner; 1',
  ],
  [
    'runners pause - --dry-run',
    ['1\n', 'abc\n'],
    'GET /runners/1',
    'line 2: <id> must be an integer or the name of a runner; 1',
  ],
  [
    'api PUT runners/{} -',
    ['1\n', '{"id":2}\n'],
    'PUT /runners/1',
    'line 2: JSON after lines in another format; 1',
  ],
  [
    'runners pause - --journal none',
    ['id,description\n1,a\n', '2,"b"c\n'],
    'PUT /runners/1',
    'line 3: a misplaced quotation mark; 1',
  ],
  ['runners pause -', ['{"id":1}\n', '{"id":}\n'], 'PUT /runners/1', 'line 2: not valid JSON; 1'],
  [
    'api PUT runners/{} -',
    ['{"id":1}\n', '2\n'],
    'PUT /runners/1',
    'line 2: expected a JSON object, as on the lines before; 1',
  ],
] as const)(
  'ends %s with 8 at a bad line that comes after requests were sent',
  async (line, input, awaited, says) => {
    const { code, text } = await runWhileOpen(line, input, awaited)
    expect([code, text]).toEqual([
      8,
      expect.stringContaining(`standard input, ${says} done before that`),
    ])
  },
)

it('ends with 8 at bytes that are no text, after requests were sent', async () => {
  const { code, text } = await runWhileOpen('runners pause -', ['1\n', '\0\n'], 'PUT /runners/1')
  expect([code, text]).toEqual([
    8,
    expect.stringMatching(/standard input is not UTF-8 text: .*; 1 done before that/),
  ])
})

it('goes on from a bad line with the corrected input, by the line that it advises', async () => {
  const { text, env } = await runWhileOpen('runners pause -', ['1\n', 'abc\n'], 'PUT /runners/1')
  const [, again = ''] = /svcctl (.*) completes the run with the corrected input/.exec(text) ?? []
  const whole = await svcctl(again.split(' '), { env, input: '1\n3\n' })
  expect([whole.code, again]).toEqual([0, expect.stringMatching(/^runners pause --resume last -$/)])
  expect(recorder.lines().filter((sent) => sent.startsWith('PUT'))).toEqual([
    'PUT /runners/1',
    'PUT /runners/3',
  ])
})

it('says what is wrong with one of many before any is sent', async () => {
  recorder.answer = () => ({ body: record })
  const line = 'integrations update - -P g/a --recipients ana@example.test'
  const { code, stderr } = await svcctl(line.split(' '), {
    env: createEnv(),
    input: 'emails-on-push\ncustom-issue-tracker\n',
  })
  expect(code).toBe(2)
  expect(stderr).toContain(
    '--recipients is not a parameter of the family issue-tracker (custom-issue-tracker',
  )
  expect(recorder.lines().filter((one) => one.startsWith('PUT'))).toEqual([])
})

it('looks users up by name, several at once, and does none where one is not there', async () => {
  recorder.answer = ({ url }) =>
    url.includes('query=')
      ? { body: url.includes('dov') ? [{ id: 4, username: 'dov' }] : [] }
      : { body: { id: 4, username: 'dov', access_level: 20 } }
  const line = 'members update - -P g/a --access-level reporter'.split(' ')
  const one = await svcctl(line, { env: createEnv(), input: 'dov, 5\n' })
  expect(one.code).toBe(0)
  const puts = () => recorder.lines().filter((sent) => sent.startsWith('PUT'))
  expect(puts()).toEqual(['PUT /projects/g%2Fa/members/4', 'PUT /projects/g%2Fa/members/5'])
  const other = await svcctl(line, { env: createEnv(), input: '6\nnobody\n' })
  expect([other.code, puts().length]).toEqual([4, 2])
  expect(other.stderr).toContain('project g/a has no member named "nobody')
})

it('names a record that brings no parent along, below others that do', async () => {
  const input = [createOwnedLine('project', 'g/a', 1), '{"id":2}\n'] as const
  const line = 'deploy-keys update - --title x'
  const { code, sent, text } = await runWhileOpen(line, input, 'PUT /projects/g%2Fa/deploy_keys/1')
  expect(code).toBe(8)
  expect(text).toContain(
    'standard input, line 2: it does not name its project, unlike the lines before; 1 done before that',
  )
  expect(sent.filter((one) => one.startsWith('PUT'))).toHaveLength(1)
})

it('reads records that only look as if they had parents as what they are', async () => {
  const input = '{"project":{"id":3},"id":1}\n'
  recorder.answer = () => ({ body: record })
  const { code } = await svcctl(['deploy-keys', 'update', '-', '--title', 'x'], {
    env: createEnv(),
    input,
  })
  expect(code).toBe(2)
  const with_ = ['deploy-keys', 'update', '-', '--title', 'x', '--project', 'g/a']
  await svcctl(with_, { env: createEnv(), input })
  expect(recorder.lines()).toContain('PUT /projects/g%2Fa/deploy_keys/1')
})

it('keeps in the journal what a selection knew of its objects, and only what is changed', async () => {
  recorder.answer = ({ url }) => {
    if (url.includes('/all'))
      return { body: [1, 2].map((id) => ({ ...record, id, description: 'x' })) }
    return url.endsWith('/user')
      ? { body: { username: 'ana' } }
      : { body: { id: 1, active: false } }
  }
  const journal = `${createFolder()}/run.ndjson`
  const line = `runners pause --instance --select id>0 --yes --journal ${journal}`
  const { code } = await svcctl(line.split(' '), { env: createEnv() })
  const lines = readJournalLines(journal)
  expect(code).toBe(0)
  expect(lines.slice(1, 4)).toEqual([
    { n: 1, object: '1', state: 'queued', before: { active: true } },
    { n: 2, object: '2', state: 'queued', before: { active: true } },
    { input: 'complete', total: 2 },
  ])
  expect(lines.at(-1)).toMatchObject({ end: 'completed', counts: { done: 2 } })
})
