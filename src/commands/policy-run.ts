/** Runs `check policy`: reads the policy files, judges each rule, and writes the reports. */

import { dirname, join } from 'node:path'
import { isDay } from '../base/dates.js'
import { splitCommand } from '../base/shell-words.js'
import { formatCount } from '../base/text.js'
import { decodeUtf8, findEncodingFault } from '../base/utf8.js'
import { version } from '../base/version.js'
import { SharedReads } from '../client/shared-reads.js'
import { Mistakes, type WrittenValue } from '../desired/files/nodes.js'
import {
  filesAt,
  type PathOptions,
  parsedDocuments,
  type ReadText,
  shownPath,
} from '../desired/files/parse.js'
import type { Origin } from '../desired/state.js'
import type { Services } from '../engine/command/services.js'
import { createExitRow, type Rows, yieldRecords, yieldText } from '../engine/rows.js'
import { exitCodes, Failure, usage } from '../errors.js'
import {
  type Policy,
  type PolicyArguments,
  type PolicyRule,
  policySchema,
  policySeverities,
  type Schema,
} from './policy.js'
import {
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

/** What a value says by its schema; maps say where they stand as well. */
const readValue = (
  written: WrittenValue,
  name: string,
  schema: Schema,
  mistakes: Mistakes,
): unknown => {
  if (schema.properties !== undefined) return readMap(written, name, schema, mistakes)
  if (schema.items !== undefined) {
    const { items } = schema
    if (written.is !== 'list') return mistakes.mistyped(written, `${name} must be a list`)
    return written.items.flatMap(
      (one) => readValue(one, items.title ?? name, items, mistakes) ?? [],
    )
  }
  const value = written.is === 'scalar' ? written.value : undefined
  if (schema.const !== undefined)
    return value === schema.const
      ? value
      : mistakes.add(written.origin, `${name} must be ${schema.const}, ${schema.description}`)
  if (typeof value !== 'string' || value.trim() === '')
    return mistakes.mistyped(written, `${name} must be text`)
  const { origin } = written
  if (schema.enum?.includes(value) === false) {
    const hint = `Use one of ${schema.enum.join(', ')}.`
    return void mistakes.unknown({ key: value, origin }, schema.enum, hint)
  }
  if (schema.format === 'date' && !isDay(value))
    return mistakes.add(origin, `${name} must be a day such as 2027-01-31, not "${value}"`)
  if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value))
    return mistakes.add(origin, `"${value}" is not a valid ${name}`, `Use ${schema.description}.`)
  if (schema.format === 'command-line') return mistakes.tried(origin, () => splitCommand(value))
  return value
}

const readMap = (
  written: WrittenValue,
  name: string,
  schema: Schema,
  mistakes: Mistakes,
): unknown => {
  if (written.is !== 'map') return mistakes.mistyped(written, `${name} must be a map`)
  const { properties = {}, required = [], oneOf } = schema
  const { entries, origin } = written
  const has = (key: string): boolean => entries.some((entry) => entry.key === key)
  for (const key of required) if (!has(key)) mistakes.add(origin, `${key} is missing`)
  const either = oneOf?.flatMap((one) => one.required)
  if (either !== undefined && either.filter(has).length !== 1)
    mistakes.add(origin, `${name} has either ${either.join(' or ')}`)
  const defaults = Object.entries(properties).flatMap(([key, { default: value }]) =>
    value === undefined ? [] : [[key, value] as const],
  )
  const values = entries.map((entry) => {
    const inner = Object.hasOwn(properties, entry.key) ? properties[entry.key] : undefined
    if (inner === undefined) return void mistakes.unknown(entry, Object.keys(properties))
    return [entry.key, readValue(entry.value, entry.key, inner, mistakes)] as const
  })
  return {
    ...Object.fromEntries([...defaults, ...values.filter((one) => one !== undefined)]),
    origin,
  }
}

/** What a file says; a part that is a mistake is absent. */
const parseFile = async (
  { path, bytes }: ReadText,
  mistakes: Mistakes,
): Promise<readonly Partial<Policy>[]> => {
  const file = shownPath(path)
  const fault = findEncodingFault(bytes)
  if (fault !== undefined) {
    mistakes.add({ file, line: 1, column: 1 }, `the file ${fault}`)
    return []
  }
  const documents = await parsedDocuments(decodeUtf8(bytes), file, mistakes)
  return documents.map(
    (one) => (readValue(one, 'a policy', policySchema, mistakes) as Partial<Policy>) ?? {},
  )
}

