import { attemptTimes, type LaterAttempt } from '../../src/webhook/schedule.ts'
import { delivered } from './delivered.ts'
import { check } from './requirements.ts'

/** Receivers that take seconds to answer are there only where a run may wait. */
const slow = { ...delivered, effects: [...delivered.effects, 'slow'] } as const

for (const [id, name, came, options] of [
  ['WEBHOOK-RETRY-SERVER-ERROR', 'always failing', 'was answered 500', delivered],
  ['WEBHOOK-RETRY-THROTTLED', 'throttling, then down', 'was answered 429', delivered],
  ['WEBHOOK-RETRY-NO-RESPONSE', 'not answering', 'got no answer', delivered],
  ['WEBHOOK-RETRY-TIMEOUT', 'too slow to answer', 'was answered after 12 s', slow],
] as const) {
  check(id, `a delivery that ${came} is attempted again`, options, async ({ deliveries, expect, clock }) => {
    await deliveries.deliveredTo(name)
    // When it comes is a matter of the schedule.
    await clock.latest()
    const later = (await deliveries.to(name)).filter(({ slot }) => slot > 0).length
    expect.that(later > 0, 'a second attempt', 'there was none')
  })
}

check(
  'WEBHOOK-RETRY-SERVER-ERROR',
  'a second attempt that was answered 503 is followed by a third',
  delivered,
  async ({ deliveries, expect, inconclusive, clock }) => {
    const first = (await deliveries.deliveredTo('throttling, then down')).length
    await clock.reached(3)
    await clock.latest()
    const later = (await deliveries.to('throttling, then down')).length - first
    if (later === 0)
      return inconclusive('there was no second attempt', { dependsOn: ['WEBHOOK-RETRY-THROTTLED'] })
    expect.that(later > first, 'a third attempt', 'there was none')
  },
)

for (const [id, name, came, see] of [
  ['WEBHOOK-RETRY-SERVER-ERROR', 'always failing', 'is answered 500', 'WEBHOOK-RETRY-SERVER-ERROR'],
  ['WEBHOOK-RETRY-SERVER-ERROR', 'throttling, then down', 'is answered 503', 'WEBHOOK-RETRY-THROTTLED'],
  ['WEBHOOK-RETRY-NO-RESPONSE', 'not answering', 'gets no answer', 'WEBHOOK-RETRY-NO-RESPONSE'],
] as const) {
  check(
    id,
    `a delivery that ${came} time after time is attempted until the fifth time`,
    delivered,
    async ({ deliveries, attempts, expect, inconclusive }) => {
      await deliveries.deliveredTo(name)
      // How many attempts there are at all is a matter of the schedule.
      await attempts.cameInTime(5)
      const made = await attempts.inTime(name)
      if (made === 1) return inconclusive('there was no second attempt', { dependsOn: [see] })
      expect.that(made >= 5, 'five attempts', `there were ${made}`)
    },
  )
}

for (const [id, name, answered, options] of [
  ['WEBHOOK-NO-RETRY-DELIVERED', 'accepting', 'was answered 200', delivered],
  ['WEBHOOK-NO-RETRY-DELIVERED', 'open to all types', 'was answered 204', delivered],
  ['WEBHOOK-NO-RETRY-DELIVERED', 'updated', 'was answered 202', delivered],
  ['WEBHOOK-NO-RETRY-REFUSED', 'refusing', 'was answered 400', delivered],
  ['WEBHOOK-NO-RETRY-REFUSED', 'not found, for two types', 'was answered 404', delivered],
  ['WEBHOOK-RECEIVER-TIME', 'slow to answer', 'was answered 200 after 8 s', slow],
] as const) {
  check(
    id,
    `a delivery that ${answered} is not attempted again`,
    options,
    async ({ deliveries, expect, clock }) => {
      await deliveries.deliveredTo(name)
      await clock.latest()
      const later = (await deliveries.to(name)).filter(({ slot }) => slot > 0).length
      expect.that(later === 0, 'no further attempt', `there were ${later}`)
    },
  )
}

for (const [id, attempt] of [
  ['WEBHOOK-RETRY-SECOND', 2],
  ['WEBHOOK-RETRY-THIRD', 3],
  ['WEBHOOK-RETRY-FOURTH', 4],
  ['WEBHOOK-RETRY-FIFTH', 5],
] as const satisfies readonly (readonly [string, LaterAttempt])[]) {
  check(id, `attempt ${attempt} comes when it is due`, delivered, async ({ attempts, expect }) => {
    const { early, due } = await attempts.made(attempt)
    const { notBefore, notAfter } = attemptTimes[attempt]
    expect.that(early === 0, `no attempt before ${notBefore} s`, `there were ${early}`)
    expect.that(due > 0, `an attempt until ${notAfter} s`, 'there was none')
  })
}

check(
  'WEBHOOK-RETRY-LIMIT',
  'there are five attempts, and no more a day later',
  delivered,
  async ({ attempts, expect, clock }) => {
    await attempts.cameInTime(5)
    await clock.exhausted()
    const made = await attempts.most()
    expect.that(made <= 5, 'five attempts', `there were ${made}`)
  },
)

check(
  'WEBHOOK-RETRY-SAME-EVENT',
  'every attempt carries the same event',
  delivered,
  async ({ deliveries, attempts, expect, needs, basis, clock }) => {
    await deliveries.deliveredTo('always failing')
    await clock.latest()
    const { repeated, strange } = await attempts.repetitions()
    needs(repeated, 1, 'repeated attempt', { dependsOn: ['WEBHOOK-RETRY-SERVER-ERROR'] })
    basis({ repeated })
    expect.that(
      strange === 0,
      'an event that was delivered at first, unchanged',
      `${strange} of ${repeated} repeated attempts carried another`,
    )
  },
)

check(
  'WEBHOOK-FAILED-RETRIEVABLE',
  'the Event Hub has the event after its fifth attempt failed',
  delivered,
  async ({ deliveries, attempts, expect, clock }) => {
    await deliveries.deliveredTo('always failing')
    await clock.exhausted()
    const { wanted, found } = await attempts.failedInHub()
    expect.that(found === wanted, `${wanted} failed events in the Event Hub`, `${found} were there`)
  },
)
