/** The output formats: a row each. */
import { usage } from '../errors.js'
import type { Format, Sink, View, Writer } from './types.js'

export const formats: readonly Format[] = [
  {
    name: 'table',
    summary: 'aligned columns on a terminal, tab-separated values elsewhere',
    load: async () => (await import('./table.js')).open,
  },
  {
    name: 'json',
    summary: "the API's own objects; lists as one array",
    load: async () => (await import('./json.js')).open,
  },
  {
    name: 'yaml',
    summary: "the API's own objects as YAML",
    load: async () => (await import('./yaml.js')).open,
  },
  {
    name: 'ndjson',
    summary: 'one JSON object a line, each as it arrives',
    load: async () => (await import('./ndjson.js')).open,
  },
  {
    name: 'csv',
    summary: 'comma-separated values with a header (RFC 4180), safe for spreadsheets',
    load: async () => (await import('./csv.js')).open,
  },
]

export const formatNames: readonly string[] = formats.map((format) => format.name)

/**
 * Opens a format by name.
 * @throws Failure usage, when there is no such format
 */
export const openWriter = async (name: string, sink: Sink, view: View): Promise<Writer> => {
  const format = formats.find((f) => f.name === name)
  if (format === undefined)
    throw usage(`no output format "${name}"`, `Formats are ${formatNames.join(', ')}.`)
  return (await format.load())(sink, view)
}
