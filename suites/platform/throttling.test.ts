import { describe, kindOf } from '../../src/check/expect.ts'
import { retryAfterMs } from '../../src/http/retry-after.ts'
import { check } from './requirements.ts'

check(
  'PLATFORM-THROTTLE-BODY',
  'throttled answers carry their error',
  { looksBack: true },
  async ({ throttledAnswers, expect, notApplicable, basis }) => {
    if (throttledAnswers.length === 0) return notApplicable('no request of this run was throttled', 'target')
    for (const response of throttledAnswers) {
      const { error, error_description: description } = expect.object(response)
      expect.that(
        error === 'temporarily_unavailable',
        'error=temporarily_unavailable',
        `the answer was ${describe(response)}`,
      )
      expect.that(
        typeof description === 'string',
        'error_description as a string',
        `it was ${kindOf(description)}`,
      )
    }
    basis({ 'throttled answers': throttledAnswers.length })
  },
)

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
