/** Tests projects and groups that are named by the addresses that browsers, git and the API show. */
import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { createConfiguration, createFolder } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const base = 'https://git.example'
const baseWithPath = `${base}/scm`
const server = useRecorder()

const run = (line: string, env: Readonly<Record<string, string>> = {}, cwd?: string) =>
  svcctl(line.split(' '), { env: { SVC_TOKEN: 'any', ...env }, ...(cwd && { cwd }) })

/** Returns the path that a line requests, without the root of the API. */
const getRequestPath = async (line: string, on = base, env = {}, cwd?: string): Promise<string> => {
  const { code, stdout, stderr } = await run(`${line} --base-url ${on} --curl`, env, cwd)
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')])
  return / '?https:\/\/\S+?\/api\/v4([^\s'?]*)/.exec(stdout)?.[1] ?? stdout
}

const projects = [
  '/apps/play',
  '/apps/play/',
  '/apps/play.git',
  '/apps/play.git/',
  '/apps/play/-',
  '/apps/play/-/',
  '/apps/play/-/jobs',
  '/apps/play/-/tree/main/src?ref_type=heads#L7',
  '/apps/play?private_token=canary',
  '/apps/play#readme',
  '/apps/%70lay',
  '/admin/projects/apps/play',
  '/api/v4/projects/apps%2Fplay',
  '/api/v4/projects/apps%2Fplay/jobs?per_page=1',
]
const remotes = [
  'git@git.example:apps/play.git',
  'git@git.example:/apps/play.git',
  'GIT.example:apps/play',
  'ssh://git@git.example:2222/apps/play.git',
  'git+ssh://git@git.example/apps/play.git',
  '[git@git.example:2222]:apps/play.git',
  'https://oauth2:canary@git.example/apps/play.git',
  'HTTPS://GIT.EXAMPLE:443/apps/play',
]
const groups = [
  '/apps',
  '/apps/',
  '/groups/apps',
  '/groups/apps/-/group_members?sort=name',
  '/admin/groups/apps',
  '/api/v4/groups/apps',
]

