import { defineArea } from '../../src/check/catalogue.ts'

const limits = 'Limits'
const chance = 'Judged only on throttled answers that a run happens to meet; meeting none is no finding.'

export const { check } = defineArea('platform', 'Platform', {
  'PLATFORM-THROTTLE-BODY': {
    section: limits,
    level: 'must',
    statement:
      'A throttled request is answered with a JSON body: error temporarily_unavailable, and error_description.',
    ambiguity: chance,
  },
  'PLATFORM-RETRY-AFTER': {
    section: limits,
    level: 'must',
    statement: 'Retry-After of a throttled answer is a number of seconds.',
    ambiguity: `${chance} It comes usually, so its absence is a note. An HTTP-date is understood and is a note.`,
  },
  'PLATFORM-REDIRECT-MISMATCH': {
    section: 'Platform errors',
    level: 'must',
    statement: 'A redirect URI that is not registered is answered with status 400, or with a 302.',
  },
  'PLATFORM-NOT-FOUND': {
    section: 'Event search errors',
    level: 'must',
    statement: 'An address that does not exist at the partner API is answered 404.',
  },
  'PLATFORM-FEATURE-DISABLED': {
    section: 'Platform errors',
    level: 'must',
    statement: 'An answer FEATURE_DISABLED has status 403 and the members type and message.',
    ambiguity: 'Judged only where an answer names it.',
  },
  'PLATFORM-MACHINE-TO-MACHINE': {
    section: 'Authentication, 4',
    level: 'must',
    statement: 'client_credentials brings no token.',
  },
})
