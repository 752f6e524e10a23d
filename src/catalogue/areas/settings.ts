/** Declares the endpoints of the application settings, their writable attributes, and the shape of the response. */

import type {
  TArray,
  TBoolean,
  TInteger,
  TNull,
  TOptional,
  TSchema,
  TString,
  TUnion,
  TUnknown,
} from 'typebox'
import { endpoint, one } from '../endpoint.js'
import { boolean, integer, list, oneOf, type Param, string } from '../params.js'
import {
  ArrayOf,
  Bool,
  deprecated,
  Int,
  maybe,
  Num,
  nullable,
  Obj,
  Secret,
  Str,
  Timestamp,
  Unknown,
} from '../shapes/common.js'
import { visibilities } from '../shapes/project.js'

const secret = { secret: true } as const
const premium = { edition: 'PREMIUM' } as const
const restart = 'requires a restart'
const byDefault = { default: 'private' } as const
const keySize = { min: -1, default: 0 } as const
const describeKeySize = (kind: string) =>
  `minimum size of ${kind} keys in bits; 0 for no restriction, -1 to disable them`

export const settingsAttributes = {
  admin_mode: boolean('require administrators to sign in again for administrative tasks'),
  admin_notification_email: string('address for abuse reports', {
    deprecated: 'abuse_notification_email',
  }),
  abuse_notification_email: string('address for abuse reports', { format: 'email' }),
  after_sign_out_path: string('URL that users see after signing out'),
  after_sign_up_text: string('text that users see after signing up'),
  spamsvc_api_key: string('API key of the spam check; required by spamsvc_enabled', secret),
  spamsvc_enabled: boolean('check for spam; requires spamsvc_api_key'),
  allow_group_owners_to_manage_ldap: boolean('let group owners manage LDAP', premium),
  allow_local_requests_from_hooks_and_services: boolean('let hooks call the local network', {
    deprecated: 'allow_local_requests_from_web_hooks_and_services',
  }),
  allow_local_requests_from_system_hooks: boolean('let system hooks call the local network'),
  allow_local_requests_from_web_hooks_and_services: boolean(
    'let webhooks and integrations call the local network',
  ),
  archive_builds_in_human_readable: string(
    'duration after which jobs are archived and cannot be retried, at least 1 day ("15 days"); empty for never',
    { format: 'span' },
  ),
  asset_proxy_enabled: boolean(`proxy assets; requires asset_proxy_url; ${restart}`),
  asset_proxy_secret_key: string(`secret shared with the asset proxy; ${restart}`, secret),
  asset_proxy_url: string(`URL of the asset proxy; ${restart}`, { format: 'url' }),
  asset_proxy_whitelist: list('string', 'domains that are not proxied', {
    single: true,
    deprecated: 'asset_proxy_allowlist',
  }),
  asset_proxy_allowlist: list(
    'string',
    `domains that are not proxied (wildcards allowed); ${restart}`,
    { single: true },
  ),
  authorized_keys_enabled: boolean('write the authorized_keys file'),
  auto_devops_domain: string('default base domain of automatic deployments'),
  auto_devops_enabled: boolean('enable automatic CI for projects without a configuration'),
  automatic_purchased_storage_allocation: boolean('allocate purchased storage automatically'),
  check_namespace_plan: boolean('limit features to the plan of the namespace', premium),
  commit_email_hostname: string('host name of private commit addresses'),
  container_registry_token_expire_delay: integer('validity of registry tokens, in minutes'),
  deactivate_dormant_users: boolean('deactivate dormant users'),
  default_artifacts_expire_in: string('default lifetime of job artifacts'),
  default_branch_name: string('name of the default branch of new projects'),
  default_branch_protection: integer('protection of default branches', {
    min: 0,
    max: 2,
    default: 2,
    names: { 'not-protected': 0, 'partially-protected': 1, 'fully-protected': 2 },
  }),
  default_ci_config_path: string('default path of the CI configuration'),
  default_group_visibility: oneOf(visibilities, 'visibility of new groups', byDefault),
  default_project_creation: integer('roles that can create projects in a group', {
    min: 0,
    max: 2,
    names: { 'no-one': 0, maintainers: 1, 'developers-and-maintainers': 2 },
  }),
  default_project_visibility: oneOf(visibilities, 'visibility of new projects', byDefault),
  default_projects_limit: integer('maximum number of projects per user', { default: 100000 }),
  default_snippet_visibility: oneOf(visibilities, 'visibility of new snippets', byDefault),
  delayed_project_deletion: boolean('delay the deletion of projects', {
    ...premium,
    default: false,
  }),
  deletion_adjourned_period: integer('days until a project marked for deletion is deleted', {
    ...premium,
    min: 0,
    max: 90,
  }),
  diff_max_patch_bytes: integer('maximum size of the diff of one file, in bytes'),
  diff_max_files: integer('maximum number of files in a diff'),
  diff_max_lines: integer('maximum number of lines in a diff'),
  disable_feed_token: boolean('hide feed and calendar tokens'),
  disabled_oauth_sign_in_sources: list('string', 'OAuth providers that are disabled for sign-in'),
  dns_rebinding_protection_enabled: boolean('protect against DNS rebinding'),
  domain_denylist_enabled: boolean('block sign-up from some domains; requires domain_denylist'),
  domain_denylist: list('string', 'domains that cannot sign up (wildcards allowed)'),
  domain_allowlist: list('string', 'the only domains that can sign up; empty for no restriction'),
  dsa_key_restriction: integer(describeKeySize('DSA'), keySize),
  ecdsa_key_restriction: integer(describeKeySize('ECDSA'), keySize),
  ed25519_key_restriction: integer(describeKeySize('ED25519'), keySize),
  cloud_access_key_id: string('cloud access key ID', secret),
  cloud_account_id: string('cloud account ID'),
  cloud_integration_enabled: boolean('enable the cloud integration'),
} as const
type SettingsAttribute = keyof typeof settingsAttributes

