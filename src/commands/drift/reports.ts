/** What differs, for machines that show it: JUnit XML, SARIF 2.1.0, and Markdown for a comment. */
import { version } from '../../base/version.js'
import type { PlanAction, PlanDocument, PlanRemark } from '../../desired/planfile/document.js'
import type { Services } from '../../engine/command/services.js'
import type { MadePlan } from '../plan/making.js'
import { summaryOf } from '../plan/summary.js'
import { changeText, givenText } from '../plan/values.js'
import { type JunitCase, junitOf } from '../reports/junit.js'
import { type SarifResult, sarifOf } from '../reports/sarif.js'
import { writeReport } from '../reports/writing.js'

const words: Readonly<Record<PlanAction['verb'] | 'replace', string>> = {
  create: 'is not there',
  enable: 'is not enabled',
  update: 'differs',
  replace: 'is another',
  delete: 'should not be there',
}

/** What differs, each item once: a replacement is two actions. */
const differing = ({ document, replaced }: MadePlan) =>
  document.actions
    .filter(({ id }) => !replaced.has(id))
    .map((one) => ({ ...one, is: words[replaced.has(one.replaces ?? '') ? 'replace' : one.verb] }))

/** What differs of an item, a line each. */
const differences = ({ plan: { actions } }: MadePlan): ReadonlyMap<string, string> =>
  new Map(
    actions.map(({ id, verb, changes }) => [
      id,
      verb === 'update'
        ? changes.map((change) => `${change.attribute}: ${changeText(change)}`).join('\n')
        : verb === 'delete'
          ? ''
          : givenText(changes),
    ]),
  )

const certificates = ({ findings }: PlanDocument): readonly PlanRemark[] =>
  findings.filter(({ is }) => is === 'warning')

const fileOf = (origin: string): string => origin.replace(/:\d+:\d+$/, '')

/** A case an object that differs or was not read; those that agree are one together. */
const junit = (made: MadePlan, failOn: ReadonlySet<string>): Promise<string> => {
  const { document } = made
  const details = differences(made)
  const cases: JunitCase[] = [
    {
      name: `${document.counts.same} objects as they should be`,
      ...(certificates(document).length === 0
        ? {}
        : {
            output: certificates(document)
              .map((one) => `${one.address}: ${one.text}`)
              .join('\n'),
          }),
    },
    ...differing(made).map(({ id, address, is, origin }) => ({
      name: address,
      file: fileOf(origin),
      failure: {
        type: 'drift',
        message: `${address} ${is}`,
        text: `${details.get(id) ?? ''}\n${origin}`.trim(),
      },
    })),
    ...document.unread.map(({ address, category, message }) => ({
      name: address,
      error: { type: category, message: `${address} could not be read`, text: message },
    })),
    ...document.findings
      .filter(({ is }) => is !== 'note' && is !== 'warning')
      .map(({ is, address, text, origin = '' }) => ({
        name: address,
        ...(failOn.has(is)
          ? { failure: { type: is, message: `${address}: ${text}`, text: origin } }
          : { skipped: text }),
      })),
  ]
  return junitOf('drift', cases)
}

const rules = {
  drift: 'The instance is not as the files declare it',
  unreadable: 'It could not be read, so that nothing is known of it',
  certificate: 'A certificate ends soon, or ended',
} as const

const placed = (origin: string | undefined): Pick<SarifResult, 'file' | 'line' | 'column'> => {
  const [, file, line, column] = /^(.*):(\d+):(\d+)$/.exec(origin ?? '') ?? []
  return { file: file ?? 'svcctl', line: Number(line ?? 1), column: Number(column ?? 1) }
}

const sarif = (made: MadePlan, version: string): string => {
  const { document } = made
  const details = differences(made)
  const first = document.files[0]?.path
  return sarifOf(version, rules, [
    ...differing(made).map(({ id, address, is, origin }) => ({
      ruleId: 'drift',
      level: 'error' as const,
      text: [`${address} ${is}`, details.get(id)].filter(Boolean).join(': '),
      logical: address,
      ...placed(origin),
    })),
    ...document.unread.map(({ address, message }) => ({
      ruleId: 'unreadable',
      level: 'error' as const,
      text: `${address} could not be read: ${message}`,
      logical: address,
      ...placed(first === undefined ? undefined : `${first}:1:1`),
    })),
    ...certificates(document).map(({ address, text, origin }) => ({
      ruleId: 'certificate',
      level: 'warning' as const,
      text: `${address}: ${text}`,
      logical: address,
      ...placed(origin ?? (first === undefined ? undefined : `${first}:1:1`)),
    })),
  ])
}

/** A comment of a merge request: a table of what differs, and what it comes to. */
const markdown = async (made: MadePlan): Promise<string> => {
  const { escaped } = await import('../../output/markdown.js')
  const { document, worked } = made
  const details = differences(made)
  const row = (cells: readonly string[]): string => `| ${cells.map(escaped).join(' | ')} |`
  const rows = [
    ...differing(made).map(({ id, address, is, origin }) =>
      row([address, [is, details.get(id)].filter(Boolean).join(': '), origin]),
    ),
    ...document.unread.map(({ address, message }) =>
      row([address, `could not be read: ${message}`, '']),
    ),
    ...document.findings.map(({ address, text, origin = '' }) => row([address, text, origin])),
  ]
  const table = ['| address | difference | declared at |', '| --- | --- | --- |', ...rows, '']
  const sum = summaryOf(document.counts, worked).replace(/^Plan/, 'Drift')
  return `${[`## Drift of ${escaped(document.instance)}`, '', ...(rows.length === 0 ? [] : table), escaped(sum)].join('\n')}\n`
}

/** Files for reports, by their kind. */
export type DriftReports = Readonly<Partial<Record<'junit' | 'markdown' | 'sarif', string>>>

/** Writes the reports that were asked for. */
export const writeDrift = async (
  { place }: Services,
  reports: DriftReports,
  made: MadePlan,
  failOn: ReadonlySet<string>,
): Promise<void> => {
  const { junit: tests, markdown: comment, sarif: scan } = reports
  if (tests !== undefined) await writeReport(place, 'junit', tests, await junit(made, failOn))
  if (comment !== undefined) await writeReport(place, 'markdown', comment, await markdown(made))
  if (scan !== undefined) await writeReport(place, 'sarif', scan, sarif(made, version))
}
