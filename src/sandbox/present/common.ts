/** How records are shown by the shapes of the catalogue, and those that areas share (`catalogue/shapes/common.ts`). */

import type { Static, TSchema } from 'typebox'
import { humanDuration } from '../../base/dates.js'
import { ProjectSummary, User, UserSummary } from '../../catalogue/shapes/common.js'
import { LabelDetails, Milestone } from '../../catalogue/shapes/planning.js'
import type { Call } from '../call.js'
import type { PipelineRecord } from '../state/ci.js'
import type { ProjectRecord, UserRecord } from '../state/people-and-projects.js'
import type { LabelRecord, MilestoneRecord } from '../state/planning.js'

/** User summary. */
export const userSummary = (call: Call, user: UserRecord) =>
  presentAs(UserSummary, user, { avatar_url: null, web_url: call.url(user.username) })

/** The summary of the user of an ID; null when there is none. */
export const presentUser = (call: Call, id: number | null | undefined) => {
  const user = call.state.users.get(id)
  return user === undefined ? null : userSummary(call, user)
}

/** Summaries of several users, those that exist. */
export const presentUsers = (call: Call, ids: readonly number[]) =>
  ids.flatMap((id) => presentUser(call, id) ?? [])

/** The long form. */
export const longUser = (call: Call, user: UserRecord) =>
  presentAs(User, user, {
    ...userSummary(call, user),
    skype: '',
    linkedin: '',
    twitter: '',
    website_url: '',
  })

/** Project summary, without the fields that only some variants have. */
export const projectSummary = (project: ProjectRecord) =>
  presentAs(ProjectSummary, project, { description: undefined, created_at: undefined })

/** Project summary with description and creation time. */
export const describedProject = (project: ProjectRecord) => presentAs(ProjectSummary, project, {})

/** `sigil` is `#` for issues and `!` for merge requests; `from` where the record is asked for. */
export const references = (
  project: ProjectRecord,
  sigil: '#' | '!',
  iid: number,
  from?: ProjectRecord,
) => {
  const short = `${sigil}${iid}`
  const full = `${project.path_with_namespace}${short}`
  return { short, relative: from?.id === project.id ? short : full, full }
}

export const timeStats = (record: { time_estimate: number; total_time_spent: number }) => ({
  time_estimate: record.time_estimate,
  total_time_spent: record.total_time_spent,
  human_time_estimate: humanDuration(record.time_estimate),
  human_total_time_spent: humanDuration(record.total_time_spent),
})

/** Tasks of a description: `- [ ] open`, `- [x] done`. */
export const taskCompletion = (text: string) => {
  const tasks = [...text.matchAll(/^\s*[-*+]\s+\[([ xX])\]\s/gm)]
  return {
    count: tasks.length,
    completed_count: tasks.filter(([, mark]) => mark !== ' ').length,
  }
}

export const pipelineUrl = (call: Call, pipeline: PipelineRecord): string => {
  const project = call.state.projects.get(pipeline.project_id)
  return call.url(`${project?.path_with_namespace}/-/pipelines/${pipeline.id}`)
}

/** `{id, sha, ref, status}` of a pipeline. */
export const pipelineBrief = ({ id, sha, ref, status }: PipelineRecord) => {
  return { id, sha, ref, status }
}

export const milestone = (call: Call, record: MilestoneRecord) => {
  const project = call.state.projects.get(record.project_id)
  const group = call.state.groups.get(record.group_id)
  const home = project?.path_with_namespace ?? `groups/${group?.full_path}`
  return presentAs(Milestone, record, {
    project_id: record.project_id ?? undefined,
    group_id: record.project_id === null ? record.group_id : undefined,
    web_url: call.url(`${home}/-/milestones/${record.iid}`),
  })
}

/** A label as it is shown `with_labels_details`. */
export const presentLabel = (label: LabelRecord) =>
  presentAs(LabelDetails, label, { description_html: label.description ?? '' })

// How most records are shown: by the shape of the catalogue that their answer has.

/** The schema of an object. */
type Shape = TSchema & { readonly properties: object }

/** The fields of a shape that a record does not have itself; others may be given in its stead. */
type DerivedFields<S extends Shape, R> = Omit<Static<S>, keyof R> & Partial<Static<S>>

/** A record as a shape shows it: its attributes of the same names, and what is computed. What neither has does not compile. */
export const presentAs = <S extends Shape, R extends object>(
  shape: S,
  record: R,
  computed: DerivedFields<S, R>,
): Static<S> => {
  const shown: Record<string, unknown> = {}
  for (const name of Object.keys(shape.properties)) {
    const value: unknown = Reflect.get(name in computed ? computed : record, name)
    if (value !== undefined) shown[name] = value
  }
  return shown as Static<S>
}