/** Maps a setting to the one that has to be set before it can be enabled. */
export const settingsRequirements = {
  spamsvc_enabled: 'spamsvc_api_key',
  asset_proxy_enabled: 'asset_proxy_url',
  domain_denylist_enabled: 'domain_denylist',
} as const satisfies Partial<Record<SettingsAttribute, SettingsAttribute>>

type Plain<P> = P extends { type: 'boolean' }
  ? TBoolean
  : P extends { type: 'integer' }
    ? TInteger
    : P extends { type: 'list' }
      ? TArray<TString>
      : P extends { type: 'string' | 'enum' }
        ? TString
        : TUnknown
type Fields<Ps> = {
  -readonly [K in keyof Ps]: TOptional<TUnion<[Plain<Ps[K]>, TNull]>>
}

const createPlainSchema = (param: Param): TSchema => {
  const options = { description: param.help }
  switch (param.type) {
    case 'boolean':
      return Bool(options)
    case 'integer':
      return Int(options)
    case 'list':
      return ArrayOf(Str(), options)
    case 'string':
      return param.secret === true ? Secret : Str(options)
    case 'enum':
      return Str({ ...options, examples: param.values })
    default:
      return Unknown()
  }
}

const createFields = <Ps extends Readonly<Record<string, Param>>>(params: Ps): Fields<Ps> =>
  Object.fromEntries(
    Object.entries(params).map(([name, param]) => {
      const options = param.deprecated === undefined ? {} : deprecated(param.deprecated)
      const field: unknown = maybe(nullable(createPlainSchema(param), options))
      return [name, field]
    }),
  ) as Fields<Ps>

const createText = () => maybe(nullable(Str()))
const createFlag = () => maybe(Bool())
const createCount = () => maybe(nullable(Int()))
const createTexts = () => maybe(ArrayOf(Str()))

/** The fields of responses besides the writable attributes. */
const answered = {
  id: maybe(Int()),
  created_at: maybe(Timestamp),
  updated_at: maybe(Timestamp),
  signup_enabled: createFlag(),
  password_authentication_enabled_for_web: createFlag(),
  restricted_visibility_levels: createTexts(),
  max_attachment_size: createCount(),
  max_import_size: createCount(),
  user_oauth_applications: createFlag(),
  session_expire_delay: createCount(),
  home_page_url: createText(),
  sign_in_text: createText(),
  outbound_local_requests_whitelist: createTexts(),
  avatarsvc_enabled: createFlag(),
  container_expiration_policies_enable_historic_entries: createFlag(),
  repository_storages_weighted: maybe(Unknown({ description: 'storage name → weight' })),
  repository_storages: createTexts(),
  diagram_a_enabled: createFlag(),
  diagram_a_url: createText(),
  diagram_b_enabled: createFlag(),
  diagram_b_url: createText(),
  terminal_max_session_time: createCount(),
  polling_interval_multiplier: maybe(Num()),
  rsa_key_restriction: createCount(),
  first_day_of_week: createCount(),
  enforce_terms: createFlag(),
  terms: createText(),
  performance_bar_allowed_group_id: createCount(),
  user_show_add_ssh_key_message: createFlag(),
  file_template_project_id: maybe(nullable(Int({ description: 'PREMIUM' }))),
  local_markdown_version: createCount(),
  npm_package_requests_forwarding: createFlag(),
  pypi_package_requests_forwarding: createFlag(),
  snippet_size_limit: maybe(nullable(Int({ description: 'bytes' }))),
  issues_create_limit: createCount(),
  raw_blob_request_limit: createCount(),
  wiki_page_max_content_bytes: createCount(),
  require_admin_approval_after_user_signup: createFlag(),
  personal_access_token_prefix: createText(),
  rate_limiting_response_text: createText(),
  keep_latest_artifact: createFlag(),
  floc_enabled: createFlag(),
  external_pipeline_validation_service_timeout: createCount(),
  external_pipeline_validation_service_token: maybe(nullable(Secret)),
  external_pipeline_validation_service_url: createText(),
  external_authorization_service_enabled: createFlag(),
  external_authorization_service_url: createText(),
  external_authorization_service_default_label: createText(),
  external_authorization_service_timeout: maybe(nullable(Num())),
  geo_node_allowed_ips: maybe(nullable(Str({ description: 'PREMIUM and ULTIMATE' }))),
  geo_status_timeout: maybe(nullable(Int({ description: 'PREMIUM and ULTIMATE' }))),
}

export const Settings = Obj(
  { ...answered, ...createFields(settingsAttributes) },
  { title: 'Application settings' },
)

const access = 'administrators'

export const settings = {
  get: endpoint('GET /application/settings', one(Settings), {
    summary: 'Show the application settings',
    command: 'get',
    open: 'settings',
    path: {},
    params: {},
    access,
  }),
  update: endpoint('PUT /application/settings', one(Settings), {
    summary: 'Change application settings',
    command: 'update',
    open: 'settings',
    changes: true,
    path: {},
    params: settingsAttributes,
    access,
    notes: Object.entries(settingsRequirements).map(
      ([name, needed]) => `${name} requires ${needed}, in the same call or set before.`,
    ),
  }),
} as const
