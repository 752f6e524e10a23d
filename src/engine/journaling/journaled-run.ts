/** The journal of a run: opened before anything is sent, told of each object, closed whatever ends the run. */
import { mapConcurrent, maxConcurrent } from '../../base/async.js'
import { maskAddresses } from '../../base/secrets/addresses.js'
import { getMethod } from '../../catalogue/endpoint.js'
import { Failure, isMissing, survived, usage } from '../../errors.js'
import { getCommandName } from '../command/derived.js'
import type { Globals } from '../command/globals.js'
import { asUnchanged, toKeptAnswer } from '../command/running.js'
import type {
  InstanceService,
  PlanAnswer,
  UiService,
  WorkspaceService,
} from '../command/services.js'
import type { Command, Plan } from '../command/types.js'
import type { UnkeptWrites } from '../instance/exchange.js'
import type { Replied } from '../instance/planning.js'
import { journalId } from '../journal/folder.js'
import type { Attributes, Header } from '../journal/lines.js'
import { createAttributeMask, type Facts, type Masking, recordIn } from '../journal/record.js'
import { enlist, type Keep, type Spool, spool, wishedIn } from '../journal/work.js'
import type { Journal } from '../journal/writer.js'
import { type End, type GivenObject, type Item, normalizeId as sameName } from '../work/report.js'
import type { RunRecord } from '../work/run.js'
import { describeLine, getJournalInput } from './asked-line.js'
import { findInverse, type Inverse } from './inverse.js'
import type { JournalOptions, Resumed } from './options.js'
import { againBy, makeJournal } from './runs.js'
import {
  type CachedRead,
  changedBy,
  creates,
  hasAttributes,
  identityIn,
  leftBy,
  readWith,
  Snapshot,
  selectedAs,
  wantedBy,
} from './snapshot.js'
import type { Numbered } from './work-queue.js'

// One object of a run that keeps a journal: looked at before it is changed, and described after.

interface DoingParts {
  readonly command: Pick<Command, 'area'>
  readonly instance: InstanceService
  readonly reads: CachedRead
  /** Whether a request may be sent, as far as its profile says. */
  readonly admits: (plan: Plan) => Promise<boolean>
  readonly header: Header
  /** What takes the run back, where what was there before is kept for that. */
  readonly inverse: Inverse | undefined
  readonly selected: (plan: Plan) => unknown
  /** It was selected in an earlier run, and may have been changed since. */
  readonly stale: boolean
}

interface Done {
  readonly answer: PlanAnswer
  readonly facts: Facts
}

type Send = (plan: Plan) => Promise<PlanAnswer>

const unknown = (): Failure =>
  new Failure('partial', 'it may have been written before, but its values differ', {
    hint: 'Check the object, and start a new run for it.',
    unknownOutcome: true,
  })

/** An answer of its own: facts are kept by it. */
const unchanged = (): PlanAnswer => ({ unchanged: true })

class JournaledStep {
  readonly #parts: DoingParts
  readonly #snapshot: Snapshot
  /** What was there before, by place, from when an object is looked at until it is done. */
  readonly #seen = new Map<number, Facts>()

  constructor(parts: DoingParts) {
    this.#parts = parts
    this.#snapshot = new Snapshot(parts.reads, parts.instance, parts.command.area)
  }

  /** What is known of an object before it is begun. */
  seen({ n }: Item): Facts {
    return this.#seen.get(n) ?? {}
  }

