/** The output formats: a row each. Each is loaded when an answer is written in it. */
import { usage } from '../errors.js'
import type { Format } from './types.js'

const json = () => import('./json.js')
const html = () => import('./html.js')
const lines = () => import('./lines.js')

/** People's format, which is in force unless another was asked for. */
export const tableFormat: Format = {
  name: 'table',
  summary: 'aligned columns on a terminal, tab-separated values elsewhere',
  reader: 'people',
  separator: '\n',
  load: async () => (await import('./table.js')).open,
}

/** The format of documents where the one asked for has nothing but rows. */
export const jsonFormat: Format = {
  name: 'json',
  summary: "the API's own objects; lists as one array",
  reader: 'programs',
  json: true,
  nests: true,
  lists: true,
  load: async () => (await json()).open,
}

export const formats: readonly Format[] = [
  tableFormat,
  jsonFormat,
  {
    name: 'yaml',
    summary: "the API's own objects as YAML",
    reader: 'programs',
    nests: true,
    separator: '---\n',
    load: async () => (await import('./yaml.js')).open,
  },
  {
    name: 'ndjson',
    summary: 'one JSON object per line, as it arrives',
    reader: 'programs',
    json: true,
    load: async () => (await json()).openNdjson,
  },
  {
    name: 'csv',
    summary: 'comma-separated values with a header (RFC 4180), safe for spreadsheets',
    reader: 'sheets',
    load: async () => (await import('./csv.js')).open,
  },
  {
    name: 'markdown',
    summary: 'a Markdown table, with mentions and links in data disabled',
    reader: 'sheets',
    separator: '\n',
    load: async () => (await import('./markdown.js')).open,
  },
  {
    name: 'html',
    summary: 'a self-contained page to sort, filter and print; use --to or --open',
    reader: 'pages',
    page: async () => (await html()).endPage,
    load: async () => (await html()).open,
  },
  {
    name: 'value',
    summary: 'the values of the field in --fields, one per line',
    reader: 'sheets',
    shows: 'field',
    load: async () => (await lines()).openValues,
  },
  {
    name: 'id',
    summary: 'object IDs for other commands, one per line',
    reader: 'sheets',
    shows: 'names',
    load: async () => (await lines()).openIds,
  },
]

export const formatNames: readonly string[] = formats.map((format) => format.name)

/**
 * A format by its name.
 * @param source what names it, in words, where that is no flag
 * @throws Failure usage, when there is no such format
 */
export const formatNamed = (name: string, source = `"${name}"`): Format => {
  const format = formats.find((one) => one.name === name)
  if (format !== undefined) return format
  throw usage(`unknown output format ${source}; available: ${formatNames.join(', ')}`)
}
