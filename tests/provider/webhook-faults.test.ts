import { describe, expect, test } from 'vitest'
import { type Fault, faults, type Variant, variants } from '../../provider/index.ts'
import { observeDeliveries } from './webhook-delivery-observer.ts'
import { WebhookFixture } from './webhook-fixture.ts'
import { observeManagement } from './webhook-management-observer.ts'
import { Observer } from './webhook-observer.ts'
import { observeRetries, observeTimeouts } from './webhook-retry-observer.ts'

// The observer sees HTTP messages only: it shares no code with the provider and the harness.

const isAboutWebhooks = ({ surface }: Fault | Variant) => surface === 'webhooks'
/** Faults that only a slow receiver detects. */
const isSlow = ({ violates }: Fault) =>
  violates.some((id) => ['WEBHOOK-RETRY-TIMEOUT', 'WEBHOOK-RECEIVER-TIME'].includes(id))
const webhookFaults = faults.filter(isAboutWebhooks)
/** The observer creates many subscriptions with any type, does not wait for changes, and reads one page of a list. */
const unobservable = new Set([
  'webhook-unknown-types-refused',
  'webhook-short-secret-for-known-types',
  'webhook-one-subscription-at-most',
  'webhook-five-subscriptions-at-most',
  'webhook-changes-seen-later',
  'webhook-list-in-pages',
  // It compares no events with each other.
  'webhook-second-event-lost',
  'webhook-second-event-lost-without-filters',
  'webhook-second-event-lost-with-two-filters',
  'webhook-no-retry-of-second-event',
  'webhook-retry-of-newest-event',
  // It needs subscriptions.
  'webhooks-feature-disabled',
  'webhooks-feature-disabled-in-lower-case',
  'webhooks-feature-disabled-with-400',
  'webhooks-forbidden',
  'webhooks-absent-with-405',
  'webhooks-absent-with-410',
  'webhooks-absent-with-redirect',
  'webhooks-absent-with-page',
  'webhooks-absent-with-400',
  'webhooks-absent-with-501',
])
const isObservable = ({ name }: Fault | Variant) => !unobservable.has(name)

type Alterations = { faults?: string[]; variants?: string[] }
type Observation = (observer: Observer) => Promise<void>

async function broken(alterations: Alterations, ...observations: Observation[]): Promise<string[]> {
  const now = Date.now()
  const observer = new Observer(await WebhookFixture.start({ ...alterations, now: () => now }))
  for (const observe of observations) await observe(observer)
  return [...observer.broken].sort()
}

const observations = [observeManagement, observeDeliveries, observeRetries]
const expected = ({ violates, consequences = [] }: Fault) => [...violates, ...consequences].sort()

describe('a fault violates its own requirements and no others', () => {
  test.each(webhookFaults.filter((fault) => !isSlow(fault) && isObservable(fault)))(
    '$name',
    async (fault) => {
      expect(await broken({ faults: [fault.name] }, ...observations)).toEqual(expected(fault))
    },
  )

  test('with a slow receiver, and the clean provider violates nothing', async () => {
    const slow = webhookFaults.filter(isSlow)
    const seen = await Promise.all([
      broken({ variants: ['webhooks'] }, observeTimeouts),
      ...slow.map(({ name }) => broken({ faults: [name] }, observeTimeouts)),
    ])
    expect(seen).toEqual([[], ...slow.map(expected)])
  })
})

test.each(variants.filter((variant) => isAboutWebhooks(variant) && isObservable(variant)))(
  'the variant $name violates nothing',
  async ({ name }) => {
    expect(await broken({ variants: [name] }, ...observations)).toEqual([])
  },
)

test('every observed requirement has a fault, and every fault needs the variant webhooks', () => {
  expect(new Set(webhookFaults.flatMap(({ violates }) => violates)).size).toBe(57)
  for (const { variants: needed } of webhookFaults.filter(isObservable)) expect(needed).toEqual(['webhooks'])
})
