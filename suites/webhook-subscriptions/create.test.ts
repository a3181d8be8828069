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
    const { target_url: given } = await subscriptions.createdMembers()
    const { request } = await subscriptions.creation()
    expect.that(
      given === request.target_url,
      'target_url of the request',
      differentValue('target_url', given),
    )
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-CREATE-FILTERS',
  'the created subscription has the `event_filters` of the request',
  planned,
  async ({ subscriptions, expect }) => {
    const { event_filters: given } = await subscriptions.createdMembers()
    const { request } = await subscriptions.creation()
    expect.that(
      sameFilters(given, request.event_filters),
      'event_filters of the request',
      differentFilters(given),
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
    const { created_at: given } = await subscriptions.createdMembers()
    const { response } = await subscriptions.creation()
    const at = utcInstantOf(given)
    expect.that(
      at !== undefined,
      'created_at as an ISO 8601 date-time in UTC',
      `created_at: ${typeof given === 'string' ? 'a string in another format' : kindOf(given)}`,
    )
    const now = response.exchange.sentAt + (clockOffsetMs() ?? 0)
    const off = Math.round(Math.abs(Number(at?.epochMilliseconds) - now) / 60_000)
    if (off >= 5) note(`created_at differs from the clock of the target by ${off} minutes`)
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
