/** Provides a vocabulary that renames every word of every name and path of the documents. */

import { fixedNames } from '../../src/catalogue/documented-names.js'
import { getPath } from '../../src/catalogue/endpoint.js'
import { getListFields, loadEndpoints } from '../../src/vocabulary/check.js'
import { createLookups, parseVocabulary } from '../../src/vocabulary/index.js'

const all = await loadEndpoints()
const names = all
  .flatMap(({ endpoint }) => getListFields(endpoint).flat())
  .filter((name) => !fixedNames.has(name))
const segments = all
  .flatMap(({ endpoint }) => getPath(endpoint).split('/'))
  .filter((one) => /^\w/.test(one))
const tokens = [...new Set([...names, ...segments].flatMap((name) => name.split(/[_-]/)))].filter(
  (one) => one !== '',
)

/** The text of the vocabulary. */
export const everything = `vocabulary: 1\nwords:\n${tokens
  .sort()
  .map((one) => `  ${JSON.stringify(one)}: own${one}\n`)
  .join('')}`

export const loadEveryWord = async () =>
  createLookups(await parseVocabulary(everything, 'every.yml'))
