import { defineArea } from '../../src/check/catalogue.ts'

const section = 'Authorization'
const lateValidation =
  'A provider may validate before or after the user signs in, so the request is made in a signed-in session and judged where it ends.'
const naming =
  'That nothing is issued is judged; an error name outside the document is drift and becomes a note.'

export const { check } = defineArea('authorization', 'Authorization endpoint', {
  'AUTHZ-CODE-FLOW': {
    section,
    level: 'must',
    statement: 'A complete request for a signed-in user ends at the redirect URI with an authorization code.',
  },
  'AUTHZ-REDIRECT-302': {
    section: 'Errors: Authorization endpoint',
    level: 'must',
    statement: 'An error at the authorization endpoint is a redirect with status 302.',
    ambiguity: 'The status of the successful redirect is not shown; only that of an error is.',
  },
  'AUTHZ-STATE-ECHO': {
    section,
    level: 'must',
    statement: 'The state that comes back is the state that was sent, byte for byte.',
  },
  'AUTHZ-RESPONSE-QUERY': {
    section,
    level: 'must',
    statement:
      'The response, be it a code or an error, is in the query of the redirect URI; neither a code nor a token is in its fragment.',
  },
  'AUTHZ-CODE-FRESH': {
    section,
    level: 'must',
    statement: 'Each authorization brings a code of its own.',
  },
  'AUTHZ-STATE-REQUIRED': {
    section,
    level: 'must',
    statement: 'A request without state brings no code.',
    ambiguity: `${lateValidation} ${naming}`,
  },
  'AUTHZ-NONCE-REQUIRED': {
    section,
    level: 'must',
    statement: 'A request without nonce brings no code.',
    ambiguity: `${lateValidation} ${naming}`,
  },
  'AUTHZ-PKCE-REQUIRED': {
    section: 'Authentication, 1',
    level: 'must',
    statement: 'A request without a PKCE challenge brings no code.',
    ambiguity: `${lateValidation} ${naming}`,
  },
  'AUTHZ-PKCE-S256-ONLY': {
    section: 'Authentication, 1',
    level: 'must',
    statement: 'S256 is the only challenge method: plain brings no code.',
    ambiguity: `${lateValidation} ${naming}`,
  },
  'AUTHZ-OPENID-SCOPE': {
    section,
    level: 'must',
    statement: 'A scope without openid brings no code.',
    ambiguity: `Two error names are documented for it, invalid_request and invalid_scope: both are right. ${lateValidation}`,
  },
  'AUTHZ-RESPONSE-TYPE': {
    section,
    level: 'must',
    statement: 'The implicit flow is unsupported: response_type=token brings neither token nor code.',
    ambiguity: `${lateValidation} ${naming}`,
  },
  'AUTHZ-REDIRECT-URI-EXACT': {
    section,
    level: 'must',
    statement: 'A redirect URI that differs from the registered one in any part never receives a code.',
    ambiguity:
      'A refusal may be a 400 page, or an error redirect; an error that is sent to the altered address is a note, a code there is the violation.',
  },
  'AUTHZ-PROMPT-NONE': {
    section,
    level: 'must',
    statement:
      'With prompt=none and nobody signed in, no page is shown and the error says that interaction is needed.',
    ambiguity: 'login_required and interaction_required both describe it.',
  },
  'AUTHZ-USER-CANCEL': {
    section: 'Errors: Authorization endpoint',
    level: 'must',
    statement: 'A user who cancels comes back with access_denied.',
  },
  'AUTHZ-RESPONSE-PARAMETERS': {
    section,
    level: 'silent',
    statement: 'iss and am-ext-user-id may accompany the code; whether they do is not shown.',
  },
})
