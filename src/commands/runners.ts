/** Implements `svcctl runners pause`, `resume` and `drain`; `catalogue/reference/runners.md` documents their requests. */

import { getTimeAfter, poll } from '../base/async.js'
import { isObject } from '../base/objects.js'
import { runShellCommand } from '../base/processes.js'
import { formatCount } from '../base/text.js'
import { runners } from '../catalogue/areas/runners.js'
import { pickPathValues } from '../catalogue/endpoint.js'
import { seconds, string } from '../catalogue/params.js'
import type { Context, InstanceService, WorkspaceService } from '../engine/command/context.js'
import { addInstanceFlags } from '../engine/command/globals.js'
import {
  type InterruptNote,
  toCallAnswer,
  toInterruption,
  withInterruptNote,
} from '../engine/command/outcomes.js'
import type { Actions, Plan } from '../engine/command/types.js'
import type { PlanAnswer, Rows } from '../engine/rows.js'
import { Failure, recoverFrom } from '../errors.js'
import { type Arguments, define } from './define.js'

// `runners drain` pauses runners and waits until their jobs have finished.

const getRunnerName = ({ values }: Plan): string => `runner ${String(values.id)}`

/** Receives the number of running jobs of a runner, each time it is read. */
type RunningJobsListener = (plan: Plan, running: number) => void

/** Creates a listener that shows on the progress line how many jobs still run on each runner. */
const createWaitingLine = (showText: (text: string) => void): RunningJobsListener => {
  const running = new Map<Plan, number>()
  return (plan, count) => {
    running.set(plan, count)
    const busy = [...running].filter(([, n]) => n > 0)
    if (busy.length > 0)
      showText(
        `waiting for ${busy.map(([p, n]) => `${formatCount(n, 'job')} on ${getRunnerName(p)}`).join(', ')}`,
      )
  }
}

/** Waits until a runner has no running jobs. */
const waitUntilIdle = async (
  { instance, place }: Context,
  plan: Plan,
  until: number,
  onCount: RunningJobsListener,
): Promise<void> => {
  const input = { ...pickPathValues(runners.jobs, plan.values), status: 'running' } as const
  let running = 0
  const checkIdle = async (): Promise<true | undefined> => {
    running = (await instance.readRecords(runners.jobs, input)).length
    onCount(plan, running)
    return running === 0 ? true : undefined
  }
  if ((await poll(checkIdle, until, place.clock)) === true) return
  throw new Failure(
    'failed',
    `${formatCount(running, 'job')} ${running === 1 ? 'was' : 'were'} still running on ${getRunnerName(plan)} after --wait-timeout`,
    {
      hint: `The runner stays paused. Check it with: ${addInstanceFlags(`svcctl runners jobs ${String(plan.values.id)} --status running`, place.globals)}`,
    },
  )
}

const readRunner = async (instance: InstanceService, plan: Plan): Promise<PlanAnswer> =>
  toCallAnswer(await instance.call(runners.get, pickPathValues(runners.get, plan.values)))

/** Creates the failure of `--resume-after` if not all runners could be drained, so that its command did not run. */
const createDrainFailure = (ui: Context['ui'], error: unknown): Failure => {
  const failure = recoverFrom(error)
  const { category } = failure
  // With several runners, each failure was already reported. That of a single one was not.
  if (category !== 'partial' && category !== 'interrupted') ui.report(failure)
  return new Failure(category, 'not all runners could be drained, so the command was not run', {
    hint: `Paused runners stay paused. ${resumeHint}`,
  })
}

const resumeHint = 'svcctl runners resume <id…> lets them take jobs again.'

/** Describes an interruption. The runners stay paused. */
const describeInterruption = (when: string): InterruptNote => ({
  text: `while ${when}; the runners stay paused`,
  hint: resumeHint,
})

/** Runs the command of the line in the user's shell. Its output goes to standard error. */
const runCommand = async (
  { cwd, clock, env, runs }: WorkspaceService,
  command: string,
): Promise<Failure | undefined> => {
  const how = { cwd, cancelSignal: clock.signal }
  const { exitCode, signal } = await runShellCommand(command, env, how, runs.shellOutput)
  clock.signal.throwIfAborted()
  if (exitCode === 0) return undefined
  const end =
    exitCode === undefined
      ? `was ended by ${signal ?? 'a signal'}`
      : `ended with exit code ${exitCode}`
  return new Failure('failed', `the command ${end}`, {
    hint: 'The runners were resumed anyway.',
  })
}

