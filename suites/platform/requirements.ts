import { defineArea } from '../../src/check/catalogue.ts'
import type { Requirement } from '../../src/check/requirement.ts'

const limits = 'Limits'
const chance = 'Judged only on throttled answers that a run happens to meet; meeting none is no finding.'

const lookingForLimits =
  'A conformance run never looks for a limit: it would take what others need. Load probes do, politely.'

const area = {
  name: 'platform',
  title: 'Platform',
  order: 12,
  host: 'identity-provider',
} as const

const requirements = {
  'PLATFORM-THROTTLE-STATUS': {
    section: limits,
    level: 'must',
    statement: 'The response to a throttled request has status 429.',
    ambiguity: `${chance} A response with another error status throttles if its error is temporarily_unavailable; a 503 with any other body is a service error.`,
  },
  'PLATFORM-THROTTLE-BODY': {
    section: limits,
    level: 'must',
    statement: 'The response to a throttled request has a JSON body.',
    ambiguity: chance,
  },
  'PLATFORM-THROTTLE-ERROR': {
    section: limits,
    level: 'must',
    statement: 'The body of a throttled answer names the error temporarily_unavailable.',
    ambiguity: chance,
  },
  'PLATFORM-THROTTLE-DESCRIPTION': {
    section: limits,
    level: 'must',
    statement: 'The body of a throttled answer has an error_description.',
    ambiguity: chance,
  },
  'PLATFORM-RETRY-AFTER': {
    section: limits,
    level: 'must',
    statement: 'Retry-After of a throttled answer is a number of seconds.',
    ambiguity: `${chance} It comes usually, so its absence is a note. An HTTP-date is understood and is a note.`,
  },
  'PLATFORM-RETRY-AFTER-PRESENCE': {
    section: limits,
    level: 'silent',
    statement: 'Retry-After comes usually; which throttled answers go without it is not shown.',
    ambiguity: chance,
  },
  'PLATFORM-REDIRECT-MISMATCH': {
    section: 'Platform errors',
    level: 'must',
    statement: 'A redirect URI that is not registered is answered with status 400, or with a 302.',
    ambiguity: 'A 302 may lead to a page of the provider, whose own status is then not judged.',
  },
  'PLATFORM-REDIRECT-MISMATCH-ERROR': {
    section: 'Platform errors',
    level: 'must',
    statement:
      'A redirect that refuses an unregistered redirect URI names redirect_uri_mismatch or invalid_request.',
    ambiguity:
      'Both names are documented for it. What a page says is not shown, so only a redirect with an error is judged.',
  },
  'PLATFORM-NOT-FOUND': {
    section: 'Event search errors',
    level: 'must',
    statement: 'An address that does not exist at the partner API is answered 404.',
  },
  'PLATFORM-FEATURE-DISABLED': {
    section: 'Platform errors',
    level: 'must',
    statement: 'An answer whose type is FEATURE_DISABLED has status 403.',
    ambiguity: 'Judged only where an answer names it.',
  },
  'PLATFORM-FEATURE-DISABLED-MESSAGE': {
    section: 'Platform errors',
    level: 'must',
    statement: 'An answer whose type is FEATURE_DISABLED has a message.',
    ambiguity: 'Judged only where an answer names it.',
  },
  'PLATFORM-MACHINE-TO-MACHINE': {
    section: 'Authentication, 4',
    level: 'must',
    statement: 'client_credentials brings no token.',
  },
  'PLATFORM-LIMITED': {
    section: limits,
    level: 'must',
    statement: 'Every endpoint is rate limited.',
    reason: lookingForLimits,
  },
  'PLATFORM-LIMIT-PER-CLIENT': {
    section: limits,
    level: 'must',
    statement: 'Requests are limited for each client id.',
    reason: lookingForLimits,
  },
  'PLATFORM-LIMIT-PER-USER': {
    section: limits,
    level: 'must',
    statement: 'Requests are limited for each user account.',
    reason: lookingForLimits,
  },
  'PLATFORM-LIMIT-PER-ADDRESS': {
    section: limits,
    level: 'must',
    statement: 'Requests are limited for each source address.',
    reason: lookingForLimits,
  },
  'PLATFORM-LIMIT-VALUES': {
    section: limits,
    level: 'silent',
    statement: 'The numbers behind the limits are not published and may change without notice.',
    reason: lookingForLimits,
  },
  'PLATFORM-ENVIRONMENTS': {
    section: 'Introduction',
    level: 'must',
    statement: 'The test environment and production differ in their hosts only.',
    reason: 'Nobody can see it from one deployment; runs against both tell.',
  },
  'PLATFORM-ENVIRONMENT-LIMITS': {
    section: limits,
    level: 'must',
    statement: 'The test environment has lower limits than production and throttles in the same way.',
    reason: 'Nobody can see it from one deployment, and limits are looked for by load probes only.',
  },
  'PLATFORM-CLIENT-RETRY-AFTER': {
    section: limits,
    level: 'client',
    statement: 'A partner waits as long as Retry-After says.',
    reason:
      'Plumbline holds back every request of the run until then, and gives up on an absurd wait (tests/http/http.test.ts, "a throttled target").',
  },
  'PLATFORM-CLIENT-BACK-OFF': {
    section: limits,
    level: 'client',
    statement:
      'Without Retry-After a partner waits ever longer, with jitter, and gives up after a few tries.',
    ambiguity: 'Base, cap and number of tries are a sample.',
    reason:
      'Plumbline doubles from 1 s to 30 s, half of it by chance, and repeats at most 4 times (tests/http/retry-after.test.ts, tests/http/http.test.ts).',
  },
  'PLATFORM-CLIENT-RETRY-ONLY': {
    section: limits,
    level: 'client',
    statement: 'A partner repeats a call only after 429 and 503.',
    ambiguity:
      'Another place has every 5xx retried with back-off: a request that changes nothing may be asked once more after those.',
    reason:
      'Plumbline repeats what changes something after 429 and 503 only (tests/http/http.test.ts, "a request is repeated").',
  },
  'PLATFORM-CLIENT-SERVICE-ERROR': {
    section: 'Platform errors',
    level: 'client',
    statement: 'A partner takes a 5xx for passing and tries again with back-off.',
    reason:
      'Plumbline asks once more where nothing can be changed by it, then leaves the check undecided (tests/http/http.test.ts, "a request is repeated"; proved with the providers whose refusals are broken).',
  },
  'PLATFORM-CLIENT-NO-TIGHT-LOOP': {
    section: limits,
    level: 'client',
    statement: 'A partner never asks in a tight loop.',
    reason:
      'Plumbline waits at least half a second before a repetition, also where Retry-After is 0 (tests/http/http.test.ts, "is not asked in a tight loop").',
  },
  'PLATFORM-URL-VERSION': {
    section: 'Versioning',
    level: 'silent',
    statement: 'Whether and how addresses carry a version is not shown.',
  },
  'PLATFORM-DEPRECATION': {
    section: 'Versioning',
    level: 'silent',
    statement: 'How the end of an interface is announced is not shown.',
  },
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(area, requirements)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
