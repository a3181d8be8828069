/** Error names with a documented cause at the authorization endpoint (section Errors). */
export const authorizationErrors: ReadonlySet<string> = new Set([
  'invalid_request',
  'unauthorized_client',
  'access_denied',
  'unsupported_response_type',
  'invalid_scope',
  'interaction_required',
  'login_required',
  'consent_required',
  'unmet_authentication_requirements',
  'server_error',
  'temporarily_unavailable',
  'redirect_uri_mismatch',
])

/**
 * Error names with a documented cause at the token endpoint, including the errors of the platform and of throttled
 * responses.
 */
export const tokenErrorNames: ReadonlySet<string> = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'redirect_uri_mismatch',
  'temporarily_unavailable',
])

/** Error names with a documented cause at any endpoint. */
export const documentedErrors: ReadonlySet<string> = new Set([
  ...authorizationErrors,
  ...tokenErrorNames,
  'invalid_token',
  'insufficient_scope',
])
