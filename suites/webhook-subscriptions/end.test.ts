import { planned } from '../../src/check/check-options.ts'
import { differentValue, kindOf } from '../../src/check/expect.ts'
import { inconclusive } from '../../src/check/verdict.ts'
import { sameFilters, secretsDisclosed } from '../../src/check/webhooks/responses.ts'
import { byHand } from '../../src/check/webhooks/subscription-steps.ts'
import type { SubscriptionRequest } from '../../src/webhook/subscriptions.ts'
import { differentFilters } from './member-types.ts'
import { check } from './requirements.ts'

const atTheEnd = { ...planned, runsLast: true } as const

check(
  'WEBHOOK-SUBSCRIPTION-SECRET-WITHHELD',
  'no response of subscription management contains a secret',
  atTheEnd,
  async ({ subscriptions, expect, basis, note }) => {
    // With `--only`, the run may not have sent these requests yet.
    await subscriptions.list()
    await subscriptions.updated()
    await subscriptions.deleted()
    const registry = await subscriptions.registry()
    const { responses } = registry.management
    const { whole, parts } = secretsDisclosed(responses, registry.secrets)
    basis({ responses: responses.length })
    expect.that(
      whole === 0,
      'responses without a secret',
      `a secret in ${whole} of ${responses.length} responses`,
    )
    const { holding, all } = registry.deliveriesWithSecret()
    // Deliveries are not responses of the management.
    if (holding > 0) note(`the secret of a subscription in ${holding} of ${all} deliveries`)
    if (parts > 0) note(`a few characters of a secret in ${parts} of ${responses.length} responses`)
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-CREDENTIALS',
  'a deletion is refused without credentials',
  atTheEnd,
  async ({ refusals }) => {
    await refusals.deletionRefused()
  },
)

check(
  'WEBHOOK-SUBSCRIPTION-DELETE',
  'every subscription of the run is deleted',
  atTheEnd,
  async ({ subscriptions, expect, note }) => {
    expect.that(
      !(await subscriptions.isDeletedListed()),
      'a list without the deleted subscription, or with a different status',
      'a list that contains the deleted subscription with the same status',
    )
    const { deleted, remaining } = await subscriptions.deleteAll(note)
    expect.that(
      remaining === 0,
      'every subscription deleted',
      `${remaining} of ${deleted + remaining} left; ${byHand}`,
    )
  },
)

/** Rules for the response to every creation. Each function returns the actual value of a violation, if any. */
const rules = [
  ['WEBHOOK-SUBSCRIPTION-CREATE-ID', 'an id', ({ id }) => textProblem(id)],
  [
    'WEBHOOK-SUBSCRIPTION-CREATE-TARGET',
    'the `target_url` of its request',
    ({ target_url: returned }, request) =>
      returned === request.target_url ? undefined : differentValue('target_url', returned),
  ],
  [
    'WEBHOOK-SUBSCRIPTION-CREATE-FILTERS',
    'the `event_filters` of its request',
    ({ event_filters: returned }, request) =>
      sameFilters(returned, request.event_filters) ? undefined : differentFilters(returned),
  ],
  ['WEBHOOK-SUBSCRIPTION-CREATE-STATUS', 'a status', ({ status }) => textProblem(status)],
  [
    'WEBHOOK-SUBSCRIPTION-CREATE-CREATED-AT',
    '`created_at`',
    ({ created_at: returned }) => textProblem(returned),
  ],
] as const satisfies readonly (readonly [
  string,
  string,
  (members: Readonly<Record<string, unknown>>, request: SubscriptionRequest) => string | undefined,
])[]

for (const [id, memberText, problemOf] of rules) {
  check(
    id,
    `every created subscription of the run has ${memberText}`,
    atTheEnd,
    async ({ subscriptions, expect, basis }) => {
      await subscriptions.createdMembers()
      await subscriptions.describedCreation()
      const { creations } = await subscriptions.registry()
      const judged = creations.flatMap(({ request, response: { object } }) =>
        object ? [problemOf(object, request)] : [],
      )
      if (judged.length === 0) return inconclusive('nothing was created', ['WEBHOOK-SUBSCRIPTION-CREATE'])
      basis({ subscriptions: judged.length })
      const problems = judged.filter((problem) => problem !== undefined)
      expect.that(
        problems.length === 0,
        `${memberText} in every response to a creation`,
        `a different value in ${problems.length} of ${judged.length} responses (${[...new Set(problems)].join(', ')})`,
      )
    },
  )
}

function textProblem(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? undefined : kindOf(value)
}
