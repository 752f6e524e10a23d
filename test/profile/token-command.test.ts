import { chmodSync, existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runTokenCommand } from '../../src/profile/credential.js'
import { resolveSession } from '../../src/profile/session.js'
import { createDirectory, getFailure, openServices } from './setup.js'

const buildCommand = (script: string, ...args: string[]) => [
  process.execPath,
  '-e',
  script,
  ...args,
]
const { env } = process
const runCommand = (command: readonly string[]) =>
  runTokenCommand(command, 'personal', 'prod', { env })

describe('a token command', () => {
  it('gives what it prints', async () => {
    const token = await runCommand(buildCommand('console.log("abc-1")'))
    expect(token).toEqual({
      kind: 'personal',
      value: 'abc-1',
      source: 'the token command of profile prod',
    })
  })

  it('is run without a shell', async () => {
    const script = 'console.log(process.argv.slice(1).join("+").replaceAll(" ", "_"))'
    const { value } = await runCommand(buildCommand(script, '$HOME', '`id`', 'a b', ';'))
    expect(value).toBe('$HOME+`id`+a_b+;')
  })

  it('says what the program said when it fails, and nothing that it printed', async () => {
    const script =
      'console.log("canary"); console.error("vault is\\n\\u001b[31msealed"); process.exit(3)'
    const failure = await getFailure(() => runCommand(buildCommand(script)))
    expect(failure.category).toBe('auth')
    expect(failure.message).toContain('exit code 3: vault is [31msealed')
    expect(failure.details.hint).toContain('prod')
    expect(JSON.stringify(failure)).not.toContain('canary')
    expect(failure.cause).toBeUndefined()
  })

  it.each([
    ['a program that is not there', ['/nowhere/at/all'], 'was not found'],
    ['a signal', buildCommand('process.kill(process.pid, "SIGKILL")'), 'SIGKILL'],
    [
      'a flood',
      buildCommand('process.stdout.write("x".repeat(1e6))'),
      `the token command of profile prod (${process.execPath}) printed too much for a token`,
    ],
  ])('names %s', async (_, command, words) => {
    const failure = await getFailure(() => runCommand(command))
    expect(failure.category).toBe('auth')
    expect(failure.message).toContain(words)
    expect(failure.message.length).toBeLessThan(600)
  })

  it('is ended when it takes too long', async () => {
    const failure = await getFailure(() =>
      runTokenCommand(buildCommand('setInterval(() => {}, 1000)'), 'personal', 'prod', {
        env,
        limit: 300,
      }),
    )
    expect(failure.message).toContain('did not end')
  })

  it('takes what was printed out of what was said', async () => {
    const script = 'console.log("canary-1"); console.error("bad canary-1!"); process.exit(1)'
    const { message } = await getFailure(() => runCommand(buildCommand(script)))
    expect(message).toContain('exit code 1: bad ***!')
  })

  /** Returns a program that leaves another one running, which keeps standard output open. */
  const leaving = (then: string): string[] =>
    buildCommand(
      `const left = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
       left.unref(); require('fs').writeFileSync(process.argv[1], String(left.pid)); ${then}`,
    ).concat(left)
  let left = ''
  beforeEach(() => {
    left = path.join(createDirectory(), 'pid')
  })
  afterEach(() => {
    if (existsSync(left)) process.kill(Number(readFileSync(left, 'utf8')), 'SIGKILL')
  })

  it('is done when it ends, whatever it leaves running', async () => {
    const { value } = await runCommand(leaving('console.log("abc-1"); process.exit()'))
    expect(value).toBe('abc-1')
  })

  it('that hangs is ended together with the wait for what it started', async () => {
    const command = leaving('process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)')
    const failure = await getFailure(() =>
      runTokenCommand(command, 'personal', 'prod', { env, limit: 500 }),
    )
    expect(failure.message).toContain('did not end')
  })

  it('ends with the run', async () => {
    const controller = new AbortController()
    const waiting = runTokenCommand(
      buildCommand('setInterval(() => {}, 1000)'),
      'personal',
      'prod',
      {
        env,
        signal: controller.signal,
      },
    )
    controller.abort()
    expect((await getFailure(() => waiting)).category).toBe('interrupted')
  })

  it.each([
    ['nothing', ''],
    ['two lines', 'canary\\ncanary\\n'],
    ['words', 'no canary here'],
  ])('that prints %s is refused', async (_, text) => {
    const failure = await getFailure(() =>
      runCommand(buildCommand(`process.stdout.write("${text}")`)),
    )
    expect(failure.category).toBe('auth')
    expect(failure.details.hint).toContain('--token-command')
    expect(JSON.stringify(failure)).not.toContain('canary')
  })

  it('runs once in a session, and again when its token was refused', async () => {
    const services = openServices(createDirectory())
    const command = buildCommand('console.log(process.hrtime.bigint().toString())')
    const changes = { 'base-url': 'https://forge.test', 'token-command': command }
    await services.store.set('prod', { ...changes, 'token-kind': 'oauth' })
    const session = resolveSession({}, {}, services)
    const [one, two] = await Promise.all([session.getCredential(), session.getCredential()])
    expect(one?.kind).toBe('oauth')
    expect(two).toEqual(one)
    const renewed = await session.renew()
    expect(renewed?.value).not.toBe(one?.value)
    expect(await session.getCredential()).toEqual(renewed)
  })
})

describe.skipIf(process.platform === 'win32')('a configuration that others may write', () => {
  it.each(['config.json', '.'])('has no command run (%s)', async (open_) => {
    const directory = createDirectory()
    const services = openServices(directory)
    const made = path.join(directory, 'made')
    const command = buildCommand(
      `require('fs').writeFileSync(${JSON.stringify(made)}, ''); console.log('t')`,
    )
    await services.store.set('prod', {
      'base-url': 'https://prod.test',
      'token-command': JSON.stringify(command),
    })
    const loose = path.join(directory, open_)
    const session = () => resolveSession({}, {}, services)
    chmodSync(loose, 0o777)
    const failure = await getFailure(() => session().getCredential())
    expect([failure.exitCode, existsSync(made)]).toEqual([3, false])
    expect(failure.message).toContain(`other users can write to ${loose}`)
    expect(failure.details.hint).toContain(`chmod go-w ${loose}`)
    chmodSync(loose, 0o700)
    expect((await session().getCredential())?.value).toBe('t')
  })
})
