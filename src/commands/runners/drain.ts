/** `runners drain`: pause, and wait until nothing runs (`catalogue/reference/runners.md`). */
import { inSeconds, poll } from '../../base/poll.js'
import { runners } from '../../catalogue/areas/runners.js'
import { integer, string } from '../../catalogue/params.js'
import { pathIn } from '../../catalogue/path-in.js'
import { Failure, survived, usage } from '../../errors.js'
import { answered } from '../answered.js'
import { define, type GivenBy } from '../define.js'
import type { InstanceService, PlaceService, PlanAnswer, Services, Stays } from '../services.js'
import type { Plan } from '../types.js'

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
const idle = async (
  { instance, place }: Services,
  plan: Plan,
  until: number,
  hear: Hear,
): Promise<void> => {
  const input = { ...pathIn(runners.jobs, plan.values), status: 'running' } as const
  let running = 0
  const none = async (): Promise<true | undefined> => {
    running = (await instance.records(runners.jobs, input)).length
    hear(plan, running)
    return running === 0 ? true : undefined
  }
  if ((await poll(none, until, place.clock)) === true) return
  throw new Failure(
    'failed',
    `${jobs(running)} ${running === 1 ? 'was' : 'were'} still running on ${nameOf(plan)} when --wait-timeout ended`,
    {
      hint: `It stays paused; look again with: svcctl runners jobs ${String(plan.values.id)} --status running`,
    },
  )
}

/** Runs `work` for each, and gives the failures. */
const failuresOf = async (
  instance: InstanceService,
  plans: readonly Plan[],
  work: (plan: Plan) => Promise<unknown>,
): Promise<Map<Plan, Failure>> => {
  const failures = new Map<Plan, Failure>()
  await instance.each(plans, async (plan) => {
    await work(plan).catch((error: unknown) => failures.set(plan, survived(error)))
  })
  return failures
}

/** Waits for one runner; what kept it from being paused counts as its failure. */
const settle = async (
  services: Services,
  plan: Plan,
  until: number,
  failures: ReadonlyMap<Plan, Failure>,
  hear: Hear,
): Promise<void> => {
  const failure = failures.get(plan)
  if (failure !== undefined) throw failure
  await idle(services, plan, until, hear)
  services.person.note(`${nameOf(plan)}: paused, no job is running on it`)
}

const record = async (instance: InstanceService, plan: Plan): Promise<PlanAnswer> =>
  answered(await instance.call(runners.get, pathIn(runners.get, plan.values)))

/** Drains all, or ends the run: a command that needs idle runners must not begin without. */
const allIdle = async (
  { instance, person }: Services,
  plans: readonly Plan[],
  wait: (plan: Plan) => Promise<void>,
): Promise<void> => {
  const failed = await failuresOf(instance, plans, (plan) =>
    wait(plan).catch((error: unknown) => {
      person.report(survived(error), nameOf(plan))
      throw error
    }),
  )
  const [first] = failed.values()
  if (first === undefined) return
  const category = failed.size === plans.length ? first.category : 'partial'
  throw new Failure(category, 'not all runners could be drained: the command was not run', {
    hint: `Those that are paused stay so; ${resumeHint}`,
  })
}

const resumeHint = 'svcctl runners resume <id…> lets them take jobs again.'

/** Leaving leaves the runners as they are, which must be said. */
const stillPaused = (when: string): Stays => ({
  text: `while ${when}; the runners stay paused`,
  hint: resumeHint,
})

/** Runs what the person asked for, in their shell; what it prints goes to standard error. */
const runCommand = async (
  { cwd, clock }: PlaceService,
  command: string,
): Promise<Failure | undefined> => {
  const { execa } = await import('execa')
  const { exitCode, signal } = await execa(command, {
    shell: true,
    cwd,
    stdin: 'inherit',
    stdout: 2,
    stderr: 'inherit',
    reject: false,
    cancelSignal: clock.signal,
  })
  clock.signal.throwIfAborted()
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

/** Runs `work` with a way to wait for a runner, which the live line shows. */
const waiting = async (
  { person }: Services,
  work: (hear: Hear) => Promise<void>,
): Promise<void> => {
  await person.progress('waiting for running jobs', (say) =>
    person.leaving(stillPaused('jobs were running'), () => work(waitingLine(say))),
  )
}

/** Pauses all before any is waited for, so that none takes jobs meanwhile. */
const paused = (
  { instance }: Services,
  plans: readonly Plan[],
): Promise<ReadonlyMap<Plan, Failure>> => failuresOf(instance, plans, (plan) => instance.send(plan))

/** Drains all, and shows what became of each. */
const drainAll = (services: Services, plans: readonly Plan[], until: number): Promise<void> =>
  waiting(services, (hear) => {
    const { instance } = services
    let failures: ReadonlyMap<Plan, Failure> = new Map()
    return instance.many(plans, {
      together: async (due) => {
        failures = await paused(services, due)
      },
      run: async (plan) => {
        await settle(services, plan, until, failures, hear)
        return record(instance, plan)
      },
    })
  })

/** Drains all for a command that runs meanwhile, and resumes them whatever came of it. */
const drainFor = async (
  services: Services,
  plans: readonly Plan[],
  until: number,
  command: string,
): Promise<void> => {
  const { instance, person, place } = services
  const failures = await paused(services, plans)
  await waiting(services, (hear) =>
    allIdle(services, plans, (plan) => settle(services, plan, until, failures, hear)),
  )
  const failure = await person.leaving(stillPaused('the command ran'), () =>
    runCommand(place, command),
  )
  const active = plans.map((plan) => ({ ...plan, values: { ...plan.values, active: true } }))
  // Who goes on with it would run the command once more.
  await instance.many(active, { done: 'resumed', unkept: true })
  if (failure !== undefined) throw failure
}

/** @throws Failure `usage` for a journal of what keeps none */
const checkUnkept = ({ journal, undoRecord }: PlaceService['globals']): void => {
  const flag = undoRecord ? 'undo-record' : 'journal'
  if (undoRecord || (journal !== undefined && journal !== 'none'))
    throw usage(
      `--resume-after and --${flag} exclude each other`,
      'A run that resumes its runners by itself is not gone on with.',
    )
}

const run = async (services: Services, given: GivenBy<typeof flags>): Promise<void> => {
  const { instance, place } = services
  const { 'wait-timeout': timeout, 'resume-after': command, ...others } = given.flags
  if (command !== undefined) checkUnkept(place.globals)
  const plans = await instance.plans({ ...given, flags: others }, { active: false })
  const until = inSeconds(timeout, place.clock)
  if (command === undefined) return drainAll(services, plans, until)
  await drainFor(services, plans, until, command)
}

export const drain = define({
  summary: 'Pause runners and wait until no job is running on them',
  endpoints: ['update'],
  waits: true,
  without: 'attributes',
  flags,
  examples: [
    'runners drain 2 --wait-timeout 60',
    "runners drain 2 5 --resume-after 'echo serviced'",
  ],
  run,
})
