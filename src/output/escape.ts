/**
 * Escapes text from outside before people see it: control characters that could move the cursor or reverse the text
 * become visible. Every format but JSON and YAML uses this stage; their grammar escapes text itself.
 */
import { mapChunks } from '../base/text.js'
import type { TextStyle } from './types.js'

declare const safe: unique symbol

/** Text without harmful control characters. Only this file creates it. */
export type SafeText = string & { readonly [safe]: true }

type EscapeStyle = Pick<TextStyle, 'visible'>

/** The white space that stays unchanged; all other control characters are escaped. */
type KeptWhitespace = '\n' | '\n\t'

const unkeptPatterns = { '\n': /[^\n]+/g, '\n\t': /[^\n\t]+/g } as const

/** Escapes text for one line, including line breaks and tabs. */
export const escapeLine = (text: string, { visible }: EscapeStyle): SafeText =>
  visible(text) as SafeText

/** Escapes text of several lines. Line breaks stay. */
export const escapeLines = (
  text: string,
  { visible }: EscapeStyle,
  kept: KeptWhitespace = '\n',
): SafeText =>
  mapChunks(text, (piece) =>
    piece.replaceAll('\r\n', '\n').replace(unkeptPatterns[kept], (part) => visible(part)),
  ) as SafeText

const esc = String.fromCharCode(27)
let colorKey: string | undefined

/** Returns a random text in the form of color codes, which only this process knows. */
const getColorKey = (): string => {
  colorKey ??= [...crypto.getRandomValues(new Uint16Array(4))].map((n) => n % 10_000).join(';')
  return colorKey
}

/** Marks the colors of a text as the tool's own, because `escapePage` removes all others. */
export const markOwnColors = (painted: string): string =>
  painted.replaceAll(new RegExp(`${esc}\\[([\\d;]*)m`, 'g'), `${esc}[$1;${getColorKey()}m`)

/** Escapes a page of text that a command created. Its lines and the tool's own colors stay. */
export const escapePage = (text: string, style: EscapeStyle): SafeText =>
  text
    .split(new RegExp(`${esc}\\[([\\d;]*);${getColorKey()}m`))
    .map((part, i) => (i % 2 === 1 ? `${esc}[${part}m` : escapeLines(part, style, '\n\t')))
    .join('') as SafeText
