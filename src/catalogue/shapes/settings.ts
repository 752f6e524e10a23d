/**
 * The settings object: every writable attribute, its
 * field derived from the parameter, and what appears in answers only.
 */
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
import type { Param } from '../params.js'
import { settingsAttributes } from '../settings-attributes.js'
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
} from './common.js'

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

const plain = (param: Param): TSchema => {
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

const fieldsOf = <Ps extends Readonly<Record<string, Param>>>(params: Ps): Fields<Ps> =>
  Object.fromEntries(
    Object.entries(params).map(([name, param]) => {
      const options = param.deprecated === undefined ? {} : deprecated(param.deprecated)
      const field: unknown = maybe(nullable(plain(param), options))
      return [name, field]
    }),
  ) as Fields<Ps>

const text = () => maybe(nullable(Str()))
const flag = () => maybe(Bool())
const count = () => maybe(nullable(Int()))
const texts = () => maybe(ArrayOf(Str()))

/** Fields of answers beyond the writable attributes. */
const answered = {
  id: maybe(Int()),
  created_at: maybe(Timestamp),
  updated_at: maybe(Timestamp),
  signup_enabled: flag(),
  password_authentication_enabled_for_web: flag(),
  restricted_visibility_levels: texts(),
  max_attachment_size: count(),
  max_import_size: count(),
  user_oauth_applications: flag(),
  session_expire_delay: count(),
  home_page_url: text(),
  sign_in_text: text(),
  outbound_local_requests_whitelist: texts(),
  avatarsvc_enabled: flag(),
  container_expiration_policies_enable_historic_entries: flag(),
  repository_storages_weighted: maybe(Unknown({ description: 'storage name → weight' })),
  repository_storages: texts(),
  diagram_a_enabled: flag(),
  diagram_a_url: text(),
  diagram_b_enabled: flag(),
  diagram_b_url: text(),
  terminal_max_session_time: count(),
  polling_interval_multiplier: maybe(Num()),
  rsa_key_restriction: count(),
  first_day_of_week: count(),
  enforce_terms: flag(),
  terms: text(),
  performance_bar_allowed_group_id: count(),
  user_show_add_ssh_key_message: flag(),
  file_template_project_id: maybe(nullable(Int({ description: 'PREMIUM' }))),
  local_markdown_version: count(),
  npm_package_requests_forwarding: flag(),
  pypi_package_requests_forwarding: flag(),
  snippet_size_limit: maybe(nullable(Int({ description: 'bytes' }))),
  issues_create_limit: count(),
  raw_blob_request_limit: count(),
  wiki_page_max_content_bytes: count(),
  require_admin_approval_after_user_signup: flag(),
  personal_access_token_prefix: text(),
  rate_limiting_response_text: text(),
  keep_latest_artifact: flag(),
  floc_enabled: flag(),
  external_pipeline_validation_service_timeout: count(),
  external_pipeline_validation_service_token: maybe(nullable(Secret)),
  external_pipeline_validation_service_url: text(),
  external_authorization_service_enabled: flag(),
  external_authorization_service_url: text(),
  external_authorization_service_default_label: text(),
  external_authorization_service_timeout: maybe(nullable(Num())),
  geo_node_allowed_ips: maybe(nullable(Str({ description: 'PREMIUM and ULTIMATE' }))),
  geo_status_timeout: maybe(nullable(Int({ description: 'PREMIUM and ULTIMATE' }))),
}

export const Settings = Obj(
  { ...answered, ...fieldsOf(settingsAttributes) },
  { title: 'Application settings' },
)
