/** Laws over the output formats: whatever is registered is held to them, under whatever name. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatNames } from '../../src/catalogue/formats.js'
import type { People } from '../../src/catalogue/views.js'
import { formats, getFormat } from '../../src/output/formats.js'
import type { AnswerView } from '../../src/output/types.js'
import { bytes, collector, listed, opened } from '../output/open.js'

const room = 'src/output'
/** The functions that open an answer in a format, by the type that they have. */
const openers = readdirSync(room)
  .filter((name) => name.endsWith('.ts'))
  .flatMap(
    (name) =>
      readFileSync(join(room, name), 'utf8').match(/^export const open\w*: OpenPrinter/gm) ?? [],
  )

/** What a file says beside its comments. */
const code = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')

it('they are all registered, a row each', () => {
  expect(openers.length).toBeGreaterThanOrEqual(8)
  // A wide table is a table.
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
    /\bvisible\b/.test(code(readFileSync(join(room, name), 'utf8'))),
  )
  expect(naming.sort(), 'use shown() or shownLines() of escape.ts instead of visible()').toEqual([
    'escape.ts',
    'types.ts',
  ])
})

const canary = 'c4n4ry'
const number = 90_210_473
const secrets = new Set(['token', 'runners_token', 'pin'])

/** Records that hold secrets, as they come. */
const holding: Readonly<Record<string, string>> = {
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

/** Every way to see an answer. */
const views: readonly Partial<AnswerView>[] = [true, false].flatMap((terminal) =>
  [true, false].flatMap((many) => [
    { terminal, many },
    { terminal, many, columns: [...paths, ...more] },
    { terminal, many, fields: [...paths, ...more] },
  ]),
)

interface Way {
  readonly hidden?: ReadonlySet<string>
  readonly cut?: boolean
  readonly parsed?: boolean
}

/** The view, as often as a format that shows one thing needs to show all of it. */
const viewsOf = (
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

/** What a format writes of records, in one of the ways that they are handed to it. */
const printed = async (
  format: string,
  records: readonly string[],
  view: Partial<AnswerView>,
  way: Way,
): Promise<string> => {
  const texts: string[] = []
  for (const one of viewsOf(format, records, view)) {
    // Formats that show one thing see no difference between most views.
    const known =
      'computedFields' in one || 'people' in one
        ? undefined
        : JSON.stringify([format, records, one, way, [...(way.hidden ?? [])]])
    const text = seen.get(known) ?? (await printedOnce(format, records, one, way))
    if (known !== undefined) seen.set(known, text)
    texts.push(text)
  }
  return texts.join('')
}
const seen = new Map<string | undefined, string>()

const printedOnce = async (
  format: string,
  records: readonly string[],
  view: Partial<AnswerView>,
  { hidden, cut = false, parsed = false }: Way,
): Promise<string> => {
  const sink = collector()
  const hide = hidden === undefined ? { showSecrets: true } : { secrets: hidden }
  const writer = await opened(format, sink, { ...view, ...hide, width: 4000 })
  if (parsed) for (const record of records) await writer.record(JSON.parse(record))
  else if (cut) for (const batch of listed(records, writer.watch)) await writer.raw(batch)
  else await writer.raw(records.map(bytes))
  await writer.close()
  return sink.text()
}

/** The secrets in an output; digits may be grouped or cut off, but not so many. */
const leaks = (text: string): boolean => text.includes(canary) || text.includes(String(number))

describe.each(formatNames)('%s', (format) => {
  it.each(Object.entries(holding))('masks a secret %s', async (_, record) => {
    const other = '{"id":7,"name":"other"}'
    for (const view of views)
      for (const way of [{}, { cut: true }, { parsed: true }]) {
        const records = view.many === true ? [other, record, other] : [record]
        const text = await printed(format, records, view, { ...way, hidden: secrets })
        expect(
          [view, way, leaks(text), text],
          'the format must write what the masking stage hands it, and read no record around it',
        ).toEqual([view, way, false, text])
        expect(text).toMatch(/1/)
      }
  })

  it('masks what is made under a secret’s name, and what lies within a secret', async () => {
    const made = { spare_token: () => canary, shown: (record: unknown) => JSON.stringify(record) }
    const record = `{"id":1,"token":{"value":"${canary}"},"a_token":{"text":"${canary}"}}`
    const fields = ['spare_token', 'shown', 'token.value', 'a_token.text']
    const text = await printed(format, [record], { made, fields }, { hidden: secrets })
    // What is within an object under a name that only looks so is no secret but where it is asked for.
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
      const text = await printed(format, [record], { people, terminal }, { hidden: secrets })
      expect(
        leaks(text + JSON.stringify(seen)),
        'mask records before "rows" and "page" see them, and what they make after',
      ).toBe(false)
      expect(text).toContain('1')
    }
  })

  it('shows secrets whole where they are asked for', async () => {
    for (const view of views)
      for (const way of [{}, { parsed: true }]) {
        const text = await printed(format, [`{"id":1,"token":"${canary}"}`], view, way)
        expect([view, way, leaks(text)], '--show-secrets must lift both kinds of masking').toEqual([
          view,
          way,
          true,
        ])
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
          const text = await printed(format, [record], { terminal, ...view }, way)
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
  /** What a terminal obeys, and what no file of text holds. */
  const obeyed =
    /(?![\n\t])[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u
  const binary = /(?![\n\t\u007f-\u009f])\p{Cc}/u
  /** Alone, and all of them where a record is shown by its columns. */
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
      // What shows one field a time parses the record as often as there are fields; one text shows what a length does.
      long: dirty.repeat(
        getFormat(format).shows === undefined && text === hostile[0] ? 20_000 : 200,
      ),
    })
    const columns = ['name', dirty, 'status', 'web_url', 'list', 'deep', 'lines', 'long']
    for (const terminal of [true, false])
      for (const view of alone.length > 0 ? alone : [{ columns }, { fields: columns }]) {
        const out = await printed(format, [record], { terminal, ...view }, { hidden: secrets })
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
    const out = await printed(format, ['{"id":1}'], { people, terminal: true }, {})
    expect(obeyed.exec(out)?.[0], 'pass the page through shownPage()').toBeUndefined()
    if (formats.find(({ name }) => name === format)?.reader === 'people')
      expect(out.split('\n')).toHaveLength(page.length + 1)
  })

  it('is not whole before it is closed, or says nothing of an end', async () => {
    const sink = collector()
    const [view] = viewsOf(format, ['{"id":1}'], {})
    const writer = await opened(format, sink, view)
    await writer.raw([bytes('{"id":1}'), bytes('{"id":2}')])
    await writer.abandon()
    const begun = sink.text()
    await writer.close()
    const end = sink.text().slice(begun.length)
    expect(begun).toMatch(/1.*2/s)
    // Where the end is nothing, what came ends with a record: the exit code and the note say the rest.
    expect(
      end !== '' || /\n$/.test(begun),
      'abandon() must leave the answer open, or end it with a whole record',
    ).toBe(true)
  })
})
