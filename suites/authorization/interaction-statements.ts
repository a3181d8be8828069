import { must, type Requirement, silent } from '../../src/check/requirement.ts'

const section = 'Authorization'
const errors = 'Errors: Authorization endpoint'

/** Requirements on prompt, consent, cancellation and authentication levels. */
export const interactionStatements = {
  'AUTHZ-PROMPT-NONE': must(
    section,
    'A request with `prompt=none` and without a session shows no page: the target redirects with an error.',
  ),
  'AUTHZ-PROMPT-NONE-SESSION': must(
    section,
    'A request with `prompt=none` in a session that needs no interaction returns a code without a page.',
    'The same request without `prompt` shows whether interaction is needed: if that request shows a page, an error passes, and only a page despite `prompt=none` is a violation.',
  ),
  'AUTHZ-PROMPT-NONE-CONSENT': must(
    section,
    'A request with `prompt=none` before the user has consented shows no page: the target redirects with an error.',
    'Whether a target asks for consent is not specified: the check applies if the same request without `prompt` shows a consent page.',
  ),
  'AUTHZ-USER-CANCEL': must(errors, 'A login that the user cancels returns no code.'),
  'AUTHZ-CONSENT-REFUSED': must(
    errors,
    'An authorization that the user cancels on the consent page returns no code.',
    'The check applies if the target shows a consent page.',
  ),
  'AUTHZ-LEVEL-CLAIMED': must(
    errors,
    'An ID token does not claim a requested level that does not exist.',
    'A target may ignore an unknown level: an ID token with a different `acr` passes. The check applies if the request returns a code.',
  ),
  'AUTHZ-ACR-LOWERED': must(
    errors,
    'A request with `acr_values` that the target cannot meet does not return a code whose ID token has a lower level.',
    'ACR_ORDER configures the order of levels. The check requests the highest level, and applies if the request returns a code. If the target refuses the weakest level of ACR_ORDER, the order is wrong, and the check is inconclusive.',
  ),
  'AUTHZ-ACR-VALUES': silent(
    section,
    'The values of `acr_values`, and the response to unknown values, are not specified.',
  ),
  'AUTHZ-AUTH-LEVEL': silent(
    section,
    'The values of `auth_level`, the response to unknown values, and the `acr` of the ID token are not specified.',
  ),
} as const satisfies Record<string, Requirement>
