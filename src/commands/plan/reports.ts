/** A plan for machines that show it: JUnit XML, SARIF 2.1.0, and Markdown for a note on a merge request. */

import { groupBy } from '../../base/group-by.js'
import { grouped } from '../../base/text.js'
import { version } from '../../base/version.js'
import type { Change } from '../../desired/actions.js'
import type { PlanEntry } from '../../desired/entries.js'
import type { Origin } from '../../desired/state.js'
import type { Services } from '../../engine/command/services.js'
import { escaped } from '../../output/markdown.js'
import { visible } from '../../terminal/text/escape.js'
import {
  type JunitCase,
  renderJunit,
  renderSarif,
  type SarifResult,
  writeReport,
} from '../reports.js'
import type { PlanGiven } from './flags.js'
import type { MadePlan } from './making.js'
import {
  changeText,
  comparedText,
  countWords,
  describeListChange,
  describeSecretSource,
  givenText,
  isAction,
  marks,
  valueText,
} from './values.js'

const words: Readonly<Record<string, string>> = {
  create: 'is missing',
  enable: 'is not enabled',
  update: 'differs',
  replace: 'differs',
  delete: 'should not be there',
}

const originIn = ({ file, line, column }: Origin): string => `${file}:${line}:${column}`

/** What differs of an item, a line each. */
const detailOf = ({ is, changes }: PlanEntry): string =>
  is === 'update'
    ? changes.map((change) => `${change.attribute}: ${changeText(change)}`).join('\n')
    : givenText(changes)

/** Whether an item is one of those that make the command fail, and why. */
const faultOf = (entry: PlanEntry, { of, failOn, ends }: Reported): string | undefined => {
  const { id, is, text, full } = entry
  if (id === undefined) return failOn.has(is) ? `${full}: ${text}` : undefined
  if (of === 'drift') return `${full} ${words[is]}`
  const end = ends?.get(id)
  return end?.failed === true ? `${id}: ${end.text}` : undefined
}

const caseOf = (entry: PlanEntry, reported: Reported): JunitCase => {
  const { full: name, origin, failure, is, text } = entry
  const fault = faultOf(entry, reported)
  const at = origin === undefined ? '' : originIn(origin)
  const detail = isAction(entry) ? `${detailOf(entry)}\n${at}`.trim() : at
  if (failure !== undefined) {
    const error = { type: failure.category, message: `${name} could not be read` }
    return { name, error: { ...error, text: failure.message } }
  }
  const file = isAction(entry) ? origin?.file : undefined
  if (fault !== undefined) {
    const type = isAction(entry) ? reported.of : is
    return { name, file, failure: { type, message: fault, text: detail } }
  }
  return isAction(entry) ? { name, file, output: detail } : { name, skipped: text }
}

/** A case an object that differs or was not read; those that agree are one together. */
const junit = (reported: Reported): Promise<string> => {
  const entries = reported.made.entries
  const certificates = entries
    .filter(({ is }) => is === 'warning')
    .map(({ full, text }) => `${full}: ${text}`)
  const said = entries.filter(({ is }) => is !== 'note' && is !== 'warning')
  return renderJunit(reported.of, [
    {
      name: `${reported.made.counts.same} objects unchanged`,
      output: certificates.length === 0 ? undefined : certificates.join('\n'),
    },
    ...said.map((entry) => caseOf(entry, reported)),
  ])
}

const rules = {
  drift: 'The instance differs from the declared state',
  unreadable: 'The object could not be read',
  certificate: 'A certificate has expired or expires soon',
  overridden: 'A value is outside of the declared range',
} as const

const resultOf = (entry: PlanEntry, reported: Reported, first: Origin): readonly SarifResult[] => {
  const { full: name, origin = first, is, text } = entry
  const at = { logical: name, file: origin.file, line: origin.line, column: origin.column }
  if (is === 'unread')
    return [{ ruleId: 'unreadable', level: 'error', text: `${name} ${text}`, ...at }]
  if (is === 'warning' && entry.origin !== undefined)
    return [{ ruleId: 'overridden', level: 'warning', text: `${name}: ${text}`, ...at }]
  if (is === 'warning')
    return [{ ruleId: 'certificate', level: 'warning', text: `${name}: ${text}`, ...at }]
  if (!isAction(entry)) return []
  const level = faultOf(entry, reported) === undefined ? 'note' : 'error'
  const said = [`${name} ${words[is]}`, detailOf(entry)].filter(Boolean).join(': ')
  return [{ ruleId: 'drift', level, text: said, ...at }]
}

const sarif = (reported: Reported): string => {
  const { head } = reported.made
  const first = { file: head.files[0]?.path ?? 'svcctl', line: 1, column: 1 }
  return renderSarif(
    version,
    rules,
    reported.made.entries.flatMap((entry) => resultOf(entry, reported, first)),
  )
}

