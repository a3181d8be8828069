import type { Requirement } from '../../src/check/requirement.ts'

const section = 'Authorization'
const errors = 'Errors: Authorization endpoint'

/** Requirements on prompt, consent, cancellation and authentication levels. */
export const interactionStatements = {
  'AUTHZ-PROMPT-NONE': {
    section,
    level: 'must',
    statement:
      'A request with `prompt=none` and without a session shows no page: the target redirects with an error.',
  },
  'AUTHZ-PROMPT-NONE-SESSION': {
    section,
    level: 'must',
    statement:
      'A request with `prompt=none` in a session that needs no interaction returns a code without a page.',
    ambiguity:
      'The same request without `prompt` shows whether interaction is needed: if it shows a page, only a page despite `prompt=none` is a violation.',
  },
  'AUTHZ-PROMPT-NONE-CONSENT': {
    section,
    level: 'must',
    statement:
      'A request with `prompt=none` before the user has consented shows no page: the target redirects with an error.',
    ambiguity:
      'Whether a target asks for consent is not specified: the check applies if the same request without `prompt` shows a consent page.',
  },
  'AUTHZ-USER-CANCEL': {
    section: errors,
    level: 'must',
    statement: 'A login that the user cancels returns no code.',
  },
  'AUTHZ-CONSENT-REFUSED': {
    section: errors,
    level: 'must',
    statement: 'An authorization that the user cancels on the consent page returns no code.',
    ambiguity: 'The check applies if the target shows a consent page.',
  },
  'AUTHZ-LEVEL-CLAIMED': {
    section: errors,
    level: 'must',
    statement: 'An ID token does not claim a requested level that does not exist.',
    ambiguity:
      'A target may ignore an unknown level: an ID token with a different `acr` passes. The check applies if the request returns a code.',
  },
  'AUTHZ-ACR-LOWERED': {
    section: errors,
    level: 'must',
    statement:
      'A request with `acr_values` that the target cannot meet does not return a code whose ID token has a lower level.',
    ambiguity:
      'ACR_ORDER configures the order of levels. The check requests the highest one, and applies if the request returns a code. A target that refuses the weakest level of ACR_ORDER shows that the order is wrong.',
  },
  'AUTHZ-ACR-VALUES': {
    section,
    level: 'silent',
    statement: 'The values of `acr_values`, and the response to unknown values, are not specified.',
  },
  'AUTHZ-AUTH-LEVEL': {
    section,
    level: 'silent',
    statement:
      'The values of `auth_level`, the response to unknown values, and the `acr` of the ID token are not specified.',
  },
} as const satisfies Record<string, Requirement>
