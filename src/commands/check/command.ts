/** A check as a command: everything that is the same for all of them. */
import { list, oneOf } from '../../catalogue/params.js'
import { survived, usage } from '../../errors.js'
import { define, type GivenBy } from '../define.js'
import { whyUnread } from '../glance/unread.js'
import type { Services } from '../services.js'
import type { Given, Special } from '../types.js'
import {
  type CheckFormat,
  type CheckFormatName,
  checkFormatNames,
  checkFormats,
  severityIn,
} from './formats.js'
import { levelsOf, takenBy } from './levels.js'
import { type CheckOutcome, judged, lineOf } from './outcome.js'
import type { CheckFact, Observed, Severity } from './types.js'

const level = { placeholder: 'level' } as const
const common = {
  warn: list('string', 'warn beyond this level', level),
  crit: list('string', 'critical beyond this level', level),
  format: oneOf(checkFormatNames, 'who reads it: plain unless given'),
} as const

/** What could not be read at all is known by one finding; what would help is said beside it. */
const unread = ({ person }: Services, error: unknown): Observed => {
  const failure = survived(error)
  if (failure.category === 'usage') throw error
  if (failure.details.hint !== undefined) person.note(failure.details.hint)
  return { samples: [], findings: [{ level: 'unknown', text: whyUnread(failure) }], fine: '' }
}

/** The instance that is asked, where it is one. */
const addressOf = async ({ place }: Services, fact: CheckFact) => {
  if (fact.everywhere === true) return {}
  try {
    return { address: (await place.session()).baseUrl }
  } catch (error) {
    survived(error)
    return {}
  }
}

/** The outcome as one object. */
const recordOf = (
  { fact, levels, samples, findings, fine, address }: CheckOutcome,
  status: Severity,
) => ({
  check: fact.name,
  status,
  message: lineOf({ samples, findings, fine }),
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

/** @throws Failure `usage` where both say how it is written */
const formatIn = ({ place }: Services, asked: CheckFormatName | undefined): CheckFormat => {
  const { output } = place.globals
  if (asked !== undefined && output !== undefined)
    throw usage(`--format ${asked} and -o ${output} both say how the outcome is written`)
  return checkFormats[asked ?? 'plain']
}

const checking =
  (fact: CheckFact) =>
  async (services: Services, given: Given): Promise<void> => {
    const { answer, person } = services
    // The parser made each value by the flag that is declared above.
    const { flags } = given as GivenBy<typeof common>
    const format = formatIn(services, flags.format)
    const levels = levelsOf(fact, flags)
    const seen = await person.progress('checking', () =>
      fact.read(services, given).catch((error: unknown) => unread(services, error)),
    )
    const outcome = {
      fact,
      levels,
      ...judged(fact, levels, seen),
      ...(await addressOf(services, fact)),
    }
    const severity = severityIn(format, outcome)
    if (flags.format !== undefined || answer.reader === 'people')
      await answer.write(format.write(outcome, severity, answer.text.safe))
    else
      await answer.print(recordOf(outcome, severity), {
        columns: ['check', 'status', 'message'],
        known: ['address'],
      })
    answer.exit(format.codes[severity])
  }

const codesText = ({ codes }: CheckFormat): string =>
  Object.entries(codes)
    .map(([severity, code]) => `${code} ${severity}`)
    .join(', ')

const levelTexts = ({ levels }: CheckFact): string => {
  const texts = [
    ...(levels.warn ?? []).map((text) => `--warn ${text}`),
    ...(levels.crit ?? []).map((text) => `--crit ${text}`),
  ]
  return texts.length === 0
    ? 'Without levels only what is wrong by itself counts.'
    : `Without levels: ${texts.join(' ')}; one of them alone sets that one.`
}

/** The command of a check. */
export const checkCommand = (fact: CheckFact): Special =>
  define({
    summary: fact.summary,
    description: [
      ...fact.description,
      `A level is such as ${takenBy(fact)}; several are joined by commas. ${levelTexts(fact)}`,
      `One line, and as exit code: ${codesText(checkFormats.plain)}; with --format nagios: ${codesText(checkFormats.nagios)}. What cannot be read is never fine.`,
    ],
    examples: fact.examples,
    flags: { ...common, ...fact.flags },
    looks: true,
    run: checking(fact),
  })
