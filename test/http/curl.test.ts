import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { toCurl } from '../../src/http/request/curl.js'
import type { WireRequest } from '../../src/http/types.js'

const base = 'https://forge.test/sub/'
const buildGet = (path: string, more: Partial<WireRequest> = {}): WireRequest => ({
  method: 'GET',
  path,
  headers: {},
  ...more,
})
const json = { 'content-type': 'application/json' }

/** Returns the words that a shell makes of the command. */
const toShellWords = (command: string, env: Readonly<Record<string, string>> = {}): string[] =>
  execFileSync('/bin/sh', ['-c', command.replace(/^curl/, 'printf "%s\\n"')], { env })
    .toString()
    .split('\n')
    .slice(0, -1)

describe('toCurl', () => {
  it('writes a read with its credential as a variable', () => {
    expect(toCurl(base, buildGet('/runners/7'), 'personal')).toBe(
      'curl --header "PRIVATE-TOKEN: $SVC_TOKEN" https://forge.test/sub/api/v4/runners/7',
    )
  })
  it.each([
    ['oauth', 'Authorization: Bearer t'],
    ['session', 'Cookie: _svc_session=t'],
    ['job', 'JOB-TOKEN: j'],
    ['bearer', 'Authorization: Bearer a'],
    ['basic', ':a'],
  ] as const)('lets the shell put in a credential of kind %s', (kind, expected) => {
    const env = { SVC_TOKEN: 't', SVC_JOB_TOKEN: 'j', SVC_ALERT_KEY: 'a' }
    expect(toShellWords(toCurl(base, buildGet('/x'), kind), env)[1]).toBe(expected)
  })
  it('lets the shell put in what a header by a secret’s name holds', () => {
    const headers = { 'x-auth-token': 'canary-1', 'x-api-key': 'canary-2', 'x-plain': 'p' }
    const command = toCurl(base, buildGet('/x', { headers }))
    expect(command).not.toContain('canary')
    expect(
      toShellWords(command, { X_AUTH_TOKEN: 'a', X_API_KEY: 'b' }).filter((w) => /^x-/.test(w)),
    ).toEqual(['x-auth-token: a', 'x-api-key: b', 'x-plain: p'])
  })
  it('turns globbing off where the address has brackets', () => {
    expect(toCurl(base, buildGet('/issues?iids[]=1&not[labels]=a'))).toBe(
      "curl --globoff 'https://forge.test/sub/api/v4/issues?iids[]=1&not[labels]=a'",
    )
  })
  it('keeps a body byte for byte, whatever is in it', () => {
    const body = JSON.stringify({ description: 'it\'s $HOME `x` \\ "q" @f !' })
    const command = toCurl(
      base,
      { method: 'PUT', path: '/x', headers: json, body },
      'personal',
      "o'b",
    )
    expect(toShellWords(command)).toEqual([
      '--request',
      'PUT',
      '--header',
      'PRIVATE-TOKEN: ',
      '--header',
      "Sudo: o'b",
      '--header',
      'content-type: application/json',
      '--data-raw',
      body,
      'https://forge.test/sub/api/v4/x',
    ])
  })
  it('replaces the secrets of a query by variables', () => {
    const secrets = new Set(['probe', 'a[b]'])
    const path = '/users?probe=s3cr3t&name=x&probe[]=s3cr3t&a%5Bb%5D=s3cr3t&token=s3cr3t&probe='
    const text = toCurl('https://svc.test', { method: 'GET', path, headers: {}, secrets })
    expect(text).not.toContain('s3cr3t')
    expect(text).toContain(`probe='"$PROBE"'&name=x&probe[]='"$PROBE"'&a%5Bb%5D='"$A_B_"'&token=`)
  })

  it('replaces the secrets of a body by variables', () => {
    const body = JSON.stringify({ token: 'canary', info: { version: '1' }, description: "a'b" })
    const command = toCurl(base, {
      method: 'POST',
      path: '/runners',
      headers: json,
      body,
      secrets: new Set(['token']),
    })
    expect(command).not.toContain('canary')
    expect(toShellWords(command, { TOKEN: 'given' })).toContain(
      '{"token":"given","info":{"version":"1"},"description":"a\'b"}',
    )
  })
  it('writes a form with its files by name', () => {
    const request: WireRequest = {
      method: 'POST',
      path: '/x',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: new Uint8Array(),
      parts: [
        { name: 'domain', value: '@x' },
        { name: 'certificate', filename: 'my cert.pem', bytes: new Uint8Array() },
      ],
    }
    expect(toCurl(base, request)).toBe(
      "curl --request POST --form-string domain=@x --form 'certificate=@my cert.pem' https://forge.test/sub/api/v4/x",
    )
  })
  it('never shows a credential that a header carries', () => {
    const request = buildGet('/x', { headers: { Authorization: 'Bearer canary' } })
    const command = toCurl(base, request, 'personal')
    expect(command).toBe(
      'curl --header "Authorization: $SVC_TOKEN" https://forge.test/sub/api/v4/x',
    )
  })
  it('leaves out what curl does by itself', () => {
    const headers = { accept: '*/*', 'accept-encoding': 'identity' }
    expect(toCurl(base, buildGet('/file', { headers }))).toBe(
      'curl https://forge.test/sub/api/v4/file',
    )
  })
  it('writes an absolute address and a HEAD', () => {
    const path = 'https://other.test/notify'
    expect(toCurl(base, { method: 'HEAD', path, absolute: true, headers: {} })).toBe(
      `curl --head ${path}`,
    )
  })
})
