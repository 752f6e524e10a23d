/** How the columns of a table share the width of a terminal. */

export const gap = 2
const narrowest = 4

/**
 * Widths for columns of these natural widths within a terminal. Wide columns give first, down to
 * an equal share; where even narrow ones do not truncate, columns on the right are left out (the
 * result is shorter). The last column gets what is left over, since nothing follows it.
 */
export const shareWidth = (natural: readonly number[], terminal: number): number[] => {
  const most = Math.max(1, Math.floor((terminal + gap) / (narrowest + gap)))
  const kept = natural.slice(0, most)
  let room = terminal - gap * (kept.length - 1)
  const widths = new Array<number>(kept.length).fill(0)
  const byWidth = kept.map((_, i) => i).sort((a, b) => (kept[a] ?? 0) - (kept[b] ?? 0))
  for (const [rank, i] of byWidth.entries()) {
    const share = Math.floor(room / (kept.length - rank))
    const width = Math.min(kept[i] ?? 0, share)
    widths[i] = width
    room -= width
  }
  const last = widths.length - 1
  if (last >= 0) widths[last] = (widths[last] ?? 0) + room
  return widths
}
