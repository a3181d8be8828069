import type { TargetName } from '../../src/check/webhook-steps.ts'
import type { LaterAttempt } from '../../src/webhook/schedule.ts'
import { check } from './requirements.ts'

const delivered = {
  effects: ['planned', 'login', 'claim-change'],
  needs: ['webhookReceiver', 'user', 'claimRecipe'],
} as const
/** Receivers that take seconds to answer are there only where a run may wait. */
const slow = { ...delivered, effects: [...delivered.effects, 'slow'] } as const

for (const [id, name, came, options] of [
  ['WEBHOOK-RETRY-SERVER-ERROR', 'always failing', 'was answered 503', delivered],
  ['WEBHOOK-RETRY-THROTTLED', 'throttling', 'was answered 429', delivered],
  ['WEBHOOK-RETRY-NO-RESPONSE', 'not answering', 'got no answer', delivered],
  ['WEBHOOK-RETRY-TIMEOUT', 'too slow to answer', 'was answered after 12 s', slow],
] as const) {
  check(id, `a delivery that ${came} is attempted again`, options, async ({ webhooks, expect }) => {
    await webhooks.delivered(name)
    const { due } = await webhooks.reached(2)
    // Too early is a matter of the schedule.
    const later = (await webhooks.arrivals(name)).filter(({ slot }) => slot > 0 && slot <= due).length
    expect.that(later > 0, 'a second attempt', 'there was none within 45 s')
  })
}

for (const [id, name, answered, options] of [
  ['WEBHOOK-NO-RETRY-DELIVERED', 'accepting', 'was answered 200', delivered],
  ['WEBHOOK-NO-RETRY-REFUSED', 'refusing', 'was answered 400', delivered],
  ['WEBHOOK-NO-RETRY-REFUSED', 'not found', 'was answered 404', delivered],
  ['WEBHOOK-RECEIVER-TIME', 'slow to answer', 'was answered 200 after 8 s', slow],
] as const satisfies readonly (readonly [string, TargetName, string, unknown])[]) {
  check(id, `a delivery that ${answered} is not attempted again`, options, async ({ webhooks, expect }) => {
    await webhooks.delivered(name)
    await webhooks.latest()
    const later = (await webhooks.arrivals(name)).filter(({ slot }) => slot > 0).length
    expect.that(later === 0, 'no further attempt', `there were ${later}`)
  })
}

for (const [id, attempt] of [
  ['WEBHOOK-RETRY-SECOND', 2],
  ['WEBHOOK-RETRY-THIRD', 3],
  ['WEBHOOK-RETRY-FOURTH', 4],
  ['WEBHOOK-RETRY-FIFTH', 5],
] as const satisfies readonly (readonly [string, LaterAttempt])[]) {
  check(id, `attempt ${attempt} comes when it is due`, delivered, async ({ webhooks, expect }) => {
    await webhooks.delivered('always failing')
    const { early, due } = await webhooks.reached(attempt)
    const inSlot = async (wanted: number) =>
      (await webhooks.arrivals('always failing')).filter(({ slot }) => slot === wanted).length
    const { notBefore, notAfter } = webhooks.timeOf(attempt)
    expect.that((await inSlot(early)) === 0, `no attempt before ${notBefore} s`, 'there was one')
    expect.that((await inSlot(due)) > 0, `an attempt until ${notAfter} s`, 'there was none')
  })
}

check(
  'WEBHOOK-RETRY-LIMIT',
  'nothing comes after the fifth attempt',
  delivered,
  async ({ webhooks, expect }) => {
    await webhooks.delivered('always failing')
    const after = await webhooks.exhausted()
    const more = (await webhooks.arrivals('always failing')).filter(({ slot }) => slot === after).length
    expect.that(more === 0, 'no attempt after the fifth', `there were ${more}`)
  },
)

check(
  'WEBHOOK-RETRY-SAME-EVENT',
  'every attempt carries the same event',
  delivered,
  async ({ webhooks, expect, needs, basis }) => {
    await webhooks.delivered('always failing')
    await webhooks.latest()
    const { repeated, strange } = await webhooks.repetitions()
    needs(repeated, 1, 'repeated attempt; see WEBHOOK-RETRY-SERVER-ERROR')
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
  async ({ webhooks, expect }) => {
    await webhooks.delivered('always failing')
    await webhooks.exhausted()
    const { wanted, found } = await webhooks.failedInHub()
    expect.that(found === wanted, `${wanted} failed events in the Event Hub`, `${found} were there`)
  },
)
