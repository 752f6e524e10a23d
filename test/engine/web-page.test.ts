/** Tests `--web`: which page is opened, the output without a browser, and the pages that are never opened. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { getListUrl, hasDisplay, requireWebUrl } from '../../src/answer/answer-file.js'
import { createCaller } from '../commands/calling.js'
import { createFolder } from '../support/program.js'
import { createPath } from '../support/shell.js'

const { server, call } = createCaller()
const noDisplay = { DISPLAY: '', WAYLAND_DISPLAY: '' }
const createJob = (web_url: unknown = `${server.url}/a/b/-/jobs/7`) => ({ id: 7, web_url })
const get = ['jobs', 'get', '7', '-P', 'a/b', '--web']

describe('--web', () => {
  it('prints the address of the one object where there is no display', async () => {
    server.answer = () => ({ body: createJob() })
    expect(await call(get, { env: noDisplay })).toMatchObject({
      code: 0,
      stdout: `${server.url}/a/b/-/jobs/7\n`,
      stderr: '',
    })
    expect(await call([...get, '-o', 'json'], { env: noDisplay })).toMatchObject({
      code: 2,
      stdout: '',
    })
    server.answer = () => ({ body: [{ ...createJob(), name: 'x' }] })
    const list = ['jobs', 'list', '-P', 'a/b', '--where', 'name=x', '--web']
    expect((await call(list, { env: noDisplay })).stdout).toBe(`${server.url}/a/b/-/jobs/7\n`)
    server.answer = ({ url }) => ({ body: url.includes('a%2Fc') ? [createJob()] : [] })
    const many = ['jobs', 'list', '-P', 'a/b,a/c', '--web']
    expect((await call(many, { env: noDisplay })).stdout).toBe(`${server.url}/a/b/-/jobs/7\n`)
  })

  it('is refused for members of a project, whose pages are not below it', async () => {
    const members = ['ana', 'ben'].map((name, id) => ({ id, web_url: `${server.url}/${name}` }))
    server.answer = () => ({ body: members })
    const list = ['members', 'list', '-P', 'a/b', '--web']
    expect(await call(list, { env: noDisplay })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('the instance reports no web page for this list'),
    })
    server.answer = () => ({ body: members.slice(1) })
    expect((await call(list, { env: noDisplay })).stdout).toBe(`${server.url}/ben\n`)
  })

  it('opens it by the program of the system, as one argument', async () => {
    server.answer = () => ({ body: createJob(`${server.url}/a/b;touch%20x/$(id)?q='a' b&c`) })
    const said = join(createFolder(), 'opened')
    const opener = `printf '%s|' "$#" "$@" > '${said}.part'\nmv '${said}.part' '${said}'`
    const env = {
      SVC_BASE_URL: server.url,
      SVC_TOKEN: 'x',
      DISPLAY: ':9',
      PATH: createPath({ 'xdg-open': opener }),
      SSH_CONNECTION: '',
      SSH_CLIENT: '',
      SSH_TTY: '',
    }
    const ran = await call(get, { env })
    expect(ran).toMatchObject({ code: 0, stdout: '' })
    expect(ran.stderr).toContain('opened ')
    for (let i = 0; i < 100 && !existsSync(said); i++) await wait(50)
    expect(readFileSync(said, 'utf8')).toBe(`1|${server.url}/a/b;touch%20x/$(id)?q=%27a%27%20b&c|`)
    // If no browser can be started, the address is printed.
    const without = await call(get, { env: { ...env, PATH: dirname('/nowhere/bin') } })
    expect(without).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${server.url}/a/b;`),
    })
    expect(without.stderr).toContain('cannot start a browser (')
  })

  it('opens the page above the objects of a list', async () => {
    server.answer = ({ url }) => {
      const project = url.includes('a%2Fc') ? 'a/c' : 'a/b'
      return { body: [7, 8].map((id) => createJob(`${server.url}/${project}/-/jobs/${id}`)) }
    }
    const list = async (line: string) =>
      (await call(`${line} --web`, { env: noDisplay })).stdout.trimEnd()
    expect(await list('jobs list -P a/b')).toBe(`${server.url}/a/b/-/jobs`)
    expect(await list('jobs list -P a/b,a/c')).toBe(`${server.url}/a`)
  })

  it('opens one, and none of several objects or of nothing', async () => {
    server.answer = () => ({ body: createJob() })
    const several = await call('jobs get 7 8 -P a/b --web', { env: noDisplay })
    expect(several).toMatchObject({ code: 2, stdout: '' })
    expect(several.stderr).toContain(
      '--web opens the page of a single object, and there are several',
    )
    server.answer = () => ({ body: [] })
    expect((await call('jobs list -P a/b --web', { env: noDisplay })).code).toBe(4)
    for (const flag of ['--watch', '--wait-until=id=7']) {
      const again = await call([...get, flag], { env: noDisplay })
      expect(again).toMatchObject({ code: 2, stdout: '' })
      expect(again.stderr).toContain('exclude each other')
    }
    expect((await call([...get, '-p', 'a,b'], { env: noDisplay })).stderr).toContain(
      '--web and -p a,b exclude each other',
    )
    expect((await call([...get, '--curl'], { env: noDisplay })).stdout).toContain('curl ')
  })

  it('refuses a page elsewhere, and says which', async () => {
    server.answer = () => ({ body: createJob('https://evil.example/\u001b[2Jx') })
    const ran = await call(get, { env: noDisplay })
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain('https://evil.example')
    expect(ran.stderr).not.toContain('\u001b')
    server.answer = () => ({ body: createJob(null) })
    expect((await call(get, { env: noDisplay })).stderr).toContain(
      'the instance reports no web page for this object',
    )
  })
})

describe('the page of a record', () => {
  const base = 'https://svc.example:8443/prefix'

  it.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/html,x',
    'svc.example:8443/a',
    '//svc.example:8443/a',
    '-a Calculator',
    'http://svc.example:8443/a',
    'https://svc.example/a',
    'https://svc.example.evil.example:8443/a',
    'https://svc.example:8443@evil.example/a',
    'https://ana:secret@svc.example:8443/a',
    'https:\\\\evil.example\\a',
    '',
    7,
    null,
  ])('is not %j', (web_url) => {
    expect(() => requireWebUrl({ web_url }, base)).toThrow()
  })

  it('is on the instance, by whichever name its field has', () => {
    expect(requireWebUrl({ web_url: 'HTTPS://SVC.example:8443/a b' }, base)).toBe(
      'https://svc.example:8443/a%20b',
    )
    expect(requireWebUrl({ page: 'https://svc.example:8443/a' }, base, 'page')).toBe(
      'https://svc.example:8443/a',
    )
    expect(() => requireWebUrl('text', base)).toThrow(
      'the instance reports no web page for this object',
    )
  })
})

it.each([
  [['a/b', 'a/c'], 'a'],
  [['a/b', 'c/d'], ''],
  [['a/b', 'a/b/c'], 'a'],
  [['a/b/-/jobs/7', 'a/b/-/jobs/8'], 'a/b/-/jobs'],
  [['a/b/-/jobs/7', 'a/b/-/issues/8'], 'a/b'],
  [['a/b/-/commit/f0', 'a/b/-/commit/f1'], 'a/b/-/commits'],
])('finds the page above %j', (paths, above) => {
  const base = 'https://svc.example:8443'
  expect(getListUrl(paths.map((path) => `${base}/${path}`))).toBe(`${base}/${above}`)
})

it.each([
  [{ DISPLAY: ':0' }, 'linux', true],
  [{ WAYLAND_DISPLAY: 'wayland-0' }, 'linux', true],
  [{ WSL_DISTRO_NAME: 'a' }, 'linux', true],
  [{ DISPLAY: '' }, 'linux', false],
  [{}, 'linux', false],
  [{ DISPLAY: ':10', SSH_CONNECTION: '1 2 3 4' }, 'linux', false],
  [{ SSH_TTY: '/dev/pts/1' }, 'darwin', false],
  [{ DISPLAY: ':0', CI: 'true' }, 'linux', false],
  [{}, 'darwin', true],
  [{}, 'win32', true],
] as const)('knows of a display: %j on %s', (env, platform, there) => {
  expect(hasDisplay(env, platform)).toBe(there)
})
