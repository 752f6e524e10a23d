/**
 * Running the plans of a command: one object's answer, or several objects with an outcome each,
 * bounded in number, continuing past failures.
 */

import { writes } from '../catalogue/endpoint.js'
import type { Context, Emit, Outcome, Perform, Plan } from '../commands/types.js'
import { Failure } from '../errors.js'
import { flagName } from './derive.js'

const defaultConcurrency = 4

/** Runs `work` over items, at most `width` at once; stops handing out once aborted. */
export const eachOf = async <T>(
  items: readonly T[],
  width: number,
  signal: AbortSignal,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> => {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < items.length && !signal.aborted) {
      const index = next++
      const item = items[index]
      if (item !== undefined) await work(item, index)
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
  if (signal.aborted) throw new Failure('interrupted', 'interrupted')
}

/** How many at once: the flag, else four. */
export const widthOf = (ctx: Pick<Context, 'globals'>): number =>
  ctx.globals.concurrency ?? defaultConcurrency

const callOf =
  (ctx: Context) =>
  async (plan: Plan): Promise<Outcome> => {
    const whole = await ctx.call(plan)
    if (whole.status === 304) return { unchanged: true }
    // A few answer "null" where the documents have nothing to show.
    const nothing =
      whole.data === undefined || (whole.data === null && plan.endpoint.returns.kind === 'empty')
    return nothing ? {} : { bytes: whole.bytes, value: whole.data }
  }

/** Asks once for all plans together when they destroy something. */
const confirmAll = async (ctx: Context, plans: readonly Plan[]): Promise<void> => {
  const [first] = plans
  const loss = first?.endpoint.destructive
  if (first === undefined || loss === undefined) return
  await ctx.confirm(loss, plans.map(objectOf))
}

/** What a plan works on, for confirmations and outcomes: `merge request 42 of platform/app`. */
export const objectOf = (plan: Plan): string => {
  // A full reference says where it belongs by itself.
  if (plan.label !== undefined && /.[!#]\d+$/.test(plan.label)) return plan.label
  const scope = Object.entries(plan.endpoint.path).find(
    ([, p]) => p.type === 'project' || p.type === 'group',
  )
  const of = scope === undefined ? '' : ` of ${scope[1].type} ${String(plan.values[scope[0]])}`
  return `${plan.label ?? plan.endpoint.route}${of}`
}

const emitOf = (plan: Plan, options: Perform): Emit => ({
  ...(plan.endpoint.columns === undefined ? {} : { columns: plan.endpoint.columns }),
  ...options.emit,
})

const single = async (ctx: Context, plan: Plan, options: Perform): Promise<void> => {
  const outcome = await (options.run ?? callOf(ctx))(plan)
  await showOne(ctx, plan, outcome, options)
}

const showOne = async (
  ctx: Context,
  plan: Plan,
  outcome: Outcome,
  options: Perform,
): Promise<void> => {
  if (outcome.unchanged === true) {
    ctx.note(plan.endpoint.unchanged ?? `${objectOf(plan)}: already so, nothing changed`)
    return
  }
  if (outcome.value === undefined) ctx.note(`${objectOf(plan)}: ${options.done ?? 'done'}`)
  else await ctx.printAnswer(plan, outcome, emitOf(plan, options))
}

interface Result {
  readonly plan: Plan
  readonly outcome?: Outcome
  readonly failure?: Failure
}

/** How far an interrupted run came: what was done, what failed, what may have been done. */
const stateOf = (results: readonly Result[], begun: ReadonlySet<Plan>): string => {
  const labels = (of: (result: Result) => boolean): string =>
    results
      .filter(of)
      .map(({ plan }) => plan.label)
      .join(', ')
  const failed = labels(({ failure }) => failure !== undefined)
  const open = labels(
    ({ plan, outcome, failure }) =>
      begun.has(plan) && writes(plan.endpoint) && outcome === undefined && failure === undefined,
  )
  return [
    `interrupted; done before that: ${labels(({ outcome }) => outcome !== undefined) || 'none'}`,
    ...(failed === '' ? [] : [`failed: ${failed}`]),
    ...(open === '' ? [] : [`under way, so that the outcome is not known: ${open}`]),
  ].join('; ')
}

const several = async (
  ctx: Context,
  plans: readonly Plan[],
  options: Perform,
): Promise<Result[]> => {
  const results: Result[] = plans.map((plan) => ({ plan }))
  const run = options.run ?? callOf(ctx)
  const begun = new Set<Plan>()
  await eachOf(plans, widthOf(ctx), ctx.signal, async (plan, i) => {
    begun.add(plan)
    try {
      results[i] = { plan, outcome: await run(plan) }
    } catch (error) {
      if (!(error instanceof Failure) || error.category === 'interrupted') throw error
      results[i] = { plan, failure: error }
    }
  }).catch((error: unknown) => {
    if (error instanceof Failure && error.category === 'interrupted')
      ctx.note(stateOf(results, begun))
    throw error
  })
  return results
}

/** What one object of several is under -o json: the API's own object, or what became of it. */
const recordOf = ({ plan, outcome, failure }: Result): unknown => {
  const name = plan.endpoint.args?.[0] ?? 'object'
  const param = plan.endpoint.path[name] ?? plan.endpoint.params[name]
  const key = param === undefined ? name : flagName(name, param).replaceAll('-', '_')
  const id = plan.values[name] ?? plan.label
  if (failure !== undefined) return { [key]: id, outcome: 'failed', ...failure.toJSON() }
  if (outcome?.unchanged === true) return { [key]: id, outcome: 'unchanged' }
  return outcome?.value ?? { [key]: id, outcome: 'done' }
}

const showSeveral = async (
  ctx: Context,
  results: readonly Result[],
  options: Perform,
): Promise<void> => {
  const [first] = results
  if (first === undefined) return
  const inline = ctx.reader === 'programs' && writes(first.plan.endpoint)
  for (const { plan, outcome, failure } of results) {
    if (failure !== undefined && !inline)
      ctx.report(
        new Failure(failure.category, `${objectOf(plan)}: ${failure.message}`, failure.details),
      )
    else if (outcome?.unchanged === true)
      ctx.note(`${objectOf(plan)}: ${plan.endpoint.unchanged ?? 'already so'}`)
    else if (outcome !== undefined && outcome.value === undefined)
      ctx.note(`${objectOf(plan)}: ${options.done ?? 'done'}`)
  }
  const shown = inline
    ? results.map(recordOf)
    : results.flatMap((r) => (r.outcome?.value === undefined ? [] : [r.outcome.value]))
  if (shown.length > 0 || inline)
    await ctx.printMany(shown, {
      endpoint: first.plan.endpoint,
      columns: await ctx.columnsFor(first.plan.endpoint),
      ...emitOf(first.plan, options),
    })
}

/** The failure of a run over several objects, or undefined when all went well. */
const verdict = (results: readonly Result[]): Failure | undefined => {
  const failures = results.flatMap((r) => (r.failure === undefined ? [] : [r.failure]))
  const [first] = failures
  if (first === undefined) return undefined
  const alike = failures.every((f) => f.category === first.category)
  if (failures.length === results.length && alike)
    return new Failure(first.category, `all ${results.length} failed`)
  return new Failure('partial', `${failures.length} of ${results.length} failed`)
}

/** Confirms, runs and shows plans; throws what the run as a whole came to. */
export const performAll = async (
  ctx: Context,
  plans: readonly Plan[],
  options: Perform = {},
): Promise<void> => {
  const [only] = plans
  if (ctx.globals.curl) {
    for (const plan of plans) await ctx.showCurl(plan)
    return
  }
  if (options.confirmed !== true) await confirmAll(ctx, plans)
  if (plans.length === 1 && only !== undefined && options.list !== true)
    return single(ctx, only, options)
  const results = await several(ctx, plans, options)
  await showSeveral(ctx, results, options)
  const failure = verdict(results)
  if (failure !== undefined) throw failure
}
