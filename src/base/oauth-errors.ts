/** Recognizes the error codes of OAuth. */

/** The error codes that OAuth registers for its token endpoint (RFC 6749 5.2, and the IANA registry). */
const codes: ReadonlySet<unknown> = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'access_denied',
  'server_error',
  'temporarily_unavailable',
  'authorization_pending',
  'slow_down',
  'expired_token',
  'invalid_target',
  'invalid_token',
  'insufficient_scope',
  'invalid_dpop_proof',
  'use_dpop_nonce',
  'unmet_authentication_requirements',
])

/** Returns a registered code. Any other text in its place could be a secret, and is not repeated. */
export const parseOauthError = (value: unknown): string | undefined =>
  typeof value === 'string' && codes.has(value) ? value : undefined
