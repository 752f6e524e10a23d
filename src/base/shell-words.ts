/** A command line as words, since no shell reads it. */
import { usage } from '../errors.js'

/**
 * Splits at blanks; single and double quotes keep blanks together, a backslash outside single quotes
 * keeps the next character. A JSON list of texts is taken as it is.
 * @throws Failure `usage` on a quote that does not end
 */
export const splitCommand = (text: string): string[] => {
  if (text.trimStart().startsWith('[')) return fromJson(text)
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let i = 0; i < text.length; i++) {
    const c = text[i] ?? ''
    if (c === '\\' && quote !== "'" && i + 1 < text.length) word = (word ?? '') + text[++i]
    else if (c === quote) quote = ''
    else if (quote === '' && (c === '"' || c === "'")) {
      quote = c
      word ??= ''
    } else if (quote === '' && /\s/.test(c)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + c
  }
  if (quote !== '') throw usage(`the command has a ${quote} that does not end`)
  return word === undefined ? words : [...words, word]
}

const fromJson = (text: string): string[] => {
  try {
    const value: unknown = JSON.parse(text)
    if (Array.isArray(value) && value.every((v) => typeof v === 'string')) return value
  } catch {
    // Said below.
  }
  throw usage('the command starts with [ but is no JSON list of texts')
}
