import { must, type Requirement } from '../../src/check/requirement.ts'

const section = 'Errors: Authorization endpoint'
const elsewhere = 'A refusal without an error violates AUTHZ-ERROR-REDIRECT instead.'
const openid =
  'The specification documents `invalid_request` and `invalid_scope` for a missing `openid`: both pass.'
const level =
  'The specification does not say which levels a target knows, and whether the target honours them. So a target may return a code, or a page on which the user may continue. A page with status 400 or above, or without controls, links and scripts, is a refusal without an error. If a login with the level ends with a refusal without a documented error, that is a violation only if a login without the level returns a code.'

/** The requirement that a request is refused with a documented error name. */
function refusedWith(statement: string, interpretation = elsewhere) {
  return must(section, statement, interpretation)
}

/** The error names that the specification documents for a cause. Any other name is a violation. */
export const errorNameStatements = {
  'AUTHZ-RESPONSE-TYPE-REQUIRED-ERROR': refusedWith(
    'A request without `response_type` is refused with the error `invalid_request` or `unsupported_response_type`.',
    `The request lacks a parameter, and its response type is not \`code\`: both names pass. ${elsewhere}`,
  ),
  'AUTHZ-RESPONSE-TYPE-ERROR': refusedWith(
    'A request with `response_type=token` is refused with the error `unsupported_response_type`.',
    `If the request without PKCE is refused with another documented error, the request with PKCE decides. ${elsewhere}`,
  ),
  'AUTHZ-RESPONSE-TYPE-ID-TOKEN-ERROR': refusedWith(
    'A request with `response_type=id_token` is refused with the error `unsupported_response_type`.',
    `If the request without PKCE is refused with another documented error, the request with PKCE decides. ${elsewhere}`,
  ),
  'AUTHZ-RESPONSE-TYPE-HYBRID-ERROR': refusedWith(
    'A request with `response_type=code id_token` or `code token` is refused with the error `unsupported_response_type`.',
  ),
  'AUTHZ-CLIENT-ID-REQUIRED-ERROR': refusedWith(
    'A redirect that refuses a request without `client_id` has the error `invalid_request`.',
    'A page is a refusal, too; its content is not specified.',
  ),
  'AUTHZ-REDIRECT-URI-REQUIRED-ERROR': refusedWith(
    'A redirect that refuses a request without `redirect_uri` has the error `invalid_request` or `redirect_uri_mismatch`.',
    'A page is a refusal, too; its content is not specified.',
  ),
  'AUTHZ-STATE-REQUIRED-ERROR': refusedWith(
    'A request without `state` is refused with the error `invalid_request`.',
  ),
  'AUTHZ-NONCE-REQUIRED-ERROR': refusedWith(
    'A request without `nonce` is refused with the error `invalid_request`.',
  ),
  'AUTHZ-PKCE-REQUIRED-ERROR': refusedWith(
    'A request without PKCE is refused with the error `invalid_request`.',
  ),
  'AUTHZ-CHALLENGE-REQUIRED-ERROR': refusedWith(
    'A request without `code_challenge` is refused with the error `invalid_request`.',
  ),
  'AUTHZ-CHALLENGE-METHOD-REQUIRED-ERROR': refusedWith(
    'A request without `code_challenge_method` is refused with the error `invalid_request`.',
  ),
  'AUTHZ-PKCE-S256-ONLY-ERROR': refusedWith(
    'Challenge methods other than S256 are refused with the error `invalid_request`.',
  ),
  'AUTHZ-SCOPE-REQUIRED-ERROR': refusedWith(
    'A request without `scope` is refused with the error `invalid_request` or `invalid_scope`.',
    `${openid} ${elsewhere}`,
  ),
  'AUTHZ-OPENID-SCOPE-ERROR': refusedWith(
    'A request whose scope lacks `openid` is refused with the error `invalid_request` or `invalid_scope`.',
    `${openid} ${elsewhere}`,
  ),
  'AUTHZ-SCOPE-INVALID': refusedWith(
    'The refusal of an invalid scope has the error `invalid_scope`.',
    'A target may ignore an unknown scope, which is a note. A page that the user cannot leave is a refusal without an error. An invalid scope is a malformed parameter as well, so `invalid_request` passes with a note.',
  ),
  'AUTHZ-PROMPT-NONE-ERROR': refusedWith(
    'A request with `prompt=none` and without a session is refused with the error `login_required`, `interaction_required` or `consent_required`.',
    'The specification documents all three for the same cause. AUTHZ-PROMPT-NONE judges pages.',
  ),
  'AUTHZ-PROMPT-NONE-CONSENT-ERROR': refusedWith(
    'A request with `prompt=none` before the user has consented is refused with the error `consent_required`, `interaction_required` or `login_required`.',
    'The specification documents all three for the same cause. AUTHZ-PROMPT-NONE-CONSENT judges pages.',
  ),
  'AUTHZ-USER-CANCEL-ERROR': refusedWith(
    'A login that the user cancels ends with the error `access_denied`.',
  ),
  'AUTHZ-CONSENT-REFUSED-ERROR': refusedWith(
    'An authorization that the user cancels on the consent page ends with the error `access_denied`.',
    `The check applies if the target shows a consent page. ${elsewhere}`,
  ),
  'AUTHZ-ACR-UNMET': refusedWith(
    'The refusal of `acr_values` that the target cannot meet has the error `unmet_authentication_requirements` or `access_denied`.',
    `${level} Unknown \`acr_values\` are a malformed parameter as well, so \`invalid_request\` passes for them.`,
  ),
  'AUTHZ-AUTH-LEVEL-UNMET': refusedWith(
    'The refusal of an `auth_level` for which the user has no factor has the error `access_denied` or `unmet_authentication_requirements`.',
    level,
  ),
} as const satisfies Record<string, Requirement>
