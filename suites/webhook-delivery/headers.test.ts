import { delivered } from '../../src/check/check-options.ts'
import type { Expect } from '../../src/check/expect.ts'
import { requireData } from '../../src/check/verdict.ts'
import { type Arrival, idOf } from '../../src/check/webhooks/registry.ts'
import { counted } from '../../src/text/format.ts'
import { type DeliveryHeader, headerOf } from '../../src/webhook/delivery.ts'
import { instantOf } from '../../src/webhook/timestamp.ts'
import { expectEvery } from './expect-every.ts'
import { check } from './requirements.ts'

/** Expects every delivery to have a header that is not empty. */
function expectHeader(expect: Expect, arrivals: readonly Arrival[], name: DeliveryHeader, header: string) {
  const without = arrivals.filter(({ delivery }) => !headerOf(delivery, name)).length
  const actual = `no ${header} in ${without} of ${arrivals.length} deliveries`
  expect.that(without === 0, `${header} in every delivery`, actual)
}

/** Identifies a delivery: its event and its target, which all its attempts share. */
const eventAndTarget = (arrival: Arrival) => `${idOf(arrival)} ${arrival.delivery.path}`

for (const [id, name, header] of [
  ['WEBHOOK-HEADER-SIGNATURE', 'signature', 'X-Service-Signature'],
  ['WEBHOOK-HEADER-NONCE', 'nonce', 'X-Service-Nonce'],
] as const) {
  check(id, `every delivery has \`${header}\``, delivered, async ({ deliveries, expect }) => {
    expectHeader(expect, await deliveries.all(), name, header)
  })
}

for (const [id, name, header, member] of [
  ['WEBHOOK-HEADER-EVENT-ID', 'eventId', 'X-Service-Event-ID', 'id'],
  ['WEBHOOK-HEADER-EVENT-TYPE', 'eventType', 'X-Service-Event-Type', 'type'],
] as const) {
  check(id, `\`${header}\` is the \`${member}\` of the event`, delivered, async ({ deliveries, expect }) => {
    const arrivals = await deliveries.all()
    expectHeader(expect, arrivals, name, header)
    const judged = arrivals.filter(({ event }) => typeof event?.[member] === 'string')
    requireData(judged.length, 1, `delivery whose body has ${member}`, ['WEBHOOK-DELIVERY-ENVELOPE'])
    expectEvery(
      expect,
      judged,
      ({ event, delivery }) => headerOf(delivery, name) === event?.[member],
      `${header} as ${member} in the body`,
      'a different value',
    )
  })
}

check(
  'WEBHOOK-HEADER-TIMESTAMP',
  '`X-Service-Timestamp` is the timestamp of the event',
  delivered,
  async ({ deliveries, expect, note }) => {
    const arrivals = await deliveries.all()
    const hasTimestamp = ({ delivery }: Arrival) => Boolean(headerOf(delivery, 'timestamp'))
    expectEvery(
      expect,
      arrivals,
      hasTimestamp,
      'X-Service-Timestamp in every delivery',
      'no X-Service-Timestamp',
    )
    const judged = arrivals.filter(({ event }) => instantOf(event?.timestamp))
    requireData(judged.length, 1, 'delivery whose body has a timestamp', ['WEBHOOK-DELIVERY-TIMESTAMP-Z'])
    const isThatOfEvent = ({ event, delivery, slot }: Arrival) => {
      const header = headerOf(delivery, 'timestamp')
      if (header === event?.timestamp) return true
      const [inHeader, inBody] = [instantOf(header), instantOf(event?.timestamp)]
      // A retry may have a timestamp of its own.
      if (slot > 0) return inHeader !== undefined
      if (!inHeader || !inBody || !inHeader.equals(inBody)) return false
      note('X-Service-Timestamp differs in form from the timestamp of the event')
      return true
    }
    expectEvery(expect, judged, isThatOfEvent, 'the timestamp of the event', 'a different value')
  },
)

check(
  'WEBHOOK-NONCE-SINGLE-USE',
  'every first attempt has a different nonce',
  delivered,
  async ({ deliveries, expect, basis }) => {
    const withNonce = (await deliveries.all()).filter(({ delivery }) => headerOf(delivery, 'nonce'))
    const nonces = withNonce.flatMap(({ delivery, slot }) => (slot === 0 ? headerOf(delivery, 'nonce') : []))
    requireData(nonces.length, 2, 'deliveries with a nonce', ['WEBHOOK-HEADER-NONCE'])
    basis({ nonces: nonces.length })
    const different = new Set(nonces).size
    expect.that(
      different === nonces.length,
      'a different nonce in each delivery',
      `${counted(different, 'nonce')} in ${nonces.length} deliveries`,
    )
    // The attempts of one delivery may share a nonce: whether a retry is the same delivery is not specified.
    const byNonce = Map.groupBy(withNonce, ({ delivery }) => headerOf(delivery, 'nonce'))
    const shared = [...byNonce.values()].filter((arrivals) => new Set(arrivals.map(eventAndTarget)).size > 1)
    expect.that(
      shared.length === 0,
      'a different nonce in retries of different deliveries',
      `${counted(shared.length, 'nonce')} of several deliveries`,
    )
  },
)

check(
  'WEBHOOK-RETRY-MARKS',
  'the nonce, timestamp and signature of retries are recorded',
  delivered,
  async ({ deliveries, observe, clock }) => {
    const { due } = await clock.advancePast(2)
    const first = await deliveries.deliveredTo('always failing')
    const retries = (await deliveries.to('always failing')).filter(({ slot }) => slot === due)
    const repeats = (name: DeliveryHeader) => {
      const known = new Set(first.map(({ delivery }) => headerOf(delivery, name)))
      if (retries.length === 0) return null
      return retries.every(({ delivery }) => known.has(headerOf(delivery, name)))
    }
    observe('webhooks.retry.same-nonce', repeats('nonce'))
    observe('webhooks.retry.same-timestamp', repeats('timestamp'))
    observe('webhooks.retry.same-signature', repeats('signature'))
  },
)
