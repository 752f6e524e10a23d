/** Integrations of projects. */
import type { State } from '../../state/state.js'
import { ago } from '../origin.js'

export const seedIntegrations = (state: State): void => {
  const times = { created_at: ago(180), updated_at: ago(30) }
  state.integrations.add({
    project_id: 1,
    slug: 'emails-on-push',
    title: 'Emails on push',
    active: true,
    ...times,
    properties: {
      recipients: 'team@example.test',
      disable_diffs: false,
      send_from_committer_email: true,
      branches_to_be_notified: 'all',
      push_events: true,
      tag_push_events: true,
    },
  })
  state.integrations.add({
    project_id: 8,
    slug: 'custom-issue-tracker',
    title: 'Custom issue tracker',
    active: true,
    ...times,
    properties: {
      new_issue_url: 'https://tracker.example.test/new',
      issues_url: 'https://tracker.example.test/:id',
      project_url: 'https://tracker.example.test',
      push_events: true,
    },
  })
}
