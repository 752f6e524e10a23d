/** `svcctl journal undo`: restores the previous values of each object of a run, unless the object has changed since. */

import { capitalize } from '../../base/text.js'
import { boolean } from '../../catalogue/params.js'
import type { Context, InstanceService } from '../../engine/command/context.js'
import { pickAnswerFacts, toCallAnswer, yieldNone } from '../../engine/command/outcomes.js'
import type { Actions, Plan, PlanSource, WriteOptions } from '../../engine/command/types.js'
import {
  checkIdentity,
  createJournalId,
  journalArgument,
  resolveJournalFile,
} from '../../engine/journal/folder.js'
import type { JournalLine } from '../../engine/journal/lines.js'
import { chooseUndoAction } from '../../engine/journal/objects.js'
import { type RunHistory, readRunHistory } from '../../engine/journal/reader.js'
import {
  createAttributeMask,
  createRunRecord,
  type OutcomeFacts,
} from '../../engine/journal/run-record.js'
import type { Journal } from '../../engine/journal/writer.js'
import {
  findInverse,
  getUnrecordedNames,
  type Inverse,
  parseTreePlace,
  readCurrent,
  TurnQueue,
} from '../../engine/journaling/inverse.js'
import { createRunJournal, reportGap } from '../../engine/journaling/runs.js'
import type { PlanAnswer } from '../../engine/rows.js'
import { createNoteRow, type Rows } from '../../engine/rows.js'
import {
  type FailedItem,
  formatClosingLine,
  getItemPlace,
  type Outcome,
  toOutcome,
} from '../../engine/work/report.js'
import type { RunRecord } from '../../engine/work/run.js'
import { Failure, recoverFrom, usage } from '../../errors.js'
import { shouldShowChanges, toChangeRows } from '../changed-rows.js'
import { type Arguments, define } from '../define.js'
import { findRunToUndo, isUndo, requireRunName } from './find-run.js'
import { addNewName, readSteps, type Steps, type UndoStep } from './steps.js'

/** The journal of an undo. It is created with the first object, so that an undo that is declined leaves none. */
class UndoJournal {
  /** The objects of several that were not restored, with the reasons. */
  readonly failures: FailedItem[] = []
  #journal: Promise<Journal> | undefined
  readonly #make: () => Promise<Journal>

  constructor(make: () => Promise<Journal>) {
    this.#make = make
  }

  /** Creates the journal, unless that was done already. */
  open(): Promise<Journal> {
    this.#journal ??= this.#make()
    return this.#journal
  }

  async append(line: JournalLine): Promise<void> {
    await (await this.open()).append(line)
  }

  /** Ends the journal. @returns a note with the result; undefined if nothing was written */
  async close(interrupted: boolean): Promise<string | undefined> {
    const journal = await this.#journal
    if (journal === undefined) return undefined
    const counts = journal.states.count()
    const end = interrupted ? 'interrupted' : counts.not_tried > 0 ? 'stopped' : 'completed'
    await journal.end(end)
    await journal.close()
    const { failures } = this
    const rest = { alike: undefined, mayHelp: false, cause: undefined, tooMany: false }
    return formatClosingLine(
      { end, counts, failures, ...rest },
      { file: journal.file, resumeLine: undefined },
    )
  }
}

const createUndoJournal = (
  { place }: Context,
  past: RunHistory,
  steps: Steps,
  redo: boolean,
): UndoJournal =>
  new UndoJournal(async () => {
    const { command, endpoint, id, input, names } = past.header
    const lacks = await getUnrecordedNames(past.header)
    const now = place.clock.now()
    const [first] = steps.first
    const area = command.split(' ')[0] ?? ''
    const journal = await createRunJournal(place, undefined, {
      run: 1,
      id: createJournalId('journal undo', now),
      began: now.toISOString(),
      command: `${area} ${first?.plan.endpoint.command ?? ''}`.trim(),
      endpoint: first?.plan.endpoint.route ?? endpoint,
      input,
      ...(await place.getOrigin()),
      source: 'journal',
      names,
      undoes: id,
      ...(redo ? { redo } : { redoes: { command, endpoint, lacks } }),
    })
    for await (const { was } of steps.readSteps())
      journal.add({ ...getItemPlace(was), state: 'queued', input: was.row })
    await journal.append({ input: 'complete', total: steps.count })
    return journal
  })

