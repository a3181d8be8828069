import { randomBytes, randomUUID } from 'node:crypto'
import { memberNames } from '../../src/check/webhooks/responses.ts'
import { partnerHeaders } from '../../src/event-hub/search.ts'
import { partnerApiOf } from '../../src/target/parts.ts'
import { planned } from './planned.ts'
import { check } from './requirements.ts'

const withWrongCredentials = {
  effects: ['planned', 'credential-probes'],
  needs: ['webhookReceiver'],
} as const

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

check(
  'WEBHOOK-SUBSCRIPTION-TARGET-REQUIRED',
  'a creation without `target_url` is refused',
  planned,
  async ({ refusals }) => {
    await refusals.creationRefused(await refusals.responseWithout('target_url'))
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-SECRET-REQUIRED',
  'a creation without `secret` is refused',
  planned,
  async ({ refusals }) => {
    await refusals.creationRefused(await refusals.responseWithout('secret'))
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-FILTERS-REQUIRED',
  'a creation without `event_filters` is refused',
  planned,
  async ({ refusals }) => {
    await refusals.creationRefused(await refusals.responseWithout('event_filters'))
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-CREDENTIALS',
  'the list is refused without credentials',
  planned,
  async ({ refusals }) => {
    await refusals.listRefused(await refusals.listWithoutCredentials())
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-CREDENTIALS',
  'the list is refused with only `X-Client-Id`',
  planned,
  async ({ refusals }) => {
    await refusals.requireCredentialsMatter()
    await refusals.listRefused(await refusals.listWithIdOnly())
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-CREDENTIALS',
  'the list is refused with only `X-Client-Secret`',
  planned,
  async ({ refusals }) => {
    await refusals.requireCredentialsMatter()
    await refusals.listRefused(await refusals.listWithSecretOnly())
  },
)

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

check(
  'WEBHOOK-SUBSCRIPTION-CREDENTIALS-WRONG',
  'the list is refused with an unknown `X-Client-Secret`',
  withWrongCredentials,
  async ({ refusals, target }) => {
    await refusals.requireSecretMatters()
    const { id } = partnerApiOf(target).credentials
    const headers = partnerHeaders({ id, secret: randomBytes(24).toString('hex') })
    await refusals.listRefused(await refusals.listFor(headers, 'with a random X-Client-Secret'))
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-CREDENTIALS-WRONG',
  'the list is refused with an unknown `X-Client-Id`',
  withWrongCredentials,
  async ({ refusals, target }) => {
    await refusals.requireIdMatters()
    const { secret } = partnerApiOf(target).credentials
    const headers = partnerHeaders({ id: randomUUID(), secret })
    await refusals.listRefused(await refusals.listFor(headers, 'with a random X-Client-Id'))
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-NO-OAUTH',
  "a user's access token in place of credentials is refused",
  { effects: ['planned', 'login'], needs: ['webhookReceiver', 'user'] },
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
  { effects: ['planned', 'login'], needs: ['webhookReceiver', 'user'] },
  async ({ refusals, tokens, target }) => {
    await refusals.requireSecretMatters()
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
