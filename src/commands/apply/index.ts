/** `svcctl apply`: makes an instance what files say that it is to be, and looks whether it is. */

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { makeFolders } from '../../base/files/folders.js'
import { lock } from '../../base/files/lock.js'
import type { DesiredPlan, PlannedAction } from '../../desired/actions.js'
import { entriesOf } from '../../desired/entries.js'
import { countsOf } from '../../desired/planfile/write.js'
import { originText } from '../../desired/state.js'
import type { Services, WorkspaceService } from '../../engine/command/services.js'
import { getInstanceName } from '../../engine/workspace/sandbox.js'
import { exitCodes, Failure, usage } from '../../errors.js'
import { getPaths } from '../../profile/index.js'
import type { ApplyLine } from '../plan/flags.js'
import { readSecrets } from '../plan/instance.js'
import { inLittleMemory, type MadePlan, madePlan } from '../plan/making.js'
import { checkLimits, getPlanEnd, parseFailOn, printPlan } from '../plan/printing.js'
import { writeReports } from '../plan/reports.js'
import type { Reported } from '../plan/rows.js'
import { type Agreed, agreedIn, checkAgreed, openIn, staleIn } from './agreed.js'
import { type ApplyRun, done } from './doing.js'
import {
  keepApplyRun,
  noteUnfinished,
  type ResumedRun,
  resumedRun,
  type UndoHeader,
} from './journal.js'

// One apply at a time on an instance, from one state folder.

/**
 * Keeps others from applying to the instance meanwhile.
 * @returns what lets them again
 * @throws Failure `conflict` where another does
 */
