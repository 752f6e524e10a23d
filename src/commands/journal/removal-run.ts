/** Provides the run of `members remove-everywhere`, which keeps its journal itself. */

import { members } from '../../catalogue/areas/members.js'
import type { Context } from '../../engine/command/context.js'
import { pickAnswerFacts } from '../../engine/command/outcomes.js'
import { createJournalId } from '../../engine/journal/folder.js'
import { readWork, writeQueuedObjects } from '../../engine/journal/objects.js'
import { getNextStep } from '../../engine/journal/reader.js'
import {
  createAttributeMask,
  createRunRecord,
  type OutcomeFacts,
} from '../../engine/journal/run-record.js'
import type { Journal } from '../../engine/journal/writer.js'
import { resumeCommandRun } from '../../engine/journaling/command-run.js'
import { createRunJournal, getJournalPlace } from '../../engine/journaling/runs.js'
import type { PlanAnswer } from '../../engine/rows.js'
import {
  formatClosingLine,
  type GivenObject,
  getRunVerdict,
  type Item,
  type Outcome,
  type Report,
  toOutcome,
} from '../../engine/work/report.js'
import type { Failure } from '../../errors.js'

export type { GivenObject, Item } from '../../engine/work/report.js'

const command = 'members remove-everywhere'
/** An endpoint of the run. Its inverse undoes the run. */
const endpoint = members.removeFromGroup

/** The result of a run: the outcomes by the numbers of the objects. */
export interface RunResult {
  readonly outcomes: ReadonlyMap<number, Outcome<PlanAnswer>>
  /** The failure of the run; undefined if all objects were removed. */
  readonly failure: Failure | undefined
}

/** Returns the facts about a removal. The values from before it are among them, so that undo can restore them. */
const getFacts = (answer: PlanAnswer = {}, { before }: Item): OutcomeFacts =>
  before === undefined || answer.unchanged === true
    ? pickAnswerFacts(answer)
    : { ...pickAnswerFacts(answer), before, after: null }

async function* streamItems(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items
}

/** A run that removes memberships. */
export class RemovalRun {
  readonly items: readonly Item[]
  readonly #context: Context
  /** The journal; undefined with `--journal none`. */
  readonly #journal: Journal | undefined

  private constructor(context: Context, journal: Journal | undefined, items: readonly Item[]) {
    this.items = items
    this.#context = context
    this.#journal = journal
  }

  /** Begins a run, and records its objects with their previous values. Nothing is sent before the journal exists. */
  static async begin(
    context: Context,
    user: string,
    objects: readonly GivenObject[],
  ): Promise<RemovalRun> {
    const { place } = context
    const items = objects.map((object, i) => ({ ...object, n: i + 1 }))
    const { journal: named } = place.globals
    if (named === 'none') return new RemovalRun(context, undefined, items)
    const now = place.clock.now()
    const journal = await createRunJournal(place, named, {
      run: 1,
      id: createJournalId(command, now),
      began: now.toISOString(),
      command,
      endpoint: endpoint.route,
      input: {},
      ...(await place.getOrigin()),
      source: 'arguments',
      options: { args: [user], flags: {}, undo_record: true },
      parents: 'of',
    })
    await writeQueuedObjects(journal, objects, createAttributeMask(endpoint))
    return new RemovalRun(context, journal, items)
  }

  /**
   * Resumes a run with the objects that are left.
   * @returns the run; undefined if no objects are left
   * @throws Failure `usage` for a run of another command, instance or user; `conflict` if another process runs it
   */
  static async resume(context: Context, name: string): Promise<RemovalRun | undefined> {
    const none = (instance: string) => `no run of "svcctl ${command}" on ${instance} can be resumed`
    const resumed = await resumeCommandRun(context, { name, command, none }, async () => {})
    if (resumed === undefined) return undefined
    const { journal, past } = resumed
    const items: Item[] = []
    const damaged = past.gap !== undefined
    const next = (n: number) =>
      getNextStep(past.states.get(n) ?? 'queued', past.header.endpoint, damaged)
    for await (const item of readWork(journal, undefined, next)) items.push(item)
    const run = new RemovalRun(context, journal, items)
    if (items.length > 0) return run
    await run.#endJournal('completed')
    return undefined
  }

  /**
   * Removes the objects, records each one before and after, and ends the journal.
   * @throws Failure if the journal cannot be written, or for a defect. Failures of objects are in the result.
   */
  async removeAll(work: (item: Item) => Promise<PlanAnswer>): Promise<RunResult> {
    const outcomes = new Map<number, Outcome<PlanAnswer>>()
    const { instance, ui, place } = this.#context
    const tryItem = async (item: Item): Promise<Outcome<PlanAnswer>> => {
      try {
        const result = await work(item)
        return { state: result.unchanged === true ? 'unchanged' : 'done', result }
      } catch (error) {
        return toOutcome(error)
      }
    }
    let report: Report | undefined
    try {
      report = await instance.carryOut<PlanAnswer, Item>({
        items: streamItems(this.items),
        total: this.items.length,
        record:
          this.#journal &&
          createRunRecord(this.#journal, {
            getFacts,
            mask: createAttributeMask(endpoint),
            getKnownFacts: ({ before }) => ({ before, after: null }),
          }),
        work: tryItem,
        onSettled: ({ item, outcome }) => outcomes.set(item.n, outcome),
      })
    } finally {
      await this.#endJournal(report?.end ?? 'stopped')
    }
    for (const { item, failure } of report.failures) ui.report(failure, item.parent ?? item.object)
    ui.note(formatClosingLine(report, getJournalPlace(this.#journal, command, place.globals)))
    return { outcomes, failure: getRunVerdict(report) }
  }

  /** Closes the journal without an end, so that the run can be resumed. */
  async close(): Promise<void> {
    await this.#journal?.close()
  }

  async #endJournal(end: Report['end']): Promise<void> {
    await this.#journal?.end(end).catch(() => {})
    await this.close()
  }
}
