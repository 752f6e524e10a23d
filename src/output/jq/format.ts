/** `--jq`: the format that filters what JSON and NDJSON would print, and prints what comes out. */
import { decodeText } from '../../base/json/values.js'
import { escapeLines } from '../escape.js'
import { open as openJson } from '../json.js'
import type { Format, FormatView, OpenPrinter, Printer, Sink } from '../types.js'
import type { FilteredValues, JqFilter } from './filter.js'

export interface JqOptions {
  /** True if the expression gets all records as one array. */
  readonly slurp: boolean
  /** Takes what the expression writes for people. */
  readonly say: (text: string) => void
}

/** Converts a value that came out: a string as it is, anything else as compact JSON. */
const toText = (line: string): string => (line.startsWith('"') ? String(JSON.parse(line)) : line)

/** Writes the values of an answer, then fails if the expression failed. */
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

/** Opens a printer of JSON whose text is kept. */
const openKept = (view: FormatView, many: boolean) => {
  const chunks: string[] = []
  const write: Sink['write'] = async (chunk) => {
    chunks.push(typeof chunk === 'string' ? chunk : decodeText(chunk))
  }
  const printer = openJson({ write }, { ...view, many, terminal: false })
  return { printer, read: () => chunks.join('') }
}

/** Creates the printer that filters records as they arrive: all that arrive together in one call, since each call compiles the expression. */
const createStream = (sink: Sink, view: FormatView, filter: JqFilter, say: JqOptions['say']) => {
  const pass = async (print: (to: Printer) => Promise<void> | undefined): Promise<void> => {
    const { printer, read } = openKept(view, true)
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

/** Creates the printer that filters the answer when it is whole. */
const createWhole = (
  sink: Sink,
  view: FormatView,
  filter: JqFilter,
  { slurp, say }: JqOptions,
): Printer => {
  const { printer, read } = openKept(view, view.many || slurp)
  return {
    ...printer,
    close: async () => {
      await printer.close()
      await writeValues(sink, await filter.filterWhole(read()), view, say)
    },
  }
}

/** Returns a format that filters what this one would print. It holds documents as well, since they are filtered like any record. */
export const createJqFormat = (format: Format, filter: JqFilter, options: JqOptions): Format => {
  const isStream = format.lists !== true && !options.slurp
  const open: OpenPrinter = (sink, view) =>
    isStream
      ? createStream(sink, view, filter, options.say)
      : createWhole(sink, view, filter, options)
  return { ...format, nests: true, load: async () => open }
}
