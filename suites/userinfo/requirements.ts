import { defineArea } from '../../src/check/catalogue.ts'

const bearer = 'Errors: Bearer-token errors'

export const { check } = defineArea('userinfo', 'UserInfo', {
  'USERINFO-BEARER': {
    section: 'UserInfo',
    level: 'must',
    statement: 'A good access token as bearer credential is answered with success.',
    ambiguity: 'The body is not shown; JSON is only asked for by the Accept header.',
  },
  'USERINFO-TOKEN-REQUIRED': {
    section: 'Authentication, 3',
    level: 'must',
    statement: 'Without an access token there are no claims.',
    ambiguity: 'The form of this refusal is not shown.',
  },
  'USERINFO-MALFORMED-TOKEN': {
    section: bearer,
    level: 'must',
    statement: 'A malformed access token is answered 401 with a Bearer challenge that names invalid_token.',
  },
  'USERINFO-TAMPERED-TOKEN': {
    section: bearer,
    level: 'must',
    statement:
      'An access token with an altered signature is answered 401 with a Bearer challenge that names invalid_token.',
  },
  'USERINFO-CLAIMS': {
    section: 'ID token / access token claims checked by clients',
    level: 'silent',
    statement: 'Which claims user-info holds is not shown.',
  },
})
