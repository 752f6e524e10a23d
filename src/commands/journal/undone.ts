/** What an undo keeps on record: a journal of its own. */
import type { Line } from '../../fleet/journal/lines.js'
import type { Past } from '../../fleet/journal/past.js'
import type { Facts } from '../../fleet/journal/record.js'
import type { Journal } from '../../fleet/journal/writing.js'
import type { RunRecord } from '../../fleet/run.js'
import { keptOf } from '../answered.js'
import { maskingOf } from '../kept.js'
import type { PlanAnswer, Services } from '../services.js'
import { makeJournal } from './runs.js'
import type { UndoStep } from './steps.js'

/** The fleet's part of it, loaded when it is called. */
export const fleet = async () => {
  const [items, past, undo, folder, record, report] = await Promise.all([
    import('../../fleet/items.js'),
    import('../../fleet/journal/past.js'),
    import('../../fleet/journal/undo.js'),
    import('../../fleet/journal/folder.js'),
    import('../../fleet/journal/record.js'),
    import('../../fleet/report.js'),
  ])
  return { ...items, ...past, ...undo, ...folder, ...record, ...report }
}
export type Fleet = Awaited<ReturnType<typeof fleet>>

/** The journal of an undo: made with its first write, so that a declined one leaves none. */
class Own {
  #journal: Promise<Journal> | undefined
  readonly #make: () => Promise<Journal>

  constructor(make: () => Promise<Journal>) {
    this.#make = make
  }

  async append(line: Line): Promise<void> {
    this.#journal ??= this.#make()
    await (await this.#journal).append(line)
  }

  /** @returns its file, where there is one */
  async close(interrupted: boolean): Promise<string | undefined> {
    const journal = await this.#journal
    if (journal === undefined) return undefined
    const open = journal.states.counts().not_tried > 0
    await journal.end(interrupted ? 'interrupted' : open ? 'stopped' : 'completed')
    await journal.close()
    return journal.file
  }
}

export const ownJournal = (
  { journalId, placeOf }: Fleet,
  { place }: Services,
  past: Past,
  steps: readonly UndoStep[],
  redo: boolean,
): Own =>
  new Own(async () => {
    const { final: _, asked: __, redo: ___, ...header } = past.header
    const [first] = steps
    const area = header.command.split(' ')[0] ?? ''
    const journal = await makeJournal(place, undefined, {
      ...header,
      ...(await place.identity()),
      id: journalId('journal undo', place.clock.now()),
      command: `${area} ${first?.plan.endpoint.command ?? ''}`.trim(),
      endpoint: first?.plan.endpoint.route ?? header.endpoint,
      source: 'journal',
      undoes: header.id,
      ...(redo ? { redo } : {}),
    })
    for (const { was } of steps) journal.add({ ...placeOf(was), state: 'queued' })
    await journal.append({ input: 'complete', total: steps.length })
    return journal
  })

/** What is written down of an object: what the run left is what this finds, and the other way round. */
export const recordOf = (
  { recordIn }: Fleet,
  own: Own,
  { plan, was }: UndoStep,
): RunRecord<PlanAnswer> => {
  const turned = { before: was.after, after: was.before }
  const facts = (answer: PlanAnswer = {}): Facts => {
    const known = keptOf(answer)
    return answer.unchanged === true ? known : { ...known, ...turned }
  }
  return recordIn(own, facts, maskingOf(plan.endpoint))
}
