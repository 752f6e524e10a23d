/** Formats the values, changes and counts of a plan for its page, note and reports, and implements `plan --explain`. */
import { groupBy } from '../../base/collections.js'
import { isJsonList, type JsonValue } from '../../base/objects.js'
import { openHeld } from '../../base/secrets/redact.js'
import { formatCount, groupDigits, listPathsTo } from '../../base/text.js'
import type { Change } from '../../desired/actions.js'
import {
  listParentGroups,
  type ManagedPlace,
  matchesGlob,
  toAddressText,
  toPlaceText,
} from '../../desired/address.js'
import { entryKinds, isAction, type PlanEntry } from '../../desired/entries.js'
import type { DeclaredState, DesiredPlace } from '../../desired/files/index.js'
import type { PlanCounts } from '../../desired/planfile.js'
import { openView } from '../../desired/reading/index.js'
import { checkGlobs } from '../../desired/selection.js'
import {
  type DesiredKind,
  type DesiredValue,
  formatOrigin,
  formatSecretSource,
  type Origin,
  type SecretSource,
  type SourcedValue,
} from '../../desired/state.js'
import { subtractMembers } from '../../desired/values.js'
import type { Context } from '../../engine/command/context.js'
import { type Rows, yieldRecords } from '../../engine/rows.js'
import type { Outcome } from '../../engine/work/report.js'
import { usage } from '../../errors.js'
import { type PlanGiven, parseSelection } from './flags.js'
import { toReadable } from './instance.js'
import { getDesiredPlaces, type MadePlan, readDeclaredState } from './make.js'

/** A plan to report. */
export interface ReportedPlan {
  /** The command. For `drift`, differences are failures; for the others, they are changes to make. */
  readonly of: 'plan' | 'apply' | 'drift'
  readonly made: MadePlan
  readonly failOn: ReadonlySet<string>
  /** The outcomes of actions by ID, after the plan was applied. */
  readonly ends?: ReadonlyMap<string, Outcome<unknown>>
}

/** The first line of a note or Markdown report, by which a later run recognizes its own. */
export const noteMark = (of: ReportedPlan['of']): string => `<!-- svcctl:${of} -->`

// Values.

