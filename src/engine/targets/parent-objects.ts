/** `--select` over several projects or groups: finds the objects of each before the first write. */

import { formatCount } from '../../base/text.js'
import { exitCodes, Failure, isObjectFailure } from '../../errors.js'
import type { Context } from '../command/context.js'
import type { Given } from '../command/types.js'
import { type ParentTarget, toGiven } from '../plan/parents.js'
import { FieldPresence } from '../records/single.js'
import { createExitRow, type Rows } from '../rows.js'
import { maxNamed } from '../work/report.js'
import { checkEnd, runWork, type WorkOptions } from '../work/run.js'
import type { ChosenObjects, Selection } from './selection.js'

interface ParentSelectionOptions {
  readonly selection: Selection
  readonly context: Context
  readonly given: Given
  readonly signal: AbortSignal
  readonly gate: WorkOptions<ChosenObjects>['gate']
}

const formatTargetCount = (targets: readonly ParentTarget[]): string => {
  const [first] = targets
  const word = first?.parent.column === 'of' ? 'place' : (first?.kind ?? 'project')
  return formatCount(targets.length, word)
}

/** Reads the lists of several parents at once, and finds the objects of each in the order of the parents. */
class TargetFinder {
  readonly targets: ParentTarget[] = []
  readonly #names: string[] = []
  readonly #options: ParentSelectionOptions
  #left: number
  readonly #presence = new FieldPresence()
  /** The number of objects of each parent whose list was read. */
  readonly #counts = new Map<number, number>()
  #next = 1
  /** The number of objects that are still wanted after those of the first parents that are all read. */
  #open: number

  constructor(options: ParentSelectionOptions) {
    this.#options = options
    this.#left = options.selection.maxObjects
    this.#open = this.#left
  }

  async find(targets: readonly ParentTarget[]): Promise<void> {
    const { context, selection, given, signal, gate } = this.#options
    const counter = context.ui.startCounter(targets.length)
    const yieldTargets = async function* (wanted: () => boolean) {
      for (const [i, target] of targets.entries()) {
        if (!wanted()) return
        yield { n: i + 1, object: target.parent.name, target }
      }
    }
    const reads = runWork<ChosenObjects, { n: number; object: string; target: ParentTarget }>({
      items: yieldTargets(() => this.#open > 0),
      gate,
      signal,
      work: async ({ n, target }) => {
        if (target.failure !== undefined) throw target.failure
        const result = await selection.selectInParent(toGiven(given, target), this.#open)
        this.#count(n, result.args.length)
        return { state: 'done', result }
      },
      onSettled: ({ item, outcome }) => {
        if ('failure' in outcome) this.#count(item.n, 0)
        counter.add(1, 'failure' in outcome)
      },
    })
    try {
      for await (const { item, outcome } of reads) {
        if (this.#left <= 0) break
        if ('failure' in outcome) this.#fail(item.target, outcome.failure)
        else if (outcome.result !== undefined) this.#take(item.target, outcome.result)
      }
    } finally {
      counter.end()
    }
    checkEnd(await reads.report)
    this.#presence.check()
  }

  #count(n: number, count: number): void {
    this.#counts.set(n, count)
    for (let known = this.#counts.get(this.#next); known !== undefined; ) {
      this.#open -= known
      this.#counts.delete(this.#next)
      known = this.#counts.get(++this.#next)
    }
  }

  #take(target: ParentTarget, chosen: ChosenObjects): void {
    this.#presence.recordShown()
    const args = chosen.args.slice(0, this.#left)
    if (args.length === 0) return
    this.#left -= args.length
    this.targets.push({ ...target, args })
    if (this.#names.length >= maxNamed) return
    const names = chosen.names.slice(0, args.length)
    this.#names.push(...names.map((name) => `${name} of ${target.parent.name}`))
  }

  #fail(target: ParentTarget, failure: Failure): void {
    if (this.#presence.canWaive(failure)) return
    if (!isObjectFailure(failure)) throw failure
    this.targets.push({ ...target, failure })
  }

  /** The objects of all parents. */
  get chosen(): ChosenObjects {
    const args = this.targets.flatMap((target) => target.args ?? [])
    return { args, names: this.#names }
  }
}

/**
 * Finds the parents with matching objects, and confirms them.
 * @returns parents with their objects, and parents whose lists could not be read, with the failure
 * @throws Failure `usage` if the run is not confirmed
 */
export const selectInParents = async (
  choosing: ParentSelectionOptions,
  targets: readonly ParentTarget[],
): Promise<readonly ParentTarget[]> => {
  const finder = new TargetFinder(choosing)
  await finder.find(targets)
  const { chosen } = finder
  choosing.selection.spend(chosen.args.length)
  const having = finder.targets.filter(({ args }) => args !== undefined)
  const failed = finder.targets.length - having.length
  const unread = failed === 0 ? '' : `; ${failed} more lists could not be read`
  if (chosen.args.length > 0)
    await choosing.selection.confirm(
      chosen.names,
      chosen.args.length,
      ` in ${formatTargetCount(having)}${unread}`,
    )
  return finder.targets
}

/**
 * Runs a verb once on the objects of all parents, for objects that belong to no project.
 * @throws Failure of the verb, or of the lists if all of them failed
 */
export async function* runTogether(
  { given, context, selection }: Pick<ParentSelectionOptions, 'given' | 'context' | 'selection'>,
  targets: readonly ParentTarget[],
  perform: (given: Given) => Rows,
): Rows {
  const failures = targets.flatMap(({ failure, parent }) =>
    failure === undefined ? [] : [{ failure, name: parent.name }],
  )
  for (const { failure, name } of failures) context.ui.report(failure, name)
  const args = [...new Set(targets.flatMap((target) => target.args ?? []))]
  if (args.length > 0) yield* perform(selection.removeListFlags({ ...given, args }))
  const [first] = failures
  if (first === undefined) return
  const alike = failures.every(({ failure }) => failure.category === first.failure.category)
  if (args.length === 0 && alike)
    throw new Failure(first.failure.category, `all ${failures.length} failed`)
  yield createExitRow(exitCodes.partial)
}
