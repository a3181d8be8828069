import { expect, test } from 'vitest'
import { catalogue } from '../../src/check/catalogue.ts'
import type { RequirementId } from '../../src/check/requirement.ts'
import { loadSuites } from '../../src/check/suites.ts'

/** A cause in an error table of the specification, and the requirements on its error (and status). */
type Row = readonly [cause: string, ...ids: RequirementId[]]

/** The section of each table, its errors, and their causes. */
const tables: Readonly<Record<string, Readonly<Record<string, readonly Row[]>>>> = {
  'Errors: Authorization endpoint': {
    invalid_request: [
      ['scope without openid', 'AUTHZ-OPENID-SCOPE-ERROR'],
      ['wrong redirect URI', 'PLATFORM-REDIRECT-MISMATCH-ERROR'],
      ['no PKCE', 'AUTHZ-PKCE-REQUIRED-ERROR', 'AUTHZ-CHALLENGE-REQUIRED-ERROR'],
      ['other parameter missing', 'AUTHZ-STATE-REQUIRED-ERROR', 'AUTHZ-NONCE-REQUIRED-ERROR'],
      ['malformed parameter', 'AUTHZ-PKCE-S256-ONLY-ERROR'],
    ],
    unauthorized_client: [['flow not allowed', 'AUTHZ-UNAUTHORIZED-CLIENT']],
    access_denied: [
      ['user cancels', 'AUTHZ-USER-CANCEL-ERROR', 'AUTHZ-CONSENT-REFUSED-ERROR'],
      ['no factor for auth_level', 'AUTHZ-AUTH-LEVEL-UNMET'],
    ],
    unsupported_response_type: [
      [
        'other response type',
        'AUTHZ-RESPONSE-TYPE-ERROR',
        'AUTHZ-RESPONSE-TYPE-ID-TOKEN-ERROR',
        'AUTHZ-RESPONSE-TYPE-HYBRID-ERROR',
      ],
    ],
    invalid_scope: [
      ['scope without openid', 'AUTHZ-OPENID-SCOPE-ERROR', 'AUTHZ-SCOPE-REQUIRED-ERROR'],
      ['invalid scope', 'AUTHZ-SCOPE-INVALID'],
    ],
    login_required: [['prompt=none', 'AUTHZ-PROMPT-NONE-ERROR']],
    interaction_required: [['prompt=none', 'AUTHZ-PROMPT-NONE-ERROR']],
    consent_required: [['prompt=none', 'AUTHZ-PROMPT-NONE-CONSENT-ERROR']],
    unmet_authentication_requirements: [['acr_values not reached', 'AUTHZ-ACR-UNMET']],
    server_error: [['transient failure', 'AUTHZ-SERVER-ERROR']],
    temporarily_unavailable: [['overload', 'AUTHZ-TEMPORARILY-UNAVAILABLE']],
  },
  'Errors: Token endpoint': {
    '400 invalid_request': [
      ['parameter missing', 'TOKEN-MISSING-GRANT-TYPE-ERROR', 'TOKEN-MISSING-CODE-ERROR'],
      ['duplicate parameter', 'TOKEN-DUPLICATE-CODE-ERROR', 'TOKEN-DUPLICATE-REFRESH-TOKEN-ERROR'],
      ['malformed body', 'TOKEN-BODY-JSON-ERROR', 'TOKEN-BODY-MALFORMED-ERROR'],
    ],
    '401 invalid_client': [
      ['wrong secret', 'TOKEN-CLIENT-SECRET-ERROR', 'TOKEN-REFRESH-CLIENT-SECRET-ERROR'],
      ['expired secret', 'TOKEN-CLIENT-SECRET-EXPIRED'],
      ['other method', 'TOKEN-CLIENT-AUTH-METHOD-ERROR', 'TOKEN-REFRESH-AUTH-METHOD-ERROR'],
    ],
    '400 invalid_grant': [
      ['used code', 'TOKEN-CODE-SINGLE-USE-ERROR'],
      ['expired code', 'TOKEN-CODE-EXPIRED'],
      ['other redirect URI', 'TOKEN-REDIRECT-URI-MATCH-ERROR'],
      ['rotated refresh token', 'TOKEN-REFRESH-OLD-REFUSED-ERROR'],
      ['revoked refresh token', 'TOKEN-REFRESH-REVOKED'],
      ['lost race', 'TOKEN-REFRESH-RACE-ERROR'],
    ],
    '400 unauthorized_client': [['grant not allowed', 'TOKEN-GRANT-UNAUTHORIZED']],
    '400 unsupported_grant_type': [
      ['client_credentials', 'TOKEN-GRANT-CLIENT-CREDENTIALS'],
      ['password', 'TOKEN-GRANT-PASSWORD-ERROR'],
      ['another grant', 'TOKEN-GRANT-UNKNOWN-ERROR'],
    ],
    error_description: [['any error', 'TOKEN-ERROR-DESCRIPTION']],
  },
  'Errors: Bearer-token errors': {
    invalid_token: [
      ['any refused token', 'USERINFO-CHALLENGE-ERROR'],
      ['malformed token', 'USERINFO-MALFORMED-TOKEN-ERROR'],
    ],
    '401': [
      ['expired token', 'USERINFO-EXPIRED-TOKEN-ERROR'],
      ['malformed token', 'USERINFO-MALFORMED-TOKEN-ERROR'],
      ['revoked token', 'USERINFO-REVOKED-TOKEN'],
    ],
    '403 insufficient_scope': [['scope missing', 'USERINFO-INSUFFICIENT-SCOPE']],
  },
  'Platform errors': {
    '403': [['feature not enabled', 'PLATFORM-FEATURE-DISABLED']],
    FEATURE_DISABLED: [['feature not enabled', 'PLATFORM-FEATURE-DISABLED-TYPE']],
    '400 302': [['redirect URI not registered', 'PLATFORM-REDIRECT-MISMATCH']],
    redirect_uri_mismatch: [['redirect URI not registered', 'PLATFORM-REDIRECT-MISMATCH-ERROR']],
    '429': [['throttled', 'PLATFORM-THROTTLE-STATUS']],
    '5xx': [['service error', 'PLATFORM-CLIENT-SERVICE-ERROR']],
  },
  'Event search errors': {
    '400': [
      ['bound missing', 'EVENT-FROM-REQUIRED'],
      ['bound missing', 'EVENT-TO-REQUIRED'],
      ['bound invalid', 'EVENT-TIME-INVALID'],
      ['window too wide', 'EVENT-WINDOW-LIMIT'],
      ['malformed pagination', 'EVENT-PAGINATION-MALFORMED'],
      ['time with Z', 'EVENT-TIME-Z-REJECTED'],
      ['time with an offset', 'EVENT-TIME-OFFSET-REJECTED'],
    ],
    '403': [['partner not entitled', 'EVENT-UNENTITLED']],
    '404': [['resource not found', 'PLATFORM-NOT-FOUND']],
  },
}

const rows = Object.entries(tables).flatMap(([section, errors]) =>
  Object.entries(errors).flatMap(([error, causes]) =>
    causes.map(([cause, ...ids]) => ({ section, error, cause, ids })),
  ),
)

test.each(rows)('$section: $error for $cause has a requirement', async ({ error, ids }) => {
  const { checks } = await loadSuites()
  expect(ids).not.toEqual([])
  for (const id of ids) {
    const requirement = catalogue.requirements.get(id)
    const isChecked = checks.some(({ requirement }) => requirement === id)
    expect(isChecked || requirement?.reason !== undefined, `${id} has a check or a reason`).toBe(true)
    for (const word of error.split(' ')) expect(requirement?.statement).toContain(word)
  }
})
