/** SARIF 2.1.0, as code scanning reads it: a result a problem, each with its place in a file. */
import { sep } from 'node:path'

export interface SarifResult {
  readonly ruleId: string
  readonly level: 'error' | 'warning' | 'note'
  readonly text: string
  readonly file: string
  readonly line?: number
  readonly column?: number
  /** What it is about besides the place. */
  readonly logical?: string
}

/** The path of a file as a part of an address: `#`, `?` and `:` are signs of its name. */
const addressOf = (file: string): string =>
  // Half of a pair of code units, of which there is no address, becomes what stands for it in UTF-8.
  Buffer.from(file).toString().split(sep).map(encodeURIComponent).join('/')

const resultOf = ({ ruleId, level, text, file, line, column, logical }: SarifResult) => ({
  ruleId,
  level,
  message: { text },
  locations: [
    {
      physicalLocation: {
        artifactLocation: { uri: addressOf(file) },
        region: { startLine: line ?? 1, startColumn: column },
      },
      logicalLocations:
        logical === undefined ? undefined : [{ fullyQualifiedName: logical, kind: 'resource' }],
    },
  ],
})

/**
 * A report of one run.
 * @param rules what each rule finds, by its id
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
          results: results.map(resultOf),
        },
      ],
    },
    null,
    2,
  )}\n`
