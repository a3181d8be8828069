import type { Requirement } from '../../src/check/requirement.ts'

const section = 'Authentication'
const ambiguity = 'The status of this refusal is not specified; it is recorded.'

const refused = (statement: string) => ({ section, level: 'must', statement, ambiguity }) as const

/** Requirements on the credentials of a search. */
export const credentialStatements = {
  'EVENT-CREDENTIALS-REQUIRED': refused('A search without X-Client-Id and X-Client-Secret is refused.'),
  'EVENT-SECRET-REQUIRED': refused('A search with only X-Client-Id is refused.'),
  'EVENT-CLIENT-ID-REQUIRED': refused('A search with only X-Client-Secret is refused.'),
  'EVENT-SECRET-WRONG': refused('A search with an unknown X-Client-Secret is refused.'),
  'EVENT-CLIENT-ID-WRONG': refused(
    "A search with an unknown X-Client-Id and the partner's X-Client-Secret is refused.",
  ),
  'EVENT-SECRET-OF-ANOTHER': refused("A search with another partner's X-Client-Secret is refused."),
  'EVENT-NO-OAUTH': refused(
    "A user's access token replaces neither the partner's credentials nor X-Client-Secret.",
  ),
  'EVENT-NO-ID-TOKEN': refused("A user's ID token does not replace the partner's credentials."),
  'EVENT-NO-BASIC': refused(
    "The partner's id and secret in HTTP Basic, as OAuth clients send theirs, do not replace the headers.",
  ),
  'EVENT-UNENTITLED': {
    section: 'Event search errors',
    level: 'must',
    statement: 'A search by a partner without the Event Hub, with valid credentials, is refused with 403.',
  },
} as const satisfies Readonly<Record<string, Requirement>>
