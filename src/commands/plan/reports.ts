/** Renders a plan as JUnit XML, SARIF 2.1.0, and Markdown for a note on a merge request. */

import { groupBy } from '../../base/collections.js'
import { escapeMarkdown } from '../../base/markdown-text.js'
import { escapeControls } from '../../base/screen-text.js'
import { groupDigits } from '../../base/text.js'
import { version } from '../../base/version.js'
import { toAddressText, toPlaceText } from '../../desired/address.js'
import { entryKinds, getEntryName, isAction, type PlanEntry } from '../../desired/entries.js'
import type { Context } from '../../engine/command/context.js'
import type { Rows } from '../../engine/rows.js'
import {
  type JunitCase,
  renderJunit,
  renderSarif,
  type SarifResult,
  writeReports,
} from '../reports.js'
import type { PlanGiven } from './flags.js'
import {
  type CellWriter,
  createChangeRows,
  createFailureRows,
  createFindingRows,
  createLossRows,
  describeComparison,
  formatChange,
  formatGiven,
  formatPlanCounts,
  formatPosition,
  getWantedHeading,
  noneWords,
  noteMark,
  type ReportedPlan,
  shortenValue,
} from './rows.js'

/** Returns the differences of an item, one per line. */
const describeDifferences = (entry: PlanEntry, { of }: ReportedPlan): string =>
  entry.is === 'update'
    ? (entry.of.changes ?? []).map((one) => `${one.attribute}: ${formatChange(one, of)}`).join('\n')
    : formatGiven(entry)

const describeWrong = ({ is, of }: PlanEntry): string =>
  `${toAddressText(of.address)} ${entryKinds[is].words?.wrong}`

/** Returns the reason why an item makes the command fail; undefined if it does not. */
const findFault = (entry: PlanEntry, { of, failOn, ends }: ReportedPlan): string | undefined => {
  const { is, text } = entry
  const { id, address } = entry.of
  if (id === undefined) return failOn.has(is) ? `${toAddressText(address)}: ${text}` : undefined
  if (of === 'drift') return describeWrong(entry)
  const end = ends?.get(id)
  return end !== undefined && 'failure' in end ? `${id}: ${end.failure.message}` : undefined
}

const createTestCase = (entry: PlanEntry, reported: ReportedPlan): JunitCase => {
  const { address, origin, failure } = entry.of
  const name = toAddressText(address)
  if (failure !== undefined) {
    const error = { type: failure.category, message: `${name} could not be read` }
    return { name, error: { ...error, text: failure.message } }
  }
  const acts = isAction(entry)
  const at = origin === undefined ? '' : formatPosition(origin)
  const text = acts ? `${describeDifferences(entry, reported)}\n${at}`.trim() : at
  const file = acts ? origin?.file : undefined
  const message = findFault(entry, reported)
  if (message !== undefined)
    return { name, file, failure: { type: acts ? reported.of : entry.is, message, text } }
  return acts ? { name, file, output: text } : { name, skipped: entry.text }
}

/** Renders a test case for each item that differs or could not be read, and one for all unchanged objects. */
const renderPlanJunit = (reported: ReportedPlan): Promise<string> => {
  const { entries, counts } = reported.made
  const certificates = entries
    .filter(({ is }) => is === 'warning')
    .map(({ of, text }) => `${toAddressText(of.address)}: ${text}`)
  const changes = entries.filter(({ is }) => is !== 'note' && is !== 'warning')
  return renderJunit(reported.of, [
    { name: `${counts.same} objects unchanged`, output: certificates.join('\n') || undefined },
    ...changes.map((entry) => createTestCase(entry, reported)),
  ])
}

const rules = {
  drift: 'The instance differs from the declared state',
  unreadable: 'The object could not be read',
  certificate: 'A certificate has expired or expires soon',
  overridden: 'A value is outside of the declared range',
} as const

const renderPlanSarif = (reported: ReportedPlan): string => {
  const { head, entries } = reported.made
  const first = { file: head.files[0]?.path ?? 'svcctl', line: 1, column: 1 }
  const createResults = (entry: PlanEntry): readonly SarifResult[] => {
    const { is, text } = entry
    const { address, origin } = entry.of
    const logical = toAddressText(address)
    const { file, line, column } = origin ?? first
    const at = { logical, file, line, column }
    if (is === 'unread')
      return [{ ruleId: 'unreadable', level: 'error', text: `${logical} ${text}`, ...at }]
    if (is === 'warning') {
      const ruleId = origin === undefined ? 'certificate' : 'overridden'
      return [{ ruleId, level: 'warning', text: `${logical}: ${text}`, ...at }]
    }
    if (!isAction(entry)) return []
    const level = findFault(entry, reported) === undefined ? 'note' : 'error'
    const texts = [describeWrong(entry), describeDifferences(entry, reported)]
      .filter(Boolean)
      .join(': ')
    return [{ ruleId: 'drift', level, text: texts, ...at }]
  }
  return renderSarif(version, rules, entries.flatMap(createResults))
}

/**
 * Writes the reports of a plan.
 * @param isDraft true if they will be replaced by reports with the outcomes
 */
export const writePlanReports = (
  { place }: Context,
  { flags: { report } }: PlanGiven,
  reported: ReportedPlan,
  isDraft = false,
): Rows => {
  const render = {
    junit: () => renderPlanJunit(reported),
    markdown: () => renderNote(reported),
    sarif: () => renderPlanSarif(reported),
  }
  return writeReports(place, report, render, isDraft)
}

