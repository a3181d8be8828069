import { describe, expect, test } from 'vitest'
import { type Fault, faults, type Variant, variants } from '../../provider/index.ts'
import { Facts } from './webhook-facts.ts'
import { WebhookWorld } from './webhook-receiver.ts'

// What goes over the wire, seen by an observer who knows neither the provider's code nor the harness.

const aboutWebhooks = ({ face }: Fault | Variant) => face === 'webhooks'
/** Shown only by receivers that let the provider wait. */
const isSlow = ({ violates }: Fault) =>
  violates.some((id) => ['WEBHOOK-RETRY-TIMEOUT', 'WEBHOOK-RECEIVER-TIME'].includes(id))
const webhookFaults = faults.filter(aboutWebhooks)
/** The observer subscribes as often as it likes, to any type, looks at once, and at the first page of a list only. */
const beyondObserver = new Set([
  'webhook-unknown-types-refused',
  'webhook-short-secret-for-known-types',
  'webhook-one-subscription-at-most',
  'webhook-five-subscriptions-at-most',
  'webhook-changes-seen-later',
  'webhook-list-in-pages',
])
const isBeyondObserver = ({ name }: Fault | Variant) => beyondObserver.has(name)

type Alterations = { faults?: string[]; variants?: string[] }

async function observe(alterations: Alterations): Promise<Facts> {
  const now = Date.now()
  const run = await WebhookWorld.start({ ...alterations, now: () => now })
  return new Facts(run)
}

async function broken(alterations: Alterations): Promise<string[]> {
  const facts = await observe(alterations)
  await facts.management()
  await facts.deliveries()
  await facts.retries()
  return [...facts.broken].sort()
}

async function brokenByPatience(alterations: Alterations): Promise<string[]> {
  const facts = await observe(alterations)
  await facts.patience()
  return [...facts.broken].sort()
}

const expected = ({ violates, consequences = [] }: Fault) => [...violates, ...consequences].sort()

describe('a fault breaks what it violates and nothing else', () => {
  test.each(webhookFaults.filter((fault) => !isSlow(fault) && !isBeyondObserver(fault)))(
    '$name',
    async (fault) => {
      expect(await broken({ faults: [fault.name] })).toEqual(expected(fault))
    },
  )

  test('where a receiver has ten seconds, and a provider without faults breaks nothing', async () => {
    const slow = webhookFaults.filter(isSlow)
    const seen = await Promise.all([
      brokenByPatience({ variants: ['webhooks'] }),
      ...slow.map(({ name }) => brokenByPatience({ faults: [name] })),
    ])
    expect(seen).toEqual([[], ...slow.map(expected)])
  })
})

test.each(variants.filter((variant) => aboutWebhooks(variant) && !isBeyondObserver(variant)))(
  'the variant $name breaks nothing',
  async ({ name }) => {
    expect(await broken({ variants: [name] })).toEqual([])
  },
)

test('every requirement that is judged has a fault, and every fault needs what pushes', () => {
  expect(new Set(webhookFaults.flatMap(({ violates }) => violates)).size).toBe(53)
  for (const { variants: needed } of webhookFaults) expect(needed).toEqual(['webhooks'])
})
