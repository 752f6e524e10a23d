/** Prints a plan: as a page for people, a document or rows for programs, and as a plan file. */

import { groupBy } from '../../base/collections.js'
import { writeWhole } from '../../base/files/files.js'
import { readRegular } from '../../base/files/regular.js'
import { resolvePath } from '../../base/io.js'
import { roughWidths } from '../../base/screen-text.js'
import { getFormatTraits } from '../../catalogue/formats.js'
import type { DesiredPlan } from '../../desired/actions.js'
import { toPlaceText } from '../../desired/address.js'
import { entryKinds, getEntryName, isAction, type PlanEntry } from '../../desired/entries.js'
import {
  formatPlan,
  isPlan,
  type PlanAction,
  toActionRow,
  toPlanDocument,
} from '../../desired/planfile.js'
import type { AnswerService, Context, WorkspaceService } from '../../engine/command/context.js'
import {
  createExitRow,
  createNoteRow,
  createTextRow,
  type Row,
  type Rows,
  yieldRecord,
  yieldRecords,
} from '../../engine/rows.js'
import { exitCodes, Failure, getErrorCode, getReason, usage } from '../../errors.js'
import type { PlanGiven, PlanLine } from './flags.js'
import { readSecrets } from './instance.js'
import { checkDefault, getOutputName, type MadePlan, makePlan } from './make.js'
import { findNotePlace, type NotePlace, writePlanNote } from './note.js'
import { type ActionOutcome, createPlanTitle, toPageRecord } from './page-record.js'
import { renderNote, writePlanReports } from './reports.js'
import {
  type ChangeSymbols,
  describeComparison,
  describePlan,
  explainAddress,
  formatChange,
  formatGiven,
  formatPosition,
  type ReportedPlan,
} from './rows.js'

/** Fields that only some actions have. */
const maybe = ['body', 'loses', 'replaces'] as const satisfies readonly (keyof PlanAction)[]

/** Returns the row of an action for spreadsheets, with the names of its attributes in one cell. */
const toSheetRow = ({ changes, ...row }: ReturnType<typeof toActionRow>) => ({
  ...row,
  changes: changes.map(({ attribute }) => attribute).join(', '),
})

/** Yields the text of a plan for people, on a terminal or in the log of a CI job. */
async function* yieldPage(answer: AnswerService, reported: ReportedPlan): Rows {
  const yieldLines = (): Iterable<string> => yieldPlanLines(reported, answer)
  if (answer.terminal)
    return yield* yieldRecords(reported.made.plan.actions, { people: { page: yieldLines } })
  for (const text of yieldLines()) yield createTextRow(text)
}

/**
 * Yields a plan. It contains no secret values, so nothing has to be masked.
 * @param outcomeOf returns the outcome of an action after the plan was applied; people have seen the plan before
 */
export async function* yieldPlan(
  context: Context,
  reported: ReportedPlan,
  outcomeOf?: (id: string) => ActionOutcome,
): Rows {
  const { answer } = context
  const { made } = reported
  const isPeople = answer.reader === 'people'
  if (isPeople && outcomeOf !== undefined) return
  // If an environment variable requests a format that does not apply to people's output, a table is used.
  const name = isPeople ? undefined : await getOutputName(context.place)
  const format = getFormatTraits(name ?? 'table')
  // With --fields, a Markdown answer is a table of these fields, and no text.
  if (format.name === 'markdown' && context.place.globals.fields === undefined)
    return yield createTextRow(renderNote(reported))
  if (answer.reader === 'pages') {
    const record = toPageRecord(reported, outcomeOf)
    return yield* yieldRecords([record], {
      drawing: 'plan',
      title: createPlanTitle(record),
      reveal: true,
    })
  }
  if (isPeople) return yield* yieldPage(answer, reported)
  if (format.nests !== true && made.plan.actions.length === 0)
    yield createNoteRow(describePlan(reported))
  const createRows = () =>
    made.plan.actions.map((action) => ({ ...toActionRow(action), ...outcomeOf?.(action.id) }))
  if (answer.reader === 'sheets') {
    const last = outcomeOf === undefined ? 'changes' : 'outcome'
    return yield* yieldRecords(createRows().map(toSheetRow), { columns: ['verb', 'address', last] })
  }
  // Formats without nested objects contain only the actions, one per line.
  if (format.nests !== true)
    return yield* yieldRecords(createRows(), {
      known: outcomeOf === undefined ? maybe : undefined,
      reveal: true,
    })
  // With outcomes, the document is no longer a plan that can be applied, so it has no digest.
  const { sha256, ...document } = toPlanDocument(made)
  const actions = document.actions.map((action) => ({ ...action, ...outcomeOf?.(action.id) }))
  const digest = outcomeOf === undefined ? { sha256 } : {}
  yield* yieldRecord({ ...document, actions, ...digest }, { reveal: true })
}

/** Returns the kinds of findings that make a run fail, from the line or else from the profile. */
export const parseFailOn = async (
  { place }: Pick<Context, 'place'>,
  { flags }: PlanGiven,
): Promise<ReadonlySet<string>> =>
  new Set<string>(flags['fail-on'] ?? (await place.profile())?.failOn)