const flags = {
  'wait-timeout': seconds('seconds to wait for running jobs', { min: 1, default: 3600 }),
  'resume-after': string(
    'run this shell command (without svcctl’s credentials), then always resume the runners that were active',
    { placeholder: 'command' },
  ),
} as const

/** Drains runners. All are paused before it waits for any, so that no runner takes a job in the meantime. */
async function* drainRunners(context: Context, given: Arguments<typeof flags>): Rows {
  const { 'wait-timeout': timeout, 'resume-after': command, ...others } = given.flags
  const listGiven = { ...given, flags: others }
  const until = getTimeAfter(timeout, context.place.clock)
  const paused = { preset: { active: false } }
  if (command === undefined)
    return yield* waitForJobs(context, await context.planActions(listGiven, paused), { until })
  const complete = (plan: Plan) => addRecord(context.instance, plan)
  const drained: Plan[] = []
  try {
    const actions = await context.planActions(listGiven, { ...paused, complete, reads: true })
    yield* waitForJobs(context, actions, { until, drained })
  } catch (error) {
    throw context.sends ? createDrainFailure(context.ui, error) : error
  }
  if (!context.sends) return
  const active = new Set(drained.filter(wasActive).map(getRunnerName))
  await runAndReport(context, command)
  yield* context.write(drained.map(toResumption), {
    done: 'resumed',
    check: async (plan) => active.has(getRunnerName(plan)),
  })
}

/** Pauses runners and waits until each is idle. Runners that will be resumed are collected in `drained`. */
async function* waitForJobs(
  context: Context,
  actions: Actions,
  { until, drained }: { readonly until: number; readonly drained?: Plan[] },
): Rows {
  const { instance, ui } = context
  const progress = ui.beginProgress('waiting for running jobs')
  const onCount = createWaitingLine(progress.say)
  try {
    yield* context.write(actions, {
      finish: async (plan, answer) => {
        if ('failure' in answer) throw answer.failure
        await waitUntilIdle(context, plan, until, onCount)
        ui.note(`${getRunnerName(plan)}: paused, no running jobs`)
        drained?.push(plan)
        return drained === undefined ? readRunner(instance, plan) : { reported: true }
      },
      finishWhen: 'all sent',
      ...(drained === undefined
        ? {}
        : { final: '--resume-after resumes its runners automatically' }),
    })
  } catch (error) {
    throw toInterruption(error, describeInterruption('jobs were running'))
  } finally {
    await progress.end()
  }
}

/** Adds the record of a runner to its plan, which shows whether the runner was active. */
const addRecord = async (instance: InstanceService, plan: Plan): Promise<Plan> => ({
  ...plan,
  label: getRunnerName(plan),
  object: String(plan.values.id),
  record: (await instance.call(runners.get, pickPathValues(runners.get, plan.values))).data,
})

/** True if the runner was active before. One that was paused is not resumed. */
const wasActive = ({ record: before }: Plan): boolean =>
  !isObject(before) || before.active !== false

/** Runs the command, and reports its failure. The runners are resumed even then. */
const runAndReport = async ({ answer, ui, place }: Context, command: string): Promise<void> => {
  const failure = await withInterruptNote(describeInterruption('the command ran'), () =>
    runCommand(place, command),
  )
  if (failure === undefined) return
  ui.report(failure)
  answer.setExitCode(failure.exitCode)
}

const toResumption = ({ record: _, ...plan }: Plan): Plan => ({
  ...plan,
  values: { ...plan.values, active: true },
})

export const drain = define({
  summary: 'Pause runners and wait for their running jobs',
  endpoints: ['update'],
  waits: true,
  without: 'attributes',
  flags,
  gathers: true,
  rows: drainRunners,
})

/** Defines a command that sets only whether runners take jobs. */
const defineSwitch = (active: boolean, done: string, summary: string) =>
  define({
    summary,
    endpoints: ['update'],
    without: 'attributes',
    rows: async function* (context, given) {
      const actions = await context.planActions(given, { preset: { active } })
      yield* context.write(actions, { done })
    },
  })

export const pause = defineSwitch(false, 'paused', 'Pause runners')
export const resume = defineSwitch(true, 'resumed', 'Resume paused runners')
