import { defineArea } from '../../src/check/catalogue.ts'
import { must, type Requirement, silent } from '../../src/check/requirement.ts'

const limits = 'Limits'
const onlyReceived =
  'The check judges only the throttled responses that a run happens to receive. Without any, it is not applicable.'

const notInRuns =
  'Not judged in any run, since other users share the limits. Load probes measure limits, and record them under PLATFORM-LIMIT-VALUES'

const area = {
  name: 'platform',
  title: 'Platform',
  order: 12,
  host: 'identity-provider',
} as const

const requirements = {
  'PLATFORM-THROTTLE-STATUS': must(
    limits,
    'The response to a throttled request has status 429.',
    `${onlyReceived} A 2xx or another 4xx counts as throttled if its error is \`temporarily_unavailable\`. A 403 counts if it has Retry-After. A 4xx without \`error\` and \`type\` counts if its JSON states that a limit was exceeded. A 503 counts if its JSON states that a limit was exceeded ("too many requests"). A 503 with the error \`temporarily_unavailable\` also counts if its \`error_description\` equals that of a 429 in the same run. Any other 503 with this error is a note: overload and maintenance have the same error, and a 503 is a documented transient failure.`,
  ),
  'PLATFORM-THROTTLE-BODY': must(
    limits,
    'The response to a throttled request has a JSON body.',
    onlyReceived,
  ),
  'PLATFORM-THROTTLE-ERROR': must(
    limits,
    'The body of a throttled response has the error `temporarily_unavailable`.',
    onlyReceived,
  ),
  'PLATFORM-THROTTLE-DESCRIPTION': must(
    limits,
    'The body of a throttled response has an `error_description`.',
    `${onlyReceived} The description is not empty.`,
  ),
  'PLATFORM-RETRY-AFTER': must(
    limits,
    'Retry-After of a throttled response is a number of seconds.',
    `${onlyReceived} The header is "usually" present, so its absence is a note. An HTTP-date is a note, too, even in a 503 that does not count as throttled.`,
  ),
  'PLATFORM-RETRY-AFTER-PRESENCE': silent(
    limits,
    'Whether every throttled response has Retry-After is not specified.',
    'The header is "usually" present. The check records only the throttled responses that a run happens to receive. Without any, it is not applicable.',
  ),
  'PLATFORM-REDIRECT-MISMATCH': must(
    'Platform errors',
    'The response to a redirect URI that is not registered has status 400 or 302.',
    'A 302 may lead to a page of the provider, whose own status is then not judged. Redirects with other statuses may precede the 302 or 400.',
  ),
  'PLATFORM-REDIRECT-MISMATCH-ERROR': must(
    'Platform errors',
    'A redirect that refuses an unregistered redirect URI has the error `redirect_uri_mismatch` or `invalid_request`.',
    'Both names are documented. The text of a page is not specified, so only a redirect with an error is judged.',
  ),
  'PLATFORM-NOT-FOUND': must(
    'Event search errors',
    'A request for a partner API address that does not exist returns 404.',
  ),
  'PLATFORM-FEATURE-DISABLED-TYPE': must(
    'Platform errors',
    'A response that contains FEATURE_DISABLED has it as the `type` of a JSON body.',
    'The checks send a search by a partner without the Event Hub, an introspection request, and a request for the list of webhook subscriptions. A check is not applicable if its response does not contain FEATURE_DISABLED. Another spelling counts only as the `type`.',
  ),
  'PLATFORM-FEATURE-DISABLED': must(
    'Platform errors',
    'A response that contains FEATURE_DISABLED has status 403.',
    'The checks send a search by a partner without the Event Hub, an introspection request, and a request for the list of webhook subscriptions. A check is not applicable if its response does not contain FEATURE_DISABLED. Another spelling counts only as the `type`.',
  ),
  'PLATFORM-FEATURE-DISABLED-MESSAGE': must(
    'Platform errors',
    'A response with the type FEATURE_DISABLED has a message.',
    'The checks send a search by a partner without the Event Hub, an introspection request, and a request for the list of webhook subscriptions. A check is not applicable if its response does not contain FEATURE_DISABLED. The message must not be empty.',
  ),
  'PLATFORM-MACHINE-TO-MACHINE': must(
    'Authentication, 4',
    'A request with the grant `client_credentials` returns no token.',
  ),
  'PLATFORM-LIMITED': {
    ...must(limits, 'Every endpoint is rate limited.'),
    reason: notInRuns,
    measuredBy: 'probe --probe limiter',
  },
  'PLATFORM-LIMIT-PER-CLIENT': {
    ...must(limits, 'Requests are limited per client id.'),
    reason: notInRuns,
    measuredBy: 'probe --probe dimension --endpoint userinfo',
  },
  'PLATFORM-LIMIT-PER-USER': {
    ...must(limits, 'Requests are limited per user account.'),
    reason: notInRuns,
    measuredBy: 'probe --probe dimension --endpoint userinfo',
  },
  'PLATFORM-LIMIT-PER-ADDRESS': {
    ...must(limits, 'Requests are limited per source address.'),
    reason: notInRuns,
    measuredBy: 'probe --probe dimension --endpoint userinfo',
  },
  'PLATFORM-LIMIT-VALUES': {
    ...silent(limits, 'The values of the limits are not published, and may change without notice.'),
    reason: 'Only load probes measure the limits, within hard caps, and record them under this requirement',
    measuredBy: 'probe',
  },
  'PLATFORM-ENVIRONMENTS': {
    ...must('Introduction', 'The test environment and production differ in their hosts only.'),
    reason:
      'One deployment cannot show how it differs from another; compare runs against the test environment and production',
  },
  'PLATFORM-ENVIRONMENT-LIMITS': {
    ...must(limits, 'The test environment has lower limits than production and throttles in the same way.'),
    reason:
      'One deployment cannot show how its limits differ from those of another, and only load probes look for limits',
    measuredBy: 'probe --probe limiter',
  },
  'PLATFORM-CLIENT-RETRY-AFTER': {
    section: limits,
    level: 'client',
    statement: 'A partner sends no request until Retry-After has elapsed.',
    reason:
      'Plumbline pauses the whole run until Retry-After has elapsed, and stops if Retry-After is longer than 1 min (tests/http/throttled-target.test.ts)',
  },
  'PLATFORM-CLIENT-BACK-OFF': {
    section: limits,
    level: 'client',
    statement:
      'Without Retry-After, a partner backs off exponentially with jitter, and gives up after a few retries.',
    interpretation: 'The documented base, cap and number of retries are only a sample.',
    reason:
      'Plumbline doubles the delay from 1 s to 30 s, randomly shortens it by up to half, and retries at most 4 times (tests/http/retry-after.test.ts, tests/http/retried-requests.test.ts)',
  },
  'PLATFORM-CLIENT-RETRY-ONLY': {
    section: limits,
    level: 'client',
    statement: 'A partner retries a call only after 429 and 503.',
    interpretation:
      'Another section requires a retry with back-off after every 5xx, so a request that changes nothing may be retried once after any 5xx.',
    reason:
      'Plumbline retries a refused request only after 429 and 503. After other failures, it retries only requests that change nothing (tests/http/retried-requests.test.ts)',
  },
  'PLATFORM-CLIENT-SERVICE-ERROR': {
    section: 'Platform errors',
    level: 'client',
    statement: 'A partner treats a 5xx as transient and retries with back-off.',
    reason:
      'After a 5xx other than 503, Plumbline retries once if the request changes nothing; then the check is inconclusive (tests/http/retried-requests.test.ts; the proof uses variants that return 500 in place of refusals)',
  },
  'PLATFORM-CLIENT-NO-TIGHT-LOOP': {
    section: limits,
    level: 'client',
    statement: 'A partner never sends requests in a tight loop.',
    reason:
      'Plumbline waits at least half a second before a retry, even if Retry-After is 0 (tests/http/throttled-target.test.ts, "receives no requests in a tight loop")',
  },
  'PLATFORM-URL-VERSION': silent('Versioning', 'Versions in addresses are not specified.'),
  'PLATFORM-DEPRECATION': silent('Versioning', 'How the end of an interface is announced is not specified.'),
} as const satisfies Readonly<Record<string, Requirement>>

export const { check } = defineArea(area, requirements)

declare module '../../src/check/requirement.ts' {
  interface RequirementIds extends Record<keyof typeof requirements, true> {}
}
