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
import { buildResumeLine } from '../../engine/journaling/runs.js'
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
  type ApplyRun,
  type ConfirmedPlan,
  compareWithConfirmed,
  createApplyRun,
  findConfirmedPlan,
  loadResumedRun,
  noteUnfinished,
  type ResumedRun,
  type UndoFacts,
} from './confirmed-plan.js'

type ReadSecrets = Awaited<ReturnType<typeof readSecrets>>

/** The current plan, with only the actions that will be applied. */
interface DuePlan {
  readonly made: MadePlan
  /** True if some confirmed actions are omitted because they are stale. */
  readonly isPartial: boolean
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
  confirmed: ConfirmedPlan | undefined,
  { policy }: ReadSecrets,
  undoing: ApplyUndo | undefined,
): Promise<DuePlan> => {
  const { ui } = context
  const made = await ui.showProgress('comparing', () =>
    makePlan(context, confirmed?.given ?? given, {
      secrets: policy,
      unfinished: confirmed?.open,
      restores: undoing !== undefined,
    }),
  )
  if (confirmed === undefined) {
    const actions = undoing === undefined ? made.plan.actions : await undoing.selectDue(made)
    return { made: selectActions(made, actions), isPartial: false }
  }
  const { actions, stale } = compareWithConfirmed(confirmed, made)
  if (stale.length > 0 && given.flags.stale !== 'skip')
    throw new Failure(
      'conflict',
      `the plan is stale: ${stale.map(({ id, why }) => `${id}: ${why}`).join('; ')}`,
      {
        hint: 'Nothing was written. Create the plan again, or pass --stale skip to apply the rest.',
      },
    )
  for (const { id, why } of stale) ui.note(`skipped: ${id}: ${why}`)
  if (confirmed.open === undefined) noteAdditionalChanges(ui, confirmed, made)
  return { made: selectActions(made, actions), isPartial: stale.length > 0 }
}

/** Notes changes that the files require now and the confirmed plan does not contain. They are not applied. */
const noteAdditionalChanges = (
  { note }: Pick<Context['ui'], 'note'>,
  { file, document }: ConfirmedPlan,
  { plan }: MadePlan,
): void => {
  const confirmedIds = new Set(document.actions.map(({ id }) => id))
  const beyond = plan.actions.filter(({ id }) => !confirmedIds.has(id)).length
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
  { head, plan: { actions } }: MadePlan,
  isShown: boolean,
): Promise<void> => {
  const deletions = actions.filter(({ verb }) => verb === 'delete').length
  const lost = deletions === 0 ? '' : `, including ${formatCount(deletions, 'deletion')}`
  const count = actions.length === 1 ? '1 change is' : `${actions.length} changes are`
  const what = `${count} made at ${head.instance}${lost}.`
  const ids = isShown ? undefined : actions.map(({ id }) => id)
  await ui.confirm(what, ids, undefined, ids?.length)
}

/** Checks that every secret that would be sent is available. @throws Failure `usage` */
const checkSecrets = ({ findings }: DesiredPlan): void => {
  const missing = findings.flatMap(({ is, text, origin }) =>
    is === 'secret' ? [origin === undefined ? text : `${formatOrigin(origin)}: ${text}`] : [],
  )
  if (missing.length > 0) throw usage(`nothing was written: ${[...new Set(missing)].join('; ')}`)
}

/** A run that undoes another run of apply. */
export interface ApplyUndo extends UndoFacts {
  /** Selects the actions that undo the run. */
  readonly selectDue: (made: MadePlan) => Promise<readonly PlannedAction[]>
}

/** Checks that changed secrets can be detected. @throws Failure `usage` if the key for that cannot be used */
const checkKeyUsable = ({ unusable }: ReadSecrets): void => {
  if (unusable === undefined) return
  throw usage(
    `cannot tell whether secrets changed: ${unusable}`,
    'Make the key file private (chmod 600), or pass --secrets always or --secrets never.',
  )
}

/**
 * Creates the plan, shows it, asks for confirmation and applies it.
 * @param resumed the run that is resumed
 */
