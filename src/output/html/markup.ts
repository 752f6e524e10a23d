/** HTML templates that escape every text. */

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeText = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)

/** A piece of HTML. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A value of a template: texts and numbers are escaped, HTML is kept. */
export type Piece = string | number | Markup | readonly Markup[]

const toText = (piece: Piece): string => {
  if (piece instanceof Markup) return piece.text
  if (typeof piece === 'object') return piece.map(({ text }) => text).join('')
  return escapeText(String(piece))
}

/** Creates HTML from a template; every text in it is escaped. */
export const html = (parts: TemplateStringsArray, ...pieces: readonly Piece[]): Markup =>
  new Markup(
    parts.map((part, i) => part + (i < pieces.length ? toText(pieces[i] ?? '') : '')).join(''),
  )

/** No HTML at all. */
export const nothing = new Markup('')
