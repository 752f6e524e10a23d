/** English words of paths: singular and plural, as commands, kinds and flags are called. */

/** Words that end in s and are no plurals. */
const singulars = /(?:ss|us|is|news|kubernetes|status|access)$/

const isPlural = (word: string): boolean => /s$/.test(word) && !singulars.test(word)

/** Returns one of several: `branches` → `branch`. */
export const toSingular = (word: string): string => {
  if (!isPlural(word)) return word
  if (/(?:sses|xes|ches|shes)$/.test(word)) return word.slice(0, -2)
  return word.replace(/ies$/, 'y').replace(/s$/, '')
}

/** Returns a word of a path as commands write it. */
export const toCommandWord = (segment: string): string =>
  segment
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .toLowerCase()

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
