/** Draws the page of a policy above its findings: the result, a tile for each severity, and all rules. */

import { sumNumbers } from '../../base/collections.js'
import { formatCount, groupDigits } from '../../base/text.js'
import { getStatusStyle } from '../../base/tones.js'
import { policySeverities } from '../../commands/policy.js'
import type { PolicyContext } from '../../commands/policy-run.js'
import {
  type ChartRow,
  drawRows,
  renderFigure,
  renderLegend,
  toSeries,
} from '../../output/html/charts.js'
import { html, type Markup } from '../../output/html/markup.js'
import { renderCard, renderTiles, type Tile } from '../../output/html/page-parts.js'
import { openAboveList } from '../../output/html.js'
import type { FormatView } from '../../output/types.js'

const countFindings = (rules: PolicyContext['rules']): number =>
  sumNumbers(rules.map(({ findings }) => findings))

const worstFirst = policySeverities.toReversed()

/** Creates the tile of the result: passed, failed, or unknown if a list could not be read. */
const createResultTile = ({ failing, unread, failOn }: PolicyContext): Tile => {
  if (unread > 0)
    return {
      name: 'Result',
      value: 'unknown',
      tone: 'warn',
      lines: [`exit code 8: ${formatCount(unread, 'list')} could not be read`],
    }
  return failing > 0
    ? {
        name: 'Result',
        value: 'failed',
        tone: 'bad',
        lines: [`exit code 1: ${formatCount(failing, 'finding')} of ${failOn} or above`],
      }
    : {
        name: 'Result',
        value: 'passed',
        tone: 'good',
        lines: [`exit code 0: none of ${failOn} or above`],
      }
}

const createSeverityTile = ({ rules }: PolicyContext, severity: string): Tile => {
  const own = rules.filter((rule) => rule.severity === severity)
  const broken = own.filter(({ findings }) => findings > 0)
  return {
    name: severity,
    value: groupDigits(countFindings(own)),
    tone: getStatusStyle(severity)?.tone ?? 'busy',
    lines: [`${broken.length} of ${formatCount(own.length, 'rule')}`],
    href: `#severity=${severity}`,
  }
}

/** Returns the severities of the rules, the worst first. */
const getSeverities = ({ rules }: PolicyContext): readonly string[] =>
  worstFirst.filter((one) => rules.some(({ severity }) => severity === one))

const drawRules = (context: PolicyContext): Markup => {
  const { rules } = context
  const severities = getSeverities(context)
  const series = toSeries(severities)
  const sorted = severities.flatMap((severity) =>
    rules.filter((rule) => rule.severity === severity),
  )
  const rows = sorted.map(({ name, severity, findings, waived }): ChartRow => {
    const kept = waived === 0 ? '' : `, ${waived} waived`
    return {
      name,
      label: name,
      counts: new Map([[severity, findings]]),
      beside: `${findings === 0 ? '✓ none' : `${findings} ${severity}`}${kept}`,
    }
  })
  const totals = new Map(
    severities.map((severity) => [
      severity,
      countFindings(rules.filter((rule) => rule.severity === severity)),
    ]),
  )
  const clean = rules.filter(({ findings }) => findings === 0).length
  const text =
    clean === 0 ? '' : `${formatCount(clean, 'rule')} ${clean === 1 ? 'has' : 'have'} none`
  return renderCard(
    'Findings by rule',
    text,
    renderFigure('', '', [drawRows(rows, series), renderLegend(series, totals)]),
  )
}

const draw = (_: readonly unknown[], { page }: FormatView): Markup => {
  // `check policy` sets this context for its page.
  const context = page?.context as PolicyContext
  const severityTiles = getSeverities(context).map((one) => createSeverityTile(context, one))
  const tiles = renderTiles([createResultTile(context), ...severityTiles])
  return html`${tiles}${drawRules(context)}`
}

export const open = openAboveList(draw)
