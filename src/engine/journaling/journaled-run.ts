/**
 * Runs objects with a journal: opens it before the first request, records each object, and closes it however the run
 * ends.
 */
import { mapConcurrent, maxConcurrent } from '../../base/async.js'
import { maskAddresses } from '../../base/secrets/mask.js'
import { recoverFrom, usage } from '../../errors.js'
import type { InstanceService, UiService, WorkspaceService } from '../command/context.js'
import { getCommandName } from '../command/derive.js'
import type { Globals } from '../command/globals.js'
import type { Command, Plan, RecordingOptions, RevertedRun } from '../command/types.js'
import type { InstanceExchange } from '../instance/exchange.js'
import type { PromptReply } from '../instance/planning.js'
import { createJournalId } from '../journal/folder.js'
import type { Header } from '../journal/lines.js'
import {
  getIntendedAttributes,
  type SnapshotFilter,
  type Spool,
  startSpool,
  writeQueuedObjects,
} from '../journal/objects.js'
import { createAttributeMask, createRunRecord, type OutcomeFacts } from '../journal/run-record.js'
import type { Journal } from '../journal/writer.js'
import type { PlanAnswer } from '../rows.js'
import { type End, formatOutcomeCounts, type GivenObject, type Item } from '../work/report.js'
import type { RunRecord } from '../work/run.js'
import { getObjectKey } from '../work/seen-objects.js'
import { findInverse, type Inverse } from './inverse.js'
import { describeRecordedLine, formatShard, getJournalInput } from './recorded-line.js'
import {
  buildResumeLine,
  createRunJournal,
  isLastRun,
  type JournalOptions,
  type ResumeFlags,
  type UnfinishedRun,
} from './runs.js'
import type { CachedRead } from './state-reader.js'
import { createSnapshotFilter, UndoableStep } from './undoable-step.js'
import type { NumberedPlan } from './work-queue.js'

// The first line of a journal: the request, the author and the instance.

/** The parts from which the first line of a journal is made. */
export interface HeaderParts {
  readonly place: Pick<WorkspaceService, 'clock' | 'cwd' | 'env' | 'getOrigin'>
  readonly ui: Pick<UiService, 'note'>
  readonly command: Command
  readonly globals: Pick<Globals, 'shard' | 'undoRecord'>
  readonly journaling: JournalOptions
  /** True if the run is over one object that the line names: its journal is not mentioned to the person. */
  readonly single: boolean
  /** The command's options for the journal. */
  readonly how?: RecordingOptions | undefined
  /** Returns the flags that a person was asked for during planning. */
  readonly getReplies: () => readonly PromptReply[]
}

/** The parts from which the journal of a run is made. */
interface JournalParts extends HeaderParts {
  /** Records requests while no journal is open. */
  readonly requests: Pick<InstanceExchange['requests'], 'setJournal'>
  readonly globals: ResumeFlags & Pick<Globals, 'shard' | 'undoRecord'>
  readonly instance: InstanceService
  readonly readOnce: CachedRead
  readonly canWrite: (plan: Plan) => Promise<boolean>
  /** Adds a note below the output. */
  readonly addFooter: (text: string) => void
  /** Returns the record by which an object was selected. */
  readonly getSelected: (plan: Plan) => unknown
}

/** True if the text that names a plan's object is a secret. */
export const isNamedBySecret = ({ endpoint }: Plan): boolean => {
  const [name = ''] = endpoint.args ?? []
  return (endpoint.path[name] ?? endpoint.params[name])?.secret === true
}

/**
 * Checks that objects are not named by secrets.
 * @throws Failure `usage` if they are
 */
export const checkNames = (plan: Plan): void => {
  if (isNamedBySecret(plan))
    throw usage(
      'an object is given in place of a secret, which a journal must not contain',
      'With --journal none, the run can be neither resumed nor undone.',
    )
}

