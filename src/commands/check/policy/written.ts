/** How the outcome of a policy is written. */
import { version } from '../../../base/version.js'
import { several } from '../../health/words.js'
import { renderJunit } from '../../reports/junit.js'
import { renderSarif } from '../../reports/sarif.js'
import { openFindings, type PolicyFinding, type RuleResult } from './judging.js'
import { policySeverities } from './schema.js'

/** What became of all rules. */
export interface PolicyOutcome {
  readonly judged: readonly RuleResult[]
  readonly failing: readonly PolicyFinding[]
  readonly unread: readonly PolicyFinding[]
}

const summaryOf = ({ judged, unread }: PolicyOutcome): string => {
  const found = judged.flatMap(openFindings)
  const counts = policySeverities.toReversed().flatMap((severity) => {
    const count = found.filter((one) => one.severity === severity).length
    return count === 0 ? [] : [`${count} ${severity}`]
  })
  const kept = judged
    .flatMap(({ findings }) => findings)
    .filter((one) => one.waived !== null).length
  return [
    `${several(judged.length, 'rule')}: ${counts.length === 0 ? 'no findings' : counts.join(', ')}`,
    ...(kept === 0 ? [] : [`${kept} waived`]),
    ...(unread.length === 0 ? [] : [`${several(unread.length, 'list')} could not be read`]),
  ].join(', ')
}

type Safe = (text: string) => string

export const plain = (outcome: PolicyOutcome, safe: Safe): string => {
  const lines = outcome.judged.flatMap(({ findings }) =>
    findings.map(({ rule, severity, address, message, waived: why }) =>
      safe(
        `${why === null ? severity : 'waived'} ${rule} ${address ?? '-'}: ${message}${why === null ? '' : ` (${why})`}`,
      ),
    ),
  )
  return `${[...lines, summaryOf(outcome)].join('\n')}\n`
}

export const nagios = (outcome: PolicyOutcome, safe: Safe): string => {
  const { failing, unread, judged } = outcome
  const state = failing.length > 0 ? 'CRITICAL' : unread.length > 0 ? 'UNKNOWN' : 'OK'
  return `POLICY ${state} - ${safe(summaryOf(outcome)).replaceAll('|', '/')} | findings=${judged.flatMap(openFindings).length}\n`
}

const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

export const prometheus = ({ judged }: PolicyOutcome): string => {
  const rules = judged.map((one) => {
    const { name, severity } = one.rule
    const isRead = one.findings.every((finding) => finding.severity !== 'unread')
    return {
      findings: `svcctl_policy_findings{rule=${quoted(name)},severity=${quoted(severity)}} ${openFindings(one).length}`,
      read: `svcctl_policy_read{rule=${quoted(name)}} ${isRead ? 1 : 0}`,
    }
  })
  return [
    '# HELP svcctl_policy_findings Objects that break a rule, without those that are waived.',
    '# TYPE svcctl_policy_findings gauge',
    ...rules.map(({ findings }) => findings),
    '# HELP svcctl_policy_read Whether everything that a rule judges could be read.',
    '# TYPE svcctl_policy_read gauge',
    ...rules.map(({ read }) => read),
    '',
  ].join('\n')
}

const textIn = (findings: readonly PolicyFinding[]): string =>
  findings.map(({ address, message }) => `${address ?? '-'}: ${message}`).join('\n')

export const junit = ({ judged, failing }: PolicyOutcome): Promise<string> =>
  renderJunit(
    'policy',
    judged.map(({ rule, findings }) => {
      const bad = findings.filter((one) => failing.includes(one))
      const gaps = findings.filter(({ severity }) => severity === 'unread')
      const file = rule.origin.file
      if (gaps.length > 0)
        return {
          name: rule.name,
          file,
          error: { type: 'unread', message: 'could not be read', text: textIn([...gaps, ...bad]) },
        }
      if (bad.length === 0) return { name: rule.name, file, output: textIn(findings) || undefined }
      const message = several(bad.length, 'finding')
      return { name: rule.name, file, failure: { type: rule.severity, message, text: textIn(bad) } }
    }),
  )

const levels = {
  info: 'note',
  warning: 'warning',
  error: 'error',
  critical: 'error',
  unread: 'error',
} as const

export const sarif = ({ judged }: PolicyOutcome): string =>
  renderSarif(
    version,
    Object.fromEntries(
      judged.map(({ rule }) => [
        rule.name,
        `${rule.where === undefined ? `each ${rule.each}` : `none ${rule.where}`} of ${rule.list.join(' ')}`,
      ]),
    ),
    judged.flatMap(({ rule: { name, origin }, findings }) =>
      findings
        .filter(({ waived: why }) => why === null)
        .map(({ severity, address, message }) => ({
          ruleId: name,
          level: levels[severity],
          text: `${address ?? '-'}: ${message}`,
          file: origin.file,
          line: origin.line,
          column: origin.column,
          ...(address !== null && { logical: address }),
        })),
    ),
  )
