import { delivered } from '../../src/check/check-options.ts'
import { inconclusive, requireData } from '../../src/check/verdict.ts'
import { counted } from '../../src/text/format.ts'
import { attemptTimes, type LaterAttempt } from '../../src/webhook/schedule.ts'
import { check } from './requirements.ts'

/** Options of checks with a slow receiver, which takes part only if the run may wait. */
const slow = { ...delivered, effects: [...delivered.effects, 'slow'] } as const

for (const [id, name, received, options] of [
  ['WEBHOOK-RETRY-SERVER-ERROR', 'always failing', 'received 500', delivered],
  ['WEBHOOK-RETRY-THROTTLED', 'throttling, then down', 'received 429', delivered],
  ['WEBHOOK-RETRY-NO-RESPONSE', 'not responding', 'received no response', delivered],
  ['WEBHOOK-RETRY-TIMEOUT', 'too slow to respond', 'received a response after 12 s', slow],
] as const) {
  check(
    id,
    `a delivery that ${received} is retried`,
    options,
    async ({ deliveries, attempts, expect, clock }) => {
      await deliveries.deliveredTo(name)
      // Other requirements judge the schedule.
      await clock.advanceAsAllowed()
      const { events, without } = await attempts.withoutRetry(name)
      requireData(events, 1, 'event whose second attempt would have arrived')
      expect.that(
        without === 0,
        'a second attempt at every event',
        `no second attempt at ${without} of ${events} events`,
      )
    },
  )
}

check(
  'WEBHOOK-RETRY-SERVER-ERROR',
  'a second attempt that received 503 is retried',
  delivered,
  async ({ deliveries, attempts, expect, clock }) => {
    await deliveries.deliveredTo('throttling, then down')
    await clock.advancePast(3)
    await clock.advanceAsAllowed()
    const counts = (await attempts.counts('throttling, then down')).filter((count) => count > 1)
    if (counts.length === 0) return inconclusive('there was no second attempt', ['WEBHOOK-RETRY-THROTTLED'])
    const ended = counts.filter((count) => count === 2).length
    expect.that(
      ended === 0,
      'a third attempt at every event',
      `no third attempt at ${ended} of ${counts.length} events`,
    )
  },
)

for (const [id, name, received, see] of [
  ['WEBHOOK-RETRY-SERVER-ERROR', 'always failing', 'always receives 500', 'WEBHOOK-RETRY-SERVER-ERROR'],
  ['WEBHOOK-RETRY-SERVER-ERROR', 'throttling, then down', 'always receives 503', 'WEBHOOK-RETRY-THROTTLED'],
  ['WEBHOOK-RETRY-NO-RESPONSE', 'not responding', 'never receives a response', 'WEBHOOK-RETRY-NO-RESPONSE'],
] as const) {
  check(
    id,
    `a delivery that ${received} has five attempts`,
    delivered,
    async ({ deliveries, attempts, expect }) => {
      await deliveries.deliveredTo(name)
      // Other requirements judge the schedule.
      await attempts.requireOnSchedule(5)
      const made = Math.min(...(await attempts.counts(name)))
      if (made === 1) return inconclusive('there was no second attempt', [see])
      expect.that(made >= 5, 'five attempts at every event', counted(made, 'attempt'))
    },
  )
}

for (const [id, name, outcome, options] of [
  ['WEBHOOK-NO-RETRY-DELIVERED', 'accepting', 'received 200', delivered],
  ['WEBHOOK-NO-RETRY-DELIVERED', 'open to all types', 'received 204', delivered],
  ['WEBHOOK-NO-RETRY-DELIVERED', 'updated', 'received 202', delivered],
  ['WEBHOOK-NO-RETRY-REFUSED', 'refusing', 'received 400', delivered],
  ['WEBHOOK-NO-RETRY-REFUSED', 'not found, for two types', 'received 404', delivered],
  ['WEBHOOK-RECEIVER-TIME', 'slow to respond', 'received 200 after 8 s', slow],
] as const) {
  check(id, `a delivery that ${outcome} is not retried`, options, async ({ deliveries, expect, clock }) => {
    await deliveries.deliveredTo(name)
    await clock.advanceAsAllowed()
    const later = (await deliveries.to(name)).filter(({ slot }) => slot > 0).length
    expect.that(later === 0, 'no further attempt', counted(later, 'further attempt'))
  })
}

for (const [id, attempt, attemptText] of [
  ['WEBHOOK-RETRY-SECOND', 2, 'second attempt'],
  ['WEBHOOK-RETRY-THIRD', 3, 'third attempt'],
  ['WEBHOOK-RETRY-FOURTH', 4, 'fourth attempt'],
  ['WEBHOOK-RETRY-FIFTH', 5, 'fifth attempt'],
] as const satisfies readonly (readonly [string, LaterAttempt, string])[]) {
  check(id, `attempt ${attempt} is on schedule`, delivered, async ({ attempts, expect }) => {
    const { early, due } = await attempts.made(attempt)
    const { notBefore, notAfter } = attemptTimes[attempt]
    expect.that(
      early === 0,
      `no ${attemptText} within ${notBefore} s`,
      `${counted(early, 'attempt')} within ${notBefore} s`,
    )
    expect.that(due > 0, `a ${attemptText} within ${notAfter} s`, `no ${attemptText} within ${notAfter} s`)
  })
}

check(
  'WEBHOOK-RETRY-LIMIT',
  'a delivery has five attempts, and none in the day after',
  delivered,
  async ({ attempts, expect, clock }) => {
    await attempts.requireOnSchedule(5)
    await clock.advancePastAll()
    const made = await attempts.maxAttempts()
    expect.that(made <= 5, 'five attempts', counted(made, 'attempt'))
  },
)

check(
  'WEBHOOK-RETRY-SAME-EVENT',
  'every attempt has the same event',
  delivered,
  async ({ deliveries, attempts, expect, basis, clock }) => {
    await deliveries.deliveredTo('always failing')
    await clock.advanceAsAllowed()
    const { retries, differing } = await attempts.repetitions()
    requireData(retries, 1, 'retry', ['WEBHOOK-RETRY-SERVER-ERROR'])
    basis({ repeated: retries })
    expect.that(
      differing === 0,
      'the event of the first attempt, unchanged',
      `a different event in ${differing} of ${retries} retries`,
    )
  },
)

check(
  'WEBHOOK-FAILED-RETRIEVABLE',
  'the Event Hub has an event whose fifth attempt failed',
  delivered,
  async ({ deliveries, attempts, expect, clock }) => {
    await deliveries.deliveredTo('always failing')
    await clock.advancePastAll()
    const { wanted, found } = await attempts.failedInHub()
    expect.that(
      found === wanted,
      `${counted(wanted, 'failed event')} in the Event Hub`,
      counted(found, 'event'),
    )
  },
)