/** Describes the first line of the journal of a run that reverts another one. */
const createRevertHeader = async (
  { command, place }: HeaderParts,
  { endpoint, parent }: Plan,
  { area, input, ...past }: RevertedRun,
): Promise<Header> => {
  const now = place.clock.now()
  return {
    run: 1,
    id: createJournalId(getCommandName(command), now),
    began: now.toISOString(),
    command: `${area} ${endpoint.command}`.trim(),
    endpoint: maskAddresses(endpoint.route),
    input,
    ...(await place.getOrigin()),
    source: 'journal',
    parents: parent?.column,
    ...past,
  }
}

/** Describes the first line of a journal, according to the first plan. */
export const createHeader = async (parts: HeaderParts, first: Plan): Promise<Header> => {
  const { command, globals, place, journaling } = parts
  const { final, reverts } = parts.how ?? {}
  if (reverts !== undefined) return createRevertHeader(parts, first, reverts)
  const { cwd, env } = place
  const { shard, undoRecord } = globals
  const replies = parts.getReplies()
  const words = getCommandName(command)
  const now = place.clock.now()
  // A run over one object does not ask the instance for the user; undoing it does.
  const identity = await place.getOrigin(parts.single ? 'known' : 'asked')
  if (identity.user === null && !parts.single)
    parts.ui.note('the instance does not report your user: --resume will require --yes')
  const parents = first.parent?.column
  const line = { command, journaling, final, replies, cwd, env, shard, undoRecord, parents }
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
    ...(await describeRecordedLine(line)),
  }
}

/**
 * Writes the journal of a shard without objects if the line names a file. Merging then sees that the shard ran.
 * @throws Failure `usage` if the file cannot be created
 */
