/** An instance's own words for the neutral ones of the documents (`vocabulary/README.md`). */
import type { Endpoint } from '../catalogue/endpoint.js'
import type { Words } from '../catalogue/words.js'
import { checkOne, checkVocabulary } from './check.js'
import type { Entries } from './entries.js'
import { wordsOf } from './make.js'
import { parseVocabulary, readVocabulary } from './read.js'

export { checkVocabulary } from './check.js'
export type { Entries } from './entries.js'
export { type Lesson, learnFrom } from './learn.js'
export { parseVocabulary, readVocabulary } from './read.js'
export { soundIn } from './sound.js'
export { writtenOf } from './written.js'

/** The words of entries; each endpoint is held against them once, as it is met. */
export const wordsFrom = (entries: Entries): Words => {
  const checked = new WeakMap<Endpoint, Promise<void>>()
  const words: Words = wordsOf(entries, (endpoint) => {
    const known = checked.get(endpoint) ?? checkOne(entries, words, endpoint)
    checked.set(endpoint, known)
    return known
  })
  return words
}

/** The words of a file. @throws Failure `usage` */
export const loadWords = async (file: string): Promise<Words> =>
  wordsFrom(await readVocabulary(file))

const checked = async (entries: Entries): Promise<Words> => {
  const words = wordsFrom(entries)
  await checkVocabulary(entries, words)
  return words
}

/** The words of a file that is held against the whole catalogue. @throws Failure `usage` */
export const loadChecked = async (file: string): Promise<Words> =>
  checked(await readVocabulary(file))

/** The same of a text. @param name what the file is called in messages */
export const checkText = async (text: string, name: string): Promise<Words> =>
  checked(await parseVocabulary(text, name))
