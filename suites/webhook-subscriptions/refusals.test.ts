import { planned } from '../../src/check/check-options.ts'
import { memberNames } from '../../src/check/webhooks/responses.ts'
import { partnerApiOf } from '../../src/target/parts.ts'
import { headersWithUnknown } from '../event-search/credential-steps.ts'
import { check } from './requirements.ts'

const withAccessToken = { effects: ['planned', 'login'], needs: ['webhookReceiver', 'user'] } as const

check(
  'WEBHOOK-SUBSCRIPTION-SECRET-LENGTH',
  'a secret of 31 characters is refused, a secret of 32 characters is accepted',
  planned,
  async ({ refusals }) => {
    await refusals.creationRefused(await refusals.responseToShortSecret())
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-TARGET-HTTPS',
  'a `target_url` with `http:` is refused',
  planned,
  async ({ refusals }) => {
    await refusals.creationRefused(await refusals.responseToPlainTarget())
  },
)

for (const [id, member] of [
  ['WEBHOOK-SUBSCRIPTION-TARGET-REQUIRED', 'target_url'],
  ['WEBHOOK-SUBSCRIPTION-SECRET-REQUIRED', 'secret'],
  ['WEBHOOK-SUBSCRIPTION-FILTERS-REQUIRED', 'event_filters'],
] as const) {
  check(id, `a creation without \`${member}\` is refused`, planned, async ({ refusals }) => {
    await refusals.creationRefused(await refusals.responseWithout(member))
  })
}

check(
  'WEBHOOK-SUBSCRIPTION-CREDENTIALS',
  'the list is refused without credentials',
  planned,
  async ({ refusals }) => {
    await refusals.listRefused(await refusals.listWithoutCredentials())
  },
)

for (const [only, absent] of [
  ['X-Client-Id', 'X-Client-Secret'],
  ['X-Client-Secret', 'X-Client-Id'],
] as const) {
  check(
    'WEBHOOK-SUBSCRIPTION-CREDENTIALS',
    `the list is refused with only \`${only}\``,
    planned,
    async ({ refusals }) => {
      await refusals.requireCredentialsMatter()
      await refusals.listRefused(await refusals.listWithout(absent))
    },
  )
}

check(
  'WEBHOOK-SUBSCRIPTION-CREDENTIALS',
  'a request for a subscription is refused without credentials',
  planned,
  async ({ refusals }) => {
    await refusals.listRefused(await refusals.getWithoutCredentials())
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-CREDENTIALS',
  'an update is refused without credentials',
  planned,
  async ({ refusals }) => {
    await refusals.listRefused(await refusals.updateWithoutCredentials())
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-CREDENTIALS',
  'a creation is refused without credentials',
  planned,
  async ({ refusals }) => {
    await refusals.creationRefused(await refusals.creationWithoutCredentials())
  },
)

for (const header of ['X-Client-Secret', 'X-Client-Id'] as const) {
  check(
    'WEBHOOK-SUBSCRIPTION-CREDENTIALS-WRONG',
    `the list is refused with an unknown \`${header}\``,
    { effects: ['planned', 'credential-probes'], needs: ['webhookReceiver'] },
    async ({ refusals, target }) => {
      await refusals.requireHeaderMatters(header)
      const headers = headersWithUnknown(target, header)
      await refusals.listRefused(await refusals.listFor(headers, `with a random ${header}`))
    },
  )
}

check(
  'WEBHOOK-SUBSCRIPTION-NO-OAUTH',
  "a user's access token in place of credentials is refused",
  withAccessToken,
  async ({ refusals, tokens }) => {
    await refusals.requireCredentialsMatter()
    const { accessToken } = await tokens.first()
    const bearer = ['Authorization', `Bearer ${accessToken}`] as const
    await refusals.listRefused(await refusals.listFor([bearer], 'with an access token alone'))
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-NO-OAUTH',
  "a user's access token in place of the secret is refused",
  withAccessToken,
  async ({ refusals, tokens, target }) => {
    await refusals.requireHeaderMatters('X-Client-Secret')
    const { accessToken } = await tokens.first()
    const headers = [
      ['X-Client-Id', partnerApiOf(target).credentials.id],
      ['Authorization', `Bearer ${accessToken}`],
    ] as const
    await refusals.listRefused(await refusals.listFor(headers, 'with an access token in place of the secret'))
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-REFUSALS',
  'the status and members of refusals are recorded',
  planned,
  async ({ refusals, subscriptions, observe }) => {
    const responses = {
      'short-secret': await refusals.responseToShortSecret(),
      'plain-target': await refusals.responseToPlainTarget(),
      'no-target': await refusals.responseWithout('target_url'),
      'no-credentials': await refusals.listWithoutCredentials(),
      'deleted-subscription': (await subscriptions.deleted()).afterwards,
    }
    for (const [name, { status, object }] of Object.entries(responses)) {
      observe(`webhooks.refusal.${name}.status`, status)
      observe(`webhooks.refusal.${name}.members`, memberNames(object))
    }
  },
)
