/** The defaults of the documents, held against them: what an instance does where nothing is said. */
export const documentedDefaults: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'GET /runners/:id/jobs': {
    sort: 'desc',
  },
  'GET /projects/:id/pipelines/:pipeline_id/jobs': {
    include_retried: false,
  },
  'POST /projects/:id/ci/lint': {
    dry_run: false,
  },
  'GET /projects/:id/ci/lint': {
    dry_run: false,
  },
  'GET /projects/:id/repository/commits': {
    order: 'default',
  },
  'POST /projects/:id/repository/commits': {
    stats: true,
  },
  'GET /projects/:id/repository/commits/:sha': {
    stats: true,
  },
  'GET /projects/:id/repository/commits/:sha/refs': {
    type: 'all',
    page: 1,
    per_page: 20,
  },
  'POST /projects/:id/repository/commits/:sha/cherry_pick': {
    dry_run: false,
  },
  'POST /projects/:id/repository/commits/:sha/revert': {
    dry_run: false,
  },
  'GET /issues': {
    in: 'title,description',
    non_archived: true,
    order_by: 'created_at',
    scope: 'created_by_me',
    sort: 'desc',
    with_labels_details: false,
  },
  'GET /groups/:id/issues': {
    in: 'title,description',
    non_archived: true,
    order_by: 'created_at',
    scope: 'all',
    sort: 'desc',
    with_labels_details: false,
  },
  'GET /merge_requests': {
    order_by: 'created_at',
    sort: 'desc',
    with_labels_details: false,
    with_merge_status_recheck: false,
    scope: 'created_by_me',
    in: 'title,description',
  },
  'GET /projects/:id/merge_requests': {
    order_by: 'created_at',
    sort: 'desc',
    with_labels_details: false,
    with_merge_status_recheck: false,
    scope: 'all',
    in: 'title,description',
  },
  'POST /projects/:id/approval_rules': {
    rule_type: 'regular',
  },
  'GET /events': {
    sort: 'desc',
  },
  'GET /users/:id/events': {
    sort: 'desc',
    page: 1,
    per_page: 20,
  },
  'GET /projects/:project_id/events': {
    sort: 'desc',
  },
  'GET /projects': {
    order_by: 'created_at',
    search_namespaces: false,
    sort: 'desc',
  },
  'GET /users/:user_id/projects': {
    order_by: 'created_at',
  },
  'PUT /projects/:id/integrations/:slug': {
    branches_to_be_notified: 'default',
  },
  'PUT /projects/:id/services/:slug': {
    branches_to_be_notified: 'default',
  },
  'POST <alert_endpoint_url>': {
    title: 'New: Alert',
    severity: 'critical',
  },
  'PUT /application/settings': {
    default_branch_protection: 2,
    default_group_visibility: 'private',
    default_project_visibility: 'private',
    default_projects_limit: 100000,
    default_snippet_visibility: 'private',
    delayed_project_deletion: false,
    dsa_key_restriction: 0,
    ecdsa_key_restriction: 0,
    ed25519_key_restriction: 0,
  },
  'POST /geo_nodes': {
    primary: false,
    enabled: true,
    files_max_capacity: 10,
    repos_max_capacity: 25,
    verification_max_capacity: 100,
    container_repositories_max_capacity: 10,
    sync_object_storage: false,
  },
}
