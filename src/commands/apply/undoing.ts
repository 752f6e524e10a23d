/** Taking an apply back: what was there before stands beside its journal as a declared file, and is applied. */

import { existsSync } from 'node:fs'
import type { PlannedAction } from '../../desired/actions.js'
import { toAddressText } from '../../desired/address.js'
import { ApplyRecord } from '../../desired/applying/previous.js'
import { readStoredPlan } from '../../desired/planfile.js'
import type { Context } from '../../engine/command/context.js'
import { getFormerFile, planBeside } from '../../engine/journal/folder.js'
import { openJournal, type RunHistory } from '../../engine/journal/reader.js'
import type { Rows } from '../../engine/rows.js'
import { exitCodes, Failure, usage } from '../../errors.js'
import type { MadePlan } from '../plan/make.js'
import { readKeptPlan } from './confirmed-plan.js'
import { type ApplyUndo, applyGiven } from './index.js'

/** The maximum number of attributes that are named because they cannot be restored. */
const mostNamed = 20

/** @throws Failure `usage` for a run of apply that cannot be taken back */
export const checkFormer = (journal: string, id: string): string => {
  const path = getFormerFile(journal)
  if (existsSync(path)) return path
  throw usage(`${id} cannot be undone: the run did not record previous values`)
}

/** Collects what the run did, or may have done, by address; secrets that it set cannot be restored. */
const collectApplied = async ({ file, states }: RunHistory) => {
  const path = planBeside(file)
  const kept = await readKeptPlan(path)
  const there = new Map<string, ApplyRecord>()
  const lost: string[] = []
  for (const [i, action] of readStoredPlan(kept.plan, path).actions.entries()) {
    if (!['begun', 'done', 'unknown'].includes(states.get(i + 1) ?? '')) continue
    const key = action.address.toLowerCase()
    const done = there.get(key) ?? new ApplyRecord()
    done.add(action)
    there.set(key, done)
    if (action.verb !== 'create')
      for (const { attribute, secret } of action.changes)
        if (secret !== undefined) lost.push(`${action.address}#${attribute}`)
  }
  return { there, lost, flags: kept.flags }
}

/** Creates the selection of the actions that revert a run; objects that changed since are reported and left as they are. */
const createDueSelector =
  ({ answer, ui }: Context, there: ReadonlyMap<string, ApplyRecord>): ApplyUndo['due'] =>
  async ({ plan, view }: MadePlan) => {
    const due: PlannedAction[] = []
    const anew = new Set(
      plan.actions.flatMap(({ verb, address }) =>
        verb === 'create' || verb === 'enable' ? [toAddressText(address)] : [],
      ),
    )
    for (const action of plan.actions) {
      const done = there.get(toAddressText(action.address).toLowerCase())
      if (done === undefined) continue
      const why = await done.findObjection(view, action, anew.has(toAddressText(action.address)))
      if (why === undefined) due.push(action)
      else {
        const text = `it changed since the run: ${why}`
        ui.report(new Failure('conflict', text), toAddressText(action.address))
        answer.exit(exitCodes.partial)
      }
    }
    if (due.length === 0) ui.note('the run made no changes to revert')
    return due
  }

/**
 * Undoes a run of apply, as far as everything still is as the run left it.
 * @throws Failure `usage` where it kept nothing by which it could be undone
 */
export async function* undoApply(context: Context, past: RunHistory, redo: boolean): Rows {
  const { id } = past.header
  if (context.place.globals.curl)
    throw usage(
      `cannot undo ${id} with --curl: an apply reads the instance before it knows its requests`,
      'Use --dry-run to see the plan of the undo.',
    )
  const former = checkFormer(past.file, id)
  // As with the journal itself: what another may have written is not applied in this user's name.
  await (await openJournal(former)).close()
  const { there, lost, flags } = await collectApplied(past)
  for (const address of lost.slice(0, mostNamed))
    context.ui.note(`${address}: cannot be undone: its previous state cannot be read`)
  if (lost.length > mostNamed) context.ui.note(`${lost.length - mostNamed} more cannot be undone`)
  yield* applyGiven(
    context,
    {
      args: [former],
      flags: {
        ...flags,
        'allow-removals': ['*'],
        'allow-empty': ['*'],
        'max-deletes': '100%',
        // What cannot be brought back is no success.
        'fail-on': ['impossible'],
        secrets: 'never',
        verify: true,
      },
      extra: {},
    },
    {
      undoes: redo ? { undoes: id, redo: true } : { undoes: id },
      due: createDueSelector(context, there),
    },
  )
}
