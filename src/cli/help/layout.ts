/** Lays out help pages: sections, two-column tables, and command lines to copy. */

/** The width and the text styles of a page. */
export interface PageStyle {
  readonly width: number
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
}

/** The indentation of help texts. */
export const indent = '  '
/**
 * The longest name in the first column, in characters. The text of a longer name starts on the next line, so that the
 * column stays narrow.
 */
const maxNameLength = 26

/** Lays out two columns, and wraps the second. */
export const layOutTable = (
  rows: readonly (readonly [string, string])[],
  width: number,
): string => {
  const short = rows.map(([name]) => name.length).filter((length) => length <= maxNameLength)
  const left = Math.max(0, ...short) + 2
  const below = `\n${indent}${' '.repeat(left)}`
  return rows
    .map(([name, text]) => {
      const lines = wrap(text, width - left - indent.length).join(below)
      const first = name.length <= maxNameLength ? name.padEnd(left) : `${name}${below}`
      return `${indent}${first}${lines}`.trimEnd()
    })
    .join('\n')
}

/** Cuts a long text between two words, and before a bracket that would stay open. */
const cutText = (text: string, width: number): string => {
  if (text.length <= width) return text
  const cut = text.slice(0, text.lastIndexOf(' ', width - 2))
  const bracket = cut.lastIndexOf('(')
  const whole = bracket > cut.lastIndexOf(')') ? cut.slice(0, bracket).trimEnd() : cut
  return `${whole.replace(/[,;]$/, '')} …`
}

/** Lays out two columns with one line for each row. A text that is too long is cut. */
export const layOutLines = (
  rows: readonly (readonly [string, string])[],
  width: number,
): string => {
  const short = rows.map(([name]) => name.length).filter((length) => length <= maxNameLength)
  const left = Math.max(0, ...short)
  return rows
    .map(([name, text]) => {
      const first = `${indent}${name.padEnd(left)}${indent}`
      return (first + cutText(text, width - first.length)).trimEnd()
    })
    .join('\n')
}

/** Wraps text into lines of at most `width` characters, assuming one column for each character. */
export const wrap = (text: string, width: number): string[] => {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/**
 * Matches the parts of a command line that a line break must not split: quoted words, a flag with its value, and `<`,
 * `>` or `|` with the next word.
 */
const partPattern = /(?:(?:(?<!-)-[\w-]+|[<>|]) (?![-<>|]))?(?:'[^']*'|"[^"]*"|[^\s'"])+/g

/** Formats a command line to copy, and breaks it between parts. */
export const wrapCommandLine = (line: string, width: number): string => {
  const lines: string[] = []
  let at = `${indent}$`
  for (const [word] of line.matchAll(partPattern)) {
    const full = at.trim() !== '' && at.length + 1 + word.length > width - 2
    // The command after a pipe stays on one line, if it fits.
    const pipe = at.lastIndexOf(' | ')
    const tail = full && pipe > 0 ? `${at.slice(pipe + 1)} ${word}` : word
    const kept = tail.length > width - 2 - indent.length * 3 ? word : tail
    if (full) lines.push(`${kept === word ? at : at.slice(0, pipe)} \\`)
    at = full ? `${indent.repeat(3)}${kept}` : `${at} ${word}`
  }
  return [...lines, at].join('\n')
}

/** Formats a section with its title; returns an empty text if the body is empty. */
export const formatSection = (title: string, body: string, style: PageStyle): string =>
  body === '' ? '' : `${style.bold(title)}\n${body}\n`
