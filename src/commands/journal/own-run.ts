/** A run of a command that keeps its journal by itself: begun, gone on with, carried out on the engine. */

import type { Endpoint } from '../../catalogue/endpoint.js'
import type { Context } from '../../engine/command/context.js'
import { getConcurrencyLimit } from '../../engine/command/globals.js'
import { pickAnswerFacts } from '../../engine/command/running.js'
import { checkIdentity, createJournalId } from '../../engine/journal/folder.js'
import type { Attributes, Header, LineOptions } from '../../engine/journal/lines.js'
import { readWork, writeQueuedObjects } from '../../engine/journal/objects.js'
import { getNextStep, isDone } from '../../engine/journal/reader.js'
import { createAttributeMask, createRunRecord, type Facts } from '../../engine/journal/record.js'
import type { Journal } from '../../engine/journal/writer.js'
import {
  createRunJournal,
  findResumable,
  getJournalPlace,
  reportGap,
  resumeRunJournal,
} from '../../engine/journaling/runs.js'
import type { PlanAnswer } from '../../engine/rows.js'
import {
  formatClosingLine,
  type GivenObject,
  getRunVerdict,
  type Item,
  type Outcome,
  parseFailureLimit,
  type Report,
  toOutcome,
} from '../../engine/work/report.js'
import { runWork } from '../../engine/work/run.js'
import { type Failure, usage } from '../../errors.js'

export type { GivenObject, Item } from '../../engine/work/report.js'

/** The facts about a command that its journal records. */
interface OwnCommand {
  /** Area and verb. */
  readonly command: string
  /** The endpoint that undoes the run. */
  readonly endpoint: Endpoint
}

/** The outcomes of the objects that were tried, by their places. */
export interface RunResult {
  readonly outcomes: ReadonlyMap<number, Outcome<PlanAnswer>>
  /** The failure that the run ends with, if there is one. */
  readonly failure: Failure | undefined
}

/** The values of objects before they were removed, for the journal: undo restores them. */
class PreviousValues {
  readonly #known = new WeakMap<PlanAnswer, Attributes>()

  keep(answer: PlanAnswer, { before }: Item): void {
    if (before !== undefined && answer.unchanged !== true) this.#known.set(answer, before)
  }

  facts(answer: PlanAnswer = {}): Facts {
    const before = this.#known.get(answer)
    return before === undefined
      ? pickAnswerFacts(answer)
      : { ...pickAnswerFacts(answer), before, after: null }
  }
}

const streamItems = async function* (items: readonly Item[]): AsyncGenerator<Item> {
  yield* items
}

/** A run that removes objects, with the objects that are still to be done. */
export class RemovalRun {
  readonly items: readonly Item[]
  readonly #context: Context
  readonly #own: OwnCommand
  /** The journal; undefined where none is kept. */
  readonly #journal: Journal | undefined

  private constructor(
    context: Context,
    own: OwnCommand,
    journal: Journal | undefined,
    items: readonly Item[],
  ) {
    this.items = items
    this.#context = context
    this.#own = own
    this.#journal = journal
  }

  /** Begins the journal of objects in memory, with their previous values; nothing is sent before the journal exists. */
  static async begin(
    context: Context,
    own: OwnCommand,
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
      ...(await place.identity()),
      source: 'arguments',
      options: { ...options, undo_record: true },
      parents,
    }
    const journal = await createRunJournal(place, named, header)
    await writeQueuedObjects(journal, objects, createAttributeMask(endpoint))
    return new RemovalRun(context, own, journal, items)
  }

  /**
   * Resumes a run: returns it, and what of it is left.
   * @returns undefined where nothing is
   * @throws Failure `usage` for a run of another command, instance or user; `conflict` where another process has it
   */
  static async resume(
    context: Context,
    own: OwnCommand,
    name: string,
  ): Promise<RemovalRun | undefined> {
    const { place, ui } = context
    const { command } = own
    const before = await findResumable(
      place,
      { name, command },
      (instance) => `no run of "svcctl ${command}" on ${instance} can be resumed`,
    )
    if (before === undefined) return undefined
    const { header } = before
    if (header.command !== command)
      throw usage(
        `the run ${header.id} belongs to "svcctl ${header.command}", not to "svcctl ${command}"`,
      )
    const doubt = checkIdentity(header, await place.identity())
    if (isDone(before)) return undefined
    reportGap(context, before)
    if (doubt !== undefined) await ui.confirm(`${doubt}.`, [before.file])
    const { journal, past } = await resumeRunJournal(place, before.file)
    const items: Item[] = []
    const damaged = past.gap !== undefined
    const next = (n: number) =>
      getNextStep(past.states.get(n) ?? 'queued', header.endpoint, damaged)
    for await (const item of readWork(journal, undefined, next)) items.push(item)
    const run = new RemovalRun(context, own, journal, items)
    if (items.length > 0) return run
    await run.#end('completed')
    return undefined
  }

  /**
   * Carries the run out, which removes its objects, each on record before and after; then ends its journal, and returns the
   * result.
   * @throws failures that are no object's own: the journal cannot be kept, a defect
   */
  async carry(work: (item: Item) => Promise<PlanAnswer>): Promise<RunResult> {
    const outcomes = new Map<number, Outcome<PlanAnswer>>()
    let report: Report | undefined
    try {
      report = await this.#carried(work, outcomes)
    } finally {
      await this.#end(report?.end ?? 'stopped')
    }
    const { ui, place } = this.#context
    for (const { item, failure } of report.failures) ui.report(failure, item.parent ?? item.object)
    ui.note(
      formatClosingLine(report, getJournalPlace(this.#journal, this.#own.command, place.globals)),
    )
    return { outcomes, failure: getRunVerdict(report) }
  }

  async #carried(
    work: (item: Item) => Promise<PlanAnswer>,
    outcomes: Map<number, Outcome<PlanAnswer>>,
  ): Promise<Report> {
    const { ui, place } = this.#context
    const { items } = this
    const journal = this.#journal
    const befores = new PreviousValues()
    const tried = async (item: Item): Promise<Outcome<PlanAnswer>> => {
      try {
        const result = await work(item)
        befores.keep(result, item)
        return { state: result.unchanged === true ? 'unchanged' : 'done', result }
      } catch (error) {
        return toOutcome(error)
      }
    }
    const counter = ui.startCounter(items.length)
    const going = runWork<PlanAnswer>({
      items: streamItems(items),
      // How many are sent at once is the gate's affair: every request passes it.
      gate: { width: getConcurrencyLimit(place.globals) },
      signal: place.clock.signal,
      record:
        journal &&
        createRunRecord(journal, {
          getFacts: (answer: PlanAnswer | undefined): Facts => befores.facts(answer),
          mask: createAttributeMask(this.#own.endpoint),
          getKnownFacts: ({ before }) => ({ before, after: null }),
        }),
      failureLimit: parseFailureLimit(place.globals.maxFailures),
      countQueued: () => items.length,
      work: tried,
      onSettled: ({ item, outcome }) => {
        outcomes.set(item.n, outcome)
        counter.add(1, 'failure' in outcome)
      },
    })
    try {
      for await (const _ of going);
    } finally {
      counter.end()
    }
    return going.report
  }

  /** Lets the journal be gone on with: nothing was done. */
  async close(): Promise<void> {
    await this.#journal?.close()
  }

  async #end(end: Report['end']): Promise<void> {
    await this.#journal?.end(end).catch(() => {})
    await this.close()
  }
}
