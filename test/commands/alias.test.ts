/** Tests aliases for command lines: valid names, where an alias is looked up, and the line that it expands to. */
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitCommand } from '../../src/base/shell-words.js'
import { checkAliasLine, checkAliasName } from '../../src/commands/alias.js'
import { loadAllCommands } from '../../src/commands/index.js'
import { getCommandFlags } from '../../src/engine/command/flags.js'
import { countDraws } from '../support/draws.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { createCaller } from './calling.js'

const { server, call, sent } = createCaller()
const commands = await loadAllCommands()

/** Creates a configuration folder with these aliases. */
const createAliasConfig = (aliases: unknown, mode = 0o600): string => {
  const config = createConfiguration()
  const file = join(config, 'config.json')
  writeFileSync(file, JSON.stringify({ profiles: {}, aliases }))
  chmodSync(file, mode)
  return config
}
const run = (line: string | readonly string[], config: string) =>
  call(line, { env: { SVC_CONFIG_DIR: config } })

describe('alias set', () => {
  it('calls a line by a name, changes it, and leaves the profiles as they are', async () => {
    const config = createConfiguration()
    const profile = { base_url: 'https://svc.example' }
    const file = join(config, 'config.json')
    writeFileSync(file, JSON.stringify({ profiles: { work: { baseUrl: profile.base_url } } }))
    expect(
      await run(['alias', 'set', 'gone', "runners list --where 'status=offline'"], config),
    ).toMatchObject({ code: 0 })
    expect(
      (
        await run(
          ['alias', 'set', 'gone', '--', 'runners', 'list', '--where', 'ip_address=a b'],
          config,
        )
      ).stderr,
    ).toContain(
      "set alias gone: runners list --where 'ip_address=a b' (previously runners list --where 'status=offline')",
    )
    const kept = JSON.parse(readFileSync(file, 'utf8'))
    expect(kept).toMatchObject({
      profiles: { work: { baseUrl: 'https://svc.example' } },
      aliases: { gone: "runners list --where 'ip_address=a b'" },
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['runners', 'is a command of svcctl'],
    ['runner', 'is a command of svcctl'],
    ['doctor', 'is a command of svcctl'],
    ['help', 'is a command of svcctl'],
    ['alias', 'is a command of svcctl'],
    ['Gone', '" is not a valid alias name'],
    ['-p', '" is not a valid alias name'],
    ['__proto__', '" is not a valid alias name'],
    ['a\u001b[2J', '" is not a valid alias name'],
    ['', '" is not a valid alias name'],
  ])('refuses the name %j', (name, why) => {
    expect(() => checkAliasName(name, commands)).toThrow(why)
  })

  it.each([
    ['', 'the command line of an alias must not be empty'],
    ['gone -L 1', 'an alias must begin with a command, and "'],
    ['-o json runners list', 'an alias must begin with a command, and "'],
    ['runners lst', 'has no verb "lst"'],
    ["runners list '", 'the command has an unclosed'],
    ['jobs list --sudo glpat-aaaabbbbccccdddd1234', 'must not contain a credential'],
    ['api GET /user --header "PRIVATE-TOKEN: abc"', 'must not contain a credential'],
    ['integrations update chat --webhook https://hook.example/1', 'must not contain a credential'],
    ['settings update --param hub_api_key=abc', 'must not contain a credential'],
    ['settings update --param=hub_api_key=abc', 'must not contain a credential'],
    ['alerts send --authorization-key=abc --title x', 'must not contain a credential'],
    ['runners list --base-url https://ana:secret@svc.example', 'must not contain a credential'],
    [`jobs list -P a/b --where name=${'0f'.repeat(32)}`, 'must not contain a credential'],
    ['jobs list --where name=at-hand-12', 'must not contain a credential'],
    ...[
      'api GET y?private_token=abc',
      'api GET /y?a=1&access_token=abc',
      'api GET y?next=%2Fz%3Fprivate_token%3Dabc',
      'api GET y?code=abc',
      'api GET y#access_token=abc',
      'api GET https://ana@svc.example/y',
      'api GET https://ana:abc@svc.example/y',
      'api PUT y --param token=abc',
      'api PUT y --param=hook[token]=abc',
      'api PUT y -f password=abc',
      'api PUT y -fpassword=abc',
      `api PUT y --input '{"name": "a", "password": "abc"}'`,
      'api PUT y --input {"name":"a","password":"abc"}',
      'api GET y --header=PRIVATE-TOKEN:abc',
      'api GET y --header "Authorization: Bearer abc"',
      'api GET y --header "Cookie: _svc_session=abc"',
      'api GET y -H "PRIVATE-TOKEN: abc"',
      'api GET y "-HPRIVATE-TOKEN: abc"',
      'api GET y --private-token abc',
      'runners list --token=abc',
      'runners list --proxy http://ana:abc@proxy.example',
      'SVC_TOKEN=abc runners list',
      'env SVC_TOKEN=abc svcctl runners list',
      'runners list --where runners_token=abc',
    ].map((one) => [one, 'must not contain a credential']),
  ])('refuses the line %j', (line, why) => {
    expect(() =>
      checkAliasLine(line, commands, { SVC_TOKEN: 'at-hand-12', HOME: 'runners' }),
    ).toThrow(why)
    expect(() => checkAliasLine(String(line), commands, {})).not.toThrow(/abc/)
  })

  it('refuses every flag that takes a secret, and takes where it comes from', () => {
    const secret = commands.flatMap((command) =>
      getCommandFlags(command)
        .filter(({ param }) => param.secret === true)
        .map(({ name }) => `${command.area} ${command.words} --${name}`),
    )
    expect(secret.length).toBeGreaterThan(5)
    for (const line of secret) {
      expect(() => checkAliasLine(`${line} abc`, commands, {}), line).toThrow(
        'must not contain a credential',
      )
      expect(() => checkAliasLine(`${line} env:ABC`, commands, {}), line).not.toThrow()
    }
  })

  it.each(['runners list | head -1', 'jobs list -P a/b > jobs.txt', 'runners list && jobs list'])(
    'refuses what only a shell can do: %s',
    (line) => {
      expect(() => checkAliasLine(line, commands, {})).toThrow('no shell runs an alias')
    },
  )

  it.each([
    'runners',
    'geo nodes',
    `runners list --jq '.[] | .id'`,
    'doctor -o json',
    'integrations update chat --webhook env:HOOK',
    'alerts send --authorization-key @key --title x',
    'settings update --param hub_api_key=env:KEY',
    'runners list --show-secrets -o json',
    'api GET y?private_token=env:TOKEN',
    'api GET y?page=2&per_page=100&order_by=id',
    'api PUT y --param disable_feed_token=true',
    'api PUT y --input @body.json',
    'api GET https://svc.example/y?search=token',
    'api GET y --header "Accept: application/json"',
    'runners list --where token_expires_at<30d',
    'runners list --where runners_token!=null',
    `commits get ${'0f'.repeat(20)} -P a/b`,
    'jobs list --all-projects --where status=pending,created_at>30d',
  ])('takes the line %j', (line) => {
    expect(checkAliasLine(line, commands, {})).toBeUndefined()
  })
})

describe('alias list', () => {
  it('shows them by name, also to programs', async () => {
    const config = createAliasConfig({ zed: 'runners list', all: 'jobs list' })
    expect((await run('alias list', config)).stdout).toBe(
      'name\tline\nall\tjobs list\nzed\trunners list\n',
    )
    expect(JSON.parse((await run('alias list -o json', config)).stdout)).toEqual([
      { name: 'all', line: 'jobs list' },
      { name: 'zed', line: 'runners list' },
    ])
    expect((await run('alias list', createConfiguration())).stderr).toContain('no aliases')
    expect((await run('alias list', createAliasConfig([1]))).code).toBe(2)
    expect((await run('alias list', createAliasConfig({ a: 1 }))).code).toBe(2)
  })
})

describe('alias remove', () => {
  it('removes one, and names the nearest of those that there are', async () => {
    const config = createAliasConfig({ gone: 'runners list', all: 'jobs list' })
    const wrong = await run('alias remove gonn', config)
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean gone?') })
    // "rm" is an accepted synonym of "remove", so it adds no hint.
    expect((await run('alias rm gonn', config)).stderr).toBe(wrong.stderr)
    expect((await run('alias remove gone', config)).code).toBe(0)
    expect((await run('alias list -o json', config)).stdout).toBe(
      '[{"name":"all","line":"jobs list"}]\n',
    )
    expect((await run('alias remove constructor', config)).code).toBe(2)
    const nothing = await run('alias remove', config)
    expect([nothing.code, nothing.stderr]).toEqual([
      2,
      expect.stringContaining('alias remove requires the name of an alias'),
    ])
  })
})

describe('a line with an alias', () => {
  const config = createAliasConfig({
    gone: "runners list --instance --where 'status=offline'",
    off: 'runners pause',
    two: 'gone',
    open: "runners 'list",
    r: 'runner',
  })

  it('is the line that it stands for, with the rest behind it and flags before it', async () => {
    server.answer = () => ({
      body: [
        { id: 7, status: 'offline', gone: true },
        { id: 8, status: 'online' },
      ],
    })
    const ran = await run('-o id gone --limit 3', config)
    expect(ran).toMatchObject({ code: 0, stdout: '7\n' })
    expect(server.lines()[0]).toMatch(/^GET \/runners\/all/)
    // The value of a flag is never expanded, even if it equals an alias.
    expect((await run('--fields gone gone', config)).code).toBe(0)
    expect((await run('r list -o id', config)).stdout).toBe('7\n8\n')
    expect((await run('help gone', config)).stdout).toContain('svcctl runners list')
    expect((await run('gone --help', config)).stdout).toContain('svcctl runners list')
  })

  it.each([
    ['one 4', '/projects/a%2Fb/merge_requests/4'],
    ['one 4 --fields iid', '/projects/a%2Fb/merge_requests/4'],
    ['one -o json --fields=iid 4', '/projects/a%2Fb/merge_requests/4'],
    ['one -ojson -q 4', '/projects/a%2Fb/merge_requests/4'],
    ['-o json one 4', '/projects/a%2Fb/merge_requests/4'],
    ['find "a b" json', '/projects?search=a%20b&'],
    ["find 'it''s' json", '/projects?search=its&'],
    ['find "a $2" json', '/projects?search=a%20%242&'],
    ['every json 7 8', '/runners/7', '/runners/8'],
    ['every json', ''],
    ['every json 7 -L1', ''],
  ])('has its arguments in their places: %s', async (line, ...paths) => {
    const filled = createAliasConfig({
      one: 'mr get $1 -P a/b',
      find: 'projects list --search $1 -o $2',
      every: 'runners get -o $1 $@',
    })
    await run(splitCommand(line), filled)
    const asked = server.lines().map((one) => one.replace('GET ', ''))
    expect(asked).toHaveLength(paths.filter((path) => path !== '').length)
    for (const [i, path] of paths.entries()) expect(asked[i] ?? '').toContain(path)
  })

  it('has all others behind it, also in a word, and from a pipe', async () => {
    const filled = createAliasConfig({
      one: 'mr get $1 -P a/b',
      all: 'projects list --search=$@',
      off: 'runners pause $@',
      gone: 'runners list --instance',
    })
    await run('one 4 5', filled)
    expect(server.lines()).toHaveLength(2)
    await run('all a b', filled)
    expect(server.lines().at(-1)).toContain('search=a%20b&')
    server.answer = ({ method }) => ({ body: method === 'GET' ? { username: 'ana' } : { id: 7 } })
    await call('off -', { env: { SVC_CONFIG_DIR: filled }, input: '7\n8\n' })
    expect(sent()).toHaveLength(2)
    // With several aliases, each is filled only with its own arguments.
    server.answer = () => ({ body: [] })
    expect((await run('gone --limit 3', filled)).code).toBe(0)
  })

  it.each([
    ['of -o csv', 'id\n2\n'],
    ['-o csv of', 'id\n2\n'],
    ['-ocsv of', 'id\n2\n'],
    ['--where id=1 of -o csv', 'id\n1\n'],
    ['of --where id=1 -o csv', 'id\n1\n2\n'],
    ['of --sudo ben', '2\n', 'ben'],
    ['--sudo=ben of', '2\n', 'ben'],
    ['as eve --sudo ana', '', undefined],
  ])('gives way to flags that are typed: %s', async (line, stdout, sudo = 'ana') => {
    const config = createAliasConfig({
      of: 'runners list --instance -o id --where id=2 --sudo ana',
      as: 'runners list --sudo $1',
    })
    server.answer = () => ({ body: [{ id: 1 }, { id: 2 }] })
    expect(await run(`${line} --fields id`, config)).toMatchObject({ stdout })
    expect(server.seen.at(-1)?.headers.sudo).toBe(stdout === '' ? undefined : sudo)
  })

  it('gives way to the profile that is typed', async () => {
    const config = createAliasConfig({ of: 'runners list -p a -o json' })
    for (const line of ['of -p b', '-pb of', '--profile=b of'])
      expect((await run(line, config)).stderr, line).toContain('unknown profile \\"b\\"')
  })

  it('takes what stands behind -- as its arguments', async () => {
    const config = createAliasConfig({
      spend: 'issues spend $1 $2 -P a/b',
      pause: 'runners pause $1',
      sorted: 'runners list --sort $1',
    })
    await run('spend 7 -o json -- -1h30m', config)
    expect(sent()).toEqual([
      {
        line: 'POST /projects/a%2Fb/issues/7/add_spent_time',
        body: { duration: '-1h30m' },
      },
    ])
    server.seen.length = 0
    const sorted = await run('sorted --curl -- -description', config)
    expect(sorted).toMatchObject({ code: 0, stdout: expect.stringContaining('/runners') })
    server.seen.length = 0
    await run('pause -- 7', config)
    expect(sent().map(({ line }) => line)).toEqual(['PUT /runners/7'])
  })

  it('is refused where an argument is missing, before anything is sent', async () => {
    const filled = createAliasConfig({ two: 'members update $1 -G a --access-level $2' })
    for (const line of ['two', 'two ana', 'two -o json ana', 'two ana --yes'])
      expect(await run(line, filled), line).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('the alias two needs 2 arguments'),
      })
    expect(server.seen).toEqual([])
  })

  it('has help and completions where arguments are missing', async () => {
    const filled = createAliasConfig({
      two: 'members update $1 -G a --access-level $2',
      one: 'mr get $1',
    })
    for (const line of ['two --help', 'two ana -h', 'help two'])
      expect(await run(line, filled), line).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('svcctl members update'),
      })
    const tab = async (...words: string[]) =>
      (await svcctl(['__complete', 'zsh', '--', ...words], { env: { SVC_CONFIG_DIR: filled } }))
        .stdout
    expect(await tab('two', 'ana', '')).toContain('developer\n')
    expect(await tab('one', '--fie')).toContain('--fields\t')
  })

  it('keeps the hint of the line that it stands for, and never names that line itself', async () => {
    const filled = createAliasConfig({ off: 'runners pause $@ --dry-run' })
    const { code, stderr } = await run('off', filled)
    expect([code, stderr.includes('Run "')]).toEqual([2, false])
    expect((await run('off --nothing-like-it', filled)).stderr).not.toContain('pause --dry-run"')
  })

  it('is confirmed, refused and written down as what it stands for', async () => {
    server.answer = ({ method }) => ({ body: method === 'GET' ? { username: 'ana' } : { id: 7 } })
    const kept = createAliasConfig({ off: 'runners pause 7', fell: 'runners drain' })
    writeFileSync(
      join(kept, 'config.json'),
      JSON.stringify({
        current: 'work',
        profiles: { work: { baseUrl: server.url, readOnly: true } },
        aliases: { off: 'runners pause 7' },
      }),
    )
    expect((await call('off', { env: { SVC_CONFIG_DIR: kept, SVC_BASE_URL: '' } })).code).toBe(2)
    expect(sent()).toEqual([])
    await run('off 7 8', config)
    expect(sent()).toHaveLength(2)
    expect((await run('journal list -o json --fields command', config)).stdout).toContain(
      '"runners pause"',
    )
  })

  it('is looked at once: an alias calls no other', async () => {
    const ran = await run('two', config)
    expect(ran).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the alias two begins with "gone", which is not a command'),
    })
    expect((await run('open', config)).stderr).toContain('the command has an unclosed')
  })

  it('is suggested for a word that is nearly its name', async () => {
    expect((await run('gonne', config)).stderr).toContain('Run "svcctl gone".')
    expect((await run('nothing-like-it', config)).stderr).toContain('svcctl --help')
  })

  it('never hides a command, and nothing of the language is one', async () => {
    const planted = createAliasConfig({ runners: 'jobs list', doctor: 'jobs list' })
    server.answer = () => ({ body: [] })
    await run('runners list', planted)
    expect(server.lines()).toEqual([expect.stringMatching(/^GET \/runners/)])
    expect((await run('constructor', config)).stderr).toContain('unknown command "constructor"')
    expect((await run('toString', config)).stderr).toContain('unknown command')
  })

  it('is not believed where others may write the configuration', async () => {
    const open = createAliasConfig({ gone: 'runners list' }, 0o666)
    const ran = await run('gone', open)
    expect(ran).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('other users can write to'),
    })
    expect(server.seen).toEqual([])
  })

  it('says of a broken configuration what it says of any word', async () => {
    const broken = createConfiguration()
    mkdirSync(broken, { recursive: true })
    writeFileSync(join(broken, 'config.json'), '{')
    expect((await run('gone', broken)).code).toBe(2)
  })

  it('is completed by its name, and behind it as what it stands for', async () => {
    const tab = async (...words: string[]) =>
      (await svcctl(['__complete', 'zsh', '--', ...words], { env: { SVC_CONFIG_DIR: config } }))
        .stdout
    expect(await tab('go')).toContain(
      "gone\tsvcctl runners list --instance --where 'status=offline'\n",
    )
    expect(await tab('gone', '--sta')).toContain('--status\t')
    expect(await tab('-o', 'json', 'r', 'pau')).toContain('pause')
    // Only the first word of a line is expanded.
    expect(await tab('jobs', 'gone', '--sta')).toBe(':none\n')
  })

  it.each([
    ['sick', 'check runners -o nagios', 'sick --nosuch', 3, 'svcctl: unknown option'],
    ['sick', 'check runners -o nagios', 'sick -p nosuch', 3, 'svcctl: unknown profile'],
    ['sick', 'check runners -o nagios', '-v sick --warn xx', 3, 'svcctl: invalid'],
    ['plain', 'check runners', 'plain --nosuch', 2, 'svcctl: unknown option'],
    ['data', 'runners list -o json', 'data --nosuch', 2, '{"error":'],
    ['data', 'runners get $1 -o json', 'data', 2, '{"error":'],
  ])('fails in the format that it chooses: %s=%j, %s', async (name, words, line, code, begins) => {
    const failed = await run(line, createAliasConfig({ [name]: words }))
    expect([failed.code, failed.stderr.slice(0, begins.length)]).toEqual([code, begins])
  })

  it('survives any text as its line', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (line) => {
        try {
          checkAliasLine(line, commands, {})
        } catch (error) {
          expect(error).toMatchObject({ category: 'usage' })
        }
      }),
      { numRuns: countDraws(300) },
    )
  })
})

describe('a line within another one', () => {
  it.each([
    ['snapshot', ['snapshot', 'app --type instance_type', '--to', 'x']],
    ['a policy', ['check', 'policy', 'rules.yml']],
  ])('has no alias, whose flags the checks of %s would not see', async (_, line) => {
    const config = createAliasConfig({ app: 'runners list -P platform/app -p other' })
    const cwd = createFolder()
    const rule = '{ name: a, list: app --type instance_type, where: active=false }'
    writeFileSync(join(cwd, 'rules.yml'), `policy: 1\nrules:\n  - ${rule}\n`)
    const { code, stderr } = await call(line, { cwd, env: { SVC_CONFIG_DIR: config } })
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(
        'the alias app cannot be used here\n  hint: Write its line: runners list -P platform/app -p other\n',
      ),
    ])
    expect(server.seen).toEqual([])
  })
})
