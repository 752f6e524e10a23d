/** The answers of the benchmark's instance about everything that files can declare of a project. */

const users = ['ana', 'ben', 'chi', 'dov'].map((username, i) => ({
  id: i + 2,
  username,
  name: `User ${username}`,
  state: 'active',
  avatar_url: `https://forge.example.com/uploads/-/user/avatar/${i + 2}/avatar.png`,
  web_url: `https://forge.example.com/${username}`,
}))

const buildMember = (id: number, i: number) => ({
  ...users[(id + i) % users.length],
  access_level: 30,
  expires_at: null,
  created_at: '2020-09-30T13:46:02.000Z',
})

const buildRule = (id: number, name: string) => ({
  id: id * 10 + name.length,
  name,
  rule_type: 'regular',
  eligible_approvers: users.slice(0, 2),
  approvals_required: 1,
  users: users.slice(0, 2),
  groups: [],
  protected_branches: [{ id, name: 'main' }],
  contains_hidden_groups: false,
})

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN3FXXtqJIUKP2hbkPRAQMoMBUjsUnWWb7lHxS9H40mA ci'

const projectAnswers: Readonly<Record<string, (id: number, rules: number) => unknown>> = {
  members: (id) => [buildMember(id, 0), buildMember(id, 1)],
  approvals: () => ({
    reset_approvals_on_push: true,
    disable_overriding_approvers_per_merge_request: false,
    merge_requests_author_approval: false,
    merge_requests_disable_committers_approval: false,
    require_password_to_approve: false,
  }),
  approval_rules: (id, rules) =>
    rules === 0
      ? [buildRule(id, 'Security'), buildRule(id, 'Release')]
      : Array.from({ length: rules }, (_, i) => ({
          ...buildRule(id, `Rule ${i}`),
          id: id * 1000 + i,
        })),
  deploy_keys: (id) => [
    { id, title: 'deploy', key, created_at: '2020-09-30T13:46:02.000Z', can_push: false },
  ],
  integrations: () => [],
  'pages/domains': () => [],
  'error_tracking/settings': () => ({ active: true, integrated: false, project_name: 'x' }),
  runners: () => [],
  resource_groups: () => [],
}

const instanceAnswers: Readonly<Record<string, unknown>> = {
  user: users[0],
  groups: [],
  deploy_keys: [],
  'pages/domains': [],
  'runners/all': [],
  runners: [],
}

/**
 * Finds the answer to a GET request about declared state. Returns undefined if the path is about something else.
 * @param rules number of rules of each project, named `Rule 0` and so on; with 0 it has two rules of other names
 */
export const findDeclared = (path: string, rules: number): unknown => {
  if (Object.hasOwn(instanceAnswers, path)) return instanceAnswers[path]
  if (/^groups\/\d+\/members$/.test(path)) return []
  const [, project = '', what = ''] = /^projects\/([^/]+)(?:\/(.+))?$/.exec(path) ?? []
  const id = Number(/(\d+)$/.exec(project)?.[1])
  if (project === '' || Number.isNaN(id)) return undefined
  if (what !== '') return projectAnswers[what]?.(id, rules)
  const path_with_namespace = decodeURIComponent(project)
  const full_path = path_with_namespace.split('/')[0]
  return {
    id,
    path_with_namespace,
    archived: false,
    namespace: { id: 1, kind: 'group', full_path },
  }
}
