import { secretsDisclosed } from '../../src/check/webhooks/responses.ts'
import { planned } from './planned.ts'
import { check } from './requirements.ts'

const atTheEnd = { ...planned, runsLast: true } as const

check(
  'WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD',
  'no response of subscription management contains a secret',
  atTheEnd,
  async ({ subscriptions, expect, basis, note }) => {
    // With --only, no earlier check may have sent these.
    await subscriptions.list()
    await subscriptions.updated()
    await subscriptions.deleted()
    const { responses, secrets } = await subscriptions.registry()
    const { whole, parts } = secretsDisclosed(responses, secrets)
    basis({ responses: responses.length })
    expect.that(whole === 0, 'responses without a secret', `a secret in ${whole} of ${responses.length}`)
    if (parts > 0) note(`${parts} of ${responses.length} responses contain a few characters of a secret`)
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-CREDENTIALS',
  'a deletion is refused without credentials',
  atTheEnd,
  async ({ expect, refusals }) => {
    expect.anyRefusal(await refusals.deletionWithoutCredentials())
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-DELETE',
  'every subscription of the run is deleted',
  atTheEnd,
  async ({ subscriptions, expect }) => {
    const { deleted, remaining } = await subscriptions.deleteAll()
    expect.that(
      remaining === 0,
      'every subscription deleted',
      `${remaining} of ${deleted + remaining} left; delete those whose target_url begins with WEBHOOK_RECEIVER_URL by hand`,
    )
  },
)
