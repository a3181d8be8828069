import { describe, kindOf } from '../../src/check/expect.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { retryAfterMs } from '../../src/http/retry-after.ts'
import { check } from './requirements.ts'

const none = 'no request of this run was throttled'

check(
  'PLATFORM-THROTTLE-BODY',
  'throttled answers are JSON',
  { looksBack: true },
  async ({ throttledAnswers, expect, notApplicable, basis }) => {
    if (throttledAnswers.length === 0) return notApplicable(none, 'target')
    for (const response of throttledAnswers) expect.object(response)
    basis({ 'throttled answers': throttledAnswers.length })
  },
)

check(
  'PLATFORM-THROTTLE-ERROR',
  'throttled answers name their error',
  { looksBack: true },
  async ({ expect, throttledAnswers, notApplicable, inconclusive, basis }) => {
    for (const response of throttledObjects({ throttledAnswers, notApplicable, inconclusive, basis })) {
      expect.that(
        response.object?.error === 'temporarily_unavailable',
        'error=temporarily_unavailable',
        `the answer was ${describe(response)}`,
      )
    }
  },
)

check(
  'PLATFORM-THROTTLE-DESCRIPTION',
  'throttled answers describe their error',
  { looksBack: true },
  async ({ expect, throttledAnswers, notApplicable, inconclusive, basis }) => {
    for (const { object } of throttledObjects({ throttledAnswers, notApplicable, inconclusive, basis })) {
      const description = object?.error_description
      expect.that(
        typeof description === 'string',
        'error_description as a string',
        `it was ${kindOf(description)}`,
      )
    }
  },
)

/** Throttled answers with a JSON object, of which there is at least one. */
function throttledObjects({
  throttledAnswers,
  notApplicable,
  inconclusive,
  basis,
}: Pick<CheckContext, 'throttledAnswers' | 'notApplicable' | 'inconclusive' | 'basis'>) {
  if (throttledAnswers.length === 0) return notApplicable(none, 'target')
  const objects = throttledAnswers.filter(({ object }) => object !== undefined)
  if (objects.length === 0)
    return inconclusive('no throttled answer was JSON', { dependsOn: ['PLATFORM-THROTTLE-BODY'] })
  basis({ 'throttled answers': objects.length })
  return objects
}

check(
  'PLATFORM-RETRY-AFTER',
  'Retry-After of throttled answers is a number of seconds',
  { looksBack: true },
  async ({ throttledAnswers, expect, notApplicable, note, basis }) => {
    const sent = throttledAnswers.map((response) => ({ response, value: response.header('retry-after') }))
    const absent = sent.filter(({ value }) => value === undefined).length
    if (absent > 0) note(`${absent} of ${sent.length} throttled answers had no Retry-After`)
    if (absent === sent.length)
      return notApplicable('no throttled answer with Retry-After came up in this run', 'target')
    for (const { response, value } of sent) {
      if (value === undefined) continue
      const wait = retryAfterMs(value, response.header('date'))
      expect.that(
        wait !== undefined,
        'Retry-After as a number of seconds',
        'it was neither that nor an HTTP-date',
      )
      if (!/^\d+$/.test(value.trim())) note('Retry-After was an HTTP-date where seconds are documented')
    }
    basis({ 'throttled answers': sent.length - absent })
  },
)

check(
  'PLATFORM-RETRY-AFTER-PRESENCE',
  'whether throttled answers have Retry-After is recorded',
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
