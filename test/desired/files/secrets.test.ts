/** Tests the sources of secrets, and which other files a file may name. */
import { createHash } from 'node:crypto'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openHeld } from '../../../src/base/secrets/redact.js'
import { readFiles } from '../../../src/desired/files/index.js'
import { readBeside, resolveBeside } from '../../../src/desired/files/secret.js'
import type { DesiredValue } from '../../../src/desired/state.js'
import {
  findItem,
  findMistakes,
  getRefusal,
  type ReadOptions,
  readText,
  writeFolder,
} from './reading.js'

const buildChat = (webhook: string): string =>
  `projects: {platform/app: {integrations: {chat: {family: chat-webhook, webhook: ${webhook}}}}}`

const readSecretSource = async (
  webhook: string,
  how: ReadOptions = {},
): Promise<DesiredValue | undefined> => {
  const item = findItem(
    await readText(buildChat(webhook), how),
    'platform/app:integrations',
    'chat',
  )
  return item.attributes.get('webhook')?.value
}
const createSecret = (source: unknown): unknown => ({ is: 'secret', source })
const getLiteral = (value: DesiredValue | undefined): string | undefined =>
  value?.is === 'secret' && 'literal' in value.source ? openHeld(value.source.literal) : undefined
const stdinBase = { base: 'standard input', within: '.' } as const

describe('a secret', () => {
  it.each([
    ['{env: CHAT_WEBHOOK}', { env: 'CHAT_WEBHOOK' }],
    ['env:CHAT_WEBHOOK', { env: 'CHAT_WEBHOOK' }],
    ['{file: secrets/hook}', { file: 'secrets/hook', ...stdinBase }],
    ["'@secrets/hook'", { file: 'secrets/hook', ...stdinBase }],
  ])('comes from %s', async (text, source) => {
    expect(await readSecretSource(text)).toEqual(createSecret(source))
  })

  it.each([
    ['{command: [pass, show, chat]}', ['pass', 'show', 'chat']],
    [`'command:["pass","show chat"]'`, ['pass', 'show chat']],
  ])('comes from a command where commands are allowed: %s', async (text, command) => {
    expect(await readSecretSource(text, { allowCommands: true })).toEqual(createSecret({ command }))
    expect(await findMistakes(buildChat(text))).toEqual([
      expect.stringMatching(/^1:\d+: webhook comes from a command, and commands are not allowed$/),
      'To run commands, pass --allow-commands.',
    ])
  })

  it('stands in a file only where that is allowed, and is never shown', async () => {
    for (const text of [
      'hunter2',
      "'hunter2'",
      '20022002',
      '[hunter2]',
      '{hunter2: x}',
      '{env: hunter-2}',
    ]) {
      const lines = await findMistakes(buildChat(text))
      expect(lines[0]).toMatch(/^1:\d+: /)
      expect(lines.join()).not.toMatch(/hunter|2002/)
    }
    expect(await findMistakes(buildChat('hunter2'))).toEqual([
      expect.stringMatching(/^1:\d+: secrets cannot be written in files$/),
      expect.stringContaining('{env: NAME}'),
    ])
    for (const text of ['hunter2', '007'])
      expect(getLiteral(await readSecretSource(text, { allowLiteralSecrets: true }))).toBe(text)
  })

  it.each(['SVC_TOKEN', 'SVC_JOB_TOKEN', 'CI_JOB_TOKEN', 'SVC_ALERT_KEY'])(
    'is never the credential of the tool: %s',
    async (name) => {
      expect((await findMistakes(buildChat(`{env: ${name}}`)))[0]).toContain(
        `${name} is a credential of svcctl`,
      )
    },
  )

  it.each([
    ['{envv: X}', 'this key is not allowed here', 'Did you mean env?'],
    ['{env: X, file: y}', 'webhook must have at most 1 key', 'Use {env: NAME}, {file: path}'],
    ['{}', 'webhook must not be empty', 'Use {env: NAME}, {file: path}'],
    ['[a]', 'webhook must be a map or text, not a list'],
    ['{env: 1X}', 'a value of 2 characters is not a valid name of an environment variable'],
    ['{env: [X]}', 'env must be text, not a list'],
    ['{env: null}', 'env must be text, not nothing'],
    ['{env: true}', 'env must be text, not a boolean'],
    ['{file: null}', 'file must be text, not nothing'],
    ["{file: ''}", 'file must not be empty'],
    ['{file: "a\\0b"}', 'this is not a path'],
    ['{command: pass}', 'command must be a list, not text'],
    ['{command: []}', 'command must have at least 1 item'],
    ['{command: [pass, [x]]}', 'an item of command must be text, not a list'],
    ["'command:pass'", 'command must be a list'],
    ["'command:[1]'", 'command must be a list'],
    ['null', 'webhook cannot be unset: the family chat-webhook requires it'],
  ])('says nothing by %s', async (text, mistake, hint = '') => {
    const lines = await findMistakes(buildChat(text), { allowCommands: true })
    expect(lines[0]).toMatch(/^1:\d+: /)
    expect(lines[0]).toContain(mistake)
    expect(lines.join()).toContain(hint)
  })

  it('is taken away by nothing, where it may be', async () => {
    const text = 'site: {settings: {spamsvc_api_key: null}}'
    const item = findItem(await readText(text), 'site:settings', '')
    expect(getLiteral(item.attributes.get('spamsvc_api_key')?.value)).toBe('')
  })

  it('is nothing that other attributes could say', async () => {
    const text =
      'projects: {platform/app: {integrations: {emails-on-push: {recipients: env:HOME}}}}'
    const item = findItem(await readText(text), 'platform/app:integrations', 'emails-on-push')
    expect(item.attributes.get('recipients')?.value).toEqual({ is: 'value', value: 'env:HOME' })
    const within = 'site: {settings: {made_up: {token: abc}}}'
    expect((await findMistakes(within))[0]).toContain('made_up contains a secret')
    const map = 'site: {settings: {after_sign_up_text: {env: HOME}}}'
    expect((await findMistakes(map))[0]).toContain('after_sign_up_text must be text, not a map')
  })
})

