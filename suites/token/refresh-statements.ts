import { must, type Requirement, silent } from '../../src/check/requirement.ts'
import { refusedOnly } from './refusals.ts'

const refresh = 'Token: refresh'
const response = 'Token response'
const errors = 'Errors: Token endpoint'
const authentication = 'Authentication, 2'

const sameRule =
  'The check judges a refresh only if the code exchange follows the rule. Otherwise only the requirement on the code exchange is violated.'
const sameFlaw =
  'If the target also accepts a code exchange with the same flaw, only the requirement on the exchange is violated, and this one is inconclusive.'

/** Requirements on refreshes and their responses. */
export const refreshStatements = {
  'TOKEN-REFRESH': must(refresh, 'A refresh returns 200 and an access token.'),
  'TOKEN-REFRESH-NEW': must(
    refresh,
    'A refresh returns a new access token.',
    'Two JWTs issued in the same second may be equal, so the check compares tokens that were issued more than a second apart. It judges all refreshes of the run.',
  ),
  'TOKEN-REFRESH-ROTATION': silent(
    refresh,
    'Whether a refresh rotates, repeats or omits the refresh token is not specified.',
  ),
  'TOKEN-REFRESH-TOKEN-FORM': must(
    refresh,
    'The refresh token of a refresh response, if present, is a non-empty string.',
    'A refresh may omit the refresh token.',
  ),
  'TOKEN-REFRESH-NEWEST': must(
    refresh,
    'The newest refresh token is accepted: the one that the last refresh returned or kept.',
    'A refresh may rotate, repeat or omit the refresh token. Whether another exchange or authorization invalidates the refresh token is not specified: at the end of the run, the check judges only refresh tokens that were sent right after they were issued.',
  ),
  'TOKEN-REFRESH-KEEP-NEWEST': {
    section: refresh,
    level: 'client',
    statement: 'A partner keeps the newest refresh token it received.',
    reason:
      'Plumbline keeps the tokens of its shared login in TokenKeeper (src/oauth/token-keeper.ts), shown by tests/oauth/token-keeper.test.ts',
  },
  'TOKEN-REFRESH-SCOPE': must(
    response,
    'The `scope` of a refresh response, if present, is a non-empty string.',
    sameRule,
  ),
  'TOKEN-REFRESH-TYPE': must(response, 'The `token_type` of a refresh response is `bearer`.', sameRule),
  'TOKEN-REFRESH-EXPIRES-IN': must(
    response,
    'The `expires_in` of a refresh response is a positive whole number of seconds.',
    sameRule,
  ),
  'TOKEN-REFRESH-CLIENT-AUTH': must(refresh, 'A refresh without client credentials is refused.'),
  'TOKEN-REFRESH-SECRET-MISSING': must(refresh, 'A refresh with a `client_id` and no secret is refused.'),
  'TOKEN-REFRESH-AUTH-METHOD': must(
    authentication,
    'A refresh with the client authentication method that is not registered for the client is refused.',
    sameFlaw,
  ),
  'TOKEN-REFRESH-CLIENT-SECRET': must(errors, 'A refresh with a wrong client secret is refused.', sameFlaw),
  'TOKEN-REFRESH-UNKNOWN': must(refresh, 'A refresh token that was never issued is refused.', refusedOnly),
  'TOKEN-REFRESH-OTHER-CLIENT': must(
    refresh,
    'A refresh token that was issued to another application is refused.',
    refusedOnly,
  ),
  'TOKEN-REFRESH-RACE': must(
    refresh,
    'Each of two concurrent refreshes with one token returns a valid access token or is refused.',
    'Both refreshes, one or none may succeed; their number is recorded. Whether one access token invalidates the other is not specified. The check therefore judges only their signatures, if the signatures of other tokens are valid.',
  ),
} as const satisfies Readonly<Record<string, Requirement>>
