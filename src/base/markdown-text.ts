/** Text within Markdown: markup is escaped, and mentions and links are broken by an element around one sign. */

/** An underscore inside of a word is none, nor is a bracket that begins no link. */
const markup = /[\\`*~|{}$]|(?<!\w)_|_(?!\w)|\[(?=\[)|\](?=[([])/g
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** A sign that would begin a mention or an address, where a reader of text looks for one. */
const wrapSign = (sign: string): string => `<span>${sign}</span>`

/** Escapes text as a part of a line of Markdown that it cannot leave. */
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
