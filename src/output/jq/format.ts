/** Creates the format of `--jq`: it filters the output of JSON or NDJSON, and prints the results. */
import { decodeText } from '../../base/json/values.js'
import { escapeLines } from '../escape.js'
import { open as openJson } from '../json.js'
import type { Format, FormatView, OpenPrinter, Printer, Sink } from '../types.js'
import type { FilteredValues, JqFilter } from './filter.js'

export interface JqOptions {
  /** True to pass all records to the expression as one array. */
  readonly slurp: boolean
  /** Receives the messages of the expression. */
  readonly say: (text: string) => void
}

/** Converts a result: a string to its text, anything else to compact JSON. */
const toText = (line: string): string => (line.startsWith('"') ? String(JSON.parse(line)) : line)

/**
 * Writes the results of a call.
 * @throws Failure that of the expression, after its results
 */
const writeValues = async (
  sink: Sink,
  { lines, said, failure }: FilteredValues,
  view: FormatView,
  say: JqOptions['say'],
): Promise<void> => {
  const text = lines.map((line) => `${toText(line)}\n`).join('')
  if (text !== '')
    await sink.write(view.terminal ? escapeLines(text, view.style) : Buffer.from(text))
  if (said !== '') say(said)
  if (failure !== undefined) throw failure
}

/** Matches half of a surrogate pair without the other half (first group), and all escapes that could contain its text. */
const loneSurrogates = /\\u(?:d[89ab]..\\ud[c-f]..|(d[89a-f]..))|\\[^u]/gi

/** Replaces halves of surrogate pairs in JSON, which jq refuses together with all records around them. */
const replaceLoneSurrogates = (json: string): string =>
  /\\ud[89a-f]/i.test(json)
    ? json.replace(loneSurrogates, (match, lone?: string) =>
        lone === undefined ? match : '\\ufffd',
      )
    : json

/** Opens a JSON printer that writes to memory. */
const openBuffered = (view: FormatView, many: boolean) => {
  const chunks: string[] = []
  const write: Sink['write'] = async (chunk) => {
    chunks.push(typeof chunk === 'string' ? chunk : decodeText(chunk))
  }
  const printer = openJson({ write }, { ...view, many, terminal: false })
  return { printer, read: () => replaceLoneSurrogates(chunks.join('')) }
}

/**
 * Creates the printer that filters records as they arrive. Records that arrive together share one call, because each
 * call compiles the expression.
 */
const createStreamPrinter = (
  sink: Sink,
  view: FormatView,
  filter: JqFilter,
  say: JqOptions['say'],
) => {
  const pass = async (print: (to: Printer) => Promise<void> | undefined): Promise<void> => {
    const { printer, read } = openBuffered(view, true)
    await print(printer)
    await printer.close()
    await writeValues(sink, await filter.filterItems(read()), view, say)
  }
  return {
    bytes: (batch) => pass((to) => to.bytes?.(batch)),
    values: (batch) => pass((to) => to.values(batch)),
    close: async () => {},
  } satisfies Printer
}

/** Creates the printer that filters the complete answer. */
const createWholePrinter = (
  sink: Sink,
  view: FormatView,
  filter: JqFilter,
  { slurp, say }: JqOptions,
): Printer => {
  const { printer, read } = openBuffered(view, view.many || slurp)
  return {
    ...printer,
    close: async () => {
      await printer.close()
      await writeValues(sink, await filter.filterWhole(read()), view, say)
    },
  }
}

/**
 * Creates a format that filters the output of another one. It accepts documents as well, because they are filtered like
 * records.
 */
export const createJqFormat = (format: Format, filter: JqFilter, options: JqOptions): Format => {
  const isStream = format.lists !== true && !options.slurp
  const open: OpenPrinter = (sink, view) =>
    isStream
      ? createStreamPrinter(sink, view, filter, options.say)
      : createWholePrinter(sink, view, filter, options)
  return { ...format, nests: true, load: async () => open }
}
