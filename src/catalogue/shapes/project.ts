/** Declares the shapes of projects: a simple form, which lists may return, and a full form. */

import {
  AccessLevel,
  ArrayOf,
  Bool,
  Day,
  deprecated,
  Int,
  maybe,
  nullable,
  Obj,
  OpenEnum,
  OrderedEnum,
  Secret,
  Str,
  Timestamp,
  Unknown,
} from './common.js'

export const visibilities = ['private', 'internal', 'public'] as const
const mergeMethods = ['merge', 'rebase_merge', 'ff'] as const

/** The fields of the simple form. */
const simple = {
  id: Int(),
  description: nullable(Str()),
  default_branch: nullable(Str()),
  ssh_url_to_repo: Str(),
  http_url_to_repo: Str(),
  web_url: Str(),
  readme_url: nullable(Str()),
  tag_list: maybe(ArrayOf(Str(), deprecated('topics'))),
  topics: ArrayOf(Str()),
  name: Str(),
  name_with_namespace: Str(),
  path: Str(),
  path_with_namespace: Str(),
  created_at: Timestamp,
  last_activity_at: Timestamp,
  forks_count: Int(),
  avatar_url: nullable(Str()),
  star_count: Int(),
}

const Access = Obj(
  { access_level: AccessLevel, notification_level: Int() },
  { title: 'Project access' },
)

/** Settings that turn features of a project on and off. */
const features = {
  issues_enabled: maybe(Bool()),
  merge_requests_enabled: maybe(Bool()),
  jobs_enabled: maybe(Bool()),
  wiki_enabled: maybe(Bool()),
  snippets_enabled: maybe(Bool()),
  container_registry_enabled: maybe(Bool(deprecated('container_registry_access_level'))),
  container_registry_access_level: maybe(OpenEnum(['disabled'])),
  container_registry_image_prefix: maybe(Str()),
  packages_enabled: maybe(Bool()),
  service_desk_enabled: maybe(Bool()),
  service_desk_address: maybe(nullable(Str())),
}

/** Settings for merge requests. */
const merging = {
  can_create_merge_request_in: maybe(Bool()),
  resolve_outdated_diff_discussions: maybe(Bool()),
  only_allow_merge_if_pipeline_succeeds: maybe(Bool()),
  allow_merge_on_skipped_pipeline: maybe(nullable(Bool())),
  only_allow_merge_if_all_discussions_are_resolved: maybe(Bool()),
  remove_source_branch_after_merge: maybe(Bool()),
  merge_method: maybe(OpenEnum(mergeMethods)),
  squash_option: maybe(OpenEnum(['default_on'])),
  suggestion_commit_message: maybe(nullable(Str())),
  approvals_before_merge: maybe(Int({ description: 'PREMIUM' })),
  autoclose_referenced_issues: maybe(Bool()),
}

/** Settings for CI. */
const ci = {
  shared_runners_enabled: maybe(Bool()),
  runners_token: maybe(Secret),
  ci_default_git_depth: maybe(nullable(Int())),
  ci_forward_deployment_enabled: maybe(Bool()),
  public_jobs: maybe(Bool()),
  restrict_user_defined_variables: maybe(Bool()),
  auto_devops_enabled: maybe(Bool()),
  auto_devops_deploy_strategy: maybe(OpenEnum(['continuous'])),
}

/** Settings of a mirror of another repository. */
const mirroring = {
  mirror: maybe(Bool()),
  mirror_user_id: maybe(Int()),
  mirror_trigger_builds: maybe(Bool()),
  only_mirror_protected_branches: maybe(Bool()),
  mirror_overwrites_diverged_branches: maybe(Bool()),
}

const ProjectStatistics = Obj(
  {
    commit_count: Int(),
    storage_size: Int({ description: 'bytes, as all sizes here' }),
    repository_size: Int(),
    wiki_size: Int(),
    lfs_objects_size: Int(),
    job_artifacts_size: Int(),
    packages_size: Int(),
    snippets_size: Int(),
  },
  { title: 'Project statistics' },
)

export const SimpleProject = Obj(simple, { title: 'Simple project' })
/** The full form of a project. The simple form has only the fields of `simple`. */
export const Project = Obj(
  {
    ...simple,
    visibility: maybe(OrderedEnum(visibilities)),
    owner: maybe(Obj({ id: Int(), name: Str(), created_at: Timestamp })),
    open_issues_count: maybe(Int()),
    creator_id: maybe(Int()),
    namespace: maybe(
      Obj({
        id: Int(),
        name: Str(),
        path: Str(),
        kind: OpenEnum(['group', 'user']),
        full_path: Str(),
      }),
    ),
    import_status: maybe(OpenEnum(['none'])),
    import_error: maybe(nullable(Str())),
    permissions: maybe(Obj({ project_access: nullable(Access), group_access: nullable(Access) })),
    archived: maybe(Bool()),
    shared_with_groups: maybe(ArrayOf(Unknown())),
    request_access_enabled: maybe(Bool()),
    marked_for_deletion_at: maybe(nullable(Day, deprecated('marked_for_deletion_on'))),
    marked_for_deletion_on: maybe(nullable(Day)),
    statistics: maybe(ProjectStatistics),
    custom_attributes: maybe(
      ArrayOf(Obj({ key: Str(), value: Str() }), {
        description: 'with with_custom_attributes, to administrators',
      }),
    ),
    _links: maybe(
      Obj({
        self: Str(),
        issues: maybe(Str()),
        merge_requests: maybe(Str()),
        repo_branches: Str(),
        labels: Str(),
        events: Str(),
        members: Str(),
      }),
    ),
    repository_storage: maybe(Str({ description: 'shown to administrators' })),
    external_authorization_classification_label: maybe(nullable(Str())),
    ...features,
    ...merging,
    ...ci,
    ...mirroring,
  },
  { title: 'Project' },
)