// The note on a merge request. All text of the instance and of files is escaped, so that it cannot add markup.

/** The maximum length of a note, in bytes. Services accept about five times as much. */
const maxBytes = 200_000

/** Formats text as code in a table cell. Backticks in it do not end the code, and line breaks become symbols. */
const formatCode = (text: string): string => {
  const shown = escapeControls(shortenValue(text.replace(/\r?\n/g, '⏎'))).replaceAll('|', '\\|')
  const fence = '`'.repeat(1 + Math.max(0, ...(shown.match(/`+/g) ?? []).map((run) => run.length)))
  const room = /^[` ]|[` ]$/.test(shown) ? ' ' : ''
  return `${fence}${room}${shown}${room}${fence}`
}
const formatProse = (text: string): string =>
  escapeMarkdown(escapeControls(text.replaceAll('\n', ' ')))
const write: CellWriter = { formatCode, formatProse }

const formatRow = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`
const formatTableHead = (...heads: readonly string[]): string =>
  formatRow(...heads) + formatRow(...heads.map(() => '---'))

/** Formats the number of items by kind of action. */
const describeCounts = (entries: readonly PlanEntry[], { of }: ReportedPlan): string =>
  Object.entries(entryKinds)
    .flatMap(([kind, { words, drift }]) => {
      const count = entries.filter(({ is }) => is === kind).length
      return count === 0 ? [] : [`${count} ${of === 'drift' ? drift?.count : words?.done}`]
    })
    .join(', ')

/** Formats the items of a place as a section that is collapsed at first. */
const formatFold = (
  [place, entries]: readonly [string, readonly PlanEntry[]],
  reported: ReportedPlan,
): string =>
  [
    `<details><summary>${formatProse(place)}: ${describeCounts(entries, reported)}</summary>\n\n`,
    formatTableHead('', 'object', 'attribute', 'now', getWantedHeading(reported), 'declared at'),
    ...entries.flatMap((entry) =>
      createChangeRows(entry, write).map((cells, i) => {
        const { mark, drift } = entryKinds[entry.is]
        const sign = (reported.of === 'drift' ? drift?.mark : undefined) ?? mark
        const head = i === 0 ? [sign, formatCode(getEntryName(entry))] : ['', '']
        return formatRow(...head, ...cells)
      }),
    ),
    '\n</details>\n',
  ].join('')

/** Joins as many texts as fit, followed by the number of the others. */
const joinFitting = (texts: readonly string[], bytes: number, what: string): string => {
  let room = bytes
  const kept = texts.filter((text) => {
    room -= Buffer.byteLength(text)
    return room > 0
  })
  const left = texts.length - kept.length
  const cut = left === 0 ? '' : `\n${groupDigits(left)} more ${what} are not shown.\n`
  return `${kept.join('')}${cut}`
}

const formatSection = (head: string, rows: readonly (readonly string[])[]): string => {
  const texts = rows.map((cells) => formatRow(...cells))
  return rows.length === 0 ? '' : `${head}${joinFitting(texts, maxBytes / 4, 'objects')}\n`
}

const formatList = (head: string, all: readonly string[] = []): string =>
  all.length === 0 ? '' : `${head}: ${all.map(formatCode).join(', ')}.\n\n`

const formatHead = ({ of, made }: ReportedPlan): string => {
  const { counts, head, against, plan } = made
  const { todo, rest } = formatPlanCounts(counts, of)
  const none = noneWords[of].replace(/^n/, 'N')
  const titles = { plan: 'Plan for', apply: 'Apply to', drift: 'Drift of' }
  const refused = plan.refused.map(
    ({ text, flag }) =>
      `**apply rejects this plan**: ${formatProse(text)}. Pass ${formatCode(flag)} to allow it.\n\n`,
  )
  return [
    `${noteMark(of)}\n## ${titles[of]} ${formatProse(head.instance)}\n\n`,
    `**${todo.length === 0 ? none : todo.join(', ')}**; ${rest.join('; ')}.\n\n`,
    against === undefined ? '' : `${describeComparison(against, formatCode)}\n\n`,
    ...refused,
  ].join('')
}

/** Renders the note. If it is too long, places at the end are omitted and counted. */
export const renderNote = (reported: ReportedPlan): string => {
  const { of, made } = reported
  const { entries, against, head, worked } = made
  const first = [
    formatHead(reported),
    formatSection(formatTableHead('not done', 'why'), createFailureRows(reported, write)),
    formatSection(
      formatTableHead('deleted', 'loss', 'declared at'),
      of === 'drift' ? [] : createLossRows(reported, write),
    ),
  ].join('')
  const findings = createFindingRows(reported, write)
  const who = head.user === null ? '' : ` as ${formatCode(head.user)}`
  const last = [
    formatSection(formatTableHead('not possible or unknown', 'why', 'declared at'), findings),
    formatList('No longer wanted', against?.dropped),
    formatList('No longer declared, kept', against?.undeclared),
    `${formatProse(head.tool)}${who}, ${groupDigits(worked.requests)} requests.\n`,
  ].join('')
  const places = groupBy(entries.filter(isAction), ({ of }) => toPlaceText(of.address))
  const room = maxBytes - Buffer.byteLength(first + last)
  const folds = joinFitting(
    [...places].map((one) => formatFold(one, reported)),
    room,
    'changed objects',
  )
  return `${first}${places.size === 0 ? '' : `${folds}\n`}${last}`
}
