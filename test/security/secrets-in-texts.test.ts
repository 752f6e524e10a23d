/** Secrets that no name tells: private keys, the values of variables, CI files and addresses that a text mentions. */

import { describe, expect, it } from 'vitest'
import { calling } from '../commands/calling.js'

const { server, call } = calling()
const canary = 'c4n4ry'
/** Not in one piece, since it is none of this repository. */
const dashes = '-----'
const lines = (label: string, body = canary): string =>
  `${dashes}BEGIN ${label}${dashes}\n${body}\n${dashes}END ${label}${dashes}\n`
const rsaKey = lines('RSA PRIVATE KEY')

/** Texts with a private key, each with what is left of it beside the mark. */
const keys = {
  'PKCS 8': [lines('PRIVATE KEY'), ''],
  RSA: [rsaKey, ''],
  EC: [lines('EC PRIVATE KEY'), ''],
  OpenSSH: [lines('OPENSSH PRIVATE KEY'), ''],
  encrypted: [lines('ENCRYPTED PRIVATE KEY', `Proc-Type: 4,ENCRYPTED\n\n${canary}`), ''],
  OpenPGP: [lines('PGP PRIVATE KEY BLOCK'), ''],
  'SSH 2': [lines('SSH2 ENCRYPTED PRIVATE KEY').replaceAll(dashes, '----'), ''],
  'in the middle': [`kept-1 ${rsaKey} kept-2`, 'kept-1 kept-2'],
  'behind an address': [`https://x.test/kept-1 ${rsaKey}`, 'kept-1'],
  'behind a sign of an address': [`kept-1? a@b.test ${rsaKey}`, 'kept-1'],
  'behind quotes and backslashes': [`"kept-1" \\ ${rsaKey}`, 'kept-1'],
  'twice, with a public part between': [
    `${rsaKey}${lines('PUBLIC KEY', 'kept-1')}${rsaKey}`,
    'kept-1',
  ],
  'with other line ends': [rsaKey.replaceAll('\n', '\r\n'), ''],
  'in one line': [rsaKey.replaceAll('\n', ' '), ''],
  'with escaped line ends': [rsaKey.replaceAll('\n', '\\n'), ''],
  'with line ends escaped twice': [rsaKey.replaceAll('\n', '\\\\n'), ''],
  'as JSON in a text': [JSON.stringify({ a: rsaKey }), ''],
  'percent-encoded': [encodeURIComponent(rsaKey), ''],
  'percent-encoded with its dashes': [encodeURIComponent(rsaKey).replaceAll('-', '%2D'), ''],
  'as a form has it': [new URLSearchParams({ a: rsaKey }).toString(), ''],
  'cut off': [`kept-1 ${rsaKey.split(`${dashes}END`)[0]}`, 'kept-1'],
  'cut off in its last line': [`kept-1 ${rsaKey.slice(0, -20)}`, 'kept-1'],
} as const

/** Texts that are shown as they are. */
const harmless = [
  lines('CERTIFICATE', 'kept-1'),
  lines('PUBLIC KEY', 'kept-2'),
  lines('PGP PUBLIC KEY BLOCK', 'kept-3'),
  'kept-4: write PRIVATE KEY in capitals',
  'kept-5: ssh-ed25519 AAAA',
  'kept-6: PRIVATE-TOKEN? a@b.test',
]

const formats = ['json', 'ndjson', 'yaml', 'csv', 'markdown', 'html', 'table']
const known = (text: string): readonly string[] => text.match(/kept-\d/g) ?? []

describe('a private key is masked by its content', () => {
  const records = Object.values(keys).map(([text], id) => ({
    id,
    description: text,
    deep: [{ note: [text] }],
  }))
  const line = (format: string, verb: string): string =>
    `${verb} -o ${format}${/json|yaml/.test(format) ? '' : ' --fields id,description,deep'}`

  it.each(formats)('in the records of a list, and in an object: %s', async (format) => {
    for (const verb of ['runners list', 'runners get 1']) {
      server.answer = () => ({
        body: verb.endsWith('list') ? records : { id: 1, records, ...records[7] },
      })
      const { code, stdout } = await call(line(format, verb))
      expect([code, stdout]).toEqual([0, expect.not.stringContaining(canary)])
      expect(stdout).toContain('[masked]')
      const shown = await call(`${line(format, verb)} --show-secrets`)
      expect(shown.stdout).toContain(canary)
    }
  })

  it.each(Object.entries(keys))('%s, and nothing else of its text', async (_, [text, rest]) => {
    server.answer = () => ({ body: [{ id: 1, description: text }] })
    const [found] = JSON.parse((await call('runners list -o json')).stdout)
    expect(found.description).toContain('[masked]')
    expect(found.description).not.toContain(canary)
    expect(known(found.description)).toEqual(known(rest))
  })

  it.each(harmless)('and a text like %j is not', async (text) => {
    const body = `[ {"id":1.0, "description":${JSON.stringify(text)}} ]`
    server.answer = () => ({ body })
    const [found] = JSON.parse((await call('runners list -o json')).stdout)
    expect(found.description).toBe(text)
  })

  const others = [
    'runners list --group-by description',
    'runners list --group-by description -o json',
    'runners list --fields description -o csv',
    'runners list --where description~PRIVATE -o json',
    'runners list --sort description -o json',
    'api GET runners',
    'api GET runners --jq .[].description',
    'overview -P a/b',
  ]
  it.each(others)('by %s', async (words) => {
    server.answer = () => ({ body: records })
    const { stdout, stderr } = await call(words)
    expect(`${stdout}${stderr}`).not.toContain(canary)
  })
})
