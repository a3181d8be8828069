import { check } from './requirements.ts'

const atTheEnd = { effects: ['planned'], needs: ['webhookReceiver'], looksBack: true } as const

check(
  'WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD',
  'no answer of the management holds a secret',
  atTheEnd,
  async ({ webhooks, expect, basis, note }) => {
    // With --only, nobody else may have asked for these.
    await webhooks.list()
    await webhooks.updated()
    await webhooks.deleted()
    const { answers, whole, parts } = await webhooks.secretsGivenOut()
    basis({ answers })
    expect.that(whole === 0, 'answers without the secret', `${whole} of ${answers} held one`)
    if (parts > 0) note(`${parts} of ${answers} answers hold a few characters of a secret`)
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-DELETE',
  'every subscription of the run can be deleted',
  atTheEnd,
  async ({ webhooks, expect }) => {
    const { deleted, left } = await webhooks.deleteAll()
    expect.that(
      left === 0,
      'that they can be deleted',
      `${left} of ${deleted + left} could not; delete those whose target_url begins with WEBHOOK_RECEIVER_URL by hand`,
    )
  },
)
