/** The lists of issues: which of them, in what order (`catalogue/reference/issues.md`). */
import type { issues } from '../../catalogue/areas/issues.js'
import type { CheckedOf } from '../../catalogue/inferred.js'
import type { Call } from '../call.js'
import { type Lazy, lazily, notFound, unauthorized } from '../reply.js'
import {
  except,
  type FilterTest,
  getUsernames,
  inScope,
  inTime,
  labelled,
  labelsAround,
  matchesWildcard,
  mentionsText,
  milestoneIs,
  milestoneTitles,
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

type Wildcard = 'None' | 'Any'
const single = <V>(value: V | null): V[] => (value === null ? [] : [value])

/** How each filter that may also be negated matches one value. */
const testsOf = (call: Call) => ({
  assignee_id: (v: number | Wildcard, i: IssueRecord) => matchesWildcard(v, i.assignee_ids),
  assignee_username: (v: string, i: IssueRecord) => getUsernames(call, i.assignee_ids).includes(v),
  author_id: (v: number, i: IssueRecord) => i.author_id === v,
  author_username: (v: string, i: IssueRecord) => getUsernames(call, [i.author_id]).includes(v),
  iids: (v: number, i: IssueRecord) => i.iid === v,
  iteration_id: (v: number | Wildcard, i: IssueRecord) =>
    matchesWildcard(v, single(i.iteration_id)),
  iteration_title: (v: string, i: IssueRecord) =>
    call.state.iterations.get(i.iteration_id)?.title === v,
  labels: (v: readonly string[] | Wildcard, i: IssueRecord) => labelled(v, i.labels),
  milestone: (v: string, i: IssueRecord) => matchesWildcard(v, milestoneTitles(call, i)),
  milestone_id: (v: string, i: IssueRecord) => milestoneIs(call, v, i),
  weight: (v: number | Wildcard, i: IssueRecord) => matchesWildcard(v, single(i.weight)),
})

const negated = (call: Call, not: NonNullable<IssueFilters['not']>): FilterTest<IssueRecord>[] => {
  const tests = testsOf(call)
  return [
    except(not.assignee_id, tests.assignee_id),
    except(not.assignee_username, tests.assignee_username),
    except(not.author_id, tests.author_id),
    except(not.author_username, tests.author_username),
    except(not.iids, tests.iids),
    except(not.iteration_id, tests.iteration_id),
    except(not.iteration_title, tests.iteration_title),
    except(not.labels, (label: string, issue: IssueRecord) => labelled([label], issue.labels)),
    except(not.milestone, tests.milestone),
    except(not.milestone_id, tests.milestone_id),
    except(not.weight, tests.weight),
  ]
}

const asked = (call: Call, f: IssueFilters): FilterTest<IssueRecord>[] => {
  const tests = testsOf(call)
  return [
    testWhere(f.assignee_id, tests.assignee_id),
    testWhere(f.assignee_username, (names, i: IssueRecord) =>
      names.every((name) => tests.assignee_username(name, i)),
    ),
    testWhere(f.author_id, tests.author_id),
    testWhere(f.author_username, tests.author_username),
    testWhere(f.confidential, (v, i: IssueRecord) => i.confidential === v),
    testWhere(f.due_date, (v, i: IssueRecord) => due(call, v, i.due_date)),
    testWhere(f.iids, (v, i: IssueRecord) => v.length === 0 || v.includes(i.iid)),
    testWhere(f.issue_type, (v, i: IssueRecord) => i.issue_type === v),
    testWhere(f.iteration_id, tests.iteration_id),
    testWhere(f.iteration_title, tests.iteration_title),
    testWhere(f.labels, tests.labels),
    testWhere(f.milestone, tests.milestone),
    testWhere(f.milestone_id, tests.milestone_id),
    testWhere(f.my_reaction_emoji, (v, i: IssueRecord) =>
      matchesWildcard(v, ownReactions(call, i)),
    ),
    testWhere(f.state, (v, i: IssueRecord) => v === 'all' || i.state === v),
    testWhere(f.weight, tests.weight),
    (issue) => mentionsText(f.search, f.in, issue) && inTime(f, issue),
    (issue) => inScope(call, f.scope, issue),
    ...negated(call, f.not ?? {}),
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
  const tests = asked(call, filters)
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
