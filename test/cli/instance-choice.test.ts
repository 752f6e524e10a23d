/** Tests which instance a line uses: flags that name different instances are refused, and a flag wins over any variable. */
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { environmentVariables } from '../../src/cli/help/topics.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { startRecorder, useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

/** The instance of the current profile `work`, and another instance. */
const work = useRecorder()
const other = useRecorder()
const config = createConfiguration()
const snapshot = join(createFolder(), 'snapshot')

const run = (line: string, env: Readonly<Record<string, string>> = {}) =>
  svcctl(line.replace('WORK', work.url).replace('OTHER', other.url).split(' '), {
    env: { SVC_CONFIG_DIR: config, SVC_NO_KEYRING: '1', ...env },
  })

const setAnswers = (): void => {
  work.answer = other.answer = ({ url }) =>
    url.endsWith('/user') ? { body: { username: 'ana' } } : { body: [{ id: 1 }] }
}
beforeAll(async () => {
  setAnswers()
  const env = { SVC_CONFIG_DIR: config, SVC_NO_KEYRING: '1' }
  for (const name of ['also', 'work']) {
    const login = ['auth', 'login', name, '--base-url', work.url, '--token-stdin']
    expect(await svcctl(login, { env, input: `token-of-${name}\n` })).toMatchObject({ code: 0 })
  }
  const taking = ['snapshot', 'runners list --instance', '--to', snapshot, '--sandbox']
  expect(await svcctl(taking, { env })).toMatchObject({ code: 0 })
})
beforeEach(setAnswers)

const list = 'runners list --instance -o json'

describe('two flags that name different instances', () => {
  it.each([
    [`${list} --sandbox --base-url OTHER`, ['--sandbox', '--base-url']],
    [`${list} --sandbox --profile work`, ['--sandbox', '--profile']],
    [`${list} --sandbox --profile work,also`, ['--sandbox', '--profile']],
    [`${list} --sandbox --all-profiles`, ['--sandbox', '--all-profiles']],
    [`${list} --all-profiles --profile work`, ['--all-profiles', '--profile']],
    [`${list} --all-profiles --base-url WORK`, ['--all-profiles', '--base-url']],
    [`${list} --profile work,also --base-url WORK`, ['--profile', '--base-url']],
    [`${list} --profile work --base-url OTHER`, ['--profile work', '--base-url']],
    [`${list} --from SNAPSHOT --sandbox`, ['--from', '--sandbox']],
    [`${list} --from SNAPSHOT --profile work`, ['--from', '--profile']],
    [`${list} --from SNAPSHOT --profile work,also`, ['--from', '--profile']],
    [`${list} --from SNAPSHOT --base-url OTHER`, ['--from', '--base-url']],
    [`${list} --from SNAPSHOT --all-profiles`, ['--from', '--all-profiles']],
    ['runners update 1 --active --sandbox --base-url OTHER', ['--sandbox', '--base-url']],
    ['auth status work --base-url OTHER', ['work', '--base-url']],
    ['auth status work --profile also', ['"work"', '--profile']],
    ['auth login work --profile also --base-url WORK', ['"work"', '--profile']],
    ['auth logout work --profile also', ['"work"', '--profile']],
    ['profile get work --profile also', ['"work"', '--profile']],
  ])('are exit 2, both named: %s', async (line, named) => {
    const ran = await run(line.replace('SNAPSHOT', snapshot))
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    for (const word of named) expect(ran.stderr).toContain(word)
    expect([work.seen, other.seen]).toEqual([[], []])
  })

  it('may be a profile and its own base URL', async () => {
    const ran = await run(`${list} -p work --base-url WORK/`)
    expect(ran.code, ran.stderr).toBe(0)
    expect(work.seen[0]?.headers['private-token']).toBe('token-of-work')
  })
})

/** The instance that receives the requests. `nobody` stands for the embedded instance and for a snapshot. */
type AskedInstance = 'work' | 'other' | 'nobody'
const flagCases: readonly (readonly [flags: string, asked: AskedInstance])[] = [
  ['-p work', 'work'],
  ['-p work,also', 'work'],
  ['--all-profiles', 'work'],
  ['--base-url OTHER', 'other'],
  ['--base-url WORK', 'work'],
  ['--sandbox', 'nobody'],
  ['--from SNAPSHOT', 'nobody'],
]

/** For each variable, values that would choose another instance, or that are invalid. */
const values: Readonly<Record<string, readonly string[]>> = {
  SVC_SANDBOX: ['1', 'true'],
  SVC_BASE_URL: ['http://127.0.0.1:1', 'ftp://nowhere'],
  SVC_PROFILE: ['also', 'none', 'work,also'],
  SVC_TOKEN: ['of-variable'],
  SVC_TOKEN_KIND: ['none'],
  SVC_JOB_TOKEN: ['of-variable'],
  SVC_OUTPUT: ['none', 'id', 'html'],
  SVC_SUDO: ['root'],
  SVC_PROJECT: ['platform/app', '../x'],
  SVC_GROUP: ['platform', '../x'],
  SVC_ALERT_ENDPOINT: ['none'],
  SVC_ALERT_KEY: ['none'],
}

