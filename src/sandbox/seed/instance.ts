/** Sample settings, security findings, dependencies, integrations, alerts, Pages domains and replication nodes. */
import type {
  FindingRecord,
  GeoMeasurements,
  GeoNodeRecord,
  VulnerabilityRecord,
} from '../state/features.js'
import type { State } from '../state/state.js'
import { ago, origin } from './origin.js'

// Findings, vulnerabilities in every state, and dependencies of several package managers.

type Weakness = readonly [
  project: number,
  name: string,
  severity: string,
  report: string,
  state: VulnerabilityRecord['state'] | null,
]

/** A state of null leaves the finding without a vulnerability. */
const weaknesses: readonly Weakness[] = [
  [1, 'Password compared in variable time', 'critical', 'sast', 'detected'],
  [1, 'Outdated TLS library', 'high', 'dependency_scanning', 'confirmed'],
  [1, 'Predictable temporary file', 'medium', 'sast', 'resolved'],
  [1, 'Debug output', 'low', 'sast', 'closed'],
  [1, 'Regular expression without bounds', 'medium', 'sast', null],
  [1, 'Open redirect', 'high', 'sast', null],
  [6, 'Script from another origin', 'low', 'sast', 'detected'],
  [2, 'Buffer of fixed size', 'high', 'sast', 'detected'],
]

const finding = (
  index: number,
  [project_id, name, severity, report_type]: Weakness,
): Omit<FindingRecord, 'id'> => {
  const mark = (index + 1).toString(16).padStart(2, '0')
  return {
    project_id,
    vulnerability_id: null,
    name,
    description: null,
    severity,
    confidence: index % 2 === 0 ? 'medium' : 'high',
    report_type,
    location_fingerprint: mark.repeat(20),
    project_fingerprint: `a${mark}`.repeat(13).slice(0, 40),
    metadata_version: '2.0',
    primary_identifier_id: 100 + index,
    scanner_id: 1,
    uuid: `00000000-0000-5000-8000-0000000000${mark}`,
    raw_metadata: JSON.stringify({ category: report_type, name, severity }),
    created_at: ago(100 - index * 3),
    updated_at: ago(90 - index * 3),
  }
}

const by = (test: boolean, id: number): number | null => (test ? id : null)
const at = (test: boolean, days: number): string | null => (test ? ago(days) : null)

const vulnerability = (
  found: FindingRecord,
  state: VulnerabilityRecord['state'],
): Omit<VulnerabilityRecord, 'id'> => ({
  project_id: found.project_id,
  finding_id: found.id,
  title: found.name,
  description: found.description,
  state,
  severity: found.severity,
  confidence: found.confidence,
  report_type: found.report_type,
  author_id: 2,
  updated_by_id: by(state !== 'detected', 3),
  last_edited_by_id: null,
  closed_by_id: by(state === 'closed', 3),
  dismissed_by_id: by(state === 'closed', 3),
  resolved_by_id: by(state === 'resolved', 3),
  start_date: null,
  due_date: null,
  created_at: found.created_at,
  updated_at: found.updated_at,
  last_edited_at: null,
  closed_at: at(state === 'closed', 20),
  dismissed_at: at(state === 'closed', 20),
  resolved_at: at(state === 'resolved', 15),
  resolved_on_default_branch: state === 'resolved',
})

type Dependency = readonly [
  project: number,
  name: string,
  version: string,
  manager: string,
  file: string,
  vulnerabilities?: readonly (readonly [string, string])[],
]

const dependencies: readonly Dependency[] = [
  [1, 'left-pad', '1.3.0', 'npm', 'package-lock.json'],
  [1, 'tls-lite', '0.9.1', 'npm', 'package-lock.json', [['Outdated TLS library', 'high']]],
  [1, 'yaml-reader', '2.0.0', 'yarn', 'tools/yarn.lock', [['Endless loop', 'medium']]],
  [1, 'requests-light', '4.1.2', 'pip', 'scripts/requirements.txt'],
  [7, 'rails-like', '7.0.1', 'bundler', 'Gemfile.lock', [['Mass assignment', 'critical']]],
  [7, 'money-math', '1.0.0', 'bundler', 'Gemfile.lock'],
  [4, 'flag-parser', '0.4.0', 'go', 'go.sum'],
]

