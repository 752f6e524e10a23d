/** Implements `jobs why`, which explains what a job is waiting for and which commands help. */

import { formatSpan } from '../base/screen-text.js'
import { quoteWord } from '../base/shell-words.js'
import { formatCount } from '../base/text.js'
import { jobs } from '../catalogue/areas/jobs.js'
import { pickPathValues } from '../catalogue/endpoint.js'
import { type Data, toTypedAnswer as typed } from '../client/types.js'
import type { AnswerService, Context } from '../engine/command/context.js'
import { addInstanceFlags } from '../engine/command/globals.js'
import type { Given, WriteOptions } from '../engine/command/types.js'
import type { Rows } from '../engine/rows.js'
import { exitCodes, Failure } from '../errors.js'
import { define } from './define.js'
import { type JobContext, type OtherJob, type RunnerFit, readSurroundings } from './jobs-why.js'

// The reason for the wait in one sentence, and the commands that help.

type Job = Data<(typeof jobs)['get']>

/** The tags that a runner must have to take a job. */
interface JobTags {
  readonly tag_list: readonly string[]
}

/** The reason why a job is waiting, and the commands that help. */
interface Advice {
  readonly reason: string
  readonly next: readonly string[]
}

const joinIds = (some: readonly RunnerFit[]): string => some.map(({ id }) => id).join(' ')

const filterByState = (some: readonly RunnerFit[], ...states: readonly RunnerFit['state'][]) =>
  some.filter(({ state }) => states.includes(state))

const describeMatching = (some: readonly RunnerFit[]): string =>
  some.length === 1 ? 'the only matching runner' : `all ${some.length} matching runners`

/** Advises on a job that no runner matches. */
const adviseNoneFits = (
  { tag_list: tags }: JobTags,
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
      reason: `none of ${formatCount(all.length, 'runner')} accepts untagged jobs`,
      next: [`svcctl runners update ${nearest?.id} --run-untagged`],
    }
  return {
    reason: `none of ${formatCount(all.length, 'runner')} has the ${tags.length === 1 ? 'tag' : 'tags'} ${tags.join(', ')}`,
    next: [
      `set the complete list of tags of a runner: svcctl runners update <id> --tag-list …`,
      `or enable another runner for the project: svcctl runners enable <id> -P ${quoteWord(project)}`,
    ],
  }
}

/** Advises on a job whose matching runners are all paused or offline. */
const adviseNoneOnline = (fitting: readonly RunnerFit[]): Advice => {
  const paused = filterByState(fitting, 'paused')
  const away = filterByState(fitting, 'offline', 'not_connected', 'unknown')
  const is = fitting.length === 1 ? 'is' : 'are'
  const texts = [
    ...(paused.length === 0 ? [] : ['paused']),
    ...(away.length === 0 ? [] : ['not connected']),
  ].join(' or ')
  return {
    reason: `${describeMatching(fitting)} ${is} ${texts}`,
    next: [
      ...(paused.length === 0 ? [] : [`svcctl runners resume ${joinIds(paused)}`]),
      ...(away.length === 0
        ? []
        : [
            `check the runner’s host: svcctl runners get ${joinIds(away)} --fields description,contacted_at,ip_address`,
          ]),
    ],
  }
}

/** Advises on a pending job, according to the runners of its project. */
const createAdvice = (job: JobTags, all: readonly RunnerFit[], project: string): Advice => {
  const fitting = all.filter(({ fits }) => fits === true)
  const open = all.filter(({ fits }) => fits === null)
  const online = filterByState(fitting, 'online')
  if (online.length > 0)
    return {
      reason: `${formatCount(online.length, 'runner')} online ${online.length === 1 ? 'fits' : 'fit'}: the job starts as soon as one has a free slot`,
      next: online.map(({ id }) => `svcctl runners jobs ${id} --status running`),
    }
  if (open.length > 0)
    return {
      reason: `no runner certainly matches; ${formatCount(open.length, 'runner')} may match`,
      next: [`svcctl runners get ${joinIds(open)}`],
    }
  return fitting.length === 0 ? adviseNoneFits(job, all, project) : adviseNoneOnline(fitting)
}

const formatJob = ({ id, name, status }: OtherJob): string => `${name} (${id}, ${status})`

