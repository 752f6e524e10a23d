/** Command lines as words, since no shell reads them, and words as a shell takes them. */
import { usage } from '../errors.js'

/** Blanks; an escaped character; single and double quotes; what is plain; a quote without its end. */
const piece = /(\s+)|\\([\s\S])|'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|([^\s'"\\]+|\\$)|(['"])/g

/**
 * Splits at blanks; single and double quotes keep blanks together, a backslash outside single quotes
 * keeps the next character. A JSON list of texts is taken as it is.
 * @throws Failure `usage` on a quote that does not end
 */
export const splitCommand = (text: string): string[] => {
  if (text.trimStart().startsWith('[')) return parseJsonWords(text)
  const words: string[] = []
  let word: string | undefined
  for (const [, blank, escaped, single, double, plain, open] of text.matchAll(piece)) {
    if (open !== undefined) throw usage(`the command has an unclosed ${open}`)
    if (blank === undefined) {
      const inside = double?.replace(/\\([\s\S])/g, '$1')
      word = (word ?? '') + (escaped ?? single ?? inside ?? plain ?? '')
    } else if (word !== undefined) {
      words.push(word)
      word = undefined
    }
  }
  return word === undefined ? words : [...words, word]
}

const parseJsonWords = (text: string): string[] => {
  try {
    const value: unknown = JSON.parse(text)
    if (Array.isArray(value) && value.every((v) => typeof v === 'string')) return value
  } catch {
    // Said below.
  }
  throw usage('the command starts with [ but is not a JSON list of strings')
}

const plainWord = /^[\w@%+=:,./-]+$/

/** A word as a POSIX shell takes it. */
export const quoteWord = (word: string): string =>
  plainWord.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

/** The words of a line with further flags: before `--`, behind which nothing is one. */
export const insertFlags = (
  words: readonly string[],
  flags: readonly string[],
): readonly string[] => {
  const end = words.indexOf('--')
  return end < 0 ? [...words, ...flags] : [...words.slice(0, end), ...flags, ...words.slice(end)]
}
