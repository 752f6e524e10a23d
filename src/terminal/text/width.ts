/**
 * Display columns of text. Latin, Greek, Cyrillic and the symbols of this tool are one column a
 * character; anything else is measured by string-width, which is loaded when such text turns up
 * (it starts Intl, too slow for every call). Until then other characters count two columns each,
 * an upper bound.
 */

/** One column a character, whatever stands beside it. */
const simple =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0391-\u03c9\u0410-\u044f–—‘’“”…·‖›│░█●○◌◆▲▽▸▹✓✗⊘]*$/

interface Exact {
  readonly measure: (text: string) => number
  readonly segments: Intl.Segmenter
}
let exact: Exact | undefined

/** Loads exact measuring when one of these texts needs it. */
export const prepare = async (texts: readonly string[]): Promise<void> => {
  if (exact !== undefined || texts.every((text) => simple.test(text))) return
  const { default: measure } = await import('string-width')
  exact = { measure: (text) => measure(text), segments: new Intl.Segmenter() }
}

const upperBound = (text: string): number => {
  let columns = 0
  for (const char of text) columns += simple.test(char) ? 1 : 2
  return columns
}

/** Display columns of one line without escape sequences. */
export const measure = (text: string): number => {
  if (simple.test(text)) return text.length
  return exact === undefined ? upperBound(text) : exact.measure(text)
}

/** The characters as they are seen: one letter with its accents, one emoji. */
function* clusters(text: string): Generator<string> {
  if (exact === undefined || simple.test(text)) yield* text
  else for (const { segment } of exact.segments.segment(text)) yield segment
}

/** As much of the text as fits into so many columns, without breaking a character. */
const head = (text: string, columns: number): string => {
  if (simple.test(text)) return text.slice(0, Math.max(0, columns))
  let taken = ''
  let used = 0
  for (const cluster of clusters(text)) {
    used += measure(cluster)
    if (used > columns) break
    taken += cluster
  }
  return taken
}

/** One line, cut to so many columns with an ellipsis where it is longer. */
export const truncate = (text: string, columns: number): string => {
  if (measure(text) <= columns) return text
  return columns < 1 ? '' : `${head(text, columns - 1).trimEnd()}…`
}

/** An address stays in one piece, so that it can be copied and clicked. */
const address = /[a-z][a-z0-9+.-]*:\/\/./i

/** A word that is longer than a line, in pieces; an address whole. */
const broken = (word: string, columns: number): string[] => {
  if (address.test(word)) return [word]
  const pieces: string[] = []
  let rest = word
  while (measure(rest) > columns) {
    const [first = ''] = clusters(rest)
    const piece = head(rest, columns) || first
    pieces.push(measure(piece) > columns ? '…' : piece)
    rest = rest.slice(piece.length)
  }
  return [...pieces, rest]
}

/**
 * A line as lines of at most so many columns, broken at spaces where there are some.
 * @param whole whether longer words stay in one piece, so that they can be copied
 */
export const wrap = (text: string, columns: number, whole = false): string[] => {
  const limit = Math.max(1, columns)
  if (measure(text) <= limit) return [text]
  const lines: string[] = []
  let line: string | undefined
  for (const word of text.split(' ').flatMap((w) => (whole ? [w] : broken(w, limit)))) {
    const longer: string = line === undefined ? word : `${line} ${word}`
    if (line !== undefined && measure(longer) > limit) {
      lines.push(line.trimEnd())
      line = word
    } else line = longer
  }
  return [...lines, line ?? '']
}
