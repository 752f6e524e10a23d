/** Renders reports for CI and monitoring: JUnit, SARIF, Nagios and Prometheus. */

import { resolve, sep } from 'node:path'
import { isStream, writeWhole } from '../base/files/files.js'
import { redactSecrets } from '../base/secrets/scrub.js'
import type { WorkspaceService } from '../engine/command/context.js'
import type { Rows } from '../engine/rows.js'
import { Failure, getReason } from '../errors.js'

// JUnit XML, as CI servers read it: suites of cases, each passed, failed, broken or skipped.

/** XML 1.0 holds no control characters but tab and line ends, and no half of a pair. */
const cleanXml = (text: string): string =>
  redactSecrets(text).replace(/[^\P{C}\t\n\r\p{Cf}\p{Co}\p{Cn}]|[\ufffe\uffff]/gu, '\ufffd')

/** Line ends in an attribute would be read as spaces anyway. */
const cleanAttribute = (text: string): string => cleanXml(text).replace(/[\t\n\r]+/g, ' ')

interface JunitFault {
  readonly type: string
  readonly message: string
  readonly text: string
}

/** A test case of a JUnit report. */
export interface JunitCase {
  readonly name: string
  readonly file?: string
  /** The fault of a case that failed. */
  readonly failure?: JunitFault
  /** The fault of a case that could not be read. */
  readonly error?: JunitFault
  readonly skipped?: string
  readonly output?: string
}

/** Renders a JUnit report of one suite. */
export const renderJunit = async (suite: string, cases: readonly JunitCase[]): Promise<string> => {
  const { default: Builder } = await import('fast-xml-builder')
  const count = (what: 'error' | 'failure' | 'skipped'): number =>
    cases.filter((one) => one[what] !== undefined).length
  const counts = {
    '@tests': cases.length,
    '@failures': count('failure'),
    '@errors': count('error'),
  }
  const faultOf = (fault: JunitFault | undefined) =>
    fault && {
      '@type': fault.type,
      '@message': cleanAttribute(fault.message),
      '#text': cleanXml(fault.text),
    }
  const testcase = cases.map(({ name, file, failure, error, skipped, output }) => ({
    '@classname': suite,
    '@name': cleanAttribute(name),
    '@file': file && cleanAttribute(file),
    failure: faultOf(failure),
    error: faultOf(error),
    skipped: skipped === undefined ? undefined : { '@message': cleanAttribute(skipped) },
    'system-out': output === undefined ? undefined : cleanXml(output),
  }))
  const builder = new Builder({
    format: true,
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    suppressEmptyNode: true,
  })
  return builder.build({
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    testsuites: {
      '@name': `svcctl ${suite}`,
      ...counts,
      testsuite: { '@name': suite, ...counts, '@skipped': count('skipped'), testcase },
    },
  })
}

// SARIF 2.1.0, as code scanning reads it: a result a problem, each with its place in a file.

/** A problem of a SARIF report. */
export interface SarifResult {
  readonly ruleId: string
  readonly level: 'error' | 'warning' | 'note'
  readonly text: string
  readonly file: string
  readonly line?: number
  readonly column?: number
  /** The object that it is about, besides the place. */
  readonly logical?: string
}

/** The path of a file as a part of an address: `#`, `?` and `:` are signs of its name. */
const toUri = (file: string): string =>
  // Half of a pair of code units, of which there is no address, becomes what stands for it in UTF-8.
  Buffer.from(file).toString().split(sep).map(encodeURIComponent).join('/')

const toSarifResult = ({ ruleId, level, text, file, line, column, logical }: SarifResult) => ({
  ruleId,
  level,
  message: { text: redactSecrets(text) },
  locations: [
    {
      physicalLocation: {
        artifactLocation: { uri: toUri(file) },
        region: line === undefined ? undefined : { startLine: line, startColumn: column },
      },
      logicalLocations:
        logical === undefined ? undefined : [{ fullyQualifiedName: logical, kind: 'resource' }],
    },
  ],
})

/**
 * Renders a SARIF report of one run.
 * @param rules what each rule finds, by its ID
 */
export const renderSarif = (
  version: string,
  rules: Readonly<Record<string, string>>,
  results: readonly SarifResult[],
): string =>
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
              rules: Object.entries(rules).map(([id, text]) => ({
                id,
                shortDescription: { text },
              })),
            },
          },
          // As the columns of YAML and of editors.
          columnKind: 'utf16CodeUnits',
          results: results.map(toSarifResult),
        },
      ],
    },
    null,
    2,
  )}\n`

// What monitoring reads. Texts come from outside, so that each of them keeps to its line and to its quotes.

type Sanitizer = (text: string) => string

/** Renders the line of a Nagios plugin. A bar in the text is replaced, because it would begin the numbers. */
export const renderNagios = (
  name: string,
  state: string,
  text: string,
  numbers: readonly string[],
): string =>
  `${name.toUpperCase()} ${state.toUpperCase()} - ${text.replaceAll('|', '/')}${numbers.length === 0 ? '' : ` | ${numbers.join(' ')}`}\n`

interface Gauge {
  readonly name: string
  readonly help: string
  /** Values with their labels; a label without a text is left out. */
  readonly values: readonly {
    readonly labels: Readonly<Record<string, string | undefined>>
    readonly value: string | number
  }[]
}

/** Renders gauges for Prometheus, without those that have no values. */
export const renderPrometheus = (gauges: readonly Gauge[], safe: Sanitizer): string =>
  gauges
    .filter(({ values }) => values.length > 0)
    .map(({ name, help, values }) => {
      const lines = values.map(({ labels, value }) => {
        const shown = Object.entries(labels).flatMap(([label, text]) =>
          text === undefined
            ? []
            : [`${label}="${safe(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`],
        )
        return `${name}${shown.length === 0 ? '' : `{${shown.join(',')}}`} ${value}\n`
      })
      return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`
    })
    .join('')

/** The files of reports, by their kind; of a kind that is given more than once a list. */
type ReportFiles<K extends string> = Readonly<Partial<Record<K, string | readonly string[]>>>

/**
 * Writes a report completely or not at all, because CI would take half of one for the result.
 * @throws Failure `failed`
 */
const writeReport = async (
  { clock, cwd }: Pick<WorkspaceService, 'clock' | 'cwd'>,
  kind: string,
  file: string,
  text: string,
): Promise<void> => {
  try {
    await writeWhole(resolve(cwd, file), text, { signal: clock.signal })
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    const what = `cannot write the ${kind} report ${file}`
    throw new Failure('failed', `${what}: ${getReason(cause)}`, { cause })
  }
}

/**
 * Writes the reports that a line asks for.
 * @param render makes the text of each kind
 * @param isDraft true if the same reports are written once more: only files can be replaced then
 * @throws Failure `failed`
 */
export async function* writeReports<K extends string>(
  place: Pick<WorkspaceService, 'clock' | 'cwd'>,
  files: ReportFiles<K> | undefined,
  render: Readonly<Record<K, () => string | Promise<string>>>,
  isDraft = false,
): Rows {
  for (const kind of Object.keys(render) as K[])
    for (const file of [files?.[kind] ?? []].flat()) {
      if (isDraft && (file === '-' || (await isStream(resolve(place.cwd, file))))) continue
      const text = await render[kind]()
      if (file === '-') yield { kind: 'report', text }
      else await writeReport(place, kind, file, text)
    }
}