/** The maximum number of other jobs in a sentence. */
const maxJobs = 5
const formatJobs = (all: readonly OtherJob[]): string =>
  `${all.slice(0, maxJobs).map(formatJob).join(', ')}${all.length > maxJobs ? ` and ${all.length - maxJobs} more` : ''}`

/** The advice for states in which a job is not waiting. */
const settled: Readonly<Record<string, Advice>> = {
  manual: {
    reason: 'the job is manual: start it on its web page',
    next: [],
  },
  running: { reason: 'the job is not waiting: it is running', next: [] },
}

const adviseNotWaiting = (status: string): Advice =>
  settled[status] ?? {
    reason: `the job is not waiting: its status is ${status || 'unknown'}`,
    next: [],
  }

/** Advises on a job whose resource group is in use. */
const adviseResourceGroup = (
  project: string,
  { resource_group: group }: JobContext,
): Advice | undefined => {
  const [first] = group?.held_by ?? []
  if (group === null || first === undefined) return undefined
  return {
    reason: `its resource group ${group.key} is in use by ${formatJobs(group.held_by)}`,
    next: [
      `svcctl jobs get ${first.id} -P ${quoteWord(project)} --wait-until status=success`,
      ...(group.key.includes('$')
        ? []
        : [`svcctl resource-groups get ${quoteWord(group.key)} -P ${quoteWord(project)}`]),
    ],
  }
}

/** Advises on a job that waits for earlier jobs. */
const adviseEarlierJobs = (
  project: string,
  { waits_for: others }: JobContext,
): Advice | undefined => {
  const [first] = others
  if (first === undefined) return undefined
  return {
    reason: `${formatCount(others.length, 'job')} of its pipeline must finish first: ${formatJobs(others)}`,
    next: [`svcctl jobs why ${first.id} -P ${quoteWord(project)}`],
  }
}

/** Finds the most likely reason for the wait of a job. */
const findAdvice = (job: Job, project: string, seen: JobContext): Advice => {
  const status = job.status ?? ''
  if (!seen.waits) return adviseNotWaiting(status)
  const other = adviseEarlierJobs(project, seen) ?? adviseResourceGroup(project, seen)
  if (other !== undefined) return other
  if (status === 'pending' && (seen.runners.length > 0 || seen.unread.length === 0))
    return createAdvice({ tag_list: (job.tag_list ?? []).map(String) }, seen.runners, project)
  if (seen.unread.length > 0)
    return { reason: `the reason is unknown: ${seen.unread.join('; ')}`, next: [] }
  return {
    reason: `the job is ${status} and nothing blocks it; check again in a moment`,
    next: [`svcctl jobs get ${job.id ?? ''} -P ${quoteWord(project)} --watch`],
  }
}

const createReport = (
  job: Job,
  project: string,
  seen: JobContext,
  { clock, globals }: Context['place'],
) => {
  const { waits, ...found } = seen
  const { reason, next } = findAdvice(job, project, seen)
  const since = Date.parse(job.created_at ?? '')
  return {
    id: job.id ?? 0,
    project,
    name: job.name ?? '',
    stage: job.stage ?? '',
    ref: job.ref ?? '',
    status: job.status ?? '',
    tag_list: (job.tag_list ?? []).map(String),
    waits,
    waited_seconds:
      !waits || Number.isNaN(since) ? null : Math.floor((clock.now().getTime() - since) / 1000),
    reason,
    next: next.map((line) => addInstanceFlags(line, globals)),
    ...found,
  }
}
type WaitReport = ReturnType<typeof createReport>

const getMark = ({ fits, state }: RunnerFit): 'good' | 'warn' | 'bad' =>
  fits === false ? 'bad' : fits === true && state === 'online' ? 'good' : 'warn'

const formatRunner = (answer: AnswerService, one: RunnerFit): string => {
  const { text } = answer
  const name = `${one.id}  ${text.safe(one.description || '–')}`.padEnd(24)
  const state = one.state.replace('_', ' ')
  const why = text.wrapHanging(one.why, 44)
  const row = `  ${text.mark(getMark(one))} ${name} `
  return `${row}${why.startsWith('\n') ? state : `${state.padEnd(14)} `}${why}`
}

