/** `svcctl apply`: applies the declared state to an instance, and verifies the result. */

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { lock } from '../../base/files/lock.js'
import { makeFolders } from '../../base/files/regular.js'
import { formatCount } from '../../base/text.js'
import type { DesiredPlan, PlannedAction } from '../../desired/actions.js'
import { type ExecutionResult, executePlan } from '../../desired/applying/execute.js'
import { type VerifyResult, verifyActions } from '../../desired/applying/verify.js'
import { listPlanEntries } from '../../desired/entries.js'
import { countPlan } from '../../desired/planfile.js'
import { formatOrigin } from '../../desired/state.js'
import type { Context, WorkspaceService } from '../../engine/command/context.js'
import type { Attributes } from '../../engine/journal/lines.js'
import { createRunRecord } from '../../engine/journal/run-record.js'
import { getJournalPlace } from '../../engine/journaling/runs.js'
import { createExitRow, createNoteRow, type Row, type Rows } from '../../engine/rows.js'
import { formatClosingLine, getRunVerdict } from '../../engine/work/report.js'
import { getInstanceName } from '../../engine/workspace/sandbox.js'
import { exitCodes, Failure, usage } from '../../errors.js'
import { getPaths } from '../../profile/index.js'
import type { ApplyLine } from '../plan/flags.js'
import { readSecrets, toWritable } from '../plan/instance.js'
import { type MadePlan, makePlan } from '../plan/make.js'
import { checkLimits, getPlanEnd, parseFailOn, yieldPlan } from '../plan/printing.js'
import { writePlanReports } from '../plan/reports.js'
import type { ReportedPlan } from '../plan/rows.js'
import {
  type ConfirmedPlan,
  compareWithConfirmed,
  findConfirmedPlan,
  keepApplyRun,
  loadResumedRun,
  noteUnfinished,
  type OwnRun,
  type ResumedRun,
  type UndoHeader,
} from './confirmed-plan.js'

type ReadSecrets = Awaited<ReturnType<typeof readSecrets>>

/** The current plan, and its actions that will be applied. */
interface DuePlan {
  readonly made: MadePlan
  readonly actions: readonly PlannedAction[]
  /** True if some confirmed actions are omitted because they are stale. */
  readonly partly: boolean
}

/** Returns the plan with only the given actions. */
const selectActions = (made: MadePlan, actions: readonly PlannedAction[]): MadePlan => {
  if (actions.length === made.plan.actions.length) return made
  const plan = { ...made.plan, actions }
  return { ...made, plan, counts: countPlan(plan), entries: listPlanEntries(plan) }
}

/** Creates the plan of the files, limited to the actions of the confirmed plan. */
const createDuePlan = async (
  context: Context,
  given: ApplyLine,
  agreed: ConfirmedPlan | undefined,
  { policy }: ReadSecrets,
  undoing: ApplyUndo | undefined,
): Promise<DuePlan> => {
  const { ui } = context
  const made = await ui.showProgress('comparing', () =>
    makePlan(context, agreed?.given ?? given, { secrets: policy, unfinished: agreed?.open }),
  )
  if (agreed === undefined) {
    const actions = undoing === undefined ? made.plan.actions : await undoing.selectDue(made)
    return { made: selectActions(made, actions), actions, partly: false }
  }
  const { actions, stale } = compareWithConfirmed(agreed, made)
  if (stale.length > 0 && given.flags.stale !== 'skip')
    throw new Failure(
      'conflict',
      `the plan is stale: ${stale.map(({ id, why }) => `${id}: ${why}`).join('; ')}`,
      {
        hint: 'Nothing was written. Create the plan again, or pass --stale skip to apply the rest.',
      },
    )
  for (const { id, why } of stale) ui.note(`skipped: ${id}: ${why}`)
  if (agreed.open === undefined) noteAdditionalChanges(ui, agreed, made)
  return { made: selectActions(made, actions), actions, partly: stale.length > 0 }
}

/** Notes changes that the files require now and the confirmed plan does not contain. They are not applied. */
const noteAdditionalChanges = (
  { note }: Pick<Context['ui'], 'note'>,
  { file, document }: ConfirmedPlan,
  { plan }: MadePlan,
): void => {
  const agreed = new Set(document.actions.map(({ id }) => id))
  const beyond = plan.actions.filter(({ id }) => !agreed.has(id)).length
  if (beyond === 0) return
  const [what, it] =
    beyond === 1 ? ['1 additional change', 'it'] : [`${beyond} additional changes`, 'them']
  note(`${what} would be needed now; not applied, because ${file} does not contain ${it}`)
}

/**
 * Asks for confirmation of the changes.
 * @param isShown true if the plan is on the screen, so that its actions need not be listed
 */
