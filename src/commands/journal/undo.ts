/** `svcctl journal undo`: restores the previous values of each object of a run, unless the object has changed since. */

import type { Fields } from '../../base/objects.js'
import { capitalize, joinWords } from '../../base/text.js'
import { boolean } from '../../catalogue/params.js'
import { isSource } from '../../engine/command/actions.js'
import type { Context, InstanceService } from '../../engine/command/context.js'
import { yieldNone } from '../../engine/command/outcomes.js'
import type { Plan, RevertedRun, WriteOptions } from '../../engine/command/types.js'
import { checkIdentity, createNotBegunFailure, formatRunLine } from '../../engine/journal/author.js'
import { begunRunArgument, isPlannedFile, resolveJournalFile } from '../../engine/journal/folder.js'
import { type RunHistory, readRunHistory } from '../../engine/journal/reader.js'
import {
  findInverse,
  getUnrecordedNames,
  type Inverse,
  readCurrent,
} from '../../engine/journaling/inverse.js'
import { reportGap } from '../../engine/journaling/runs.js'
import { checkShards, findMainPart, isEmptyShard } from '../../engine/journaling/sharded-run.js'
import { chooseUndoAction } from '../../engine/journaling/undo-action.js'
import { createNoteRow, type Rows } from '../../engine/rows.js'
import type { UndoableItem } from '../../engine/work/report.js'
import { Failure, recoverFrom, usage } from '../../errors.js'
import { shouldShowChanges, toChangeRows } from '../answers.js'
import { type Arguments, define } from '../define.js'
import { type FoundRun, findRunToUndo, isUndo, requireRunName } from './find-run.js'
import { readSteps } from './steps.js'

/** Returns the facts of a run that the journal of its undo repeats. */
const describeReverted = async (past: RunHistory, redo: boolean): Promise<RevertedRun> => {
  const { command, endpoint, id, input, names } = past.header
  const lacks = await getUnrecordedNames(past.header)
  const area = command.split(' ')[0] ?? ''
  const kept = redo ? ({ redo } as const) : { redoes: { command, endpoint, lacks } }
  return { area, input, names, undoes: id, ...kept }
}

/**
 * Checks that the user and the instance are those of the run.
 * @returns sentences about facts that are unknown, for the confirmation
 * @throws Failure `usage` if they differ
 */
const findUnknownIdentity = async (
  { place }: Context,
  { header }: RunHistory,
): Promise<readonly string[]> => {
  const open = checkIdentity(header, await place.getOrigin())
  return open === undefined ? [] : [`${capitalize(open)}.`]
}

/** Returns the change that a plan of an undo takes back. */
const getReverted = ({ reverts }: Plan): UndoableItem => {
  if (reverts === undefined) throw new Failure('internal', 'a plan of another run')
  return reverts
}

/** True if an object still has the values that the run left. @throws Failure `conflict` if it has changed since the run */
const needsRestore = async (
  instance: InstanceService,
  inverse: Inverse,
  plan: Plan,
): Promise<boolean> => {
  const was = getReverted(plan)
  const sent = { ...was.after, ...was.before }
  const taking = chooseUndoAction(
    was,
    await readCurrent(instance, inverse, plan, sent),
    plan.endpoint.params,
  )
  if (taking === 'conflict') throw new Failure('conflict', 'it changed since the run')
  return taking === 'write'
}

const flags = { redo: boolean('redo the run that the last undo reverted') } as const

/** Finds the journal file of the run. For "last", later writes of other profiles are described as well. */
const findRunFile = async (context: Context, given: Arguments<typeof flags>): Promise<FoundRun> => {
  const redo = given.flags.redo === true
  const name = await requireRunName(context, given, 'undo')
  const others = given.args.slice(1)
  if (name !== 'last' && redo) throw usage('--redo works only for the last undo', 'Pass "last".')
  if (name !== 'last' || others.length > 0) {
    const files = [name, ...others].map((one) => resolveJournalFile(context.place, one))
    const [file = '', ...earlier] = new Set(await Promise.all(files))
    return { file, earlier, since: [] }
  }
  const { since, ...found } = await findRunToUndo(context, redo)
  return { ...found, since: since.map((text) => `There was a write since then: ${text}.`) }
}

/** Creates the view of a restored object: its changed values, or its record if it was created or deleted. */
const createRestoredView =
  ({ naming }: Context): NonNullable<WriteOptions['present']> =>
  (plan, { value }) => {
    const { before, after } = getReverted(plan)
    const { endpoint } = plan
    const toOwn = (values: Fields): Fields =>
      Object.fromEntries(Object.entries(values).map(([name, one]) => [naming.name(name), one]))
    return before && after
      ? toChangeRows(endpoint, toOwn(after), toOwn(before))
      : { records: [value], emit: { endpoint } }
  }

