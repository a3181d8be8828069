import { describe, kindOf } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { retryAfterMs } from '../../src/http/retry-after.ts'
import { check } from './requirements.ts'

const none = 'no request of this run was throttled'

check(
  'PLATFORM-THROTTLE-STATUS',
  'throttled responses have status 429',
  { looksBack: true },
  async ({ throttledAnswers, expect, notApplicable, basis }) => {
    if (throttledAnswers.length === 0) return notApplicable(none, 'target')
    for (const response of throttledAnswers) expect.status(response, 429)
    basis({ 'throttled responses': throttledAnswers.length })
  },
)

check(
  'PLATFORM-THROTTLE-BODY',
  'throttled responses are JSON',
  { looksBack: true },
  async ({ throttledAnswers, expect, notApplicable, basis }) => {
    if (throttledAnswers.length === 0) return notApplicable(none, 'target')
    for (const response of throttledAnswers) expect.object(response)
    basis({ 'throttled responses': throttledAnswers.length })
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
    for (const { object } of throttledObjects({ throttledAnswers, notApplicable, inconclusive, basis })) {
      const description = object?.error_description
      expect.that(typeof description === 'string', 'error_description as a string', kindOf(description))
    }
  },
)

/** Throttled responses with a JSON object; at least one. */
function throttledObjects({
  throttledAnswers,
  notApplicable,
  inconclusive,
  basis,
}: Pick<CheckContext, 'throttledAnswers' | 'notApplicable' | 'inconclusive' | 'basis'>) {
  if (throttledAnswers.length === 0) return notApplicable(none, 'target')
  const objects = throttledAnswers.filter(({ object }) => object !== undefined)
  if (objects.length === 0)
    return inconclusive('no throttled response was JSON', { dependsOn: ['PLATFORM-THROTTLE-BODY'] })
  basis({ 'throttled responses': objects.length })
  return objects
}

check(
  'PLATFORM-RETRY-AFTER',
  'Retry-After of throttled responses is a number of seconds',
  { looksBack: true },
  async ({ throttledAnswers, expect, notApplicable, note, basis }) => {
    const sent = throttledAnswers.map((response) => ({ response, value: response.header('retry-after') }))
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
    basis({ 'throttled responses': sent.length - absent })
  },
)

check(
  'PLATFORM-RETRY-AFTER-PRESENCE',
  'presence of Retry-After in throttled responses is recorded',
  { looksBack: true },
  async ({ throttledAnswers, observe, notApplicable }) => {
    if (throttledAnswers.length === 0) return notApplicable(none, 'target')
    const present = throttledAnswers.filter((response) => response.header('retry-after') !== undefined).length
    observe(
      'throttling.retry-after',
      present === 0 ? 'never' : present === throttledAnswers.length ? 'always' : 'sometimes',
    )
  },
)