const confirmChanges = async (
  { ui }: Context,
  { actions, made }: DuePlan,
  isShown: boolean,
): Promise<void> => {
  const deletes = actions.filter(({ verb }) => verb === 'delete').length
  const lost = deletes === 0 ? '' : `, ${deletes} of them deletes`
  const count = actions.length === 1 ? '1 change is' : `${actions.length} changes are`
  const what = `${count} made at ${made.head.instance}${lost}.`
  const ids = isShown ? undefined : actions.map(({ id }) => id)
  await ui.confirm(what, ids, undefined, ids?.length)
}

/** @throws Failure `usage` if a secret that would be sent is not available */
const checkSecrets = ({ findings }: DesiredPlan): void => {
  const missing = findings.flatMap(({ is, text, origin }) =>
    is === 'secret' ? [origin === undefined ? text : `${formatOrigin(origin)}: ${text}`] : [],
  )
  if (missing.length > 0) throw usage(`nothing was written: ${[...new Set(missing)].join('; ')}`)
}

/** A run that undoes another run of apply. */
export interface ApplyUndo {
  readonly undoes: UndoHeader
  /** Selects the actions that undo the run. */
  readonly selectDue: (made: MadePlan) => Promise<readonly PlannedAction[]>
}

/** @throws Failure `usage` if the key for detecting changed secrets cannot be used */
const checkKeyUsable = ({ unusable }: Awaited<ReturnType<typeof readSecrets>>): void => {
  if (unusable === undefined) return
  throw usage(
    `cannot tell whether secrets changed: ${unusable}`,
    'Make the key file private (chmod 600), or pass --secrets always or --secrets never.',
  )
}

/**
 * Creates the plan, shows it, asks for confirmation and applies it.
 * @param own the run that is resumed
 */
async function* applyPlan(
  context: Context,
  given: ApplyLine,
  own: ResumedRun | undefined,
  undoing: ApplyUndo | undefined,
): Rows {
  const { place, answer } = context
  const agreed = own?.agreed ?? findConfirmedPlan(context, given)
  const runGiven = agreed?.given ?? given
  const secrets = await readSecrets(context, runGiven.flags.secrets)
  if (runGiven.flags.secrets === 'changed' && own === undefined) checkKeyUsable(secrets)
  const wanted = await createDuePlan(context, given, agreed, secrets, undoing)
  const { made, actions } = wanted
  const failOn = await parseFailOn(context, runGiven)
  const reported: ReportedPlan = { of: 'apply', made, failOn }
  if (own === undefined && undoing === undefined) await noteUnfinished(context)
  const { dryRun } = place.globals
  // People see the plan before they confirm it. Programs get it once, with the outcomes if anything was applied.
  if (own === undefined && (answer.reader === 'people' || actions.length === 0 || dryRun)) {
    yield* yieldPlan(context, reported)
    yield { kind: 'flush' }
  }
  const isDraft = actions.length > 0 && !dryRun
  yield* writePlanReports(context, given, reported, isDraft)
  if (wanted.partly) yield createExitRow(exitCodes.partial)
  yield getPlanEnd(made, failOn)
  if (actions.length === 0) {
    if (own !== undefined) yield createNoteRow('nothing is left to do')
    return own?.end('completed')
  }
  if (own === undefined) checkLimits(made, 'nothing was written')
  if (dryRun) return
  checkSecrets(made.plan)
  const isShown = own === undefined && answer.reader === 'people' && answer.terminal
  await confirmChanges(context, wanted, isShown)
  const run = own ?? (await keepApplyRun(context, runGiven, made, undoing?.undoes))
  yield* executeConfirmedPlan({ context, given, made, actions, secrets, run, reported })
}

// Applying the confirmed plan: sending its requests, verifying the changes and reporting them.

interface ApplyRun {
  readonly context: Context
  readonly given: ApplyLine
  readonly made: MadePlan
  readonly actions: readonly PlannedAction[]
  readonly secrets: ReadSecrets
  readonly run: OwnRun
  readonly reported: ReportedPlan
}

/** Returns the outcome of an action, in the form of the plan document. */
const toActionOutcome = (
  id: string,
  { outcomes, skipped }: ExecutionResult,
  { unkept }: VerifyResult,
): { readonly outcome: string; readonly error?: unknown; readonly unkept?: unknown } => {
  const outcome = outcomes.get(id)
  if (outcome === undefined) return { outcome: 'not_tried' }
  if ('failure' in outcome) {
    const state = skipped.has(id) ? 'skipped' : outcome.state
    return { outcome: state, error: outcome.failure.toJSON().error }
  }
  return { outcome: outcome.state, unkept: unkept.find(({ action }) => action.id === id)?.found }
}

