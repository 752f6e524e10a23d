/** Filters and sorts lists for all areas: by the declarations of the catalogue, and by filters that only an instance can apply. */
import { createFilter, type FieldReader, type RecordTest } from '../../catalogue/filters.js'
import { getInnerParams, type Params, string } from '../../catalogue/params.js'
import type { Call } from '../call.js'
import type { ProjectRecord } from '../state/people-and-projects.js'
import type { LabelRecord, MilestoneRecord, Reaction } from '../state/planning.js'
import { getTable, type State, type TableRecords } from '../state/state.js'
import { getProjectGroup, listLineage } from './access.js'

/** Maps fields of responses that present other records to the attribute with their IDs, and to their table. */
const relations: Readonly<Record<string, readonly [attribute: string, table: keyof TableRecords]>> =
  {
    approved_by: ['approved_by_ids', 'users'],
    assignees: ['assignee_ids', 'users'],
    author: ['author_id', 'users'],
    iteration: ['iteration_id', 'iterations'],
    milestone: ['milestone_id', 'milestones'],
    reviewers: ['reviewer_ids', 'users'],
    user: ['user_id', 'users'],
  }

const getReader =
  (state: State): FieldReader<object> =>
  (field) => {
    const [name = '', inner] = field.split('.')
    const relation = relations[name]
    if (inner === undefined || relation === undefined)
      return (record): unknown => Reflect.get(record, name)
    const [attribute, table] = relation
    const getShown = (id: unknown): unknown =>
      id === null || inner === 'id' ? id : getTable(state, table).get(Number(id))?.[inner]
    return (record) => {
      const found: unknown = Reflect.get(record, attribute)
      return Array.isArray(found) ? found.map(getShown) : getShown(found)
    }
  }

const getTexts = (value: unknown): readonly string[] => [value].flat().map(String)

/** Creates predicates for the given filters whose declarations are complete. Each value of a `not` filter has its own predicate. */
export const createDeclaredTests = (
  state: State,
  params: Params,
  given: object,
): readonly RecordTest<object>[] => {
  const reader = getReader(state)
  return Object.entries(given).flatMap(([name, value]: [string, unknown]) => {
    const param = params[name]
    if (param === undefined || value === undefined) return []
    if (name !== 'not') return createFilter(name, param, getTexts(value), reader) ?? []
    return Object.entries(value ?? {}).flatMap(([key, values]: [string, unknown]) =>
      getTexts(values).flatMap((text) => {
        const inner = getInnerParams(param)?.[key]
        const test = inner && createFilter(key, inner, [text], reader)
        return test === undefined ? [] : (record: object) => !test(record)
      }),
    )
  })
}

// The filters that issues and merge requests have in common (`catalogue/filters.ts`).

/** The fields that issues and merge requests have in common. */
interface WorkItemRecord {
  readonly id: number
  readonly iid: number
  readonly project_id: number
  readonly title: string
  readonly description: string
  readonly author_id: number
  readonly assignee_ids: readonly number[]
  readonly milestone_id: number | null
  readonly labels: readonly string[]
  readonly reactions: readonly Reaction[]
  readonly created_at: string
  readonly updated_at: string
}

type Wildcard = 'None' | 'Any'

/** True if the values of a record match a filter: the wildcard `None` or `Any`, or a single value. */
export const matchesWildcard = <V>(wanted: V | Wildcard, has: readonly V[]): boolean => {
  if (wanted === 'None') return has.length === 0
  if (wanted === 'Any') return has.length > 0
  return has.includes(wanted)
}

/** Lists the names of the acting user's reactions to a record. */
const listOwnReactions = (call: Call, { reactions }: WorkItemRecord): string[] =>
  reactions.filter((r) => r.user_id === call.user?.id).map((r) => r.name)

const getMilestone = (call: Call, { milestone_id }: WorkItemRecord): MilestoneRecord | undefined =>
  call.state.milestones.get(milestone_id)

/**
 * True if the milestone of a record matches a filter: `None`, `Any` or an ID. `Upcoming` is the next one due, and `Started` one that has
 * begun and is not over.
 */
