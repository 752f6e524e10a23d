/** Draws the page of a check: its status, a tile for each measure, what is wrong, and the measured values. */

import { formatSpan } from '../../base/screen-text.js'
import { capitalize, formatCount, groupDigits, type Tone } from '../../base/text.js'
import { getStatusStyle } from '../../base/tones.js'
import type { CheckContext, CheckRecord } from '../../commands/check-command.js'
import { emptyText } from '../../output/cell.js'
import { html, type Markup, nothing } from '../../output/html/markup.js'
import { renderBadge, renderCard, renderTiles, type Tile } from '../../output/html/page-parts.js'
import { openDrawing } from '../../output/html.js'
import type { FormatView } from '../../output/types.js'

type Sample = CheckRecord['measures'][number]
type MeasureFact = CheckContext['measures'][string]

const maxRows = 2000

/** Returns the tone of a status. A status that is not known needs attention. */
const getTone = (status: string): Tone => getStatusStyle(status)?.tone ?? 'warn'

const renderStatus = (status: string): Markup =>
  renderBadge(getStatusStyle(status)?.text ?? `! ${status}`, getTone(status))

const roundValue = (value: number): number => Math.round(value * 1000) / 1000

const formatValue = (value: number, { unit }: MeasureFact): string => {
  if (unit === 'percent') return `${Math.round(value * 10) / 10} %`
  if (unit === 'count') return groupDigits(value)
  return Math.abs(value) < 60 ? `${roundValue(value)} s` : formatSpan(value)
}

/** Describes the thresholds of a measure: `warning below 80 %, critical below 50 %`. */
const describeLevels = (
  name: string,
  fact: MeasureFact,
  { levels }: Pick<CheckRecord, 'levels'>,
): string => {
  const { warn = null, crit = null } = levels[name] ?? {}
  const texts = [
    ...(warn === null ? [] : [`warning ${fact.bad} ${formatValue(warn, fact)}`]),
    ...(crit === null ? [] : [`critical ${fact.bad} ${formatValue(crit, fact)}`]),
  ]
  return texts.join(', ') || 'no threshold'
}

const getKnown = (samples: readonly Sample[]): readonly number[] =>
  samples.flatMap(({ value }) => (value === null ? [] : value))

const toMeasureTile = (
  [name, fact]: readonly [string, MeasureFact],
  record: CheckRecord,
): readonly Tile[] => {
  const samples = record.measures.filter(({ measure }) => measure === name)
  const known = getKnown(samples)
  if (samples.length === 0) return []
  const worst = fact.bad === 'below' ? Math.min(...known) : Math.max(...known)
  return [
    {
      name: capitalize(name),
      value: known.length === 0 ? emptyText : formatValue(worst, fact),
      tone: 'busy',
      lines: [
        samples.length === 1 ? fact.help : `${fact.help}: the worst of ${samples.length}`,
        describeLevels(name, fact, record),
      ],
      share: fact.unit === 'percent' && known.length > 0 ? worst / 100 : undefined,
    },
  ]
}

const drawConcerns = ({ findings, message }: CheckRecord): Markup => {
  if (findings.length === 0) return renderCard('Nothing is wrong', '', html`<p>${message}</p>\n`)
  const items = findings.map(
    ({ level, text }) => html`<li>${renderStatus(level)} <span class="text">${text}</span></li>\n`,
  )
  const count = formatCount(findings.length, 'finding')
  return renderCard('What is wrong', count, html`<ul class="findings">\n${items}</ul>\n`)
}

/** Draws the values as a table. Without objects, the tiles say all of them. */
const drawSamples = ({ measures }: CheckRecord, context: CheckContext): Markup => {
  const named = measures.filter(({ of }) => of !== undefined)
  if (named.length === 0) return nothing
  const rows = named.slice(0, maxRows).map(({ of = '', measure, value }) => {
    const fact = context.measures[measure]
    const text = value === null || fact === undefined ? emptyText : formatValue(value, fact)
    return html`<tr><th scope="row">${of}</th><td>${measure}</td><td class="n">${text}</td></tr>\n`
  })
  const rest = named.length - rows.length
  const restText =
    rest > 0 ? `the first ${groupDigits(maxRows)}, and ${groupDigits(rest)} more` : ''
  return renderCard(
    'Measured values',
    restText,
    html`<div class="scroll" tabindex="0" role="region" aria-label="measured values"><table>
<thead><tr><th scope="col">${context.label}</th><th scope="col">measure</th><th scope="col" class="n">value</th></tr></thead>
<tbody>
${rows}</tbody>
</table></div>\n`,
  )
}

const draw = (records: readonly unknown[], { page }: FormatView): Markup => {
  // The command yields this record, and gives this context.
  const [record] = records as readonly CheckRecord[]
  const context = page?.context as CheckContext
  if (record === undefined) return nothing
  const { status } = record
  const tiles = Object.entries(context.measures).flatMap((one) => toMeasureTile(one, record))
  const result: Tile = {
    name: 'Status',
    value: status,
    tone: getTone(status),
    lines: [`exit code ${context.code}`],
  }
  return html`${renderTiles([result, ...tiles])}${drawConcerns(record)}${drawSamples(record, context)}`
}

export const open = openDrawing(draw)
