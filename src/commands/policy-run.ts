/** Implements `check policy`: reads the policy files, checks each rule, and prints and writes the results. */

import { dirname, join } from 'node:path'
import { Findings } from '../base/documents/findings.js'
import { readDocuments } from '../base/documents/index.js'
import type { Origin } from '../base/documents/written.js'
import { splitCommand } from '../base/shell-words.js'
import { formatCount } from '../base/text.js'
import { version } from '../base/version.js'
import { SharedReads } from '../client/shared-reads.js'
import {
  formatPath,
  type PathOptions,
  type ReadText,
  readNamedFiles,
} from '../desired/files/paths.js'
import type { AnswerService, Context } from '../engine/command/context.js'
import {
  createExitRow,
  type RecordView,
  type Rows,
  yieldRecords,
  yieldText,
} from '../engine/rows.js'
import { Failure, usage } from '../errors.js'
import { isNarrow } from './answers.js'
import { checkFormats, getOverallSeverity } from './check-command.js'
import { type PolicyArguments, type PolicyRule, policySchema, policySeverities } from './policy.js'
import {
  checkRule,
  findShared,
  getOpenFindings,
  judgeRule,
  type PolicyFinding,
  type RuleResult,
} from './policy-rules.js'
import {
  renderJunit,
  renderNagios,
  renderPrometheus,
  renderSarif,
  writeReports,
} from './reports.js'

/** Reads the rules of a file with their positions, and the files that it includes. */
const readFile = async (
  { path, bytes }: ReadText,
  findings: Findings,
): Promise<{ readonly rules: readonly PolicyRule[]; readonly include: readonly string[] }> => {
  const documents = await readDocuments(policySchema, bytes, formatPath(path), findings)
  const rules = documents.flatMap(({ value, at }) =>
    (value.rules ?? []).flatMap(({ list, waive = [], ...rule }, i): readonly PolicyRule[] => {
      const path = ['rules', i]
      const words = findings.tried(at([...path, 'list']), () => splitCommand(list))
      const waivers = waive.map((one, n) => ({ ...one, origin: at([...path, 'waive', n]) }))
      if (words === undefined) return []
      return [{ severity: 'error', ...rule, list: words, waive: waivers, origin: at(path) }]
    }),
  )
  return { rules, include: documents.flatMap(({ value }) => value.include ?? []) }
}

/** Adds a finding for each duplicate name of a rule. */
const checkNames = (rules: readonly PolicyRule[], findings: Findings): void => {
  const named = new Map<string, Origin>()
  for (const { name, origin } of rules) {
    const before = named.get(name)
    if (before !== undefined)
      findings.addDuplicate(origin, `the name ${name} is used twice`, before)
    named.set(name, origin)
  }
}

/**
 * Reads the rules of policy files and of included files, each file once.
 * @throws Failure `usage` with all mistakes and their positions
 */
const readPolicy = async (
  paths: readonly string[],
  place: Context['place'],
): Promise<readonly PolicyRule[]> => {
  const { cwd, clock, stdin } = place
  const options: PathOptions = { cwd, stdin: () => stdin.text(), signal: clock.signal }
  const findings = new Findings()
  const known = new Set<string>()
  const rules: PolicyRule[] = []
  const queue = [...(await readNamedFiles(paths, options))]
  for (const text of queue) {
    if (known.has(text.path)) continue
    known.add(text.path)
    const { rules: own, include } = await readFile(text, findings)
    rules.push(...own)
    for (const path of include)
      queue.push(...(await readNamedFiles([join(dirname(text.path), path)], options)))
  }
  await place.checkInputs([...known])
  findings.refuse()
  checkNames(rules, findings)
  findings.refuse()
  if (rules.length === 0)
    throw new Failure('usage', 'the policy has no rules', {
      hint: 'svcctl help snapshots shows an example.',
    })
  return rules
}

// Checking the rules.

/**
 * Chooses the rules that a line names.
 * @throws Failure `usage` for an unknown name
 */
