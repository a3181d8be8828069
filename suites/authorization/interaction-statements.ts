import type { Requirement } from '../../src/check/requirement.ts'

const section = 'Authorization'
const errors = 'Errors: Authorization endpoint'

/** What the user meets during an authorization, and what a request may demand of it. */
export const interactionStatements = {
  'AUTHZ-PROMPT-NONE': {
    section,
    level: 'must',
    statement: 'prompt=none without a session shows no page: the target redirects with an error.',
  },
  'AUTHZ-PROMPT-NONE-SESSION': {
    section,
    level: 'must',
    statement: 'prompt=none in a session that needs no interaction returns a code without a page.',
    ambiguity:
      'The same request without prompt shows whether interaction is needed: where it shows a page, only a page despite prompt=none is a violation.',
  },
  'AUTHZ-PROMPT-NONE-CONSENT': {
    section,
    level: 'must',
    statement: 'prompt=none before the user has consented shows no page: the target redirects with an error.',
    ambiguity:
      'Whether a target asks for consent is not specified: judged where the same request without prompt shows a consent page.',
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
    ambiguity: 'Judged where the target shows a consent page.',
  },
  'AUTHZ-LEVEL-CLAIMED': {
    section: errors,
    level: 'must',
    statement: 'An ID token does not claim a requested level that does not exist.',
    ambiguity:
      'A target may ignore an unknown level: an ID token with another acr passes. Judged where the request returns a code.',
  },
  'AUTHZ-ACR-LOWERED': {
    section: errors,
    level: 'must',
    statement: 'acr_values that cannot be met are refused: no code returns an ID token of a lower level.',
    ambiguity:
      'The order of levels is configuration (ACR_ORDER); judged for its highest level, where the request returns a code.',
  },
  'AUTHZ-ACR-VALUES': {
    section,
    level: 'silent',
    statement: 'The values of acr_values, and the outcome of unknown ones, are not shown.',
  },
  'AUTHZ-AUTH-LEVEL': {
    section,
    level: 'silent',
    statement:
      'The values of auth_level, the outcome of unknown ones, and the acr that they return are not shown.',
  },
} as const satisfies Record<string, Requirement>
