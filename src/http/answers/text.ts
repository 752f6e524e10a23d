/** Text from outside, made fit for a one-line message. */

/** Controls, directional overrides and separators that could move a cursor or reorder a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const hidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

const shown = (char: string): string => `\\u{${char.charCodeAt(0).toString(16)}}`

/** White space collapsed, control characters made visible. */
export const oneLine = (text: string): string =>
  text
    .replace(/[ \t\r\n]+/g, ' ')
    .replace(hidden, shown)
    .trim()

/** As `oneLine`, at most `length` characters. */
export const excerpt = (text: string, length: number): string => {
  const line = oneLine(text.slice(0, length * 4))
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
}

export const isPage = (text: string): boolean => /^\s*<(!doctype|html|head|body|\?xml)/i.test(text)

/** An HTML page in words: by its title, else its first heading. */
export const pageTitle = (text: string): string | undefined => {
  const [, title] =
    /<title[^>]*>([^<]{1,500})/i.exec(text) ?? /<h1[^>]*>([^<]{1,500})/i.exec(text) ?? []
  if (title === undefined) return undefined
  const plain = oneLine(title.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (e) => entities[e] ?? e))
  return plain === '' ? undefined : plain
}
