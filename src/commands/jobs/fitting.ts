/** Whether a runner would take a job, and what keeps it from that. */
import { quoteWord } from '../../base/shell-words.js'
import type { runners } from '../../catalogue/areas/runners.js'
import type { Data } from '../../client/typed.js'
import { type RunnerState, runnerState } from '../health/runners.js'
import { several } from '../health/words.js'

type Details = Data<(typeof runners)['get']>

/** A runner against a job. */
export interface RunnerFit {
  readonly id: number
  readonly description: string
  readonly state: RunnerState
  /** Whether it may take the job by its tags and settings; null where that is not told. */
  readonly fits: boolean | null
  readonly missing_tags: readonly string[]
  readonly why: string
}

interface Wanted {
  readonly tag_list: readonly string[]
  readonly ref: string
}

/** What its settings say, beside tags. */
const settingsOf = (
  { access_level: access, run_untagged: untagged }: Partial<Details>,
  { tag_list: tags, ref }: Wanted,
): readonly [boolean | null, string] => {
  if (tags.length === 0 && untagged === false) return [false, 'does not accept untagged jobs']
  if (access === 'ref_protected')
    return [
      null,
      `accepts jobs of protected refs only; the API does not tell whether ${ref} is protected`,
    ]
  return [true, tags.length === 0 ? 'accepts untagged jobs' : 'has all its tags']
}

/** A runner whose details were read. */
export const fitRunner = (runner: Details, job: Wanted): RunnerFit => {
  const own = (runner.tag_list ?? []).map(String)
  const missing = job.tag_list.filter((tag) => !own.includes(tag))
  const known = { ...named(runner), missing_tags: missing }
  if (missing.length > 0) return { ...known, fits: false, why: `lacks ${missing.join(', ')}` }
  const [fits, why] = settingsOf(runner, job)
  return { ...known, fits, why }
}

const named = (runner: Partial<Details>) => ({
  id: runner.id ?? 0,
  description: runner.description ?? '',
  state: runnerState(runner),
})

/** A runner whose details this user may not see. */
export const unseenRunner = (runner: Partial<Details>, why: string): RunnerFit => ({
  ...named(runner),
  fits: null,
  missing_tags: [],
  why: `its tags are unknown: ${why}`,
})

/** What a job of these tags is told of the runners, and what would help. */
export interface Advice {
  readonly reason: string
  readonly next: readonly string[]
}

const names = (some: readonly RunnerFit[]): string => some.map(({ id }) => id).join(' ')

const inState = (some: readonly RunnerFit[], ...states: readonly RunnerState[]) =>
  some.filter(({ state }) => states.includes(state))

const who = (some: readonly RunnerFit[]): string =>
  some.length === 1 ? 'the only matching runner' : `all ${some.length} matching runners`

/** Nobody has what it wants. */
const noneFits = (
  { tag_list: tags }: Wanted,
  all: readonly RunnerFit[],
  project: string,
): Advice => {
  if (all.length === 0)
    return {
      reason: 'the project has no runners',
      next: [
        `svcctl runners list --instance`,
        `svcctl runners enable <id> -P ${quoteWord(project)}`,
      ],
    }
  const [nearest] = all.toSorted((a, b) => a.missing_tags.length - b.missing_tags.length)
  if (tags.length === 0)
    return {
      reason: `none of ${several(all.length, 'runner')} accepts untagged jobs`,
      next: [`svcctl runners update ${nearest?.id} --run-untagged`],
    }
  return {
    reason: `none of ${several(all.length, 'runner')} has the ${tags.length === 1 ? 'tag' : 'tags'} ${tags.join(', ')}`,
    next: [
      `set the complete list of tags of a runner: svcctl runners update <id> --tag-list …`,
      `or enable another runner for the project: svcctl runners enable <id> -P ${quoteWord(project)}`,
    ],
  }
}

/** Some would, were they there. */
const noneAwake = (fitting: readonly RunnerFit[]): Advice => {
  const paused = inState(fitting, 'paused')
  const away = inState(fitting, 'offline', 'not_connected', 'unknown')
  const is = fitting.length === 1 ? 'is' : 'are'
  const said = [
    ...(paused.length === 0 ? [] : ['paused']),
    ...(away.length === 0 ? [] : ['not connected']),
  ].join(' or ')
  return {
    reason: `${who(fitting)} ${is} ${said}`,
    next: [
      ...(paused.length === 0 ? [] : [`svcctl runners resume ${names(paused)}`]),
      ...(away.length === 0
        ? []
        : [
            `check the runner’s host: svcctl runners get ${names(away)} --fields description,contacted_at,ip_address`,
          ]),
    ],
  }
}

/** Why a job that is pending is not taken by one of these. */
export const createAdvice = (job: Wanted, all: readonly RunnerFit[], project: string): Advice => {
  const fitting = all.filter(({ fits }) => fits === true)
  const open = all.filter(({ fits }) => fits === null)
  const online = inState(fitting, 'online')
  if (online.length > 0)
    return {
      reason: `${several(online.length, 'runner')} online ${online.length === 1 ? 'fits' : 'fit'}: the job starts as soon as one has a free slot`,
      next: online.map(({ id }) => `svcctl runners jobs ${id} --status running`),
    }
  if (open.length > 0)
    return {
      reason: `no runner certainly matches; ${several(open.length, 'runner')} may match`,
      next: [`svcctl runners get ${names(open)}`],
    }
  return fitting.length === 0 ? noneFits(job, all, project) : noneAwake(fitting)
}
