/**
 * Plans of several parents become one run: each command stops where it hands its plans over, and goes on
 * once all of them were run together.
 */
import type { Plan } from '../../../commands/described.js'
import { type Loss, lossIn, type Many } from '../../../commands/running.js'
import { linesOf } from '../person/details.js'

type Run = NonNullable<Many['run']>

interface Handed {
  /** The place of its parent. */
  readonly n: number
  readonly plans: readonly Plan[]
  readonly how: Many
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

/** What is lost of all together. */
const lossOf = (all: readonly Handed[]): { loses?: Loss } => {
  const losses = all.flatMap(({ how }) => lossIn(how) ?? [])
  const [first] = losses
  if (first === undefined) return {}
  if (losses.every(({ details }) => details === undefined)) return { loses: first }
  const details = async (): Promise<readonly string[]> =>
    (await Promise.all(losses.map((loss) => linesOf(loss.details ?? [])))).flat()
  return { loses: { ...first, details } }
}

/** What goes as one request for the plans of each command, for those of each. */
const togetherOf = (all: readonly Handed[]): Pick<Many, 'together'> => {
  if (all.every(({ how }) => how.together === undefined)) return {}
  const together: Many['together'] = async (due) => {
    const some = new Set(due)
    const each = all.map(({ plans, how }) => how.together?.(plans.filter((plan) => some.has(plan))))
    await Promise.all(each)
  }
  return { together }
}

/** How all are run: each plan as its own command runs it. */
const howOf = (all: readonly Handed[], call: Run): Many => {
  const { run: _, loses: __, ...how } = Object.assign({}, ...all.map((one) => one.how)) as Many
  const own = new Map(all.flatMap(({ plans, how: { run } }) => plans.map((plan) => [plan, run])))
  const plain = [...own.values()].every((run) => run === undefined)
  const run: Run = (plan) => (own.get(plan) ?? call)(plan)
  return { ...how, ...lossOf(all), ...togetherOf(all), ...(plain ? {} : { run }) }
}

/** Where commands hand their plans over. */
export class Round {
  #handed: Handed[] = []
  readonly #call: Run
  #runs = false

  /** @param call runs a plan whose command has no way of its own */
  constructor(call: Run) {
    this.#call = call
  }

  /** Whether it is under way. */
  get runs(): boolean {
    return this.#runs
  }

  get isEmpty(): boolean {
    return this.#handed.length === 0
  }

  /** Resolves when the plans of all were run. */
  hand(n: number, plans: readonly Plan[], how: Many): Promise<void> {
    return new Promise((done, failed) => {
      this.#handed.push({ n, plans, how, done, failed })
    })
  }

  /** Runs what was handed over together, in the order of the parents. */
  async run(many: (plans: readonly Plan[], how: Many) => Promise<void>): Promise<void> {
    const all = this.#handed.sort((a, b) => a.n - b.n)
    this.#handed = []
    this.#runs = true
    try {
      await many(
        all.flatMap(({ plans }) => plans),
        howOf(all, this.#call),
      )
    } catch (error) {
      for (const { failed } of all) failed(error)
      throw error
    } finally {
      this.#runs = false
    }
    for (const { done } of all) done()
  }
}
