/**
 * Tests text from named files, variables, programs and standard input. It may be a secret that was given by mistake, so where it is
 * refused, it appears in no output, report, plan or journal.
 */
import { generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type HeldText, holdText, openHeld } from '../../src/base/secrets/redact.js'
import { usage } from '../../src/errors.js'
import { answerByRoute, createCaller } from '../commands/calling.js'
import { leaf as certificate } from '../sandbox/pem.js'
import { createConfiguration, createFolder } from '../support/program.js'

const { call, server } = createCaller()

const canary = 'hunter2c4n4ry'
/** Parsers quote parts of their input, so a part of the canary counts as well. */
const canaryPart = /unter2c|c4n4/

const secretKey = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
const publicKey = (() => {
  const blob = (text: string | Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(text.length)
    return Buffer.concat([length, Buffer.from(text)])
  }
  const bytes = Buffer.concat([blob('ssh-ed25519'), blob(Buffer.alloc(32, 7))])
  return `ssh-ed25519 ${bytes.toString('base64')} ci`
})()

/** Files that were named by mistake. */
const files = {
  '.env': `SECRET=${canary}\n`,
  'bare.txt': canary,
  'two.pub': `${publicKey}\nSECRET=${canary}\n`,
  'private.pem': `${certificate}${secretKey}# ${canary}\n`,
  'nul.txt': `\0${canary}`,
} as const

const buildDeployKey = (file: string): string =>
  `version: 1\nprojects: {platform/app: {deploy_keys: {a: {key: {file: ${file}}}}}}\n`
const buildPagesDomain = (file: string): string =>
  `version: 1\nprojects: {platform/app: {pages_domains: {a.test: {certificate: {file: ${file}}, key: {env: KEY}}}}}\n`

