/** How a policy is checked: rule by rule, and how what came of them is written. */
import { version } from '../../../base/version.js'
import type { Services } from '../../../engine/command/services.js'
import { exitCodes, usage } from '../../../errors.js'
import {
  renderJunit,
  renderNagios,
  renderPrometheus,
  renderSarif,
  writeReport,
} from '../../reports.js'
import { several } from '../../words.js'
import { judge, openFindings, type PolicyFinding, type RuleResult } from './judging.js'
import { readPolicy } from './reading.js'
import { type PolicyGiven, type PolicyRule, policySeverities } from './schema.js'

const codes = {
  plain: { fine: 0, failed: exitCodes.failed, unread: exitCodes.partial },
  nagios: { fine: 0, failed: 2, unread: 3 },
} as const

/** The rules that are meant. @throws Failure `usage` for a name that no rule has */
const chosen = (
  rules: readonly PolicyRule[],
  names: readonly string[] | undefined,
): readonly PolicyRule[] => {
  for (const name of names ?? [])
    if (!rules.some((rule) => rule.name === name))
      throw usage(
        `there is no rule ${name}`,
        `The rules are ${rules.map((rule) => rule.name).join(', ')}.`,
      )
  return rules.filter(({ name }) => names === undefined || names.includes(name))
}

const print = async (
  { answer, place }: Services,
  { flags: { output } }: PolicyGiven,
  outcome: PolicyOutcome,
): Promise<void> => {
  const { safe } = answer.text
  if (output === undefined && place.globals.output !== undefined)
    return answer.printMany(
      outcome.judged.flatMap(({ findings }) => findings),
      {
        columns: ['severity', 'rule', 'address', 'message', 'waived'],
        stacks: 'cut',
      },
    )
  if (output === 'prometheus') return answer.write(prometheus(outcome, safe))
  return answer.write(output === 'nagios' ? nagios(outcome, safe) : plain(outcome, safe))
}

/** Checks every rule, and prints what came of them. */
export const runPolicy = async (services: Services, given: PolicyGiven): Promise<void> => {
  const { answer, place, ui } = services
  const { report = {}, rule: names, output } = given.flags
  const stdin = () => place.stdin.text()
  const rules = chosen(await readPolicy(given.args, { cwd: place.cwd, stdin }), names)
  const judged: RuleResult[] = []
  await ui.progress('checking', async (say) => {
    for (const [i, one] of rules.entries()) {
      say(`checking ${one.name}`, i / rules.length)
      judged.push(await judge(services, one))
    }
  })
  const least = policySeverities.indexOf(given.flags['fail-on'])
  const failing = judged
    .flatMap(openFindings)
    .filter(({ severity }) => severity !== 'unread' && policySeverities.indexOf(severity) >= least)
  const unread = judged.flatMap(({ findings }) =>
    findings.filter(({ severity }) => severity === 'unread'),
  )
  const outcome = { judged, failing, unread }
  if (report.junit !== undefined)
    await writeReport(place, 'junit', report.junit, await junit(outcome))
  if (report.sarif !== undefined) await writeReport(place, 'sarif', report.sarif, sarif(outcome))
  await print(services, given, outcome)
  const { fine, failed, unread: gap } = codes[output === 'nagios' ? 'nagios' : 'plain']
  answer.exit(
    unread.length > 0 && (output !== 'nagios' || failing.length === 0)
      ? gap
      : failing.length > 0
        ? failed
        : fine,
  )
}

// How the outcome of a policy is written.

/** What became of all rules. */
interface PolicyOutcome {
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

const plain = (outcome: PolicyOutcome, safe: Safe): string => {
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
  return renderNagios('policy', state, safe(summaryOf(outcome)), [
    `findings=${judged.flatMap(openFindings).length}`,
  ])
}

export const prometheus = ({ judged }: PolicyOutcome, safe: Safe): string =>
  renderPrometheus(
    [
      {
        name: 'svcctl_policy_findings',
        help: 'Objects that break a rule, without those that are waived.',
        values: judged.map((one) => ({
          labels: { rule: one.rule.name, severity: one.rule.severity },
          value: openFindings(one).length,
        })),
      },
      {
        name: 'svcctl_policy_read',
        help: 'Whether everything that a rule judges could be read.',
        values: judged.map(({ rule, findings }) => ({
          labels: { rule: rule.name },
          value: Number(findings.every(({ severity }) => severity !== 'unread')),
        })),
      },
    ],
    safe,
  )

const textIn = (findings: readonly PolicyFinding[]): string =>
  findings.map(({ address, message }) => `${address ?? '-'}: ${message}`).join('\n')

const junit = ({ judged, failing }: PolicyOutcome): Promise<string> =>
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

const sarif = ({ judged }: PolicyOutcome): string =>
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
