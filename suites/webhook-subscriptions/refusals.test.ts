import { check } from './requirements.ts'

const planned = { effects: ['planned'], needs: ['webhookReceiver'] } as const

check(
  'WEBHOOK-SUBSCRIPTION-SECRET-LENGTH',
  'a secret of 31 characters is refused where one of 32 is accepted',
  planned,
  async ({ webhooks }) => {
    webhooks.refused(await webhooks.answerToShortSecret())
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-TARGET-HTTPS',
  'a target_url with http: is refused',
  planned,
  async ({ webhooks }) => {
    webhooks.refused(await webhooks.answerToPlainTarget())
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-TARGET-REQUIRED',
  'a creation without target_url is refused',
  planned,
  async ({ webhooks }) => {
    webhooks.refused(await webhooks.answerWithout('target_url'))
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-SECRET-REQUIRED',
  'a creation without secret is refused',
  planned,
  async ({ webhooks }) => {
    webhooks.refused(await webhooks.answerWithout('secret'))
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-FILTERS-REQUIRED',
  'a creation without event_filters is refused',
  planned,
  async ({ webhooks }) => {
    webhooks.refused(await webhooks.answerWithout('event_filters'))
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-CREDENTIALS',
  'the list is refused without credentials',
  planned,
  async ({ webhooks }) => {
    webhooks.listRefused(await webhooks.listForNobody())
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-CREDENTIALS',
  'the list is refused with an id alone',
  planned,
  async ({ webhooks }) => {
    await webhooks.credentialsMatter()
    webhooks.listRefused(await webhooks.listForIdAlone())
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-CREDENTIALS',
  'a creation is refused without credentials',
  planned,
  async ({ webhooks }) => {
    webhooks.refused(await webhooks.creationByNobody())
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-NO-OAUTH',
  "a user's access token in place of credentials is refused",
  { effects: ['planned', 'login'], needs: ['webhookReceiver', 'user'] },
  async ({ webhooks, tokens }) => {
    await webhooks.credentialsMatter()
    const { accessToken } = await tokens.first()
    const bearer = ['Authorization', `Bearer ${accessToken}`] as const
    webhooks.listRefused(await webhooks.listFor([bearer], 'with an access token alone'))
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-REFUSALS',
  'statuses of refusals, and names of errors',
  planned,
  async ({ webhooks, observe }) => {
    const refusals = {
      'short-secret': await webhooks.answerToShortSecret(),
      'plain-target': await webhooks.answerToPlainTarget(),
      'no-target': await webhooks.answerWithout('target_url'),
      'no-credentials': await webhooks.listForNobody(),
      'deleted-subscription': (await webhooks.deleted()).afterwards,
    }
    for (const [name, { status, object }] of Object.entries(refusals)) {
      observe(`webhooks.refusal.${name}.status`, status)
      observe(`webhooks.refusal.${name}.members`, webhooks.memberNames(object))
    }
  },
)