/** Returns the text of all files below a folder, except for the planted ones. */
const readWritten = (place: string, planted: readonly string[]): string =>
  readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !planted.includes(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')

const run = async (
  words: readonly string[],
  planted: Readonly<Record<string, string>>,
  how: { readonly input?: string; readonly env?: Readonly<Record<string, string>> } = {},
) => {
  const cwd = createFolder()
  const config = createConfiguration()
  for (const [name, text] of Object.entries(planted)) writeFileSync(join(cwd, name), text)
  const ran = await call(words, { ...how, cwd, env: { SVC_CONFIG_DIR: config, ...how.env } })
  const kept = `${readWritten(cwd, Object.keys(planted))}${readWritten(config, ['code'])}`
  return { ...ran, leaks: `${ran.stdout}${ran.stderr}${kept}`.match(canaryPart) }
}

const desiredLines = [
  'plan',
  'apply --yes',
  'drift',
  'drift --report junit=out.xml',
  'plan -o json',
  'plan --out plan.json',
  'plan -vv',
]

describe.each(desiredLines)('%s refuses, and quotes nothing of', (line) => {
  const [verb = '', ...flags] = line.split(' ')
  // The most verbose line is tested with all files, the others with the two that differ most.
  const each = <T>(all: readonly T[]): readonly T[] => (line === 'plan -vv' ? all : all.slice(0, 2))
  const refused = async (declared: string, planted: Readonly<Record<string, string>>) =>
    run([verb, 'svcctl.yml', ...flags], { ...planted, 'svcctl.yml': declared })

  it.each(each(Object.keys(files)))('a file that is no public key: %s', async (name) => {
    const { code, stderr, leaks } = await refused(buildDeployKey(name), files)
    expect([code, leaks]).toEqual([2, null])
    expect(stderr).toMatch(
      name === 'nul.txt'
        ? /svcctl\.yml:2:\d+: nul\.txt: the file is not UTF-8 text/
        : /svcctl\.yml:2:\d+: key must be a public key.*: .* holds a value of/s,
    )
  })

  it.each(each(Object.keys(files)))('a file that holds no certificates: %s', async (name) => {
    const { code, stderr, leaks } = await refused(buildPagesDomain(name), files)
    expect([code, leaks]).toEqual([2, null])
    expect(stderr).toContain(
      name === 'nul.txt'
        ? 'nul.txt: the file is not UTF-8 text'
        : `certificate must be PEM certificates without a private key: ${name}`,
    )
  })

  it('a private key that stands where a public one belongs', async () => {
    const text = `version: 1\nprojects: {platform/app: {deploy_keys: {a: {key: ${canary}}}}}\n`
    const { code, stderr, leaks } = await refused(text, {})
    expect([code, leaks]).toEqual([2, null])
    expect(stderr).toContain('a value of 13 characters is not a valid public key in one line')
  })

  const documents = [
    ['a scalar', `SECRET=${canary}\n`],
    ['a list', `- ${canary}\n`],
    ['a map of other things', `password: ${canary}\nversion: x${canary}\n`],
    ['lines that are a key', `SECRET=${canary}: x\n`],
    ['an alias', `version: 1\nsite: *${canary}\n`],
    ['a tag', `version: !${canary} 1\n`],
    ['a block', `version: |${canary}\n`],
    ['a directive', `%${canary} 1\n---\nversion: 1\n`],
    ['an escape', `version: "\\${canary}"\n`],
    ['broken JSON', `{"SECRET": "${canary}",,}`],
    ['a token too much', `version: 1\n]${canary}\n`],
  ] as const
  it.each(each(documents))('a document that is %s', async (_, text) => {
    const { code, leaks } = await refused(text, {})
    expect([code, leaks]).toEqual([2, null])
  })
})

const lists = ['- x: [', `{"a": ["${canary}"`] as const

/** Texts that are neither attributes nor anything else that a command accepts. */
const broken = {
  ...Object.fromEntries(lists.map((text, i) => [`list-${i}`, text])),
  '.env': `SECRET=${canary}\n`,
  'bare.txt': canary,
  'alias.yml': `a: *${canary}\n`,
  'tag.yml': `a: !foo ${canary}\nb: *c\n`,
  'tags.yml': `- !foo ${canary}\n`,
  'block.yml': `a: |${canary}\n`,
  'token.yml': `a: 1\n]${canary}\n`,
  'escape.yml': `a: "\\${canary}"\n`,
  'bad.json': `{"SECRET": "${canary}",,}`,
  'quotes.json': `{"SECRET": ${canary}`,
  'rows.csv': `id,"${canary}\n1`,
  'lines.ndjson': `{"id": 1}\n{"id": ${canary}\n`,
  'key.yml': `SECRET=${canary}: x\n`,
} as const

/** Lines that read a file or standard input that they do not accept. */
const readers: readonly string[] = [
  'runners update 1 --input FILE',
  'runners update 1 --input FILE --dry-run -vv',
  'runners update 1 2 --undo-record --yes --input FILE -o json',
  'commits create -P a/b --branch main -m x --input FILE',
  'commits create -P a/b --branch main -m x --actions FILE',
  'deploy-keys add -P a/b --title x --key @FILE',
  'pages-domains add a.test -P a/b --certificate FILE --key FILE',
  'vocabulary check FILE',
  'apply FILE --yes',
  'drift FILE',
  'journal show FILE',
  'journal undo FILE --yes',
  'runners pause --resume FILE --yes',
]

describe.each(readers)('%s', (line) => {
  // A map with an unknown name counts as attributes, which are sent.
  const names = Object.keys(broken).filter((name) => name !== 'key.yml' || !line.includes('update'))
  it.each(names)('refuses, and quotes nothing of %s', async (name) => {
    server.answer = () => ({ body: [] })
    const words = line.replaceAll('FILE', `./${name}`).split(' ')
    const { code, stderr, leaks } = await run(words, broken)
    expect([leaks, stderr]).toEqual([null, expect.stringMatching(/./)])
    expect(code).not.toBe(9)
  })
})

/** Lines that read objects or text from standard input. */
const stdinLines = [
  'runners pause - --yes',
  'runners get - -o json',
  'jobs get - -P a/b',
  'runners update - --active --undo-record --yes',
  'runners update 1 --input -',
  'deploy-keys add -P a/b --title x --key -',
  'plan -',
] as const

it.each(stdinLines)('%s quotes nothing of standard input that it refuses', async (line) => {
  server.answer = ({ url }) => ({ body: /runners\?/.test(url) ? [] : { id: 1 } })
  for (const input of Object.values(broken).filter((text) => canaryPart.test(text))) {
    if (line.includes('update 1') && input === broken['key.yml']) continue
    const { code, leaks } = await run(line.split(' '), {}, { input })
    expect([input, code, leaks]).toEqual([input, 2, null])
  }
})

it('certificates go without what stands around them', async () => {
  server.answer = answerByRoute({
    'GET /projects/1/pages': [],
    'GET /projects/': { id: 1, path_with_namespace: 'platform/app' },
    'GET /user': { id: 1, username: 'root' },
  })
  const declared = buildPagesDomain('chain.pem')
  const chain = `SECRET=${canary}\n${certificate}`
  const { code, stdout, stderr, leaks } = await run(
    ['plan', 'svcctl.yml', '-o', 'json'],
    {
      'svcctl.yml': declared,
      'chain.pem': chain,
    },
    { env: { KEY: 'x' } },
  )
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('BEGIN CERTIFICATE')
  expect(leaks).toBeNull()
})

describe('a held text', () => {
  const held: HeldText = holdText(canary)

  it('does not compile where it would be quoted', () => {
    // @ts-expect-error no message
    expect(() => usage(held).message).toThrow(TypeError)
    // @ts-expect-error no part of one
    expect(() => `${held}`).toThrow(TypeError)
  })

  it('is in nothing that is written of it', () => {
    expect([JSON.stringify({ held }), String(held)].join()).not.toMatch(canaryPart)
    expect(openHeld(held)).toBe(canary)
    expect(() => openHeld(Symbol('other'))).toThrow('holds no text')
  })
})