export const seedSecurity = (state: State): void => {
  for (const [index, weakness] of weaknesses.entries()) {
    const found = state.findings.add(finding(index, weakness))
    const [, , , , condition] = weakness
    if (condition !== null)
      state.findings.change(found.id, {
        vulnerability_id: state.vulnerabilities.add(vulnerability(found, condition)).id,
      })
  }
  for (const [project_id, name, version, package_manager, file, known = []] of dependencies)
    state.dependencies.add({
      project_id,
      name,
      version,
      package_manager,
      dependency_file_path: file,
      vulnerabilities: known.map(([title, severity]) => ({ name: title, severity })),
    })
}

// Integrations of projects.

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

// Alert endpoints, and the tracking of errors with its client keys.

export const seedMonitoring = (state: State): void => {
  const endpoint = { active: true, auto_close_incident: true }
  state.alertEndpoints.add({
    ...endpoint,
    project_id: 1,
    name: 'monitoring',
    identifier: '3a1f0c5d9b7e2468',
    key: 'sandbox-alert-key',
    mapping: {},
  })
  state.alertEndpoints.add({
    ...endpoint,
    project_id: 1,
    name: 'probes',
    identifier: '86420e7b9d5c0f1a',
    key: 'sandbox-probe-key',
    mapping: { title: ['check', 'name'], severity: ['check', 'level'] },
  })
  state.errorTracking.add({
    project_id: 1,
    active: true,
    project_name: 'app',
    errsvc_external_url: 'https://errors.example.test/example/app',
    api_url: 'https://errors.example.test/api/0/projects/example/app',
    integrated: false,
  })
  for (const [project_id, public_key] of [
    [1, '1d2c3b4a5f6e7d8c9b0a1f2e3d4c5b6a'],
    [1, 'a0b1c2d3e4f5061728394a5b6c7d8e9f'],
    [6, '0f1e2d3c4b5a69788796a5b4c3d2e1f0'],
  ] as const)
    state.clientKeys.add({ project_id, active: project_id === 1, public_key, created_at: ago(66) })
}

// Domains of static sites, and their certificates.

const valid = `-----BEGIN CERTIFICATE-----
MIIBqzCCAVGgAwIBAgIUJuJIi2zDz4R2KBNVIU+SnXt3QEAwCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRc2l0ZS5leGFtcGxlLnRlc3QwHhcNMjYxMTIwMjExMDE0WhcN
MzYxMTE3MjExMDE0WjAcMRowGAYDVQQDDBFzaXRlLmV4YW1wbGUudGVzdDBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABDs/+5l4N3HfoVLrVy4hRHGsLwkVfy3wQn18
VBvJl1iC6qeLqBznfCq9L1BU6DW01DC3OwZR97q4wRR2XUETEzOjcTBvMB0GA1Ud
DgQWBBTXZvz9qi/rAXsoRd7Oq8FhLPNpuzAfBgNVHSMEGDAWgBTXZvz9qi/rAXso
Rd7Oq8FhLPNpuzAPBgNVHRMBAf8EBTADAQH/MBwGA1UdEQQVMBOCEXNpdGUuZXhh
bXBsZS50ZXN0MAoGCCqGSM49BAMCA0gAMEUCIQDWVzgeCN+jJuO5Fs3T6dcw9l4Z
ugMmCWt0SjCaWFo3ZwIgPWZfBxsfO5I1Fdl2CMYG4bbybm8TYzMwHNGH/YO67eA=
-----END CERTIFICATE-----
`
const expired = `-----BEGIN CERTIFICATE-----
MIIBZzCCAQ6gAwIBAgIGGis8TV5vMAoGCCqGSM49BAMCMBsxGTAXBgNVBAMMEG9s
ZC5leGFtcGxlLnRlc3QwHhcNMjQwMTAxMDAwMDAwWhcNMjUwMTAxMDAwMDAwWjAb
MRkwFwYDVQQDDBBvbGQuZXhhbXBsZS50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAEGi1hT12ls5dDRxV4haqS3gOgR5vvssu1z+t2ZwkVkKd1g+ltxeRZRPag
sSr3phUND2DS+Y63MXRnVDLxuSUMZaM+MDwwGwYDVR0RBBQwEoIQb2xkLmV4YW1w
bGUudGVzdDAdBgNVHQ4EFgQU8b7ZSexMDaTBznn4HYb/zrEXaTwwCgYIKoZIzj0E
AwIDRwAwRAIgckFna9WuGkidVVPHhpzL0PerQtKaY4T5hygMF77DHkMCIBXLjIHT
uVBi55gMOmSjF968hcGseyMdiLAjN4MRB0PV
-----END CERTIFICATE-----
`

