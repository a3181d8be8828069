import type { RefusalError } from '../../src/check/expect.ts'
import { must, type Requirement } from '../../src/check/requirement.ts'
import { capitalized } from '../../src/text/format.ts'

/** A request that the token endpoint refuses, with the specified status and error. */
export interface TokenRefusal {
  /** The request, as a noun phrase. */
  readonly request: string
  readonly documented: RefusalError
  /** Other errors that pass as well. */
  readonly alternatives?: readonly RefusalError[]
  /** The alternative for an application whose credentials are in the form. */
  readonly withCredentialsInForm?: RefusalError
  /** A status that passes with any error. */
  readonly alternativeStatus?: number
  /** Why the alternatives pass. */
  readonly interpretation?: string
}

/** The interpretation of a refusal without a documented error. */
export const refusedOnly =
  'No error is documented for this case: only the refusal is judged, and an error other than 400 `invalid_grant` is a note.'

const invalidClient = [401, 'invalid_client'] as const
const invalidGrant = [400, 'invalid_grant'] as const
const invalidRequest = [400, 'invalid_request'] as const
const unsupportedGrantType = [400, 'unsupported_grant_type'] as const

const withoutCredentials = {
  documented: invalidClient,
  alternatives: [invalidRequest],
  interpretation:
    'A request without credentials lacks a parameter and fails to authenticate: 400 `invalid_request` passes as well.',
} as const
const withoutForm = {
  documented: invalidRequest,
  alternatives: [unsupportedGrantType],
  withCredentialsInForm: invalidClient,
  interpretation:
    'Without a form there is no grant type: `unsupported_grant_type` passes as well. If credentials belong in the form, they are missing too, and 401 `invalid_client` passes.',
} as const
const duplicate = (name: string) =>
  ({ request: `a request with \`${name}\` twice`, documented: invalidRequest }) as const

