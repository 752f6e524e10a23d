/** Carries out what a command asks for: actions on the objects of its line are listed, sent, shown or printed. */
import { writes } from '../catalogue/endpoint.js'
import { Failure, usage } from '../errors.js'
import { isSource } from './command/actions.js'
import type { Context } from './command/context.js'
import { getScope, mayChangeInstance } from './command/derive.js'
import { getMaxRecords, isAggregate } from './command/globals.js'
import type {
  ActionOptions,
  Actions,
  Command,
  Given,
  ListActionOptions,
  WriteOptions,
} from './command/types.js'
import type { LineTargets } from './instance/planning.js'
import type { LineParts } from './line-parts.js'
import { createLiveOptions } from './perform/live.js'
import type { ParentTarget } from './plan/parents.js'
import { createPartFailure } from './records/object-rows.js'
import type { RecordView, Rows } from './rows.js'

/** Returns true if what one of these has is a list. */
const isListing = ({ endpoints }: Command, targets: readonly ParentTarget[]): boolean =>
  Object.values(endpoints).some(
    (e) => e.returns.kind === 'many' && targets.some(({ kind }) => getScope(e)?.kind === kind),
  )

/** Returns true if actions change something; those that come are of one verb, which writes. */
const areWriting = (actions: Actions): boolean =>
  isSource(actions) || actions.some(({ endpoint }) => writes(endpoint))

export class LineContext implements Context {
  readonly instance: Context['instance']
  readonly answer: Context['answer']
  readonly ui: Context['ui']
  readonly place: Context['place']
  readonly #parts: LineParts
  readonly #targets: LineTargets | undefined
  /** True once actions were carried out: those that follow are on record in the same run. */
  #hasWritten = false

  /**
   * @param seen what the command sees of the run
   * @param targets what the line is about, where it does not name that by itself
   */
  constructor(parts: LineParts, seen: Pick<Context, 'answer' | 'instance'>, targets?: LineTargets) {
    this.answer = seen.answer
    this.instance = seen.instance
    this.ui = parts.ui
    this.place = parts.place
    this.#parts = parts
    this.#targets = targets
  }

  get sends(): boolean {
    return this.#parts.curl === undefined && this.#parts.preview === undefined
  }

  planActions(given: Given, how: ActionOptions = {}): Promise<Actions> {
    return this.#parts.planning.planLine(given, how, this.#targetsWithin(given))
  }

  async *list(given: Given, { view = {}, ...how }: ListActionOptions = {}): Rows {
    const { curl, options, planning } = this.#parts
    const { globals } = options
    const parents = this.#parents
    if (view.document !== undefined && globals.sort !== undefined)
      throw usage('--sort works only with lists, and this result is one document')
    if (view.document !== undefined && isAggregate(globals))
      throw usage('groups are made of records, and this result is one document')
    if (parents !== undefined && curl === undefined) {
      if (view.document !== undefined) throw createPartFailure('project or group')
      const { listOver } = await import('./targets/parent-lists.js')
      return yield* listOver(this.#parts, given, { view, how }, parents, getMaxRecords(globals))
    }
    const actions = await planning.planLine(given, how, this.#targets)
    await planning.printRepeatLine(actions, false)
    yield* this.#listAll(actions, view)
  }

  async *write(actions: Actions, how: WriteOptions = {}): Rows {
    const { bulk, curl, following, lists, planning, preview } = this.#parts
    await planning.printRepeatLine(actions, how.loses !== undefined)
    if (curl !== undefined) return yield* curl.printActions(actions, how)
    if (preview !== undefined && areWriting(actions))
      return yield* (await preview()).show(actions, how)
    if (!isSource(actions) && actions[0]?.request !== undefined) lists.checkNoListFlags()
    if (this.#hasWritten && !isSource(actions)) {
      const { followUp } = await import('./bulk/follow-up.js')
      return yield* followUp(following, actions, how)
    }
    this.#hasWritten = true
    const sent = createLiveOptions(this.#parts, how)
    yield* isSource(actions) ? bulk.stream(actions, sent) : bulk.many(actions, sent)
  }

  /** Yields what the endpoints of the line's command say: a list, or what becomes of its objects. */
  async *followEndpoints(given: Given): Rows {
    const { command } = this.#parts.options
    if (isListing(command, this.#parents ?? [])) return yield* this.list(given)
    const actions = await this.planActions(given)
    const first = isSource(actions) ? undefined : actions[0]
    if (isSource(actions) || first?.endpoint.returns.kind !== 'many')
      return yield* this.write(actions)
    await this.#parts.planning.printRepeatLine(actions, false)
    yield* this.#listAll(actions, {})
  }

  /** The projects or groups of the line, where there are several. */
  get #parents(): readonly ParentTarget[] | undefined {
    return this.#targets !== undefined && 'targets' in this.#targets
      ? this.#targets.targets
      : undefined
  }

  /** Of records that each project or group has one of, only so many are read. */
  #targetsWithin(given: Given): LineTargets | undefined {
    const { globals, command } = this.#parts.options
    const { curl, later } = this.#parts
    const parents = this.#parents
    const { limit } = globals
    const isLimited =
      parents !== undefined &&
      typeof limit === 'number' &&
      parents.length > limit &&
      curl === undefined
    if (!isLimited || mayChangeInstance(command, given.args)) return this.#targets
    later(`showing ${limit} of ${parents.length}; use --limit <n> or --limit all for more`)
    return { targets: parents.slice(0, limit) }
  }

  async *#listAll(actions: Actions, view: RecordView): Rows {
    const { curl, lists } = this.#parts
    if (isSource(actions)) throw new Failure('internal', 'a list of objects that come')
    const { document } = view
    for (const plan of actions) {
      if (curl !== undefined) yield* curl.printList(plan, document?.whole === true)
      else if (plan.request !== undefined) yield* lists.listRequest(plan.request)
      else if (document === undefined) yield* lists.listRecords(plan, view)
      else {
        const records = await (document.whole ? lists.gather(plan) : lists.collect(plan))
        yield { kind: 'document', value: await document.of(records, plan) }
      }
    }
  }
}
