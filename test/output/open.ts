/** Writes records in a format and returns the output. */
import type { FieldMatch, Records } from '../../src/base/json/records.js'
import { documentedWords } from '../../src/catalogue/words.js'
import { KeyMatcher, Splitter } from '../../src/http/lists/splitter.js'
import { formats, getFormat } from '../../src/output/formats.js'
import { openWriter } from '../../src/output/index.js'
import type { AnswerView, Sink, Writer } from '../../src/output/types.js'
import { createStyle } from '../../src/terminal/style.js'

/** Formats that show whole records. The laws test the formats that show one field of each record. */
export const wholeFormats: readonly string[] = formats
  .filter(({ shows }) => shows === undefined)
  .map(({ name }) => name)

const now = new Date('2026-05-01T12:00:00Z')

interface WriterOptions extends Partial<AnswerView> {
  readonly secrets?: ReadonlySet<string>
  readonly showSecrets?: boolean
}

/** Creates a view as commands do; for a pipe unless the options say otherwise. */
const createView = async (options: Partial<AnswerView>): Promise<AnswerView> => {
  const { terminal = false, width = 80, color = false } = options
  const style = await createStyle(
    { isTTY: terminal, columns: width },
    { TERM: 'xterm', FORCE_HYPERLINK: '0' },
    color ? 'always' : 'never',
  )
  const printedAt = new Date()
  const common = { many: true, naming: documentedWords, now, printedAt, style }
  return { ...common, terminal, width, color, ...options }
}

/** Opens a writer as commands do. Secrets are hidden unless the options say otherwise. */
export const openTestWriter = async (
  format: string,
  sink: Sink,
  options: WriterOptions = {},
): Promise<Writer> => {
  const { secrets = new Set(), showSecrets = false, ...view } = options
  const hidden = showSecrets ? 'nothing' : secrets
  return openWriter(getFormat(format), sink, await createView(view), hidden)
}

export const createCollector = (): Sink & { text(): string; chunks: string[] } => {
  const chunks: string[] = []
  return {
    chunks,
    text: () => chunks.join(''),
    write: async (chunk) => {
      chunks.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'))
    },
  }
}

export const toBytes = (json: string): Uint8Array => new TextEncoder().encode(json)

/** Returns records as a list does: in the memory in which they arrived, cut at these places. */
export const splitList = (
  records: readonly string[],
  match?: FieldMatch,
  places: readonly number[] = [],
): readonly Records[] => {
  const list = toBytes(`[${records.join(',')}]`)
  const cuts = [...new Set(places.map((place) => place % list.length))].toSorted((a, b) => a - b)
  const splitter = new Splitter(new KeyMatcher(match))
  return [0, ...cuts].map((from, i) => splitter.push(list.slice(from, cuts[i])))
}

/** Returns the whole output for records that are given as JSON texts, as the instance would send them. */
export const writeRecords = async (
  format: string,
  records: readonly string[],
  options: WriterOptions = {},
): Promise<string> => {
  const sink = createCollector()
  const writer = await openTestWriter(format, sink, options)
  await writer.raw(records.map(toBytes))
  await writer.close()
  return sink.text()
}

/** Returns the whole output for values. */
export const printValues = (
  format: string,
  values: readonly unknown[],
  options: WriterOptions = {},
): Promise<string> =>
  writeRecords(
    format,
    values.map((value) => JSON.stringify(value)),
    options,
  )
