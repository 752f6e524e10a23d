/** How the columns of a table share the width of a terminal. */

export const gap = 2
const narrowest = 4
/** A column of at most this width holds words: a status, an age, a short name. */
const longestWord = 18
/** What a column of longer text needs to say anything. */
const shortestText = 10

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0)

/** Narrow columns whole, down to an equal share for the wide ones. */
const equally = (natural: readonly number[], room: number): number[] => {
  const widths = new Array<number>(natural.length).fill(0)
  const byWidth = natural.map((_, i) => i).sort((a, b) => (natural[a] ?? 0) - (natural[b] ?? 0))
  let left = room
  for (const [rank, i] of byWidth.entries()) {
    const width = Math.min(natural[i] ?? 0, Math.floor(left / (byWidth.length - rank)))
    widths[i] = width
    left -= width
  }
  return widths
}

/** Words whole and texts equally where that leaves something of the texts; else all equally. */
const wordsFirst = (natural: readonly number[], room: number): number[] => {
  const texts = natural.filter((width) => width > longestWord)
  const left = room - sum(natural.filter((width) => width <= longestWord))
  if (left < texts.length * shortestText) return equally(natural, room)
  const cut = equally(texts, left)
  return natural.map((width) => (width > longestWord ? (cut.shift() ?? 0) : width))
}

/**
 * Widths for columns of these natural widths within a terminal. The first, which names the object,
 * keeps up to half of the line, then words go before longer text; where even narrow columns do not
 * truncate, those on the right are left out (the result is shorter). The last column gets what is
 * left over, since nothing follows it.
 */
export const shareWidth = (natural: readonly number[], terminal: number): number[] => {
  const most = Math.max(1, Math.floor((terminal + gap) / (narrowest + gap)))
  const [first = 0, ...others] = natural.slice(0, most)
  const room = terminal - gap * others.length
  const leading = Math.min(first, Math.floor(terminal / 2), room - narrowest * others.length)
  const widths = [Math.max(0, leading), ...wordsFirst(others, room - Math.max(0, leading))]
  const last = widths.length - 1
  widths[last] = (widths[last] ?? 0) + room - sum(widths)
  return widths
}
