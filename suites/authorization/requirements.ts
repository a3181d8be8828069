import { defineArea } from '../../src/check/catalogue.ts'
import type { Requirement } from '../../src/check/requirement.ts'
import { errorStatements } from './error-statements.ts'
import { interactionStatements } from './interaction-statements.ts'
import { requestStatements } from './request-statements.ts'

const section = 'Authorization'

const area = {
  name: 'authorization',
  title: 'Authorization endpoint',
  order: 3,
  host: 'identity-provider',
} as const

const requirements = {
  'AUTHZ-CODE-FLOW': {
    section,
    level: 'must',
    statement: 'A complete request for a signed-in user ends at the redirect URI with an authorization code.',
    ambiguity:
      'A refusal that a wrong CLIENT_ID, REDIRECT_URI, SCOPE, REQUIRED_ACR or TEST_USER would bring about as well leaves it undecided.',
  },
  'AUTHZ-CODE-ADDRESS': {
    section,
    level: 'must',
    statement: 'The code is sent to the redirect URI of the request, and to no other address.',
    ambiguity: 'Addresses that differ only in ways no parser keeps (letter case of the host) are the same.',
  },
  'AUTHZ-STATE-ECHO': {
    section,
    level: 'must',
    statement: 'The state that comes back with a code is the state that was sent, byte for byte.',
    ambiguity: 'A state consists of visible ASCII characters and spaces (RFC 6749, appendix A.5).',
  },
  'AUTHZ-STATE-CHARACTERS': {
    section,
    level: 'silent',
    statement: 'What becomes of a state with characters outside ASCII is not shown.',
  },
  'AUTHZ-RESPONSE-QUERY': {
    section,
    level: 'must',
    statement: 'The code is in the query of the redirect URI, not in its fragment.',
  },
  'AUTHZ-NO-TOKEN': {
    section,
    level: 'must',
    statement: 'The redirect with the code carries no token.',
    ambiguity:
      'Other parameters beside the code are recorded; tokens are told by the names OAuth gives them, and a JWT under another name is a note.',
  },
  'AUTHZ-CODE-FRESH': {
    section,
    level: 'must',
    statement: 'Each authorization brings a code of its own.',
  },
  'AUTHZ-ISS': {
    section,
    level: 'must',
    statement: 'iss, where it accompanies the code, is the issuer.',
    ambiguity:
      'It is there possibly, so its absence is no finding. Compared byte for byte, as the iss of tokens.',
  },
  'AUTHZ-EXTERNAL-USER-ID': {
    section,
    level: 'silent',
    statement: 'am-ext-user-id may accompany the code; whether it does and what it holds is not shown.',
  },
  'AUTHZ-RESPONSE-PARAMETERS': {
    section,
    level: 'silent',
    statement: 'Which parameters accompany the code beside state, iss and am-ext-user-id is not shown.',
  },
  'AUTHZ-SUCCESS-STATUS': {
    section,
    level: 'silent',
    statement: 'The status of the redirect with the code is not shown; only that of an error is.',
  },
  ...requestStatements,
  ...interactionStatements,
  ...errorStatements,
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(area, requirements)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
