/** The writers of the output formats: each is loaded when an answer is written in it. */
import { type FormatName, formatTraits, getFormatTraits } from '../catalogue/formats.js'
import type { Format } from './types.js'

const loadJson = () => import('./json.js')
const loadHtml = () => import('./html.js')
const loadLines = () => import('./lines.js')

const writers: Readonly<Record<FormatName, Pick<Format, 'load' | 'page'>>> = {
  table: { load: async () => (await import('./table.js')).open },
  wide: { load: async () => (await import('./table.js')).open },
  json: { load: async () => (await loadJson()).open },
  yaml: { load: async () => (await import('./yaml.js')).open },
  ndjson: { load: async () => (await loadJson()).openNdjson },
  csv: { load: async () => (await import('./csv.js')).open },
  markdown: { load: async () => (await import('./markdown.js')).open },
  html: { page: async () => (await loadHtml()).endPage, load: async () => (await loadHtml()).open },
  value: { load: async () => (await loadLines()).openValues },
  id: { load: async () => (await loadLines()).openIds },
}

export const formats: readonly Format[] = formatTraits.map((traits) => ({
  ...traits,
  ...writers[traits.name],
}))

/**
 * Returns a format by its name.
 * @param source what names it, in words, where that is no flag
 * @throws Failure `usage` if there is no such format
 */
export const formatNamed = (name: string, source?: string): Format => {
  const traits = getFormatTraits(name, source)
  return { ...traits, ...writers[traits.name] }
}

/** People's format, which is in force unless another was asked for. */
export const tableFormat = formatNamed('table')

/** The format of documents where the one asked for has nothing but rows. */
export const jsonFormat = formatNamed('json')