describe('an address', () => {
  it.each([...projects.map((path) => `${base}${path}`), ...remotes])(
    '%s is a project',
    async (text) => {
      expect(await getRequestPath(`jobs list -P ${text}`)).toBe('/projects/apps%2Fplay/jobs')
      expect(await getRequestPath(`projects get ${text}`)).toBe('/projects/apps%2Fplay')
    },
  )

  it.each([
    ...projects.map((path) => `${baseWithPath}${path}`),
    'git@git.example:apps/play.git',
    'git@git.example:scm/apps/play.git',
    'ssh://git@git.example:2222/apps/play.git',
    'ssh://git@git.example:2222/scm/apps/play.git',
  ])('%s is a project of an instance below a path', async (text) => {
    expect(await getRequestPath(`projects get ${text}`, baseWithPath)).toBe('/projects/apps%2Fplay')
  })

  it.each([...groups.map((path) => `${base}${path}`), 'git@git.example:apps'])(
    '%s is a group',
    async (text) => {
      expect(await getRequestPath(`members list -G ${text}`)).toBe('/groups/apps/members')
    },
  )

  it.each([
    [`${base}/projects/42`, '/projects/42'],
    [`${base}/api/v4/projects/42`, '/projects/42'],
    [`${base}/a/b/c/d`, '/projects/a%2Fb%2Fc%2Fd'],
    [`${base}/apps/pl.ay`, '/projects/apps%2Fpl%2Eay'],
    [`${base}/apps/-play`, '/projects/apps%2F-play'],
    ['git@[::1]:apps/play', '/projects/apps%2Fplay', 'https://[::1]:3000'],
    ['git@bücher.example:apps/play', '/projects/apps%2Fplay', 'https://bücher.example'],
    ['https://git.example:8443/apps/play', '/projects/apps%2Fplay', 'https://git.example:8443'],
    ['git.example:8443/apps/play', '/projects/apps%2Fplay', 'https://git.example:8443'],
    ['git.example:443/apps/play', '/projects/apps%2Fplay'],
    ['localhost:8131/apps/play.git', '/projects/apps%2Fplay', 'https://localhost:8131'],
    ['127.0.0.1:8131/scm/apps/play', '/projects/apps%2Fplay', 'https://127.0.0.1:8131/scm'],
    ['git@git.example:apps/play.wiki.git', '/projects/apps%2Fplay'],
  ])('%s is %s', async (text, path, on = base) => {
    expect(await getRequestPath(`projects get ${text}`, on)).toBe(path)
  })

  it('is understood wherever a project or group is named', async () => {
    const jobs = '/projects/apps%2Fplay/jobs'
    const text = `${base}/apps/play`
    expect(await getRequestPath('jobs list', base, { SVC_PROJECT: text })).toBe(jobs)
    expect(await getRequestPath('members list', base, { SVC_GROUP: `${base}/groups/apps` })).toBe(
      '/groups/apps/members',
    )
    expect(await getRequestPath(`api /projects/{project}/jobs -P ${text}`)).toBe(jobs)
    const SVC_CONFIG_DIR = createConfiguration()
    const set = `profile set p --base-url ${base} --project ${text}`
    expect((await run(set, { SVC_CONFIG_DIR })).code).toBe(0)
    expect(await getRequestPath('jobs list -p p', base, { SVC_CONFIG_DIR })).toBe(jobs)
    const alias = ['alias', 'set', 'mine', `jobs list -P ${text}/-/jobs`]
    expect((await svcctl(alias, { env: { SVC_CONFIG_DIR } })).code).toBe(0)
    expect(await getRequestPath('mine', base, { SVC_CONFIG_DIR })).toBe(jobs)
    const curl = await run(
      `commits create -P 1 --branch x --start-branch y --start-project ${text} --commit-message m --delete x --base-url ${base} --curl`,
    )
    expect(curl.stdout).toContain('"start_project":"apps/play"')
  })

  it.each([
    '/apps/play',
    'apps/play/',
    'apps/play.git',
    'apps%2Fplay',
    'apps%2fplay%2Egit',
    '//apps/play//',
  ])('is not needed: the path %s is that of the project', async (text) => {
    expect(await getRequestPath(`jobs list -P ${text}`)).toBe('/projects/apps%2Fplay/jobs')
    expect(await getRequestPath(`projects get ${text}`)).toBe('/projects/apps%2Fplay')
    expect(await getRequestPath('jobs list', base, { SVC_PROJECT: text })).toBe(
      '/projects/apps%2Fplay/jobs',
    )
    expect(await getRequestPath(`mr get ${text}!1`)).toBe('/projects/apps%2Fplay/merge_requests/1')
    expect(await getRequestPath(`members list -G ${text}`)).toBe('/groups/apps%2Fplay/members')
  })

  it('is one of several, from the line and from standard input', async () => {
    const [one, two] = [`${server.url}/a/b/-/jobs`, `${server.url}/c/d.git`]
    const wanted = ['GET /projects/a%2Fb/jobs', 'GET /projects/c%2Fd/jobs']
    const paths = () =>
      server
        .lines()
        .map((line) => line.replace(/\?.*/, ''))
        .sort()
    const env = { SVC_BASE_URL: server.url, SVC_TOKEN: 'any' }
    const lines: readonly (readonly [line: string, input?: string])[] = [
      [`jobs list -P ${one},${two},a/b`],
      [`jobs list -P ${one} -P ${two}`],
      ['jobs list -P -', `${one}\n${two}\na/b\n`],
      ['jobs list -P /a/b,c/d/,a%2Fb'],
      ['jobs list -P -', '/a/b\nc%2Fd\na/b.git\n'],
    ]
    for (const [line, input] of lines) {
      server.seen.length = 0
      const { code, stderr } = await svcctl(line.split(' '), { env, input: input ?? '' })
      expect([code, paths()], stderr).toEqual([0, wanted])
    }
    server.seen.length = 0
    await svcctl(['projects', 'get', '-'], { env, input: `${one}\n${two}\n` })
    expect(paths()).toEqual(['GET /projects/a%2Fb', 'GET /projects/c%2Fd'])
    server.seen.length = 0
    await svcctl(['access', `${server.url}/groups/apps`, '-o', 'json'], { env })
    expect(server.lines()[0]).toMatch(/^GET \/groups\/apps\?/)
  })

  it.each([
    [
      'jobs list -P https://other.example/apps/play',
      'https://other.example/apps/play is not a web address on https://git.example',
    ],
    ['jobs list -P https://git.example:8443/apps/play', 'is not a web address on'],
    [
      'jobs list -P git@other.example:apps/play.git',
      'other.example:apps/play.git is not a git remote on',
    ],
    ['jobs list -P https://git.example.evil.test/apps/play', 'is not a web address on'],
    [
      'projects get https://other.example/apps/play?private_token=canary',
      'is not a web address on',
    ],
    [
      'projects get https://canary:x@other.example/apps/play',
      'https://other.example/apps/play is not a web',
    ],
    ['members list -G https://other.example/groups/apps', 'is not a web address on'],
    [`jobs list -P ${base}/groups/apps`, 'is not the address of a project'],
    [`jobs list -P ${base}/apps`, 'is not the address of a project'],
    [`jobs list -P ${base}`, 'is not the address of a project'],
    [`members list -G ${base}/api/v4/projects/7`, 'is not the address of a group'],
    [`jobs list -P ${base}/a//b`, 'is not the address of a project'],
    ['jobs list -P ftp://git.example/apps/play', 'is neither a web address nor a git remote'],
    ['jobs list -P file://canary:x@git.example/apps/play', 'is neither'],
    [
      'jobs list -P git.example:8443/apps/play',
      'git.example:8443/apps/play is not a web address on',
    ],
    [`jobs list -P a/b,https://other.example/a/b`, 'is not a web address on'],
  ])('that is none of the instance is refused: %s', async (line, says) => {
    const { code, stdout, stderr } = await run(`${line} --base-url ${base}`)
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(says)])
    expect(stderr).not.toContain('canary')
  })

  it.each([
    ['jobs list', { SVC_PROJECT: '-' }, 'SVC_PROJECT takes a single project, not "-"'],
    ['jobs list', { SVC_PROJECT: 'a/../b' }, 'SVC_PROJECT: "." and ".." cannot be used in a path'],
    ['jobs list', { SVC_PROJECT: '/' }, 'SVC_PROJECT must not be empty'],
    ['members list', { SVC_GROUP: 'a,b' }, 'SVC_GROUP takes a single group, not "a,b"'],
    ['jobs list -P a/../b', {}, '--project: "." and ".." cannot be used in a path'],
    ['alerts send --title x', { SVC_ALERT_ENDPOINT: 'x' }, 'SVC_ALERT_ENDPOINT must be a URL'],
  ])('%s of %j is refused by its name', async (line, env, says) => {
    const { code, stderr } = await run(`${line} --base-url ${base}`, env)
    expect([code, stderr]).toEqual([2, expect.stringContaining(`svcctl: ${says}`)])
  })

  it('of another instance in a profile or a variable is refused', async () => {
    const SVC_PROJECT = 'https://other.example/apps/play'
    const { code, stderr } = await run(`jobs list --base-url ${base}`, { SVC_PROJECT })
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not a web address on')])
  })

  it('of a git remote below a path is the project at hand', async () => {
    const cwd = createFolder()
    const git = (...args: readonly string[]) => execFileSync('git', args, { cwd })
    git('init', '-q')
    for (const [i, url] of [
      'git@git.example:apps/play.git',
      'ssh://git@git.example:2222/apps/play.git',
      'https://git.example/scm/apps/play.git',
    ].entries()) {
      git('remote', i === 0 ? 'add' : 'set-url', 'origin', url)
      expect(await getRequestPath('jobs list', baseWithPath, {}, cwd)).toBe(
        '/projects/apps%2Fplay/jobs',
      )
    }
  })
})