/** True if the answer of a run was a list. That of an undo has the form of the run that it reverts, as far as that is on record. */
const hadListAnswer = async (
  context: Context,
  { header: { source, undoes }, total }: RunHistory,
): Promise<boolean> => {
  if (total !== 1) return true
  if (undoes === undefined) return source !== 'arguments'
  try {
    const file = await resolveJournalFile(context.place, undoes)
    return await hadListAnswer(context, await readRunHistory(file))
  } catch (error) {
    recoverFrom(error)
    return false
  }
}

/** Yields the note that there is nothing to revert, and an empty answer. */
async function* yieldNothing({ answer }: Context): Rows {
  yield createNoteRow('the run made no changes to revert')
  yield* yieldNone(answer)
}

/** Describes the earlier undos of an apply, which a redo leaves: each has a file of previous values, and these may overlap. */
const describeOtherParts = ([, ...earlier]: readonly RunHistory[]): readonly string[] =>
  earlier.map(
    ({ header }) =>
      `Another part of the run was undone by ${header.id}. To redo that part, too: ${formatRunLine('journal undo', header)}`,
  )

/** Undoes an apply by another apply, which shows its plan and asks for confirmation. */
async function* undoApplyRun(
  context: Context,
  past: RunHistory,
  { redo, notes }: { readonly redo: boolean; readonly notes: readonly string[] },
): Rows {
  for (const text of notes) context.ui.note(text)
  const { undoApply } = await import('../apply/undoing.js')
  yield* undoApply(context, past, redo)
}

/** Names the runs that an undo reverts, for its confirmation. */
const describeRuns = (runs: readonly RunHistory[]): string =>
  `This reverts ${runs.length === 1 ? 'run' : 'the runs'} ${joinWords(
    runs.map(({ header }) => header.id),
    'and',
  )}.`

async function* undoRun(context: Context, given: Arguments<typeof flags>): Rows {
  const { instance, ui } = context
  const { file, earlier, since } = await findRunFile(context, given)
  const parts: [RunHistory, ...RunHistory[]] = [await readRunHistory(file)]
  for (const one of earlier) parts.push(await readRunHistory(one))
  const planned = parts.find((part) => isPlannedFile(part.file))
  if (planned !== undefined) throw createNotBegunFailure(planned.header)
  const areShards = given.args.length > 1
  const past = areShards ? findMainPart(parts) : parts[0]
  if (areShards) checkShards(parts, past, 'Undo one run after the other.')
  // A shard without objects has no endpoint in its journal.
  if (past.total === 0 && past.header.endpoint === '') return yield* yieldNothing(context)
  // Undoing an undo is a redo.
  const redo = given.flags.redo === true || isUndo(past)
  const inverse = past.header.command === 'apply' ? undefined : await findInverse(past.header, redo)
  const doubt = await findUnknownIdentity(context, past)
  const all = parts.filter((part) => !isEmptyShard(part))
  for (const part of areShards ? all : [past]) reportGap(context, part)
  if (inverse === undefined) {
    const notes = [...doubt, ...since, ...describeOtherParts(all)]
    return yield* undoApplyRun(context, past, { redo, notes })
  }
  const steps = await readSteps(context, all, inverse, (text) => ui.note(text))
  if (!ui.interactive) for (const text of since) ui.note(text)
  if (!isSource(steps) && steps.length === 0) return yield* yieldNothing(context)
  yield* context.write(steps, {
    loses: { what: [describeRuns(areShards ? all : [past]), ...doubt, ...since].join(' ') },
    done: 'reverted',
    isList: areShards || (await hadListAnswer(context, past)),
    ...(shouldShowChanges(context) ? { present: createRestoredView(context) } : {}),
    check: (plan) => needsRestore(instance, inverse, plan),
    innerFirst: true,
    reverts: await describeReverted(past, redo),
  })
}

export const undoCommand = define({
  description: [
    'Objects that changed since the run are skipped and reported as conflicts. Objects without recorded previous values are listed and skipped. To undo an apply, svcctl shows a plan and asks for confirmation.',
    'Several journals are the shards of one run, and undone together.',
    '"last" is the last write of this profile on its instance. If that write has no journal, or if svcctl cannot tell which write was the last, it does nothing and the hint names the run.',
  ],
  writes: true,
  ownNames: true,
  args: [{ ...begunRunArgument, variadic: true, help: 'run IDs, files, or "last"' }],
  flags,
  rows: undoRun,
})
