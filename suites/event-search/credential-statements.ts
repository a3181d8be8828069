import { must, type Requirement } from '../../src/check/requirement.ts'

const section = 'Authentication'
const interpretation = 'The status of this refusal is not specified; it is recorded.'

const refused = (statement: string) => must(section, statement, interpretation)

/** Requirements on the credentials of a search. */
export const credentialStatements = {
  'EVENT-CREDENTIALS-REQUIRED': refused('A search without `X-Client-Id` and `X-Client-Secret` is refused.'),
  'EVENT-SECRET-REQUIRED': refused('A search with only `X-Client-Id` is refused.'),
  'EVENT-CLIENT-ID-REQUIRED': refused('A search with only `X-Client-Secret` is refused.'),
  'EVENT-SECRET-WRONG': refused('A search with an unknown `X-Client-Secret` is refused.'),
  'EVENT-CLIENT-ID-WRONG': refused(
    "A search with an unknown `X-Client-Id` and the partner's `X-Client-Secret` is refused.",
  ),
  'EVENT-SECRET-OF-ANOTHER': refused("A search with another partner's `X-Client-Secret` is refused."),
  'EVENT-NO-OAUTH': refused(
    "A search with a user's access token in place of the partner's credentials, or in place of `X-Client-Secret` alone, is refused.",
  ),
  'EVENT-NO-ID-TOKEN': refused(
    "A search with a user's ID token in place of the partner's credentials is refused.",
  ),
  'EVENT-NO-BASIC': refused(
    "A search with the partner's id and secret in HTTP Basic in place of the headers is refused.",
  ),
  'EVENT-UNENTITLED': must(
    'Event search errors',
    'A search with the valid credentials of a partner without the Event Hub is refused with 403.',
  ),
} as const satisfies Readonly<Record<string, Requirement>>
