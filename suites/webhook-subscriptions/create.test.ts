import { planned } from '../../src/check/check-options.ts'
import { differentValue, kindOf, quotedOrMasked } from '../../src/check/expect.ts'
import { otherType } from '../../src/check/webhooks/receivers.ts'
import { sameFilters, statusValues } from '../../src/check/webhooks/responses.ts'
import { utcInstantOf } from '../../src/webhook/timestamp.ts'
import { differentFilters } from './member-types.ts'
import { check } from './requirements.ts'

check(
  'WEBHOOK-SUBSCRIPTION-CREATE',
  'the response to a valid creation is a JSON object',
  planned,
  async ({ subscriptions, expect }) => {
    const { response } = await subscriptions.creation()
    expect.that(response.status < 300, 'a 2xx status', response)
    expect.object(response)
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-CREATE-ID',
  'the created subscription has an id',
  planned,
  async ({ subscriptions, expect }) => {
    const { id } = await subscriptions.createdMembers()
    expect.text(id, 'id')
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-CREATE-TARGET',
  'the created subscription has the `target_url` of the request',
  planned,
  async ({ subscriptions, expect }) => {
    const { target_url: returned } = await subscriptions.createdMembers()
    const { request } = await subscriptions.creation()
    expect.that(
      returned === request.target_url,
      'target_url of the request',
      differentValue('target_url', returned),
    )
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-CREATE-FILTERS',
  'the created subscription has the `event_filters` of the request',
  planned,
  async ({ subscriptions, expect }) => {
    const { event_filters: returned } = await subscriptions.createdMembers()
    const { request } = await subscriptions.creation()
    expect.that(
      sameFilters(returned, request.event_filters),
      'event_filters of the request',
      differentFilters(returned),
    )
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-CREATE-STATUS',
  'the created subscription has a status',
  planned,
  async ({ subscriptions, expect, note }) => {
    const { status } = await subscriptions.createdMembers()
    if (expect.text(status, 'status') !== 'active')
      note(`the status is ${quotedOrMasked(status)}, not active`)
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-CREATE-CREATED-AT',
  'the created subscription has the time of its creation',
  planned,
  async ({ subscriptions, expect, note, clockOffsetMs }) => {
    const { created_at: returned } = await subscriptions.createdMembers()
    const { response } = await subscriptions.creation()
    const at = utcInstantOf(returned)
    expect.that(
      at !== undefined,
      'created_at as an ISO 8601 date-time in UTC',
      `created_at: ${typeof returned === 'string' ? 'a string in another format' : kindOf(returned)}`,
    )
    const now = response.exchange.sentAt + (clockOffsetMs() ?? 0)
    const differenceMinutes = Math.round(Math.abs(Number(at?.epochMilliseconds) - now) / 60_000)
    if (differenceMinutes >= 5)
      note(`created_at differs from the clock of the target by ${differenceMinutes} minutes`)
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-DESCRIPTION',
  'a creation with a description is accepted',
  planned,
  async ({ subscriptions, refusals, expect, note }) => {
    const { response, request } = await subscriptions.describedCreation()
    if (response.status >= 300) await refusals.anotherIsAccepted()
    expect.that(response.status < 300, 'a 2xx status', response)
    if (!request.event_filters?.includes(otherType)) note(`event_filters of ${otherType} are refused`)
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-STATUS-VALUES',
  'the values of `status` are recorded',
  planned,
  async ({ subscriptions, observe }) => {
    await subscriptions.creation()
    const { management } = await subscriptions.registry()
    observe('webhooks.subscription.status', statusValues(management.responses))
  },
)
