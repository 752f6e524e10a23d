/** A repository that suggests a project and a format: what is done with it, and what never is. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { calling } from '../../commands/calling.js'
import { configuration, folder } from '../../support/program.js'
import { has } from '../../support/terminal.js'

const { server, call, sent, atTerminal } = calling()

/** A repository with such a file, its remote at the instance. */
const repository = (text: string, remote = 'from/remote'): string => {
  const cwd = folder()
  execFileSync('git', ['init', '-q'], { cwd })
  execFileSync('git', ['remote', 'add', 'origin', `${server.url}/${remote}.git`], { cwd })
  writeFileSync(join(cwd, '.svcctl.yaml'), text)
  return cwd
}
const projectsAsked = (): readonly (string | undefined)[] =>
  server
    .lines()
    .map((line) => /\/projects\/([^/?]+)/.exec(decodeURIComponent(line.replace('%2F', ':')))?.[1])

describe('a project that a repository suggests', () => {
  it('stands before the git remote and the profile, after flag and environment', async () => {
    const cwd = repository('project: from/file')
    const config = configuration()
    const profile = { baseUrl: server.url, project: 'from/profile' }
    writeFileSync(
      join(config, 'config.json'),
      JSON.stringify({ current: 'work', profiles: { work: profile } }),
    )
    const env = { SVC_CONFIG_DIR: config }
    server.answer = () => ({ body: [] })
    await call('jobs list', { cwd, env })
    await call('jobs list -P from/flag', { cwd, env })
    await call('jobs list', { cwd, env: { ...env, SVC_PROJECT: 'from/env' } })
    writeFileSync(join(cwd, '.svcctl.yaml'), 'group: from')
    await call('jobs list', { cwd, env })
    expect(projectsAsked()).toEqual(['from:file', 'from:flag', 'from:env', 'from:remote'])
  })

  it('is never written to where nobody sees it: exit 2, and nothing is sent', async () => {
    const cwd = repository('project: from/file')
    for (const [line, naming] of [
      ['deploy-keys delete 1 --yes', '-P from/file'],
      ['approvals update --reset-approvals-on-push', '-P from/file'],
      ['approvals update --reset-approvals-on-push --dry-run', '-P from/file'],
      ['api PUT projects/{project} --param name=x', '-P from/file'],
    ] as const) {
      const ran = await call(line, { cwd })
      expect(ran, line).toMatchObject({ code: 2, stdout: '' })
      expect(ran.stderr).toContain(`Name it: ${naming}\n`)
    }
    expect(server.seen).toEqual([])
    // What only reads may take it, also by any call.
    server.answer = () => ({ body: {} })
    for (const line of ['api GET projects/{project}', 'api projects/{project}'])
      expect((await call(line, { cwd })).code, line).toBe(0)
    expect((await call('approvals update --reset-approvals-on-push -P a/b', { cwd })).code).toBe(0)
    expect(projectsAsked()).toEqual(['from:file', 'from:file', 'a:b', 'a:b'])
  })

  it('is none of several instances', async () => {
    const cwd = repository('project: from/file', 'x')
    const config = configuration()
    const one = { baseUrl: server.url }
    writeFileSync(join(config, 'config.json'), JSON.stringify({ profiles: { one, two: one } }))
    const ran = await call('jobs list -p one,two', {
      cwd,
      env: { SVC_CONFIG_DIR: config, SVC_BASE_URL: '', SVC_TOKEN: '' },
    })
    expect(ran.code).not.toBe(0)
    expect(server.lines().filter((line) => line.includes('from'))).toEqual([])
  })

  it('is told with what is ignored of it, escaped', async () => {
    const cwd = repository('project: from/file\nbase-url: http://127.0.0.1:1\n"a\\u001b[2J": 1')
    server.answer = () => ({ body: [] })
    const ran = await call('jobs list', { cwd })
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('base-url is ignored')
    expect(ran.stderr).not.toContain('\u001b')
    expect(projectsAsked()).toEqual(['from:file'])
  })

  it('is not looked at by what needs none', async () => {
    const cwd = repository('project: [')
    server.answer = () => ({ body: [] })
    expect((await call('runners list', { cwd })).stderr).not.toContain('.svcctl.yaml')
  })
})

describe('an output that a repository suggests', () => {
  it('changes nothing that a script parses', async () => {
    const cwd = repository('project: a/b\noutput: json\nfields: [name]')
    server.answer = () => ({ body: [{ id: 7, name: 'build', status: 'failed' }] })
    const ran = await call('jobs list', { cwd })
    expect(ran.stdout).toMatch(/^id\tstatus/)
  })

  it.skipIf(!has('tmux', '-V'))(
    'counts on a terminal, by the fields that there are, and a question says whose project it is',
    async () => {
      const cwd = repository('project: a/b\noutput: ndjson\nfields: [name, none, user.none]')
      server.answer = ({ method }) => ({ body: method === 'GET' ? [{ id: 7, name: 'build' }] : {} })
      await atTerminal('jobs list', (terminal) => terminal.until(/^\{"name":"build"\}/m), cwd)
      const own = 'jobs list -o csv --fields id'
      await atTerminal(own, (terminal) => terminal.until(/^id\s+7$/m), cwd)
      writeFileSync(join(cwd, '.svcctl.yaml'), 'project: a/b\noutput: value')
      const asked = await atTerminal(
        'deploy-keys delete 7',
        (terminal) => terminal.until(/Go on\?/),
        cwd,
      )
      const screen = asked.replace(/\s+/g, '')
      expect(screen).toContain(`(theprojecta/bcomesfrom${cwd}/.svcctl.yaml)`)
      expect(screen).toContain('outputisignored')
      expect(sent()).toEqual([])
    },
  )
})

describe('doctor', () => {
  it('shows which file counts, what is taken, and what is not', async () => {
    server.answer = () => ({ body: [] })
    const cwd = repository('project: a/b\nfields: [id, name]')
    mkdirSync(join(cwd, 'sub'))
    const row = async (at: string) =>
      (await call('doctor -o json', { cwd: at })).stdout
        .split('},{')
        .find((line) => line.includes('"suggestions"'))
    expect(await row(join(cwd, 'sub'))).toContain(
      `"ok","message":"${cwd}/.svcctl.yaml: project a/b; fields id,name"`,
    )
    writeFileSync(join(cwd, '.svcctl.yaml'), 'token: canary')
    expect(await row(cwd)).toContain('"warning"')
    expect(await row(cwd)).not.toContain('canary')
    expect(await row(folder())).toBeUndefined()
  })
})
