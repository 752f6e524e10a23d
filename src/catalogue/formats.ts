/** The output formats as the rest of the tool sees them: a row each. `output/formats.ts` has what writes them. */
import { usage } from '../errors.js'
import type { Reader } from './views.js'

export interface FormatTraits {
  readonly name: string
  readonly summary: string
  readonly reader: Reader
  /** Nothing but the fields that were asked for, or what objects are called (`View.names`). */
  readonly shows?: 'fields' | 'names'
  /** Failures are JSON as well. */
  readonly json?: true
  /** Holds objects inside of objects, as a document needs. */
  readonly nests?: true
  /** An answer that is one list is passed on as it came; elsewhere its items are the records. */
  readonly lists?: true
  /** The text that separates two answers (--watch), where the format itself does not. */
  readonly separator?: string
  /** True for a page that a browser shows, never a terminal. */
  readonly isPage?: true
}

/** The formats, the usual one first: it is in force unless another was asked for. */
export const formatTraits = [
  {
    name: 'table',
    summary: 'aligned columns; without -o, tab-separated values in a pipe or a file',
    reader: 'people',
    separator: '\n',
  },
  {
    name: 'wide',
    summary: 'a table with more columns',
    reader: 'people',
    separator: '\n',
  },
  {
    name: 'json',
    summary: "the API's own objects; lists as one array",
    reader: 'programs',
    json: true,
    nests: true,
    lists: true,
  },
  {
    name: 'yaml',
    summary: "the API's own objects as YAML",
    reader: 'programs',
    nests: true,
    separator: '---\n',
  },
  {
    name: 'ndjson',
    summary: 'one JSON object per line, as it arrives',
    reader: 'programs',
    json: true,
  },
  {
    name: 'csv',
    summary: 'comma-separated values with a header (RFC 4180), safe for spreadsheets',
    reader: 'sheets',
  },
  {
    name: 'markdown',
    summary: 'a Markdown table, with mentions and links in data disabled',
    reader: 'sheets',
    separator: '\n',
  },
  {
    name: 'html',
    summary: 'a self-contained page to sort, filter and print; use --to or --open',
    reader: 'pages',
    isPage: true,
  },
  {
    name: 'value',
    summary: 'the values of the fields in --fields, one record per line',
    reader: 'sheets',
    shows: 'fields',
  },
  {
    name: 'id',
    summary: 'object IDs for other commands, one per line',
    reader: 'sheets',
    shows: 'names',
  },
] as const satisfies readonly FormatTraits[]

/** The name of a format. */
export type FormatName = (typeof formatTraits)[number]['name']

/** Other names of formats that are accepted and not shown. */
export const formatSpellings: Readonly<Record<string, FormatName>> = {
  md: 'markdown',
  jsonl: 'ndjson',
}

export const formatNames: readonly string[] = formatTraits.map(({ name }) => name)

/**
 * Returns a format by its name.
 * @param source what names it, in words, where that is no flag
 * @throws Failure `usage` if there is no such format
 */
export const getFormatTraits = (
  name: string,
  source = `"${name}"`,
): FormatTraits & { readonly name: FormatName } => {
  const format = formatTraits.find((one) => one.name === name)
  if (format !== undefined) return format
  throw usage(`unknown output format ${source}; available: ${formatNames.join(', ')}`)
}
