/** Tables as Markdown writes them. */

/** One row; a bar within a cell does not end it. */
const row = (...cells: readonly string[]): string =>
  `| ${cells.map((c) => c.replaceAll('|', '\\|')).join(' | ')} |`

/** A table with its head; cells are Markdown already. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(...head), row(...head.map(() => '---')), ...rows.map((r) => row(...r))].join('\n')

/** The same without the columns that say nothing in any row. */
export const tableOfFilled = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string => {
  const filled = head.map((_, i) => rows.some((r) => r[i] !== ''))
  const kept = (cells: readonly string[]): string[] => cells.filter((_, i) => filled[i])
  return table(kept(head), rows.map(kept))
}
