/** HTML as a value: whatever goes into a template is text unless it is markup already. */

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeText = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)

/** A piece of a page. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Piece = string | number | Markup | readonly Markup[]

const textOf = (piece: Piece): string => {
  if (piece instanceof Markup) return piece.text
  if (typeof piece === 'object') return piece.map(({ text }) => text).join('')
  return escapeText(String(piece))
}

/** A template of a page, in which every text is escaped. */
export const html = (parts: TemplateStringsArray, ...pieces: readonly Piece[]): Markup =>
  new Markup(
    parts.map((part, i) => part + (i < pieces.length ? textOf(pieces[i] ?? '') : '')).join(''),
  )