/** Returns the exit code of a plan. Unread objects and the findings of --fail-on result in exit code 8. */
export const getPlanEnd = (
  { plan: { findings, unread } }: MadePlan,
  failOn: ReadonlySet<string>,
): Row => {
  const isShort = unread.length > 0 || findings.some(({ is }) => failOn.has(is))
  return createExitRow(isShort ? exitCodes.partial : 0)
}

/** Yields a plan that is not applied, writes its reports, and sets the exit code. */
async function* showPlan(
  context: Context,
  given: PlanGiven,
  of: 'plan' | 'drift',
  made: MadePlan,
  note: NotePlace | undefined,
): Rows {
  const failOn = await parseFailOn(context, given)
  const reported = { of, made, failOn }
  yield* yieldPlan(context, reported)
  yield* writePlanReports(context, given, reported)
  yield* writePlanNote(context, note, reported)
  yield getPlanEnd(made, failOn)
  if (failOn.has('refused')) checkLimits(made, 'apply rejects this plan')
}

/**
 * Checks that a plan exceeds no limit.
 * @param said the beginning of the message
 * @throws Failure `usage`
 */
export const checkLimits = ({ plan: { refused } }: MadePlan, said: string): void => {
  if (refused.length === 0) return
  const lifting = [...new Set(refused.map(({ flag }) => flag))]
  throw usage(
    `${said}: ${refused.map(({ text }) => text).join('; ')}`,
    `Check the plan. To allow the changes, pass ${lifting.join(', ')}.`,
  )
}

// The page of a plan: the items of each place, and a summary.

const { measure } = roughWidths

/** Returns the text next to the name of an item that has drifted. */
const describeDrift = (entry: PlanEntry): string => {
  const { wrong = '' } = entryKinds[entry.is].words ?? {}
  if (entry.is === 'update') return ''
  if (entry.is === 'replace') return 'the instance has another key'
  const given = formatGiven(entry)
  return entry.is === 'delete' || given === '' ? wrong : `${wrong}: ${given}`
}

/** Returns the text next to the name of an item. */
const describeEntry = (entry: PlanEntry, of: ReportedPlan['of']): string => {
  const { is, text } = entry
  const { loses, origin } = entry.of
  if (of === 'drift' && isAction(entry)) return describeDrift(entry)
  switch (is) {
    case 'update':
      return ''
    case 'create':
      return formatGiven(entry)
    case 'enable':
      return ['already exists and is enabled', formatGiven(entry)].filter(Boolean).join('; ')
    case 'replace':
      return 'new key: added before the old one is removed'
    case 'delete':
      return loses === undefined
        ? 'DELETED'
        : `DELETED: ${loses.charAt(0).toLowerCase()}${loses.slice(1)}`.replace(/\.$/, '')
    // The origin shows which file must be changed.
    case 'impossible':
      return origin === undefined ? text : `${text} (${formatPosition(origin)})`
    default:
      return text
  }
}

/** A line of an item: its own, or that of an attribute. */
interface Line {
  readonly indent: 2 | 6
  readonly label: string
  readonly text: string
}

/** Returns the lines of an item, with symbols, or with words for screen readers. */
const createEntryLines = (
  entry: PlanEntry,
  command: ReportedPlan['of'],
  isSpoken: boolean,
): readonly Line[] => {
  const { is, of } = entry
  const { mark, drift } = entryKinds[is]
  const isDrift = command === 'drift'
  const added = isDrift ? { gone: 'lacks', come: 'has', to: 'to' } : accessibleSymbols
  const changes = is === 'update' ? (of.changes ?? []) : []
  const word = (isDrift ? drift?.count : undefined) ?? is
  const sign = isSpoken ? `${word}:` : ((isDrift ? drift?.mark : undefined) ?? mark)
  return [
    { indent: 2, label: `${sign} ${getEntryName(entry)}`, text: describeEntry(entry, command) },
    ...changes.map((one): Line => {
      const text = formatChange(one, command, isSpoken ? added : undefined)
      return { indent: 6, label: one.attribute, text }
    }),
  ]
}

const accessibleSymbols: ChangeSymbols = { gone: 'remove', come: 'add', to: 'to' }

/** Creates the layout of lines. On a terminal, long texts are wrapped. */
const createLayout = ({ text, terminal, width }: AnswerService, longest: number) => {
  // Texts begin after the longest label if there is enough space.
  const column = Math.min(longest + 3, Math.floor((terminal ? width : 140) / 2))
  return ({ indent, label, text: value }: Line): string => {
    const shown = `${' '.repeat(indent)}${text.safe(label)}`
    if (value === '') return `${shown}\n`
    const formatted = terminal ? text.wrapHanging(value, column) : text.safe(value)
    const used = indent + measure(text.safe(label))
    return used + 2 > column
      ? `${shown}\n${' '.repeat(column)}${formatted}\n`
      : `${shown}${' '.repeat(column - used)}${formatted}\n`
  }
}