/** Returns the lines with further facts: runners, the resource group, and parts that could not be read. */
const formatFacts = (answer: AnswerService, why: WaitReport): readonly string[] => {
  const { text } = answer
  const group = why.resource_group
  return [
    ...(why.runners.length === 0
      ? []
      : [
          '',
          text.emphasize('Runners of the project'),
          ...why.runners.map((one) => formatRunner(answer, one)),
        ]),
    ...(group === null
      ? []
      : [
          '',
          `${text.emphasize('Resource group')}  ${text.wrapHanging(`${group.key}${group.process_mode === null ? '' : `, ${group.process_mode}`}, by the configuration at the head of the default branch`, 16)}`,
        ]),
    ...why.unread.map(
      (line) => `could not read ${text.mark('warn')}: ${text.wrapHanging(line, 12)}`,
    ),
  ]
}

const formatReport = (answer: AnswerService, why: WaitReport): string => {
  const { text } = answer
  const tags = why.tag_list.length === 0 ? 'no tags' : `tags ${why.tag_list.join(', ')}`
  const since = why.waited_seconds === null ? '' : ` for ${formatSpan(why.waited_seconds)}`
  const lines = [
    `${text.emphasize(`Job ${why.id}`)}  ${text.wrapHanging(`${why.name} of ${why.project}, stage ${why.stage}, on ${why.ref}, ${tags}`, 8)}`,
    text.wrapHanging(`${why.status}${since}: ${why.reason}`, 2),
    ...why.next.map((line) => `${text.mark('next')} ${text.wrapHanging(line, 2)}`),
    ...formatFacts(answer, why),
  ]
  return `${lines.join('\n')}\n`
}

/** Returns rows for output to pipes: the job, the commands that help, the runners, and the parts that could not be read. */
const toRows = (why: WaitReport) => [
  { what: 'job', id: why.id, name: why.name, state: why.status, why: why.reason },
  ...why.next.map((line) => ({ what: 'next', id: '', name: '', state: '', why: line })),
  ...why.runners.map((one) => ({
    what: 'runner',
    id: one.id,
    name: one.description,
    state: one.state,
    why: one.why,
  })),
  ...why.unread.map((line) => ({ what: 'unread', id: '', name: '', state: '', why: line })),
]

/** The columns of reports, one a row. */
const columns = ['id', 'name', 'status', 'waits', 'reason', 'next']

/** Creates the view of the explanation. */
const createView = (
  answer: AnswerService,
  why: WaitReport,
): ReturnType<NonNullable<WriteOptions['present']>> => {
  if (answer.reader !== 'people') return { records: [why], emit: { columns, endpoint: jobs.get } }
  const people = {
    page: () => [formatReport(answer, why)],
    rows: () => toRows(why),
    columns: ['what', 'id', 'name', 'state', 'why'],
  }
  return { records: [why], emit: { people } }
}

async function* explainWait(context: Context, given: Given): Rows {
  const { answer, instance, ui, place } = context
  let found: WaitReport | undefined
  yield* context.write(await context.planActions(given), {
    view: { columns },
    finish: async (plan, came) => {
      if ('failure' in came) throw came.failure
      const { data: job } = 'whole' in came ? typed(jobs.get, came.whole) : { data: undefined }
      if (job === undefined) throw new Failure('unreachable', 'the instance returned no job')
      const { id } = pickPathValues(jobs.get, plan.values)
      const seen = await ui.showProgress('looking', () =>
        readSurroundings({ instance, project: id, job }),
      )
      found = createReport(job, String(id), seen, place)
      if (found.unread.length > 0) answer.setExitCode(exitCodes.partial)
      return { value: found }
    },
    present: (_, { value }) =>
      found === undefined ? { records: [value], emit: {} } : createView(answer, found),
  })
}

export const why = define({
  summary: 'Explain why a job is waiting',
  description: [
    'For a pending job, svcctl compares its tags with the runners of the project. For a created job, it lists the jobs of the pipeline that must finish first. In both cases, it shows which job holds the resource group.',
    'The API does not show the needs and the resource group of a job, so svcctl reads them from the configuration on the default branch. Data that cannot be read is reported; the exit code is then 8.',
  ],
  endpoints: ['get'],
  args: [
    {
      name: 'id',
      required: true,
      variadic: false,
      help: 'job ID',
      parameter: 'job_id',
      param: jobs.get.path.job_id,
    },
  ],
  rows: explainWait,
})