/** Variables that the flags of these lines do not override. */
const unrelatedVariables = [
  'SVC_VOCABULARY',
  'SVC_SANDBOX_JOBS',
  'SVC_CONFIG_DIR',
  'SVC_NO_KEYRING',
  'SVC_NO_PROMPT',
  'SVC_ACCESSIBLE',
  'SVC_PAGER',
  'SVC_NOTE_TOKEN',
  'SVC_TERMINAL, COLUMNS',
]

it('every variable is tried against the flags, or has none', () => {
  const names = Object.keys(environmentVariables).filter((name) => /^SVC_/.test(name))
  expect([...Object.keys(values), ...unrelatedVariables].sort()).toEqual(names.sort())
})

describe('a flag wins over', () => {
  const rows = Object.entries(values).flatMap(([name, texts]) =>
    texts.flatMap((value) =>
      flagCases.map(([flags, asked]) => [name, value, flags, asked] as const),
    ),
  )
  it.each(rows)('%s=%s: %s', async (name, value, flags, asked) => {
    // If an address is given, the token is for that address's instance.
    const isToken = name === 'SVC_TOKEN' || name === 'SVC_JOB_TOKEN'
    const beside: Readonly<Record<string, string>> = isToken
      ? { SVC_BASE_URL: 'http://127.0.0.1:1' }
      : {}
    const ran = await run(`${list} ${flags}`.replace('SNAPSHOT', snapshot), {
      ...beside,
      [name]: value,
    })
    expect(ran.code, ran.stderr).toBe(0)
    expect([work.seen.length > 0, other.seen.length > 0]).toEqual([
      asked === 'work',
      asked === 'other',
    ])
    if (isToken)
      expect(
        JSON.stringify([work.seen, other.seen].flat().map((one) => one.headers)),
      ).not.toContain(value)
  })

  it.each([
    ['SVC_PROJECT', '../x', 'runners list -P platform/app', '/projects/platform%2Fapp/runners'],
    ['SVC_PROJECT', '../x', 'runners list -G platform', '/groups/platform/runners'],
    ['SVC_GROUP', '../x', 'runners list -P platform/app', '/projects/platform%2Fapp/runners'],
    ['SVC_GROUP', '../x', 'runners list -G platform', '/groups/platform/runners'],
    ['SVC_OUTPUT', 'none', 'runners list --instance -o csv', '/runners/all'],
  ])('%s=%s: %s', async (name, value, line, path) => {
    const ran = await run(line, { [name]: value })
    expect(ran.code, ran.stderr).toBe(0)
    expect(work.seen[0]?.url).toContain(path)
  })

  it('SVC_SUDO: --sudo', async () => {
    await run(`${list} --sudo bo`, { SVC_SUDO: 'a b' })
    expect(work.seen[0]?.headers.sudo).toBe('bo')
  })

  it('SVC_ALERT_ENDPOINT: --endpoint', async () => {
    const line = 'alerts send --title x --endpoint OTHER/alert --authorization-key env:KEY'
    const ran = await run(line, {
      SVC_ALERT_ENDPOINT: 'http://127.0.0.1:1',
      SVC_ALERT_KEY: 'of-variable',
      KEY: 'of-flag',
    })
    expect(ran.code, ran.stderr).toBe(0)
    expect(other.seen[0]?.headers.authorization).toBe('Bearer of-flag')
  })

  it('SVC_SANDBOX in what a line runs within itself: --no-sandbox, -p', async () => {
    for (const flag of ['--no-sandbox', '-p work']) {
      work.seen.splice(0)
      const to = join(createFolder(), 'taken')
      const ran = await run(`snapshot projects --to ${to} ${flag}`, { SVC_SANDBOX: '1' })
      expect(ran.code, ran.stderr).toBe(0)
      expect(work.lines().join('\n')).toContain('GET /projects')
    }
  })
})