/** Sends the requests of the plan, and records each action. */
const executeActions = async (doing: ApplyRun): Promise<ExecutionResult> => {
  const { context, made, actions, secrets, run } = doing
  const record =
    run.journal &&
    createRunRecord(run.journal, {
      getFacts: ({ status }: { readonly status?: number } = {}) => ({ status }),
      mask: (attributes: Attributes) => attributes,
    })
  return executePlan(actions, {
    instance: toWritable(context),
    view: made.view,
    secrets: secrets.values,
    carryOut: context.instance.carryOut,
    record,
    numbered: ({ id }) => run.places.get(id),
  })
}

/** Records the digests of secrets that were set, so that the next plan can detect changes. */
const recordSecrets = async (
  { context, secrets, actions }: ApplyRun,
  { outcomes }: ExecutionResult,
): Promise<void> => {
  const set = actions.flatMap(({ id }) => {
    const outcome = outcomes.get(id)
    return outcome?.state === 'done' ? outcome.result.set : []
  })
  try {
    if (secrets.unusable === undefined) await secrets.record.remember(set)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    context.ui.warn(`cannot record which secrets were set: ${why}`)
  }
}

const verifyChanges = async (
  { context, given, made, actions }: ApplyRun,
  { outcomes }: ExecutionResult,
): Promise<VerifyResult> => {
  const { signal, sleep } = context.place.clock
  if (!given.flags.verify || signal.aborted) return { unkept: [], unread: [] }
  const { each } = toWritable(context)
  const written = actions.filter(({ id }) => {
    return ['done', 'unchanged'].includes(outcomes.get(id)?.state ?? '')
  })
  return context.ui.showProgress('verifying the changes', () =>
    verifyActions({ view: made.view, each, sleep }, written),
  )
}

/** Ends the run with its failure, or with exit code 8 if some changes could not be verified. */
function* endWith(
  { context }: ApplyRun,
  { report }: ExecutionResult,
  { unkept, unread }: VerifyResult,
): Generator<Row, void> {
  const failure = getRunVerdict(report)
  if (failure !== undefined && context.place.clock.signal.aborted) throw failure
  if (unread.length > 0) yield createExitRow(exitCodes.partial)
  if (failure !== undefined) throw failure
  if (unkept.length === 0) return
  const text = `the instance did not keep all changes to ${formatCount(unkept.length, 'object')}`
  throw new Failure('failed', text, {
    hint: 'Change the files to the values that the instance keeps, or check whether its version supports the attribute.',
  })
}

/** @throws Failure of the run as a whole */
async function* executeConfirmedPlan(doing: ApplyRun): Rows {
  const { context, given, run } = doing
  const { ui, place } = context
  try {
    const all = await executeActions(doing)
    await recordSecrets(doing, all)
    await run.end(all.report.end)
    const looked = await verifyChanges(doing, all)
    // Reports failures in full, then changes that the instance did not keep, then the counts.
    for (const { item, failure } of all.report.failures) ui.report(failure, item.object)
    for (const { action, found } of looked.unkept)
      for (const { text } of found) ui.warn(`${action.id}: ${text}`)
    for (const { action, failure } of looked.unread)
      ui.warn(`${action.id}: could not be read again: ${failure.message}`)
    ui.note(formatClosingLine(all.report, getJournalPlace(run.journal, 'apply', place.globals)))
    const reported = { ...doing.reported, ends: all.outcomes }
    yield* writePlanReports(context, given, reported)
    yield* yieldPlan(context, reported, (id) => toActionOutcome(id, all, looked))
    yield* endWith(doing, all, looked)
  } finally {
    await run.close()
  }
}

// Only one apply at a time may run on an instance from the same state folder.

/**
 * Locks the instance, so that no other process applies to it.
 * @returns the function that releases the lock
 * @throws Failure `conflict` if another process holds the lock
 */
const lockInstance = async (
  place: Pick<WorkspaceService, 'env' | 'globals' | 'session'>,
): Promise<() => void> => {
  const instance = await getInstanceName(place)
  const { state } = getPaths(place.env)
  makeFolders(state, 0o700)
  const name = createHash('sha256').update(instance).digest('hex').slice(0, 16)
  const held = await lock(join(state, `apply-${name}.lock`), {
    patience: 0,
    held: (owner) =>
      new Failure('conflict', `another apply to ${instance} is running: ${owner}`, {
        hint: 'Wait for it to end.',
      }),
  })
  return () => held.release()
}

/**
 * Applies the files or the plan of a line.
 * @param undoing the run to undo, if any
 */
export async function* applyGiven(context: Context, given: ApplyLine, undoing?: ApplyUndo): Rows {
  const { resume, dryRun } = context.place.globals
  const release = dryRun ? () => {} : await lockInstance(context.place)
  let own: ResumedRun | undefined
  try {
    own = resume === undefined ? undefined : await loadResumedRun(context, given, resume)
    if (resume !== undefined && own === undefined) yield createNoteRow('nothing is left to do')
    else yield* applyPlan(context, given, own, undoing)
  } finally {
    await own?.close()
    release()
  }
}
