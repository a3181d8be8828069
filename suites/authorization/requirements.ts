import { defineArea } from '../../src/check/catalogue.ts'
import { turns } from '../../src/check/check-options.ts'
import { fixtures } from '../../src/check/fixtures.ts'
import { must, type Requirement, silent } from '../../src/check/requirement.ts'
import { errorNameStatements } from './error-name-statements.ts'
import { errorStatements } from './error-statements.ts'
import { interactionStatements } from './interaction-statements.ts'
import { LevelSteps } from './level-steps.ts'
import { RefusalSteps } from './refusal-steps.ts'
import { requestStatements } from './request-statements.ts'

const section = 'Authorization'

const area = {
  name: 'authorization',
  title: 'Authorization endpoint',
  order: 3,
  turn: turns.authorization,
  host: 'identity-provider',
  needs: ['application'],
} as const

const requirements = {
  'AUTHZ-CODE-FLOW': must(
    section,
    'After the user signs in, a valid request ends at the redirect URI with an authorization code.',
    'If the first valid request is refused, a wrong CLIENT_ID, REDIRECT_URI, SCOPE, REQUIRED_ACR or TEST_USER may be the reason: the verdict is then inconclusive, unless two more requests rule that out. A later refusal (an error such as `invalid_request`, or a page with a 4xx status) is a violation if a valid request that the same application sends afterwards returns a code. Other requirements judge requests with unusual values. Transient errors are recorded.',
  ),
  'AUTHZ-CODE-ADDRESS': must(
    section,
    'The code is sent to the redirect URI of the request, and to no other address.',
    'Addresses that differ only in the letter case of the host are equal, as they are for every URL parser.',
  ),
  'AUTHZ-STATE-ECHO': must(
    section,
    'A redirect with a code has the state of its request, byte for byte, and no other state.',
    'The check judges all redirects of a run. If the code is in the query, the state must be there, too. A state consists of visible ASCII characters and spaces (RFC 6749, appendix A.5).',
  ),
  'AUTHZ-STATE-CHARACTERS': silent(
    section,
    'The response to a state with non-ASCII characters is not specified.',
  ),
  'AUTHZ-RESPONSE-QUERY': must(
    section,
    'The redirect URI has exactly one code, in its query and not in its fragment.',
    'The check judges all redirects of a run that have a code. The same code twice passes, with a note: whether a parameter may be repeated is not specified.',
  ),
  'AUTHZ-NO-TOKEN': must(
    section,
    'The redirect with the code contains no token.',
    'The check judges all redirects of a run. Other parameters of the redirect are recorded. Tokens are recognised by their OAuth names; a JWT under another name is a note.',
  ),
  'AUTHZ-CODE-FRESH': must(section, 'Each authorization returns a different code.'),
  'AUTHZ-ISS': must(
    section,
    'The `iss` returned with the code is the issuer.',
    'The check judges all redirects of a run that have a code. `iss` is optional, so its absence passes. The check compares the `iss` byte for byte, like the `iss` of tokens.',
  ),
  'AUTHZ-EXTERNAL-USER-ID': silent(
    section,
    'The presence and the content of `am-ext-user-id` in the redirect with the code are not specified.',
  ),
  'AUTHZ-RESPONSE-PARAMETERS': silent(
    section,
    'Parameters of the redirect with the code other than `code`, `state`, `iss` and `am-ext-user-id` are not specified.',
  ),
  'AUTHZ-SUCCESS-STATUS': silent(section, 'The status of the redirect with the code is not specified.'),
  ...requestStatements,
  ...errorNameStatements,
  ...interactionStatements,
  ...errorStatements,
} as const satisfies Readonly<Record<string, Requirement>>

const areaFixtures = fixtures
  .extend('refusals', ({ run, authorization }) => new RefusalSteps(run, { authorization }))
  .extend('levels', ({ run, authorization, tokens }) => new LevelSteps(run, { authorization, tokens }))

/** The fixtures of the area's checks. */
export type AuthorizationContext = ReturnType<typeof areaFixtures.create>

export const { check } = defineArea(area, requirements, areaFixtures)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
