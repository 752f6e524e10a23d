/** Escapes text for Markdown, so that it contains no markup, mentions or links. */

/** Matches markup. An underscore inside a word is not markup, and neither is a bracket that begins no link. */
const markup = /[\\`*~|{}$]|(?<!\w)_|_(?!\w)|\[(?=\[)|\](?=[([])/g
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Wraps a character that would begin a mention or an address, so that no reader of the text recognizes one. */
const wrapSign = (sign: string): string => `<span>${sign}</span>`

/** Escapes text as a part of a Markdown line that it cannot end. */
export const escapeMarkdown = (text: string): string =>
  text
    .replace(/[&<>]/g, (sign) => entities[sign] ?? sign)
    .replace(markup, (sign) => `\\${sign}`)
    .replace(/@/g, wrapSign('@'))
    .replace(/:(?=\/\/)/g, wrapSign(':'))
    .replace(
      /\b(www|mailto|xmpp)([.:])/gi,
      (_, word: string, sign: string) => word + wrapSign(sign),
    )
    .replace(/[#!](?=\w)/g, wrapSign)
    .replace(/\n/g, '<br>')
