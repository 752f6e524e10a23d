/** Objects as they come: planned one after the other, by way of the journal where one is kept. */
import type { Plan, PlanSource } from '../../../commands/described.js'
import type { Many } from '../../../commands/services.js'
import { Failure } from '../../../errors.js'
import { type GivenObject, type Item, mostNamed } from '../../../fleet/items.js'
import { type Spool, seenIn, spool, workOf } from '../../../fleet/journal/work.js'
import type { Engine } from './each.js'
import { arriving, type Intake, type Numbered } from './intake.js'
import type { Keeping } from './journal/keeping.js'
import type { Resumed } from './journal/resumed.js'
import { several } from './several.js'

/** What a run over objects that come needs of the crowd. */
export interface Streaming {
  readonly engine: Engine
  readonly source: PlanSource
  readonly how: Many
  /** Plans in hand, as ever. */
  readonly inHand: (plans: readonly Plan[]) => Promise<void>
  /** Refuses at once what nobody could be asked about. */
  readonly confirmable: (first: Plan) => Promise<void>
  /** Asks before something is lost: of so many, the first of which are these. */
  readonly confirm: (first: readonly Plan[], count: number) => Promise<void>
}

const destroys = ({ endpoint }: Plan, { loses }: Many): boolean =>
  loses !== undefined || endpoint.destructive !== undefined

async function* behind<T>(first: readonly T[], others: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    yield* first
    for (let step = await others.next(); step.done !== true; step = await others.next())
      yield step.value
  } finally {
    await others.return?.()
  }
}

/** The first of what comes, at most so many. */
const firstOf = async <T>(some: AsyncIterator<T>, most: number): Promise<T[]> => {
  const first: T[] = []
  while (first.length < most) {
    const step = await some.next()
    if (step.done === true) break
    first.push(step.value)
  }
  return first
}

/** Until all was read; who leaves meanwhile waits for nothing. */
const whole = async ({ ended }: Spool, signal: AbortSignal): Promise<void> => {
  const left = new Promise<never>((_, reject) => {
    const leave = (): void => reject(new Failure('interrupted', 'interrupted'))
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  })
  await Promise.race([ended, left])
}

async function* planned(
  items: AsyncIterable<Item>,
  { source }: Streaming,
): AsyncGenerator<Numbered> {
  for await (const item of items) yield { ...item, plan: await source.planOf(item) }
}

/** What a journal gives, and what is known of it by now. */
interface Work {
  readonly items: AsyncIterable<Item>
  readonly first: Plan
  readonly spooled: Spool | undefined
  /** How many there are besides those that come. */
  readonly left: number
  /** What comes was cut before, and is not given again. */
  readonly cut?: boolean
}

const intakeOf = (streaming: Streaming, { items, first, spooled, left, cut }: Work): Intake => {
  const queued = (): number =>
    spooled === undefined ? left : spooled.queued() - spooled.before + left
  return {
    items: planned(items, streaming),
    first,
    known: [first],
    total: () => (spooled?.isOpen() === true ? undefined : queued()),
    queued,
    twice: () => spooled?.duplicates() ?? 0,
    cut: () => (spooled === undefined ? cut === true : !spooled.isWhole()),
  }
}

/** Asks before anything is sent; a run that is not confirmed leaves no journal. */
const confirmed = async (
  { source, confirm }: Streaming,
  keeping: Keeping,
  first: readonly GivenObject[],
  count: number,
): Promise<void> => {
  try {
    const plans: Plan[] = []
    for (const object of first) plans.push(await source.planOf(object))
    await confirm(plans, count)
  } catch (error) {
    await keeping.discard()
    throw error
  }
}

const kept = async (
  streaming: Streaming,
  keeping: Keeping,
  first: Plan,
  objects: AsyncIterable<GivenObject>,
): Promise<void> => {
  const { engine, how } = streaming
  const spooled = spool(keeping.journal, objects)
  try {
    if (destroys(first, how)) {
      await whole(spooled, engine.signal).catch(async (error: unknown) => {
        await keeping.discard()
        throw error
      })
      await confirmed(streaming, keeping, spooled.first, spooled.queued())
    }
    const items = workOf(keeping.journal, spooled)
    const intake = intakeOf(streaming, { items, first, spooled, left: 0 })
    await several(engine, intake, how, keeping, spooled.stop)
  } finally {
    spooled.stop()
    await keeping.end('stopped')
  }
}

/** Goes on with what stands in the journal, and with what it has not yet of an input that was cut. */
const goneOnWith = async (streaming: Streaming, resumed: Resumed): Promise<void> => {
  const { engine, how, source } = streaming
  const { journal, again, next, past } = resumed
  const spooled = again ? spool(journal, source.objects, await seenIn(journal)) : undefined
  if (spooled !== undefined) await whole(spooled, engine.signal)
  const items = workOf(journal, spooled, next)
  const head = await firstOf(items, mostNamed)
  const [one] = head
  if (one === undefined) return engine.person.note('nothing is left to be done')
  const first = await source.planOf(one)
  const keeping = await engine.keeper?.(first, head.length)?.()
  if (keeping === undefined) throw new Failure('internal', 'a run without its journal')
  const { counts } = past
  const left = counts.failed + counts.unknown + counts.not_tried
  try {
    if (destroys(first, how)) await confirmed(streaming, keeping, head, left)
    const intake = intakeOf(streaming, {
      items: behind(head, items),
      first,
      spooled,
      left,
      cut: past.total === undefined,
    })
    await several(engine, intake, how, keeping)
  } finally {
    await keeping.end('stopped')
  }
}

/** Runs what comes, with an outcome each. */
export const streamed = async (streaming: Streaming): Promise<void> => {
  const { engine, source, how, inHand, confirmable } = streaming
  const resumed = engine.resumed?.()
  if (resumed !== undefined) return goneOnWith(streaming, resumed)
  const objects = source.objects[Symbol.asyncIterator]()
  const [one] = await firstOf(objects, 1)
  if (one === undefined) return engine.person.note('none of them is in this part: nothing to do')
  const first = await source.planOf(one)
  await confirmable(first)
  const all = behind([one], objects)
  const keeper = engine.keeper?.(first, 1)
  if (keeper !== undefined) return kept(streaming, await keeper(), first, all)
  if (!destroys(first, how)) return several(engine, arriving(first, all, source), how)
  const plans: Plan[] = []
  for await (const object of all) plans.push(await source.planOf(object))
  return inHand(plans)
}