const formatRefusals = (
  { refused }: DesiredPlan,
  { text, terminal }: AnswerService,
): readonly string[] =>
  refused.map(
    (one) =>
      `${terminal ? text.mark('bad') : entryKinds.unread.mark} exceeds a limit: ${text.safe(one.text)}; pass ${text.safe(one.flag)} to allow it\n`,
  )

/** Yields the lines of a plan. */
function* yieldPlanLines(reported: ReportedPlan, answer: AnswerService): Generator<string> {
  const { of, made } = reported
  const { entries, against } = made
  const { text, terminal } = answer
  let longest = 20
  for (const entry of entries)
    for (const { indent, label } of createEntryLines(entry, of, text.accessible))
      longest = Math.max(longest, indent + measure(label))
  const line = createLayout(answer, longest)
  // A heading has only the path of a project. That of a group has its kind, because a project may have the same path.
  const getHeading = ({ of: { address } }: PlanEntry): string =>
    address.scope === 'project' ? address.path : toPlaceText(address)
  for (const [head, ones] of groupBy(entries, getHeading)) {
    yield `${terminal ? text.emphasize(text.safe(head)) : text.safe(head)}\n`
    for (const entry of ones) yield* createEntryLines(entry, of, text.accessible).map(line)
  }
  if (entries.length > 0) yield '\n'
  if (against !== undefined) {
    for (const id of against.dropped) yield `no longer wanted: ${text.safe(id)}\n`
    for (const one of against.undeclared) yield `no longer declared, kept: ${text.safe(one)}\n`
    yield `${describeComparison(against, text.safe)}\n`
  }
  yield* formatRefusals(made.plan, answer)
  const sum = describePlan(reported, text.accessible)
  yield `${terminal ? text.wrapHanging(sum, 0) : sum}\n`
}

// The plan file: it is written completely, readable only for its owner, and replaces only another plan.

type Place = Pick<WorkspaceService, 'clock' | 'cwd'>

/** The maximum size of a plan file, in bytes. */
const maxBytes = 256e6

/**
 * Reads the bytes of a file that may be a plan.
 * @throws errors of `readRegular`
 */
export const readPlanBytes = (path: string): Buffer => readRegular(path, maxBytes)

/**
 * Checks, before any request, that the plan can be written to a file.
 * @throws Failure `usage` if the file exists and is not a plan, and for `-`
 */
const checkOut = async ({ cwd }: Place, file: string): Promise<void> => {
  if (file === '-')
    throw usage('--out needs the name of a file', 'For standard output, pass -o json.')
  let bytes: Uint8Array
  try {
    bytes = readPlanBytes(resolvePath(file, cwd))
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return
    throw usage(`${file} cannot be written: ${getReason(error)}`)
  }
  if (!isPlan(bytes))
    throw usage(
      `${file} exists and is not a plan, so it was not overwritten`,
      'Pass another file name to --out.',
    )
}

/**
 * Writes a plan file. The same plan has the same text, except for its time of creation.
 * @throws Failure `failed`
 */
export const writePlan = async (
  { clock: { signal }, cwd }: Place,
  file: string,
  made: Pick<MadePlan, 'plan' | 'head'>,
): Promise<void> => {
  try {
    await writeWhole(resolvePath(file, cwd), formatPlan(made), { own: true, signal })
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure('failed', `cannot write the plan ${file}: ${getReason(cause)}`, { cause })
  }
}

/** Creates and shows a plan for `svcctl plan`. */
export async function* planGiven(context: Context, given: PlanLine): Rows {
  const { against, out, explain, note: asNote, secrets } = given.flags
  if (explain !== undefined) {
    const others = { out, against, note: asNote }
    const [stray] = Object.entries(others).flatMap(([name, value]) =>
      value === undefined || value === false ? [] : [name],
    )
    if (stray !== undefined)
      throw usage(`--explain creates no plan and cannot be combined with --${stray}`)
    return yield* explainAddress(context, given, explain)
  }
  const note = findNotePlace(context, given)
  checkDefault(context.place, given)
  if (out !== undefined) await checkOut(context.place, out)
  const { policy } = await readSecrets(context, secrets)
  const made = await context.ui.showProgress('comparing', () =>
    makePlan(context, given, { against, secrets: policy }),
  )
  if (out !== undefined) await writePlan(context.place, out, made)
  yield* showPlan(context, given, 'plan', made, note)
}

/** Compares the instance with the files for `svcctl drift`. Secrets are compared only if `--secrets` is set. */
export async function* yieldDrift(context: Context, given: PlanGiven): Rows {
  const { secrets } = given.flags
  const note = findNotePlace(context, given)
  checkDefault(context.place, given)
  const policy = secrets === 'never' ? undefined : (await readSecrets(context, secrets)).policy
  const made = await context.ui.showProgress('comparing', () =>
    makePlan(context, given, { checks: true, secrets: policy }),
  )
  yield* showPlan(context, given, 'drift', made, note)
  if (made.plan.actions.length > 0) yield createExitRow(exitCodes.failed)
}
