/** Reports for CI: JUnit XML and SARIF 2.1.0, written whole or not at all. */
import { resolve } from 'node:path'
import { writeWhole } from '../../base/files/files.js'
import { Failure, reasonOf } from '../../errors.js'
import type { Services } from '../services.js'
import { type Problem, placeOf, type Verdict } from './types.js'

/** XML 1.0 holds no control characters but tab and line ends, and no half of a pair. */
const clean = (text: string): string =>
  text.replace(/[^\P{C}\t\n\r\p{Cf}\p{Co}\p{Cn}]|[\ufffe\uffff]/gu, '\ufffd')

const lines = (verdict: Verdict, problems: readonly Problem[]): string =>
  problems.map((p) => `${placeOf(verdict.file, p)}: ${p.message}`).join('\n')

/** JUnit: a test case a file; errors fail it, with --strict warnings too. */
const junit = async (verdicts: readonly Verdict[], strict: boolean): Promise<string> => {
  const { create } = await import('xmlbuilder2')
  const failing = (v: Verdict): readonly Problem[] =>
    strict ? [...v.errors, ...v.warnings] : v.errors
  const failed = verdicts.filter((v) => !v.valid || failing(v).length > 0)
  const document = create({ version: '1.0', encoding: 'UTF-8' })
  const counts = { tests: verdicts.length, failures: failed.length, errors: 0 }
  const suite = document
    .ele('testsuites', { name: 'svcctl ci lint', ...counts })
    .ele('testsuite', { name: 'ci lint', ...counts, skipped: 0 })
  for (const verdict of verdicts) {
    const test = suite.ele('testcase', {
      classname: 'ci lint',
      name: clean(verdict.file),
      file: clean(verdict.file),
    })
    if (failed.includes(verdict)) {
      const [first] = failing(verdict)
      test
        .ele('failure', { type: 'invalid', message: clean(first?.message ?? 'invalid') })
        .txt(clean(lines(verdict, failing(verdict))))
    }
    if (verdict.warnings.length > 0)
      test.ele('system-out').txt(clean(lines(verdict, verdict.warnings)))
  }
  return `${document.end({ prettyPrint: true })}\n`
}

const result = (verdict: Verdict, problem: Problem, level: 'error' | 'warning') => ({
  ruleId: verdict.local === true ? 'yaml-syntax' : 'ci-configuration',
  level,
  message: { text: problem.message },
  locations: [
    {
      physicalLocation: {
        artifactLocation: { uri: encodeURI(verdict.file) },
        region: {
          startLine: problem.line ?? 1,
          ...(problem.column === undefined ? {} : { startColumn: problem.column }),
        },
      },
    },
  ],
})

/** SARIF: a result a problem. */
const sarif = (verdicts: readonly Verdict[], version: string): string =>
  `${JSON.stringify(
    {
      $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
      version: '2.1.0',
      runs: [
        {
          tool: {
            driver: {
              name: 'svcctl',
              version,
              rules: [
                { id: 'yaml-syntax', shortDescription: { text: 'The file is not YAML' } },
                {
                  id: 'ci-configuration',
                  shortDescription: { text: 'The instance refuses or warns of the configuration' },
                },
              ],
            },
          },
          results: verdicts.flatMap((v) => [
            ...v.errors.map((p) => result(v, p, 'error')),
            ...v.warnings.map((p) => result(v, p, 'warning')),
          ]),
        },
      ],
    },
    null,
    2,
  )}\n`

/** Files for reports, by their kind. */
export type Reports = Readonly<Partial<Record<'junit' | 'sarif', string>>>

/** A report is there whole or not at all: CI would take half a one for the result. */
export const writeReports = async (
  { place }: Services,
  reports: Reports,
  verdicts: readonly Verdict[],
  strict: boolean,
): Promise<void> => {
  for (const kind of ['junit', 'sarif'] as const) {
    const file = reports[kind]
    if (file === undefined) continue
    const text =
      kind === 'junit' ? await junit(verdicts, strict) : sarif(verdicts, place.about().version)
    try {
      await writeWhole(resolve(place.cwd, file), text, { signal: place.clock.signal })
    } catch (cause) {
      if (cause instanceof Failure) throw cause
      const what = `cannot write the ${kind} report ${file}`
      throw new Failure('failed', `${what}: ${reasonOf(cause)}`, { cause })
    }
  }
}
