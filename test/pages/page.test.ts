/** Tests `-o html`: a single self-contained page, whatever the data contains and however the run ends. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answerByRoute, createCaller } from '../commands/calling.js'
import { createFolder } from '../support/program.js'
import { hostile, setSnapshotTime, splitPage } from './parts.js'

const { server, call, atTerminal } = createCaller()

const buildNextLink = (page: number): string =>
  `<${server.url}/api/v4/runners?page=${page}&per_page=100>; rel="next"`

describe('a page', () => {
  it('allows its own style and script by their hashes, and nothing else', async () => {
    server.answer = () => ({ body: [{ id: 1 }] })
    const { stdout, code } = await call('runners list -o html')
    expect(code).toBe(0)
    const hash = (text: string): string => createHash('sha256').update(text).digest('base64')
    const { style, script, policy } = splitPage(stdout)
    expect([style.includes('@media print'), script.includes('class List')]).toEqual([true, true])
    expect(policy).toBe(
      `default-src 'none'; style-src 'sha256-${hash(style)}'; script-src 'sha256-${hash(script)}'; img-src data:; base-uri 'none'; form-action 'none'`,
    )
    // Hashes do not cover inline styles and event handlers.
    expect(stdout.replace(script, '')).not.toMatch(/<[^>]* (style|on\w+)=/)
  })

  it('shows hostile data as text', async () => {
    server.answer = () => ({
      body: [{ id: 1, description: hostile, web_url: 'javascript:alert(1)' }],
    })
    const { stdout } = await call('runners list -o html --fields id,description,web_url')
    const { body } = splitPage(stdout)
    expect(body).toContain('&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;')
    expect(body).toContain('\\u001b[31m')
    expect(body).toContain('\\u202e')
    expect(body).not.toContain('javascript:alert(1)"')
    expect(body).toContain('<td>javascript:alert(1)</td>')
  })

  it.each([
    ['runners list --where description!=secret-token', 'secret-token'],
    ['runners list --page-title secret-token', 'secret-token'],
    ['runners list --param token=hunter2hunter2', 'hunter2'],
    ['runners list --page-title https://me:hunter2@x.test/', 'hunter2'],
    ['api /runners/all?private_token=hunter2hunter2', 'hunter2'],
  ])('repeats no secret of its line: %s', async (line, secret) => {
    server.answer = () => ({ body: [{ id: 1 }] })
    const { stdout, code } = await call(`${line} -o html`)
    expect(code).toBe(0)
    expect(stdout).toContain('(arguments left out: they contain a secret)')
    expect(stdout).not.toContain(secret)
  })

  it('says in its title that nothing was changed', async () => {
    server.answer = () => ({ body: { id: 1, active: true } })
    const { stdout } = await call('runners pause 1 --dry-run -o html')
    expect(stdout).toContain('<title>Pause runners (dry run): 1</title>')
  })

  it('links to the instance that was asked, and to no other place', async () => {
    const [own, other] = [`${server.url}/platform/app`, 'https://elsewhere.test/x']
    server.answer = () => ({ body: [own, other].map((web_url, id) => ({ id, web_url })) })
    const { stdout } = await call('projects list -o html --fields id,web_url')
    const links = [...stdout.matchAll(/<a href="([^"]*)" rel="noreferrer">/g)].map(([, to]) => to)
    expect(links).toEqual([server.url, own, own])
  })

  it('shows numbers as they came, and one row without tools', async () => {
    server.answer = () => ({
      body: '[{"id":9007199254740993,"description":1e400}]',
      headers: { 'content-type': 'application/json' },
    })
    const { stdout, code } = await call('runners list -o html --fields id,description')
    expect(code).toBe(0)
    expect(stdout).toContain('<td class="n">9007199254740993</td><td class="n">1e400</td>')
    expect(stdout).toContain('<h2>1 runner</h2>')
    expect(stdout).not.toContain('<figure>')
  })

  it('keeps rows beyond the first two thousand as blocks of data', async () => {
    const name = '</script><script>alert(1)</script>'
    server.answer = ({ url }) => {
      const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1)
      const body = Array.from({ length: 100 }, (_, i) => ({
        id: page * 100 + i,
        description: name,
      }))
      return { body, headers: { link: buildNextLink(page + 1) } }
    }
    const { stdout } = await call('runners list -o html --limit 2100 --fields id,description')
    const { body, blocks } = splitPage(stdout)
    expect(body.match(/<tr><td/g)).toHaveLength(2000)
    expect(blocks.flat()).toHaveLength(100)
    expect(blocks.flat()[0]).toEqual(['2100', name])
    expect(body).not.toContain('<script>alert')
  })

  it('says what of a list is not in it', async () => {
    server.answer = () => ({ body: [{ id: 1 }, { id: 2 }], headers: { link: buildNextLink(2) } })
    const { stdout } = await call('runners list -o html --limit 2')
    expect(splitPage(stdout).footer).toContain('more')
  })

  it('says that it is incomplete where a project was refused', async () => {
    server.answer = answerByRoute({ 'GET /projects/a%2Fb/jobs': [{ id: 1 }] })
    const asked = server.answer
    server.answer = (request, i) =>
      request.url.includes('a%2Fc') ? { status: 403 } : asked(request, i)
    const { stdout, code } = await call('jobs list -P a/b -P a/c -o html')
    expect(code).toBe(8)
    expect(splitPage(stdout).footer).toContain('This page is incomplete')
    expect(splitPage(stdout).footer).toContain('a/c')
  })

  it('has no end where the run broke off', async () => {
    server.answer = (_, i) =>
      i === 0 ? { body: [{ id: 1 }], headers: { link: buildNextLink(2) } } : { status: 404 }
    const { stdout, code } = await call('runners list -o html --limit 200')
    expect(code).not.toBe(0)
    expect(splitPage(stdout).footer).toBeUndefined()
  })

  it('is not begun where the run fails before the first record', async () => {
    server.answer = () => ({ body: [{ id: 1 }] })
    const ran = await call('runners list -o html --group-by created_at')
    expect([ran.code, ran.stdout]).toEqual([2, ''])
  })

  it('has a table for each part of an overview, and for the changes of a plan', async () => {
    const heads = (page: string): string[] =>
      [...page.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, head = '']) => head)
    const sandbox = { env: { SVC_SANDBOX: '1', SVC_BASE_URL: '', SVC_TOKEN: '' } }
    const overview = await call('overview -o html', sandbox)
    expect(heads(overview.stdout).some((head) => head.startsWith('Pages certificates'))).toBe(true)
    const cwd = createFolder()
    await call('export --to all.yml', { ...sandbox, cwd })
    const plan = await call('plan all.yml -o html', { ...sandbox, cwd })
    expect(heads(plan.stdout).some((head) => /^(?:Changes|No change)/.test(head))).toBe(true)
  })
})

describe('what a page says in words', () => {
  const sandbox = { env: { SVC_SANDBOX: '1', SVC_BASE_URL: '', SVC_TOKEN: '' } }
  /** Returns the texts of a page, each once. */
  const read = async (line: string, options: Parameters<typeof call>[1]) => {
    const { stdout } = await call(`${line} -o html`, options)
    const { body } = splitPage(stdout.replaceAll(/<(style|script)\b.*?<\/\1>/gs, ''))
    return new Set(body.split(/(?:\s*<[^>]*>\s*)+/))
  }

  it('is the thresholds of a check', async () => {
    const warned = await read('check runners --warn 90%', sandbox)
    expect([...warned]).toEqual(expect.arrayContaining(['warning below 90 %', 'no threshold']))
    const both = await read('check runners --warn 90% --crit 10%', sandbox)
    expect([...both]).toContain('warning below 90 %, critical below 10 %')
  })

  it('is the result of a policy', async () => {
    const cwd = createFolder()
    const rule = { name: 'offline', list: 'runners list --instance', where: 'status=offline' }
    writeFileSync(join(cwd, 'policy.yml'), JSON.stringify({ policy: 1, rules: [rule] }))
    const passed = await read('check policy policy.yml --fail-on critical', { ...sandbox, cwd })
    expect([...passed]).toEqual(
      expect.arrayContaining(['passed', 'exit code 0: none of critical or above']),
    )
    const failed = await read('check policy policy.yml --fail-on info', { ...sandbox, cwd })
    expect([...failed]).toEqual(
      expect.arrayContaining(['failed', 'exit code 1: 2 findings of info or above']),
    )
  })

  it('is the number of changes and of findings of each place of a plan', async () => {
    const cwd = createFolder()
    const place = (members: object) => ({ 'platform/app': { members } })
    const declare = (members: object): void =>
      writeFileSync(join(cwd, 'f.yml'), JSON.stringify({ version: 1, projects: place(members) }))
    declare({ eva: { access_level: 'developer' } })
    expect([...(await read('plan f.yml', { ...sandbox, cwd }))]).toContain('1 change')
    const over = { access_level: 'developer', expires_at: '2020-01-01' }
    declare({ fay: over })
    expect([...(await read('plan f.yml', { ...sandbox, cwd }))]).toContain('1 finding')
    declare({ eva: { access_level: 'developer' }, fay: over })
    expect([...(await read('plan f.yml', { ...sandbox, cwd }))]).toContain('1 change, 1 finding')
  })

  it('is how a site is, when a certificate ended, and what the API does not have, in an overview', async () => {
    const texts = [...(await read('overview', sandbox))].join('\n')
    expect(texts).toContain('96.7 %, 3 s behind, 18 failed')
    expect(texts).toMatch(/^old\.example\.test: 2025-01-01, \d+ d ago$/m)
    expect(texts).toContain('the API does not provide it: alerts, storage moves under way.')
  })

  it('is the snapshot that it was made from', async () => {
    const cwd = createFolder()
    const list = 'runners list --instance'
    expect((await call(['snapshot', list, '--to', 'old'], { ...sandbox, cwd })).code).toBe(0)
    setSnapshotTime(join(cwd, 'old'), '2026-10-01T08:00:00.000Z')
    const texts = [...(await read(`${list} --from old`, { cwd }))]
    expect(texts.slice(0, 12).join(' ')).toMatch(/ snapshot 2026-10-01 08:00 UTC/)
  })
})