const chooseRules = (
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

/** The facts that the HTML page shows in addition to the findings: the result, and all rules with their counts. */
export interface PolicyContext {
  readonly failOn: string
  readonly failing: number
  readonly unread: number
  readonly rules: readonly {
    readonly name: string
    readonly severity: string
    readonly findings: number
    readonly waived: number
  }[]
}

const collectFindings = ({ judged }: PolicyOutcome): readonly PolicyFinding[] =>
  judged.flatMap(({ findings }) => findings)

/** Sorts findings for the HTML page, the most severe first. */
const sortFindings = (outcome: PolicyOutcome): readonly PolicyFinding[] => {
  const ranks: readonly string[] = ['unread', ...policySeverities.toReversed()]
  return collectFindings(outcome).toSorted(
    (a, b) => ranks.indexOf(a.severity) - ranks.indexOf(b.severity),
  )
}

const createPolicyPage = (
  { judged, failing, unread }: PolicyOutcome,
  failOn: string,
): Pick<RecordView, 'context' | 'drawing' | 'title'> => {
  const rules = judged.map((one) => ({
    name: one.rule.name,
    severity: one.rule.severity,
    findings: getOpenFindings(one).length,
    waived: one.findings.filter(({ waived }) => waived !== null).length,
  }))
  const found = rules.reduce((sum, { findings }) => sum + findings, 0)
  const broken = rules.filter(({ findings }) => findings > 0).length
  const context: PolicyContext = { failOn, failing: failing.length, unread: unread.length, rules }
  const title = `Policy: ${formatCount(found, 'finding')} in ${broken} of ${formatCount(rules.length, 'rule')}`
  return { drawing: 'policy', context, title }
}

const yieldOutcome = (
  { answer, place }: Context,
  { flags }: PolicyArguments,
  outcome: PolicyOutcome,
): Rows => {
  const { output } = flags
  const { safe } = answer.text
  if (output === undefined && place.globals.output !== undefined)
    return yieldRecords(
      answer.reader === 'pages' ? sortFindings(outcome) : collectFindings(outcome),
      {
        ...(isNarrow(answer)
          ? // The first column is never shortened, so it is the most important one.
            { columns: ['address', 'severity', 'message', 'rule'] }
          : {
              columns: ['severity', 'rule', 'address', 'message', 'waived'],
              stacks: 'cut' as const,
            }),
        ...createPolicyPage(outcome, flags['fail-on']),
      },
    )
  if (output === 'prometheus') return yieldText(renderPolicyPrometheus(outcome, safe))
  return yieldText(
    output === 'nagios' ? renderPolicyNagios(outcome, safe) : renderPlain(outcome, answer),
  )
}

/** Checks all rules and prints the result. */
export async function* checkPolicy(context: Context, given: PolicyArguments): Rows {
  const { place, ui } = context
  const { report, rule: names, output } = given.flags
  const rules = chooseRules(await readPolicy(given.args, place), names)
  for (const one of rules) await checkRule(context, one)
  const shared = findShared(rules)
  const reads = new SharedReads()
  const judged: RuleResult[] = []
  await ui.showProgress('checking', async (say) => {
    for (const [i, one] of rules.entries()) {
      say(`checking ${one.name}`, i / rules.length)
      judged.push(await judgeRule(context, one, { reads, whole: shared.has(one) }))
    }
  })
  const least = policySeverities.indexOf(given.flags['fail-on'])
  const failing = judged
    .flatMap(getOpenFindings)
    .filter(({ severity }) => severity !== 'unread' && policySeverities.indexOf(severity) >= least)
  const unread = judged.flatMap(({ findings }) =>
    findings.filter(({ severity }) => severity === 'unread'),
  )
  const outcome = { judged, failing, unread }
  yield* writeReports(place, report, {
    junit: () => renderPolicyJunit(outcome),
    sarif: () => renderPolicySarif(outcome),
  })
  yield* yieldOutcome(context, given, outcome)
  const format = checkFormats[output === 'nagios' ? 'nagios' : 'plain']
  yield createExitRow(format.codes[getOverallSeverity(format, toConcerns(outcome))])
}

// Printing the results.

/** The outcome of all rules. */
interface PolicyOutcome {
  readonly judged: readonly RuleResult[]
  readonly failing: readonly PolicyFinding[]
  readonly unread: readonly PolicyFinding[]
}

/** Converts the findings that count to those of a check. */
const toConcerns = ({ failing, unread }: Pick<PolicyOutcome, 'failing' | 'unread'>) => [
  ...failing.map(() => ({ level: 'critical' as const })),
  ...unread.map(() => ({ level: 'unknown' as const })),
]

const describePolicyOutcome = ({ judged, unread }: PolicyOutcome): string => {
  const found = judged.flatMap(getOpenFindings)
  const counts = policySeverities.toReversed().flatMap((severity) => {
    const count = found.filter((one) => one.severity === severity).length
    return count === 0 ? [] : [`${count} ${severity}`]
  })
  const kept = judged
    .flatMap(({ findings }) => findings)
    .filter((one) => one.waived !== null).length
  return [
    `${formatCount(judged.length, 'rule')}: ${counts.length === 0 ? 'no findings' : counts.join(', ')}`,
    ...(kept === 0 ? [] : [`${kept} waived`]),
    ...(unread.length === 0 ? [] : [`${formatCount(unread.length, 'list')} could not be read`]),
  ].join(', ')
}

type Sanitizer = (text: string) => string

/** Renders one line per finding. On a terminal, the message of a long line is on the next one. */
const renderPlain = (outcome: PolicyOutcome, { terminal, text, width }: AnswerService): string => {
  const lines = outcome.judged.flatMap(({ findings }) =>
    findings.map(({ rule, severity, address, message, waived: why }) => {
      const head = `${why === null ? severity : 'waived'} ${rule} ${address ?? '-'}:`
      const whole = `${message}${why === null ? '' : ` (${why})`}`
      return terminal && head.length + 1 + whole.length > width
        ? `${text.wrapHanging(head, 0)}\n  ${text.wrapHanging(whole, 2)}`
        : text.safe(`${head} ${whole}`)
    }),
  )
  return `${[...lines, describePolicyOutcome(outcome)].join('\n')}\n`
}

/** Renders the result for Nagios. */
const renderPolicyNagios = (outcome: PolicyOutcome, safe: Sanitizer): string => {
  const state = getOverallSeverity(checkFormats.nagios, toConcerns(outcome))
  return renderNagios('policy', state, safe(describePolicyOutcome(outcome)), [
    `findings=${outcome.judged.flatMap(getOpenFindings).length}`,
  ])
}

/** Renders the result as Prometheus metrics. */
const renderPolicyPrometheus = ({ judged }: PolicyOutcome, safe: Sanitizer): string =>
  renderPrometheus(
    [
      {
        name: 'svcctl_policy_findings',
        help: 'Objects that break a rule, without those that are waived.',
        values: judged.map((one) => ({
          labels: { rule: one.rule.name, severity: one.rule.severity },
          value: getOpenFindings(one).length,
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

const formatFindings = (findings: readonly PolicyFinding[]): string =>
  findings.map(({ address, message }) => `${address ?? '-'}: ${message}`).join('\n')

const renderPolicyJunit = ({ judged, failing }: PolicyOutcome): Promise<string> =>
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
          error: {
            type: 'unread',
            message: 'could not be read',
            text: formatFindings([...gaps, ...bad]),
          },
        }
      if (bad.length === 0)
        return { name: rule.name, file, output: formatFindings(findings) || undefined }
      const message = formatCount(bad.length, 'finding')
      return {
        name: rule.name,
        file,
        failure: { type: rule.severity, message, text: formatFindings(bad) },
      }
    }),
  )

const levels = {
  info: 'note',
  warning: 'warning',
  error: 'error',
  critical: 'error',
  unread: 'error',
} as const

const renderPolicySarif = ({ judged }: PolicyOutcome): string =>
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
