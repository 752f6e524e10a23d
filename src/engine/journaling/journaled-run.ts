/** Keeps the journal of a run: it is opened before anything is sent, has a line about each object, and is closed whatever ends the run. */
import { mapConcurrent, maxConcurrent } from '../../base/async.js'
import { maskAddresses } from '../../base/secrets/mask.js'
import { recoverFrom, usage } from '../../errors.js'
import type { InstanceService, UiService, WorkspaceService } from '../command/context.js'
import { getCommandName } from '../command/derive.js'
import type { Globals } from '../command/globals.js'
import type { Command, Plan } from '../command/types.js'
import type { InstanceExchange } from '../instance/exchange.js'
import type { PromptReply } from '../instance/planning.js'
import { createJournalId } from '../journal/folder.js'
import type { Header } from '../journal/lines.js'
import { createAttributeMask, type Facts, recordIn } from '../journal/record.js'
import {
  getWishedAttributes,
  type SnapshotFilter,
  type Spool,
  startSpool,
  writeQueuedObjects,
} from '../journal/work.js'
import type { Journal } from '../journal/writer.js'
import type { PlanAnswer } from '../rows.js'
import type { End, GivenObject, Item } from '../work/report.js'
import type { RunRecord } from '../work/run.js'
import { getObjectKey } from '../work/seen-objects.js'
import { describeLine, formatShard, getJournalInput } from './asked-line.js'
import { findInverse, type Inverse } from './inverse.js'
import { type CachedRead, JournaledStep, keepOf } from './journaled-step.js'
import type { JournalOptions, ResumeFlags, UnfinishedRun } from './runs.js'
import { buildResumeLine, makeJournal } from './runs.js'
import type { NumberedPlan } from './work-queue.js'

// The first line of a run's journal: what is sent, by whom, and where.

/** The parts from which the first line of a run is made. */
export interface HeaderParts {
  readonly place: Pick<WorkspaceService, 'clock' | 'cwd' | 'env' | 'identity'>
  readonly ui: Pick<UiService, 'note'>
  readonly command: Command
  readonly globals: Pick<Globals, 'shard' | 'undoRecord'>
  readonly journaling: JournalOptions
  /** It is one object, named on the line: nothing is said of its journal. */
  readonly single: boolean
  /** Why the run cannot be resumed, whatever was asked. */
  readonly final?: string | undefined
  /** Returns the flags that a person was asked for while the run was planned. */
  readonly answered: () => readonly PromptReply[]
}

interface JournalParts extends HeaderParts {
  /** Has what is sent while no journal is in force. */
  readonly requests: Pick<InstanceExchange['requests'], 'kept'>
  readonly globals: ResumeFlags & Pick<Globals, 'shard' | 'undoRecord'>
  readonly instance: InstanceService
  readonly reads: CachedRead
  readonly admits: (plan: Plan) => Promise<boolean>
  /** The record that an object was selected by. */
  readonly selected: (plan: Plan) => unknown
}

/** True if the text that names a plan's object is a secret. */
export const isNamedBySecret = ({ endpoint }: Plan): boolean => {
  const [name = ''] = endpoint.args ?? []
  return (endpoint.path[name] ?? endpoint.params[name])?.secret === true
}

/** @throws Failure `usage` where what names the objects is a secret */
export const checkNames = (plan: Plan): void => {
  if (isNamedBySecret(plan))
    throw usage(
      'an object is given in place of a secret, which a journal must not contain',
      'With --journal none, the run can be neither resumed nor undone.',
    )
}

/** Describes the journal's first line, by the first plan. */
export const describeHeader = async (parts: HeaderParts, first: Plan): Promise<Header> => {
  const { command, globals, place, journaling } = parts
  const { cwd } = place
  const { shard, undoRecord } = globals
  const answered = parts.answered()
  const words = getCommandName(command)
  const now = place.clock.now()
  // Who did one object is asked only by whoever takes it back.
  const identity = await place.identity(parts.single ? 'known' : 'asked')
  if (identity.user === null && !parts.single)
    parts.ui.note('the instance does not report your user: --resume will require --yes')
  return {
    run: 1,
    id: createJournalId(words, now, parts.single),
    began: now.toISOString(),
    command: words,
    endpoint: maskAddresses(first.endpoint.route),
    input: getJournalInput(first, journaling.raw, journaling.rowFields),
    ...identity,
    source: journaling.source,
    ...(Object.keys(journaling.names).length > 0 && { names: journaling.names }),
    ...(await describeLine({ ...parts, answered, cwd, shard, undoRecord })),
  }
}

/**
 * Writes the journal of a shard that has no objects, where one is named: whoever merges the shards sees that it was run.
 * @throws Failure `usage` where it cannot be made
 */