export const hasMilestone = (call: Call, wanted: string, record: WorkItemRecord): boolean => {
  const found = getMilestone(call, record)
  const today = call.clock.day()
  const open = (m: MilestoneRecord): boolean =>
    m.state === 'active' && (m.due_date === null || m.due_date >= today)
  if (wanted === 'None') return found === undefined
  if (found === undefined) return false
  if (wanted === 'Started')
    return open(found) && found.start_date !== null && found.start_date <= today
  if (wanted !== 'Upcoming') return wanted === 'Any' || wanted === String(found.id)
  const due = call.state.milestones
    .filter((m) => m.project_id === found.project_id && m.group_id === found.group_id && open(m))
    .flatMap((m) => (m.due_date === null ? [] : [m.due_date]))
    .sort()
  return open(found) && found.due_date !== null && found.due_date === due[0]
}

/** True if all words of a search occur in the searched fields: the title, the description, or both. */
const hasSearchText = (
  text: string | undefined,
  places: readonly string[],
  { title, description }: WorkItemRecord,
): boolean => {
  if (text === undefined || text === '') return true
  const haystacks = [
    places.includes('title') ? title.toLowerCase() : '',
    places.includes('description') ? description.toLowerCase() : '',
  ]
  const words = text.toLowerCase().split(/\s+/)
  return haystacks.some((hay) => words.every((word) => hay.includes(word)))
}

/** The parameter for a search by name. */
export const searchParameter = {
  search: string('only those whose name holds this text'),
} as const

/** True if one of several texts contains another, regardless of case. All texts contain an empty one. */
export const containsText = (part = '', texts: readonly unknown[]): boolean =>
  texts.some((text) =>
    String(text ?? '')
      .toLowerCase()
      .includes(part.toLowerCase()),
  )

/** True if a record has none of the values of a filter in `not`. */
export const hasNone = <V>(values: V | readonly V[] | undefined, has: (value: V) => boolean) =>
  values === undefined || ![values].flat().some((value) => has(value as V))

/** True if a record is in a scope: created by the acting user, assigned to them, or any. */
const isInScope = (
  call: Call,
  scope: string,
  { author_id, assignee_ids }: WorkItemRecord,
): boolean => {
  switch (scope.replaceAll('-', '_')) {
    case 'created_by_me':
      return author_id === call.user?.id
    case 'assigned_to_me':
      return call.user !== undefined && assignee_ids.includes(call.user.id)
    default:
      return true
  }
}

/** True if the acting user reacted with this emoji, or matches the wildcard `None` or `Any`. */
export const hasReaction = (call: Call, name: string, record: WorkItemRecord): boolean =>
  matchesWildcard(name, listOwnReactions(call, record))

/** The predicates for common filters whose declarations are not complete. */
export const workItemTests = {
  my_reaction_emoji: (name: string, record: WorkItemRecord, call: Call) =>
    hasReaction(call, name, record),
  scope: (scope: string, record: WorkItemRecord, call: Call) => isInScope(call, scope, record),
  search: (
    text: string,
    record: WorkItemRecord,
    _: Call,
    input: { readonly in: readonly string[] },
  ) => hasSearchText(text, input.in, record),
  non_archived: (wanted: boolean, { project_id }: WorkItemRecord, { state }: Call) =>
    !wanted || state.projects.get(project_id)?.archived !== true,
} as const

/** Lists the labels that a project may use: its own and those of the groups above it. */
export const listUsableLabels = (call: Call, project: ProjectRecord): LabelRecord[] => {
  const groups = listLineage(call.state, getProjectGroup(call.state, project)).map(({ id }) => id)
  return call.state.labels.filter(
    (l) => l.project_id === project.id || (l.group_id !== null && groups.includes(l.group_id)),
  )
}

/** A value by which records are sorted. */
export type RecordKey = string | number | null

const compare = (a: RecordKey, b: RecordKey, direction: 1 | -1): number => {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  return a < b ? -direction : direction
}

/** Sorts records by each key in turn, then by ID. A record without a key comes last. */
export const sortRecords = <R extends { readonly id: number }>(
  rows: readonly R[],
  keys: (row: R) => readonly RecordKey[],
  sort: 'asc' | 'desc',
): R[] => {
  const direction = sort === 'asc' ? 1 : -1
  const keyed = rows.map((row) => ({ row, by: [...keys(row), row.id] }))
  keyed.sort((a, b) => {
    for (const [i, key] of a.by.entries()) {
      const order = compare(key, b.by[i] ?? null, direction)
      if (order !== 0) return order
    }
    return 0
  })
  return keyed.map(({ row }) => row)
}
