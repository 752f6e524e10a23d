/**
 * Measures the display width of text, and truncates and wraps by it. Latin, Greek, Cyrillic and the symbols of
 * svcctl are one column a character; other text is measured by string-width, which `widthsFor` loads only for such
 * text, because it starts Intl. `roughWidths` does without it, and counts two columns for each other character.
 */

/** One column a character, whatever stands beside it. */
const simple =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0391-\u03c9\u0410-\u044f–—‘’“”…·‖›│░█●○◌◆▲▽▸▹✓✗⊘]*$/

/** Measures text, and makes it fit. */
export interface Widths {
  /** Display columns of one line without escape sequences. */
  readonly measure: (text: string) => number
  /** One line, cut to so many columns with an ellipsis where it is longer. */
  readonly truncate: (text: string, columns: number) => string
  /**
   * A line as lines of at most so many columns, broken at spaces where there are some.
   * @param whole whether longer words stay in one piece, so that they can be copied
   */
  readonly wrap: (text: string, columns: number, whole?: boolean) => string[]
}

/** What tells widths apart: how text is measured that is not simple, and into what it may be cut. */
interface Measuring {
  readonly columns: (text: string) => number
  /** The characters as they are seen: one letter with its accents, one emoji. */
  readonly characters: (text: string) => Iterable<string>
}

const upperBound = (text: string): number => {
  let columns = 0
  for (const char of text) columns += simple.test(char) ? 1 : 2
  return columns
}

const measure = (text: string, { columns }: Measuring): number =>
  simple.test(text) ? text.length : columns(text)

/** As much of the text as fits into so many columns, without breaking a character. */
const head = (text: string, columns: number, by: Measuring): string => {
  if (simple.test(text)) return text.slice(0, Math.max(0, columns))
  let taken = ''
  let used = 0
  for (const character of by.characters(text)) {
    used += measure(character, by)
    if (used > columns) break
    taken += character
  }
  return taken
}

const truncate = (text: string, columns: number, by: Measuring): string => {
  if (measure(text, by) <= columns) return text
  return columns < 1 ? '' : `${head(text, columns - 1, by).trimEnd()}…`
}

/** An address stays in one piece, so that it can be copied and clicked. */
const address = /[a-z][a-z0-9+.-]*:\/\/./i

/** A word that is longer than a line, in pieces; an address whole. */
const broken = (word: string, columns: number, by: Measuring): string[] => {
  if (address.test(word)) return [word]
  const pieces: string[] = []
  let rest = word
  while (measure(rest, by) > columns) {
    const [first = ''] = by.characters(rest)
    const piece = head(rest, columns, by) || first
    pieces.push(measure(piece, by) > columns ? '…' : piece)
    rest = rest.slice(piece.length)
  }
  return [...pieces, rest]
}

const wrap = (text: string, columns: number, whole: boolean, by: Measuring): string[] => {
  const limit = Math.max(1, columns)
  if (measure(text, by) <= limit) return [text]
  const lines: string[] = []
  let line: string | undefined
  for (const word of text.split(' ').flatMap((w) => (whole ? [w] : broken(w, limit, by)))) {
    const longer: string = line === undefined ? word : `${line} ${word}`
    if (line !== undefined && measure(longer, by) > limit) {
      lines.push(line.trimEnd())
      line = word
    } else line = longer
  }
  return [...lines, line ?? '']
}

const widthsBy = (by: Measuring): Widths => ({
  measure: (text) => measure(text, by),
  truncate: (text, columns) => truncate(text, columns, by),
  wrap: (text, columns, whole = false) => wrap(text, columns, whole, by),
})

/** Approximate widths, for texts that are nearly always simple and where nothing can be awaited. */
export const roughWidths: Widths = widthsBy({ columns: upperBound, characters: (text) => text })

const loadExact = async (): Promise<Widths> => {
  const { default: columns } = await import('string-width')
  const segmenter = new Intl.Segmenter()
  return widthsBy({
    columns: (text) => columns(text),
    *characters(text) {
      for (const { segment } of segmenter.segment(text)) yield segment
    },
  })
}
let exact: Promise<Widths> | undefined

/** Loads widths that are exact for these texts and their parts. */
export const widthsFor = async (texts: readonly string[]): Promise<Widths> => {
  if (texts.every((text) => simple.test(text))) return roughWidths
  exact ??= loadExact()
  return exact
}