describe('--to', () => {
  it('writes the file of any format whole', async () => {
    server.answer = () => ({ body: [{ id: 1 }] })
    const cwd = createFolder()
    const { code, stdout, stderr } = await call('runners list -o json --to all.json', { cwd })
    expect([code, stdout, stderr]).toEqual([0, '', 'wrote all.json\n'])
    expect(JSON.parse(readFileSync(join(cwd, 'all.json'), 'utf8'))).toEqual([{ id: 1 }])
  })

  it('leaves what was there, and nothing else, where the run fails', async () => {
    server.answer = () => ({ status: 404 })
    const cwd = createFolder()
    const { code } = await call('runners list -o html --to page.html', { cwd })
    expect(code).toBe(4)
    expect(readdirSync(cwd)).toEqual([])
    const TMPDIR = createFolder()
    const env = { TMPDIR, CI: '1' }
    const opened = await call('runners list -o html --open', { env })
    expect(opened.stderr).toMatch(/runners-list\.html was not written\n/)
    expect(readdirSync(TMPDIR)).toEqual([])
  })

  it('refuses a place that cannot be written, before anything is sent', async () => {
    const { code, stderr } = await call('runners list --to /nowhere/x.txt')
    expect(code).toBe(1)
    expect(stderr).toContain('cannot write /nowhere/x.txt')
    expect(server.seen).toEqual([])
  })

  it.skipIf(!existsSync('/dev/full'))(
    'says why it could not write, not what came of that',
    async () => {
      server.answer = () => ({ body: Array.from({ length: 90 }, (_, id) => ({ id })) })
      const { code, stderr } = await call('runners list -o html --to /dev/full')
      expect(code).toBe(1)
      expect(stderr).toMatch(/^svcctl: cannot write \/dev\/full: .*no space/)
    },
  )

  it('is the command’s own where that has one', async () => {
    const cwd = createFolder()
    server.answer = () => ({ body: 'text', headers: { 'content-type': 'text/plain' } })
    const line = 'artifacts file out.txt --job-id 1 -P a/b --to mine.txt -o json'
    expect((await call(line, { cwd })).code).toBe(0)
    expect(readdirSync(cwd)).toEqual(['mine.txt'])
  })
})

