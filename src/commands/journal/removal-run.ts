/** Provides a run that removes objects and keeps its journal itself, for `members remove-everywhere`. */

import type { Endpoint } from '../../catalogue/endpoint.js'
import type { Context } from '../../engine/command/context.js'
import { pickAnswerFacts } from '../../engine/command/outcomes.js'
import { createJournalId } from '../../engine/journal/folder.js'
import type { Header, LineOptions } from '../../engine/journal/lines.js'
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

/** The facts about a command that its journal records. */
interface RemovalCommand {
  /** The area and the verb. */
  readonly command: string
  /** The endpoint that undoes the run. */
  readonly endpoint: Endpoint
}

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

const streamItems = async function* (items: readonly Item[]): AsyncGenerator<Item> {
  yield* items
}

/** A run that removes objects. */
export class RemovalRun {
  readonly items: readonly Item[]
  readonly #context: Context
  readonly #own: RemovalCommand
  /** The journal; undefined with `--journal none`. */
  readonly #journal: Journal | undefined

  private constructor(
    context: Context,
    own: RemovalCommand,
    journal: Journal | undefined,
    items: readonly Item[],
  ) {
    this.items = items
    this.#context = context
    this.#own = own
    this.#journal = journal
  }

  /** Begins a run, and records its objects with their previous values. Nothing is sent before the journal exists. */
  static async begin(
    context: Context,
    own: RemovalCommand,
    { parents, ...options }: LineOptions & Pick<Header, 'parents'>,
    objects: readonly GivenObject[],
  ): Promise<RemovalRun> {
    const { place } = context
    const { command, endpoint } = own
    const items = objects.map((object, i) => ({ ...object, n: i + 1 }))
    const { journal: named } = place.globals
    if (named === 'none') return new RemovalRun(context, own, undefined, items)
    const now = place.clock.now()
    const header: Header = {
      run: 1,
      id: createJournalId(command, now),
      began: now.toISOString(),
      command,
      endpoint: endpoint.route,
      input: {},
      ...(await place.getOrigin()),
      source: 'arguments',
      options: { ...options, undo_record: true },
      parents,
    }
    const journal = await createRunJournal(place, named, header)
    await writeQueuedObjects(journal, objects, createAttributeMask(endpoint))
    return new RemovalRun(context, own, journal, items)
  }

  /**
   * Resumes a run with the objects that are left.
   * @returns the run; undefined if no objects are left
   * @throws Failure `usage` for a run of another command, instance or user; `conflict` if another process runs it
   */
  static async resume(
    context: Context,
    own: RemovalCommand,
    name: string,
  ): Promise<RemovalRun | undefined> {
    const { command } = own
    const describeNone = (instance: string) =>
      `no run of "svcctl ${command}" on ${instance} can be resumed`
    const resumed = await resumeCommandRun(
      context,
      { name, command, none: describeNone },
      async () => {},
    )
    if (resumed === undefined) return undefined
    const { journal, past } = resumed
    const items: Item[] = []
    const damaged = past.gap !== undefined
    const next = (n: number) =>
      getNextStep(past.states.get(n) ?? 'queued', past.header.endpoint, damaged)
    for await (const item of readWork(journal, undefined, next)) items.push(item)
    const run = new RemovalRun(context, own, journal, items)
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
    let report: Report | undefined
    try {
      report = await this.#runItems(work, outcomes)
    } finally {
      await this.#endJournal(report?.end ?? 'stopped')
    }
    const { ui, place } = this.#context
    for (const { item, failure } of report.failures) ui.report(failure, item.parent ?? item.object)
    ui.note(
      formatClosingLine(report, getJournalPlace(this.#journal, this.#own.command, place.globals)),
    )
    return { outcomes, failure: getRunVerdict(report) }
  }

  async #runItems(
    work: (item: Item) => Promise<PlanAnswer>,
    outcomes: Map<number, Outcome<PlanAnswer>>,
  ): Promise<Report> {
    const { items } = this
    const journal = this.#journal
    const tryItem = async (item: Item): Promise<Outcome<PlanAnswer>> => {
      try {
        const result = await work(item)
        return { state: result.unchanged === true ? 'unchanged' : 'done', result }
      } catch (error) {
        return toOutcome(error)
      }
    }
    return this.#context.instance.carryOut<PlanAnswer, Item>({
      items: streamItems(items),
      total: items.length,
      record:
        journal &&
        createRunRecord(journal, {
          getFacts,
          mask: createAttributeMask(this.#own.endpoint),
          getKnownFacts: ({ before }) => ({ before, after: null }),
        }),
      work: tryItem,
      onSettled: ({ item, outcome }) => outcomes.set(item.n, outcome),
    })
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
