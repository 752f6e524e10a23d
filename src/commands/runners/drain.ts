/** `runners drain`: pause, and wait until nothing runs (`catalogue/reference/runners.md`). */
import { inSeconds, poll } from '../../base/poll.js'
import { runners } from '../../catalogue/areas/runners.js'
import { integer, string } from '../../catalogue/params.js'
import { Failure } from '../../errors.js'
import { define, type GivenBy } from '../define.js'
import type { Context, Outcome, Plan } from '../types.js'

const nameOf = ({ values }: Plan): string => `runner ${String(values.id)}`

const jobs = (count: number): string => `${count} job${count === 1 ? '' : 's'}`

/** Hears how many jobs still run on a runner, each time that is looked up. */
type Hear = (plan: Plan, running: number) => void

/** Says on the live line which runners are waited for, and for how many jobs. */
const waitingLine = (say: (text: string) => void): Hear => {
  const running = new Map<Plan, number>()
  return (plan, count) => {
    running.set(plan, count)
    const busy = [...running].filter(([, n]) => n > 0)
    if (busy.length > 0)
      say(`waiting for ${busy.map(([p, n]) => `${jobs(n)} on ${nameOf(p)}`).join(', ')}`)
  }
}

/** Waits until no job runs on a runner. */
const idle = async (ctx: Context, plan: Plan, until: number, hear: Hear): Promise<void> => {
  const ask = { endpoint: runners.jobs, values: { id: plan.values.id, status: 'running' } }
  let running = 0
  const none = async (): Promise<true | undefined> => {
    running = (await ctx.gather(ask)).length
    hear(plan, running)
    return running === 0 ? true : undefined
  }
  if ((await poll(none, until, ctx)) === true) return
  throw new Failure(
    'failed',
    `${jobs(running)} ${running === 1 ? 'was' : 'were'} still running on ${nameOf(plan)} when --wait-timeout ended`,
    {
      hint: `It stays paused; look again with: svcctl runners jobs ${String(plan.values.id)} --status running`,
    },
  )
}

/** Pauses all before waiting for any, so that none takes jobs meanwhile. */
const pauseAll = async (ctx: Context, plans: readonly Plan[]): Promise<Map<Plan, Failure>> => {
  const failures = new Map<Plan, Failure>()
  await ctx.each(plans, async (plan) => {
    try {
      await ctx.call(plan)
    } catch (error) {
      if (!(error instanceof Failure) || error.category === 'interrupted') throw error
      failures.set(plan, error)
    }
  })
  return failures
}

/** Waits for one runner; what kept it from being paused counts as its failure. */
const settle = async (
  ctx: Context,
  plan: Plan,
  until: number,
  failures: ReadonlyMap<Plan, Failure>,
  hear: Hear,
): Promise<void> => {
  const failure = failures.get(plan)
  if (failure !== undefined) throw failure
  await idle(ctx, plan, until, hear)
  ctx.note(`${nameOf(plan)}: paused, no job is running on it`)
}

const record = async (ctx: Context, plan: Plan): Promise<Outcome> => {
  const { bytes, data } = await ctx.call({ endpoint: runners.get, values: { id: plan.values.id } })
  return { bytes, value: data }
}

/** Drains all, or ends the run: a command that needs idle runners must not begin without. */
const allIdle = async (
  ctx: Context,
  plans: readonly Plan[],
  wait: (plan: Plan) => Promise<void>,
): Promise<void> => {
  const failed: Failure[] = []
  await ctx.each(plans, async (plan) => {
    try {
      await wait(plan)
    } catch (error) {
      if (!(error instanceof Failure) || error.category === 'interrupted') throw error
      ctx.report(new Failure(error.category, `${nameOf(plan)}: ${error.message}`, error.details))
      failed.push(error)
    }
  })
  const [first] = failed
  if (first === undefined) return
  const category = failed.length === plans.length ? first.category : 'partial'
  throw new Failure(category, 'not all runners could be drained: the command was not run', {
    hint: `Those that are paused stay so; ${resumeHint}`,
  })
}

const resumeHint = 'svcctl runners resume <id…> lets them take jobs again.'

/** An interruption leaves the runners as they are, which must be said. */
const stillPaused = (error: unknown): unknown =>
  error instanceof Failure && error.category === 'interrupted'
    ? new Failure('interrupted', 'interrupted while jobs were running; the runners stay paused', {
        hint: resumeHint,
      })
    : error

/** Runs what the person asked for, in their shell; what it prints goes to standard error. */
const runCommand = async (ctx: Context, command: string): Promise<Failure | undefined> => {
  const { execa } = await import('execa')
  const { exitCode, signal } = await execa(command, {
    shell: true,
    cwd: ctx.cwd,
    stdin: 'inherit',
    stdout: 2,
    stderr: 'inherit',
    reject: false,
    cancelSignal: ctx.signal,
  })
  if (ctx.signal.aborted)
    throw new Failure('interrupted', 'interrupted while the command ran; the runners stay paused', {
      hint: resumeHint,
    })
  if (exitCode === 0) return undefined
  const how =
    exitCode === undefined
      ? `was ended by ${signal ?? 'a signal'}`
      : `ended with exit code ${exitCode}`
  return new Failure('failed', `the command ${how}`, {
    hint: 'The runners take jobs again all the same.',
  })
}

const flags = {
  'wait-timeout': integer('seconds to wait for the running jobs', { min: 1, default: 3600 }),
  'resume-after': string(
    'run this command in a shell once they are idle, and resume them whatever came of it',
  ),
} as const

const run = async (ctx: Context, given: GivenBy<typeof flags>): Promise<void> => {
  const { 'wait-timeout': timeout, 'resume-after': command, ...others } = given.flags
  const plans = await ctx.plans({ ...given, flags: others }, { active: false })
  if (ctx.globals.curl) return ctx.perform(plans)
  const until = inSeconds(timeout, ctx)
  const failures = await pauseAll(ctx, plans)
  await ctx.progress('waiting for running jobs', (say) => {
    const hear = waitingLine(say)
    const wait = (plan: Plan): Promise<void> => settle(ctx, plan, until, failures, hear)
    const work =
      typeof command === 'string'
        ? allIdle(ctx, plans, wait)
        : ctx.perform(plans, { run: (plan) => wait(plan).then(() => record(ctx, plan)) })
    return work.catch((error: unknown) => {
      throw stillPaused(error)
    })
  })
  if (typeof command !== 'string') return
  const failure = await runCommand(ctx, command)
  const active = plans.map((plan) => ({ ...plan, values: { ...plan.values, active: true } }))
  await ctx.perform(active, { done: 'resumed' })
  if (failure !== undefined) throw failure
}

export const drain = define({
  summary: 'Pause runners and wait until no job is running on them',
  endpoints: ['update'],
  without: 'attributes',
  flags,
  examples: [
    'runners drain 2 --wait-timeout 60',
    "runners drain 2 5 --resume-after 'echo serviced'",
  ],
  run,
})
