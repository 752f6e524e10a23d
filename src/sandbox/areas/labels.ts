/** Serves the labels of a project, which the documented API has only as parts of issues and merge requests. */
import { boolean, integer, type Params, project, string } from '../../catalogue/params.js'
import { apiRoot, type Call } from '../call.js'
import { createRoutes, type ExtraRoute } from '../extra-routes.js'
import type { AnyHandler } from '../handlers.js'
import { showLabel } from '../present/planning.js'
import { badRequest, conflict, forbidden, invalid, notFound } from '../reply.js'
import { type ProjectInput, resource } from '../resource.js'
import { listUsableLabels, searchParameter } from '../rules/filters.js'
import type { ProjectRecord } from '../state/people-and-projects.js'
import type { LabelRecord } from '../state/planning.js'

/** Lists the issues and merge requests of a project that have a label. */
const getLabelled = ({ state }: Call, { id }: ProjectRecord, name: string) => {
  const has = (one: { readonly project_id: number; readonly labels: readonly string[] }) =>
    one.project_id === id && one.labels.includes(name)
  return { issues: state.issues.filter(has), requests: state.mergeRequests.filter(has) }
}

const showProjectLabel = (
  call: Call,
  label: LabelRecord,
  project: ProjectRecord,
  counts = false,
) => {
  const { issues, requests } = getLabelled(call, project, label.name)
  const isOpen = ({ state }: { readonly state: string }) => state === 'opened'
  return {
    ...showLabel(label),
    ...(counts && {
      open_issues_count: issues.filter(isOpen).length,
      closed_issues_count: issues.filter((issue) => !isOpen(issue)).length,
      open_merge_requests_count: requests.filter(isOpen).length,
    }),
    subscribed: false,
    priority: label.priority,
    is_project_label: label.project_id !== null,
  }
}

/** Finds a project whose labels the acting user may change. */
const findEditable = (call: Call, { id }: ProjectInput): ProjectRecord => {
  const project = call.requireProject(id, { role: 'reporter' })
  if (project.archived) throw forbidden()
  return project
}

/** Renames a label in all issues and merge requests, or removes it from them. */
const replaceLabel = (call: Call, project: ProjectRecord, old: string, name?: string): void => {
  const { issues, requests } = getLabelled(call, project, old)
  const change = (names: readonly string[]) =>
    names.flatMap((one) => (one === old ? (name ?? []) : one))
  for (const { id, labels: own } of issues) call.state.issues.change(id, { labels: change(own) })
  for (const { id, labels: own } of requests)
    call.state.mergeRequests.change(id, { labels: change(own) })
}

const color = /^(?:#(?:[\da-f]{3}){1,2}|[a-z]+)$/i

/** Returns the color of the text on a label: dark for light labels. */
const getTextColor = (text: string): string => {
  const digits = text.length === 4 ? text.replace(/[\da-f]/gi, '$&$&') : text
  const parts = digits.match(/[\da-f]{2}/gi) ?? []
  return parts.reduce((sum, part) => sum + Number.parseInt(part, 16), 0) > 500
    ? '#333333'
    : '#FFFFFF'
}

const usual = '#428BCA'
const fresh = {
  group_id: null,
  description: null,
  priority: null,
  color: usual,
  text_color: getTextColor(usual),
} as const

const attributes = {
  color: string('color'),
  description: string('description', { nullable: true }),
  priority: integer('priority; lower sorts first', { min: 0, nullable: true }),
} as const

const labels = resource({
  table: 'labels',
  what: 'Label',
  parent: (call, { id }: ProjectInput) => call.requireProject(id),
  managed: findEditable,
  all: listUsableLabels,
  key: ['label_id', 'id', 'name'],
  filters: {
    ...searchParameter,
    with_counts: boolean('count issues and merge requests', { default: false }),
    include_ancestor_groups: boolean('include those of groups', { default: true }),
  },
  search: ['name', 'description'],
  tests: { include_ancestor_groups: (all, { project_id }) => all || project_id !== null },
  present: showProjectLabel,
  presentListed: (call, label, project, { with_counts }) =>
    showProjectLabel(call, label, project, with_counts),
  attributes: {
    ...attributes,
    name: string('name', { required: true }),
    color: string('color', { required: true }),
  },
  changes: { ...attributes, new_name: string('new name') },
  some: true,
  // Labels of a group cannot be changed through its projects.
  refuse: (_, { project_id }) => {
    if (project_id === null) throw notFound('Label')
  },
  accept: (call, { new_name, ...given }, project, old) => {
    if (given.color !== undefined && !color.test(given.color))
      throw badRequest({ color: ['must be a valid color code'] })
    const name = new_name ?? given.name
    if (name?.trim() === '') throw badRequest({ title: ["can't be blank"] })
    const taken = listUsableLabels(call, project).find((one) => one.name === name)
    if (taken !== undefined && taken.id !== old?.id) throw conflict('Label already exists')
    return { ...given, name, text_color: given.color && getTextColor(given.color) }
  },
  changing: (call, label, { name }, project) => {
    if (name !== undefined) replaceLabel(call, project, label.name, name)
  },
  defaults: (_, { id }) => ({ ...fresh, project_id: id }),
  remove: (call, label, project) => {
    replaceLabel(call, project, label.name)
    call.state.labels.remove(label.id)
  },
})

/** Adds the labels that do not exist yet. Instances do so when an issue or merge request gets a new label. */
export const addMissingLabels = (
  call: Call,
  project: ProjectRecord,
  names: readonly string[],
): void => {
  const known = listUsableLabels(call, project).map(({ name }) => name)
  for (const name of new Set(names))
    if (!known.includes(name)) call.state.labels.add({ ...fresh, project_id: project.id, name })
}

const path = '/projects/:id/labels'
const access = 'at least Reporter of the project'

type LabelInput = Readonly<Record<'name' | 'label_id', string | undefined>>

/** Handles the deprecated routes, which clients still use: they name the label by a parameter instead of by the path. */
const byParameter =
  (handle: AnyHandler): AnyHandler =>
  (call, { name, label_id = name, ...input }: LabelInput) => {
    if (label_id === undefined)
      throw invalid('label_id, name are missing, exactly one parameter must be provided')
    return handle(call, { ...input, label_id } as never)
  }

const createNamedRoute = (
  method: 'PUT' | 'DELETE',
  params: Params,
  handle: AnyHandler,
): ExtraRoute => ({
  method,
  path: `${apiRoot}${path}`,
  accepts: {
    path: { id: project() },
    params: { name: string('name'), label_id: string('ID or name'), ...params },
    changes: true,
    access,
  },
  handle: byParameter(handle),
})

export const labelRoutes = [
  ...createRoutes({ path, one: { label_id: string('ID or name') }, access, of: labels }),
  createNamedRoute('PUT', labels.changes ?? {}, labels.update),
  createNamedRoute('DELETE', {}, labels.delete),
]
