/** Records as a real instance sends them: whole projects of about 3.3 KB each. */

const features = [
  'packages',
  'container_registry',
  'jobs',
  'wiki',
  'issues',
  'merge_requests',
  'snippets',
  'service_desk',
  'auto_devops',
  'shared_runners',
  'autoclose_referenced_issues',
  'lfs',
  'request_access',
  'public_jobs',
  'ci_forward_deployment',
  'only_allow_merge_if_pipeline_succeeds',
  'only_allow_merge_if_all_discussions_are_resolved',
  'remove_source_branch_after_merge',
  'printing_merge_request_link',
  'restrict_user_defined_variables',
]

const links = ['self', 'issues', 'merge_requests', 'repo_branches']

const buildProject = (id: number): Record<string, unknown> => {
  const group = `group-${id % 97}`
  const path = `${group}/service-${id}`
  const web = `https://forge.example.com/${path}`
  return {
    id,
    description: `Service ${id} of ${group}: builds, tests and ships what its owners need.`,
    default_branch: 'main',
    visibility: id % 3 === 0 ? 'public' : 'private',
    ssh_url_to_repo: `git@forge.example.com:${path}.git`,
    http_url_to_repo: `${web}.git`,
    web_url: web,
    readme_url: `${web}/-/blob/main/README.md`,
    tag_list: ['service', 'platform', group],
    topics: ['service', 'platform', group],
    owner: { id: id % 211, name: `Owner ${id % 211}`, created_at: '2019-04-02T09:12:33.000Z' },
    name: `Service ${id} — größer, 大きい`,
    name_with_namespace: `Group ${id % 97} / Service ${id}`,
    path: `service-${id}`,
    path_with_namespace: path,
    created_at: '2020-09-30T13:46:02.000Z',
    last_activity_at: '2023-01-17T08:24:51.000Z',
    creator_id: id % 211,
    forks_count: id % 7,
    star_count: id % 31,
    open_issues_count: id % 13,
    avatar_url: `https://forge.example.com/uploads/-/project/avatar/${id}/avatar.png`,
    namespace: {
      id: id % 97,
      name: `Group ${id % 97}`,
      path: group,
      kind: 'group',
      full_path: group,
    },
    ...Object.fromEntries(features.map((name, i) => [`${name}_enabled`, (id + i) % 2 === 0])),
    ...Object.fromEntries(features.map((name) => [`${name}_access_level`, 'enabled'])),
    statistics: {
      commit_count: id * 3,
      storage_size: id * 1_038_090,
      repository_size: id * 1_038_000,
      wiki_size: 0,
      lfs_objects_size: 0,
      job_artifacts_size: id * 90,
      packages_size: 0,
      snippets_size: 18_371,
    },
    permissions: {
      project_access: { access_level: 40, notification_level: 3 },
      group_access: null,
    },
    _links: Object.fromEntries(
      links.map((l) => [l, `https://forge.example.com/api/v4/projects/${id}/${l}`]),
    ),
    repository_storage: 'default',
    merge_method: 'merge',
    squash_option: 'default_on',
    mirror: false,
    import_status: 'none',
  }
}

/** Builds the body of one page of the list of projects. */
export const buildProjectPage = (page: number, perPage: number): Buffer =>
  Buffer.from(
    JSON.stringify(
      Array.from({ length: perPage }, (_, i) => buildProject((page - 1) * perPage + i + 1)),
    ),
  )

export const buildRunnerBody = (id: number, active: boolean): Buffer =>
  Buffer.from(
    JSON.stringify({
      id,
      description: `runner ${id}`,
      ip_address: '10.0.0.7',
      active,
      is_shared: true,
      runner_type: 'instance_type',
      name: 'runner',
      online: true,
      status: active ? 'online' : 'paused',
      architecture: 'amd64',
      platform: 'linux',
      revision: 'a987417a',
      version: '16.1.0',
      contacted_at: '2023-01-17T08:24:51.000Z',
      projects: [],
      tag_list: ['docker', 'linux'],
      access_level: 'not_protected',
      maximum_timeout: 3600,
    }),
  )
