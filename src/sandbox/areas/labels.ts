/** Labels of a project. The documents show them in issues and merge requests alone. */
import { boolean, integer, string } from '../../catalogue/params.js'
import type { Call } from '../call.js'
import { createRoutes } from '../extra-routes.js'
import { resource } from '../handlers.js'
import { presentLabel } from '../present/planning.js'
import { badRequest, conflict, forbidden, lazily, notFound } from '../reply.js'
import { holdsText, labelsAround, searchParameter } from '../rules/filters.js'
import type { ProjectRecord } from '../state/people-and-projects.js'
import type { LabelRecord } from '../state/planning.js'

interface ProjectInput {
  readonly id: string | number
}
type LabelInput = ProjectInput & { readonly label_id: string }
type Attributes = Partial<Pick<LabelRecord, 'name' | 'color' | 'description' | 'priority'>>

/** The issues and merge requests of a project that have a label. */
const getLabelled = ({ state }: Call, { id }: ProjectRecord, name: string) => {
  const has = (one: { readonly project_id: number; readonly labels: readonly string[] }) =>
    one.project_id === id && one.labels.includes(name)
  return { issues: state.issues.filter(has), requests: state.mergeRequests.filter(has) }
}

const present = (call: Call, label: LabelRecord, project: ProjectRecord, counts = false) => {
  const { issues, requests } = getLabelled(call, project, label.name)
  const isOpen = ({ state }: { readonly state: string }) => state === 'opened'
  return {
    ...presentLabel(label),
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

/** A project whose labels the acting user may change. */
const findEditable = (call: Call, { id }: ProjectInput): ProjectRecord => {
  const project = call.project(id, { role: 'reporter' })
  if (project.archived) throw forbidden()
  return project
}

const labels = resource({
  what: 'Label',
  parent: (call, { id }: ProjectInput) => call.project(id),
  managed: findEditable,
  all: labelsAround,
  isNamed: ({ id, name }, { label_id }: { readonly label_id: string }) =>
    [String(id), name].includes(label_id),
  present: (call, label: LabelRecord, project) => present(call, label, project),
})

/** A label of the project itself: those of its groups are changed there. */
const findOwn = (call: Call, input: LabelInput): LabelRecord => {
  const label = labels.managed(call, input)
  if (label.project_id === null) throw notFound('Label')
  return label
}

/** Renames a label wherever it is used, or takes it away. */
const relabel = (call: Call, project: ProjectRecord, old: string, name?: string): void => {
  const { issues, requests } = getLabelled(call, project, old)
  const change = (names: readonly string[]) =>
    names.flatMap((one) => (one === old ? (name ?? []) : one))
  for (const { id, labels: own } of issues) call.state.issues.change(id, { labels: change(own) })
  for (const { id, labels: own } of requests)
    call.state.mergeRequests.change(id, { labels: change(own) })
}

const color = /^(?:#(?:[\da-f]{3}){1,2}|[a-z]+)$/i

/** Dark text on light colors. */
const getTextColor = (text: string): string => {
  const digits = text.length === 4 ? text.replace(/[\da-f]/gi, '$&$&') : text
  const parts = digits.match(/[\da-f]{2}/gi) ?? []
  return parts.reduce((sum, part) => sum + Number.parseInt(part, 16), 0) > 500
    ? '#333333'
    : '#FFFFFF'
}

const check = (call: Call, project: ProjectRecord, given: Attributes, old?: LabelRecord): void => {
  if (given.color !== undefined && !color.test(given.color))
    throw badRequest({ color: ['must be a valid color code'] })
  if (given.name?.trim() === '') throw badRequest({ title: ["can't be blank"] })
  const taken = labelsAround(call, project).find((one) => one.name === given.name)
  if (taken !== undefined && taken.id !== old?.id) throw conflict('Label already exists')
}

const addLabel = (
  call: Call,
  project: ProjectRecord,
  given: Attributes & { readonly name: string },
) =>
  call.state.labels.add({
    project_id: project.id,
    group_id: null,
    description: null,
    priority: null,
    color: '#428BCA',
    ...given,
    text_color: getTextColor(given.color ?? '#428BCA'),
  })

/** Adds those of several labels that there are not yet, as instances do for new issues. */
export const bringLabels = (call: Call, project: ProjectRecord, names: readonly string[]): void => {
  const known = labelsAround(call, project).map(({ name }) => name)
  for (const name of new Set(names)) if (!known.includes(name)) addLabel(call, project, { name })
}

const create = (
  call: Call,
  { id, ...given }: ProjectInput & Attributes & { readonly name: string },
) => {
  const project = findEditable(call, { id })
  check(call, project, given)
  return present(call, addLabel(call, project, given), project)
}

const update = (
  call: Call,
  { id, label_id, new_name, ...given }: LabelInput & Attributes & { readonly new_name?: string },
) => {
  const label = findOwn(call, { id, label_id })
  const project = call.project(id)
  const patch = new_name === undefined ? given : { ...given, name: new_name }
  check(call, project, patch, label)
  if (new_name !== undefined) relabel(call, project, label.name, new_name)
  const text_color = given.color && getTextColor(given.color)
  call.state.labels.change(label.id, { ...patch, text_color })
  return present(call, label, project)
}

const remove = (call: Call, input: LabelInput): undefined => {
  const label = findOwn(call, input)
  call.unmodified({})
  relabel(call, call.project(input.id), label.name)
  call.state.labels.remove(label.id)
}

const listLabels = (
  call: Call,
  {
    id,
    search,
    with_counts,
    include_ancestor_groups: all,
  }: ProjectInput & { search?: string; with_counts: boolean; include_ancestor_groups: boolean },
) => {
  const project = call.project(id)
  const rows = labelsAround(call, project).filter(
    (label) =>
      (all || label.project_id !== null) && holdsText(search, [label.name, label.description]),
  )
  return lazily(rows, (label) => present(call, label, project, with_counts))
}

const attributes = {
  description: string('description', { nullable: true }),
  priority: integer('priority; lower sorts first', { min: 0, nullable: true }),
} as const

export const labelRoutes = createRoutes({
  path: '/projects/:id/labels',
  one: { label_id: string('ID or name') },
  access: 'at least Reporter of the project',
  list: [
    {
      ...searchParameter,
      with_counts: boolean('count issues and merge requests', { default: false }),
      include_ancestor_groups: boolean('include those of groups', { default: true }),
    },
    listLabels,
  ],
  get: [{}, labels.get],
  create: [
    {
      name: string('name', { required: true }),
      color: string('color', { required: true }),
      ...attributes,
    },
    create,
  ],
  update: [{ new_name: string('new name'), color: string('color'), ...attributes }, update],
  delete: remove,
})
