/** `jobs why`: what a job waits for, and what to do about it. */
import { jobs } from '../../catalogue/areas/jobs.js'
import { pathIn } from '../../catalogue/path-in.js'
import { answered as typed } from '../../client/typed.js'
import { exitCodes, Failure } from '../../errors.js'
import { define } from '../define.js'
import { spanText } from '../glance/words.js'
import type { AnswerService, Services } from '../services.js'
import type { Operation } from '../types.js'
import type { RunnerFit } from './fitting.js'
import { reasonOf } from './reason.js'
import { type JobSurroundings, type OfProject, surroundingsOf, waits } from './waiting.js'

const recordOf = (of: OfProject, project: string, seen: JobSurroundings, now: Date) => {
  const { job } = of
  const since = Date.parse(job.created_at ?? '')
  return {
    id: job.id ?? 0,
    project,
    name: job.name ?? '',
    stage: job.stage ?? '',
    ref: job.ref ?? '',
    status: job.status ?? '',
    tag_list: (job.tag_list ?? []).map(String),
    waits: waits(job),
    waited_seconds:
      !waits(job) || Number.isNaN(since) ? null : Math.floor((now.getTime() - since) / 1000),
    ...reasonOf(of, project, seen),
    ...seen,
  }
}
type Why = ReturnType<typeof recordOf>

const markOf = ({ fits, state }: RunnerFit): 'good' | 'warn' | 'bad' =>
  fits === false ? 'bad' : fits === true && state === 'online' ? 'good' : 'warn'

const runnerLine = (answer: AnswerService, one: RunnerFit): string => {
  const { text } = answer
  const name = `${one.id}  ${text.safe(one.description || '–')}`.padEnd(24)
  const state = one.state.replace('_', ' ').padEnd(14)
  return `  ${text.mark(markOf(one))} ${name} ${state} ${text.hanging(one.why, 44)}`
}

/** What the record says beside the reason. */
const factsOf = (answer: AnswerService, why: Why): readonly string[] => {
  const { text } = answer
  const group = why.resource_group
  return [
    ...(why.runners.length === 0
      ? []
      : [
          '',
          text.strong('Runners of the project'),
          ...why.runners.map((one) => runnerLine(answer, one)),
        ]),
    ...(group === null
      ? []
      : [
          '',
          `${text.strong('Resource group')}  ${text.hanging(`${group.key}${group.process_mode === null ? '' : `, ${group.process_mode}`}, by the configuration at the head of the default branch`, 16)}`,
        ]),
    ...why.unread.map((line) => `${text.mark('warn')} not read: ${text.hanging(line, 12)}`),
  ]
}

const pageOf = (answer: AnswerService, why: Why): string => {
  const { text } = answer
  const tags = why.tag_list.length === 0 ? 'no tags' : `tags ${why.tag_list.join(', ')}`
  const since = why.waited_seconds === null ? '' : ` for ${spanText(why.waited_seconds)}`
  const lines = [
    `${text.strong(`Job ${why.id}`)}  ${text.hanging(`${why.name} of ${why.project}, stage ${why.stage}, on ${why.ref}, ${tags}`, 8)}`,
    text.hanging(`${why.status}${since}: ${why.reason}`, 2),
    ...why.next.map((line) => `${text.mark('next')} ${text.hanging(line, 2)}`),
    ...factsOf(answer, why),
  ]
  return `${lines.join('\n')}\n`
}

/** The same off a terminal: the job, then what it was held against. */
const rowsOf = (why: Why) => [
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

/** How what was found is shown. */
const shownAs = (
  answer: AnswerService,
  why: Why,
): ReturnType<NonNullable<Operation['present']>> => {
  const columns = ['id', 'name', 'status', 'waits', 'reason', 'next']
  if (answer.reader !== 'people') return { records: [why], emit: { columns, endpoint: jobs.get } }
  const people = {
    page: () => [pageOf(answer, why)],
    rows: () => rowsOf(why),
    columns: ['what', 'id', 'name', 'state', 'why'],
  }
  return { records: [why], emit: { people } }
}

const explaining = ({ answer, instance, person, place }: Services): Operation => {
  let found: Why | undefined
  return {
    finish: async (plan, came) => {
      if ('failure' in came) throw came.failure
      const { data: job } = 'whole' in came ? typed(jobs.get, came.whole) : { data: undefined }
      if (job === undefined) throw new Failure('unreachable', 'the instance answered with no job')
      const { id } = pathIn(jobs.get, plan.values)
      const of = { instance, project: id, job }
      const seen = await person.progress('looking', () => surroundingsOf(of))
      found = recordOf(of, String(id), seen, place.clock.now())
      if (found.unread.length > 0) answer.exit(exitCodes.partial)
      return { value: found }
    },
    present: (_, { value }) =>
      found === undefined ? { records: [value], emit: {} } : shownAs(answer, found),
  }
}

export const why = define({
  summary: 'Say why a job waits, and what to do about it',
  description: [
    'Of a pending job: its tags against the runners of its project and their state. Of one that is only created: the jobs of its pipeline that come first. Of both: the resource group that it shares, and the job that holds it. A job that does not wait is said to be so.',
    'No job shows its resource group and what it needs: they are read from the configuration at the head of the default branch. What could not be read is said; then exit 8.',
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
  examples: ['jobs why 15 -P platform/app', 'jobs why 15 -P platform/app -o json'],
  operation: explaining,
})