export const seedPagesDomains = (state: State): void => {
  const plain = { auto_ssl_enabled: false, certificate: null, key: null }
  const domains = [
    { project_id: 6, domain: 'www.example.test', ...plain },
    { project_id: 6, domain: 'site.example.test', ...plain, certificate: valid },
    { project_id: 6, domain: 'auto.example.test', ...plain, auto_ssl_enabled: true },
    { project_id: 8, domain: 'old.example.test', ...plain, certificate: expired },
  ]
  for (const domain of domains) state.pagesDomains.add(domain)
}

// A primary node and a secondary one that lags a little.

const moment = Math.floor(Date.parse(origin) / 1000)

const counts: Readonly<Record<string, readonly [count: number, synced: number, failed: number]>> = {
  attachments: [1240, 1232, 2],
  lfs_objects: [310, 310, 0],
  job_artifacts: [8420, 8101, 14],
  container_repositories: [12, 9, 1],
  design_repositories: [3, 3, 0],
  repositories: [14, 13, 1],
  wikis: [14, 14, 0],
  merge_request_diffs: [96, 96, 0],
  package_files: [27, 25, 0],
  pages_deployments: [5, 5, 0],
}

const kinds = (complete: boolean): GeoMeasurements['kinds'] =>
  Object.fromEntries(
    Object.entries(counts).map(([kind, [count, synced, failed]]) => [
      kind,
      complete ? { count, synced: count, failed: 0 } : { count, synced, failed },
    ]),
  )

const common: Omit<GeoNodeRecord, 'id' | 'name' | 'url' | 'primary' | 'current' | 'status'> = {
  internal_url: null,
  enabled: true,
  files_max_capacity: 10,
  repos_max_capacity: 25,
  verification_max_capacity: 100,
  container_repositories_max_capacity: 10,
  selective_sync_type: null,
  selective_sync_shards: [],
  selective_sync_namespace_ids: [],
  minimum_reverification_interval: 7,
  sync_object_storage: false,
  clone_protocol: 'http',
  oauth_application: true,
}

const measured = {
  last_event_id: 23_405,
  last_event_timestamp: moment,
  cursor_last_event_id: 23_405,
  cursor_last_event_timestamp: moment,
  last_successful_status_check_timestamp: moment,
  replication_slots_count: 1,
  replication_slots_used_count: 1,
  replication_slots_max_retained_wal_bytes: 483_328,
}

export const seedGeo = (state: State): void => {
  state.geoNodes.add({
    ...common,
    name: 'north',
    url: 'https://north.example.test/',
    internal_url: 'https://north.internal.example.test/',
    primary: true,
    current: true,
    status: {
      ...measured,
      healthy: true,
      health: 'Healthy',
      health_status: 'Healthy',
      db_replication_lag_seconds: null,
      kinds: kinds(true),
    },
  })
  state.geoNodes.add({
    ...common,
    name: 'south',
    url: 'https://south.example.test/',
    primary: false,
    current: false,
    sync_object_storage: true,
    oauth_application: false,
    status: {
      ...measured,
      healthy: true,
      health: 'Healthy',
      health_status: 'Healthy',
      db_replication_lag_seconds: 3,
      cursor_last_event_id: 23_398,
      cursor_last_event_timestamp: moment - 42,
      kinds: kinds(false),
    },
  })
}

