/** A plan for machines that show it: JUnit XML, SARIF 2.1.0, and Markdown for a note on a merge request. */

import { groupBy } from '../../base/group-by.js'
import { escapeMarkdown } from '../../base/markdown-text.js'
import { visible } from '../../base/screen-text.js'
import { grouped } from '../../base/text.js'
import { version } from '../../base/version.js'
import { addressText, placeText } from '../../desired/address.js'
import { entryKinds, entryName, isAction, type PlanEntry } from '../../desired/entries.js'
import type { Services } from '../../engine/command/services.js'
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
  changeRows,
  comparedText,
  countWords,
  failedRows,
  findingRows,
  givenText,
  lostRows,
  noneWords,
  noteMark,
  originIn,
  type ReportedPlan,
  shortened,
  shownChange,
  wantedHead,
} from './rows.js'

/** What differs of an item, a line each. */
const detailOf = (entry: PlanEntry, { of }: ReportedPlan): string =>
  entry.is === 'update'
    ? (entry.of.changes ?? []).map((one) => `${one.attribute}: ${shownChange(one, of)}`).join('\n')
    : givenText(entry)

const wrongOf = ({ is, of }: PlanEntry): string =>
  `${addressText(of.address)} ${entryKinds[is].words?.wrong}`

/** Whether an item is one of those that make the command fail, and why. */
const faultOf = (entry: PlanEntry, { of, failOn, ends }: ReportedPlan): string | undefined => {
  const { is, text } = entry
  const { id, address } = entry.of
  if (id === undefined) return failOn.has(is) ? `${addressText(address)}: ${text}` : undefined
  if (of === 'drift') return wrongOf(entry)
  const end = ends?.get(id)
  return end !== undefined && 'failure' in end ? `${id}: ${end.failure.message}` : undefined
}

const caseOf = (entry: PlanEntry, reported: ReportedPlan): JunitCase => {
  const { address, origin, failure } = entry.of
  const name = addressText(address)
  if (failure !== undefined) {
    const error = { type: failure.category, message: `${name} could not be read` }
    return { name, error: { ...error, text: failure.message } }
  }
  const acts = isAction(entry)
  const at = origin === undefined ? '' : originIn(origin)
  const text = acts ? `${detailOf(entry, reported)}\n${at}`.trim() : at
  const file = acts ? origin?.file : undefined
  const message = faultOf(entry, reported)
  if (message !== undefined)
    return { name, file, failure: { type: acts ? reported.of : entry.is, message, text } }
  return acts ? { name, file, output: text } : { name, skipped: entry.text }
}

/** A case an object that differs or was not read; those that agree are one together. */
const junit = (reported: ReportedPlan): Promise<string> => {
  const { entries, counts } = reported.made
  const certificates = entries
    .filter(({ is }) => is === 'warning')
    .map(({ of, text }) => `${addressText(of.address)}: ${text}`)
  const said = entries.filter(({ is }) => is !== 'note' && is !== 'warning')
  return renderJunit(reported.of, [
    { name: `${counts.same} objects unchanged`, output: certificates.join('\n') || undefined },
    ...said.map((entry) => caseOf(entry, reported)),
  ])
}

const rules = {
  drift: 'The instance differs from the declared state',
  unreadable: 'The object could not be read',
  certificate: 'A certificate has expired or expires soon',
  overridden: 'A value is outside of the declared range',
} as const

const sarif = (reported: ReportedPlan): string => {
  const { head, entries } = reported.made
  const first = { file: head.files[0]?.path ?? 'svcctl', line: 1, column: 1 }
  const resultOf = (entry: PlanEntry): readonly SarifResult[] => {
    const { is, text } = entry
    const { address, origin } = entry.of
    const logical = addressText(address)
    const { file, line, column } = origin ?? first
    const at = { logical, file, line, column }
    if (is === 'unread')
      return [{ ruleId: 'unreadable', level: 'error', text: `${logical} ${text}`, ...at }]
    if (is === 'warning') {
      const ruleId = origin === undefined ? 'certificate' : 'overridden'
      return [{ ruleId, level: 'warning', text: `${logical}: ${text}`, ...at }]
    }
    if (!isAction(entry)) return []
    const level = faultOf(entry, reported) === undefined ? 'note' : 'error'
    const said = [wrongOf(entry), detailOf(entry, reported)].filter(Boolean).join(': ')
    return [{ ruleId: 'drift', level, text: said, ...at }]
  }
  return renderSarif(version, rules, entries.flatMap(resultOf))
}

/**
 * Writes the reports of a plan.
 * @param isDraft true if they are written once more, with the results of the plan
 */
export const writePlanReports = (
  { place }: Services,
  { flags: { report } }: PlanGiven,
  reported: ReportedPlan,
  isDraft = false,
): Rows => {
  const render = {
    junit: () => junit(reported),
    markdown: () => notePage(reported),
    sarif: () => sarif(reported),
  }
  return writeReports(place, report, render, isDraft)
}

// A plan as a note on a merge request: whatever an instance or a file calls things, nothing comes of it but
// text.

