/** Sample issues with milestones, labels, epics and iterations, and the events of the past. */
import { type EventRecord, emptyEvent } from '../state/people-and-projects.js'
import type { IssueRecord } from '../state/planning.js'
import type { State } from '../state/state.js'
import { getCommitCard } from './histories.js'
import { ago, dayAgo } from './origin.js'
import { getUserId, type Username } from './people.js'

// What people did before the instance was first started, some of it long ago.

type Past = Omit<EventRecord, 'id'>

const pushes = (): Past[] =>
  (
    [
      [1, 'start', null, 'created', 400, 2],
      [1, 'build', 'start', 'pushed', 360, 3],
      [1, 'v1', 'guide', 'pushed', 200, 3],
      [1, 'retry', 'limits', 'pushed', 60, 3],
      [1, 'head', 'merge', 'pushed', 10, 2],
      [6, 'head', 'ci', 'pushed', 46, 4],
    ] as const
  ).map(([project, to, from, action, days, author_id]) => ({
    ...emptyEvent,
    project_id: project,
    author_id,
    created_at: ago(days),
    action: 'pushed',
    push_data: {
      commit_count: 1,
      action,
      ref_type: 'branch',
      commit_from: from === null ? null : getCommitCard(project, from).id,
      commit_to: getCommitCard(project, to).id,
      ref: 'main',
      commit_title: getCommitCard(project, to).title,
    },
  }))

const planning = (state: State): Past[] => {
  const issues = state.issues.all().flatMap((issue): Past[] => {
    const about = {
      ...emptyEvent,
      project_id: issue.project_id,
      target_type: 'Issue',
      target_id: issue.id,
      target_iid: issue.iid,
      target_title: issue.title,
    }
    const opened: Past = {
      ...about,
      action: 'created',
      author_id: issue.author_id,
      created_at: issue.created_at,
    }
    return issue.closed_at === null
      ? [opened]
      : [
          opened,
          {
            ...about,
            action: 'closed',
            author_id: issue.closed_by_id ?? issue.author_id,
            created_at: issue.closed_at,
          },
        ]
  })
  return [...issues, ...requests(state)]
}

const requests = (state: State): Past[] =>
  state.mergeRequests.all().flatMap((request): Past[] => {
    const about = {
      ...emptyEvent,
      project_id: request.project_id,
      target_type: 'MergeRequest',
      target_id: request.id,
      target_iid: request.iid,
      target_title: request.title,
    }
    const did = (action: Past['action'], author_id: number, created_at: string): Past => ({
      ...about,
      action,
      author_id,
      created_at,
    })
    return [
      did('created', request.author_id, request.created_at),
      ...request.approved_by_ids.map((id) => did('approved', id, request.updated_at)),
      ...(request.merged_at === null
        ? []
        : [did('merged', request.merged_by_id ?? request.author_id, request.merged_at)]),
      ...(request.closed_at === null
        ? []
        : [did('closed', request.closed_by_id ?? request.author_id, request.closed_at)]),
    ]
  })

const inApp = { ...emptyEvent, project_id: 1 }

const comings: readonly Past[] = [
  { ...inApp, action: 'joined', author_id: 4, created_at: ago(390) },
  { ...inApp, action: 'joined', author_id: 8, created_at: ago(380) },
  { ...emptyEvent, project_id: 4, action: 'left', author_id: 5, created_at: ago(31) },
  { ...emptyEvent, project_id: 7, action: 'expired', author_id: 7, created_at: ago(30) },
  // Older than three years: lists leave it out.
  { ...inApp, action: 'joined', author_id: 2, created_at: ago(1190) },
]

const works: readonly Past[] = [
  {
    ...inApp,
    action: 'created',
    author_id: 2,
    created_at: ago(675),
    target_type: 'Project',
    target_id: 1,
    target_title: 'App',
  },
  {
    ...inApp,
    action: 'created',
    author_id: 2,
    created_at: ago(250),
    target_type: 'Milestone',
    target_id: 1,
    target_iid: 1,
    target_title: '1.1',
  },
  {
    ...inApp,
    action: 'updated',
    author_id: 3,
    created_at: ago(77),
    target_type: 'WikiPage::Meta',
    target_id: 1,
    target_title: 'Home',
  },
]

const comment = (state: State): Past => {
  const note = state.notes.get(1)?.id ?? null
  return {
    ...inApp,
    action: 'commented',
    author_id: 4,
    created_at: ago(80),
    target_type: 'Note',
    target_id: note,
    target_iid: note,
    target_title: state.issues.get(1)?.title ?? null,
    note_id: note,
  }
}

/** In order of time, so that IDs grow with it. */
export const seedEvents = (state: State): void => {
  const past = [...pushes(), ...planning(state), ...comings, ...works, comment(state)]
  past.sort((a, b) => a.created_at.localeCompare(b.created_at))
  for (const event of past) state.events.add(event)
}

type Row = readonly [
  project: number,
  title: string,
  author: Username,
  days: number,
  extra?: Partial<IssueRecord>,
]

const closed = (days: number, who: Username): Partial<IssueRecord> => ({
  state: 'closed',
  closed_at: ago(days),
  closed_by_id: getUserId(who),
})