/** Formats a value. An unset value becomes a word, and a text of several lines becomes their number. */
const formatValue = (value: JsonValue | undefined): string => {
  if (value === undefined) return 'unknown'
  if (value === null) return 'unset'
  if (value === '') return "''"
  if (Array.isArray(value))
    return value.length === 0 ? 'none' : value.map((one) => formatValue(one)).join(' ')
  if (typeof value === 'string') {
    const { length } = value.trimEnd().split('\n')
    return length > 1 ? `(${length} lines)` : value
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Describes the source of a secret, without the secret. */
const describeSecretSource = (source: SecretSource): string => {
  if (!('literal' in source)) return `from ${formatSecretSource(source)}`
  return openHeld(source.literal) === '' ? 'to nothing' : 'as in the file'
}

/** The symbols for removed and added members, and between two values. */
export interface ChangeSymbols {
  readonly gone: string
  readonly come: string
  readonly to: string
}
const symbols: ChangeSymbols = { gone: '-', come: '+', to: '→' }

/** Returns the members that a list loses and gains; undefined if the values are not lists. */
const getListChange = ({ now, wanted }: Change) => {
  if (!isJsonList(now) && !isJsonList(wanted)) return undefined
  // An unset value changes like an empty list.
  const [was, will] = [now ?? [], wanted ?? []]
  if (!isJsonList(was) || !isJsonList(will)) return undefined
  const [gone, come] = [
    subtractMembers(was, will, undefined),
    subtractMembers(will, was, undefined),
  ]
  return { gone: gone.map(formatValue), come: come.map(formatValue) }
}

/** Formats the change of an attribute of an existing item. */
const formatChangeText = (change: Change, signs: ChangeSymbols): string => {
  const { now, wanted, secret, within } = change
  if (secret !== undefined) return `set ${describeSecretSource(secret)}`
  const list = getListChange(change)
  if (list !== undefined) {
    const gone = list.gone.map((one) => `${signs.gone} ${one}`)
    return [...gone, ...list.come.map((one) => `${signs.come} ${one}`)].join('  ')
  }
  const [before, after] = [formatValue(now), formatValue(wanted)]
  if (within !== undefined) return `${before} ${signs.to} ${within}: ${after}`
  return before === after ? `another, ${after}` : `${before} ${signs.to} ${after}`
}

/**
 * Formats a change for a command. A plan shows the way from the instance to the files, and drift the way from the files to the instance.
 */
export const formatChange = (
  change: Change,
  of: ReportedPlan['of'],
  signs: ChangeSymbols = symbols,
): string => {
  if (of !== 'drift') return formatChangeText(change, signs)
  const { now, wanted, within } = change
  if (within !== undefined) return `${within} ${signs.to} ${formatValue(now)}`
  return formatChangeText({ ...change, now: wanted, wanted: now }, signs)
}

/** Formats the attributes of a new item in one line. */
export const formatGiven = ({ of: { changes = [] } }: PlanEntry): string =>
  changes
    .map(({ attribute, wanted, secret }) => {
      const value = secret === undefined ? formatValue(wanted) : describeSecretSource(secret)
      return `${attribute} ${value}`
    })
    .join(', ')

// Rows of table cells, for the page and the note.

type Row = readonly string[]

/** The functions that format code and prose in an output format. */
export interface CellWriter {
  readonly formatCode: (text: string) => string
  readonly formatProse: (text: string) => string
}

/** Formats the position of a declaration, without its team. */
export const formatPosition = ({ file, line, column }: Origin): string =>
  `${file}:${line}:${column}`

const formatOriginCell = (origin: Origin | undefined, { formatCode }: CellWriter): string => {
  if (origin === undefined) return ''
  const at = formatCode(formatPosition(origin))
  if (origin.team === undefined) return at
  const { name, over = [] } = origin.team
  const others = over.length === 0 ? '' : ` over ${over.map(formatCode).join(', ')}`
  return `${at}, team ${formatCode(name)}${others}`
}

/** Returns two cells of an attribute: the current and the planned value. */
const createChangeCells = (
  change: Change,
  isNew: boolean,
  { formatCode, formatProse }: CellWriter,
): Row => {
  const { now, wanted, secret, within } = change
  if (secret !== undefined)
    return [isNew ? '' : 'cannot be read', formatCode(describeSecretSource(secret))]
  const list = isNew ? undefined : getListChange(change)
  if (list !== undefined) {
    const gone = list.gone.map((one) => `− ${formatCode(one)}`)
    return ['', [...gone, ...list.come.map((one) => `+ ${formatCode(one)}`)].join(' ')]
  }
  const formatCell = (value: JsonValue | undefined): string =>
    formatCode(typeof value === 'string' && value !== '' ? value : formatValue(value))
  const range = within === undefined ? '' : `${formatProse(within)}: `
  return [isNew ? '' : formatCell(now), `${range}${formatCell(wanted)}`]
}

/**
 * Creates a row for each attribute of an item: its name, current value, planned value and origin. An item without attributes has one row.
 */
export const createChangeRows = ({ is, of }: PlanEntry, write: CellWriter): readonly Row[] => {
  const { changes = [], origin } = of
  const isNew = is === 'create' || is === 'enable'
  if (changes.length === 0) return [['', '', '', formatOriginCell(origin, write)]]
  return changes.map((change) => [
    write.formatCode(change.attribute),
    ...createChangeCells(change, isNew, write),
    formatOriginCell(change.origin, write),
  ])
}

/** Creates a row for each set that loses items, with the first item and the number of others. */
export const createLossRows = ({ made }: ReportedPlan, write: CellWriter): readonly Row[] => {
  const lost = made.entries.filter(({ is }) => is === 'delete')
  const sets = groupBy(lost, ({ of: { address } }) => `${toPlaceText(address)}:${address.kind}`)
  return [...sets.values()].flatMap((ones) =>
    ones.slice(0, 1).map(({ of: { address, loses = '', origin } }) => {
      const more = ones.length === 1 ? '' : ` (and ${ones.length - 1} more)`
      const first = `${write.formatCode(toAddressText(address))}${more}`
      return [first, write.formatProse(loses), formatOriginCell(origin, write)]
    }),
  )
}

/** Creates a row for each finding: its object, reason and origin. */
export const createFindingRows = ({ made }: ReportedPlan, write: CellWriter): readonly Row[] =>
  made.entries.flatMap((entry) => {
    const { address, origin } = entry.of
    const cells = [write.formatProse(entry.text), formatOriginCell(origin, write)]
    return isAction(entry) ? [] : [[write.formatCode(toAddressText(address)), ...cells]]
  })

/** Creates a row for each failed action, with the reason. */
export const createFailureRows = ({ ends }: ReportedPlan, write: CellWriter): readonly Row[] =>
  [...(ends ?? [])].flatMap(([id, end]) =>
    'failure' in end ? [[write.formatCode(id), write.formatProse(end.failure.message)]] : [],
  )

const longestValue = 300

/** Shortens a value to a length that people read. */
export const shortenValue = (text: string): string =>
  text.length > longestValue ? `${text.slice(0, longestValue)}…` : text

/** Returns the heading of the column with the desired values. */
export const getWantedHeading = ({ of }: ReportedPlan): string =>
  of === 'drift' ? 'declared' : 'planned'

// The summary of a plan.

const formatPart = (n: number, words: string): readonly string[] =>
  n === 0 ? [] : [`${groupDigits(n)} ${words}`]

/** Formats the counts of changes, and those of other findings. */
export const formatPlanCounts = (counts: PlanCounts, of: ReportedPlan['of']) => ({
  todo: (['create', 'enable', 'update', 'replace', 'delete'] as const).flatMap((is) => {
    const { words, drift } = entryKinds[is]
    return formatPart(counts[is], (of === 'drift' ? drift?.count : words?.todo) ?? '')
  }),
  rest: [
    ...formatPart(counts.impossible, 'impossible'),
    ...formatPart(counts.unsupported, 'not supported by the instance'),
    ...formatPart(counts.leftover, 'leftover'),
    ...formatPart(counts.secret, counts.secret === 1 ? 'secret missing' : 'secrets missing'),
    ...formatPart(counts.unread, 'not read'),
    `${groupDigits(counts.same)} unchanged`,
  ],
})

/**
 * Describes the commit that a plan is compared with, and the number of omitted changes.
 * @param shown formats a text
 */
export const describeComparison = (
  { ref, commit, earlier }: { ref: string; commit: string; earlier: number },
  shown: (text: string) => string,
): string => {
  const further = formatCount(earlier, 'other change')
  return `Compared with ${shown(ref)} at ${shown(commit.slice(0, 7))}: ${further} from before that commit. Apply includes all changes.`
}

/** The words for a plan without changes. */
export const noneWords = {
  plan: 'nothing to do',
  apply: 'nothing to do',
  drift: 'No drift',
} as const

/**
 * Describes a plan in one line:
 * `Plan: 1 to create, 2 to change; 1 impossible; 12 unchanged (20 requests, 1 s).`,
 * `Drift, declared → found: 1 missing; 12 unchanged (20 requests, 1 s).`
 */
export const describePlan = ({ of, made }: ReportedPlan, isSpoken = false): string => {
  const { counts, worked } = made
  const { todo, rest } = formatPlanCounts(counts, of)
  const { requests, seconds } = worked
  const took = `${groupDigits(requests)} request${requests === 1 ? '' : 's'}, ${groupDigits(Math.round(seconds))} s`
  const some = todo.length === 0 ? noneWords[of] : todo.join(', ')
  const way = counts.update > 0 ? `, declared ${isSpoken ? 'to' : symbols.to} found` : ''
  const head = of === 'drift' ? `Drift${way}` : 'Plan'
  const what = of === 'drift' && todo.length === 0 ? some : `${head}: ${some}`
  return `${[what, ...rest].join('; ')} (${took}).`
}

// `svcctl plan --explain`: each value with its origin, and the values that it overrides.

const formatWanted = (wanted: DesiredValue): string => {
  if (wanted.is === 'secret') return `secret ${describeSecretSource(wanted.source)}`
  if (wanted.is === 'range') return wanted.text
  if (wanted.is === 'value') return formatValue(wanted.value)
  const formatSigned = (sign: string, list: readonly JsonValue[]): readonly string[] =>
    list.map((one) => `${sign} ${formatValue(one)}`)
  return [...formatSigned('-', wanted.remove), ...formatSigned('+', wanted.add)].join('  ')
}

/** Returns a value with its origin, and the values that it overrides with theirs. */
const toSourcedTexts = <T>(
  { value, origin, over = [] }: SourcedValue<T>,
  text: (value: T) => string,
) => ({
  value: text(value),
  origin: formatOrigin(origin),
  over: over.map((one) => ({ value: text(one.value), origin: formatOrigin(one.origin) })),
})

/** Creates the lines of a desired kind: one for each value, and one for `$exact`. */
const createValueLines = ({ place, kind, exact, items }: DesiredKind) => {
  const set = { ...place, kind: kind.name }
  const own = items.flatMap(({ identity, attributes, origin, gone }) => {
    const of = identity === '' ? set : { ...set, item: String(identity) }
    const is = { value: gone === undefined ? 'there' : 'deleted', origin }
    if (attributes.size === 0) return [{ of, word: '', ...toSourcedTexts(is, String) }]
    return [...attributes].map(([attribute, said]) => {
      return { of: { ...of, attribute }, word: '', ...toSourcedTexts(said, formatWanted) }
    })
  })
  if (exact === undefined) return own
  return [{ of: set, word: ' $exact', ...toSourcedTexts(exact, String) }, ...own]
}

/** Parses the place of an address; undefined if it has a wildcard. For a single place, no request is required. */
const parsePlace = (address: string): ManagedPlace | undefined => {
  const [, head, path] = /^(groups|projects)\/([^:*]+)(?::|$)/.exec(address) ?? []
  if (path === undefined)
    return /^site(?::|$)/.test(address) ? { scope: 'site', path: '' } : undefined
  return { scope: head === 'groups' ? 'group' : 'project', path }
}

/** Returns the desired state of the places that an address may match: the place that it names, or all places of the instance. */
const findDesiredPlaces = async (
  context: Context,
  given: PlanGiven,
  declared: DeclaredState,
  address: string,
): Promise<readonly DesiredPlace[]> => {
  const { reach } = declared
  const place = parsePlace(address)
  const needsRecord = reach.selectors?.some((selector) => selector.needsRecord) === true
  if (place !== undefined && (place.scope !== 'project' || !needsRecord)) {
    const isProject = place.scope === 'project'
    const projects = isProject ? [place.path] : []
    const groups = isProject ? listParentGroups(place.path) : listPathsTo(place.path)
    return declared.places({ projects, groups })
  }
  const view = openView(toReadable(context), parseSelection(given, context.place))
  return getDesiredPlaces(declared, await view.places(reach))
}

/**
 * Prints the origins of the values at an address.
 * @throws Failure `usage` if the files do not declare it
 */
export async function* explainAddress(context: Context, given: PlanGiven, address: string): Rows {
  const { answer } = context
  const { only, except } = given.flags
  checkGlobs({ explain: [address], only, except })
  const declared = await readDeclaredState(context, given)
  const places = await findDesiredPlaces(context, given, declared, address)
  const all = places
    .flatMap((one) => one.desired().flatMap(createValueLines))
    .filter(({ of }) => matchesGlob(address, of))
    .map(({ of, word, ...said }) => ({ address: `${toAddressText(of)}${word}`, ...said }))
  if (all.length === 0)
    throw usage(
      `the files do not declare ${address}`,
      'An address looks like projects/platform/app:approval_rules/Security#user_ids.',
    )
  const { text } = answer
  const page = all.map(({ address: name, value, origin, over }) =>
    [
      text.emphasize(text.safe(name)),
      `    ${text.wrapHanging(value, 4)}`,
      `    ${text.safe(origin)}`,
      ...over.map((one) => `    over ${text.wrapHanging(`${one.value}, ${one.origin}`, 9)}`),
    ].join('\n'),
  )
  yield* yieldRecords(all, {
    columns: ['address', 'value', 'origin'],
    people: { page: () => page.map((one) => `${one}\n`) },
  })
}
