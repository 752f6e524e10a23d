import { describe, expect, it } from 'vitest'
import { isObject } from '../../src/base/objects.js'
import { isSecretName } from '../../src/base/secrets/names.js'
import { getSecretFields } from '../../src/catalogue/fields.js'
import { areas } from '../../src/catalogue/index.js'
import {
  createCollector,
  openTestWriter,
  printValues,
  splitList,
  wholeFormats,
  writeRecords,
} from './open.js'

const secrets = new Set(['token', 'runners_token'])
const record = { id: 1, token: 's3cr3t', nested: [{ token: 's3cr3t', name: 'x' }], note: '"token"' }

describe('secret fields', () => {
  it.each(wholeFormats)('are masked in %s, on a terminal and off it', async (format) => {
    for (const terminal of [true, false])
      for (const many of [true, false])
        for (const fields of [undefined, ['id', 'token', 'nested', 'nested.token']]) {
          const text = await printValues(format, [record], {
            secrets,
            terminal,
            many,
            ...(fields === undefined ? {} : { fields }),
          })
          expect(text).not.toContain('s3cr3t')
          expect(text).toContain('1')
        }
  })
  it.each(wholeFormats)('are whole in %s when asked for', async (format) => {
    const text = await printValues(format, [record], { secrets, showSecrets: true, many: false })
    expect(text).toContain('s3cr3t')
  })
  it('keep the rest byte for byte', async () => {
    expect(
      await writeRecords(
        'ndjson',
        ['{"id":12345678901234567890,"token":"s3","note":"\\"token\\"","x":1.0}'],
        { secrets },
      ),
    ).toBe('{"id":12345678901234567890,"token":"[masked]","note":"\\"token\\"","x":1.0}\n')
  })
  it('are masked whatever their type, but for those that are not set', async () => {
    const text = '{"token":{"a":[1,{"b":2}]},"b":[{"token":12}],"runners_token":null,"c":1}'
    expect(await writeRecords('ndjson', [text], { secrets })).toBe(
      '{"token":"[masked]","b":[{"token":"[masked]"}],"runners_token":null,"c":1}\n',
    )
    expect(await writeRecords('json', ['{"token":"","x":"token"}'], { secrets, many: false })).toBe(
      '{"token":"","x":"token"}\n',
    )
  })
  it('are told from text that looks like them', async () => {
    const text =
      '{"a":"\\"token\\": \\"x\\"","b":["token"],"x\\"token":"v","token":"s\\"3","c":"é"}'
    expect(await writeRecords('ndjson', [text], { secrets })).toBe(
      `${text.replace('"s\\"3"', '"[masked]"')}\n`,
    )
  })
  it('are found under a name that is spelt with escapes', async () => {
    const text = '{"to\\u006ben":"s3cr3t"}'
    expect(await writeRecords('ndjson', [text], { secrets })).not.toContain('s3cr3t')
  })
  it.each(wholeFormats)(
    'are masked in %s where they were found as a list was cut',
    async (format) => {
      for (let at = 0; at < 40; at++) {
        const sink = createCollector()
        const writer = await openTestWriter(format, sink, { secrets })
        expect(writer.watch?.endings).toEqual(expect.arrayContaining([...secrets, 'password']))
        const texts = ['{"id":1}', '{"token":"s3cr3t"}', '{"id":2}']
        for (const batch of splitList(texts, writer.watch, [at])) await writer.raw(batch)
        await writer.close()
        expect(sink.text()).not.toContain('s3cr3t')
        if (format.includes('json')) expect(sink.text()).toMatch(/"id":1.*"\[masked\]".*"id":2/s)
      }
    },
  )
  it('are found in a list that was cut to look for other names', async () => {
    const sink = createCollector()
    const writer = await openTestWriter('ndjson', sink, { secrets })
    const other = { endings: ['id'] }
    for (const batch of splitList(['{"token":"s3cr3t"}', '{"id":2}'], other))
      await writer.raw(batch)
    expect(sink.text()).toBe('{"token":"[masked]"}\n{"id":2}\n')
  })
  it('are not looked for where they are shown', async () => {
    const writer = await openTestWriter('ndjson', createCollector(), { secrets, showSecrets: true })
    expect(writer.watch).toBeUndefined()
  })
})

