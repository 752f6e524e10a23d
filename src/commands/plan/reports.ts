/** A plan for machines that show it: JUnit XML, SARIF 2.1.0, and Markdown for a note on a merge request. */
import { version } from '../../base/version.js'
import type { PlanEntry } from '../../desired/entries.js'
import type { Origin } from '../../desired/wishes.js'
import type { Services } from '../../engine/command/services.js'
import { type JunitCase, junitOf } from '../reports/junit.js'
import { type SarifResult, sarifOf } from '../reports/sarif.js'
import { writeReport } from '../reports/writing.js'
import type { PlanGiven } from './flags.js'
import { notePage, type Reported } from './markdown.js'
import { changeText, givenText, isAction } from './values.js'

const words: Readonly<Record<string, string>> = {
  create: 'is not there',
  enable: 'is not enabled',
  update: 'differs',
  replace: 'is another',
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
  return junitOf(reported.of, [
    {
      name: `${reported.made.counts.same} objects as they should be`,
      output: certificates.length === 0 ? undefined : certificates.join('\n'),
    },
    ...said.map((entry) => caseOf(entry, reported)),
  ])
}

const rules = {
  drift: 'The instance is not as the files declare it',
  unreadable: 'It could not be read, so that nothing is known of it',
  certificate: 'A certificate ends soon, or ended',
  overridden: 'A value is outside of the range that it overrides',
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
  return sarifOf(
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
