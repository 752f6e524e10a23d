/** The output formats: a row each. */
import { usage } from '../errors.js'
import type { Format, Sink, View, Writer } from './types.js'

/** People's format, which is in force unless another was asked for. */
export const table: Format = {
  name: 'table',
  summary: 'aligned columns on a terminal, tab-separated values elsewhere',
  reader: 'people',
  separator: '\n',
  load: async () => (await import('./table.js')).open,
}

/** The format of documents where the one asked for has nothing but rows. */
const json: Format = {
  name: 'json',
  summary: "the API's own objects; lists as one array",
  reader: 'programs',
  json: true,
  nests: true,
  lists: true,
  load: async () => (await import('./json.js')).open,
}

export const formats: readonly Format[] = [
  table,
  json,
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
    summary: 'one JSON object a line, each as it arrives',
    reader: 'programs',
    json: true,
    load: async () => (await import('./ndjson.js')).open,
  },
  {
    name: 'csv',
    summary: 'comma-separated values with a header (RFC 4180), safe for spreadsheets',
    reader: 'sheets',
    load: async () => (await import('./csv.js')).open,
  },
]

export const formatNames: readonly string[] = formats.map((format) => format.name)

/**
 * A format by its name.
 * @throws Failure usage, when there is no such format
 */
export const formatNamed = (name: string): Format => {
  const format = formats.find((one) => one.name === name)
  if (format !== undefined) return format
  throw usage(`there is no output format "${name}"; there are ${formatNames.join(', ')}`)
}

/** Whether a format has failures as JSON; false for names of none. */
export const failsInJson = (name: string | undefined): boolean =>
  formats.some((format) => format.name === name && format.json === true)

/**
 * Whether people see this view in a way of their own in this format. Only then is the answer held
 * until it is whole.
 */
const shapedFor = ({ reader }: Format, { people, terminal, fields }: View): boolean => {
  if (people === undefined) return false
  if (reader === 'sheets') return people.sheets === true
  const paged = people.page !== undefined && terminal && fields === undefined
  return reader === 'people' && (paged || people.rows !== undefined)
}

/** Starts an answer: records or one object, in this format, as the view says. */
export const openWriter = async (format: Format, sink: Sink, view: View): Promise<Writer> => {
  const open = await format.load()
  if (!shapedFor(format, view)) return open(sink, view)
  const { openForPeople } = await import('./people.js')
  return openForPeople(open, sink, view)
}

/** Starts a document, which has no rows: JSON where the format cannot hold it. */
export const openDocument = (format: Format, sink: Sink, view: View): Promise<Writer> =>
  openWriter(format.nests === true ? format : json, sink, view)