  /** Looks at an object before it is begun: what cannot be read is written all the same, and cannot be undone. */
  async look(item: Item, plan: Plan): Promise<void> {
    if (item.how === 'read' || plan.refused !== undefined || this.#seen.has(item.n)) return
    try {
      const before = await this.#before(item, plan)
      if (before !== undefined) this.#seen.set(item.n, { before })
    } catch (error) {
      this.#seen.set(item.n, { unread: survived(error).message })
    }
  }

  async one(item: Item, plan: Plan, send: Send): Promise<Done> {
    if (item.how === 'read') return this.#look(item, plan)
    const { before, unread } = this.seen(item)
    this.#seen.delete(item.n)
    const asWanted = before !== undefined && hasAttributes(wantedBy(plan), before)
    if (item.how === 'look' && asWanted) return { answer: unchanged(), facts: {} }
    const sent = item.how === 'again' ? await gone(send, plan) : await send(plan)
    // What was as it is to be is sent all the same: others may change it meanwhile.
    const same = sent.unchanged !== true && asWanted
    const answer = same ? asUnchanged(sent) : sent
    const facts = toKeptAnswer(answer)
    if (answer.unchanged === true) return { answer, facts }
    if (creates(plan))
      return { answer, facts: { ...facts, before: null, after: identityIn(answer.value, plan) } }
    if (before === undefined)
      return { answer, facts: unread === undefined ? facts : { ...facts, unread } }
    const after = await this.#after(item, plan, answer, before)
    return { answer, facts: { ...facts, before, after } }
  }

  /** What may have been sent, and is never sent twice: it is only looked at. */
  async #look(item: Item, plan: Plan): Promise<Done> {
    const { inverse } = this.#parts
    const wanted = wantedBy(plan)
    const now =
      plan.endpoint.changes === true || plan.endpoint.leaves !== undefined
        ? await this.#snapshot.attributes(plan)
        : inverse?.presence === true && !creates(plan)
          ? await this.#snapshot.presence(inverse, this.#parts.header, item, plan)
          : undefined
    if (now === undefined || now === null) throw unknown()
    if (Object.keys(wanted).length > 0 && !hasAttributes(wanted, now)) throw unknown()
    return { answer: {}, facts: {} }
  }

  async #before(item: Item, plan: Plan): Promise<Attributes | undefined> {
    const { inverse, header, selected, stale } = this.#parts
    const known = readWith(plan) ?? selectedAs(item.before ?? selected(plan), plan)
    if (inverse === undefined || (known !== undefined && !stale)) return known
    // What may not be sent is not looked at either: it is refused as it is sent.
    if (creates(plan) || !(await this.#parts.admits(plan))) return undefined
    return inverse.presence
      ? this.#snapshot.presence(inverse, header, item, plan)
      : this.#snapshot.attributes(plan)
  }

  async #after(
    item: Item,
    plan: Plan,
    answer: PlanAnswer,
    before: Attributes,
  ): Promise<Attributes> {
    const { inverse, header } = this.#parts
    if (inverse?.presence !== true) return leftBy(plan, answer, before)
    if (getMethod(plan.endpoint) === 'DELETE') return null
    const shown = this.#snapshot.shown(answer.value, inverse, header, item, plan)
    // What cannot be read any more is done all the same.
    return shown ?? this.#snapshot.presence(inverse, header, item, plan).catch(() => ({}))
  }
}

/** What was deleted before is gone already. */
const gone = async (send: Send, plan: Plan): Promise<PlanAnswer> => {
  try {
    return await send(plan)
  } catch (error) {
    if (isMissing(error)) return unchanged()
    throw error
  }
}

// The first line of a run's journal: what is sent, by whom, and where.

export interface JournalParts {
  readonly place: Pick<WorkspaceService, 'clock' | 'cwd' | 'env' | 'identity'>
  /** Notes what is sent while no journal is in force. */
  readonly unkept: Pick<UnkeptWrites, 'kept'>
  readonly ui: Pick<UiService, 'note'>
  readonly command: Command
  readonly globals: Pick<
    Globals,
    'journal' | 'profile' | 'resume' | 'sandbox' | 'shard' | 'undoRecord'
  >
  readonly journaling: JournalOptions
  /** It is one object, named on the line: nothing is said of its journal. */
  readonly single: boolean
  /** Why the run cannot be resumed, whatever was asked. */
  readonly final?: string
  readonly instance: InstanceService
  readonly reads: CachedRead
  readonly admits: (plan: Plan) => Promise<boolean>
  /** What a person was asked for while it was planned. */
  readonly answered: () => readonly Replied[]
  /** The record that an object was selected by. */
  readonly selected: (plan: Plan) => unknown
}

/** Whether what stands in the place of the object is a secret. */
export const isNamedBySecret = ({ endpoint }: Plan): boolean => {
  const [name = ''] = endpoint.args ?? []
  return (endpoint.path[name] ?? endpoint.params[name])?.secret === true
}

/** @throws Failure `usage` where what names the objects is a secret */
const checkNames = (plan: Plan): void => {
  if (isNamedBySecret(plan))
    throw usage(
      'an object is given in place of a secret, which a journal must not contain',
      'With --journal none, the run can be neither resumed nor undone.',
    )
}