/**
 * Reads the rules of policy files and of the files that they include, each file once.
 * @throws Failure `usage` with all mistakes, each with its position
 */
const readPolicy = async (
  paths: readonly string[],
  place: Services['place'],
): Promise<readonly PolicyRule[]> => {
  const options: PathOptions = { cwd: place.cwd, stdin: () => place.stdin.text() }
  const mistakes = new Mistakes()
  const known = new Set<string>()
  const rules: PolicyRule[] = []
  let due = await filesAt(paths, options)
  while (due.length > 0) {
    const further: ReadText[] = []
    for (const read of due) {
      if (known.has(read.path)) continue
      known.add(read.path)
      for (const { rules: own = [], include = [] } of await parseFile(read, mistakes)) {
        rules.push(...own)
        for (const path of include)
          further.push(...(await filesAt([join(dirname(read.path), path)], options)))
      }
    }
    due = further
  }
  await place.checkInputs([...known])
  mistakes.refuse()
  const named = new Map<string, Origin>()
  for (const { name, origin } of rules) {
    const before = named.get(name)
    if (before !== undefined) mistakes.twice(origin, `the name ${name} is used twice`, before)
    named.set(name, origin)
  }
  mistakes.refuse()
  if (rules.length === 0)
    throw new Failure('usage', 'the policy has no rules', {
      hint: 'svcctl help snapshots shows an example.',
    })
  return rules
}

// How a policy is checked: rule by rule, and how what came of them is written.

const codes = {
  plain: { fine: 0, failed: exitCodes.failed, unread: exitCodes.partial },
  nagios: { fine: 0, failed: 2, unread: 3 },
} as const

/** The rules that are meant. @throws Failure `usage` for a name that no rule has */
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

const describeOutcome = (
  { answer, place }: Services,
  { flags: { output } }: PolicyArguments,
  outcome: PolicyOutcome,
): Rows => {
  const { safe } = answer.text
  if (output === undefined && place.globals.output !== undefined)
    return yieldRecords(
      outcome.judged.flatMap(({ findings }) => findings),
      {
        columns: ['severity', 'rule', 'address', 'message', 'waived'],
        stacks: 'cut',
      },
    )
  if (output === 'prometheus') return yieldText(renderPolicyPrometheus(outcome, safe))
  return yieldText(
    output === 'nagios' ? renderPolicyNagios(outcome, safe) : renderPlain(outcome, safe),
  )
}

/** Checks all rules and prints the result. */
export async function* checkPolicy(services: Services, given: PolicyArguments): Rows {
  const { place, ui } = services
  const { report, rule: names, output } = given.flags
  const rules = chooseRules(await readPolicy(given.args, place), names)
  const shared = findShared(rules)
  const reads = new SharedReads()
  const judged: RuleResult[] = []
  await ui.progress('checking', async (say) => {
    for (const [i, one] of rules.entries()) {
      say(`checking ${one.name}`, i / rules.length)
      judged.push(await judgeRule(services, one, { reads, whole: shared.has(one) }))
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
  yield* describeOutcome(services, given, outcome)
  const { fine, failed, unread: gap } = codes[output === 'nagios' ? 'nagios' : 'plain']
  yield createExitRow(
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

const summarize = ({ judged, unread }: PolicyOutcome): string => {
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

const renderPlain = (outcome: PolicyOutcome, safe: Sanitizer): string => {
  const lines = outcome.judged.flatMap(({ findings }) =>
    findings.map(({ rule, severity, address, message, waived: why }) =>
      safe(
        `${why === null ? severity : 'waived'} ${rule} ${address ?? '-'}: ${message}${why === null ? '' : ` (${why})`}`,
      ),
    ),
  )
  return `${[...lines, summarize(outcome)].join('\n')}\n`
}

/** Renders the result for Nagios. */
const renderPolicyNagios = (outcome: PolicyOutcome, safe: Sanitizer): string => {
  const { failing, unread, judged } = outcome
  const state = failing.length > 0 ? 'CRITICAL' : unread.length > 0 ? 'UNKNOWN' : 'OK'
  return renderNagios('policy', state, safe(summarize(outcome)), [
    `findings=${judged.flatMap(getOpenFindings).length}`,
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
