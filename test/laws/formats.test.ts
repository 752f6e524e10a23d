/** Laws that every registered output format keeps. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatNames } from '../../src/catalogue/formats.js'
import type { People } from '../../src/catalogue/views.js'
import { formats, getFormat } from '../../src/output/formats.js'
import type { AnswerView } from '../../src/output/types.js'
import { createCollector, openTestWriter, splitList, toBytes } from '../output/open.js'

const room = 'src/output'
/** Declarations of the functions that open an answer in a format, found by their type. */
const openers = readdirSync(room)
  .filter((name) => name.endsWith('.ts'))
  .flatMap(
    (name) =>
      readFileSync(join(room, name), 'utf8').match(/^export const open\w*: OpenPrinter/gm) ?? [],
  )

/** Removes the comments of a source text. */
const removeComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')

it('they are all registered, a row each', () => {
  expect(openers.length).toBeGreaterThanOrEqual(8)
  // The format `wide` is a table.
  const written = formats.filter(({ name }) => name !== 'wide')
  expect(written, 'add a row for the new format to src/output/formats.ts').toHaveLength(
    openers.length,
  )
  expect(new Set(formatNames).size).toBe(formats.length)
})

it('none of them makes text visible by itself: one file does', () => {
  const all = readdirSync(room, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const naming = all.filter((name) =>
    /\bvisible\b/.test(removeComments(readFileSync(join(room, name), 'utf8'))),
  )
  expect(naming.sort(), 'use shown() or shownLines() of escape.ts instead of visible()').toEqual([
    'escape.ts',
    'types.ts',
  ])
})

const canary = 'c4n4ry'
const number = 90_210_473
const secrets = new Set(['token', 'runners_token', 'pin'])

/** Records with secrets, as the instance sends them. */
const secretRecords: Readonly<Record<string, string>> = {
  declared: `{"id":1,"token":"${canary}"}`,
  'declared, but a number': `{"id":1,"pin":${number},"n":[{"pin":${number}.50}]}`,
  'declared, but an object': `{"id":1,"token":{"a":[1,{"value":"${canary}"}]}}`,
  'declared, but a list': `{"id":1,"token":["${canary}",["${canary}"]]}`,
  guessed: `{"id":1,"hub_api_key":"${canary}","watchDSN":"${canary}","web-hub-webhook":"${canary}"}`,
  'guessed, in a list': `{"id":1,"access_token":["${canary}",["${canary}"]]}`,
  nested: `{"id":1,"a":{"b":{"token":"${canary}","Signing_Key":"${canary}"}}}`,
  'nested in lists': `{"id":1,"list":[[{"runners_token":"${canary}"}],{"x.password":"${canary}"}]}`,
  'with white space': `{ "id" : 1 ,\n "token" :\t"${canary}" }`,
  'under an escaped name': `{"id":1,"to\\u006ben":"${canary}","x\\u002dtoken":"${canary}"}`,
  'under a long name': `{"id":1,"${'x'.repeat(300)}_token":"${canary}"}`,
  'behind a quote': `{"id":1,"a":"\\"token\\":","token":"${canary}\\"${canary}"}`,
  'beside large numbers': `{"id":12345678901234567890,"token":"${canary}","n":1.0}`,
}
const paths = [
  'id',
  'token',
  'token.a.1.value',
  'token.0',
  'pin',
  'n.pin',
  'hub_api_key',
  'access_token.0',
]
const more = [
  'a',
  'a.b.token',
  'a.b.Signing_Key',
  'list',
  'list.runners_token',
  'x_token',
  'key_token',
]

/** All combinations of terminal, list, columns and fields. */
const views: readonly Partial<AnswerView>[] = [true, false].flatMap((terminal) =>
  [true, false].flatMap((many) => [
    { terminal, many },
    { terminal, many, columns: [...paths, ...more] },
    { terminal, many, fields: [...paths, ...more] },
  ]),
)

interface PrintOptions {
  readonly hidden?: ReadonlySet<string>
  readonly cut?: boolean
  readonly parsed?: boolean
}

/** Returns the view once, or once for each field if the format shows one field at a time. */
const listViews = (
  format: string,
  records: readonly string[],
  view: Partial<AnswerView>,
): readonly Partial<AnswerView>[] => {
  if (getFormat(format).shows === undefined) return [view]
  const keys = records.flatMap((record) => Object.keys(JSON.parse(record)))
  const all = new Set(view.fields ?? view.columns ?? keys)
  const { columns: _, many: __, ...rest } = view
  return [...all].map((field) => ({ ...rest, fields: [field], names: [field, 'id', 'name'] }))
}

/** Prints records in a format, passed to the writer in one of several ways. */
const printRecords = async (
  format: string,
  records: readonly string[],
  view: Partial<AnswerView>,
  way: PrintOptions,
): Promise<string> => {
  const texts: string[] = []
  for (const one of listViews(format, records, view)) {
    // For formats that show one field, most views are equal, so their outputs are cached.
    const known =
      'computedFields' in one || 'people' in one
        ? undefined
        : JSON.stringify([format, records, one, way, [...(way.hidden ?? [])]])
    const text = outputs.get(known) ?? (await printOnce(format, records, one, way))
    if (known !== undefined) outputs.set(known, text)
    texts.push(text)
  }
  return texts.join('')
}
const outputs = new Map<string | undefined, string>()

const printOnce = async (
  format: string,
  records: readonly string[],
  view: Partial<AnswerView>,
  { hidden, cut = false, parsed = false }: PrintOptions,
): Promise<string> => {
  const sink = createCollector()
  const hide = hidden === undefined ? { showSecrets: true } : { secrets: hidden }
  const writer = await openTestWriter(format, sink, { ...view, ...hide, width: 4000 })
  if (parsed) for (const record of records) await writer.record(JSON.parse(record))
  else if (cut) for (const batch of splitList(records, writer.watch)) await writer.raw(batch)
  else await writer.raw(records.map(toBytes))
  await writer.close()
  return sink.text()
}

/** True if an output contains a secret. Digits may be grouped or cut, but not that many. */
const hasSecret = (text: string): boolean => text.includes(canary) || text.includes(String(number))

describe.each(formatNames)('%s', (format) => {
  it.each(Object.entries(secretRecords))('masks a secret %s', async (_, record) => {
    const other = '{"id":7,"name":"other"}'
    for (const view of views)
      for (const way of [{}, { cut: true }, { parsed: true }]) {
        const records = view.many === true ? [other, record, other] : [record]
        const text = await printRecords(format, records, view, { ...way, hidden: secrets })
        expect(
          [view, way, hasSecret(text), text],
          'the format must write what the masking stage hands it, and read no record around it',
        ).toEqual([view, way, false, text])
        expect(text).toMatch(/1/)
      }
  })

  it('masks what is made under a secret’s name, and what lies within a secret', async () => {
    const made = { spare_token: () => canary, shown: (record: unknown) => JSON.stringify(record) }
    const record = `{"id":1,"token":{"value":"${canary}"},"a_token":{"text":"${canary}"}}`
    const fields = ['spare_token', 'shown', 'token.value', 'a_token.text']
    const text = await printRecords(format, [record], { made, fields }, { hidden: secrets })
    // Below a name that only looks secret, values inside an object are masked only if they are selected.
    const rest = text.replaceAll('&quot;', '"').replace(/\{\\*"+id.*?\}\\*\}/, '')
    expect(rest).not.toContain(canary)
    expect(rest.split('[masked]')).toHaveLength(4)
  })

  it('masks the rows that people see, and hands no secret to who makes them', async () => {
    const seen: unknown[] = []
    const keep = (records: readonly unknown[]): readonly unknown[] => {
      seen.push(...records)
      return records
    }
    const people: People = {
      rows: (records) => [...keep(records), { id: 1, token: canary }],
      page: (records) => keep(records).map((record) => JSON.stringify(record)),
      sheets: true,
    }
    for (const terminal of [true, false]) {
      const record = `{"id":1,"token":"${canary}"}`
      const text = await printRecords(format, [record], { people, terminal }, { hidden: secrets })
      expect(
        hasSecret(text + JSON.stringify(seen)),
        'mask records before "rows" and "page" see them, and what they make after',
      ).toBe(false)
      expect(text).toContain('1')
    }
  })

  it('shows secrets whole where they are asked for', async () => {
    for (const view of views)
      for (const way of [{}, { parsed: true }]) {
        const text = await printRecords(format, [`{"id":1,"token":"${canary}"}`], view, way)
        expect(
          [view, way, hasSecret(text)],
          '--show-secrets must lift both kinds of masking',
        ).toEqual([view, way, true])
      }
  })

  const numbers = ['9007199254740993', '12345678901234567890', '1e400', '1.0', '-0', '0.1000', '-5']
  it('prints every number as it came', async () => {
    const record = `{${numbers.map((text, i) => `"n${i}":${text}`).join(',')},"token":"${canary}"}`
    const columns = numbers.map((_, i) => `n${i}`)
    for (const hidden of [secrets, undefined])
      for (const terminal of [true, false])
        for (const view of [{ many: true, columns }, { many: false }, { fields: columns }]) {
          const way = hidden === undefined ? {} : { hidden }
          const text = await printRecords(format, [record], { terminal, ...view }, way)
          for (const number of numbers)
            expect(
              text.split(/[\s,:{}[\]<>]+/),
              `print numbers by their text (Exact), not by their value: ${number} in ${text}`,
            ).toContain(number)
        }
  })

  const hostile = [
    ...['\u0000', '\u0007', '\u0008', '\u001b[31m', '\u001b]52;c;x\u0007', '\u007f', '\u009b2J'],
    ...['\u202e', '\u2066', '\u200f', '\ufeff', '\u2028', '\r', '\u200b', '\u2063', '\u{e0041}'],
  ]
  /** Characters that a terminal obeys, and characters that a text file must not contain. */
  const obeyed =
    /(?![\n\t])[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u
  const binary = /(?![\n\t\u007f-\u009f])\p{Cc}/u
  /** Each text alone, and all of them together in records that are shown by columns. */
  const texts: readonly (readonly [string, readonly Partial<AnswerView>[]])[] = [
    ...hostile.map((text) => [text, [{ many: true }, { many: false }]] as const),
    [hostile.join('a'), []],
  ]
  it.each(texts)('makes %j visible, wherever it stands', async (text, alone) => {
    const dirty = `a${text}b`
    const record = JSON.stringify({
      name: dirty,
      [dirty]: 1,
      status: dirty,
      web_url: `https://x/${dirty}`,
      list: [dirty, { name: dirty, [dirty]: dirty }],
      deep: { a: { b: { c: { d: { e: { [dirty]: dirty } } } } } },
      lines: `${dirty}\n${dirty}\n`,
      // A format that shows one field at a time parses the record for each field, so one text is enough to test a long value.
      long: dirty.repeat(
        getFormat(format).shows === undefined && text === hostile[0] ? 20_000 : 200,
      ),
    })
    const columns = ['name', dirty, 'status', 'web_url', 'list', 'deep', 'lines', 'long']
    for (const terminal of [true, false])
      for (const view of alone.length > 0 ? alone : [{ columns }, { fields: columns }]) {
        const out = await printRecords(format, [record], { terminal, ...view }, { hidden: secrets })
        const pattern = terminal ? obeyed : binary
        expect(
          pattern.exec(out)?.[0],
          `pass this text through shown() before it is written: ${terminal} ${JSON.stringify(view)}`,
        ).toBeUndefined()
        expect(out).toContain('a')
      }
  })

  it('makes a page of a command visible, but for its lines, and colours that others put in, too', async () => {
    const page = [`\u001b[1mbold\u001b[22m\n`, ...hostile.map((text) => `a${text}b\n`)]
    const people: People = { page: () => page }
    const out = await printRecords(format, ['{"id":1}'], { people, terminal: true }, {})
    expect(obeyed.exec(out)?.[0], 'pass the page through shownPage()').toBeUndefined()
    if (formats.find(({ name }) => name === format)?.reader === 'people')
      expect(out.split('\n')).toHaveLength(page.length + 1)
  })

  it('is not whole before it is closed, or says nothing of an end', async () => {
    const sink = createCollector()
    const [view] = listViews(format, ['{"id":1}'], {})
    const writer = await openTestWriter(format, sink, view)
    await writer.raw([toBytes('{"id":1}'), toBytes('{"id":2}')])
    await writer.abandon()
    const begun = sink.text()
    await writer.close()
    const end = sink.text().slice(begun.length)
    expect(begun).toMatch(/1.*2/s)
    // If a format has no end, the output ends with a whole record; the exit code and a note tell the rest.
    expect(
      end !== '' || /\n$/.test(begun),
      'abandon() must leave the answer open, or end it with a whole record',
    ).toBe(true)
  })
})
