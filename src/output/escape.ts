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

/** Text in one line: its line breaks and tabs are shown, too. */
export const shown = (text: string, { visible }: EscapeStyle): SafeText => visible(text) as SafeText

/** Text of several lines: their ends stay, and so does what else was said. */
export const shownLines = (
  text: string,
  { visible }: EscapeStyle,
  kept: KeptWhitespace = '\n',
): SafeText =>
  mapChunks(text, (piece) =>
    piece.replaceAll('\r\n', '\n').replace(between[kept], (part) => visible(part)),
  ) as SafeText

const esc = String.fromCharCode(27)
let key: string | undefined

/** What nobody outside of this process knows, in the grammar of colours. */
const secretKey = (): string => {
  key ??= [...crypto.getRandomValues(new Uint16Array(4))].map((n) => n % 10_000).join(';')
  return key
}

/** A text whose colours are the tool's own: a page keeps no others, whatever stands beside them. */
export const ownColours = (painted: string): string =>
  painted.replaceAll(new RegExp(`${esc}\\[([\\d;]*)m`, 'g'), `${esc}[$1;${secretKey()}m`)

/** A page of text that a command made: its lines and its own colours stay. */
export const shownPage = (text: string, style: EscapeStyle): SafeText =>
  text
    .split(new RegExp(`${esc}\\[([\\d;]*);${secretKey()}m`))
    .map((part, i) => (i % 2 === 1 ? `${esc}[${part}m` : shownLines(part, style, '\n\t')))
    .join('') as SafeText
