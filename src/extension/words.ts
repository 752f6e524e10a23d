/** English words of paths: singular and plural, as commands, kinds and flags are called. */

/** Words that end in s and are no plurals. */
const singulars = /(?:ss|us|is|news|kubernetes|status|access)$/

export const isPlural = (word: string): boolean => /s$/.test(word) && !singulars.test(word)

/** Returns one of several: `branches` → `branch`. */
export const toSingular = (word: string): string => {
  if (!isPlural(word)) return word
  if (/(?:sses|xes|ches|shes)$/.test(word)) return word.slice(0, -2)
  return word.replace(/ies$/, 'y').replace(/s$/, '')
}

/** Returns a name of the API as commands and flags write it. */
export const toCommandWord = (name: string): string =>
  name
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-')
    .split(/[^A-Za-z0-9]/)
    .filter((part) => part !== '')
    .join('-')
    .toLowerCase()

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
