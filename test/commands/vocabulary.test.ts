/** `vocabulary learn|check`, the profile's file and `doctor`, against an embedded instance in other words. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { useWordsSandbox } from '../sandbox/instance.js'
import { createConfiguration, createFolder, type LineResult } from '../support/program.js'
import { type Script, useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'
import { invented, loadInventedWords } from '../vocabulary/invented.js'
import { runOnTerminal } from './calling.js'

const { url } = useWordsSandbox(await loadInventedWords())
const cwd = createFolder()
writeFileSync(join(cwd, 'inv.yml'), invented)
writeFileSync(join(cwd, 'bad.yml'), 'vocabulary: 1\nnames:\n  monitor_sight: x\n')

const run = (
  line: string | readonly string[],
  env: Record<string, string> = {},
): Promise<LineResult> =>
  svcctl(typeof line === 'string' ? line.split(' ') : line, {
    cwd,
    env: { SVC_BASE_URL: url(), SVC_TOKEN: 'sandbox-root-token', ...env },
  })

const canary = 'canary-in-an-answer'
const recorderOfSecrets = useRecorder()

describe('vocabulary learn', () => {
  it('writes the unique stems, and last of all the command that uses them', async () => {
    const { code, stdout, stderr } = await run('vocabulary learn')
    expect(code).toBe(0)
    expect(stdout).toContain('  spamsvc: junkguard # spamsvc_api_key, spamsvc_enabled\n')
    expect(stdout).toContain('  cloud: nimbus # cloud_access_key_id, cloud_account_id\n')
    expect(stdout).toContain('  cloud_integration_enabled: cloud_integration_enabled #')
    expect(stderr.trim().split('\n').at(-1)).toBe(
      'use the file with: svcctl profile set <profile> --vocabulary <file>',
    )
  })

  it('quotes the name of the file in that command', async () => {
    const { stderr } = await run(['vocabulary', 'learn', '--to', 'my words.yml'])
    expect(stderr).toContain("--vocabulary 'my words.yml'")
  })

  it('never replaces a file without --yes', async () => {
    expect((await run('vocabulary learn --to learnt.yml')).code).toBe(0)
    const before = readFileSync(join(cwd, 'learnt.yml'), 'utf8')
    expect((await run('vocabulary learn --to learnt.yml')).code).toBe(2)
    expect(readFileSync(join(cwd, 'learnt.yml'), 'utf8')).toBe(before)
    expect((await run('vocabulary learn --to learnt.yml --yes')).code).toBe(0)
  })

  it.each([
    ['.', 'it is a directory'],
    ['none/learnt.yml', 'no such file or directory'],
    ['/dev/full', 'no space left on the device'],
  ])('names the file that cannot be written: %s', async (file, why) => {
    const { code, stderr } = await run(['vocabulary', 'learn', '--to', file, '--yes'])
    expect([code, stderr]).toEqual([1, expect.stringContaining(`cannot write ${file}: ${why}`)])
  })

  it('says why nothing can be learnt by who may see nothing', async () => {
    expect((await run('vocabulary learn', { SVC_TOKEN: 'sandbox-ben-token' })).code).toBe(3)
  })
})

describe('vocabulary learn from an instance that says anything', () => {
  const server = useRecorder()
  const version = '17.2\nwords:\n  cloud: stolen\n#\u2028slugs: { a: b }\r\u0085x\u202ey'

  it('escapes it, so that no text becomes a section', async () => {
    server.answer = ({ url: asked }) => {
      if (asked.endsWith('/version')) return { body: { version } }
      if (asked.endsWith('/application/settings'))
        return {
          body: {
            no_account_id: 'a',
            no_access_key_id: 'b',
            'x\nnames:\n  id: y_account_id': 'c',
          },
        }
      if (asked.includes('/projects?')) return { body: [{ id: 7 }] }
      if (asked.endsWith('/integrations')) return { body: [{ slug: 'a]\nheaders: {x: y}' }] }
      return { body: asked.endsWith('/settings') ? {} : [] }
    }
    const { code, stdout } = await run('vocabulary learn -P 7', { SVC_BASE_URL: server.url })
    expect(code).toBe(0)
    // A word that YAML takes for a boolean stays a text.
    expect(parse(stdout)).toEqual({ vocabulary: 1, words: { cloud: 'no' } })
    expect(stdout).toContain('version 17.2\\u000awords:\\u000a  cloud: stolen')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are looked for
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u0080-\u009f\u2028\u2029\u202e]/)
  })
})

describe('vocabulary learn, of what is not certain,', () => {
  const server = useRecorder()
  const own = { nimbus_account_id: 'a', vapor_account_id: 'b', face_enabled: true }
  const answer: Script = ({ url: asked }) => {
    if (asked.endsWith('/version'))
      return {
        body: { version: '17.2.0-own' },
        headers: { 'set-cookie': `_hub_session=${canary}; Path=/` },
      }
    if (asked.endsWith('/application/settings')) return { body: own }
    if (asked.includes('/projects?')) return { body: [{ id: 7 }] }
    if (asked.endsWith('/client_keys')) return { body: [{ id: 1, trail_dsn: canary }] }
    if (asked.endsWith('/settings')) return { body: { trail_external_url: 'x' } }
    if (asked.endsWith('/integrations'))
      return { body: [{ slug: 'watchtower' }, { slug: '../../moon' }, { slug: 'emails-on-push' }] }
    if (asked.endsWith('/watchtower'))
      return { body: { properties: { dog_site: 'x', dog_env: canary } } }
    return { body: [] }
  }
  const learn = (line: string) => run(line, { SVC_BASE_URL: server.url })

  it('leaves it as a comment with its candidates, by requests that only read', async () => {
    server.answer = answer
    const { code, stdout, stderr } = await learn('vocabulary learn')
    expect(code).toBe(0)
    expect(stdout).toContain('version 17.2.0-own')
    expect(stdout).toContain(
      [
        'words:',
        '  errsvc: trail # errsvc_external_url, errsvc_dsn',
        '  monitor: dog # monitor_site, monitor_env',
        '  svc: hub # _svc_session',
        'cookies:',
        '  _svc_session: _hub_session',
        'slugs:',
        '  monitoring: [watchtower]',
        '',
      ].join('\n'),
    )
    expect(stdout).toContain(
      '#   cloud (cloud_access_key_id, cloud_account_id, cloud_integration_enabled): vapor | nimbus\n',
    )
    expect(stdout).toContain('#   avatarsvc (avatarsvc_enabled): face\n')
    expect(stdout).toMatch(/the responses do not have:\n[\s\S]*\badmin_mode\b/)
    expect(stdout + stderr).not.toContain(canary)
    expect(stderr).toContain('3 learned, 5 left as comments')
    expect(server.lines()).toEqual([
      'GET /version',
      'GET /application/settings',
      'GET /projects?per_page=1',
      'GET /projects/7/error_tracking/settings',
      'GET /projects/7/error_tracking/client_keys',
      'GET /projects/7/integrations',
      'GET /projects/7/integrations/watchtower',
    ])
  })

  it('takes the project that is named, and does without a version', async () => {
    server.answer = (seen, i) =>
      seen.url.endsWith('/version')
        ? { status: 404, body: { error: '404 Not Found' } }
        : answer(seen, i)
    const { code, stderr } = await learn('vocabulary learn -P 9')
    expect(code).toBe(0)
    expect(stderr).toContain('the instance does not report its version')
    expect(server.lines()).toContain('GET /projects/9/integrations')
    expect(server.lines().filter((line) => line.startsWith('GET /projects?'))).toEqual([])
  })

  it('asks for it at a terminal, three times at most', async () => {
    const vague = { ...own, ink_url: '', ink_enabled: true, pen_url: '', pen_enabled: false }
    server.answer = (seen, i) =>
      seen.url.endsWith('/application/settings') ? { body: vague } : answer(seen, i)
    const env = { SVC_BASE_URL: server.url, SVC_TOKEN: 'x' }
    const place = createFolder()
    await runOnTerminal(
      'vocabulary learn --to asked.yml',
      env,
      async (terminal) => {
        await terminal.until(
          /instance call "cloud"[^?]*\?\n +1\. vapor \(vapor_account_id\)\n +2\. nimbus \(nimbus_account_id\)/,
        )
        await terminal.until(/number, or 0 if none is right/)
        terminal.type('1')
        terminal.press('Enter')
        await terminal.until(/call "diagram_a"/)
        terminal.type('1')
        terminal.press('Enter')
        await terminal.until(/call "spamsvc"/)
        terminal.type('0')
        terminal.press('Enter')
        await terminal.until(/ended with 0/)
      },
      place,
    )
    const text = readFileSync(join(place, 'asked.yml'), 'utf8')
    expect(text).toContain('  cloud: vapor # cloud_account_id\n')
    expect(text).toMatch(/ {2}diagram_a_enabled: (ink|pen)_enabled\n/)
    expect(text).toMatch(/ {2}diagram_b_url: (ink|pen)_url\n/)
    expect(text).toContain('#   spamsvc (spamsvc_api_key, spamsvc_enabled): face\n')
  })
})

it('no secret that the file names is traced, or shown', async () => {
  recorderOfSecrets.answer = () => ({
    body: {
      id: 1,
      hub_signing_blob: canary,
      errsvc_beacon: canary,
      deep: [{ some_beacon: canary }],
    },
  })
  const env = { SVC_BASE_URL: recorderOfSecrets.url, SVC_VOCABULARY: join(cwd, 'inv.yml') }
  for (const format of ['table', 'json', 'ndjson', 'yaml', 'csv']) {
    const { code, stdout, stderr } = await run(`runners get 1 -vv -o ${format}`, env)
    expect(code).toBe(0)
    expect(stdout + stderr).not.toContain(canary)
  }
})

describe('vocabulary check', () => {
  const broken = useRecorder()

  it('is content with what the instance has', async () => {
    const { code, stdout } = await run('vocabulary check inv.yml -o json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toContainEqual({
      name: 'cloud_account_id',
      own: 'nimbus_account_id',
      answer: 'settings',
      status: 'there',
    })
  })

  it('ends with 1 for a name that is not there', async () => {
    writeFileSync(join(cwd, 'wrong.yml'), 'vocabulary: 1\nnames: { admin_mode: boss_mode }\n')
    const { code, stdout } = await run('vocabulary check wrong.yml')
    expect(code).toBe(1)
    expect(stdout).toContain('admin_mode\tboss_mode\tsettings\tabsent')
  })

  it('ends with 0 and a note where this user may not look', async () => {
    const { code, stderr } = await run('vocabulary check inv.yml', {
      SVC_TOKEN: 'sandbox-ben-token',
    })
    expect(code).toBe(0)
    expect(stderr).toContain('settings could not be read: 403')
  })

  it('fails where nothing can be read', async () => {
    broken.answer = () => ({ status: 500, body: {} })
    const ran = await run('vocabulary check inv.yml --retries 0', { SVC_BASE_URL: broken.url })
    expect(ran).toMatchObject({ code: 7, stdout: '' })
  })

  it('refuses what does not go together with the catalogue, with the line', async () => {
    const { code, stderr } = await run('vocabulary check bad.yml')
    expect(code).toBe(2)
    expect(stderr).toContain('bad.yml:3:3: no parameter and no field is called "monitor_sight"')
    expect((await run('vocabulary check')).stderr).toContain('no vocabulary is configured')
  })
})

describe('a profile', () => {
  let config = ''
  const here = (line: string, env: Record<string, string> = {}): Promise<LineResult> =>
    svcctl(line.split(' '), { cwd, env: { SVC_CONFIG_DIR: config, SVC_NO_KEYRING: '1', ...env } })

  beforeEach(async () => {
    config = createConfiguration()
    expect((await here(`profile set work --base-url ${url()} --vocabulary inv.yml`)).code).toBe(0)
  })

  it('keeps a vocabulary that stands, and no other', async () => {
    const set = await here('profile set work --vocabulary bad.yml')
    expect([set.code, set.stderr]).toEqual([2, expect.stringContaining('bad.yml:3')])
    const kept = JSON.parse((await here('profile get work -o json')).stdout)
    expect(kept.vocabulary).toBe(join(cwd, 'inv.yml'))
  })

  it('speaks it to its own address only', async () => {
    const token = { SVC_TOKEN: 'sandbox-root-token' }
    const own = await here('geo nodes list --curl -p work', token)
    expect(own.stdout).toContain('/geo_sites')
    const other = { ...token, SVC_BASE_URL: 'http://127.0.0.1:1' }
    expect((await here('geo nodes list --curl', other)).stdout).toContain('/geo_nodes')
    expect(
      (await here('geo nodes list --curl --base-url http://127.0.0.1:1', token)).stdout,
    ).toContain('/geo_nodes')
    expect((await here('geo nodes list --curl --sandbox')).stdout).toContain('/geo_nodes')
    const both = { ...other, SVC_VOCABULARY: join(cwd, 'inv.yml') }
    expect((await here('geo nodes list --curl', both)).stdout).toContain('/geo_sites')
    expect((await here('geo nodes list --sandbox', { SVC_VOCABULARY: 'inv.yml' })).code).toBe(0)
  })

  it('shows in help and completion what its instance calls things, first', async () => {
    const help = await here('settings update --help --all')
    expect(help.stdout).toMatch(/--nimbus-account-id <text>\s+\[--cloud-account-id\]/)
    const tab = await here('__complete bash -- settings update --nimbus-acc')
    expect(tab.stdout).toContain('--nimbus-account-id\t[--cloud-account-id]')
    const fields = await here('__complete bash -- deploy-keys list --where may')
    expect(fields.stdout).toContain('may_write=')
    const columns = await here('__complete bash -- deploy-keys list --fields may')
    expect(columns.stdout).toContain('may_write')
    const settings = await here('__complete bash -- settings get nimbus_acc')
    expect(settings.stdout).toMatch(/^nimbus_account_id$/m)
    const token = { SVC_TOKEN: 'sandbox-root-token' }
    // Completion waits a second for the instance; on a busy machine a person presses TAB again.
    const live = async () => (await here('__complete bash -- geo nodes get ', token)).stdout
    await expect.poll(live, { timeout: 10_000 }).toContain('north')
    const values = await here('__complete bash -- runners list --status st')
    expect(values.stdout).toContain('stale')
    const neutral = await here('commands -o json')
    expect(neutral.stdout).not.toContain('nimbus')
  })

  it('has in its audit log what was sent', async () => {
    const log = join(cwd, 'audit.ndjson')
    expect((await here(`profile set work --audit-log ${log}`)).code).toBe(0)
    const env = { SVC_TOKEN: 'sandbox-root-token', SVC_PROFILE: 'work' }
    await here('geo nodes update 2 --name south --url https://s.example.test', env)
    const text = readFileSync(log, 'utf8')
    expect(text).toContain('/geo_sites/2')
    expect(text).not.toContain('geo_nodes')
    expect((await here('profile set work --unset audit-log')).code).toBe(0)
  })

  it('tells doctor of it, of the version and of what is gone', async () => {
    const env = { SVC_TOKEN: 'sandbox-root-token', SVC_PROFILE: 'work' }
    const { stdout } = await here('doctor -o json', env)
    const rows: readonly { check: string; message: string }[] = JSON.parse(stdout)
    const said = (check: string) => rows.find((row) => row.check === check)?.message
    expect(said('vocabulary')).toBe(`${join(cwd, 'inv.yml')}: 4 words, 4 names`)
    expect(said('gone')).toBe('POST /ci/lint: check within a project: --project')
    expect(said('version')).toBe('14.5.0')
  })

  it('with a file that is gone says so, and can be mended', async () => {
    writeFileSync(join(cwd, 'short.yml'), 'vocabulary: 1\n')
    expect((await here('profile set work --vocabulary short.yml')).code).toBe(0)
    writeFileSync(join(cwd, 'short.yml'), 'vocabulary: [')
    const broken = await here('runners list')
    expect([broken.code, broken.stderr]).toEqual([
      2,
      expect.stringContaining('short.yml:1:14: invalid YAML'),
    ])
    expect((await here('runners list --help')).code).toBe(0)
    expect((await here('profile set work --unset vocabulary')).code).toBe(0)
  })
})

it('nothing is loaded of it where there is none', async () => {
  const line = ['runners', 'list', '--curl']
  const env = { SVC_BASE_URL: 'http://127.0.0.1:1', SVC_TOKEN: 'x' }
  const without = await svcctl(line, { env })
  const with_ = await svcctl(line, { env: { ...env, SVC_VOCABULARY: join(cwd, 'inv.yml') } })
  expect(without.stdout.replace('/runners', '/workers')).toBe(with_.stdout)
})
