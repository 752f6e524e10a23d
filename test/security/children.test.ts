/** Tests that each program that is started gets the variables that it needs, and no credential. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createConfiguration, createFolder } from '../support/program.js'
import { type Recorder, startRecorder } from '../support/recorder.js'
import { openScreen } from '../support/screen.js'
import { hasProgram } from '../support/terminal.js'
import { svcctl } from '../support/within.js'

const canary = 'c4n4ry-0123456789'

/** The program's own credentials, and the same under other names: no program gets them. */
const ownCredentials = {
  SVC_TOKEN: `${canary}-token`,
  SVC_JOB_TOKEN: `${canary}-job`,
  SVC_ALERT_KEY: `${canary}-alert`,
  CI_JOB_TOKEN: `${canary}-ci`,
  CI_BUILD_TOKEN: `${canary}-ci`,
  CI_REPOSITORY_URL: `https://ci:${canary}-ci@forge.test/a.git`,
  ALL_PROXY: `socks5://me:${canary}@proxy.test:1080`,
  http_proxy: `me:${canary}@proxy.test:3128`,
}

/** Credentials of other tools: only a program that the user named gets them. */
const otherCredentials = {
  VAULT_TOKEN: 'v4ult-0123456789',
  AWS_SECRET_ACCESS_KEY: 'v4ult-aws',
  DATABASE_URL: 'postgres://me:v4ult@db.test/x',
  XDG_SESSION_TOKEN: 'v4ult-xdg',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'http.extraHeader',
  GIT_CONFIG_VALUE_0: 'Authorization: v4ult',
  GIT_CONFIG_GLOBAL: 'https://me:v4ult@forge.test/config',
}
const harmless = {
  LC_TIME: 'C.UTF-8',
  XDG_DATA_HOME: '/tmp/x',
  LESSCHARSET: 'utf-8',
  NO_PROXY: 'a.test',
}

let server: Recorder
beforeAll(async () => {
  server = await startRecorder(({ method, url }) => {
    if (/\/runners\/1\/jobs/.test(url)) return { body: [] }
    if (/\/jobs\/7/.test(url)) return { body: { id: 7, web_url: `${server.url}/a/b/-/jobs/7` } }
    if (/\/runners\?|\/runners\/all/.test(url))
      return { body: Array.from({ length: 80 }, (_, id) => ({ id: id + 1 })) }
    return method === 'GET' && /settings/.test(url)
      ? { body: { spamsvc_enabled: true } }
      : undefined
  })
})
afterAll(() => server.close())

interface Place {
  readonly cwd: string
  /** The variables of a line. */
  readonly env: Readonly<Record<string, string>>
  /** Writes a program that records its variables, and then runs a script. Returns its path. */
  readonly spy: (name: string, then?: string) => string
  /** Returns the variables that the program recorded. */
  readonly seen: (name: string) => Promise<string>
}

const createPlace = (profile: object = {}): Place => {
  const cwd = createFolder()
  const config = createConfiguration()
  const profiles = { work: { baseUrl: server.url, ...profile } }
  writeFileSync(join(config, 'config.json'), JSON.stringify({ current: 'work', profiles }), {
    mode: 0o600,
  })
  const bin = createFolder()
  const log = (name: string): string => join(cwd, `${name}.env`)
  return {
    cwd,
    env: {
      ...ownCredentials,
      ...otherCredentials,
      ...harmless,
      SVC_CONFIG_DIR: config,
      PATH: `${bin}:${process.env.PATH ?? ''}`,
    },
    spy: (name, then = '') => {
      const file = join(bin, name)
      const text = `#!/bin/sh\nenv > '${log(name)}.part'\nmv '${log(name)}.part' '${log(name)}'\n${then}\n`
      writeFileSync(file, text)
      chmodSync(file, 0o755)
      return file
    },
    seen: async (name) => {
      for (let i = 0; i < 200 && !existsSync(log(name)); i++) await wait(50)
      return readFileSync(log(name), 'utf8')
    },
  }
}

const findLines = (text: string, what: RegExp): readonly string[] =>
  text.split('\n').filter((line) => what.test(line))

const checkTool = (seen: string): void => {
  expect(findLines(seen, /c4n4ry|v4ult|SVC_|CI_/)).toEqual([])
  expect(seen).toContain('PATH=')
}

