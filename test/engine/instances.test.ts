/** Tests several instances on one line: the requests and the credential for each, and the names in the answer. */
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getExitCode, hasReachedFailureLimit } from '../../src/answer/instances.js'
import { Failure } from '../../src/errors.js'
import { parseProfiles, resolveProfiles } from '../../src/profile/session.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { createConfiguration, createFolder, type LineResult } from '../support/program.js'
import { type Recorder, type Script, startRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const config = createConfiguration()
const states = [createFolder(), createFolder()]
const run = (line: string, env: Readonly<Record<string, string>> = {}): Promise<LineResult> =>
  svcctl(line.split(' '), { env: { SVC_CONFIG_DIR: config, ...env } })
const runJson = async (line: string): Promise<unknown> =>
  JSON.parse((await run(`${line} -o json`)).stdout)
const createProfile = async (
  name: string,
  url: string,
  token: string,
  more = '',
): Promise<void> => {
  const line = ['profile', 'set', name, '--base-url', url, '--token-command', `printf ${token}`]
  const made = await svcctl([...line, ...more.split(' ').filter(Boolean)], {
    env: { SVC_CONFIG_DIR: config },
  })
  expect(made.code, made.stderr).toBe(0)
}

let sites: readonly Sandbox[] = []
let [one, two]: readonly Recorder[] = []
let answers: readonly Script[] = []
/** Sets the answers of the two recorders. */
const setAnswers = (...scripts: readonly Script[]): void => {
  answers = scripts
  for (const recorder of [one, two]) recorder?.seen.splice(0)
}
beforeAll(async () => {
  sites = await Promise.all(states.map((stateDir) => startSandbox({ stateDir })))
  one = await startRecorder((...seen) => answers[0]?.(...seen))
  two = await startRecorder((...seen) => answers[1]?.(...seen))
  const [a, b] = sites
  await createProfile('a', a?.url ?? '', 'sandbox-root-token', '--tags eu,live')
  await createProfile('b', b?.url ?? '', 'sandbox-root-token', '--tags live')
  await createProfile('down', 'http://127.0.0.1:1', 'canary-down', '--retries 0')
  await createProfile('rec-1', one.url, 'canary-of-one', '--retries 0')
  await createProfile('rec-2', two.url, 'canary-of-two', '--retries 0')
  await createProfile('kept', one.url, 'canary-of-one', '--protected')
  await createProfile('reads', two.url, 'canary-of-two', '--read-only')
})
afterAll(async () => {
  await Promise.all([...sites, one, two].map((server) => server?.close()))
  await Promise.all(states.map((state) => rm(state, { recursive: true, force: true })))
})

describe('which profiles are meant', () => {
  const known = [
    { name: 'prod-2', tags: ['live'] },
    { name: 'prod-1', tags: ['live', 'eu'] },
    { name: 'a.b' },
    { name: 'axb' },
  ]
  const names = (text: string): readonly string[] => {
    const asked = parseProfiles(text)
    return 'one' in asked
      ? [asked.one]
      : resolveProfiles(asked.several, known).map(({ name }) => name)
  }
  it.each([
    ['a.b,prod-2', ['a.b', 'prod-2']],
    ['prod-*', ['prod-1', 'prod-2']],
    ['prod-?,a.b', ['prod-1', 'prod-2', 'a.b']],
    ['prod-2,@live', ['prod-2', 'prod-1']],
    ['@eu', ['prod-1']],
    ['a.*', ['a.b']],
    ['a.b, a.b', ['a.b']],
    ['a.b,', ['a.b']],
  ])('%s', (text, expected) => expect(names(text)).toEqual(expected))

  it('are one where one is named, and several where a pattern or a tag is', () => {
    expect(parseProfiles('a,a')).toEqual({ one: 'a' })
    expect(parseProfiles('a*')).toEqual({ several: ['a*'] })
    expect(parseProfiles('@a')).toEqual({ several: ['@a'] })
  })

  it.each([
    ['zzz*', 'no profile matches "zzz*"'],
    ['@nope', 'no profile has the tag "nope"'],
    ['a,nope', 'unknown profile "nope'],
  ])('are there, or what there is is said: %s', async (asked, message) => {
    const ran = await run(`runners list -p ${asked}`)
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toContain(message)
    expect(ran.stderr).toContain('a, b, down, kept, reads, rec-1, rec-2')
  })

  it.each(['a,b', 'a*', '@a', 'a?'])('cannot be called %s', async (name) => {
    const ran = await run(`profile set ${name} --base-url http://127.0.0.1:1`)
    expect(ran.code).toBe(2)
  })
})

describe('a choice that a line makes twice', () => {
  it.each([
    ['runners list -p a -p b', '-p is given', '-p a,b'],
    ['runners list --profile=a --profile b', '--profile is given', '--profile a,b'],
    ['runners pause 1 -p a -p b --yes', '-p is given', '-p a,b'],
    ['runners list --from x --from y', '--from is given', '--from x,y'],
    [
      'runners list --base-url http://x --base-url http://y',
      '--base-url is given',
      'Pass only one',
    ],
    ['runners list -p a --sudo x --sudo y', '--sudo is given', 'Pass only one'],
    ['runners pause 1 -p a --shard 1/2 --shard 2/2', '--shard is given', 'Run a line for each'],
  ])('is refused, for the last one must not replace the first: %s', async (line, message, hint) => {
    const ran = await run(line)
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toContain(`${message} more than once, with different values`)
    expect(ran.stderr).toContain(hint)
  })

  it('may be repeated with the same value', async () => {
    expect((await run('runners list -p a --profile a -L 1 --fields id')).code).toBe(0)
  })
})

describe('a list of several instances', () => {
  it('has the whole page of each, even if these are more than a line shows without a limit', async () => {
    const page: Script = () => ({ body: Array.from({ length: 70 }, (_, id) => ({ id })) })
    setAnswers(page, page)
    expect(await runJson('runners list -p rec-1,rec-2 --page 1')).toHaveLength(140)
  })

  it('has the records of each, in the order given, and counts the limit over all', async () => {
    const alone = (await runJson('runners list -p a -L 2 --fields id')) as { id: number }[]
    expect(alone).toHaveLength(2)
    const of = (name: string, count = 2) =>
      alone.slice(0, count).map((record) => ({ profile: name, ...record }))
    expect(await runJson('runners list -p b,a -L 2 --fields id')).toEqual(of('b'))
    const every = (await runJson('runners list -p b -L all --fields id')) as unknown[]
    const both = (await runJson(
      `runners list -p @live -L ${every.length + 1} --fields id`,
    )) as unknown[]
    expect(both).toHaveLength(every.length + 1)
    expect(both.at(-1)).toEqual(of('b', 1)[0])
  })

  it('names the instances that were not read, and exits well', async () => {
    const ran = await run('runners list -p b,a -L 2 -o csv --fields id')
    expect(ran.code).toBe(0)
    expect(ran.stdout.trim().split('\n')).toHaveLength(3)
    expect(ran.stderr).toBe(
      'showing 2; not read, or not to the end: b, a; use --limit <n> or --limit all for more\n',
    )
    const every = (await runJson('runners list -p b -L all --fields id')) as unknown[]
    const whole = await run(`runners list -p b,a -L ${every.length} -o csv --fields id`)
    expect(whole.stderr).toContain('not to the end: a;')
    const jobs = 'jobs list -P platform/app,web/site'
    const first = (await runJson(`${jobs} -p b -L all --where project=platform/app`)) as unknown[]
    const inside = await run(`${jobs} -p b,a -L ${first.length} -o csv --fields id`)
    expect(inside.stderr).toContain('not to the end: b, a;')
    // A page of each instance ends with its own note.
    const pages = await run('runners list -p b,a --page 1 --per-page 2 -o csv --fields id')
    expect(pages.stderr.match(/^[ab]: showing 2\b.*use --page 2 to continue$/gm)).toHaveLength(2)
  })

  it('has the objects of standard input of each', async () => {
    const input = '2\n1\n'
    const line = 'runners get - -p a,b -o ndjson --fields id'.split(' ')
    const ran = await svcctl(line, { env: { SVC_CONFIG_DIR: config }, input })
    const of = (name: string) => [2, 1].map((id) => JSON.stringify({ profile: name, id }))
    expect(ran.stdout.trimEnd().split('\n')).toEqual([...of('a'), ...of('b')])
  })

  it('begins each row with the profile, below one header', async () => {
    const rows = (text: string): string[] => text.trimEnd().split('\n')
    const csv = await run('runners list -p a,b --where id=1 -o csv --fields id')
    expect(rows(csv.stdout)).toEqual(['profile,id', 'a,1', 'b,1'])
    const table = rows((await run('runners list -p a,b --where id=1')).stdout)
    expect(table.map((row) => row.split('\t').slice(0, 2))).toEqual([
      ['profile', 'id'],
      ['a', '1'],
      ['b', '1'],
    ])
    const lines = await run('runners list -p a,b --where id=1 -o ndjson --fields id')
    expect(rows(lines.stdout)).toEqual(['{"profile":"a","id":1}', '{"profile":"b","id":1}'])
    const yaml = await run('runners list -p a,b --where id=1 -o yaml --fields id')
    expect(yaml.stdout).toBe('- profile: a\n  id: 1\n- profile: b\n  id: 1\n')
  })

  it('names the profile before the project', async () => {
    const line = 'mr list -p a,b -P platform/app,web/site --where iid=7 --fields iid'
    const places = ['a', 'b'].flatMap((profile) =>
      ['platform/app', 'web/site'].map((project) => ({ profile, project })),
    )
    const found = (await runJson(line)) as readonly object[]
    expect(found.length).toBeGreaterThan(1)
    expect(found).toEqual(
      places
        .filter((place) =>
          found.some((one) => isDeepStrictEqual({ ...one, iid: 7 }, { ...place, iid: 7 })),
        )
        .map((place) => ({ ...place, iid: 7 })),
    )
    const csv = await run(`${line} -o csv`)
    expect(csv.stdout).toMatch(
      /^profile,project,iid\na,platform\/app,7\n(?:[ab],[a-z/]+,7\n)*b,platform\/app,7\n/,
    )
  })

  it('wraps nothing for one', async () => {
    expect(await runJson('runners list -p a, -L 1 --fields id')).toEqual([{ id: 1 }])
  })

  it('begins each line of standard error with the profile', async () => {
    const ran = await run('runners list -p a,b -L all -vv')
    const lines = ran.stderr.trimEnd().split('\n')
    expect(lines.length).toBeGreaterThan(3)
    expect(lines.filter((line) => !/^(?:a|b): /.test(line))).toEqual([])
  })
})

describe('an instance that fails', () => {
  it('leaves the others, and its part in the exit code', async () => {
    const ran = await run('runners list -p a,down,b --where id=1 -o json --fields id')
    expect(ran.code).toBe(8)
    expect(JSON.parse(ran.stdout)).toEqual([
      { profile: 'a', id: 1 },
      { profile: 'b', id: 1 },
    ])
    const failed = ran.stderr.split('\n').find((line) => line.startsWith('{')) ?? ''
    expect(JSON.parse(failed)).toMatchObject({
      profile: 'down',
      error: { category: 'unreachable' },
    })
  })

  it('that cannot be reached is noted where that is tolerated, unless it is all there are', async () => {
    const some = await run('runners list -p a,down --where id=1 --tolerate unreachable')
    expect(some.code).toBe(0)
    expect(some.stderr).toMatch(/^down: .*\(tolerated\)$/m)
    const none = await run('runners list -p down,do* --tolerate unreachable')
    expect(none.code).toBe(7)
    expect((await run('runners list -p a --tolerate unreachable')).code).toBe(2)
  })

  it('with its credential leaves the others', async () => {
    const refused: Script = () => ({ status: 401, body: { message: '401 Unauthorized' } })
    setAnswers(refused, refused)
    const ran = await run('runners list -p rec-1,a -L 1 --fields id -o csv')
    expect([ran.code, ran.stdout]).toEqual([8, 'profile,id\na,1\n'])
    expect(ran.stderr).toMatch(/^rec-1: svcctl: 401/m)
    expect((await run('runners list -p rec-1,rec-2')).code).toBe(3)
  })

  it('with the line itself is told once', async () => {
    const ran = await run('runners list --page x -p a,b')
    expect(ran.code).toBe(2)
    expect(ran.stderr).toBe('svcctl: --page must be an integer, not "x"\n')
  })
})

it('asks all of them before the first has answered', { timeout: 20_000 }, async () => {
  let came = 0
  let all: () => void = () => {}
  const both = new Promise<void>((resolve) => {
    all = resolve
  })
  const servers = await Promise.all(
    [1, 2].map(async (n) => {
      const server = createServer(async (_, response) => {
        if (++came === 2) all()
        await both
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify([{ id: n }]))
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const address = server.address()
      const port = typeof address === 'object' ? address?.port : undefined
      await createProfile(`late-${n}`, `http://127.0.0.1:${port}`, 'canary')
      return server
    }),
  )
  try {
    const ran = await run('runners list -p late-* -o csv --fields id')
    expect(ran.stdout).toBe('profile,id\nlate-1,1\nlate-2,2\n')
  } finally {
    for (const server of servers) {
      server.closeAllConnections()
      server.close()
    }
    for (const n of [1, 2]) await run(`profile delete late-${n} --yes`)
  }
})

describe('credentials', () => {
  const sent = (recorder: Recorder | undefined): string =>
    JSON.stringify(recorder?.seen.map(({ url, headers, body }) => ({ url, headers, body })))

  it('go to the instance of their profile, and to no other', async () => {
    setAnswers(
      () => ({ body: [{ id: 1 }] }),
      () => ({ body: [{ id: 2 }] }),
    )
    await run('runners list -p rec-1,rec-2')
    expect(one?.seen).toHaveLength(1)
    expect(two?.seen).toHaveLength(1)
    expect(sent(one)).toContain('canary-of-one')
    expect(sent(one)).not.toContain('canary-of-two')
    expect(sent(two)).toContain('canary-of-two')
    expect(sent(two)).not.toContain('canary-of-one')
  })

  it.each([
    [' --base-url http://127.0.0.1:1', '--base-url'],
    [' --sandbox', '--sandbox'],
    [' --watch', '--watch'],
  ] as const)('are never meant for several addresses%s', async (flags, named) => {
    setAnswers()
    const ran = await run(`runners list -p rec-1,rec-2${flags}`)
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toContain(`${named} and -p rec-1,rec-2 exclude each other`)
    expect([one?.seen, two?.seen]).toEqual([[], []])
  })

  it.each([
    ['SVC_TOKEN', 'of-variable'],
    ['SVC_JOB_TOKEN', 'of-variable'],
    ['SVC_BASE_URL', 'http://127.0.0.1:1'],
    ['SVC_VOCABULARY', 'words.yml'],
  ])('of a variable are not used for several profiles: %s', async (name, value) => {
    setAnswers()
    await run(`profile set bare-1 --base-url ${one?.url}`)
    const ran = await run('runners list -p rec-1,rec-2,bare-1', { [name]: value })
    await run('profile delete bare-1 --yes')
    expect(ran.code, ran.stderr).toBe(0)
    expect(ran.stderr).toContain(`warning: ${name} is not used: each profile has its own`)
    expect([one?.seen.length, two?.seen.length]).toEqual([2, 1])
    expect(sent(one)).not.toContain('of-variable')
    expect(sent(two)).not.toContain('of-variable')
  })

  it('go to the named profiles under SVC_SANDBOX as without it', async () => {
    setAnswers()
    const ran = await run('runners list -p rec-1,rec-2', { SVC_SANDBOX: '1' })
    expect(ran.code, ran.stderr).toBe(0)
    expect([one?.seen.length, two?.seen.length]).toEqual([1, 1])
  })
})

describe('a write to several instances', () => {
  const done: Script = () => ({ body: { id: 1, active: false } })
  const asked = (): readonly number[] => [one?.seen.length ?? 0, two?.seen.length ?? 0]

  it.each([
    ['-p rec-*', '--yes', 'runners pause writes, and rec-* does not name the profiles'],
    ['-p @live', '--yes', 'Name the profiles: -p a,b'],
    [
      '--all-profiles',
      '--yes',
      'runners pause writes, and --all-profiles does not name the profiles',
    ],
    ['-p rec-1,rec-2', '', 'runners pause would change 2 instances and requires confirmation'],
    ['-p kept,rec-2', '--yes', 'Give --yes --confirm kept'],
    ['-p kept,rec-2', '--yes --confirm rec-9', '", which is not one of the profiles'],
    ['-p rec-1,reads', '--yes', 'profile reads is read-only'],
  ])('is refused before anything is sent: %s %s', async (profiles, flags, why) => {
    setAnswers(done, done)
    const ran = await run(`runners pause 1 ${profiles} ${flags}`.trim())
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain(why)
    expect(asked()).toEqual([0, 0])
  })

  it.each(['apply', 'apply plan.json', 'apply --dry-run'])(
    'is never the making of plans: %s is of one instance at a time',
    async (line) => {
      setAnswers(done, done)
      const ran = await run(`${line} -p rec-1,rec-2 --yes`)
      expect([ran.code, ran.stdout]).toEqual([2, ''])
      expect(ran.stderr).toContain('apply works with a single profile, and several are given')
      expect(ran.stderr).toContain('Run the command once for each.')
      expect(asked()).toEqual([0, 0])
    },
  )

  it('goes to each, where each protected one is confirmed', async () => {
    setAnswers(done, done)
    const ran = await run(
      'runners pause 1 -p kept,rec-2 --yes --confirm kept -o ndjson --fields id --no-undo-record',
    )
    expect(ran.stderr).toBe('')
    expect(ran.stdout).toBe('{"profile":"kept","id":1}\n{"profile":"rec-2","id":1}\n')
    expect(asked()).toEqual([1, 1])
  })

  it('stops before the next where one failed, unless more may fail', async () => {
    const refused: Script = () => ({ status: 404, body: { message: '404 Not Found' } })
    setAnswers(refused, done)
    const ran = await run('runners pause 1 -p rec-1,rec-2 --yes --no-undo-record')
    expect([ran.code, asked()]).toEqual([4, [1, 0]])
    expect(ran.stderr).toMatch(/^rec-2: warning: not started, because rec-1 failed$/m)
    setAnswers(refused, done)
    expect(
      (await run('runners pause 1 -p rec-1,rec-2 --yes --no-undo-record --max-failures 2')).code,
    ).toBe(8)
    expect(asked()).toEqual([1, 1])
  })

  it.each([
    'runners pause --instance --select id<4',
    'issues todo --all-projects --select id>0',
    'issues todo -P platform/app,web/site --select id>0',
    'members update -G platform --select id>0 --access-level developer',
    'members update -P platform/app,platform/api --select id>0 --access-level developer',
  ])('chooses no more objects than --limit on all of them: %s', async (line) => {
    const ran = await run(`${line} -p a,b --limit 2 --dry-run -o ndjson`)
    const [first, second, ...others] = ran.stdout.trimEnd().split('\n')
    expect([ran.code, others], ran.stderr).toEqual([0, []])
    expect([first, second].map((text = '') => JSON.parse(text).profile)).toEqual(['a', 'a'])
    expect(ran.stderr).toContain('b: not started: --limit is reached')
  })

  it.each([
    ['EPIPE', 8, 'a: svcctl: standard output was closed: '],
    ['ENOSPC', 1, 'ENOSPC; 0 of 2 instances done'],
  ])('says how far it came where the output ends: %s', async (code, exitCode, text) => {
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })),
    })
    const line = 'runners pause --instance --select id<8 --concurrency 1 -p a,b --yes'
    const ran = await svcctl(line.split(' '), {
      env: { SVC_CONFIG_DIR: config },
      io: { stdout: Object.assign(stdout, { isTTY: false }) },
    })
    expect(ran.code, ran.stderr).toBe(exitCode)
    expect(ran.stderr).toContain(text)
    expect(ran.stderr).toMatch(
      /^a: .* not attempted\. Journal: .* --resume last completes the run$/m,
    )
    expect(ran.stderr).toContain('b: warning: not started, because the output ended\n')
    expect((await run('runners resume --instance --select id<8 -p a,b --yes')).code).toBe(0)
  })

  it('goes on with what --limit leaves on the next instance', async () => {
    const line =
      'runners pause --instance --select id<4 --limit 5 -p a,b --yes -o ndjson --fields id'
    const { stdout } = await run(line)
    const ids = stdout
      .trimEnd()
      .split('\n')
      .map((text) => Object.values(JSON.parse(text)).join())
    expect(ids).toEqual(['a,1', 'a,2', 'a,3', 'b,1', 'b,2'])
    expect((await run(line.replace('pause', 'resume'))).code).toBe(0)
  })

  it('is only shown by --curl and --dry-run', async () => {
    setAnswers(done, done)
    const curl = await run('runners pause 1 -p rec-1,reads --curl')
    expect(curl.stdout).toMatch(/^# rec-1\ncurl .*\n# reads\ncurl .*\n$/)
    expect(asked()).toEqual([0, 0])
    expect((await run('runners pause 1 -p rec-1,reads --dry-run')).code).toBe(0)
    const methods = [one, two].flatMap((recorder) => recorder?.seen.map(({ method }) => method))
    expect(new Set(methods)).toEqual(new Set(['GET']))
  })
})

