/** How records are shown by the shapes of the catalogue, and those that areas share (`catalogue/shapes/common.ts`). */
import type { Static, TSchema } from 'typebox'
import { humanDuration } from '../../base/dates.js'
import { accessLevels, ProjectSummary, User, UserSummary } from '../../catalogue/shapes/common.js'
import type { Call } from '../call.js'
import type { GitCommit } from '../git/read.js'
import type { PipelineRecord } from '../state/ci.js'
import type { ProjectRecord, UserRecord } from '../state/people-and-projects.js'

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

export const timeStats = (record: { time_estimate: number; total_time_spent: number }) => ({
  time_estimate: record.time_estimate,
  total_time_spent: record.total_time_spent,
  human_time_estimate: humanDuration(record.time_estimate),
  human_total_time_spent: humanDuration(record.total_time_spent),
})

export const pipelineUrl = (call: Call, pipeline: PipelineRecord): string => {
  const project = call.state.projects.get(pipeline.project_id)
  return call.url(`${project?.path_with_namespace}/-/pipelines/${pipeline.id}`)
}

/** `{id, sha, ref, status}` of a pipeline. */
export const pipelineBrief = ({ id, sha, ref, status }: PipelineRecord) => {
  return { id, sha, ref, status }
}

export const presentCommit = (call: Call, project: ProjectRecord, found: GitCommit) => ({
  id: found.id,
  short_id: found.id.slice(0, 8),
  title: found.message.split('\n')[0] ?? '',
  message: found.message,
  author_name: found.author.name,
  author_email: found.author.email,
  authored_date: found.author.date,
  committer_name: found.committer.name,
  committer_email: found.committer.email,
  committed_date: found.committer.date,
  created_at: found.committer.date,
  parent_ids: [...found.parents],
  web_url: call.url(`${project.path_with_namespace}/-/commit/${found.id}`),
})

/** Who may do something to a protected branch: `40` → `Maintainers`. */
export const presentLevels = (access_level: number) => {
  const name = Object.entries(accessLevels).find(([, level]) => level === access_level)?.[0]
  const title = name === undefined ? 'Unknown' : `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  const access_level_description = access_level === 0 ? 'No one' : `${title}s`
  return [{ access_level, access_level_description }]
}

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
    const value: unknown = Reflect.get(Object.hasOwn(computed, name) ? computed : record, name)
    if (value !== undefined) shown[name] = value
  }
  return shown as Static<S>
}
