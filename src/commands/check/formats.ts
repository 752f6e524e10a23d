/**
 * How the outcome of a check is written, and which exit codes its reader knows: a row each. Texts come from
 * outside, so that each of them keeps to its line and to its quotes.
 */

import { type CheckOutcome, lineOf } from './outcome.js'
import { type Measure, type Sample, type Severity, severities } from './types.js'

type Safe = (text: string) => string

export interface CheckFormat {
  readonly codes: Readonly<Record<Severity, number>>
  /** Which severity is that of the whole, the first that there is. */
  readonly order: readonly Severity[]
  readonly write: (outcome: CheckOutcome, severity: Severity, safe: Safe) => string
}

/** How the whole stands, as a format sees it. */
export const severityIn = ({ order }: CheckFormat, { findings }: CheckOutcome): Severity =>
  order.find((level) => findings.some((one) => one.level === level)) ?? 'ok'

/** What could not be read counts above what is wrong, as everywhere in this tool. */
const own = {
  codes: { ok: 0, warning: 1, critical: 1, unknown: 8 },
  order: ['unknown', 'critical', 'warning'],
} as const

const rounded = (value: number): string => String(Number(value.toFixed(3)))

const plain = (outcome: CheckOutcome, severity: Severity, safe: Safe): string =>
  `${outcome.fact.name} ${severity}: ${safe(lineOf(outcome))}\n`

const uoms = { percent: '%', seconds: 's', count: '' } as const

/** A range in the words of plugins: alert below `80:`, above `5`. */
const range = ({ bad }: Measure, level: number | undefined): string =>
  level === undefined ? '' : `${rounded(level)}${bad === 'below' ? ':' : ''}`

/** The worst number of a measure, with its levels. */
const perfdata = ({ samples, fact, levels }: CheckOutcome): readonly string[] =>
  Object.entries(fact.measures).flatMap(([name, measure]) => {
    const values = samples.flatMap(({ measure: of, value }) =>
      of === name && value !== undefined ? [value] : [],
    )
    if (values.length === 0) return []
    const worst = measure.bad === 'below' ? Math.min(...values) : Math.max(...values)
    const { warn, crit } = levels.get(name) ?? {}
    return [
      `${name}=${rounded(worst)}${uoms[measure.unit]};${range(measure, warn?.value)};${range(measure, crit?.value)}`,
    ]
  })

/** A bar would begin the numbers. */
const nagios = (outcome: CheckOutcome, severity: Severity, safe: Safe): string => {
  const text = safe(lineOf(outcome)).replaceAll('|', '/')
  const numbers = perfdata(outcome)
  return `${outcome.fact.name.toUpperCase()} ${severity.toUpperCase()} - ${text}${numbers.length === 0 ? '' : ` | ${numbers.join(' ')}`}\n`
}

/** Shares are ratios there. */
const suffixes = { percent: '_ratio', seconds: '_seconds', count: '' } as const
const scaled = ({ unit }: Measure, value: number): string =>
  rounded(unit === 'percent' ? value / 100 : value)

const quoted = (text: string, safe: Safe): string =>
  `"${safe(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

type Labels = Readonly<Record<string, string | undefined>>

const line = (name: string, labels: Labels, value: string, safe: Safe): string => {
  const shown = Object.entries(labels).flatMap(([label, text]) =>
    text === undefined ? [] : [`${label}=${quoted(text, safe)}`],
  )
  return `${name}${shown.length === 0 ? '' : `{${shown.join(',')}}`} ${value}\n`
}

const family = (name: string, help: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`

const prometheus = (outcome: CheckOutcome, severity: Severity, safe: Safe): string => {
  const { fact, samples, address } = outcome
  const status = family(
    'svcctl_check_status',
    'How it stands: 0 ok, 1 warning, 2 critical, 3 could not be read.',
    [
      line(
        'svcctl_check_status',
        { check: fact.name, address },
        String(severities.indexOf(severity)),
        safe,
      ),
    ],
  )
  const measured = Object.entries(fact.measures).map(([name, measure]) => {
    const metric = `svcctl_${fact.name}_${name}${suffixes[measure.unit]}`
    const known = samples.filter(
      (one): one is Sample & { value: number } => one.measure === name && one.value !== undefined,
    )
    const lines = known.map(({ of, value }) =>
      line(metric, { [fact.label]: of, address }, scaled(measure, value), safe),
    )
    return family(metric, `The ${measure.help}.`, lines)
  })
  return [status, ...measured].join('')
}

export const checkFormats = {
  plain: { ...own, write: plain },
  nagios: {
    codes: { ok: 0, warning: 1, critical: 2, unknown: 3 },
    order: ['critical', 'unknown', 'warning'],
    write: nagios,
  },
  prometheus: { ...own, write: prometheus },
} as const satisfies Readonly<Record<string, CheckFormat>>

export type CheckFormatName = keyof typeof checkFormats
export const checkFormatNames = Object.keys(checkFormats) as readonly CheckFormatName[]
