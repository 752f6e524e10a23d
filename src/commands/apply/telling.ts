/** What became of a plan: on standard error for people, with the plan for programs. */
import type { Carried } from '../../desired/applying/carrying.js'
import type { Verified } from '../../desired/applying/verifying.js'
import { keptAs } from '../journal/runs.js'
import { formatOf } from '../plan/printing.js'
import type { ApplyRun } from './run.js'

/** What is told of an action in the plan's document. */
interface Told {
  readonly outcome: 'done' | 'unchanged' | 'failed' | 'unknown' | 'skipped' | 'not_tried'
  readonly error?: unknown
  readonly unkept?: readonly { readonly attribute?: string; readonly text: string }[]
}

const toldOf = (id: string, { outcomes, skipped }: Carried, { unkept }: Verified): Told => {
  const outcome = outcomes.get(id)
  if (outcome === undefined) return { outcome: 'not_tried' }
  if ('failure' in outcome) {
    const state = skipped.has(id) ? 'skipped' : outcome.state
    return { outcome: state, error: outcome.failure.toJSON().error }
  }
  const found = unkept.find(({ action }) => action.id === id)?.found
  if (found === undefined) return { outcome: outcome.state }
  return {
    outcome: outcome.state,
    unkept: found.map(({ attribute, text }) => ({
      attribute,
      text,
    })),
  }
}

/** Failures in full, what was not kept, and the counts. */
export const tellDone = async (
  { services: { person, place }, run }: ApplyRun,
  { report }: Carried,
  { unkept, unread }: Verified,
): Promise<void> => {
  const { closingLine } = await import('../../fleet/progress.js')
  for (const { item, failure } of report.failures) person.report(failure, item.object)
  for (const { action, found } of unkept)
    for (const { text } of found) person.warn(`${action.id}: ${text}`)
  for (const { action, failure } of unread)
    person.warn(`${action.id}: could not be read once more: ${failure.message}`)
  person.note(closingLine(report, keptAs(run.journal, 'apply', place.globals)))
}

/** The plan's document with what became of each action. People had the plan before. */
export const printDone = async (
  { services: { answer, place }, made: { document } }: ApplyRun,
  all: Carried,
  looked: Verified,
): Promise<void> => {
  if (answer.reader === 'people') return
  const actions = document.actions.map((action) => ({
    ...action,
    ...toldOf(action.id, all, looked),
  }))
  if (answer.reader === 'sheets')
    return answer.printMany(
      actions.map(({ verb, address, outcome }) => ({ verb, address, outcome })),
      { columns: ['verb', 'address', 'outcome'] },
    )
  if ((await formatOf(place)).nests !== true) return answer.printMany(actions, { reveal: true })
  // What became of it is no plan any more.
  const { sha256: _, ...rest } = document
  await answer.print({ ...rest, actions }, { reveal: true })
}