/** Checks the variables of a program that the user named. */
const checkOwn = (seen: string): void => {
  expect(findLines(seen, /c4n4ry/)).toEqual([])
  for (const [name, value] of Object.entries({ ...otherCredentials, ...harmless }))
    expect(seen).toContain(`${name}=${value}\n`)
  expect(seen).toContain('ALL_PROXY=socks5://proxy.test:1080\n')
  expect(seen).toContain('http_proxy=proxy.test:3128\n')
}

describe('what is started on its own account', () => {
  it('git, which is asked for the project, sees no credential', async () => {
    const { cwd, env, spy, seen } = createPlace()
    spy('git', `printf 'origin\\t${server.url}/a/b.git (fetch)\\n'`)
    const ran = await svcctl(['jobs', 'list', '-o', 'json'], { env, cwd })
    expect(ran).toMatchObject({ code: 0 })
    expect(server.seen.at(-1)?.url).toContain('a%2Fb')
    const saw = await seen('git')
    checkTool(saw)
    for (const [name, value] of Object.entries(harmless))
      expect(saw).toContain(`${name}=${value}\n`)
    expect(saw).toContain('ALL_PROXY=socks5://proxy.test:1080\n')
  })

  it('the browser', async () => {
    const { cwd, env, spy, seen } = createPlace()
    spy('xdg-open')
    const screen = { DISPLAY: ':9', SSH_CONNECTION: '', SSH_CLIENT: '', SSH_TTY: '', CI: '' }
    const line = ['jobs', 'get', '7', '-P', 'a/b', '--web']
    expect((await svcctl(line, { env: { ...env, ...screen }, cwd })).code).toBe(0)
    const saw = await seen('xdg-open')
    checkTool(saw)
    expect(saw).toContain('DISPLAY=:9\n')
  })

  it('the pager', async () => {
    const { cwd, env, spy, seen } = createPlace()
    const pager = spy('spy-pager', 'cat > /dev/null; echo paged')
    const whole = { ...env, SVC_PAGER: pager, HOME: cwd }
    const terminal = openScreen(['runners list --instance'], { env: whole, cwd, rows: 10 })
    try {
      await terminal.until(/paged/)
      checkTool(await seen('spy-pager'))
    } finally {
      await terminal.close()
    }
  })

  it.skipIf(!hasProgram('git'))('the git of the embedded instance', async () => {
    const { cwd, env, spy, seen } = createPlace()
    const { PATH = '' } = process.env
    spy('git', `PATH='${PATH}' exec git "$@"`)
    const line = ['commits', 'list', '-P', 'platform/app', '--sandbox', '-L', '1']
    const { SVC_TOKEN: _, SVC_JOB_TOKEN: __, ...rest } = env
    expect(await svcctl(line, { env: rest, cwd })).toMatchObject({ code: 0 })
    const saw = await seen('git')
    checkTool(saw)
    expect(saw).not.toContain('XDG_DATA_HOME')
  })
})

describe('what a person named', () => {
  it('a token command sees all but our own credentials', async () => {
    const { cwd, env, spy, seen } = createPlace({ tokenCommand: ['helper'] })
    spy('helper', 'echo token-0123456789')
    expect(await svcctl(['runners', 'list', '--instance'], { env, cwd })).toMatchObject({ code: 0 })
    expect(server.seen.at(-1)?.headers['private-token']).toBe('token-0123456789')
    checkOwn(await seen('helper'))
  })

  it('a command for a secret of declared state', async () => {
    const { cwd, env, spy, seen } = createPlace()
    // It would wait for input for as long as it can.
    const vault = spy('vault', 'read -r line; echo secret-0123456789')
    writeFileSync(
      join(cwd, 'svcctl.yml'),
      `version: 1\nsite:\n  settings: { spamsvc_api_key: { command: ['${vault}'] } }\n`,
    )
    const ran = await svcctl(
      ['apply', 'svcctl.yml', '--yes', '--secrets', 'always', '--allow-commands'],
      { env, cwd },
    )
    expect(ran.stderr).not.toContain('secret-0123456789')
    expect(ran.code).toBe(0)
    expect(server.seen.some(({ body }) => body.includes('secret-0123456789'))).toBe(true)
    checkOwn(await seen('vault'))
  })

  it('--resume-after', async () => {
    const { cwd, env, spy, seen } = createPlace()
    const line = ['runners', 'drain', '1', '--resume-after', `exec ${spy('upgrade')}`]
    expect(await svcctl(line, { env, cwd })).toMatchObject({ code: 0 })
    checkOwn(await seen('upgrade'))
  })
})
