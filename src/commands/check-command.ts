/** Creates the command of a check, which prints its result for people, Nagios or Prometheus, and ends with the corresponding exit code. */
import { joinFirst } from '../base/text.js'
import { list } from '../catalogue/params.js'
import type { Context } from '../engine/command/context.js'
import type { Given, Special } from '../engine/command/types.js'
import { createExitRow, createTextRow, type Rows, yieldRecord } from '../engine/rows.js'
import { recoverFrom, usage } from '../errors.js'
import {
  type CheckFact,
  type CheckResult,
  type CheckSeverity,
  type Concern,
  checkSeverities,
  describeThresholds,
  judge,
  type Measure,
} from './check-fact.js'
import { type Arguments, createOutputFlag, define } from './define.js'
import { renderNagios, renderPrometheus } from './reports.js'

/** The outcome of a check before it is formatted. */
interface CheckOutcome extends CheckResult {
  readonly fact: CheckFact
  /** The base URL of the instance; undefined if none is configured. */
  readonly address?: string
}

/** The maximum number of findings on the line. */
const maxListed = 5

/** Formats the findings as one line, or the text for a passed check if there are none. */
const formatLine = ({ findings, fine }: Pick<CheckResult, 'findings' | 'fine'>): string =>
  findings.length === 0
    ? fine
    : joinFirst(
        findings.map(({ text }) => text),
        maxListed,
        '; ',
      )

// The output formats with their exit codes.

/** Makes the control characters of a text visible. */
type Sanitizer = (text: string) => string

interface CheckFormat {
  readonly codes: Readonly<Record<CheckSeverity, number>>
  /** The severities by precedence. The first one that occurs is the severity of the whole check. */
  readonly order: readonly CheckSeverity[]
  readonly write: (outcome: CheckOutcome, severity: CheckSeverity, safe: Sanitizer) => string
}

/** Returns the severity of a whole check, by the precedence of a format. */
export const getOverallSeverity = (
  { order }: Pick<CheckFormat, 'order'>,
  findings: readonly Pick<Concern, 'level'>[],
): CheckSeverity => order.find((level) => findings.some((one) => one.level === level)) ?? 'ok'

/** The exit codes and precedence of svcctl itself: unread data takes precedence over wrong data. */
const ownFormat = {
  codes: { ok: 0, warning: 1, critical: 1, unknown: 8 },
  order: ['unknown', 'critical', 'warning'],
} as const

const formatNumber = (value: number): string => String(Number(value.toFixed(3)))

const renderPlain = (outcome: CheckOutcome, severity: CheckSeverity, safe: Sanitizer): string =>
  `${outcome.fact.name} ${severity}: ${safe(formatLine(outcome))}\n`

const uoms = { percent: '%', seconds: 's', count: '' } as const

/** Formats a threshold as a Nagios range: `80:` alerts below 80, and `5` above 5. */
const formatRange = ({ bad }: Measure, level: number | undefined): string =>
  level === undefined ? '' : `${formatNumber(level)}${bad === 'below' ? ':' : ''}`

/** Formats the worst value of each measure with its thresholds, as Nagios performance data. */
const formatPerfdata = ({ samples, fact, levels }: CheckOutcome): readonly string[] =>
  Object.entries(fact.measures).flatMap(([name, measure]) => {
    const values = samples.flatMap(({ measure: of, value }) =>
      of === name && value !== undefined ? [value] : [],
    )
    if (values.length === 0) return []
    const worst = measure.bad === 'below' ? Math.min(...values) : Math.max(...values)
    const { warn, crit } = levels.get(name) ?? {}
    return [
      `${name}=${formatNumber(worst)}${uoms[measure.unit]};${formatRange(measure, warn?.value)};${formatRange(measure, crit?.value)}`,
    ]
  })

const renderCheckNagios = (
  outcome: CheckOutcome,
  severity: CheckSeverity,
  safe: Sanitizer,
): string =>
  renderNagios(outcome.fact.name, severity, safe(formatLine(outcome)), formatPerfdata(outcome))

/** The suffixes of Prometheus metrics. Percentages become ratios. */
const suffixes = { percent: '_ratio', seconds: '_seconds', count: '' } as const
const formatMeasure = ({ unit }: Measure, value: number): string =>
  formatNumber(unit === 'percent' ? value / 100 : value)

const renderCheckPrometheus = (
  outcome: CheckOutcome,
  severity: CheckSeverity,
  safe: Sanitizer,
): string => {
  const { fact, samples, address } = outcome
  const status = {
    name: 'svcctl_check_status',
    help: 'Check status: 0 ok, 1 warning, 2 critical, 3 unknown.',
    values: [{ labels: { check: fact.name, address }, value: checkSeverities.indexOf(severity) }],
  }
  const measured = Object.entries(fact.measures).map(([name, measure]) => ({
    name: `svcctl_${fact.name}_${name}${suffixes[measure.unit]}`,
    help: `The ${measure.help}.`,
    values: samples.flatMap(({ measure: measured, of, value }) =>
      measured !== name || value === undefined
        ? []
        : [{ labels: { [fact.label]: of, address }, value: formatMeasure(measure, value) }],
    ),
  }))
  return renderPrometheus([status, ...measured], safe)
}