/** A note is no longer: what services take is about five times as much. */
const maxBytes = 200_000

/** Text as code in a cell: its own backticks end it no sooner, and its lines are signs. */
const code = (text: string): string => {
  const shown = visible(shortened(text.replace(/\r?\n/g, '⏎'))).replaceAll('|', '\\|')
  const fence = '`'.repeat(1 + Math.max(0, ...(shown.match(/`+/g) ?? []).map((run) => run.length)))
  const room = /^[` ]|[` ]$/.test(shown) ? ' ' : ''
  return `${fence}${room}${shown}${room}${fence}`
}
const prose = (text: string): string => escapeMarkdown(visible(text.replaceAll('\n', ' ')))
const write: CellWriter = { code, prose }

const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`
const table = (...heads: readonly string[]): string =>
  row(...heads) + row(...heads.map(() => '---'))

/** How many items of a place there are, by what is done to them. */
const countsIn = (entries: readonly PlanEntry[], { of }: ReportedPlan): string =>
  Object.entries(entryKinds)
    .flatMap(([kind, { words, drift }]) => {
      const count = entries.filter(({ is }) => is === kind).length
      return count === 0 ? [] : [`${count} ${of === 'drift' ? drift?.count : words?.done}`]
    })
    .join(', ')

/** A place, folded. */
const foldOf = (
  [place, entries]: readonly [string, readonly PlanEntry[]],
  reported: ReportedPlan,
): string =>
  [
    `<details><summary>${prose(place)}: ${countsIn(entries, reported)}</summary>\n\n`,
    table('', 'object', 'attribute', 'now', wantedHead(reported), 'declared at'),
    ...entries.flatMap((entry) =>
      changeRows(entry, write).map((cells, i) => {
        const { mark, drift } = entryKinds[entry.is]
        const sign = (reported.of === 'drift' ? drift?.mark : undefined) ?? mark
        return row(...(i === 0 ? [sign, code(entryName(entry))] : ['', '']), ...cells)
      }),
    ),
    '\n</details>\n',
  ].join('')

/** As many texts as there is room for, and how many are left out. */
const fitting = (texts: readonly string[], bytes: number, what: string): string => {
  let room = bytes
  const kept = texts.filter((text) => {
    room -= Buffer.byteLength(text)
    return room > 0
  })
  const left = texts.length - kept.length
  const cut = left === 0 ? '' : `\n${grouped(left)} more ${what} are not shown.\n`
  return `${kept.join('')}${cut}`
}

const section = (head: string, rows: readonly (readonly string[])[]): string => {
  const texts = rows.map((cells) => row(...cells))
  return rows.length === 0 ? '' : `${head}${fitting(texts, maxBytes / 4, 'objects')}\n`
}

const listed = (head: string, all: readonly string[] = []): string =>
  all.length === 0 ? '' : `${head}: ${all.map(code).join(', ')}.\n\n`

const headOf = ({ of, made }: ReportedPlan): string => {
  const { counts, head, against, plan } = made
  const { todo, rest } = countWords(counts, of)
  const none = noneWords[of].replace(/^n/, 'N')
  const titles = { plan: 'Plan for', apply: 'Apply to', drift: 'Drift of' }
  const refused = plan.refused.map(
    ({ text, flag }) =>
      `**apply rejects this plan**: ${prose(text)}. Pass ${code(flag)} to allow it.\n\n`,
  )
  return [
    `${noteMark(of)}\n## ${titles[of]} ${prose(head.instance)}\n\n`,
    `**${todo.length === 0 ? none : todo.join(', ')}**; ${rest.join('; ')}.\n\n`,
    against === undefined ? '' : `${comparedText(against, code)}\n\n`,
    ...refused,
  ].join('')
}

/** The note. Beyond its size whole places are left out from the end, and counted. */
export const notePage = (reported: ReportedPlan): string => {
  const { of, made } = reported
  const { entries, against, head, worked } = made
  const first = [
    headOf(reported),
    section(table('not done', 'why'), failedRows(reported, write)),
    section(
      table('deleted', 'loss', 'declared at'),
      of === 'drift' ? [] : lostRows(reported, write),
    ),
  ].join('')
  const findings = findingRows(reported, write).map(([object = '', , ...rest]) => [object, ...rest])
  const who = head.user === null ? '' : ` as ${code(head.user)}`
  const last = [
    section(table('not possible or unknown', 'why', 'declared at'), findings),
    listed('No longer wanted', against?.dropped),
    listed('No longer declared, kept', against?.undeclared),
    `${prose(head.tool)}${who}, ${grouped(worked.requests)} requests.\n`,
  ].join('')
  const places = groupBy(entries.filter(isAction), ({ of }) => placeText(of.address))
  const room = maxBytes - Buffer.byteLength(first + last)
  const folds = fitting(
    [...places].map((one) => foldOf(one, reported)),
    room,
    'changed objects',
  )
  return `${first}${places.size === 0 ? '' : `${folds}\n`}${last}`
}