/** Writes the reports that were asked for. */
export const writeReports = async (
  { place }: Services,
  { flags: { report = {} } }: PlanGiven,
  reported: Reported,
): Promise<void> => {
  const { junit: tests, markdown: note, sarif: scan } = report
  if (tests !== undefined) await writeReport(place, 'junit', tests, await junit(reported))
  if (note !== undefined) await writeReport(place, 'markdown', note, notePage(reported))
  if (scan !== undefined) await writeReport(place, 'sarif', scan, sarif(reported))
}

// A plan as a note on a merge request: whatever an instance or a file calls things, nothing comes of it but
// text.

/** What became of an action. */
export interface ActionEnd {
  readonly failed: boolean
  readonly text: string
}

/** What a report is of. */
export interface Reported {
  /** The command: what differs is a failure of `drift`, and to be done by the others. */
  readonly of: 'plan' | 'apply' | 'drift'
  readonly made: MadePlan
  readonly failOn: ReadonlySet<string>
  /** What became of actions, by their ids, once they were carried out. */
  readonly ends?: ReadonlyMap<string, ActionEnd>
}

/** A note is no longer: what services take is about five times as much. */
const maxBytes = 200_000
const longestValue = 300

const shortened = (text: string): string =>
  text.length > longestValue ? `${text.slice(0, longestValue)}…` : text