describe('what only looks', () => {
  it('tells of each below its name, and writes no file for two', async () => {
    const file = join(createFolder(), 'site.yml')
    await writeFile(file, 'version: 1\nsite:\n  settings:\n    signup_enabled: true\n')
    const ran = await run(`plan ${file} -p a,b`)
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    expect(ran.stdout.match(/^# .*$/gm)).toEqual(['# a', '# b'])
    const plans = (await runJson(`plan ${file} -p a,b`)) as { record: { instance: string } }[]
    expect(plans.map(({ record: { instance } }) => instance)).toEqual(sites.map(({ url }) => url))
    const out = await run(`plan ${file} -p a,b --out ${file}.plan`)
    expect([out.code, out.stdout]).toEqual([2, ''])
  })
})

describe('an answer that people see in rows of its own', () => {
  /** Splits a table or a sheet into rows of cells. */
  const rowsOf = (text: string, separator: string): readonly (readonly string[])[] =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.split(separator))
  const separators = { '-o csv': ',', '': '\t', '-o markdown': ' | ' } as const

  it.each([
    'overview',
    'overview --parts runners,jobs',
    'version',
    'access eva',
    'access platform --matrix',
    'check instance',
    'check runners',
    'runners get 1',
    'runners list --instance --sort=-id',
    'runners pause 1 --dry-run',
    'runners pause 1 2 --dry-run',
    'runners pause --instance --select id<3 --dry-run',
    'approvals update -P platform/app -P web/site --approvals-before-merge 2 --dry-run',
    'jobs why 15 -P platform/app',
    'dependencies list -P platform/app',
    'integrations list -P platform/app,web/site',
    'integrations get emails-on-push -P platform/app',
    'issues time-stats 1 -P platform/app',
    'commits get main -P platform/app',
    'members where eva',
    'geo status',
    'settings get',
    'api GET version',
    'api GET runners/all',
  ])('has no empty rows among those of others: %s', async (line) => {
    for (const [format, separator] of Object.entries(separators)) {
      // Without -o, the command prints JSON.
      if (format === '' && line.startsWith('api ')) continue
      const ran = await run(`${line} -p a,b ${format}`.trim())
      expect([0, 1], ran.stderr).toContain(ran.code)
      const [, ...rows] = rowsOf(ran.stdout, separator)
      const told = rows.filter(([name]) => /^(?:\| )?[ab]$/.test(name ?? ''))
      if (told.length === 0) expect(ran.stdout).toMatch(/^# a\n.+\n# b\n.+\n$/)
      for (const [, ...cells] of told) expect(cells.join('').replace(/[| ]/g, '')).not.toBe('')
    }
  })

  it.each([
    'overview --parts runners,jobs,tokens',
    'runners pause 1 2 --dry-run',
    'approvals update -P platform/app -P web/site --approvals-before-merge 2 --dry-run',
    'dependencies list -P platform/app,web/site',
    'integrations list -P platform/app',
    'api GET runners/all',
  ])('has the rows that each instance has alone: %s', async (line) => {
    const both = rowsOf((await run(`${line} -p a,b -o csv`)).stdout, '\n').map(([row = '']) => row)
    for (const name of ['a', 'b']) {
      const [head = '', ...rows] = (await run(`${line} -p ${name} -o csv`)).stdout
        .trimEnd()
        .split('\n')
      expect(both[0]).toBe(`profile,${head}`)
      expect(both.filter((row) => row.startsWith(`${name},`))).toEqual(
        rows.map((row) => `${name},${row}`),
      )
      expect(rows.length).toBeGreaterThan(0)
    }
  })

  it('keeps its secrets masked', async () => {
    setAnswers(
      () => ({ body: [{ id: 1, properties: { token: 'canary-in-row' }, slug: 'x' }] }),
      () => ({ body: [{ id: 2, properties: { token: 'canary-in-row' }, slug: 'x' }] }),
    )
    for (const format of ['csv', 'table', 'json']) {
      const ran = await run(
        `integrations list -P 1 -p rec-1,rec-2 -o ${format} --fields properties`,
      )
      expect([ran.code, ran.stdout], ran.stderr).toEqual([0, expect.stringContaining('[masked]')])
      expect(ran.stdout).not.toContain('canary-in-row')
    }
  })
})

describe('the exit code of several', () => {
  const ending = (code: number) => ({
    name: 'x',
    code,
    ...(code === 0 ? {} : { failure: new Failure('failed', 'x') }),
  })
  it.each([
    [[0, 0], 0, 0],
    [[4, 4], 4, 4],
    [[0, 4], 8, 8],
    [[0, 7], 8, 0],
    [[7, 7], 7, 7],
    [[0, 4, 7], 8, 8],
    [[4, 7], 8, 4],
    [[0, 9, 7], 9, 9],
    [[9, 130, 0], 130, 130],
  ])('of %j is %i, tolerating %i', (codes, strict, tolerant) => {
    const endings = codes.map(ending)
    expect([getExitCode(endings, false), getExitCode(endings, true)]).toEqual([strict, tolerant])
  })

  it('says when enough have failed', () => {
    expect(hasReachedFailureLimit(1, 4, undefined)).toBe(true)
    expect(hasReachedFailureLimit(0, 4, undefined)).toBe(false)
    expect([1, 2].map((failed) => hasReachedFailureLimit(failed, 4, { count: 2 }))).toEqual([
      false,
      true,
    ])
    expect([1, 2].map((failed) => hasReachedFailureLimit(failed, 4, { percent: 50 }))).toEqual([
      false,
      true,
    ])
  })
})

describe('--to', () => {
  const at = (): string => join(createFolder(), 'all.json')
  const line = 'runners list -p rec-1,rec-2 -o json --to'

  it('keeps what some of them answered', async () => {
    setAnswers(
      () => ({ body: [{ id: 1 }] }),
      () => ({ status: 403 }),
    )
    const file = at()
    expect((await run(`${line} ${file}`)).code).toBe(8)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual([
      { profile: 'rec-1', record: { id: 1 } },
    ])
  })

  it('leaves no file where none of them answered', async () => {
    const refused = () => ({ status: 403 })
    setAnswers(refused, refused)
    const file = at()
    const { code, stderr } = await run(`${line} ${file}`)
    expect([code, stderr]).toEqual([3, expect.stringContaining(`${file} was not written`)])
    expect(existsSync(file)).toBe(false)
  })
})
