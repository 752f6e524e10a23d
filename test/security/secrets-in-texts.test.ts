/** Tests secrets that no name identifies: private keys, values of variables, CI files and addresses in a text. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answerByRoute, createCaller } from '../commands/calling.js'
import { createConfiguration, createFolder } from '../support/program.js'

const { server, call, sent, atTerminal } = createCaller()
const canary = 'c4n4ry'
/** Split, because this is not a key of the repository. */
const dashes = '-----'
const buildPem = (label: string, body = canary): string =>
  `${dashes}BEGIN ${label}${dashes}\n${body}\n${dashes}END ${label}${dashes}\n`
const rsaKey = buildPem('RSA PRIVATE KEY')

/** Texts with a private key, and the text that is left beside the mark. */
const keys = {
  'PKCS 8': [buildPem('PRIVATE KEY'), ''],
  RSA: [rsaKey, ''],
  EC: [buildPem('EC PRIVATE KEY'), ''],
  OpenSSH: [buildPem('OPENSSH PRIVATE KEY'), ''],
  encrypted: [buildPem('ENCRYPTED PRIVATE KEY', `Proc-Type: 4,ENCRYPTED\n\n${canary}`), ''],
  OpenPGP: [buildPem('PGP PRIVATE KEY BLOCK'), ''],
  'SSH 2': [buildPem('SSH2 ENCRYPTED PRIVATE KEY').replaceAll(dashes, '----'), ''],
  'in the middle': [`kept-1 ${rsaKey} kept-2`, 'kept-1 kept-2'],
  'behind an address': [`https://x.test/kept-1 ${rsaKey}`, 'kept-1'],
  'behind a sign of an address': [`kept-1? a@b.test ${rsaKey}`, 'kept-1'],
  'behind quotes and backslashes': [`"kept-1" \\ ${rsaKey}`, 'kept-1'],
  'twice, with a public part between': [
    `${rsaKey}${buildPem('PUBLIC KEY', 'kept-1')}${rsaKey}`,
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

/** Texts that are shown unchanged. */
const harmless = [
  buildPem('CERTIFICATE', 'kept-1'),
  buildPem('PUBLIC KEY', 'kept-2'),
  buildPem('PGP PUBLIC KEY BLOCK', 'kept-3'),
  'kept-4: write PRIVATE KEY in capitals',
  'kept-5: ssh-ed25519 AAAA',
  'kept-6: PRIVATE-TOKEN? a@b.test',
]

const formats = ['json', 'ndjson', 'yaml', 'csv', 'markdown', 'html', 'table']
const findKept = (text: string): readonly string[] => text.match(/kept-\d/g) ?? []

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
    expect(findKept(found.description)).toEqual(findKept(rest))
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
  ]
  it.each(others)('by %s', async (words) => {
    server.answer = () => ({ body: records })
    const { code, stdout, stderr } = await call(words)
    expect([code, `${stdout}${stderr}`]).toEqual([0, expect.not.stringContaining(canary)])
    expect(stdout).toContain('[masked]')
  })
})

/** Returns the text of all files that a run wrote. */
const readFiles = (place: string): string =>
  readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')