describe('fields whose names say that they are secret', () => {
  const none: ReadonlySet<string> = new Set()
  const canary = 'c4n4ry'
  const named = {
    id: 1,
    hub_api_key: canary,
    watchDSN: canary,
    'web-hub-webhook': canary,
    Signing_Key: canary,
    nested: [{ clientKey: canary, 'x.password': canary }],
    access_token: [canary, canary],
    ends: 'en',
  }
  it('knows the formats', () => {
    expect(wholeFormats.length).toBeGreaterThanOrEqual(5)
  })
  it.each(wholeFormats)('are masked in %s, whole or field by field', async (format) => {
    for (const terminal of [true, false])
      for (const many of [true, false])
        for (const fields of [
          undefined,
          ['id', 'hub_api_key', 'watchDSN', 'nested', 'nested.clientKey', 'access_token.0'],
        ]) {
          const text = await printValues(format, [named], {
            secrets: none,
            terminal,
            many,
            ...(fields === undefined ? {} : { fields }),
          })
          expect(text).not.toContain(canary)
          expect(text).toContain('1')
        }
  })
  it.each(wholeFormats)('are whole in %s when asked for', async (format) => {
    const text = await printValues(format, [named], {
      secrets: none,
      showSecrets: true,
      many: false,
    })
    expect(text).toContain(canary)
  })
  it('stay as they are where they hold no text, byte for byte', async () => {
    const text =
      '{"feed_token":true,"a_token":null,"b_token":"","c_token":12.50,"d_token":{"id":1},"e_token":[1,[]],"token_prefix":"x"}'
    expect(await writeRecords('ndjson', [text], { secrets: none })).toBe(`${text}\n`)
  })
  it.each([
    ['that is long', `${'x'.repeat(300)}_token`],
    ['with a needless escape', 'x\\/y_token'],
    ['with an escaped quote', 'x\\"_token'],
    ['whose words an escape parts', 'x\\u002dtoken'],
    ['whose last words it parts', 'api\\u002ekey'],
  ])('are masked under a name %s', async (_, name) => {
    const text = `{"id":1,"${name}":"${canary}","z":1.0}`
    for (const format of ['json', 'ndjson'])
      expect(await writeRecords(format, [text], { secrets: none })).toContain(
        `"${name}":"[masked]","z":1.0`,
      )
  })
  it('are masked within lists, and objects keep their own names', async () => {
    expect(
      await writeRecords(
        'ndjson',
        ['{"a_token":["s",["s"],{"x":"kept","y_secret":"s"}],"z":"s"}'],
        {
          secrets: none,
        },
      ),
    ).toBe('{"a_token":["[masked]",["[masked]"],{"x":"kept","y_secret":"[masked]"}],"z":"s"}\n')
  })
})

describe('what the name of a secret is', () => {
  it.each([
    'password',
    'db_password',
    'apiKey',
    'APIKey',
    'x-api-key',
    'a.private_key',
    'RUNNERS_TOKEN',
    'apikey',
    'smtp_pass',
    'passphrase',
    'wifiPsk',
    'kubeconfig',
    'ci-job-jwt',
    'user_key',
    'service_account_key',
    'google_service_account_file_json',
    'azure_connection_string_primary',
    'dbConnectionString',
  ])('%s is one', (name) => {
    expect(isSecretName(name)).toBe(true)
  })
  it.each([
    'key',
    'public_key',
    'token_expires_at',
    'password_authentication_enabled_for_web',
    'bypass',
    'monkey',
    'broken',
    'reason',
    'service_account_file_name',
    'connection',
    '',
  ])('%s is none', (name) => {
    expect(isSecretName(name)).toBe(false)
  })
})

describe('the catalogue', () => {
  it('declares every text whose name is a secret’s, also one that may be null', async () => {
    const undeclared: string[] = []
    let fields = 0
    const visit = (schema: unknown, declared: ReadonlySet<string>, where: string): void => {
      if (typeof schema !== 'object' || schema === null) return
      if (isObject(schema) && isObject(schema.properties))
        for (const [name, field] of Object.entries(schema.properties)) {
          fields += 1
          const texts = JSON.stringify(field).includes('"type":"string"')
          if (texts && isSecretName(name) && !declared.has(name))
            undeclared.push(`${where} ${name}`)
        }
      for (const inner of Object.values(schema)) visit(inner, declared, where)
    }
    for (const area of areas)
      for (const endpoint of Object.values(await area.load()))
        visit(endpoint.returns.shape, getSecretFields(endpoint), endpoint.route)
    expect(undeclared).toEqual([])
    expect(fields).toBeGreaterThan(500)
  })
})