/** Creates the record of an object in the journal of the undo, with the values before and after the run exchanged. */
const createRecord = (
  own: UndoJournal,
  inverse: Inverse,
  step: UndoStep,
): RunRecord<PlanAnswer> => {
  const { plan, was } = step
  const turned = { before: was.after, after: was.before }
  // An object that is created again gets another ID, by which a redo finds it.
  const anew = was.after === null && was.before !== null && inverse.isPresence
  const getFacts = (answer: PlanAnswer = {}): OutcomeFacts => {
    const known = pickAnswerFacts(answer)
    if (answer.unchanged === true) return known
    if (!anew) return { ...known, ...turned }
    const { identity } = addNewName(step, inverse, answer.value)
    return { ...known, before: null, after: { ...was.before, ...identity } }
  }
  const record = createRunRecord(own, {
    getFacts,
    mask: createAttributeMask(plan.endpoint),
    getKnownFacts: () => turned,
  })
  if (!anew) return record
  return {
    recordStart: record.recordStart,
    recordOutcome: (item, outcome) => {
      const value = outcome.state === 'done' ? outcome.result.value : undefined
      const { object } = addNewName(step, inverse, value).was
      return record.recordOutcome({ ...item, object }, outcome)
    },
  }
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

/** True if an object still has the values that the run left. @throws Failure `conflict` if it has changed since the run */
const needsRestore = async (
  instance: InstanceService,
  inverse: Inverse,
  { plan, was }: UndoStep,
): Promise<boolean> => {
  const sent = { ...was.after, ...was.before }
  const taking = chooseUndoAction(was, await readCurrent(instance, inverse, plan, sent))
  if (taking === 'conflict') throw new Failure('conflict', 'it changed since the run')
  return taking === 'write'
}

/** Restores one object, after recording it as begun. */
const restoreObject = async (
  instance: InstanceService,
  inverse: Inverse,
  step: UndoStep,
  record: RunRecord<PlanAnswer>,
): Promise<PlanAnswer> => {
  if (!(await needsRestore(instance, inverse, step))) return { unchanged: true }
  await record.recordStart(step.was)
  return toCallAnswer(await instance.send(step.plan))
}

/** Works on an object, and records its outcome or its failure. */
const recordOutcome = async (
  { was }: UndoStep,
  record: RunRecord<PlanAnswer>,
  work: () => Promise<PlanAnswer>,
): Promise<PlanAnswer> => {
  let result: PlanAnswer
  try {
    result = await work()
  } catch (error) {
    await record.recordOutcome(was, toOutcome(error))
    throw error
  }
  const state = result.unchanged === true ? 'unchanged' : 'done'
  await record.recordOutcome(was, { state, result } satisfies Outcome<PlanAnswer>)
  return result
}

const flags = { redo: boolean('redo the run that the last undo reverted') } as const

/** Finds the journal file of the run. For "last", later writes of other profiles are described as well. */
const findRunFile = async (
  context: Context,
  given: Arguments<typeof flags>,
): Promise<{ readonly file: string; readonly since: readonly string[] }> => {
  const redo = given.flags.redo === true
  const name = await requireRunName(context, given, 'undo')
  if (name !== 'last' && redo) throw usage('--redo works only for the last undo', 'Pass "last".')
  if (name !== 'last') return { file: await resolveJournalFile(context.place, name), since: [] }
  const { file, since } = await findRunToUndo(context, redo)
  return { file, since: since.map((text) => `There was a write since then: ${text}.`) }
}

/** Returns the plans of an undo, and the function that returns the step of a plan. */
const linkPlans = (
  steps: Steps,
): {
  readonly plans: Actions
  readonly getStep: (plan: Plan) => UndoStep
} => {
  const byPlan = new WeakMap<Plan, UndoStep>()
  const recordPlan = (step: UndoStep): Plan => {
    byPlan.set(step.plan, step)
    return step.plan
  }
  const getStep = (plan: Plan): UndoStep => {
    const step = byPlan.get(plan)
    if (step === undefined) throw new Failure('internal', 'a plan of another run')
    return step
  }
  if (steps.held !== undefined) return { plans: steps.held.map(recordPlan), getStep }
  const source: PlanSource = {
    objects: mapAsync(steps.readSteps(), (step) => new StepObject(step)),
    known: { count: steps.count, first: steps.first.map((step) => new StepObject(step)) },
    planOf: async (object) => {
      if (object instanceof StepObject) return recordPlan(object.step)
      throw new Failure('internal', 'an object of another run')
    },
  }
  return { plans: source, getStep }
}

class StepObject {
  readonly object: string
  readonly parent?: string
  readonly step: UndoStep

  constructor(step: UndoStep) {
    this.object = step.was.object
    if (step.was.parent !== undefined) this.parent = step.was.parent
    this.step = step
  }
}

async function* mapAsync<T, U>(some: AsyncIterable<T>, made: (one: T) => U): AsyncGenerator<U> {
  for await (const one of some) yield made(one)
}

/** Creates the view of a restored object: its changed values, or its record if it was created or deleted. */
const createRestoredView =
  (stepOf: (plan: Plan) => UndoStep): NonNullable<WriteOptions['present']> =>
  (plan, { value }) => {
    const { before, after } = stepOf(plan).was
    const { endpoint } = plan
    return before && after
      ? toChangeRows(endpoint, after, before)
      : { records: [value], emit: { endpoint } }
  }

/** Yields the note that there is nothing to revert, and an empty answer. */
async function* yieldNothing({ answer }: Context): Rows {
  yield createNoteRow('the run made no changes to revert')
  yield* yieldNone(answer)
}

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

async function* undoRun(context: Context, given: Arguments<typeof flags>): Rows {
  const { instance, ui, place } = context
  const { file: path, since } = await findRunFile(context, given)
  const past = await readRunHistory(path)
  // A shard without objects has no endpoint in its journal.
  if (past.total === 0 && past.header.endpoint === '') return yield* yieldNothing(context)
  // Undoing an undo is a redo.
  const redo = given.flags.redo === true || isUndo(past)
  const inverse = past.header.command === 'apply' ? undefined : await findInverse(past.header, redo)
  const doubt = await findUnknownIdentity(context, past)
  reportGap(context, past)
  if (inverse === undefined)
    return yield* undoApplyRun(context, past, { redo, notes: [...doubt, ...since] })
  const steps = await readSteps(context, past, inverse, (text) => ui.note(text))
  if (!ui.interactive) for (const text of since) ui.note(text)
  if (steps.count === 0) return yield* yieldNothing(context)
  const { plans, getStep } = linkPlans(steps)
  const own = createUndoJournal(context, past, steps, redo)
  const turns = new TurnQueue()
  const restored = context.write(plans, {
    loses: { what: [`This reverts run ${past.header.id}.`, ...doubt, ...since].join(' ') },
    done: 'reverted',
    ...(shouldShowChanges(context) ? { present: createRestoredView(getStep) } : {}),
    check: (plan) => needsRestore(instance, inverse, getStep(plan)),
    send: async (plan) => {
      await own.open()
      const step = getStep(plan)
      const record = createRecord(own, inverse, step)
      const putStepBack = () => restoreObject(instance, inverse, step, record)
      return recordOutcome(step, record, () =>
        turns.runAfterInner(parseTreePlace(step.was.parent), putStepBack),
      ).catch((error: unknown) => {
        if (steps.count > 1) own.failures.push({ item: step.was, failure: recoverFrom(error) })
        throw error
      })
    },
  })
  if (!context.sends) return yield* restored
  try {
    yield* restored
  } finally {
    const summary = await own.close(place.clock.signal.aborted)
    if (summary !== undefined) ui.note(summary)
  }
}

export const undoCommand = define({
  description: [
    'Objects that changed since the run are skipped and reported as conflicts. Objects without recorded previous values are listed and skipped. To undo an apply, svcctl shows a plan and asks for confirmation.',
    '"last" is the last write of this profile on its instance. If that write has no journal, or if svcctl cannot tell which write was the last, it does nothing and the hint names the run.',
  ],
  writes: true,
  args: [journalArgument],
  flags,
  rows: undoRun,
})
