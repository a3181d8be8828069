import { planned } from '../../src/check/check-options.ts'
import { differentValue } from '../../src/check/expect.ts'
import { inconclusive, notApplicable } from '../../src/check/verdict.ts'
import {
  hasMorePages,
  listedIn,
  memberIn,
  memberNames,
  namesSubscription,
  sameFilters,
  subscriptionIn,
} from '../../src/check/webhooks/responses.ts'
import { updatedFilters } from '../../src/check/webhooks/subscription-steps.ts'
import { utcInstantOf } from '../../src/webhook/timestamp.ts'
import { differentFilters, expectAsCreated, expectMemberTypes } from './member-types.ts'
import { check } from './requirements.ts'

check(
  'WEBHOOK-SUBSCRIPTION-LIST',
  'the list contains the created subscriptions',
  planned,
  async ({ subscriptions, expect }) => {
    const first = await subscriptions.subscription()
    const response = await subscriptions.list()
    expect.that(response.status < 300, 'a 2xx status', response)
    const described = await subscriptions.describedCreation()
    const ids = [first.id, described.id].filter((one) => one !== undefined)
    const missing = ids.filter((one) => !namesSubscription(response, one)).length
    if (missing > 0 && hasMorePages(response))
      return inconclusive(`${missing} of ${ids.length} subscriptions may be on another page of the list`)
    expect.that(
      missing === 0,
      'the ids of all subscriptions of this run',
      `${missing} of ${ids.length} missing`,
    )
    expectAsCreated(expect, listedIn(response, first), first)
    expectAsCreated(expect, listedIn(response, described), described, await subscriptions.listedFilters())
    expectMemberTypes(expect, listedIn(response, first), first.response.object)
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-GET',
  'a request for a subscription by its id returns it',
  planned,
  async ({ subscriptions, expect }) => {
    const described = await subscriptions.described()
    const { id } = described
    const response = await subscriptions.got()
    expect.that(response.status < 300, 'a 2xx status', response)
    expect.that(namesSubscription(response, id), 'the id of the subscription', 'a response without that id')
    const names = ['target_url', 'description', 'event_filters'] as const
    const shown = Object.fromEntries(names.map((name) => [name, memberIn(response, name)]))
    expectAsCreated(expect, shown, described)
    expectMemberTypes(expect, subscriptionIn(response, id) ?? {}, described.response.object)
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-UPDATE',
  'an update of `event_filters` is accepted, and later responses show the new filters if they show any',
  planned,
  async ({ subscriptions, expect, note }) => {
    await subscriptions.requireFound()
    const { update, before, afterwards, subscription } = await subscriptions.updated()
    expect.that(update.status < 300, 'a 2xx status', update)
    for (const name of ['target_url', 'description']) {
      const [earlier, later] = [memberIn(before, name), memberIn(afterwards, name)]
      expect.that(
        afterwards.status >= 300 || earlier === later,
        `${name} as it was before`,
        differentValue(name, later),
      )
    }
    const returned = memberIn(afterwards, 'event_filters')
    if (returned === undefined) {
      note('responses have no event_filters, so only deliveries show whether they changed')
      return
    }
    expect.that(
      sameFilters(returned, updatedFilters(subscription)),
      'the changed event_filters',
      differentFilters(returned),
    )
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-UPDATE-RESPONSE',
  'a subscription in the response to an update is the updated one, with members of the documented types',
  planned,
  async ({ subscriptions, expect, note }) => {
    await subscriptions.requireFound()
    const { update, before, subscription } = await subscriptions.updated()
    if (update.status >= 300) return inconclusive('the update was refused', ['WEBHOOK-SUBSCRIPTION-UPDATE'])
    const shown = subscriptionIn(update, subscription.id)
    if (!shown)
      return notApplicable('the response to an update contains no subscription, which is optional', 'target')
    for (const [name, expected] of [
      ['id', subscription.id],
      ['target_url', subscription.request.target_url],
    ] as const) {
      const returned = shown[name]
      expect.that(
        returned === undefined || returned === expected,
        `${name} of the subscription, if any`,
        differentValue(name, returned),
      )
    }
    expectMemberTypes(expect, shown)
    const at = utcInstantOf(shown.created_at)
    const earlier = utcInstantOf(memberIn(before, 'created_at'))
    if (at && earlier && !at.equals(earlier))
      note('created_at in the response to an update is a different time')
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-DELETE',
  'a deleted subscription is not returned, or has a different status',
  planned,
  async ({ subscriptions, expect, note }) => {
    await subscriptions.requireFound()
    const { id, deletion, afterwards, response } = await subscriptions.deleted()
    expect.that(deletion.status < 300, 'a 2xx status', deletion)
    const [before, after] = [memberIn(response, 'status'), memberIn(afterwards, 'status')]
    const isShown = afterwards.status < 300 && namesSubscription(afterwards, id)
    const isGone = !isShown || (after !== undefined && after !== before)
    expect.that(isGone, 'no subscription, or a different status', afterwards)
    if (isShown) note('a deleted subscription is still returned, with a different status')
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-ANSWERS',
  'the status and members of responses of subscription management are recorded',
  planned,
  async ({ subscriptions, observe }) => {
    const { update } = await subscriptions.updated()
    const { deletion } = await subscriptions.deleted()
    const responses = {
      create: (await subscriptions.creation()).response,
      list: await subscriptions.list(),
      get: await subscriptions.got(),
      update,
      delete: deletion,
    }
    for (const [name, { status, json }] of Object.entries(responses)) {
      observe(`webhooks.${name}.status`, status)
      observe(`webhooks.${name}.members`, memberNames(json))
    }
  },
)
