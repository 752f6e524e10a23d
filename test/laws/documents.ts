/** The 129 endpoints that the API is documented with, copied by hand: the last word on what the catalogue has. */
export const documented = `
GET /runners
GET /runners/all
GET /runners/:id
PUT /runners/:id
GET /runners/:id/jobs
GET /projects/:id/runners
POST /projects/:id/runners
DELETE /projects/:id/runners/:runner_id
GET /groups/:id/runners
POST /runners
GET /projects/:id/jobs
GET /projects/:id/pipelines/:pipeline_id/jobs
GET /projects/:id/pipelines/:pipeline_id/bridges
GET /job
GET /job/allowed_agents
GET /projects/:id/jobs/:job_id
GET /projects/:id/jobs/:job_id/artifacts
GET /projects/:id/jobs/artifacts/:ref_name/download
GET /projects/:id/jobs/:job_id/artifacts/*artifact_path
GET /projects/:id/jobs/artifacts/:ref_name/raw/*artifact_path
POST /projects/:id/jobs/:job_id/artifacts/keep
DELETE /projects/:id/jobs/:job_id/artifacts
GET /projects/:id/resource_groups/:key
PUT /projects/:id/resource_groups/:key
POST /ci/lint
POST /projects/:id/ci/lint
GET /projects/:id/ci/lint
GET /projects/:id/repository/commits
POST /projects/:id/repository/commits
GET /projects/:id/repository/commits/:sha
GET /projects/:id/repository/commits/:sha/refs
POST /projects/:id/repository/commits/:sha/cherry_pick
POST /projects/:id/repository/commits/:sha/revert
GET /projects/:id/repository/commits/:sha/diff
GET /issues
GET /groups/:id/issues
POST /projects/:id/issues/:issue_iid/unsubscribe
POST /projects/:id/issues/:issue_iid/todo
POST /projects/:id/issues/:issue_iid/notes
POST /projects/:id/issues/:issue_iid/time_estimate
POST /projects/:id/issues/:issue_iid/reset_time_estimate
POST /projects/:id/issues/:issue_iid/add_spent_time
POST /projects/:id/issues/:issue_iid/reset_spent_time
GET /projects/:id/issues/:issue_iid/time_stats
GET /projects/:id/issues/:issue_iid/related_merge_requests
GET /merge_requests
GET /projects/:id/merge_requests
POST /projects/:id/merge_requests/:merge_request_iid/cancel_merge_when_pipeline_succeeds
PUT /projects/:id/merge_requests/:merge_request_iid/rebase
GET /projects/:id/merge_requests/:merge_request_iid/closes_issues
POST /projects/:id/merge_requests/:merge_request_iid/subscribe
POST /projects/:id/merge_requests/:merge_request_iid/unsubscribe
GET /projects/:id/approvals
POST /projects/:id/approvals
GET /projects/:id/approval_rules
GET /projects/:id/approval_rules/:approval_rule_id
POST /projects/:id/approval_rules
PUT /projects/:id/approval_rules/:approval_rule_id
DELETE /projects/:id/approval_rules/:approval_rule_id
GET /projects/:id/merge_requests/:merge_request_iid/approvals
POST /projects/:id/merge_requests/:merge_request_iid/approvals
GET /projects/:id/merge_requests/:merge_request_iid/approval_state
GET /groups/:id/members
GET /projects/:id/members
GET /groups/:id/members/all
GET /projects/:id/members/all
GET /groups/:id/members/:user_id
GET /projects/:id/members/:user_id
GET /groups/:id/members/all/:user_id
GET /projects/:id/members/all/:user_id
GET /groups/:id/billable_members
GET /groups/:id/billable_members/:user_id/memberships
DELETE /groups/:id/billable_members/:user_id
POST /groups/:id/members
POST /projects/:id/members
PUT /groups/:id/members/:user_id
PUT /projects/:id/members/:user_id
GET /events
GET /users/:id/events
GET /projects/:project_id/events
GET /projects
GET /users/:user_id/projects
GET /projects/:id/integrations
PUT /projects/:id/integrations/:slug
GET /projects/:id/integrations/:slug
DELETE /projects/:id/integrations/:slug
GET /projects/:id/services
PUT /projects/:id/services/:slug
GET /projects/:id/services/:slug
DELETE /projects/:id/services/:slug
POST <alert_endpoint_url>
GET /application/settings
PUT /application/settings
GET /deploy_keys
GET /projects/:id/deploy_keys
GET /projects/:id/deploy_keys/:key_id
POST /projects/:id/deploy_keys
PUT /projects/:id/deploy_keys/:key_id
DELETE /projects/:id/deploy_keys/:key_id
POST /projects/:id/deploy_keys/:key_id/enable
GET /pages/domains
GET /projects/:id/pages/domains
GET /projects/:id/pages/domains/:domain
POST /projects/:id/pages/domains
PUT /projects/:id/pages/domains/:domain
DELETE /projects/:id/pages/domains/:domain
GET /projects/:id/vulnerabilities
POST /projects/:id/vulnerabilities
GET /vulnerabilities/:id
POST /vulnerabilities/:id/confirm
POST /vulnerabilities/:id/resolve
POST /vulnerabilities/:id/dismiss
POST /vulnerabilities/:id/revert
GET /projects/:id/dependencies
POST /geo_nodes
GET /geo_nodes
GET /geo_nodes/:id
PUT /geo_nodes/:id
DELETE /geo_nodes/:id
POST /geo_nodes/:id/repair
GET /geo_nodes/status
GET /projects/:id/error_tracking/settings
PATCH /projects/:id/error_tracking/settings
GET /projects/:id/error_tracking/client_keys
POST /projects/:id/error_tracking/client_keys
DELETE /projects/:id/error_tracking/client_keys/:key_id
POST /project_repository_storage_moves
POST /snippet_repository_storage_moves
POST /group_repository_storage_moves
`
  .trim()
  .split('\n')

/** Not shown by the documents, implied by them. */
export const implied = [
  'GET /projects/:id',
  'GET /projects/:id/merge_requests/:merge_request_iid',
  'DELETE /groups/:id/members/:user_id',
  'DELETE /projects/:id/members/:user_id',
]

/** The commands that there are to be, by name. */
export const named = `
runners list|get|update|pause|resume|jobs|enable|disable|register
jobs list|bridges|get|current|agents
artifacts download|file|keep|delete
resource-groups get|update
ci lint
commits list|get|refs|create|cherry-pick|revert|diff
issues list|unsubscribe|todo|related-mrs|promote|time-stats|estimate|reset-estimate|spend|reset-spent
mr list|get|rebase|cancel-auto-merge|closes-issues|subscribe|unsubscribe
approvals get|update|rules list|rules create|rules get|rules update|rules delete|mr get|mr update|mr state
members list|get|add|update|remove|billable list|billable memberships|billable remove
events list
projects list|get
integrations list|get|update|delete
alerts send
settings get|update
deploy-keys list|add|get|update|delete|enable
pages-domains list|get|add|update|delete
vulnerabilities list|create|get|confirm|resolve|dismiss|revert
dependencies list
geo nodes list|nodes create|nodes get|nodes update|nodes delete|nodes repair|status
error-tracking get|update|keys list|keys create|keys delete
storage-move schedule
auth login|status|logout|switch
profile list|get|set|delete
api
completion
explain
commands
sandbox serve|reset|status
doctor
`
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [area = '', ...rest] = line.split(' ')
    const verbs = rest.join(' ').split('|')
    return verbs.map((verb) => (verb === '' ? area : `${area} ${verb}`))
  })
