/**
 * Suggests the intended path if a person typed the slashes of a name without encoding: `projects/group/name` means `projects/group%2Fname`.
 * Paths of endpoints are always encoded.
 */

/** The path segments that may follow a project or group, including undocumented ones; its name ends before them. */
const subresources = new Set(
  [
    'access_requests access_tokens alert_management_alerts approval_rules approval_settings',
    'approvals archive audit_events avatar badges billable_members boards ci clusters',
    'custom_attributes dependencies deploy_keys deploy_tokens deployments descendant_groups',
    'environments epics error_tracking events export feature_flags fork forks freeze_periods',
    'hooks housekeeping import integrations invitations issues issues_statistics iterations',
    'job jobs jobs_artifacts labels languages ldap_group_links members merge_request',
    'merge_requests merge_trains milestones packages pages pipeline pipeline_schedules',
    'pipelines projects protected_branches protected_environments protected_tags push_rule',
    'registry releases remote_mirrors repository repository_storage_moves resource_groups',
    'restore runners saml_group_links search services share snippets star starrers statistics',
    'storage subgroups templates terraform transfer transfer_locations triggers unarchive',
    'unstar uploads users variables vulnerabilities vulnerability_findings wikis',
  ].flatMap((row) => row.split(' ')),
)

/** Names of branches, tags, files and the like, which may have slashes of their own, and the words that may follow them. */
const nestedName =
  /^((?:repository\/(?:branches|commits|files|tags)|labels|protected_branches|protected_tags|wikis)\/)(.+?)(\/(?:blame|cherry_pick|comments|diff|discussions|merge_requests|promote|protect|raw|refs|release|revert|signature|statuses|unprotect))?$/

const joinEncoded = (parts: readonly string[]): string => parts.join('%2F')

const encodeName = (rest: string): string => {
  const [, lead, name, end = ''] = nestedName.exec(rest) ?? []
  return lead === undefined || name === undefined
    ? rest
    : `${lead}${joinEncoded(name.split('/'))}${end}`
}

/** Returns a path with the slashes of its names encoded; undefined if there are none to encode. */
export const encodeSlashes = (path: string): string | undefined => {
  const [plain = '', query] = path.split('?')
  const [root = '', ...parts] = plain.split('/').filter((part) => part !== '')
  if (!['groups', 'namespaces', 'projects'].includes(root)) return undefined
  const found = parts.findIndex((part, i) => i > 0 && subresources.has(part))
  const end = found < 0 ? parts.length : found
  const owner = parts.slice(0, end)
  // A number, or a path that is encoded already, is a whole name, so the parts after it are not part of the name.
  if (
    owner.length > 1 &&
    owner.some((part, i) => /%2F/i.test(part) || (i === 0 && /^\d+$/.test(part)))
  )
    return undefined
  const segments = [root, joinEncoded(owner), encodeName(parts.slice(end).join('/'))]
  const encoded = segments.filter((part) => part !== '').join('/')
  if (encoded === [root, ...parts].join('/')) return undefined
  return query === undefined ? encoded : `${encoded}?${query}`
}
