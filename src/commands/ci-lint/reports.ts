/** Reports for CI: JUnit XML and SARIF 2.1.0. */
import { version } from '../../base/version.js'
import { type JunitCase, junitOf } from '../reports/junit.js'
import { type SarifResult, sarifOf } from '../reports/sarif.js'
import { writeReport } from '../reports/writing.js'
import type { Services } from '../services.js'
import { type Problem, placeOf, type Verdict } from './types.js'

const lines = (verdict: Verdict, problems: readonly Problem[]): string =>
  problems.map((p) => `${placeOf(verdict.file, p)}: ${p.message}`).join('\n')

/** A test case a file; errors fail it, with --strict warnings too. */
const caseOf = (verdict: Verdict, strict: boolean): JunitCase => {
  const { file, valid, errors, warnings } = verdict
  const failing = strict ? [...errors, ...warnings] : errors
  const failure = {
    type: 'invalid',
    message: failing[0]?.message ?? 'invalid',
    text: lines(verdict, failing),
  }
  return {
    name: file,
    file,
    ...(!valid || failing.length > 0 ? { failure } : {}),
    ...(warnings.length > 0 ? { output: lines(verdict, warnings) } : {}),
  }
}

const result = (verdict: Verdict, problem: Problem, level: 'error' | 'warning'): SarifResult => ({
  ruleId: verdict.local === true ? 'yaml-syntax' : 'ci-configuration',
  level,
  text: problem.message,
  file: verdict.file,
  line: problem.line,
  column: problem.column,
})

const rules = {
  'yaml-syntax': 'The file is not YAML',
  'ci-configuration': 'The instance refuses or warns of the configuration',
} as const

/** Files for reports, by their kind. */
export type Reports = Readonly<Partial<Record<'junit' | 'sarif', string>>>

/** Writes the reports that were asked for. */
export const writeReports = async (
  { place }: Services,
  { junit, sarif }: Reports,
  verdicts: readonly Verdict[],
  strict: boolean,
): Promise<void> => {
  if (junit !== undefined) {
    const cases = verdicts.map((verdict) => caseOf(verdict, strict))
    await writeReport(place, 'junit', junit, await junitOf('ci lint', cases))
  }
  if (sarif === undefined) return
  const results = verdicts.flatMap((v) => [
    ...v.errors.map((p) => result(v, p, 'error')),
    ...v.warnings.map((p) => result(v, p, 'warning')),
  ])
  await writeReport(place, 'sarif', sarif, sarifOf(version, rules, results))
}
