/**
 * Presents users, projects and commits in responses, and converts records to the shapes of the catalogue (`catalogue/shapes/common.ts`).
 */

import type { Static, TSchema } from 'typebox'
import { formatHumanDuration } from '../../base/dates.js'
import { capitalize } from '../../base/text.js'
import { ProjectSummary, User, UserSummary } from '../../catalogue/shapes/common.js'
import type { Call } from '../call.js'
import type { GitCommit } from '../git/commits-and-refs.js'
import { getRoleOf } from '../rules/access.js'
import type { PipelineRecord } from '../state/ci.js'
import type {
  ProjectRecord,
  ProtectedBranchRecord,
  UserRecord,
} from '../state/people-and-projects.js'

export const showUserSummary = (call: Call, user: UserRecord) =>
  toShape(UserSummary, user, { avatar_url: null, web_url: call.getWebUrl(user.username) })

/** Presents the summary of a user by ID; null if the user does not exist. */
export const showUser = (call: Call, id: number | null | undefined) => {
  const user = call.state.users.get(id)
  return user === undefined ? null : showUserSummary(call, user)
}

/** Presents the summaries of several users, without those that do not exist. */
export const showUsers = (call: Call, ids: readonly number[]) =>
  ids.flatMap((id) => showUser(call, id) ?? [])

export const showFullUser = (call: Call, user: UserRecord) =>
  toShape(User, user, {
    ...showUserSummary(call, user),
    skype: '',
    linkedin: '',
    twitter: '',
    website_url: '',
  })

/** Presents the summary of a project, without the fields that only some responses have. */
export const showProjectSummary = (project: ProjectRecord) =>
  toShape(ProjectSummary, project, { description: undefined, created_at: undefined })

/** Presents the summary of a project with its description and its creation time. */
export const showDescribedProject = (project: ProjectRecord) => toShape(ProjectSummary, project, {})

export const getTimeStats = (record: { time_estimate: number; total_time_spent: number }) => ({
  time_estimate: record.time_estimate,
  total_time_spent: record.total_time_spent,
  human_time_estimate: formatHumanDuration(record.time_estimate),
  human_total_time_spent: formatHumanDuration(record.total_time_spent),
})

export const getPipelineUrl = (call: Call, pipeline: PipelineRecord): string => {
  const project = call.state.projects.get(pipeline.project_id)
  return call.getWebUrl(`${project?.path_with_namespace}/-/pipelines/${pipeline.id}`)
}

export const showPipelineBrief = ({ id, sha, ref, status }: PipelineRecord) => {
  return { id, sha, ref, status }
}

export const showCommit = (call: Call, project: ProjectRecord, found: GitCommit) => ({
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
  web_url: call.getWebUrl(`${project.path_with_namespace}/-/commit/${found.id}`),
})

/** Presents the access level of a protected branch, such as `Maintainers` for 40. */
const showAccessLevels = (access_level: number) => {
  const title = capitalize(getRoleOf(access_level) ?? 'unknown')
  const access_level_description = access_level === 0 ? 'No one' : `${title}s`
  return [{ access_level, access_level_description }]
}

/** Presents the levels that a protected branch requires. */
export const showProtection = ({ id, name, ...rule }: ProtectedBranchRecord) => ({
  id,
  name,
  push_access_levels: showAccessLevels(rule.push_access_level),
  merge_access_levels: showAccessLevels(rule.merge_access_level),
  unprotect_access_levels: showAccessLevels(rule.unprotect_access_level),
})

// The conversion of records to the shapes of the catalogue.

/** The schema of an object. */
type Shape = TSchema & { readonly properties: object }

/** The fields of a shape that a record does not have, and replacements for fields that it has. */
type DerivedFields<S extends Shape, R> = Omit<Static<S>, keyof R> & Partial<Static<S>>

/** Converts a record to a shape, from its attributes and from computed fields. A missing field does not compile. */
export const toShape = <S extends Shape, R extends object>(
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
