import { describe } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { retryAfterMs } from '../../src/http/retry-after.ts'
import { check } from './requirements.ts'

type Throttled = Pick<CheckContext, 'throttledAnswers' | 'notApplicable'>

check(
  'PLATFORM-THROTTLE-STATUS',
  'throttled responses have status 429',
  { looksBack: true },
  async ({ throttledAnswers, expect, notApplicable, note, basis }) => {
    const throttled = throttledResponses({ throttledAnswers, notApplicable })
    for (const response of throttled) expect.status(response, 429)
    const overloaded = throttledAnswers.length - throttled.length
    if (overloaded > 0) note(`${overloaded} responses with 503 have the error of a throttled request`)
    basis({ 'judged throttled responses': throttled.length })
  },
)

check(
  'PLATFORM-THROTTLE-BODY',
  'throttled responses are JSON',
  { looksBack: true },
  async ({ throttledAnswers, expect, notApplicable, basis }) => {
    const bodies = throttledBodies({ throttledAnswers, notApplicable })
    for (const response of bodies) expect.object(response)
    basis({ 'judged throttled responses': bodies.length })
  },
)

check(
  'PLATFORM-THROTTLE-ERROR',
  'throttled responses have the documented error',
  { looksBack: true },
  async ({ expect, throttledAnswers, notApplicable, inconclusive, basis }) => {
    for (const response of throttledObjects({ throttledAnswers, notApplicable, inconclusive, basis })) {
      expect.that(
        response.object?.error === 'temporarily_unavailable',
        'error=temporarily_unavailable',
        describe(response),
      )
    }
  },
)

check(
  'PLATFORM-THROTTLE-DESCRIPTION',
  'throttled responses have an `error_description`',
  { looksBack: true },
  async ({ expect, throttledAnswers, notApplicable, inconclusive, basis }) => {
    for (const { object } of throttledObjects({ throttledAnswers, notApplicable, inconclusive, basis }))
      expect.text(object?.error_description, 'error_description')
  },
)

/** Throttled responses; at least one. A 503 is none: the section Errors has its error for overload and maintenance, too. */
function throttledResponses({ throttledAnswers, notApplicable }: Throttled) {
  if (throttledAnswers.length === 0) return notApplicable('no request of this run was throttled', 'target')
  const throttled = throttledAnswers.filter(({ status }) => status !== 503)
  return throttled.length > 0
    ? throttled
    : notApplicable('only responses with 503 have the error of a throttled request', 'target')
}

/** Throttled responses whose body is known; at least one. */
function throttledBodies(throttled: Throttled) {
  const bodies = throttledResponses(throttled).filter(({ hasUnknownBody }) => !hasUnknownBody)
  return bodies.length > 0
    ? bodies
    : throttled.notApplicable('the body of no throttled response was read completely', 'target')
}

/** Throttled responses with a JSON object; at least one. */
function throttledObjects({
  throttledAnswers,
  notApplicable,
  inconclusive,
  basis,
}: Pick<CheckContext, 'throttledAnswers' | 'notApplicable' | 'inconclusive' | 'basis'>) {
  const objects = throttledBodies({ throttledAnswers, notApplicable }).filter(
    ({ object }) => object !== undefined,
  )
  if (objects.length === 0)
    return inconclusive('no throttled response was JSON', { dependsOn: ['PLATFORM-THROTTLE-BODY'] })
  basis({ 'judged throttled responses': objects.length })
  return objects
}

check(
  'PLATFORM-RETRY-AFTER',
  'Retry-After of throttled responses is a number of seconds',
  { looksBack: true },
  async ({ throttledAnswers, expect, notApplicable, note, basis }) => {
    const sent = throttledResponses({ throttledAnswers, notApplicable }).map((response) => ({
      response,
      value: response.header('retry-after'),
    }))
    const absent = sent.filter(({ value }) => value === undefined).length
    if (absent > 0) note(`${absent} of ${sent.length} throttled responses have no Retry-After`)
    if (absent === sent.length)
      return notApplicable('no throttled response of this run has Retry-After', 'target')
    for (const { response, value } of sent) {
      if (value === undefined) continue
      const wait = retryAfterMs(value, response.header('date'))
      expect.that(
        wait !== undefined,
        'Retry-After as a number of seconds',
        'neither seconds nor an HTTP-date',
      )
      if (!/^\d+$/.test(value.trim())) note('Retry-After is an HTTP-date; seconds are documented')
    }
    basis({ 'judged throttled responses': sent.length - absent })
  },
)

check(
  'PLATFORM-RETRY-AFTER-PRESENCE',
  'presence of Retry-After in throttled responses is recorded',
  { looksBack: true },
  async ({ throttledAnswers, observe, notApplicable }) => {
    const throttled = throttledResponses({ throttledAnswers, notApplicable })
    const present = throttled.filter((response) => response.header('retry-after') !== undefined).length
    observe(
      'throttling.retry-after',
      present === 0 ? 'never' : present === throttled.length ? 'always' : 'sometimes',
    )
  },
)