describe('a private key that somebody sends', () => {
  const text = `new ${rsaKey}`
  const input = JSON.stringify({ description: text })
  const now = { id: 1, description: `was ${rsaKey}` }
  const writes = [
    ['as a flag', ['runners', 'update', '1', '--description', text]],
    ['as a parameter', ['runners', 'update', '1', '--param', `description=${text}`]],
    ['as a file', ['runners', 'update', '1', '--input', 'input.json']],
    ['as a request', ['api', 'PUT', 'runners/1', '--input', 'input.json']],
    ['to several', ['runners', 'update', '1', '2', '--undo-record', '--description', text]],
  ] as const
  const hows = ['', '-o json', '-vvv', '--dry-run', '--curl']

  it.each(writes)('%s is sent as it is, and nowhere shown or kept', async (_, words) => {
    for (const how of hows) {
      const [cwd, config] = [createFolder(), createConfiguration()]
      const audit = 'default: p\nprofiles:\n  p: { base_url: BASE, audit: true }\n'
      mkdirSync(config, { recursive: true })
      writeFileSync(join(config, 'config.yml'), audit.replace('BASE', server.url))
      server.seen.length = 0
      server.answer = ({ method, body }) => ({ body: method === 'PUT' ? JSON.parse(body) : now })
      const line = [...words, '--yes', ...how.split(' ').filter((word) => word !== '')]
      const env = { SVC_CONFIG_DIR: config }
      writeFileSync(join(cwd, 'input.json'), input)
      const { code, stdout, stderr } = await call(line, { cwd, env })
      writeFileSync(join(cwd, 'input.json'), '')
      expect([how, code, `${stdout}${stderr}`]).toEqual([
        how,
        0,
        expect.not.stringContaining(canary),
      ])
      const isSent = !['--dry-run', '--curl'].includes(how)
      if (isSent) expect(sent()[0]?.body).toEqual({ description: text })
      else expect(sent()).toEqual([])
      expect(`${readFiles(cwd)}${readFiles(config)}`).not.toContain(canary)
    }
  })

  it('is refused in a row, whose values the journal would have', async () => {
    const rows = `id,description\n1,"${text}"\n`
    const line = 'runners update - --row-fields description --yes'
    const { code, stderr } = await call(line, { input: rows })
    expect([code, stderr, sent()]).toEqual([2, expect.not.stringContaining(canary), []])
    expect(stderr).toContain('with --description')
  })

  it('is not kept in an alias', async () => {
    const config = createConfiguration()
    const words = ['alias', 'set', 'note', `runners update 1 --description '${text}'`]
    const { code, stderr } = await call(words, { env: { SVC_CONFIG_DIR: config } })
    expect([code, stderr]).toEqual([2, expect.stringContaining('must not contain a credential')])
    expect(`${stderr}${readFiles(config)}`).not.toContain(canary)
  })

  it('is not written back as its mark by undo', async () => {
    const config = createConfiguration()
    const env = { SVC_CONFIG_DIR: config }
    const runner = { id: 1, description: `was ${rsaKey}`, locked: false }
    server.seen.length = 0
    server.answer = ({ method, body }) => {
      if (method === 'PUT') Object.assign(runner, JSON.parse(body))
      return { body: runner }
    }
    await call('runners update 1 --undo-record --description x --locked --yes', { env })
    const { stdout, stderr } = await call('journal undo last --yes', { env })
    expect(sent().map(({ body }) => body)).toEqual([
      { description: 'x', locked: true },
      { locked: false },
    ])
    expect(`${stdout}${stderr}${readFiles(config)}`).not.toContain(canary)
    expect(stderr).toContain('the journal has no previous values: description')
  })
})

describe('a private key that an instance says', () => {
  const wrong = {
    message: { description: [`is wrong: ${rsaKey} kept-1`, rsaKey.split(`${dashes}END`)[0]] },
  }
  it.each(['', '-o json', '-vvv'])('in an error is masked: %s', async (how) => {
    server.answer = () => ({ status: 400, body: wrong })
    const { code, stdout, stderr } = await call(`runners update 1 --description x ${how}`.trim())
    expect([code, `${stdout}${stderr}`]).toEqual([1, expect.not.stringContaining(canary)])
    expect(stderr).toContain('kept-1')
    if (how === '-o json') expect(() => JSON.parse(stderr)).not.toThrow()
  })

  const lint = [
    '',
    '-o json',
    '-o csv',
    '--merged-yaml',
    '--report junit=x.xml',
    '--report sarif=x.json',
  ]
  it.each(lint)('in a finding of ci lint is masked: %s', async (how) => {
    const cwd = createFolder()
    writeFileSync(join(cwd, 'ci.yml'), 'a: {script: x}\n')
    const errors = [`a: ${rsaKey} kept-1`, `b: ${rsaKey.split(`${dashes}END`)[0]}`]
    server.answer = () => ({
      body: { valid: false, errors, warnings: [], merged_yaml: `kept-1: ${rsaKey}` },
    })
    const { code, stdout, stderr } = await call(`ci lint ci.yml -P a/b ${how}`.trim(), { cwd })
    const all = `${stdout}${stderr}${readFiles(cwd)}`
    expect([code, all]).toEqual([1, expect.not.stringContaining(canary)])
    expect(all).toContain('kept-1')
  })

  it('is masked in a question', async () => {
    server.answer = () => ({ body: { id: 1, title: `kept-1 ${rsaKey}`, key: 'ssh-rsa AAAA' } })
    await atTerminal('deploy-keys delete 1 -P a/b', async (terminal) => {
      const screen = await terminal.until(/\(y\/N\)/)
      expect(screen).toContain('kept-1')
      expect(screen).not.toContain(canary)
      terminal.type('n\r')
      await terminal.until(/ended with/)
    })
  })

  it('is masked in a snapshot', async () => {
    const cwd = createFolder()
    server.answer = () => ({ body: [{ id: 1, description: rsaKey }] })
    const words = ['snapshot', 'runners list --instance', '--to', 'snap']
    expect((await call(words, { cwd })).code).toBe(0)
    expect(readFiles(join(cwd, 'snap'))).toContain('[masked]')
    expect(readFiles(join(cwd, 'snap'))).not.toContain(canary)
  })
})