const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
const buildDomain = (certificate: string): string =>
  `version: 1\nprojects: {platform/app: {pages_domains: {x.test: {certificate: ${certificate}}}}}`
const readStdin = async (): Promise<string> => ''

describe('a file that a file names', () => {
  it('lies beside it, and is read where it is no secret', async () => {
    const cwd = writeFolder({
      'in/below/a.yml': buildDomain('{file: ../certs/x.pem}'),
      'in/certs/x.pem': pem,
    })
    const state = await readFiles(['in'], { cwd, stdin: readStdin })
    const item = findItem(state, 'platform/app:pages_domains', 'x.test')
    expect(item.attributes.get('certificate')?.value).toEqual({ is: 'value', value: pem.trimEnd() })
    expect(state.files.slice(1)).toEqual([
      { path: 'in/certs/x.pem', sha256: createHash('sha256').update(pem).digest('hex') },
    ])
  })

  it.each([
    ['../out.pem'],
    ['/etc/hostname'],
    ['link.pem'],
    ['linked/out.pem'],
    ['linked/new/out.pem'],
  ])('lies in the folder that was given, links resolved: not %s', async (file) => {
    const cwd = writeFolder({
      'in/a.yml': buildDomain(`{file: ${file}}`),
      'in/b.yml': `version: 1\n${buildChat(`{file: ${file}}`)}`,
      'out.pem': pem,
    })
    symlinkSync(join(cwd, 'out.pem'), join(cwd, 'in/link.pem'))
    symlinkSync(cwd, join(cwd, 'in/linked'))
    const lines = await getRefusal(readFiles(['in'], { cwd, stdin: readStdin }))
    expect(lines).toEqual([
      expect.stringContaining(`${file}: the file is outside the given folder`),
      expect.stringContaining(`${file}: the file is outside the given folder`),
    ])
    expect(lines.map((line) => line.slice(0, 8))).toEqual(['in/a.yml', 'in/b.yml'])
    const secretOnly = readFiles(['in/b.yml'], { cwd, stdin: readStdin, allowOutside: true })
    const item = findItem(await secretOnly, 'platform/app:integrations', 'chat')
    expect(item.attributes.get('webhook')?.value).toEqual(createSecret({ file, base: 'in/b.yml' }))
  })

  it('need not be there where it is a secret, and must be there where it is none', async () => {
    const cwd = writeFolder({ 'a.yml': buildDomain('{file: gone/x.pem}') })
    expect((await getRefusal(readFiles(['a.yml'], { cwd, stdin: readStdin })))[0]).toMatch(
      /^a\.yml:2:\d+: gone\/x\.pem: no such file or directory$/,
    )
    expect(await readSecretSource('{file: gone/x}')).toEqual(
      createSecret({ file: 'gone/x', ...stdinBase }),
    )
  })

  it('holds what its attribute takes', async () => {
    const cwd = writeFolder({ 'a.yml': buildDomain('{file: x.pem}'), 'x.pem': 'no certificate' })
    expect((await getRefusal(readFiles(['a.yml'], { cwd, stdin: readStdin })))[0]).toContain(
      'certificate must be PEM certificates without a private key: x.pem holds a value of 14 characters',
    )
  })

  it('is looked at again where it is read', () => {
    const cwd = writeFolder({ 'in/secret': 'x', out: 'y' })
    const source = { file: 'secret', base: 'in/a.yml', within: 'in' }
    expect(openHeld(readBeside(source, cwd))).toBe('x')
    symlinkSync(join(cwd, 'out'), join(cwd, 'in/moved'))
    expect(() => resolveBeside({ ...source, file: 'moved' }, cwd)).toThrow('outside')
  })
})
