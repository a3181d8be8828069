/** Error names the document gives a cause for, at the authorization and the token endpoint (section Errors). */
export const documentedErrors: ReadonlySet<string> = new Set([
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
  'invalid_client',
  'invalid_grant',
  'unsupported_grant_type',
  'redirect_uri_mismatch',
])