export const recordEmptyShard = async (
  parts: Pick<JournalParts, 'command' | 'globals' | 'journaling' | 'place' | 'ui'>,
): Promise<void> => {
  const { command, globals, place, journaling } = parts
  const { journal: named, shard } = globals
  if (named === undefined || named === 'none' || shard === undefined) return
  const words = getCommandName(command)
  const now = place.clock.now()
  const journal = await createRunJournal(parts, named, {
    run: 1,
    id: createJournalId(words, now),
    began: now.toISOString(),
    command: words,
    // Nothing was planned.
    endpoint: '',
    input: {},
    ...(await place.getOrigin('known')),
    source: journaling.source,
    shard: formatShard(shard, place.env),
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

/** A run whose objects are recorded in a journal, with the answers of their requests. */
export class JournaledRun {
  readonly resumed: UnfinishedRun | undefined
  readonly #facts = new WeakMap<PlanAnswer, OutcomeFacts>()
  /** The record of the run. An object that is checked first is begun when it is sent. */
  readonly record: RunRecord<PlanAnswer>
  readonly #record: RunRecord<PlanAnswer>
  readonly #isChecked: boolean
  readonly #keep: SnapshotFilter
  #closed = false
  /** False if another run began before this one ended. */
  #isLast = true

  private constructor(
    private readonly parts: JournalParts,
    readonly journal: Journal,
    private readonly step: UndoableStep,
    first: Plan,
  ) {
    this.resumed = parts.journaling.resumed
    const getFacts = (result: PlanAnswer | undefined): OutcomeFacts =>
      (result === undefined ? undefined : this.#facts.get(result)) ?? {}
    const mask = createAttributeMask(first.endpoint)
    this.#keep = createSnapshotFilter(first, mask)
    this.#record = createRunRecord(journal, {
      getFacts,
      mask,
      getKnownFacts: (item) => step.getSeen(item),
      getIntendedAttributes: (before) => getIntendedAttributes(journal.header, before),
    })
    this.#isChecked = parts.how?.check !== undefined
    this.record = this.#isChecked ? { ...this.#record, recordStart: async () => {} } : this.#record
  }

  /**
   * Opens the journal of a run, or resumes it.
   * @throws Failure `usage` if it cannot be created
   */
  static async open(parts: JournalParts, first: Plan): Promise<JournaledRun> {
    const { globals, journaling } = parts
    const { resumed } = journaling
    checkNames(first)
    const records =
      resumed === undefined ? globals.undoRecord : resumed.past.header.options?.undo_record
    const undo = records === true && parts.how?.reverts === undefined
    const base = resumed?.past.header ?? (await createHeader(parts, first))
    const { inverse, irreversible } = undo ? await loadInverse(base) : {}
    const header = irreversible === undefined ? base : { ...base, irreversible }
    const step = new UndoableStep({ ...parts, header, inverse, isStale: resumed !== undefined })
    const journal = resumed?.journal ?? (await createRunJournal(parts, globals.journal, header))
    if (resumed === undefined && header.final !== undefined && !parts.single)
      parts.ui.note(`this run cannot be resumed: ${header.final}`)
    parts.requests.setJournal(true)
    return new JournaledRun(parts, journal, step, first)
  }

  /** The name of the journal as typed, or else its path. */
  get file(): string {
    return this.parts.globals.journal ?? this.journal.file
  }

  /** Starts to write objects to the journal as they arrive. */
  spool(objects: AsyncIterable<GivenObject>): Spool {
    return startSpool(this.journal, objects, undefined, this.#keep)
  }

  /** Writes a list of objects to the journal. */
  writeObjects(objects: readonly GivenObject[] | AsyncIterable<GivenObject>): Promise<void> {
    return writeQueuedObjects(this.journal, objects)
  }

  /**
   * Loads the remaining objects of a resumed run.
   * @returns a function that finds the item of an object
   */
  async loadRemaining(): Promise<(object: GivenObject) => Item | undefined> {
    const places = new Map<string, Item>()
    for await (const item of this.resumed?.readRemaining() ?? [])
      places.set(getObjectKey(item), item)
    return (object) => places.get(getObjectKey(object))
  }

  /** Reads an object before it is changed. */
  readBefore(item: NumberedPlan): Promise<void> {
    return this.step.readBefore(item, item.plan)
  }

  /** Reads several objects at once before they are changed together. */
  async readAllBefore(items: readonly NumberedPlan[]): Promise<void> {
    for await (const _ of mapConcurrent(items, maxConcurrent, (item) => this.readBefore(item)));
  }

  /** Sends the plan of one object and keeps the facts to record about it. */
  async sendOne(
    item: Item,
    plan: Plan,
    send: (plan: Plan, begin?: () => Promise<void>) => Promise<PlanAnswer>,
  ): Promise<PlanAnswer> {
    const begin = this.#isChecked ? () => this.#record.recordStart(item) : undefined
    const { answer, facts } = await this.step.sendOne(item, plan, (one) => send(one, begin))
    this.#facts.set(answer, facts)
    return answer
  }

  /** The line that resumes the run; undefined if it cannot be resumed. */
  get resumeLine(): string | undefined {
    const { command, globals } = this.parts
    const { final, id, undoes, user } = this.journal.header
    if (final !== undefined || undoes !== undefined) return undefined
    // If the user is unknown, resuming asks for confirmation.
    const flags = { ...globals, yes: globals.yes || user === null }
    return buildResumeLine(getCommandName(command), flags, this.#isLast ? 'last' : id)
  }

  /** Records how the run ended and closes the journal. Write errors were already reported. */
  async end(end: End): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.parts.requests.setJournal(false)
    await this.journal.end(end).catch(() => {})
    await this.journal.close()
    this.#isLast = await isLastRun(this.parts.place, this.journal.header)
    // The journal of a single object is not mentioned, except to a person who undoes it.
    if (this.parts.single && this.journal.header.undoes !== undefined)
      this.parts.addFooter(
        `${formatOutcomeCounts(this.journal.states.count())}. Journal: ${this.file}`,
      )
  }

  /** Discards the journal if nothing was begun. */
  async discard(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.parts.requests.setJournal(false)
    await (this.resumed === undefined ? this.journal.discard() : this.journal.close())
  }
}
