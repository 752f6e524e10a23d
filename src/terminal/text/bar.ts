/** Bars: how much of a whole. */

/** A bar of so many columns, filled to `fraction` (0 to 1). */
export const bar = (
  fraction: number,
  columns: number,
  paint: (text: string) => string = (text) => text,
): string => {
  const share = Number.isNaN(fraction) ? 0 : Math.min(1, Math.max(0, fraction))
  // Only the whole is full, and only nothing is empty.
  const rounded = Math.round(share * columns)
  const filled = share === 1 || share === 0 ? rounded : Math.min(columns - 1, Math.max(1, rounded))
  return paint('█'.repeat(filled)) + '░'.repeat(columns - filled)
}
