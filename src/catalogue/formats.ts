/** Declares the output formats and their traits. `output/formats.ts` has the functions that write them. */
import { usage } from '../errors.js'
import type { Reader } from './views.js'

export interface FormatTraits {
  readonly name: string
  readonly summary: string
  readonly reader: Reader
  /** Set if the format prints only the requested fields, or only the names of objects (`View.names`). */
  readonly shows?: 'fields' | 'names'
  /** True if failures are printed as JSON, too. */
  readonly json?: true
  /** True if the format can contain nested objects. */
  readonly nests?: true
  /** True if a response that is one list is printed unchanged. In other formats, its items are the records. */
  readonly lists?: true
  /** The text between two responses (--watch), if the format itself does not separate them. */
  readonly separator?: string
  /** True for a page for browsers, which a terminal cannot show. */
  readonly isPage?: true
}

/** The formats. The first one is the default. */
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
    summary: 'the values of --fields or of groups, one record per line',
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

export type FormatName = (typeof formatTraits)[number]['name']

/** Other accepted names of formats, which help does not list. */
export const formatSpellings: Readonly<Record<string, FormatName>> = {
  md: 'markdown',
  jsonl: 'ndjson',
}

export const formatNames: readonly string[] = formatTraits.map(({ name }) => name)

/**
 * Returns a format by its name, or by another accepted spelling of it.
 * @param source the origin of the name in the message, if it is not a flag
 * @throws Failure `usage` if there is no such format
 */
export const getFormatTraits = (
  name: string,
  source = `"${name}"`,
): FormatTraits & { readonly name: FormatName } => {
  const usual = Object.hasOwn(formatSpellings, name) ? formatSpellings[name] : name
  const format = formatTraits.find((one) => one.name === usual)
  if (format !== undefined) return format
  throw usage(`unknown output format ${source}; available: ${formatNames.join(', ')}`)
}
