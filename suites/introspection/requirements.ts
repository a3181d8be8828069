import { defineArea } from '../../src/check/catalogue.ts'

const section = 'Introspection (unavailable to partners)'
const reference =
  'Applies only where the provider answers partners with JSON, which the document does not expect.'

export const { check } = defineArea('introspection', 'Introspection', {
  'INTROSPECTION-UNAVAILABLE': {
    section,
    level: 'must',
    statement: 'A partner that asks for introspection is refused: in UAT with an HTML page and status 400.',
    ambiguity:
      'The form of the refusal is an observation made in UAT, so another refusal is a note. Where introspection works, the reference behaviour is judged in its place.',
  },
  'INTROSPECTION-ACTIVE': {
    section: 'Introspection response (active token)',
    level: 'must',
    statement:
      'A good token is reported active, and the members that come with it have their documented types.',
    ambiguity: reference,
  },
  'INTROSPECTION-INACTIVE': {
    section: 'Introspection response (active token)',
    level: 'must',
    statement: 'A token that was never issued is reported with active false and nothing else.',
    ambiguity: reference,
  },
  'INTROSPECTION-TOKEN-REQUIRED': {
    section,
    level: 'must',
    statement: 'A request without token is refused with 400 and invalid_request.',
    ambiguity: reference,
  },
  'INTROSPECTION-CLIENT-AUTH': {
    section,
    level: 'must',
    statement: 'A request without client authentication is refused with 401 and invalid_client.',
    ambiguity: reference,
  },
})
