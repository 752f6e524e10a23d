/** Why a job waits, in a sentence, and what to do about it. */
import { quoted } from '../../base/shell-words.js'
import { several } from '../glance/words.js'
import { type Advice, adviceOf } from './fitting.js'
import { type JobSurroundings, type OfProject, type OtherJob, waits } from './waiting.js'

const jobText = ({ id, name, status }: OtherJob): string => `${name} (${id}, ${status})`

/** How many others a sentence names. */
const most = 5
const listText = (all: readonly OtherJob[]): string =>
  `${all.slice(0, most).map(jobText).join(', ')}${all.length > most ? ` and ${all.length - most} more` : ''}`

/** States in which nothing is waited for, in words. */
const settled: Readonly<Record<string, Advice>> = {
  manual: {
    reason: 'it waits for nothing but a person, who starts it on its page',
    next: [],
  },
  running: { reason: 'it does not wait: it runs', next: [] },
}

const ended = (status: string): Advice =>
  settled[status] ?? { reason: `it does not wait: it is ${status || 'in no state'}`, next: [] }

/** It is held by others of its group. */
const heldBy = (
  project: string,
  { resource_group: group }: JobSurroundings,
): Advice | undefined => {
  const [first] = group?.held_by ?? []
  if (group === null || first === undefined) return undefined
  return {
    reason: `its resource group ${group.key} is held by ${listText(group.held_by)}`,
    next: [
      `svcctl jobs get ${first.id} -P ${quoted(project)} --until status=success`,
      ...(group.key.includes('$')
        ? []
        : [`svcctl resource-groups get ${quoted(group.key)} -P ${quoted(project)}`]),
    ],
  }
}

/** It waits for the jobs before it. */
const behind = (project: string, { waits_for: others }: JobSurroundings): Advice | undefined => {
  const [first] = others
  if (first === undefined) return undefined
  return {
    reason: `${several(others.length, 'job')} of its pipeline ${others.length === 1 ? 'comes' : 'come'} first: ${listText(others)}`,
    next: [`svcctl jobs why ${first.id} -P ${quoted(project)}`],
  }
}

/** The reason that a job of a state is most likely kept by comes first. */
export const reasonOf = (
  { job }: Pick<OfProject, 'job'>,
  project: string,
  seen: JobSurroundings,
): Advice => {
  const status = job.status ?? ''
  if (!waits(job)) return ended(status)
  const other = behind(project, seen) ?? heldBy(project, seen)
  if (other !== undefined) return other
  const wanted = { tag_list: (job.tag_list ?? []).map(String), ref: job.ref ?? '' }
  if (status === 'pending' && (seen.runners.length > 0 || seen.unread.length === 0))
    return adviceOf(wanted, seen.runners, project)
  if (seen.unread.length > 0)
    return { reason: `it cannot be told: ${seen.unread.join('; ')}`, next: [] }
  return {
    reason: `it is ${status}, and nothing that is shown keeps it: look again in a moment`,
    next: [`svcctl jobs get ${job.id ?? ''} -P ${quoted(project)} --watch`],
  }
}