export const recordEmptyShard = async ({
  command,
  globals,
  place,
  journaling,
}: Pick<JournalParts, 'command' | 'globals' | 'journaling' | 'place'>): Promise<void> => {
  const { journal: named, shard } = globals
  if (named === undefined || named === 'none' || shard === undefined) return
  const words = getCommandName(command)
  const now = place.clock.now()
  const journal = await makeJournal(place, named, {
    run: 1,
    id: createJournalId(words, now),
    began: now.toISOString(),
    command: words,
    // Nothing was planned.
    endpoint: '',
    input: {},
    ...(await place.identity('known')),
    source: journaling.source,
    shard: formatShard(shard),
  })
  await journal.append({ input: 'complete', total: 0 })
  await journal.end('completed')
  await journal.close()
}

/** Finds what undoes a run, or the reason why nothing does. */
const loadInverse = async (
  header: Header,
): Promise<{ readonly inverse?: Inverse; readonly irreversible?: string }> => {
  try {
    return { inverse: await findInverse(header) }
  } catch (error) {
    return { irreversible: recoverFrom(error).message }
  }
}

export class JournaledRun {
  readonly journal: Journal
  readonly resumed: UnfinishedRun | undefined
  readonly #parts: JournalParts
  readonly #step: JournaledStep
  readonly #facts = new WeakMap<PlanAnswer, Facts>()
  readonly record: RunRecord<PlanAnswer>
  readonly #keep: SnapshotFilter
  #closed = false

  private constructor(parts: JournalParts, journal: Journal, step: JournaledStep, first: Plan) {
    this.#parts = parts
    this.journal = journal
    this.resumed = parts.journaling.resumed
    this.#step = step
    const facts = (result: PlanAnswer | undefined): Facts =>
      (result === undefined ? undefined : this.#facts.get(result)) ?? {}
    const mask = createAttributeMask(first.endpoint)
    this.#keep = keepOf(first, mask)
    this.record = recordIn(journal, {
      facts,
      mask,
      found: (item) => step.seen(item),
      wished: (before) => getWishedAttributes(journal.header, before),
    })
  }

  /** @throws Failure `usage` where it cannot be made, or nothing could take the run back */
  static async of(parts: JournalParts, first: Plan): Promise<JournaledRun> {
    const { globals, journaling } = parts
    const { resumed } = journaling
    checkNames(first)
    const undo =
      resumed === undefined ? globals.undoRecord : resumed.past.header.options?.undo_record
    const made = resumed?.past.header ?? (await describeHeader(parts, first))
    const { inverse, irreversible } = undo === true ? await loadInverse(made) : {}
    const header = irreversible === undefined ? made : { ...made, irreversible }
    const step = new JournaledStep({ ...parts, header, inverse, stale: resumed !== undefined })
    const journal = resumed?.journal ?? (await makeJournal(parts.place, globals.journal, header))
    if (resumed === undefined && header.final !== undefined && !parts.single)
      parts.ui.note(`this run cannot be resumed: ${header.final}`)
    parts.requests.kept = true
    return new JournaledRun(parts, journal, step, first)
  }

  /** The journal as it was named. */
  get file(): string {
    return this.#parts.globals.journal ?? this.journal.file
  }

  /** Writes objects down as they come. */
  spool(objects: AsyncIterable<GivenObject>): Spool {
    return startSpool(this.journal, objects, undefined, this.#keep)
  }

  /** Writes objects down that are in hand. */
  enlist(objects: readonly GivenObject[]): Promise<void> {
    return writeQueuedObjects(this.journal, objects)
  }

  /** Places of the objects that are left, by what they are. */
  async left(): Promise<(object: GivenObject) => Item | undefined> {
    const places = new Map<string, Item>()
    for await (const item of this.resumed?.left() ?? []) places.set(getObjectKey(item), item)
    return (object) => places.get(getObjectKey(object))
  }

  /** Looks at an object that is about to be changed. */
  look(item: NumberedPlan): Promise<void> {
    return this.#step.look(item, item.plan)
  }

  /** Looks at objects that are about to be changed all together. */
  async prepare(items: readonly NumberedPlan[]): Promise<void> {
    for await (const _ of mapConcurrent(items, maxConcurrent, (item) => this.look(item)));
  }

  /** Does one object, and remembers what is to be written down of it. */
  async do(item: Item, plan: Plan, send: (plan: Plan) => Promise<PlanAnswer>): Promise<PlanAnswer> {
    const { answer, facts } = await this.#step.one(item, plan, send)
    this.#facts.set(answer, facts)
    return answer
  }

  /** The line that goes on with the run; undefined where that cannot be. */
  get again(): string | undefined {
    const { command, globals } = this.#parts
    const { final, user } = this.journal.header
    if (final !== undefined) return undefined
    // Of nobody it cannot be told whether it is the same user: resuming asks.
    return buildResumeLine(getCommandName(command), {
      ...globals,
      yes: globals.yes || user === null,
    })
  }

  /** Writes down how it ended; what failed, failed before. */
  async end(end: End): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#parts.requests.kept = false
    await this.journal.end(end).catch(() => {})
    await this.journal.close()
  }

  /** Discards the journal, because nothing was begun. */
  async discard(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#parts.requests.kept = false
    await (this.resumed === undefined ? this.journal.discard() : this.journal.close())
  }
}