/** The formats of checks by name. */
export const checkFormats = {
  plain: { ...ownFormat, write: renderPlain },
  nagios: {
    codes: { ok: 0, warning: 1, critical: 2, unknown: 3 },
    order: ['critical', 'unknown', 'warning'],
    write: renderCheckNagios,
  },
  prometheus: { ...ownFormat, write: renderCheckPrometheus },
} as const satisfies Readonly<Record<string, CheckFormat>>

const checkFormatNames = Object.keys(checkFormats)

const thresholdOptions = { placeholder: 'level' } as const
const commonFlags = {
  warn: list('string', 'warning threshold', thresholdOptions),
  crit: list('string', 'critical threshold', thresholdOptions),
  output: createOutputFlag(checkFormatNames, 'output format', 'plain'),
} as const

/** Returns the base URL of the instance, if the check is about one. */
const findAddress = async ({ place }: Context, fact: CheckFact) => {
  if (fact.everywhere === true) return {}
  try {
    return { address: (await place.session()).baseUrl }
  } catch (error) {
    recoverFrom(error)
    return {}
  }
}

/** Returns the outcome as one record. */
const toCheckRecord = (
  { fact, levels, samples, findings, fine, address }: CheckOutcome,
  status: CheckSeverity,
) => ({
  check: fact.name,
  status,
  message: formatLine({ findings, fine }),
  address,
  findings,
  levels: Object.fromEntries(
    [...levels].map(([name, { warn, crit }]) => [
      name,
      { warn: warn?.value ?? null, crit: crit?.value ?? null },
    ]),
  ),
  measures: samples.map(({ measure, of, value }) => ({
    measure,
    unit: fact.measures[measure]?.unit,
    of,
    value: value ?? null,
  })),
})

/** The record of a check. */
export type CheckRecord = ReturnType<typeof toCheckRecord>

/** The facts of a check that its HTML page shows in addition to the record. */
export interface CheckContext extends Pick<CheckFact, 'measures' | 'label'> {
  readonly code: number
}

/** @throws Failure `usage` if the check's `-o` and the global one contradict each other */
const chooseFormat = ({ place }: Context, asked: string | undefined): CheckFormat => {
  const { output } = place.globals
  if (asked !== undefined && output !== undefined)
    throw usage(`-o ${asked} and -o ${output} exclude each other`)
  const [, format = checkFormats.plain] =
    Object.entries(checkFormats).find(([name]) => name === asked) ?? []
  return format
}

const createRows = (fact: CheckFact) =>
  async function* (context: Context, given: Given): Rows {
    const { answer } = context
    // The parser created the values according to `commonFlags`, so the types are correct.
    const { flags } = given as Arguments<typeof commonFlags>
    const format = chooseFormat(context, flags.output)
    const judged = await judge(fact, context, given, flags)
    const outcome = { fact, ...judged, ...(await findAddress(context, fact)) }
    const severity = getOverallSeverity(format, outcome.findings)
    if (flags.output !== undefined || answer.reader === 'people')
      yield createTextRow(format.write(outcome, severity, answer.text.safe))
    else
      yield* yieldRecord(toCheckRecord(outcome, severity), {
        columns: ['check', 'status', 'message'],
        known: ['address'],
        drawing: 'check',
        title: `Check ${fact.name}: ${severity}`,
        context: { ...fact, code: format.codes[severity] } satisfies CheckContext,
      })
    yield createExitRow(format.codes[severity])
  }

const describeCodes = ({ codes }: CheckFormat): string =>
  Object.entries(codes)
    .map(([severity, code]) => `${code} ${severity}`)
    .join(', ')

const describeDefaults = ({ levels }: CheckFact): string => {
  const texts = [
    ...(levels.warn ?? []).map((text) => `--warn ${text}`),
    ...(levels.crit ?? []).map((text) => `--crit ${text}`),
  ]
  return texts.length === 0
    ? 'Without thresholds, only clear failures count.'
    : `Default thresholds: ${texts.join(' ')}. You can set each one alone.`
}

/** Creates the command of a check. */
export const checkCommand = (fact: CheckFact): Special =>
  define({
    description: [
      ...fact.description,
      `A threshold looks like ${describeThresholds(fact)}; separate several with commas. ${describeDefaults(fact)}`,
      `Prints one line. Exit codes: ${describeCodes(checkFormats.plain)}; with -o nagios: ${describeCodes(checkFormats.nagios)}. Data that cannot be read never counts as OK.`,
    ],
    flags: { ...commonFlags, ...fact.flags },
    readOnly: true,
    ...(fact.everywhere === true || fact.live === true ? {} : { snapshots: true }),
    rows: createRows(fact),
  })