const rows: readonly Row[] = [
  [
    1,
    'Signing in takes too long',
    'dov',
    90,
    {
      description: 'Ten seconds on a good day.\n\n- [x] measure\n- [ ] fix\n- [ ] measure again',
      assignee_ids: [getUserId('chi')],
      labels: ['bug', 'backend'],
      milestone_id: 1,
      weight: 3,
      due_date: dayAgo(-5),
      reactions: [
        { user_id: 2, name: 'thumbsup' },
        { user_id: 3, name: 'thumbsup' },
        { user_id: 4, name: 'thumbsdown' },
      ],
      subscriber_ids: [2, 4, 5],
      time_estimate: 28_800,
      total_time_spent: 7_200,
    },
  ],
  [
    1,
    'People cannot sign out',
    'eva',
    60,
    { labels: ['bug'], milestone_id: 1, assignee_ids: [getUserId('chi')], epic_id: 1 },
  ],
  [1, 'Logs are hard to read', 'dov', 58, { labels: ['enhancement'], iteration_id: 1, weight: 1 }],
  [1, 'The port is open', 'ana', 120, { confidential: true, labels: ['security', 'bug'] }],
  [
    1,
    'Search by name',
    'chi',
    70,
    { ...closed(40, 'ben'), milestone_id: 2, labels: ['enhancement'] },
  ],
  [
    1,
    'Instance unreachable',
    'ben',
    20,
    {
      issue_type: 'incident',
      labels: ['incident'],
      assignee_ids: [getUserId('ana'), getUserId('ben')],
    },
  ],
  [1, 'Sign in, sign out, sign in again', 'chi', 15, { issue_type: 'test_case' }],
  [
    1,
    'Write the handbook',
    'ana',
    200,
    { milestone_id: 3, due_date: dayAgo(30), weight: 5, epic_id: 1 },
  ],
  [
    2,
    'Jobs wait for ever',
    'ben',
    45,
    { labels: ['bug'], assignee_ids: [getUserId('chi')], weight: 8 },
  ],
  [2, 'Use less memory', 'chi', 44, { due_date: dayAgo(-20), health_status: 'at_risk' }],
  [4, 'Colour on a dark background', 'dov', 33, { labels: ['enhancement'] }],
  [4, 'Help is too long', 'eva', 32, closed(12, 'ana')],
  [
    6,
    'The banner hides the menu',
    'eva',
    18,
    { labels: ['bug'], assignee_ids: [getUserId('eva')] },
  ],
  [6, 'A page for partners', 'ben', 17, { discussion_locked: true }],
  [10, 'Was never finished', 'dov', 500],
]

const labels: readonly (readonly [string, string, string | null, number | null])[] = [
  ['bug', '#d9534f', 'Something is wrong', 0],
  ['enhancement', '#5cb85c', 'Something could be better', 2],
  ['security', '#7f1d1d', null, 1],
  ['backend', '#428bca', null, null],
  ['incident', '#cc338b', 'The instance is in trouble', null],
]

const milestones = [
  { iid: 1, title: '1.1', state: 'active', start_date: dayAgo(60), due_date: dayAgo(-30) },
  { iid: 2, title: '1.0', state: 'closed', start_date: dayAgo(300), due_date: dayAgo(200) },
  { iid: 3, title: '2.0', state: 'active', start_date: dayAgo(-31), due_date: dayAgo(-3650) },
] as const

const seedAround = (state: State): void => {
  for (const [name, color, description, priority] of labels)
    for (const group_id of [1, 4])
      state.labels.add({
        project_id: null,
        group_id,
        name,
        color,
        text_color: '#FFFFFF',
        description,
        priority,
      })
  for (const milestone of milestones)
    state.milestones.add({
      ...milestone,
      project_id: 1,
      group_id: null,
      description: '',
      created_at: ago(250),
      updated_at: ago(30),
    })
  const epic = { group_id: 1, description: '', state: 'opened', author_id: 2 } as const
  state.epics.add({ iid: 1, title: 'Make signing in pleasant', created_at: ago(210), ...epic })
  state.iterations.add({
    group_id: 1,
    title: 'Autumn 1',
    start_date: dayAgo(14),
    due_date: dayAgo(0),
  })
  state.iterations.add({
    group_id: 1,
    title: 'Autumn 2',
    start_date: dayAgo(0),
    due_date: dayAgo(-14),
  })
}

const issue = (iid: number, [project_id, title, author, days, extra = {}]: Row) => ({
  iid,
  project_id,
  title,
  description: '',
  state: 'opened' as const,
  issue_type: 'issue' as const,
  author_id: getUserId(author),
  assignee_ids: [],
  milestone_id: null,
  iteration_id: null,
  epic_id: null,
  labels: [],
  created_at: ago(days),
  updated_at: ago(Math.min(days, 14)),
  closed_at: null,
  closed_by_id: null,
  moved_to_id: null,
  reactions: [],
  due_date: null,
  confidential: false,
  discussion_locked: null,
  weight: null,
  health_status: null,
  relative_position: iid * 500,
  time_estimate: 0,
  total_time_spent: 0,
  subscriber_ids: [getUserId(author)],
  ...structuredClone(extra),
})

export const seedIssues = (state: State): void => {
  seedAround(state)
  for (const row of rows) {
    const iid = state.issues.filter((i) => i.project_id === row[0]).length + 1
    state.issues.add(issue(iid, row))
  }
  const note = { system: false, confidential: false, resolvable: false }
  const at = { created_at: ago(80), updated_at: ago(80) }
  const on = { noteable_type: 'Issue', noteable_id: 1, noteable_iid: 1, project_id: 1 }
  state.notes.add({ ...on, author_id: 4, body: 'I am on it.', ...note, ...at })
  state.notes.add({ ...on, author_id: 5, body: 'Thank you!', ...note, ...at })
  state.todos.add({
    user_id: 4,
    author_id: 5,
    project_id: 1,
    action_name: 'assigned',
    target_type: 'Issue',
    target_id: 1,
    state: 'pending',
    created_at: ago(90),
  })
}
