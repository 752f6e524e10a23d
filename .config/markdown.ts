/** Builds Markdown tables. */

/** Builds one row, with bars in cells escaped. */
const buildRow = (...cells: readonly string[]): string =>
  `| ${cells.map((c) => c.replaceAll('|', '\\|')).join(' | ')} |`

/** Builds a table with a head; the cells are Markdown. */
export const buildTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [buildRow(...head), buildRow(...head.map(() => '---')), ...rows.map((r) => buildRow(...r))].join(
    '\n',
  )

/** Builds a table without the columns that are empty in all rows. */
export const buildFilledTable = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string => {
  const filled = head.map((_, i) => rows.some((r) => r[i] !== ''))
  const kept = (cells: readonly string[]): string[] => cells.filter((_, i) => filled[i])
  return buildTable(kept(head), rows.map(kept))
}
