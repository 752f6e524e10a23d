import { describe, expect, it } from 'vitest'
import { formatNamed, openWriter } from '../../src/output/index.js'
import { bytes, collector, shown, viewOf, written } from './open.js'

const secrets = new Set(['token', 'runners_token'])
const record = { id: 1, token: 's3cr3t', nested: [{ token: 's3cr3t', name: 'x' }], note: '"token"' }
const formats = ['table', 'json', 'yaml', 'ndjson', 'csv']

describe('secret fields', () => {
  it.each(formats)('are masked in %s, on a terminal and off it', async (format) => {
    for (const terminal of [true, false])
      for (const many of [true, false])
        for (const fields of [undefined, ['id', 'token', 'nested', 'nested.token']]) {
          const text = await shown(format, [record], {
            secrets,
            terminal,
            many,
            ...(fields === undefined ? {} : { fields }),
          })
          expect(text).not.toContain('s3cr3t')
          expect(text).toContain('1')
        }
  })
  it.each(formats)('are whole in %s when asked for', async (format) => {
    const text = await shown(format, [record], { secrets, showSecrets: true, many: false })
    expect(text).toContain('s3cr3t')
  })
  it('keep the rest byte for byte', async () => {
    expect(
      await written(
        'ndjson',
        ['{"id":12345678901234567890,"token":"s3","note":"\\"token\\"","x":1.0}'],
        { secrets },
      ),
    ).toBe('{"id":12345678901234567890,"token":"[masked]","note":"\\"token\\"","x":1.0}\n')
  })
  it('are masked whatever their type, but for those that are not set', async () => {
    const text = '{"token":{"a":[1,{"b":2}]},"b":[{"token":12}],"runners_token":null,"c":1}'
    expect(await written('ndjson', [text], { secrets })).toBe(
      '{"token":"[masked]","b":[{"token":"[masked]"}],"runners_token":null,"c":1}\n',
    )
    expect(await written('json', ['{"token":"","x":"token"}'], { secrets, many: false })).toBe(
      '{"token":"","x":"token"}\n',
    )
  })
  it('are told from text that looks like them', async () => {
    const text =
      '{"a":"\\"token\\": \\"x\\"","b":["token"],"x\\"token":"v","token":"s\\"3","c":"é"}'
    expect(await written('ndjson', [text], { secrets })).toBe(
      `${text.replace('"s\\"3"', '"[masked]"')}\n`,
    )
  })
  it('are found under a name that is spelt with escapes', async () => {
    const text = '{"to\\u006ben":"s3cr3t"}'
    expect(await written('ndjson', [text], { secrets })).not.toContain('s3cr3t')
  })
  it.each(['json', 'ndjson'])('are masked in %s when their records are told of', async (format) => {
    const sink = collector()
    const writer = await openWriter(formatNamed(format), sink, await viewOf({ secrets }))
    const watch = writer.watch?.()
    expect(watch?.names).toBe(secrets)
    const told = bytes('{"token":"s3cr3t"}')
    watch?.tell(told)
    await writer.raw([bytes('{"id":1}'), told])
    await writer.raw([bytes('{"id":2}')])
    await writer.close()
    expect(sink.text()).not.toContain('s3cr3t')
    expect(sink.text()).toMatch(/"id":1.*"\[masked\]".*"id":2/s)
  })
  it('are not looked for where they are shown', async () => {
    const writer = await openWriter(
      formatNamed('ndjson'),
      collector(),
      await viewOf({ secrets, showSecrets: true }),
    )
    expect(writer.watch?.()).toBeUndefined()
  })
})
