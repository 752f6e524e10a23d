/** Draws the members of several places as a table shaded by access level. */

import { isObject } from '../../base/objects.js'
import { formatCount } from '../../base/text.js'
import { emptyText } from '../../output/cell.js'
import { html, type Markup } from '../../output/html/markup.js'
import { renderCard } from '../../output/html/page-parts.js'
import { openDrawing } from '../../output/html.js'

/** The shade of each access level; cells with any other text are not shaded. */
const shades: Readonly<Record<string, number>> = {
  minimal: 0,
  guest: 0,
  reporter: 1,
  developer: 2,
  maintainer: 4,
  owner: 5,
}

const toCell = (value: unknown): Markup => {
  const text = String(value ?? '')
  const shade = shades[text]
  return shade === undefined
    ? html`<td>${text === '' ? emptyText : text}</td>`
    : html`<td class="heat${shade}">${text}</td>`
}

const draw = (records: readonly unknown[]): Markup => {
  const rows = records.filter(isObject)
  const places = Object.keys(rows[0] ?? {}).filter((name) => name !== 'name')
  const body = rows.map(
    (row) =>
      html`<tr><th scope="row">${String(row.name)}</th>${places.map((place) => toCell(row[place]))}</tr>\n`,
  )
  const table = html`<div class="scroll" tabindex="0" role="region" aria-label="members and places"><table>
<thead><tr><th scope="col">name</th>${places.map((place) => html`<th scope="col">${place}</th>`)}</tr></thead>
<tbody>
${body}</tbody>
</table></div>\n`
  return renderCard(
    formatCount(rows.length, 'member'),
    `of ${formatCount(places.length, 'place')}`,
    table,
  )
}

export const open = openDrawing(draw)
