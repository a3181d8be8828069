import type { Requirement } from '../../src/check/requirement.ts'

const section = 'Errors: Authorization endpoint'

/** How the authorization endpoint refuses. */
export const errorStatements = {
  'AUTHZ-ERROR-REDIRECT': {
    section: 'Authorization',
    level: 'must',
    statement: 'An error goes to the redirect URI of a known application, as the parameter error.',
    ambiguity:
      'Every redirect of the run with neither code nor error is one finding here; the names of errors are judged where each is asked for.',
  },
  'AUTHZ-REDIRECT-302': {
    section,
    level: 'must',
    statement: 'The redirect with an error has status 302.',
  },
  'AUTHZ-ERROR-QUERY': {
    section,
    level: 'must',
    statement: 'An error is in the query of the redirect URI, not in its fragment.',
  },
  'AUTHZ-ERROR-STATE': {
    section: 'Authorization',
    level: 'must',
    statement: 'An error comes with the state that was sent.',
  },
  'AUTHZ-ERROR-WITHOUT-CODE': {
    section,
    level: 'must',
    statement: 'A redirect with an error carries no code.',
  },
  'AUTHZ-ERROR-PARAMETERS': {
    section,
    level: 'silent',
    statement: 'Which parameters accompany error and state is not shown.',
  },
  'AUTHZ-UNAUTHORIZED-CLIENT': {
    section,
    level: 'must',
    statement: 'An application that may not use this flow is refused with unauthorized_client.',
    reason: 'Needs an application that is registered but may not use the authorization code flow.',
  },
  'AUTHZ-SERVER-ERROR': {
    section,
    level: 'must',
    statement: 'A passing failure of the provider is called server_error.',
    reason: 'A failure of the provider cannot be brought about from outside.',
  },
  'AUTHZ-TEMPORARILY-UNAVAILABLE': {
    section,
    level: 'must',
    statement: 'Overload or maintenance is called temporarily_unavailable.',
    reason: 'Overload and maintenance cannot be brought about politely.',
  },
  'AUTHZ-CLIENT-RETRY': {
    section,
    level: 'client',
    statement:
      'A partner asks again after server_error, with back-off, and after temporarily_unavailable, when Retry-After says so.',
    reason:
      'Plumbline asks once more after either, then leaves the check undecided (tests/check/authorization.test.ts; proved with the provider authorization-busy-now-and-then).',
  },
  'AUTHZ-CLIENT-NO-RETRY': {
    section,
    level: 'client',
    statement: 'A partner does not repeat a request that was refused with any other error.',
    reason: 'Plumbline judges every other error at once (tests/check/authorization.test.ts).',
  },
} as const satisfies Record<string, Requirement>