describe('declared state', () => {
  const settings = { id: 1, after_sign_up_text: `see ${rsaKey}`, default_branch_name: 'kept-1' }
  const runner = { id: 7, description: rsaKey, runner_type: 'instance_type', locked: false }
  const serve = () => {
    server.seen.length = 0
    server.answer = answerByRoute({
      'GET /application/settings': settings,
      'GET /runners/all': [runner],
      'GET /runners/7': runner,
      'GET /user': { id: 1, username: 'root' },
      'GET /version': { version: '14.6.0' },
    })
  }

  it.each(['', '--to all.yml'])('is exported without private keys: %s', async (how) => {
    const cwd = createFolder()
    serve()
    const { code, stdout } = await call(`export settings runners ${how}`.trim(), { cwd })
    const text = `${stdout}${readFiles(cwd)}`
    expect([code, text]).toEqual([0, expect.not.stringContaining(canary)])
    expect(text).toContain('kept-1')
    // Neither a mark that an apply would write, nor one that matches no runner.
    expect(text).not.toContain('[masked]')
    expect(text).toMatch(/match:\s+id: 7/)
  })

  const words = [
    'plan',
    'plan -o json',
    'plan -o markdown',
    'plan --out p.json',
    'plan -vvv',
    'drift',
  ]
  it.each(words)('that has one is shown without it, and never writes a mark: %s', async (line) => {
    const cwd = createFolder()
    serve()
    const declared = { version: 1, site: { settings: { after_sign_up_text: `new ${rsaKey}` } } }
    writeFileSync(join(cwd, 's.yml'), JSON.stringify(declared))
    const { stdout, stderr } = await call(`${line} s.yml --secrets always`, { cwd })
    writeFileSync(join(cwd, 's.yml'), '')
    const all = `${stdout}${stderr}${readFiles(cwd)}`
    expect(all).not.toContain(canary)
    expect(all).toContain('after_sign_up_text')
  })

  it('sends it as it is', async () => {
    const cwd = createFolder()
    serve()
    const declared = { version: 1, site: { settings: { after_sign_up_text: `new ${rsaKey}` } } }
    writeFileSync(join(cwd, 's.yml'), JSON.stringify(declared))
    const { stdout, stderr } = await call('apply s.yml --yes --secrets always', { cwd })
    expect(sent().map(({ body }) => body)).toEqual([declared.site.settings])
    expect(`${stdout}${stderr}`).not.toContain(canary)
  })
})

describe('the values of variables', () => {
  const record = {
    id: 1,
    variables: [
      { key: 'A', value: canary },
      { key: 'B', value: [canary], deep: { value: canary } },
    ],
    nested: [{ variables: { C: { value: canary, description: 'kept-1' } } }],
  }
  const harmlessRecord = {
    value: 'kept-1',
    variables: null,
    list: [{ value: 'kept-2' }],
    deep: { variables: ['kept-3'], value: 'kept-4' },
    after: [{ variables: [] }, { value: 'kept-5' }],
  }
  it.each(formats)('are masked below `variables`: %s', async (format) => {
    const fields = /json|yaml/.test(format) ? '' : ' --fields id,variables,nested'
    for (const verb of ['runners list', 'runners get 1']) {
      server.answer = () => ({ body: verb.endsWith('list') ? [record] : record })
      const { code, stdout } = await call(`${verb} -o ${format}${fields}`)
      expect([code, stdout]).toEqual([0, expect.not.stringContaining(canary)])
      expect(stdout).toContain('masked')
    }
  })

  it('and no value beside them', async () => {
    server.answer = ({ url }) => ({
      body: /runners\/1/.test(url) ? harmlessRecord : [harmlessRecord],
    })
    const list = await call('runners list -o json')
    expect(JSON.parse(list.stdout)).toEqual([harmlessRecord])
    const { stdout, stderr } = await call('runners get 1 -o json -vvv')
    expect(JSON.parse(stdout)).toEqual(harmlessRecord)
    expect(findKept(stderr)).toEqual(findKept(stdout))
  })

  it('are sent as they are, and shown in no trace', async () => {
    const cwd = createFolder()
    server.seen.length = 0
    server.answer = () => ({ body: {} })
    const input = JSON.stringify({ ref: 'main', variables: [{ key: 'A', value: canary }] })
    writeFileSync(join(cwd, 'p.json'), input)
    const line = 'api POST projects/1/pipeline --input p.json --yes'
    const { stderr } = await call(`${line} -vvv`, { cwd })
    const { stdout } = await call(`${line} --curl`, { cwd })
    expect(sent()[0]?.body).toEqual(JSON.parse(input))
    expect(`${stdout}${stderr}`).not.toContain(canary)
  })
})

