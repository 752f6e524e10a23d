/** Keys: checked before they are sent, shown whole when they are made. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../support/program.js'
import { createCaller } from './calling.js'

const { server, call, sent } = createCaller()

describe('deploy-keys add', () => {
  const key = `ssh-ed25519 ${Buffer.from([0, 0, 0, 11, ...Buffer.from('ssh-ed25519'), 0, 0, 0, 32, ...Array(32).fill(7)]).toString('base64')}`
  const add = (flags: readonly string[], how = {}) =>
    call(['deploy-keys', 'add', '--title', 'ci', '-P', '3', ...flags], how)

  it('sends a key that it understands: as it stands, from a file, from standard input', async () => {
    const cwd = createFolder()
    writeFileSync(join(cwd, 'ci.pub'), `${key}\n`)
    await add(['--key', key])
    await add(['--key', '@ci.pub', '--can-push'], { cwd })
    await add(['--key', '-'], { input: `${key}\n` })
    const body = { title: 'ci', key }
    expect(sent().map((one) => one.body)).toEqual([body, { ...body, can_push: true }, body])
    expect(sent()[0]?.line).toBe('POST /projects/3/deploy_keys')
  })

  it.each(['ssh-ed25519 AAAA', 'no key', '-----BEGIN OPENSSH PRIVATE KEY-----'])(
    'refuses %j before anything is sent',
    async (text) => {
      expect((await add([`--key=${text}`])).code).toBe(2)
      expect((await add(['--input', '-'], { input: JSON.stringify({ key: text }) })).code).toBe(2)
      expect(server.seen).toEqual([])
    },
  )

  it('leaves a key of --param to the instance', async () => {
    expect((await add(['--param', 'key=anything'])).code).toBe(0)
    expect(sent()[0]?.body).toEqual({ title: 'ci', key: 'anything' })
  })
})

describe('error-tracking keys create', () => {
  it.each(['', ' -o json', ' -o csv'])('shows the collector address whole:%s', async (flags) => {
    const record = { id: 1, active: true, public_key: 'k', errsvc_dsn: 'https://k@errors.test/1' }
    server.answer = () => ({ status: 201, body: record })
    const ran = await call(`error-tracking keys create -P 3${flags}`)
    expect(ran.code).toBe(0)
    expect(ran.stdout).toContain('https://k@errors.test/1')
    expect(sent()).toHaveLength(1)
  })
})

describe('pages-domains add', () => {
  const add = (flags: readonly string[], how = {}) =>
    call(['pages-domains', 'add', 'a.test', '-P', '3', ...flags], how)

  it('sends a domain without certificate as it is', async () => {
    await add(['--auto-ssl-enabled'])
    expect(sent()).toEqual([
      {
        line: 'POST /projects/3/pages/domains',
        body: { domain: 'a.test', auto_ssl_enabled: true },
      },
    ])
  })

  it.each([
    [['--certificate', ''], '--certificate requires a PEM file'],
    [
      ['--certificate', '-----BEGIN CERTIFICATE-----'],
      'must be the name of a PEM file, not its content',
    ],
    [['--certificate', 'missing.pem'], '--certificate: cannot read missing.pem'],
    [['--key', '@missing.pem'], '--key: cannot read missing.pem'],
  ])('refuses %j', async (flags, says) => {
    const ran = await add(flags)
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain(says)
    expect(server.seen).toEqual([])
  })

  it('refuses a file that is no certificate', async () => {
    const cwd = createFolder()
    writeFileSync(join(cwd, 'bad.pem'), 'no certificate')
    expect((await add(['--certificate', 'bad.pem'], { cwd })).code).toBe(2)
    expect(server.seen).toEqual([])
  })
})

describe('pages-domains update', () => {
  const update = (...flags: string[]) =>
    call(['pages-domains', 'update', 'a.test', '-P', '3', ...flags])

  it('removes certificate and key with --no-certificate, when that is confirmed', async () => {
    const unasked = await update('--no-certificate')
    expect(unasked.code).toBe(2)
    expect(unasked.stderr).toContain('The certificate and its key are removed')
    expect(server.seen).toEqual([])
    expect((await update('--no-certificate', '--yes')).code).toBe(0)
    expect(sent()).toEqual([
      { line: 'PUT /projects/3/pages/domains/a.test', body: { certificate: '', key: '' } },
    ])
  })

  it('asks nothing with --curl', async () => {
    const ran = await update('--no-certificate', '--curl')
    expect(ran.code).toBe(0)
    expect(ran.stdout).toContain('/projects/3/pages/domains/a.test')
    expect(server.seen).toEqual([])
  })
})