describe('--open', () => {
  it('writes a page for its owner alone, and says where without a display', async () => {
    server.answer = () => ({ body: [{ id: 1 }] })
    const TMPDIR = createFolder()
    const env = { TMPDIR, DISPLAY: '', WAYLAND_DISPLAY: '', CI: '1' }
    const { stderr, stdout } = await call('runners list -o html --open', { env })
    const [, path = ''] = /no display; the page is in (.*)\n/.exec(stderr) ?? []
    expect(stdout).toBe('')
    expect(path).toMatch(/runners-list\.html$/)
    expect(existsSync(path)).toBe(true)
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700)
  })

  it.each([
    ['runners list --open', 'Add -o html'],
    ['runners list -o html --open --to x.html', 'exclude each other'],
    ['runners list -o html --watch 1', '-o html and --watch exclude each other'],
    ['runners list --to x.txt --watch 1', '--to and --watch exclude each other'],
  ])('refuses %s', async (line, said) => {
    const { code, stderr } = await call(line)
    expect([code, stderr.includes(said)]).toEqual([2, true])
    expect(server.seen).toEqual([])
  })
})

it('is refused on a terminal', async () => {
  const screen = await atTerminal('runners list -o html', (terminal) =>
    terminal.until(/ended with/),
  )
  expect(screen).toContain('ended with 2')
  expect(screen).toContain('--open')
})
