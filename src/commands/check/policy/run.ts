/** A policy, checked rule by rule. */
import type { Services } from '../../../engine/command/services.js'
import { exitCodes, usage } from '../../../errors.js'
import { writeReport } from '../../reports/writing.js'
import { judge, openFindings, type RuleResult } from './judging.js'
import { readPolicy } from './reading.js'
import { type PolicyGiven, type PolicyRule, policySeverities } from './schema.js'
import { junit, nagios, type PolicyOutcome, plain, prometheus, sarif } from './written.js'

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
  if (output === 'prometheus') return answer.write(prometheus(outcome))
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
