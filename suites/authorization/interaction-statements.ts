import type { Requirement } from '../../src/check/requirement.ts'

const section = 'Authorization'
const errors = 'Errors: Authorization endpoint'
const level =
  'Which levels a provider knows, and whether it heeds a wish for one, is not shown: a request that is served, or that ends at a page, is not judged. unmet_authentication_requirements and access_denied each have a cause that fits; the other one is a note.'

/** What a user meets on the way, and what may be asked for about it. */
export const interactionStatements = {
  'AUTHZ-PROMPT-NONE': {
    section,
    level: 'must',
    statement: 'With prompt=none and nobody signed in, no page is shown: an error comes back.',
  },
  'AUTHZ-PROMPT-NONE-ERROR': {
    section: errors,
    level: 'must',
    statement: 'With prompt=none and nobody signed in, the error says that interaction is needed.',
    ambiguity: 'login_required, interaction_required and consent_required share one line of the document.',
  },
  'AUTHZ-PROMPT-NONE-SESSION': {
    section,
    level: 'must',
    statement: 'With prompt=none in a session that needs no interaction, a code comes without any page.',
    ambiguity:
      'Whether interaction is needed is seen from the same request without prompt: where that shows a page, only that none is shown is asked.',
  },
  'AUTHZ-PROMPT-NONE-CONSENT': {
    section,
    level: 'must',
    statement: 'With prompt=none where the user has yet to consent, no page is shown: an error comes back.',
    ambiguity:
      'Whether consent is asked for is not said. It is judged where the same request without prompt shows a consent page.',
  },
  'AUTHZ-PROMPT-NONE-CONSENT-ERROR': {
    section: errors,
    level: 'must',
    statement:
      'With prompt=none where the user has yet to consent, the error says that interaction is needed.',
    ambiguity: 'consent_required, interaction_required and login_required all describe it.',
  },
  'AUTHZ-USER-CANCEL': {
    section: errors,
    level: 'must',
    statement: 'A user who cancels instead of signing in comes back with access_denied.',
  },
  'AUTHZ-CONSENT-REFUSED': {
    section: errors,
    level: 'must',
    statement: 'A signed-in user who cancels at the consent page comes back with access_denied.',
    ambiguity: 'Judged where a consent page is shown.',
  },
  'AUTHZ-ACR-UNMET': {
    section: errors,
    level: 'must',
    statement: 'acr_values that are refused because they cannot be met are refused with that error.',
    ambiguity: `${level} An unknown value may also be called malformed (invalid_request).`,
  },
  'AUTHZ-AUTH-LEVEL-UNMET': {
    section: errors,
    level: 'must',
    statement: 'An auth_level for which the user has no factor is refused with access_denied.',
    ambiguity: level,
  },
  'AUTHZ-ACR-VALUES': {
    section,
    level: 'silent',
    statement: 'The values that acr_values may take, and what becomes of unknown ones, are not shown.',
  },
  'AUTHZ-AUTH-LEVEL': {
    section,
    level: 'silent',
    statement: 'The values that auth_level may take, and what becomes of unknown ones, are not shown.',
  },
} as const satisfies Record<string, Requirement>
