/** The lists of issues: which of them, in what order (`catalogue/reference/issues.md`). */
import { issues } from '../../catalogue/areas/issues.js'
import type { RecordTest } from '../../catalogue/filters.js'
import type { CheckedOf } from '../../catalogue/inferred.js'
import type { Call } from '../call.js'
import { declaredTests } from '../filters.js'
import { type Lazy, lazily, notFound, unauthorized } from '../reply.js'
import {
  except,
  inScope,
  labelsAround,
  matchesWildcard,
  mentionsText,
  milestoneIs,
  ownReactions,
  sortRecords,
  testWhere,
} from '../rules/planning/planning-filters.js'
import type { ProjectRecord } from '../state/people-and-projects.js'
import type { IssueRecord } from '../state/planning.js'
import { presentIssue, seesIssue, votes } from './issue.js'

export type IssueFilters = CheckedOf<(typeof issues)['list']>

const day = 86_400_000
const shift = (today: string, days: number): string =>
  new Date(Date.parse(today) + days * day).toISOString().slice(0, 10)
const monthEnd = (today: string, months: number): string => {
  const [year = 0, month = 1] = today.split('-').map(Number)
  return new Date(Date.UTC(year, month + months, 0)).toISOString().slice(0, 10)
}

/** First and last day of the week (from Monday), the month, or the long span. */
const span = (word: string, today: string): readonly [string, string] => {
  const weekday = (new Date(today).getUTCDay() + 6) % 7
  if (word === 'week') return [shift(today, -weekday), shift(today, 6 - weekday)]
  if (word === 'month') return [`${today.slice(0, 8)}01`, monthEnd(today, 0)]
  return [shift(today, -14), monthEnd(today, 1)]
}

const due = (call: Call, word: string, date: string | null): boolean => {
  const today = call.clock.day()
  if (word === '0') return date === null
  if (date === null) return false
  if (word === 'overdue') return date < today
  const [first, last] = span(word, today)
  return date >= first && date <= last
}

/** What only this list knows how to filter by. */
const specialTests = (call: Call, f: IssueFilters): RecordTest<IssueRecord>[] => {
  const hasMilestone = (wanted: string, issue: IssueRecord) => milestoneIs(call, wanted, issue)
  return [
    testWhere(f.due_date, (word, { due_date }) => due(call, word, due_date)),
    testWhere(f.milestone_id, hasMilestone),
    except(f.not?.milestone_id, hasMilestone),
    testWhere(f.my_reaction_emoji, (name, issue) =>
      matchesWildcard(name, ownReactions(call, issue)),
    ),
    (issue) => mentionsText(f.search, f.in, issue) && inScope(call, f.scope, issue),
  ]
}

/** Lowest priority number among its labels. */
const labelPriority = (call: Call, issue: IssueRecord): number | null => {
  const project = call.state.projects.get(issue.project_id)
  if (project === undefined) return null
  const priorities = labelsAround(call, project)
    .filter((l) => issue.labels.includes(l.name))
    .flatMap((l) => l.priority ?? [])
  return priorities.length === 0 ? null : Math.min(...priorities)
}

const milestoneDue = (call: Call, issue: IssueRecord): string | null =>
  call.state.milestones.get(issue.milestone_id)?.due_date ?? null

const keysOf = (call: Call, by: NonNullable<IssueFilters['order_by']>) => (issue: IssueRecord) => {
  switch (by) {
    case 'label_priority':
      return [labelPriority(call, issue)]
    case 'milestone_due':
      return [milestoneDue(call, issue)]
    case 'popularity':
      return [votes(issue.reactions).upvotes]
    case 'priority':
      return [milestoneDue(call, issue), labelPriority(call, issue)]
    case 'title':
      return [issue.title.toLowerCase()]
    default:
      return [issue[by]]
  }
}

/** The issues of these projects that the acting user sees and the filters match, presented. */
export const listIssues = (
  call: Call,
  projects: readonly ProjectRecord[],
  filters: IssueFilters,
  /** The project that they are asked for from, if any. */
  from?: ProjectRecord,
): Lazy<ReturnType<typeof presentIssue>> => {
  const { scope, non_archived, order_by, sort } = filters
  if (scope !== 'all' && call.user === undefined) throw unauthorized()
  const homes = new Map(
    projects.filter((p) => !(non_archived && p.archived)).map((p) => [p.id, p] as const),
  )
  const tests = [
    ...declaredTests(call.state, issues.list.params, filters),
    ...specialTests(call, filters),
  ]
  const rows = call.state.issues.filter((issue) => {
    const home = homes.get(issue.project_id)
    return home !== undefined && seesIssue(call, home, issue) && tests.every((test) => test(issue))
  })
  return lazily(sortRecords(rows, keysOf(call, order_by), sort), (issue) => {
    const home = homes.get(issue.project_id)
    if (home === undefined) throw notFound('Project')
    const view = from === undefined ? {} : { from }
    return presentIssue(call, home, issue, { ...view, labelDetails: filters.with_labels_details })
  })
}
