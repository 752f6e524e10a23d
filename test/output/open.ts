/** Writes records in a format and gives what came out. */
import type { FieldMatch, Records } from '../../src/base/json/records.js'
import { documentedWords } from '../../src/catalogue/words.js'
import { KeyMatcher, Splitter } from '../../src/http/lists/splitter.js'
import { formats, getFormat } from '../../src/output/formats.js'
import { openWriter } from '../../src/output/index.js'
import type { AnswerView, Sink, Writer } from '../../src/output/types.js'
import { createStyle } from '../../src/terminal/style.js'

/** The formats that show whole records; those that show one thing of each are held by the laws. */
export const wholeFormats: readonly string[] = formats
  .filter(({ shows }) => shows === undefined)
  .map(({ name }) => name)

const now = new Date('2026-05-01T12:00:00Z')

interface Options extends Partial<AnswerView> {
  readonly secrets?: ReadonlySet<string>
  readonly showSecrets?: boolean
}

/** A view as commands make it; a pipe unless the options say otherwise. */
const viewOf = async (options: Partial<AnswerView>): Promise<AnswerView> => {
  const { terminal = false, width = 80, color = false } = options
  const style = await createStyle(
    { isTTY: terminal, columns: width },
    { TERM: 'xterm', FORCE_HYPERLINK: '0' },
    color ? 'always' : 'never',
  )
  return { many: true, naming: documentedWords, terminal, width, color, now, style, ...options }
}

/** A writer as commands open it, secrets hidden unless the options say otherwise. */
export const opened = async (
  format: string,
  sink: Sink,
  options: Options = {},
): Promise<Writer> => {
  const { secrets = new Set(), showSecrets = false, ...view } = options
  const hidden = showSecrets ? 'nothing' : secrets
  return openWriter(getFormat(format), sink, await viewOf(view), hidden)
}

export const collector = (): Sink & { text(): string; chunks: string[] } => {
  const chunks: string[] = []
  return {
    chunks,
    text: () => chunks.join(''),
    write: async (chunk) => {
      chunks.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'))
    },
  }
}

export const bytes = (json: string): Uint8Array => new TextEncoder().encode(json)

/** Records as a list gives them: in the memory that they came in, which was cut at these places. */
export const listed = (
  records: readonly string[],
  match?: FieldMatch,
  places: readonly number[] = [],
): readonly Records[] => {
  const list = bytes(`[${records.join(',')}]`)
  const cuts = [...new Set(places.map((place) => place % list.length))].toSorted((a, b) => a - b)
  const splitter = new Splitter(new KeyMatcher(match))
  return [0, ...cuts].map((from, i) => splitter.push(list.slice(from, cuts[i])))
}

/** The whole output for records given as JSON texts, as the instance would send them. */
export const written = async (
  format: string,
  records: readonly string[],
  options: Options = {},
): Promise<string> => {
  const sink = collector()
  const writer = await opened(format, sink, options)
  await writer.raw(records.map(bytes))
  await writer.close()
  return sink.text()
}

/** The same for values. */
export const shown = (
  format: string,
  values: readonly unknown[],
  options: Options = {},
): Promise<string> =>
  written(
    format,
    values.map((value) => JSON.stringify(value)),
    options,
  )
