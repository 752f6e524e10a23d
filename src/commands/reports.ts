/** Renders and writes reports for CI and monitoring: JUnit, SARIF, Nagios and Prometheus. */

import { isAbsolute, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isStream, writeWhole } from '../base/files/files.js'
import { redactSecrets } from '../base/secrets/redact.js'
import type { WorkspaceService } from '../engine/command/context.js'
import type { Rows } from '../engine/rows.js'
import { Failure, getReason } from '../errors.js'

// JUnit XML for CI servers: suites of test cases that passed, failed, had an error or were skipped.

/** Replaces characters that XML 1.0 cannot contain: most control characters, and lone surrogates. */
const cleanXml = (text: string): string =>
  redactSecrets(text).replace(/[^\P{C}\t\n\r\p{Cf}\p{Co}\p{Cn}]|[\ufffe\uffff]/gu, '\ufffd')

/** Replaces line breaks in attributes by spaces, as XML parsers do. */
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
  const toFault = (fault: JunitFault | undefined) =>
    fault && {
      '@type': fault.type,
      '@message': cleanAttribute(fault.message),
      '#text': cleanXml(fault.text),
    }
  const testcase = cases.map(({ name, file, failure, error, skipped, output }) => ({
    '@classname': suite,
    '@name': cleanAttribute(name),
    '@file': file && cleanAttribute(file),
    failure: toFault(failure),
    error: toFault(error),
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

// SARIF 2.1.0 for code scanning: one result per problem, with its place in a file.

/** A problem of a SARIF report. */
export interface SarifResult {
  readonly ruleId: string
  readonly level: 'error' | 'warning' | 'note'
  readonly text: string
  readonly file: string
  readonly line?: number
  readonly column?: number
  /** The address of the object, in addition to the place in the file. */
  readonly logical?: string
}

/** Converts the path of a file to a URI. Characters such as `#`, `?` and `:` are encoded. An absolute path has the scheme `file`, as SARIF requires. */
const toUri = (file: string): string => {
  // Lone surrogates cannot be encoded, so they become replacement characters.
  const path = Buffer.from(file).toString()
  if (isAbsolute(path)) return pathToFileURL(path).href
  return path.split(sep).map(encodeURIComponent).join('/')
}

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
 * @param rules the description of each rule by ID
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
          // YAML parsers and editors count columns in UTF-16 code units, too.
          columnKind: 'utf16CodeUnits',
          results: results.map(toSarifResult),
        },
      ],
    },
    null,
    2,
  )}\n`

// Formats for monitoring. Texts may come from the instance, so they are escaped to stay on their line and in their quotes.

type Sanitizer = (text: string) => string

/** Renders the line of a Nagios plugin. A bar in the text is replaced, because it would begin the performance data. */
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
  /** The values with their labels. Labels that are undefined are omitted. */
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

/** The files of reports by kind. A kind that is given several times has a list. */
type ReportFiles<K extends string> = Readonly<Partial<Record<K, string | readonly string[]>>>

/**
 * Writes a report completely or not at all, because CI would process an incomplete one.
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
 * Writes the reports of a line.
 * @param render creates the text of each kind
 * @param isDraft true if the reports will be written again; standard output and pipes are then skipped
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