const writable = {
  admin_mode: false,
  admin_notification_email: null,
  abuse_notification_email: 'abuse@example.test',
  after_sign_out_path: null,
  after_sign_up_text: '',
  spamsvc_api_key: null,
  spamsvc_enabled: false,
  allow_group_owners_to_manage_ldap: true,
  allow_local_requests_from_hooks_and_services: false,
  allow_local_requests_from_system_hooks: true,
  allow_local_requests_from_web_hooks_and_services: false,
  archive_builds_in_human_readable: null,
  asset_proxy_enabled: false,
  asset_proxy_secret_key: null,
  asset_proxy_url: null,
  asset_proxy_whitelist: ['example.test'],
  asset_proxy_allowlist: ['example.test'],
  authorized_keys_enabled: true,
  auto_devops_domain: '',
  auto_devops_enabled: true,
  automatic_purchased_storage_allocation: false,
  check_namespace_plan: false,
  commit_email_hostname: 'users.noreply.example.test',
  container_registry_token_expire_delay: 5,
  deactivate_dormant_users: false,
  default_artifacts_expire_in: '30 days',
  default_branch_name: 'main',
  default_branch_protection: 2,
  default_ci_config_path: null,
  default_group_visibility: 'private',
  default_project_creation: 2,
  default_project_visibility: 'private',
  default_projects_limit: 100_000,
  default_snippet_visibility: 'private',
  delayed_project_deletion: false,
  deletion_adjourned_period: 7,
  diff_max_patch_bytes: 204_800,
  diff_max_files: 1000,
  diff_max_lines: 50_000,
  disable_feed_token: false,
  disabled_oauth_sign_in_sources: [],
  dns_rebinding_protection_enabled: true,
  domain_denylist_enabled: false,
  domain_denylist: [],
  domain_allowlist: null,
  dsa_key_restriction: 0,
  ecdsa_key_restriction: 0,
  ed25519_key_restriction: 0,
  cloud_access_key_id: null,
  cloud_account_id: null,
  cloud_integration_enabled: false,
}

const answered = {
  signup_enabled: true,
  password_authentication_enabled_for_web: true,
  restricted_visibility_levels: [],
  max_attachment_size: 10,
  max_import_size: 50,
  user_oauth_applications: true,
  session_expire_delay: 10_080,
  home_page_url: null,
  sign_in_text: null,
  outbound_local_requests_whitelist: [],
  avatarsvc_enabled: true,
  container_expiration_policies_enable_historic_entries: true,
  repository_storages_weighted: { default: 100, second: 50, cluster: 0 },
  repository_storages: ['default', 'second', 'cluster'],
  diagram_a_enabled: false,
  diagram_a_url: null,
  diagram_b_enabled: false,
  diagram_b_url: null,
  terminal_max_session_time: 0,
  polling_interval_multiplier: 1.0,
  rsa_key_restriction: 0,
  first_day_of_week: 1,
  enforce_terms: false,
  terms: null,
  performance_bar_allowed_group_id: null,
  user_show_add_ssh_key_message: true,
  file_template_project_id: null,
  local_markdown_version: 0,
  npm_package_requests_forwarding: true,
  pypi_package_requests_forwarding: true,
  snippet_size_limit: 52_428_800,
  issues_create_limit: 300,
  raw_blob_request_limit: 300,
  wiki_page_max_content_bytes: 52_428_800,
  require_admin_approval_after_user_signup: false,
  personal_access_token_prefix: null,
  rate_limiting_response_text: null,
  keep_latest_artifact: true,
  floc_enabled: false,
  external_pipeline_validation_service_timeout: null,
  external_pipeline_validation_service_token: null,
  external_pipeline_validation_service_url: null,
  external_authorization_service_enabled: false,
  external_authorization_service_url: null,
  external_authorization_service_default_label: null,
  external_authorization_service_timeout: 0.5,
  geo_node_allowed_ips: '0.0.0.0/0, ::/0',
  geo_status_timeout: 10,
}

/** Every attribute as a fresh instance has it. */
export const initialSettings: Readonly<Record<string, unknown>> = { ...answered, ...writable }

export const seedSettings = (state: State): void => {
  const times = { created_at: ago(1200), updated_at: ago(100) }
  state.settings.change({ id: 1, ...times, ...initialSettings })
}
