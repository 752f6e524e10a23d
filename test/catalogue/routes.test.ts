/** The routes of CI, planning and members, written down by hand, are what the catalogue has. */
import { describe, expect, it } from 'vitest'
import { areas } from '../../src/catalogue/index.js'

const project = '/projects/:id'
const issue = `${project}/issues/:issue_iid`
const mr = `${project}/merge_requests/:merge_request_iid`
const documented: Readonly<Record<string, readonly string[]>> = {
  runners: [
    'GET /runners',
    'GET /runners/all',
    'GET /runners/:id',
    'PUT /runners/:id',
    'GET /runners/:id/jobs',
    `GET ${project}/runners`,
    `POST ${project}/runners`,
    `DELETE ${project}/runners/:runner_id`,
    'GET /groups/:id/runners',
    'POST /runners',
  ],
  jobs: [
    `GET ${project}/jobs`,
    `GET ${project}/pipelines/:pipeline_id/jobs`,
    `GET ${project}/pipelines/:pipeline_id/bridges`,
    'GET /job',
    'GET /job/allowed_agents',
    `GET ${project}/jobs/:job_id`,
  ],
  artifacts: [
    `GET ${project}/jobs/:job_id/artifacts`,
    `GET ${project}/jobs/artifacts/:ref_name/download`,
    `GET ${project}/jobs/:job_id/artifacts/*artifact_path`,
    `GET ${project}/jobs/artifacts/:ref_name/raw/*artifact_path`,
    `POST ${project}/jobs/:job_id/artifacts/keep`,
    `DELETE ${project}/jobs/:job_id/artifacts`,
  ],
  'resource-groups': [`GET ${project}/resource_groups/:key`, `PUT ${project}/resource_groups/:key`],
  ci: ['POST /ci/lint', `POST ${project}/ci/lint`, `GET ${project}/ci/lint`],
  commits: [
    `GET ${project}/repository/commits`,
    `POST ${project}/repository/commits`,
    `GET ${project}/repository/commits/:sha`,
    `GET ${project}/repository/commits/:sha/refs`,
    `POST ${project}/repository/commits/:sha/cherry_pick`,
    `POST ${project}/repository/commits/:sha/revert`,
    `GET ${project}/repository/commits/:sha/diff`,
  ],
  issues: [
    'GET /issues',
    'GET /groups/:id/issues',
    `POST ${issue}/unsubscribe`,
    `POST ${issue}/todo`,
    `POST ${issue}/notes`,
    `POST ${issue}/time_estimate`,
    `POST ${issue}/reset_time_estimate`,
    `POST ${issue}/add_spent_time`,
    `POST ${issue}/reset_spent_time`,
    `GET ${issue}/time_stats`,
    `GET ${issue}/related_merge_requests`,
  ],
  mr: [
    'GET /merge_requests',
    `GET ${project}/merge_requests`,
    `GET ${mr}`,
    `PUT ${mr}/rebase`,
    `POST ${mr}/cancel_merge_when_pipeline_succeeds`,
    `GET ${mr}/closes_issues`,
    `POST ${mr}/subscribe`,
    `POST ${mr}/unsubscribe`,
  ],
  approvals: [
    `GET ${project}/approvals`,
    `POST ${project}/approvals`,
    `GET ${project}/approval_rules`,
    `GET ${project}/approval_rules/:approval_rule_id`,
    `POST ${project}/approval_rules`,
    `PUT ${project}/approval_rules/:approval_rule_id`,
    `DELETE ${project}/approval_rules/:approval_rule_id`,
    `GET ${mr}/approvals`,
    `POST ${mr}/approvals`,
    `GET ${mr}/approval_state`,
  ],
  members: [
    ...['/groups/:id', project].flatMap((scope) => [
      `GET ${scope}/members`,
      `GET ${scope}/members/all`,
      `GET ${scope}/members/:user_id`,
      `GET ${scope}/members/all/:user_id`,
      `POST ${scope}/members`,
      `PUT ${scope}/members/:user_id`,
      `DELETE ${scope}/members/:user_id`,
    ]),
    'GET /groups/:id/billable_members',
    'GET /groups/:id/billable_members/:user_id/memberships',
    'DELETE /groups/:id/billable_members/:user_id',
  ],
  events: ['GET /events', 'GET /users/:id/events', 'GET /projects/:project_id/events'],
}

describe('routes written by hand', () => {
  it('has 80 endpoints, and three that it implies', () => {
    expect(Object.values(documented).flat()).toHaveLength(83)
  })

  it.each(Object.entries(documented))('%s has the documented routes', async (area, routes) => {
    const row = areas.find(({ name }) => name === area)
    const endpoints = Object.values((await row?.load()) ?? {})
    expect(endpoints.map(({ route }) => route).sort()).toEqual([...routes].sort())
  })

  it('implies reading one merge request, and removing direct members', async () => {
    const loaded = await Promise.all(
      areas.filter(({ name }) => name in documented).map(({ load }) => load()),
    )
    const implied = loaded.flatMap((e) => Object.values(e)).filter((e) => e.implied === true)
    expect(implied.map(({ route }) => route)).toEqual([
      `GET ${mr}`,
      'DELETE /groups/:id/members/:user_id',
      `DELETE ${project}/members/:user_id`,
    ])
  })
})
