/** Undoes a run of apply. The previous values are stored next to its journal as a declared file, which is applied. */

import { existsSync } from 'node:fs'
import type { PlannedAction } from '../../desired/actions.js'
import { toAddressText } from '../../desired/address.js'
import {
  ApplyRecord,
  findFormerAddress,
  listAppliedAddresses,
  listItemAddresses,
} from '../../desired/applying/previous.js'
import { readStoredPlan } from '../../desired/planfile.js'
import type { Context } from '../../engine/command/context.js'
import { getFormerFile, getPlanFile } from '../../engine/journal/folder.js'
import { openJournal, type RunHistory } from '../../engine/journal/reader.js'
import type { Rows } from '../../engine/rows.js'
import { exitCodes, Failure, usage } from '../../errors.js'
import type { MadePlan } from '../plan/make.js'
import { type ApplyUndo, applyGiven } from './index.js'
import { readKeptPlan } from './kept-plan.js'

/** The maximum number of attributes that messages name because they cannot be restored. */
const mostNamed = 20

/**
 * Returns the file with the previous values.
 * @throws Failure `usage` for a run that did not record them
 */
export const checkFormer = (journal: string, id: string): string => {
  const path = getFormerFile(journal)
  if (existsSync(path)) return path
  throw usage(`${id} cannot be undone: the run did not record previous values`)
}

/** Collects the changes that the run made or may have made, by address, and the secrets that cannot be restored. */
const collectApplied = async ({ file, states }: RunHistory) => {
  const path = getPlanFile(file)
  const kept = await readKeptPlan(path)
  const applied = new Map<string, ApplyRecord>()
  // Somebody may have given an item its former name again.
  const renamed = new Map<string, ApplyRecord>()
  const lost: string[] = []
  for (const [i, action] of readStoredPlan(kept.plan, path).actions.entries()) {
    if (!['begun', 'done', 'unknown'].includes(states.get(i + 1) ?? '')) continue
    const addresses = listAppliedAddresses(action)
    const [done = new ApplyRecord()] = addresses.flatMap((one) => applied.get(one) ?? [])
    done.add(action)
    for (const one of addresses) applied.set(one, done)
    const former = findFormerAddress(action)
    if (former !== undefined) renamed.set(former, done)
    if (action.verb !== 'create')
      for (const { attribute, secret } of action.changes)
        if (secret !== undefined) lost.push(`${action.address}#${attribute}`)
  }
  return { applied: new Map([...renamed, ...applied]), lost, flags: kept.flags }
}

/**
 * Creates the function that selects the actions of the undo. Objects that changed since the run are reported and skipped.
 * @param conflicts receives the failures of such objects
 */
const createDueSelector =
  (
    { answer, ui }: Context,
    applied: ReadonlyMap<string, ApplyRecord>,
    conflicts: Map<string, Failure>,
  ): ApplyUndo['selectDue'] =>
  async ({ plan, view }: MadePlan) => {
    const due: PlannedAction[] = []
    const reported = new Set<string>()
    const anew = new Set(
      plan.actions.flatMap(({ verb, address }) =>
        verb === 'create' || verb === 'enable' ? [toAddressText(address)] : [],
      ),
    )
    for (const action of plan.actions) {
      const [done] = listItemAddresses(action).flatMap((address) => applied.get(address) ?? [])
      if (done === undefined) continue
      const why = await done.findObjection(view, action, anew.has(toAddressText(action.address)))
      if (why === undefined) due.push(action)
      else {
        const address = toAddressText(action.address)
        const failure = new Failure('conflict', `it changed since the run: ${why}`)
        if (!reported.has(address)) ui.report(failure, address)
        reported.add(address)
        conflicts.set(action.id, failure)
        answer.setExitCode(exitCodes.partial)
      }
    }
    if (due.length + conflicts.size + plan.unread.length === 0)
      ui.note(
        applied.size === 0
          ? 'the run made no changes to revert'
          : 'nothing is left to revert: the objects have the previous values',
      )
    return due
  }

/**
 * Undoes a run of apply, as far as objects have not changed since.
 * @throws Failure `usage` for a run that did not record previous values
 */
export async function* undoApply(context: Context, past: RunHistory, redo: boolean): Rows {
  const { id } = past.header
  if (context.place.globals.curl)
    throw usage(
      `cannot undo ${id} with --curl: an apply reads the instance before it knows its requests`,
      'Use --dry-run to see the plan of the undo.',
    )
  const former = checkFormer(past.file, id)
  // Like the journal, the file must not be writable by other users, because it is applied as this user.
  await (await openJournal(former)).close()
  const { applied, lost, flags } = await collectApplied(past)
  for (const address of lost.slice(0, mostNamed))
    context.ui.note(`${address}: cannot be undone: its previous state cannot be read`)
  if (lost.length > mostNamed) context.ui.note(`${lost.length - mostNamed} more cannot be undone`)
  const conflicts = new Map<string, Failure>()
  yield* applyGiven(
    context,
    {
      args: [former],
      flags: {
        ...flags,
        'allow-removals': ['*'],
        'allow-empty': ['*'],
        'max-deletes': '100%',
        'max-changes': '100%',
        missing: 'skip',
        // Values that cannot be restored make the undo fail.
        'fail-on': ['impossible'],
        secrets: 'never',
        verify: true,
      },
      extra: {},
    },
    {
      undoes: redo ? { undoes: id, redo: true } : { undoes: id },
      conflicts,
      selectDue: createDueSelector(context, applied, conflicts),
    },
  )
}
