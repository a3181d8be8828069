import { afterAllChecks } from '../../src/check/check-options.ts'
import type { CheckContext } from '../../src/check/fixtures.ts'
import { inconclusive, notApplicable } from '../../src/check/verdict.ts'
import type { HttpResponse } from '../../src/http/response.ts'
import { retryAfterMs } from '../../src/http/retry-after.ts'
import { counted } from '../../src/text/format.ts'
import { check } from './requirements.ts'
import { showsThrottling } from './shows-throttling.ts'

type Throttled = CheckContext['throttledResponses']

/** Probe runs execute these checks as well. */
const judgingThrottling = { ...afterAllChecks, judgesThrottling: true } as const

check(
  'PLATFORM-THROTTLE-STATUS',
  'throttled responses have status 429',
  judgingThrottling,
  async ({ throttledResponses, expect, note, basis }) => {
    const throttled = judgedResponses(throttledResponses)
    for (const response of throttled) expect.status(response, 429)
    const unclear = throttledResponses.length - throttled.length
    if (unclear > 0)
      note(
        `the error of throttled requests in ${counted(unclear, 'response')} with 503; overload and maintenance have the same error`,
      )
    basis({ 'throttled responses': throttled.length })
  },
)

check(
  'PLATFORM-THROTTLE-BODY',
  'throttled responses are JSON',
  judgingThrottling,
  async ({ throttledResponses, expect, basis }) => {
    const bodies = throttledBodies(throttledResponses)
    for (const response of bodies) expect.object(response)
    basis({ 'throttled responses': bodies.length })
  },
)

check(
  'PLATFORM-THROTTLE-ERROR',
  'throttled responses have the documented error',
  judgingThrottling,
  async ({ expect, throttledResponses, basis }) => {
    for (const response of throttledObjects({ throttledResponses, basis })) {
      expect.that(
        response.object?.error === 'temporarily_unavailable',
        'error=temporarily_unavailable',
        response,
      )
    }
  },
)

check(
  'PLATFORM-THROTTLE-DESCRIPTION',
  'throttled responses have an `error_description`',
  judgingThrottling,
  async ({ expect, throttledResponses, basis }) => {
    for (const { object } of throttledObjects({ throttledResponses, basis }))
      expect.text(object?.error_description, 'error_description')
  },
)

/** The throttled responses that show an exceeded limit. @throws {NotApplicable} if there is none */
function judgedResponses(throttled: Throttled) {
  if (throttled.length === 0) return notApplicable('no request was throttled', 'target')
  const judged = throttled.filter((response) => showsThrottling(response, throttled))
  return judged.length > 0
    ? judged
    : notApplicable(
        'every throttled response of this run had status 503, which has other meanings too',
        'target',
      )
}

/** The throttled responses with a known body. @throws {NotApplicable} if there is none */
function throttledBodies(throttled: Throttled) {
  const bodies = judgedResponses(throttled).filter(({ hasUnknownBody }) => !hasUnknownBody)
  return bodies.length > 0
    ? bodies
    : notApplicable('Plumbline could not read the body of any throttled response completely', 'target')
}

/** The throttled responses with a JSON object. @throws {Inconclusive} if there is none */
function throttledObjects({ throttledResponses, basis }: Pick<CheckContext, 'throttledResponses' | 'basis'>) {
  const objects = throttledBodies(throttledResponses).filter(({ object }) => object !== undefined)
  if (objects.length === 0) return inconclusive('no throttled response was JSON', ['PLATFORM-THROTTLE-BODY'])
  basis({ 'throttled responses': objects.length })
  return objects
}

/** Whether Retry-After is an HTTP-date. */
function hasRetryDate(response: HttpResponse): boolean {
  const value = response.header('retry-after')
  if (value === undefined || /^\d+$/.test(value.trim())) return false
  return retryAfterMs(value, response.header('date')) !== undefined
}

check(
  'PLATFORM-RETRY-AFTER',
  'Retry-After of throttled responses is a number of seconds',
  judgingThrottling,
  async ({ run, throttledResponses, expect, note, basis }) => {
    const failures = [...throttledResponses, ...run.budget.unavailableResponses]
    if (failures.some((response) => response.status === 503 && hasRetryDate(response)))
      note('Retry-After of a 503 is an HTTP-date; seconds are documented for throttled responses')
    const received = judgedResponses(throttledResponses).map((response) => ({
      response,
      value: response.header('retry-after'),
    }))
    const absent = received.filter(({ value }) => value === undefined).length
    if (absent > 0) note(`no Retry-After in ${absent} of ${counted(received.length, 'throttled response')}`)
    if (absent === received.length)
      return notApplicable('no throttled response of this run has Retry-After, which is optional', 'target')
    for (const { response, value } of received) {
      if (value === undefined) continue
      const wait = retryAfterMs(value, response.header('date'))
      expect.that(
        wait !== undefined,
        'Retry-After as a number of seconds',
        'neither seconds nor an HTTP-date',
      )
      if (hasRetryDate(response)) note('Retry-After is an HTTP-date; seconds are documented')
    }
    basis({ 'throttled responses': received.length - absent })
  },
)

check(
  'PLATFORM-RETRY-AFTER-PRESENCE',
  'whether throttled responses have Retry-After is recorded',
  judgingThrottling,
  async ({ throttledResponses, observe }) => {
    const throttled = judgedResponses(throttledResponses)
    const present = throttled.filter((response) => response.header('retry-after') !== undefined).length
    observe(
      'throttling.retry-after',
      present === 0 ? 'never' : present === throttled.length ? 'always' : 'sometimes',
    )
  },
)
