/** The example of the issue, whole. */
import { expect, it } from 'vitest'
import { getWanted, readText } from './reading.js'

const example = `instance: https://svc.example
defaults:
  projects:
    approvals: { reset_approvals_on_push: true }
groups:
  platform:
    members:
      ana: { access_level: owner }
      chi: { access_level: maintainer, expires_at: 2027-06-30 }
  platform/**:
    projects:
      approval_rules:
        Security: { approvals_required: 1, user_ids: [ana, ben] }
projects:
  platform/app:
    approval_rules:
      $exact: true
      Security: { approvals_required: 2 }
      Old rule: null
      Release: { approvals_required: 1, group_ids: [platform/core], previously: [Ship it] }
    integrations:
      emails-on-push: { recipients: 'team@example.test' }
      chat: { webhook: env:CHAT_WEBHOOK, family: chat-webhook }
site:
  settings: { default_project_visibility: internal, domain_allowlist: [example.com] }
  geo_nodes: { south: { files_max_capacity: 20, selective_sync_namespace_ids: [platform] } }
  runners:
    - match: { runner_type: instance_type, description: 'shared-*' }
      set: { run_untagged: true, maximum_timeout: 3600 }
`

it('reads the example as it is meant', async () => {
  const state = await readText(example)
  expect(state.instance?.value).toBe('https://svc.example')
  expect(state.reach).toMatchObject({
    groups: ['platform'],
    projects: ['platform/app'],
    below: ['platform'],
    membersBelow: [],
  })
  expect(getWanted(state)).toEqual({
    'site:settings': {
      '': { default_project_visibility: 'internal', domain_allowlist: ['example.com'] },
    },
    'site:geo_nodes': {
      south: { files_max_capacity: 20, selective_sync_namespace_ids: ['platform'] },
    },
    'site:runners': {
      '{"description":"shared-*","runner_type":"instance_type"}': {
        run_untagged: true,
        maximum_timeout: 3600,
      },
    },
    'platform:members': {
      ana: { access_level: 50 },
      chi: { access_level: 40, expires_at: '2027-06-30' },
    },
    'platform/app:approvals': { '': { reset_approvals_on_push: true } },
    'platform/app:approval_rules': {
      $exact: true,
      Security: { approvals_required: 2, user_ids: ['ana', 'ben'] },
      'Old rule': null,
      Release: { approvals_required: 1, group_ids: ['platform/core'] },
    },
    'platform/app:integrations': {
      'emails-on-push': { recipients: 'team@example.test' },
      chat: { webhook: { env: 'CHAT_WEBHOOK' } },
    },
    'platform/core/db:approvals': { '': { reset_approvals_on_push: true } },
    'platform/core/db:approval_rules': {
      Security: { approvals_required: 1, user_ids: ['ana', 'ben'] },
    },
  })
})