describe('a format that only a variable or the profile chose', () => {
  it.each([
    ['id', 'check instance'],
    ['id', 'runners list --instance --count'],
    ['value', 'runners list --instance'],
    ['html', 'runners list --instance --wait-until id=1'],
  ])('gives way to a table, with a note: %s, %s', async (format, line) => {
    const wanted = await run(line)
    const ran = await run(line, { SVC_OUTPUT: format })
    expect(ran.code, ran.stderr).toBe(0)
    expect(ran.stdout.replace(/\d+(?:\.\d+)? s/, '')).toBe(
      wanted.stdout.replace(/\d+(?:\.\d+)? s/, ''),
    )
    expect(ran.stderr).toContain(`SVC_OUTPUT=${format} is not used: -o ${format} `)
    expect((await run(`${line} -o ${format}`)).code).toBe(2)
  })

  it('of the profile, and of several instances', async () => {
    await run('profile set also --output html')
    const ran = await run('runners list --instance --wait-until id=1 -p also')
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('output=html of profile also is not used: -o html ')
    await run('profile set also --unset output')
    const both = await run('check instance -p work,also', { SVC_OUTPUT: 'id' })
    expect(both.code, both.stderr).toBe(0)
    expect(both.stderr.match(/SVC_OUTPUT=id is not used/g)).toHaveLength(1)
  })

  it('is refused by its source where there is no such format', async () => {
    const ran = await run(list.replace(' -o json', ''), { SVC_OUTPUT: 'xml' })
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('unknown output format SVC_OUTPUT=xml')
    // The variable accepts every spelling that the flag accepts.
    const [variable, flag] = [{ SVC_OUTPUT: 'md' }, list.replace('-o json', '-o md')]
    expect((await run(list.replace(' -o json', ''), variable)).stdout).toBe(
      (await run(flag)).stdout,
    )
  })
})

describe('auth status', () => {
  const status = async (flags = '', env: Readonly<Record<string, string>> = {}) => {
    const ran = await run(`auth status -o json${flags}`, env)
    return { ...ran, rows: JSON.parse(ran.stdout === '' ? '[]' : ran.stdout) }
  }

  it('shows with --base-url what a line would use there, and no profile at another address', async () => {
    const there = await status(' --base-url OTHER', { SVC_TOKEN: 'of-variable' })
    expect(there.rows).toMatchObject([
      { profile: '(environment)', base_url: other.url, credential: 'personal, from SVC_TOKEN' },
    ])
    expect(work.seen).toEqual([])
  })

  it('shows under SVC_SANDBOX the embedded instance once, and a named profile as itself', async () => {
    const env = { SVC_SANDBOX: '1' }
    expect((await status('', env)).rows).toMatchObject([{ profile: '(environment)', works: true }])
    for (const flags of [' work', ' -p work'])
      expect((await status(flags, env)).rows).toMatchObject([
        { profile: 'work', base_url: work.url, credential: 'personal, from token file' },
      ])
  })

  it('shows each profile with its own address and credential beside that of the variables', async () => {
    const { rows } = await status('', { SVC_BASE_URL: work.url, SVC_TOKEN: 'of-variable' })
    expect(rows).toMatchObject([
      { profile: '(environment)', current: false, credential: 'personal, from SVC_TOKEN' },
      { profile: 'also', base_url: work.url, credential: 'personal, from token file' },
      { profile: 'work', base_url: work.url, credential: 'personal, from token file' },
    ])
    const own = await status('', { SVC_BASE_URL: work.url })
    expect(own.rows.map((row: { profile: string }) => row.profile)).toEqual(['work', 'also'])
  })

  it.each([
    [200, { id: 7, user: { username: 'ana' } }, true, 'job 7, started by ana', 0],
    [404, { message: '404 Not Found' }, null, 'the instance does not say whose job it is', 0],
    [401, { message: '401 Unauthorized' }, false, '401', 3],
  ])('tries a job token at its job: %i', async (code, body, works, user, exit) => {
    const instance = await startRecorder(() => ({ status: code, body }))
    const env = { CI_JOB_TOKEN: 'job-token', CI_SERVER_URL: instance.url }
    const ran = await status(` --base-url ${instance.url} --retries 0`, env)
    await instance.close()
    expect(ran.rows).toMatchObject([{ works, user: expect.stringContaining(user) }])
    if (works !== false) expect(ran.rows[0].credential).toBe('job token, from CI_JOB_TOKEN')
    expect(ran.code).toBe(exit)
    expect(instance.lines()).toEqual(['GET /job'])
    expect(instance.seen[0]?.headers['job-token']).toBe('job-token')
  })

  it('is one session for check tokens, too', async () => {
    const ran = await run('check tokens -o json --base-url OTHER', { SVC_TOKEN: 'of-variable' })
    expect(JSON.parse(ran.stdout).message).toContain('1 token works')
    expect(work.seen).toEqual([])
  })
})

it.each(['no', 'Off', 'FALSE', ' 0 '])('SVC_SANDBOX=%s is off', async (value) => {
  const ran = await run(list, { SVC_SANDBOX: value, SVC_BASE_URL: work.url })
  expect([ran.code, work.seen.length > 0]).toEqual([0, true])
})

describe('white space around a variable', () => {
  it.each(['\n', '\r\n', ' \t'])('is no part of it: %j', async (blank) => {
    const values = {
      SVC_OUTPUT: 'json',
      SVC_SUDO: 'ana',
      SVC_BASE_URL: work.url,
      SVC_TOKEN: 'token',
    }
    const padded = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, `${blank}${value}${blank}`]),
    )
    const ran = await svcctl(['runners', 'list', '--instance'], { env: padded })
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, '[{"id":1}]\n', ''])
    expect(work.seen.at(-1)?.headers).toMatchObject({ sudo: 'ana', 'private-token': 'token' })
  })
})