const onlyOne = async (
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

/** The plan as it is made now, and what of it is to be done. */
interface Wanted {
  readonly made: MadePlan
  readonly actions: readonly PlannedAction[]
  /** Some of what was agreed to is left out. */
  readonly partly: boolean
}

/** @throws Failure `usage` where a secret that would be sent cannot be had */
const checkSecrets = ({ findings }: DesiredPlan): void => {
  const missing = findings.flatMap(({ is, text, origin }) =>
    is === 'secret' ? [origin === undefined ? text : `${originText(origin)}: ${text}`] : [],
  )
  if (missing.length > 0) throw usage(`nothing was written: ${[...new Set(missing)].join('; ')}`)
}

/** The plan of files, or what a plan file has of it. */
const wantedBy = async (
  services: Services,
  given: ApplyLine,
  agreed: Agreed | undefined,
  secrets: Awaited<ReturnType<typeof readSecrets>>,
  undoing: ApplyUndo | undefined,
): Promise<Wanted> => {
  const { ui } = services
  const made = await ui.progress('comparing', () =>
    inLittleMemory((look) =>
      madePlan(services, agreed?.given ?? given, {
        secrets: secrets.policy,
        unfinished: agreed?.open && new Map(openIn(agreed).map(({ id, digest }) => [id, digest])),
        look,
      }),
    ),
  )
  if (agreed === undefined) {
    const all = made.plan.actions
    const actions = undoing === undefined ? all : await undoing.due(made)
    const whole = actions.length === all.length
    return { made: whole ? made : withOnly(made, actions), actions, partly: false }
  }
  checkAgreed(agreed, made)
  const { actions, stale } = staleIn(agreed, made)
  if (stale.length > 0 && given.flags.stale !== 'skip')
    throw new Failure(
      'conflict',
      `the plan is stale: ${stale.map(({ id, why }) => `${id}: ${why}`).join('; ')}`,
      {
        hint: 'Nothing was written. Create the plan again, or pass --stale skip to apply the rest.',
      },
    )
  for (const { id, why } of stale) ui.note(`skipped: ${id}: ${why}`)
  if (agreed.open === undefined) noteBeyond(ui, agreed, made)
  return { made: withOnly(made, actions), actions, partly: stale.length > 0 }
}

/** What the files want besides by now: nobody agreed to it. */
const noteBeyond = (
  { note }: Pick<Services['ui'], 'note'>,
  { file, document }: Agreed,
  { plan }: MadePlan,
): void => {
  const agreed = new Set(document.actions.map(({ id }) => id))
  const beyond = plan.actions.filter(({ id }) => !agreed.has(id)).length
  if (beyond === 0) return
  const what = beyond === 1 ? '1 additional change' : `${beyond} additional changes`
  note(
    `${what} would be needed now; not applied, because ${file} does not contain ${beyond === 1 ? 'it' : 'them'}`,
  )
}

/** The plan with these of its actions. */
const withOnly = (made: MadePlan, actions: readonly PlannedAction[]): MadePlan => {
  const plan = { ...made.plan, actions }
  return { ...made, plan, counts: countsOf(plan), entries: entriesOf(plan) }
}

/** @param seen whether the plan stands on the screen, where nothing of it has to be said again */
const confirmed = async (
  { ui }: Services,
  { actions, made }: Wanted,
  current: boolean,
): Promise<void> => {
  const deletes = actions.filter(({ verb }) => verb === 'delete')
  const lost = deletes.length === 0 ? '' : `, ${deletes.length} of them deletes`
  const count = actions.length === 1 ? '1 change is' : `${actions.length} changes are`
  const what = `${count} made at ${made.head.instance}${lost}.`
  if (current) await ui.confirm(what)
  else
    await ui.confirm(
      what,
      actions.map(({ id }) => id),
      undefined,
      actions.length,
    )
}

/** Shows the plan to people, before anything is asked or done; to programs it is shown with what became of it. */
const showPlan = async (services: Services, reported: Reported): Promise<void> => {
  const { answer } = services
  if (answer.reader !== 'people' && reported.made.plan.actions.length > 0) return
  await printPlan(services, reported)
  await answer.flush()
}

/** A run that takes another one back. */
export interface ApplyUndo {
  readonly undoes: UndoHeader
  /** What of the plan does that. */
  readonly due: (made: MadePlan) => Promise<readonly PlannedAction[]>
}

/** @returns undefined where there is nothing to do */
const begun = async (
  services: Services,
  given: ApplyLine,
  own: ResumedRun | undefined,
  undoing: ApplyUndo | undefined,
): Promise<ApplyRun | undefined> => {
  const { ui, place } = services
  const agreed = own?.agreed ?? agreedIn(services, given)
  const asked = agreed?.given ?? given
  const secrets = await readSecrets(services, asked.flags.secrets)
  if (asked.flags.secrets === 'changed' && secrets.unusable !== undefined && own === undefined)
    throw usage(
      `cannot tell whether secrets changed: ${secrets.unusable}`,
      'Make the key file private (chmod 600), or pass --secrets always or --secrets never.',
    )
  const wanted = await wantedBy(services, given, agreed, secrets, undoing)
  const failOn = await parseFailOn(services, asked)
  const reported: Reported = { of: 'apply', made: wanted.made, failOn }
  if (own === undefined) {
    if (undoing === undefined) await noteUnfinished(services)
    await showPlan(services, reported)
  }
  await writeReports(services, given, reported)
  if (wanted.partly) services.answer.exit(exitCodes.partial)
  getPlanEnd(services, wanted.made, failOn)
  if (wanted.actions.length === 0) {
    if (own !== undefined) ui.note('nothing is left to do')
    await own?.end('completed')
    return undefined
  }
  if (own === undefined) checkLimits(wanted.made, 'nothing was written')
  if (place.globals.dryRun) return undefined
  checkSecrets(wanted.made.plan)
  const { reader, terminal } = services.answer
  await confirmed(services, wanted, own === undefined && reader === 'people' && terminal)
  const run = own ?? (await keepApplyRun(services, asked, wanted.made, undoing?.undoes))
  return {
    services,
    made: wanted.made,
    actions: wanted.actions,
    secrets,
    run,
    verify: given.flags.verify,
    reported,
    report: (ends) => writeReports(services, given, { ...reported, ends }),
  }
}

/** @param undoing what it takes back, where it does */
export const applying = async (
  services: Services,
  given: ApplyLine,
  undoing?: ApplyUndo,
): Promise<void> => {
  const { resume, dryRun } = services.place.globals
  const release = dryRun ? () => {} : await onlyOne(services.place)
  let own: ResumedRun | undefined
  try {
    own = resume === undefined ? undefined : await resumedRun(services, given, resume)
    if (resume !== undefined && own === undefined) return services.ui.note('nothing is left to do')
    const doing = await begun(services, given, own, undoing)
    if (doing !== undefined) await done(doing)
  } finally {
    await own?.close()
    release()
  }
}
