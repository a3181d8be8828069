import { must, type Requirement, silent } from '../../src/check/requirement.ts'

const section = 'Errors: Authorization endpoint'
const all = 'The check judges all errors of a run, and reports them together.'

/** How the authorization endpoint refuses. */
export const errorStatements = {
  'AUTHZ-ERROR-REDIRECT': must(
    'Authorization',
    'If the provider refuses a request of a known application with its registered redirect URI, it redirects to that URI, keeps the query of the URI, and adds an error.',
    'The check judges all refused requests of a run, and reports them together. A request that ends at a page that waits for the user is inconclusive; AUTHZ-PROMPT-NONE judges pages despite `prompt=none`. If the specification does not require a refusal, a page is recorded and not judged.',
  ),
  'AUTHZ-REDIRECT-302': must(section, 'A redirect with an error has status 302.', all),
  'AUTHZ-ERROR-QUERY': must(
    section,
    'An error is in the query of the redirect URI, not in its fragment.',
    `${all} OAuth puts errors of response types other than \`code\` in the fragment: AUTHZ-ERROR-FRAGMENT records their place.`,
  ),
  'AUTHZ-ERROR-FRAGMENT': silent(
    section,
    'Whether errors of response types other than `code` are in the fragment is not specified.',
  ),
  'AUTHZ-ERROR-STATE': must(
    'Authorization',
    'A redirect with an error has the state of its request and no other state.',
    `${all} If the error is in the query, the state must be there, too.`,
  ),
  'AUTHZ-ERROR-SINGLE': must(
    section,
    'A redirect has at most one error.',
    `${all} The same error twice passes, with a note: whether a parameter may be repeated is not specified.`,
  ),
  'AUTHZ-ERROR-WITHOUT-CODE': must(
    section,
    'A redirect with an error has neither a code nor a token.',
    `${all} It includes valid requests that return a code and an error. An empty \`code\` or token does not count.`,
  ),
  'AUTHZ-ERROR-PARAMETERS': silent(
    section,
    'Parameters of a redirect with an error other than `error` and `state` are not specified.',
  ),
  'AUTHZ-UNAUTHORIZED-CLIENT': {
    ...must(
      section,
      'An application that may not use this flow is refused with the error `unauthorized_client`.',
    ),
    reason: 'Needs an application that is registered but may not use the authorization code flow',
  },
  'AUTHZ-SERVER-ERROR': {
    ...must(section, 'The target reports a transient failure with the error `server_error`.'),
    reason: 'A client cannot cause a failure of the target',
  },
  'AUTHZ-TEMPORARILY-UNAVAILABLE': {
    ...must(section, 'The target reports overload and maintenance with the error `temporarily_unavailable`.'),
    reason: 'A client must not cause overload and cannot cause maintenance',
  },
  'AUTHZ-CLIENT-RETRY': {
    section,
    level: 'client',
    statement:
      'A partner retries after `server_error` with back-off, and after `temporarily_unavailable` when Retry-After has elapsed.',
    reason:
      'Plumbline retries an authorization request once after `server_error` or `temporarily_unavailable`, then leaves the check inconclusive (tests/check/authorization/authorization.test.ts; the proof uses the variant authorization-busy-now-and-then)',
  },
  'AUTHZ-CLIENT-NO-RETRY': {
    section,
    level: 'client',
    statement: 'A partner does not retry a request that was refused with any other error.',
    reason:
      'Plumbline judges every error other than `server_error` and `temporarily_unavailable` without a retry (tests/check/authorization/authorization.test.ts)',
  },
} as const satisfies Record<string, Requirement>