/** Text as code in a cell: its own backticks end it no sooner, and its lines are signs. */
const code = (text: string): string => {
  const shown = visible(shortened(text.replace(/\r?\n/g, '⏎'))).replaceAll('|', '\\|')
  const fence = '`'.repeat(1 + Math.max(0, ...(shown.match(/`+/g) ?? []).map((run) => run.length)))
  const room = /^[` ]|[` ]$/.test(shown) ? ' ' : ''
  return `${fence}${room}${shown}${room}${fence}`
}
const prose = (text: string): string => escaped(visible(text.replaceAll('\n', ' ')))
const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`
const table = (...heads: readonly string[]): string =>
  row(...heads) + row(...heads.map(() => '---'))

/** How a form writes texts of files and of an instance, and our own. */
interface Ink {
  readonly code: (text: string) => string
  readonly prose: (text: string) => string
}
const noteInk: Ink = { code, prose }
const plainInk: Ink = { code: shortened, prose: (text) => text }

// The rows of a plan's tables, which the note and a page have in common.

type Row = readonly string[]

const originCell = (origin: Origin | undefined, ink: Ink): string => {
  if (origin === undefined) return ''
  const at = ink.code(originIn(origin))
  if (origin.team === undefined) return at
  const { name, over = [] } = origin.team
  const others = over.length === 0 ? '' : ` over ${over.map(ink.code).join(', ')}`
  return `${at}, team ${ink.code(name)}${others}`
}

/** An attribute as it is, and as it is planned. */
const changeCells = ({ now, wanted, secret, within }: Change, isNew: boolean, ink: Ink): Row => {
  if (secret !== undefined)
    return [isNew ? '' : 'cannot be read', ink.code(describeSecretSource(secret))]
  const list = isNew ? undefined : describeListChange(now, wanted)
  if (list !== undefined) {
    const signed = (sign: string, ones: readonly string[]): Row =>
      ones.map((one) => `${sign} ${ink.code(one)}`)
    return ['', [...signed('−', list.gone), ...signed('+', list.come)].join(' ')]
  }
  const cell = (value: Change['now']): string =>
    ink.code(typeof value === 'string' && value !== '' ? value : valueText(value))
  const atLeast = within === undefined ? '' : `${ink.prose(within)}: `
  return [isNew ? '' : cell(now), `${atLeast}${cell(wanted)}`]
}

/** Of each attribute of an item its name, what it is, what is planned, and where; one row for an item without any. */
const changeRows = ({ is, changes, origin }: PlanEntry, ink: Ink): readonly Row[] => {
  const isNew = is === 'create' || is === 'enable'
  if (changes.length === 0) return [['', '', '', originCell(origin, ink)]]
  return changes.map((change) => [
    ink.code(change.attribute),
    ...changeCells(change, isNew, ink),
    originCell(change.origin, ink),
  ])
}

/** What is lost, a row a set: of its items the first, and how many more there are. */
const lostRows = (entries: readonly PlanEntry[], ink: Ink): readonly Row[] => {
  const lost = entries.filter(({ is }) => is === 'delete')
  const sets = groupBy(lost, ({ place, address: { kind } }) => `${place}:${kind}`)
  return [...sets.values()].flatMap((ones) =>
    ones.slice(0, 1).map(({ full, loses = '', origin }) => {
      const more = ones.length === 1 ? '' : ` (and ${ones.length - 1} more)`
      return [`${ink.code(full)}${more}`, ink.prose(loses), originCell(origin, ink)]
    }),
  )
}

const findingRows = (entries: readonly PlanEntry[], ink: Ink): readonly Row[] =>
  entries
    .filter((entry) => !isAction(entry))
    .map(({ full, is, text, origin }) => [
      ink.code(full),
      is,
      ink.prose(text),
      originCell(origin, ink),
    ])

const failedRows = ({ ends = new Map() }: Reported, ink: Ink): readonly Row[] =>
  [...ends].flatMap(([id, { failed, text }]) => (failed ? [[ink.code(id), ink.prose(text)]] : []))

const verbs = [
  ['create', 'created'],
  ['enable', 'enabled'],
  ['update', 'changed'],
  ['replace', 'replaced'],
  ['delete', 'deleted'],
] as const

const countsIn = (entries: readonly PlanEntry[]): string =>
  verbs
    .flatMap(([verb, word]) => {
      const count = entries.filter(({ is }) => is === verb).length
      return count === 0 ? [] : [`${count} ${word}`]
    })
    .join(', ')

/** A place, folded. */
const foldOf = (place: string, entries: readonly PlanEntry[]): string =>
  [
    `<details><summary>${prose(place)}: ${countsIn(entries)}</summary>\n\n`,
    table('', 'object', 'attribute', 'now', 'planned', 'declared at'),
    ...entries.flatMap((entry) =>
      changeRows(entry, noteInk).map((cells, i) =>
        row(...(i === 0 ? [marks[entry.is], code(entry.name)] : ['', '']), ...cells),
      ),
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

const section = (head: string, rows: readonly Row[]): string => {
  const texts = rows.map((cells) => row(...cells))
  return rows.length === 0 ? '' : `${head}${fitting(texts, maxBytes / 4, 'objects')}\n`
}

/** What the plan is held against, and what it leaves. */
const comparedWith = ({ against }: MadePlan): readonly [string, string] => {
  if (against === undefined) return ['', '']
  const { dropped, undeclared } = against
  const listed = (head: string, all: readonly string[]): string =>
    all.length === 0 ? '' : `${head}: ${all.map(code).join(', ')}.\n\n`
  return [
    `${comparedText(against, code)}\n\n`,
    listed('No longer wanted', dropped) + listed('No longer declared, kept', undeclared),
  ]
}

const headOf = ({ of, made }: Reported): string => {
  const { todo, rest } = countWords(made.counts)
  const titles = { plan: 'Plan for', apply: 'Apply to', drift: 'Drift of' }
  const refused = made.plan.refused.map(
    ({ text, flag }) =>
      `**apply rejects this plan**: ${prose(text)}. Pass ${code(flag)} to allow it.\n\n`,
  )
  return [
    `<!-- svcctl:${of} -->\n## ${titles[of]} ${prose(made.head.instance)}\n\n`,
    `**${todo.length === 0 ? 'Nothing to do' : todo.join(', ')}**; ${rest.join('; ')}.\n\n`,
    comparedWith(made)[0],
    ...refused,
  ].join('')
}

const footOf = ({ made: { head, worked } }: Reported): string => {
  const { tool, user } = head
  const who = user === null ? '' : ` as ${code(user)}`
  return `${prose(tool)}${who}, ${grouped(worked.requests)} requests.\n`
}

/** The note. Beyond its size whole places are left out from the end, and counted. */
export const notePage = (reported: Reported): string => {
  const entries = reported.made.entries
  const head = [
    headOf(reported),
    section(table('not done', 'why'), failedRows(reported, noteInk)),
    section(table('deleted', 'loss', 'declared at'), lostRows(entries, noteInk)),
  ].join('')
  const last = [
    section(
      table('not possible or unknown', 'why', 'declared at'),
      findingRows(entries, noteInk).map(([object = '', , ...rest]) => [object, ...rest]),
    ),
    comparedWith(reported.made)[1],
    footOf(reported),
  ].join('')
  const folds = [...groupBy(entries.filter(isAction), ({ place }) => place)].map(([place, ones]) =>
    foldOf(place, ones),
  )
  const room = maxBytes - Buffer.byteLength(head + last)
  const shown = folds.length === 0 ? '' : `${fitting(folds, room, 'changed objects')}\n`
  return `${head}${shown}${last}`
}

// A plan as a page: what changes, then what is lost, not possible or not done.

/** A table of a page. */
interface PageSection {
  readonly section: string
  readonly columns: readonly string[]
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

const places = ['place', 'action', 'object', 'attribute', 'now', 'planned', 'declared_at']

/** The tables of a plan's page, what changes first. */
export const pageSections = (reported: Reported): readonly PageSection[] => {
  const { entries } = reported.made
  const changes = entries
    .filter(isAction)
    .flatMap((entry) =>
      changeRows(entry, plainInk).map((cells) => [entry.place, entry.is, entry.name, ...cells]),
    )
  const tables: readonly (readonly [string, readonly string[], readonly Row[]])[] = [
    ['Changes', places, changes],
    ['Not done', ['object', 'reason'], failedRows(reported, plainInk)],
    ['Deleted', ['object', 'loss', 'declared_at'], lostRows(entries, plainInk)],
    [
      'Not possible or unknown',
      ['object', 'finding', 'reason', 'declared_at'],
      findingRows(entries, plainInk),
    ],
  ]
  return tables
    .filter(([, , rows], i) => i === 0 || rows.length > 0)
    .map(([section, columns, rows]) => ({
      section,
      columns,
      rows: rows.map((cells) => Object.fromEntries(columns.map((name, i) => [name, cells[i]]))),
    }))
}
