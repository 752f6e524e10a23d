/** What people did before the instance was first started, some of it long ago. */
import type { EventRecord } from '../../state/people-and-projects.js'
import type { State } from '../../state/state.js'
import { ago } from '../origin.js'
import { getCommitCard } from '../repository/histories.js'

type Past = Omit<EventRecord, 'id'>

const bare = {
  group_id: null,
  target_type: null,
  target_id: null,
  target_iid: null,
  target_title: null,
  push_data: null,
  note_id: null,
}

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
    ...bare,
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
      ...bare,
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
      ...bare,
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

const inApp = { ...bare, project_id: 1 }

const comings: readonly Past[] = [
  { ...inApp, action: 'joined', author_id: 4, created_at: ago(390) },
  { ...inApp, action: 'joined', author_id: 8, created_at: ago(380) },
  { ...bare, project_id: 4, action: 'left', author_id: 5, created_at: ago(31) },
  { ...bare, project_id: 7, action: 'expired', author_id: 7, created_at: ago(30) },
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