/** The journal's first line, by the first plan. */
const headerOf = async (parts: JournalParts, first: Plan): Promise<Header> => {
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
    journal: 2,
    id: journalId(words, now, parts.single),
    began: now.toISOString(),
    command: words,
    endpoint: maskAddresses(first.endpoint.route),
    input: getJournalInput(first, journaling.raw, journaling.rowFields),
    ...identity,
    source: journaling.source,
    ...(await describeLine({ ...parts, answered, cwd, shard, undoRecord })),
  }
}

/** What takes a run back, or why nothing does. */
const inverseFor = async (
  header: Header,
): Promise<{ readonly inverse?: Inverse; readonly irreversible?: string }> => {
  try {
    return { inverse: await findInverse(header) }
  } catch (error) {
    return { irreversible: survived(error).message }
  }
}

const keyOf = ({ object, parent = '' }: GivenObject): string =>
  `${sameName(parent)}\0${sameName(object)}`

/** Of a record that an object was selected by, what all plans of the run change. */
const keepOf = (first: Plan, mask: Masking): Keep => {
  const changed = changedBy(first)
  return (before) => {
    const own = Object.entries(before ?? {}).filter(([name]) => name in changed)
    return own.length === 0 ? undefined : mask(Object.fromEntries(own))
  }
}

export class JournaledRun {
  readonly journal: Journal
  readonly resumed: Resumed | undefined
  readonly #parts: JournalParts
  readonly #step: JournaledStep
  readonly #facts = new WeakMap<PlanAnswer, Facts>()
  readonly record: RunRecord<PlanAnswer>
  readonly #keep: Keep
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
      wished: (before) => wishedIn(journal.header, before),
    })
  }

  /** @throws Failure `usage` where it cannot be made, or nothing could take the run back */
  static async of(parts: JournalParts, first: Plan): Promise<JournaledRun> {
    const { globals, journaling } = parts
    const { resumed } = journaling
    checkNames(first)
    const undo =
      resumed === undefined ? globals.undoRecord : resumed.past.header.options?.undo_record
    const made = resumed?.past.header ?? (await headerOf(parts, first))
    const { inverse, irreversible } = undo === true ? await inverseFor(made) : {}
    const header = irreversible === undefined ? made : { ...made, irreversible }
    const step = new JournaledStep({ ...parts, header, inverse, stale: resumed !== undefined })
    const journal = resumed?.journal ?? (await makeJournal(parts.place, globals.journal, header))
    if (resumed === undefined && header.final !== undefined && !parts.single)
      parts.ui.note(`this run cannot be resumed: ${header.final}`)
    parts.unkept.kept = true
    return new JournaledRun(parts, journal, step, first)
  }

  /** The journal as it was named. */
  get file(): string {
    return this.#parts.globals.journal ?? this.journal.file
  }

  /** Writes objects down as they come. */
  spool(objects: AsyncIterable<GivenObject>): Spool {
    return spool(this.journal, objects, undefined, this.#keep)
  }

  /** Writes objects down that are in hand. */
  enlist(objects: readonly GivenObject[]): Promise<void> {
    return enlist(this.journal, objects)
  }

  /** Places of the objects that are left, by what they are. */
  async left(): Promise<(object: GivenObject) => Item | undefined> {
    const places = new Map<string, Item>()
    for await (const item of this.resumed?.left() ?? []) places.set(keyOf(item), item)
    return (object) => places.get(keyOf(object))
  }

  /** Looks at an object that is about to be changed. */
  look(item: Numbered): Promise<void> {
    return this.#step.look(item, item.plan)
  }

  /** Looks at objects that are about to be changed all together. */
  async prepare(items: readonly Numbered[]): Promise<void> {
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
    return this.journal.header.final === undefined
      ? againBy(getCommandName(command), globals)
      : undefined
  }

  /** Writes down how it ended; what failed, failed before. */
  async end(end: End): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#parts.unkept.kept = false
    await this.journal.end(end).catch(() => {})
    await this.journal.close()
  }

  /** Nothing was begun. */
  async discard(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#parts.unkept.kept = false
    await (this.resumed === undefined ? this.journal.discard() : this.journal.close())
  }
}
