/** Splits command lines into words without a shell, and quotes words for a shell. */

import { usage } from '../errors.js'
import { tryParseJson } from './objects.js'

/** Matches white space, an escaped line break, an escaped character, quoted text, plain text, or a quote without its end. */
const piece =
  /(\s+)|(\\\r?\n)|\\([\s\S])|'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|([^\s'"\\]+|\\$)|(['"])/g

/**
 * Splits a command at white space. Quotes keep white space together. Outside single quotes, a backslash keeps the next character, and
 * removes the end of a line. A JSON list of texts is used as it is.
 * @throws Failure `usage` for a quote that does not end
 */
export const splitCommand = (text: string): string[] => {
  if (text.trimStart().startsWith('[')) return parseJsonWords(text)
  const words: string[] = []
  let word: string | undefined
  for (const [, blank, continuation, escaped, single, double, plain, open] of text.matchAll(
    piece,
  )) {
    if (continuation !== undefined) continue
    if (open !== undefined) throw usage(`the command has an unclosed ${open}`)
    if (blank === undefined) {
      const inside = double?.replace(/\\\r?\n/g, '').replace(/\\([\s\S])/g, '$1')
      word = (word ?? '') + (escaped ?? single ?? inside ?? plain ?? '')
    } else if (word !== undefined) {
      words.push(word)
      word = undefined
    }
  }
  return word === undefined ? words : [...words, word]
}

const parseJsonWords = (text: string): string[] => {
  const value = tryParseJson(text)
  if (Array.isArray(value) && value.every((v) => typeof v === 'string')) return value
  throw usage('the command starts with [ but is not a JSON list of strings')
}

const plainWord = /^[\w@%+=:,./-]+$/

/** Quotes a word for a POSIX shell. */
export const quoteWord = (word: string): string =>
  plainWord.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

/** Adds flags to the words of a line, before `--`, after which no word counts as a flag. */
export const insertFlags = (
  words: readonly string[],
  flags: readonly string[],
): readonly string[] => {
  const end = words.indexOf('--')
  return end < 0 ? [...words, ...flags] : [...words.slice(0, end), ...flags, ...words.slice(end)]
}