/** Refusals by requirement. A separate requirement `…-ERROR` judges the status and error of each. */
export const refusals = {
  'TOKEN-CLIENT-AUTH-METHOD': {
    request: 'the client authentication method that is not registered for the client',
    documented: invalidClient,
  },
  'TOKEN-CLIENT-AUTH-MISSING': {
    request: 'a code exchange without client credentials',
    ...withoutCredentials,
  },
  'TOKEN-CLIENT-SECRET-MISSING': {
    request: 'a code exchange with a `client_id` and no secret',
    ...withoutCredentials,
  },
  'TOKEN-CLIENT-SECRET-EMPTY': {
    request: 'a code exchange with an empty client secret',
    ...withoutCredentials,
    interpretation:
      'An empty secret is wrong. As a parameter without a value, it also counts as absent (RFC 6749, 2.3.1 and 3.1): 400 `invalid_request` passes as well.',
  },
  'TOKEN-CLIENT-UNKNOWN': {
    request: 'a client that does not exist',
    documented: invalidClient,
    alternatives: [invalidGrant],
    interpretation:
      'A client that does not exist has no code of its own, so the code in the request belongs to another client: 400 `invalid_grant` passes as well.',
  },
  'TOKEN-CLIENT-SECRET': { request: 'a wrong client secret', documented: invalidClient },
  'TOKEN-MISSING-GRANT-TYPE': {
    request: 'a request without `grant_type`',
    documented: invalidRequest,
    alternatives: [unsupportedGrantType],
    interpretation:
      'An absent grant type is also an unsupported one: `unsupported_grant_type` passes as well.',
  },
  'TOKEN-MISSING-CODE': { request: 'a code exchange without `code`', documented: invalidRequest },
  'TOKEN-MISSING-REDIRECT-URI': {
    request: 'a code exchange without `redirect_uri`',
    documented: invalidRequest,
    alternatives: [invalidGrant, [400, 'redirect_uri_mismatch']],
    interpretation:
      'An absent redirect URI also differs from that of the authorization request: `invalid_grant` and `redirect_uri_mismatch` pass as well.',
  },
  'TOKEN-MISSING-REFRESH-TOKEN': { request: 'a refresh without `refresh_token`', documented: invalidRequest },
  'TOKEN-DUPLICATE-GRANT-TYPE': duplicate('grant_type'),
  'TOKEN-DUPLICATE-CODE': duplicate('code'),
  'TOKEN-DUPLICATE-REDIRECT-URI': duplicate('redirect_uri'),
  'TOKEN-DUPLICATE-CODE-VERIFIER': duplicate('code_verifier'),
  'TOKEN-DUPLICATE-REFRESH-TOKEN': duplicate('refresh_token'),
  'TOKEN-DUPLICATE-DIFFERENT': {
    request: 'a code exchange with two different values of every parameter, or with `client_id` twice',
    documented: invalidRequest,
    interpretation:
      'If the credentials are in the header, a `client_id` in the form may count as a second authentication method. For `client_id` twice, 401 `invalid_client` therefore passes as well.',
  },
  'TOKEN-BODY-JSON': {
    request: 'a JSON body',
    ...withoutForm,
    alternativeStatus: 415,
    interpretation: `${withoutForm.interpretation} 415 (RFC 9110, 15.5.16) is a note.`,
  },
  'TOKEN-BODY-MALFORMED': { request: 'a body that is not a valid form', ...withoutForm },
  'TOKEN-CODE-SINGLE-USE': { request: 'a used code', documented: invalidGrant },
  'TOKEN-REDIRECT-URI-MATCH': {
    request: 'a code exchange with a different redirect URI',
    documented: invalidGrant,
    alternatives: [[400, 'redirect_uri_mismatch']],
    interpretation:
      'The different redirect URI is not registered. For that, `redirect_uri_mismatch` is documented (Platform errors): it passes as well.',
  },
  'TOKEN-REFRESH-OLD-REFUSED': { request: 'a replaced refresh token', documented: invalidGrant },
  'TOKEN-REFRESH-CLIENT-AUTH': { request: 'a refresh without client credentials', ...withoutCredentials },
  'TOKEN-REFRESH-SECRET-MISSING': {
    request: 'a refresh with a `client_id` and no secret',
    ...withoutCredentials,
  },
  'TOKEN-REFRESH-AUTH-METHOD': {
    request: 'a refresh with the client authentication method that is not registered for the client',
    documented: invalidClient,
  },
  'TOKEN-REFRESH-CLIENT-SECRET': {
    request: 'a refresh with a wrong client secret',
    documented: invalidClient,
  },
  'TOKEN-REFRESH-RACE': {
    request: 'a refresh that loses to a concurrent one with the same token',
    documented: invalidGrant,
  },
  'TOKEN-GRANT-PASSWORD': { request: 'the grant `password`', documented: unsupportedGrantType },
  'TOKEN-GRANT-UNKNOWN': { request: 'a grant type that does not exist', documented: unsupportedGrantType },
} as const satisfies Readonly<Record<string, TokenRefusal>>

export type TokenRefusalId = keyof typeof refusals
export type RefusalErrorId = `${TokenRefusalId}-ERROR`

/** The requirements `…-ERROR` on the status and error of each refusal. */
export const refusalErrorStatements = Object.fromEntries(
  Object.entries<TokenRefusal>(refusals).map(
    ([
      id,
      {
        request,
        documented: [status, error],
        interpretation,
      },
    ]) => [
      `${id}-ERROR`,
      must(
        'Errors: Token endpoint',
        `${capitalized(request)} is refused with ${status} and \`${error}\`.`,
        interpretation,
      ),
    ],
  ),
) as Readonly<Record<RefusalErrorId, Requirement>>

/** Every status and error that passes for a refusal, the documented one first. */
export function permittedErrors(
  { documented, alternatives = [], withCredentialsInForm }: TokenRefusal,
  credentialsInForm: boolean,
): readonly RefusalError[] {
  const forForm = credentialsInForm && withCredentialsInForm ? [withCredentialsInForm] : []
  return [documented, ...alternatives, ...forForm]
}
