/**
 * The one stage between cells and what prints them: whatever people are shown got its text here, with
 * all that could move the cursor or turn the text visible. JSON and YAML do it as their grammar does.
 */
import { mapChunks } from '../base/text.js'
import type { TextStyle } from './types.js'

declare const safe: unique symbol

/** Text that moves no cursor; only this file makes it. */
export type SafeText = string & { readonly [safe]: true }

type EscapeStyle = Pick<TextStyle, 'visible'>

/** The white space that stays as it is; all other control characters are made visible. */
type KeptWhitespace = '\n' | '\n\t'

const between = { '\n': /[^\n]+/g, '\n\t': /[^\n\t]+/g } as const

/** Escapes text for one line: line breaks and tabs become visible, too. */
export const escapeLine = (text: string, { visible }: EscapeStyle): SafeText =>
  visible(text) as SafeText

/** Escapes text of several lines: line breaks stay, and other control characters become visible. */
export const escapeLines = (
  text: string,
  { visible }: EscapeStyle,
  kept: KeptWhitespace = '\n',
): SafeText =>
  mapChunks(text, (piece) =>
    piece.replaceAll('\r\n', '\n').replace(between[kept], (part) => visible(part)),
  ) as SafeText

const esc = String.fromCharCode(27)
let key: string | undefined

/** Returns a random text in the grammar of colors that only this process knows. */
const getColorKey = (): string => {
  key ??= [...crypto.getRandomValues(new Uint16Array(4))].map((n) => n % 10_000).join(';')
  return key
}

/** Marks the colors of a text as the tool's own. A page keeps no other colors. */
export const markOwnColors = (painted: string): string =>
  painted.replaceAll(new RegExp(`${esc}\\[([\\d;]*)m`, 'g'), `${esc}[$1;${getColorKey()}m`)

/** Escapes a page of text that a command made: its lines and its own colors stay. */
export const escapePage = (text: string, style: EscapeStyle): SafeText =>
  text
    .split(new RegExp(`${esc}\\[([\\d;]*);${getColorKey()}m`))
    .map((part, i) => (i % 2 === 1 ? `${esc}[${part}m` : escapeLines(part, style, '\n\t')))
    .join('') as SafeText
