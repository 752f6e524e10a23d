/**
 * The output formats with the modules that write them. Those of JSON are part of every line; another is loaded when an answer is written in
 * its format.
 */
import { type FormatName, formatTraits, getFormatTraits } from '../catalogue/formats.js'
import { open as openJson, openNdjson } from './json.js'
import type { Format } from './types.js'

const loadHtml = () => import('./html.js')
const loadLines = () => import('./lines.js')

const formatModules: Readonly<Record<FormatName, Pick<Format, 'load' | 'page'>>> = {
  table: { load: async () => (await import('./table.js')).open },
  wide: { load: async () => (await import('./table.js')).open },
  json: { load: async () => openJson },
  yaml: { load: async () => (await import('./yaml.js')).open },
  ndjson: { load: async () => openNdjson },
  csv: { load: async () => (await import('./csv.js')).open },
  markdown: { load: async () => (await import('./markdown.js')).open },
  html: { page: async () => (await loadHtml()).endPage, load: async () => (await loadHtml()).open },
  value: { load: async () => (await loadLines()).openValues },
  id: { load: async () => (await loadLines()).openIds },
}

export const formats: readonly Format[] = formatTraits.map((traits) => ({
  ...traits,
  ...formatModules[traits.name],
}))

/**
 * Returns a format by its name.
 * @param source what contained the name, for the error, if it was no flag
 * @throws Failure `usage` if there is no such format
 */
export const getFormat = (name: string, source?: string): Format => {
  const traits = getFormatTraits(name, source)
  return { ...traits, ...formatModules[traits.name] }
}

/** The format for people, which is the default. */
export const tableFormat = getFormat('table')

/** The format of documents for formats that only have rows. */
export const jsonFormat = getFormat('json')
