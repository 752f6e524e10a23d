/** Provides the context of a command: it plans the command's actions, and lists, sends, previews or prints them. */
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

/** True if the command lists what a target has, for at least one of the targets. */
const isListing = ({ endpoints }: Command, targets: readonly ParentTarget[]): boolean =>
  Object.values(endpoints).some(
    (e) => e.returns.kind === 'many' && targets.some(({ kind }) => getScope(e)?.kind === kind),
  )

/** True if actions change something. Actions from a source are always writes. */
const areWriting = (actions: Actions): boolean =>
  isSource(actions) || actions.some(({ endpoint }) => writes(endpoint))

export class LineContext implements Context {
  readonly instance: Context['instance']
  readonly answer: Context['answer']
  readonly ui: Context['ui']
  readonly place: Context['place']
  readonly naming: Context['naming']
  readonly #parts: LineParts
  readonly #targets: LineTargets | undefined
  /** True once actions were carried out. Later actions are recorded in the same run. */
  #hasWritten = false

  /**
   * @param seen the answer and the instance that the command sees
   * @param targets the targets of the line, if its arguments do not name them
   */
  constructor(parts: LineParts, seen: Pick<Context, 'answer' | 'instance'>, targets?: LineTargets) {
    this.answer = seen.answer
    this.instance = seen.instance
    this.ui = parts.ui
    this.place = parts.place
    this.naming = parts.options.command.naming
    this.#parts = parts
    this.#targets = targets
  }

  get sends(): boolean {
    return this.#parts.curl === undefined && this.#parts.preview === undefined
  }

  planActions(given: Given, options: ActionOptions = {}): Promise<Actions> {
    return this.#parts.planning.planLine(given, options, this.#limitTargets(given))
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
      const { yieldParentRows: listOver } = await import('./targets/parent-rows.js')
      return yield* listOver(this.#parts, given, { view, how }, parents, getMaxRecords(globals))
    }
    const actions = await planning.planLine(given, how, this.#targets)
    await planning.printRepeatLine(actions, false)
    yield* this.#listPlans(actions, view)
  }

  async *write(actions: Actions, options: WriteOptions = {}): Rows {
    const { bulk, curl, followUps: following, lists, planning, preview } = this.#parts
    await planning.printRepeatLine(actions, options.loses !== undefined)
    if (curl !== undefined) return yield* curl.printActions(actions, options)
    if (preview !== undefined && areWriting(actions))
      return yield* (await preview()).show(actions, options)
    if (!isSource(actions) && actions[0]?.request !== undefined) lists.checkNoListFlags()
    if (this.#hasWritten && !isSource(actions)) {
      const { sendFollowUps } = await import('./bulk/follow-up.js')
      return yield* sendFollowUps(following, actions, options)
    }
    this.#hasWritten = true
    const sent = createLiveOptions(this.#parts, options)
    yield* isSource(actions) ? bulk.stream(actions, sent) : bulk.runPlans(actions, sent)
  }

  /** Yields the rows of a command without code of its own: its list, or the outcomes of its objects. */
  async *followEndpoints(given: Given): Rows {
    const { command } = this.#parts.options
    if (isListing(command, this.#parents ?? [])) return yield* this.list(given)
    const actions = await this.planActions(given)
    const first = isSource(actions) ? undefined : actions[0]
    if (isSource(actions) || first?.endpoint.returns.kind !== 'many')
      return yield* this.write(actions)
    await this.#parts.planning.printRepeatLine(actions, false)
    yield* this.#listPlans(actions, {})
  }

  /** The projects or groups of the line; undefined unless there are several. */
  get #parents(): readonly ParentTarget[] | undefined {
    return this.#targets !== undefined && 'targets' in this.#targets
      ? this.#targets.targets
      : undefined
  }

  /** Returns the targets that are read. If each has one record, `--limit` limits the number of targets. */
  #limitTargets(given: Given): LineTargets | undefined {
    const { globals, command } = this.#parts.options
    const { curl, addFooter: later } = this.#parts
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

  async *#listPlans(actions: Actions, view: RecordView): Rows {
    const { curl, lists } = this.#parts
    if (isSource(actions)) throw new Failure('internal', 'a list of objects that come')
    const { document } = view
    for (const plan of actions) {
      if (curl !== undefined) yield* curl.printList(plan, document?.whole === true)
      else if (plan.request !== undefined) yield* lists.listRequest(plan.request)
      else if (document === undefined) yield* lists.listRecords(plan, view)
      else {
        const records = await (document.whole ? lists.gather(plan) : lists.collect(plan))
        yield { kind: 'document', value: await document.build(records, plan) }
      }
    }
  }
}