describe('a trace and a curl command', () => {
  /** A CI file. The parts that must be shown are numbered. */
  const ci = `
variables:
  DEPLOY_TOKEN: ${canary} and ${canary}
  "QUOTED_TOKEN": "${canary}
    ${canary}"
  API_PASSWORD: { value: ${canary} }
  DB_SECRET: |
    ${canary}

    ${canary}
  HOOK_TOKEN:
    value: ${canary}
    description: kept-1
  ALL_TOKENS:
  - ${canary}
  - ${canary}
  REF_TOKEN: $OTHER-kept-2
  KEY_FILE: |
    ${rsaKey.replaceAll('\n', '\n    ')}
job:
  variables: { HUB_TOKEN: ${canary}, "B_TOKEN": "${canary} ${canary}", SAFE: kept-3 }
  rules:
    - variables:
        C_TOKEN: '${canary}'
      when: kept-4
  script:
    - export DB_PASSWORD=${canary}
    - DB_PASSWORD='${canary} ${canary}' run kept-5
    - 'curl --header "PRIVATE-TOKEN: ${canary}" https://x.test/?private_token=${canary}'
    - 'curl -H "Authorization: Bearer ${canary}" https://ana:${canary}@x.test/kept-6'
    - docker build --build-arg TOKEN=${canary} --password ${canary} --token=${canary} kept-7
    - echo '{"token":"${canary}"}' "{\\"token\\":\\"${canary}\\"}" kept-8
    - echo $DEPLOY_TOKEN kept-9
`.replace('$OTHER-kept-2', '$OTHER')
  const shownOfCi = ['1', '3', '4', '5', '6', '7', '8', '9'].map((n) => `kept-${n}`)

  it('show no secret of a CI file, and the rest of it', async () => {
    const cwd = createFolder()
    writeFileSync(join(cwd, 'ci.yml'), ci)
    server.seen.length = 0
    server.answer = ({ body }) => ({
      body: {
        valid: true,
        errors: [],
        warnings: [],
        merged_yaml: JSON.parse(body || '{}').content,
      },
    })
    const traced = await call('ci lint ci.yml -P a/b -vvv', { cwd })
    expect(server.seen.map(({ body }) => JSON.parse(body || '{}').content)).toContain(ci)
    const curl = await call('ci lint ci.yml -P a/b --curl', { cwd })
    const bodies = traced.stderr.split('\n').filter((line) => /^[<>] \{/.test(line))
    expect(bodies).toHaveLength(2)
    for (const text of [...bodies, curl.stdout]) {
      expect(text).not.toContain(canary)
      expect(findKept(text)).toEqual(shownOfCi)
      expect(text).toContain('REF_TOKEN: $OTHER')
    }
  })

  it('show the text of a file that has none as it is', async () => {
    const cwd = createFolder()
    const plain = 'job:\n  image: "a:1"\n  script:\n    - make test token-free=1\n'
    writeFileSync(join(cwd, 'ci.yml'), plain)
    const { stdout } = await call('ci lint ci.yml -P a/b --curl', { cwd })
    expect(stdout).toContain(`'${JSON.stringify({ content: plain })}'`)
  })

  const mentions = [
    `see https://x.test/?private_token=${canary}&a=1`,
    `(https://ana:${canary}@x.test)`,
    `GET /api/v4/user?private_token=${canary} failed`,
    JSON.stringify({ url: `/x?a=1&access_token=${canary}`, token: canary }),
  ]
  it.each(mentions)('show nothing that an answer repeats in a text: %s', async (text) => {
    server.answer = () => ({ body: { id: 1, message: text, deep: [[text]] } })
    const { stderr } = await call('runners get 1 -vvv')
    expect(stderr).not.toContain(canary)
  })

  it('show nothing of a token that stood in the address', async () => {
    const token = `${canary}/${canary}`
    const address = `user?private_token=${encodeURIComponent(token)}&x=1`
    for (const status of [200, 404]) {
      server.answer = ({ url }) => ({
        status,
        body: { message: `${url} failed: no token ${token}` },
      })
      const { stderr } = await call(`api GET ${address} -vvv`)
      expect(stderr).not.toContain(canary)
      expect(stderr).toContain('failed: no token')
    }
  })
})