async function* applyPlan(
  context: Context,
  given: ApplyLine,
  resumed: ResumedRun | undefined,
  undoing: ApplyUndo | undefined,
): Rows {
  const { place, answer } = context
  // The plan of a resumed run was shown, checked and confirmed before.
  const isNew = resumed === undefined
  const confirmed = resumed?.confirmed ?? findConfirmedPlan(context, given)
  const runGiven = confirmed?.given ?? given
  const secrets = await readSecrets(context, runGiven.flags.secrets)
  if (runGiven.flags.secrets === 'changed' && isNew) checkKeyUsable(secrets)
  const { made, isPartial } = await createDuePlan(context, given, confirmed, secrets, undoing)
  const isEmpty = made.plan.actions.length === 0
  const failOn = await parseFailOn(context, runGiven)
  const reported: ReportedPlan = { of: 'apply', made, failOn }
  if (isNew && undoing === undefined) await noteUnfinished(context)
  const { dryRun } = place.globals
  // People see the plan before they confirm it. Programs get it once, with the outcomes if anything was applied.
  if (isNew && (answer.reader === 'people' || isEmpty || dryRun)) {
    yield* yieldPlan(context, reported)
    yield { kind: 'flush' }
  }
  const isDraft = !isEmpty && !dryRun
  yield* writePlanReports(context, given, reported, isDraft)
  if (isPartial) yield createExitRow(exitCodes.partial)
  yield getPlanEnd(made, failOn)
  if (isEmpty) {
    if (!isNew) yield createNoteRow('nothing is left to do')
    return resumed?.journal?.end('completed')
  }
  if (isNew) checkLimits(made, 'nothing was written')
  if (dryRun) return
  checkSecrets(made.plan)
  const isShown = isNew && answer.reader === 'people' && answer.terminal
  await confirmChanges(context, made, isShown)
  const run = resumed ?? (await createApplyRun(context, runGiven, made, undoing))
  yield* executeConfirmedPlan({ context, given, made, secrets, run, reported })
}

// Applying the confirmed plan: sending its requests, verifying the changes and reporting them.

/** The input of the execution of a confirmed plan. */
interface ApplyWork {
  readonly context: Context
  readonly given: ApplyLine
  readonly made: MadePlan
  readonly secrets: ReadSecrets
  readonly run: ApplyRun
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
const executeActions = async ({
  context,
  made,
  secrets,
  run,
}: ApplyWork): Promise<ExecutionResult> => {
  const record =
    run.journal &&
    createRunRecord(run.journal, {
      getFacts: ({ status }: { readonly status?: number } = {}) => ({ status }),
      mask: (attributes: Attributes) => attributes,
    })
  return executePlan(made.plan.actions, {
    instance: toWritable(context),
    view: made.view,
    secrets: secrets.values,
    carryOut: context.instance.carryOut,
    record,
    getNumber: ({ id }) => run.places.get(id),
  })
}

/** Records the digests of secrets that were set, so that the next plan can detect changes. */
const recordSecrets = async (
  { context, secrets, made }: ApplyWork,
  { outcomes }: ExecutionResult,
): Promise<void> => {
  const set = made.plan.actions.flatMap(({ id }) => {
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

/** Reads the changed objects again, unless --no-verify is given or the run was interrupted. */
const verifyChanges = async (
  { context, given, made }: ApplyWork,
  { outcomes }: ExecutionResult,
): Promise<VerifyResult> => {
  const { signal, sleep } = context.place.clock
  if (!given.flags.verify || signal.aborted) return { unkept: [], unread: [] }
  const { each } = toWritable(context)
  const written = made.plan.actions.filter(({ id }) => {
    return ['done', 'unchanged'].includes(outcomes.get(id)?.state ?? '')
  })
  return context.ui.showProgress('verifying the changes', () =>
    verifyActions({ view: made.view, each, sleep }, written),
  )
}

/** Throws the failure of the run, if there is one. Yields exit code 8 if some changes could not be verified. */
function* throwVerdict(
  { context }: ApplyWork,
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

/** Sends the confirmed changes, verifies them and reports the outcome. @throws Failure of the run as a whole */
async function* executeConfirmedPlan(work: ApplyWork): Rows {
  const { context, given, run } = work
  const { ui, place } = context
  try {
    const all = await executeActions(work)
    await recordSecrets(work, all)
    await run.journal?.end(all.report.end)
    let interruption: unknown
    const verified = await verifyChanges(work, all).catch((error: unknown): VerifyResult => {
      if (!place.clock.signal.aborted) throw error
      // The changes before the interruption are reported all the same.
      interruption = error
      return { unkept: [], unread: [] }
    })
    // Reports failures in full, then changes that the instance did not keep, then the counts.
    for (const { item, failure } of all.report.failures) ui.report(failure, item.object)
    for (const { action, found } of verified.unkept)
      for (const { text } of found) ui.warn(`${action.id}: ${text}`)
    for (const { action, failure } of verified.unread)
      ui.warn(`${action.id}: could not be read again: ${failure.message}`)
    const kept = run.journal && {
      file: run.journal.file,
      resumeLine: buildResumeLine('apply', place.globals),
    }
    ui.note(formatClosingLine(all.report, kept))
    const reported = { ...work.reported, ends: all.outcomes }
    yield* writePlanReports(context, given, reported)
    yield* yieldPlan(context, reported, (id) => toActionOutcome(id, all, verified))
    yield* throwVerdict(work, all, verified)
    if (interruption !== undefined) throw interruption
  } finally {
    await run.journal?.close()
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
  let resumed: ResumedRun | undefined
  try {
    resumed = resume === undefined ? undefined : await loadResumedRun(context, given, resume)
    if (resume !== undefined && resumed === undefined) yield createNoteRow('nothing is left to do')
    else yield* applyPlan(context, given, resumed, undoing)
  } finally {
    await resumed?.journal?.close()
    release()
  }
}
