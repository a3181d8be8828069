import type { Behaviour } from '../behaviour.ts'
import type { Outcome } from '../webhook/behaviour.ts'
import { webhookFaultsOf } from './webhook-fault.ts'

const answered = (outcome: Outcome, isOne: (status: number) => boolean) =>
  outcome.kind === 'answered' && isOne(outcome.status)

function neverAfter({ webhooks }: Behaviour, isOne: (outcome: Outcome) => boolean): void {
  const { retried } = webhooks
  webhooks.retried = (outcome, number) => !isOne(outcome) && retried(outcome, number)
}

function alsoAfter({ webhooks }: Behaviour, isOne: (status: number) => boolean): void {
  const { retried } = webhooks
  webhooks.retried = (outcome, number) => answered(outcome, isOne) || retried(outcome, number)
}

/** Sets the seconds before the second (0), third (1), ... attempt. */
function delay({ webhooks }: Behaviour, index: number, seconds: number): void {
  webhooks.delays[index] = seconds
}

const reasons = webhookFaultsOf([
  {
    name: 'webhook-no-retry-after-503',
    summary: 'A delivery answered 503 is not tried again.',
    violates: ['WEBHOOK-RETRY-SERVER-ERROR'],
    alter: (behaviour) => neverAfter(behaviour, (outcome) => answered(outcome, (status) => status === 503)),
  },
  {
    name: 'webhook-no-retry-after-500',
    summary: 'Of the server errors, only 502, 503 and 504 are tried again.',
    violates: ['WEBHOOK-RETRY-SERVER-ERROR'],
    alter: (behaviour) =>
      neverAfter(behaviour, (outcome) =>
        answered(outcome, (status) => status >= 500 && ![502, 503, 504].includes(status)),
      ),
  },
  {
    name: 'webhook-no-retry-after-429',
    summary: 'A delivery answered 429 is not tried again.',
    violates: ['WEBHOOK-RETRY-THROTTLED'],
    alter: (behaviour) => neverAfter(behaviour, (outcome) => answered(outcome, (status) => status === 429)),
  },
  {
    name: 'webhook-no-retry-after-timeout',
    summary: 'A delivery that is not answered in time is not tried again.',
    violates: ['WEBHOOK-RETRY-TIMEOUT'],
    alter: (behaviour) => neverAfter(behaviour, ({ kind }) => kind === 'timeout'),
  },
  {
    name: 'webhook-no-retry-without-response',
    summary: 'A delivery whose connection ends without an answer is not tried again.',
    violates: ['WEBHOOK-RETRY-NO-RESPONSE'],
    alter: (behaviour) => neverAfter(behaviour, ({ kind }) => kind === 'no-response'),
  },
  {
    name: 'webhook-retry-after-delivery',
    summary: 'A delivery answered 2xx is tried again.',
    violates: ['WEBHOOK-NO-RETRY-DELIVERED'],
    alter: (behaviour) => alsoAfter(behaviour, (status) => status >= 200 && status < 300),
  },
  {
    name: 'webhook-retry-unless-200',
    summary: 'Only 200 counts as delivered: 202 and 204 are tried again.',
    violates: ['WEBHOOK-NO-RETRY-DELIVERED'],
    alter: (behaviour) => alsoAfter(behaviour, (status) => status > 200 && status < 300),
  },
  {
    name: 'webhook-retry-after-400',
    summary: 'A delivery answered 400 is tried again.',
    violates: ['WEBHOOK-NO-RETRY-REFUSED'],
    alter: (behaviour) => alsoAfter(behaviour, (status) => status === 400),
  },
  {
    name: 'webhook-retry-after-refusals',
    summary: 'A delivery answered 4xx is tried again, unless that is 400.',
    violates: ['WEBHOOK-NO-RETRY-REFUSED'],
    alter: (behaviour) => alsoAfter(behaviour, (status) => status > 400 && status < 500),
  },
  {
    name: 'webhook-receiver-has-three-seconds',
    summary: 'A receiver that has not answered after three seconds is given up.',
    violates: ['WEBHOOK-RECEIVER-TIME'],
    alter: ({ webhooks }) => {
      webhooks.receiverTimeout = 3000
    },
  },
])

/** Gives up after two attempts where the second came to the same end. */
function twoAttemptsAfter({ webhooks }: Behaviour, isOne: (outcome: Outcome) => boolean): void {
  const { retried } = webhooks
  webhooks.retried = (outcome, number) => retried(outcome, number) && !(number > 1 && isOne(outcome))
}

const givenUp = webhookFaultsOf([
  {
    name: 'webhook-second-500-is-the-last',
    summary: 'A delivery answered 500 twice is given up.',
    violates: ['WEBHOOK-RETRY-SERVER-ERROR'],
    alter: (behaviour) =>
      twoAttemptsAfter(behaviour, (outcome) => answered(outcome, (status) => status === 500)),
  },
  {
    name: 'webhook-second-without-response-is-the-last',
    summary: 'A delivery whose connection ended twice without an answer is given up.',
    violates: ['WEBHOOK-RETRY-NO-RESPONSE'],
    alter: (behaviour) => twoAttemptsAfter(behaviour, ({ kind }) => kind === 'no-response'),
  },
])

/** What only later attempts lack. */
const marks = webhookFaultsOf([
  ...(
    [
      ['X-Service-Signature', 'WEBHOOK-HEADER-SIGNATURE'],
      ['X-Service-Nonce', 'WEBHOOK-HEADER-NONCE'],
      ['X-Service-Event-ID', 'WEBHOOK-HEADER-EVENT-ID'],
      ['X-Service-Event-Type', 'WEBHOOK-HEADER-EVENT-TYPE'],
    ] as const
  ).map(([header, id]) => ({
    name: `webhook-retry-without-${header.slice('X-Service-'.length).toLowerCase()}`,
    summary: `A retry has no ${header}.`,
    violates: [id],
    alter: ({ webhooks }: Behaviour) => {
      webhooks.requests.push(({ headers }, { number }) => {
        if (number > 1) delete headers[header]
      })
    },
  })),
  {
    name: 'webhook-retry-by-put',
    summary: 'A retry comes by PUT.',
    violates: ['WEBHOOK-DELIVERY-POST'],
    alter: ({ webhooks }) => {
      webhooks.requests.push((request, { number }) => {
        if (number > 1) request.method = 'PUT'
      })
    },
  },
])

const schedule = webhookFaultsOf([
  {
    name: 'webhook-second-attempt-early',
    summary: 'The second attempt comes after two seconds.',
    violates: ['WEBHOOK-RETRY-SECOND'],
    alter: (behaviour) => delay(behaviour, 0, 2),
  },
  {
    name: 'webhook-second-attempt-late',
    summary: 'The second attempt comes after five minutes.',
    violates: ['WEBHOOK-RETRY-SECOND'],
    alter: (behaviour) => delay(behaviour, 0, 300),
  },
  {
    name: 'webhook-third-attempt-early',
    summary: 'The third attempt comes 30 seconds after the second.',
    violates: ['WEBHOOK-RETRY-THIRD'],
    alter: (behaviour) => delay(behaviour, 1, 30),
  },
  {
    name: 'webhook-third-attempt-late',
    summary: 'The third attempt comes ten minutes after the second.',
    violates: ['WEBHOOK-RETRY-THIRD'],
    alter: (behaviour) => delay(behaviour, 1, 600),
  },
  {
    name: 'webhook-fourth-attempt-early',
    summary: 'The fourth attempt comes two minutes after the third.',
    violates: ['WEBHOOK-RETRY-FOURTH'],
    alter: (behaviour) => delay(behaviour, 2, 120),
  },
  {
    name: 'webhook-fourth-attempt-late',
    summary: 'The fourth attempt comes an hour after the third.',
    violates: ['WEBHOOK-RETRY-FOURTH'],
    alter: (behaviour) => delay(behaviour, 2, 3600),
  },
  {
    name: 'webhook-fifth-attempt-early',
    summary: 'The fifth attempt comes ten minutes after the fourth.',
    violates: ['WEBHOOK-RETRY-FIFTH'],
    alter: (behaviour) => delay(behaviour, 3, 600),
  },
  {
    name: 'webhook-fifth-attempt-late',
    summary: 'The fifth attempt comes three hours after the fourth.',
    violates: ['WEBHOOK-RETRY-FIFTH'],
    alter: (behaviour) => delay(behaviour, 3, 3 * 3600),
  },
  {
    name: 'webhook-four-attempts',
    summary: 'A delivery is given up after four attempts.',
    violates: ['WEBHOOK-RETRY-FIFTH'],
    alter: ({ webhooks }) => webhooks.delays.pop(),
  },
  {
    name: 'webhook-six-attempts',
    summary: 'A sixth attempt comes an hour after the fifth.',
    violates: ['WEBHOOK-RETRY-LIMIT'],
    alter: ({ webhooks }) => webhooks.delays.push(3600),
  },
  {
    name: 'webhook-sixth-attempt-soon',
    summary: 'A sixth attempt comes half a minute after the fifth.',
    violates: ['WEBHOOK-RETRY-LIMIT'],
    alter: ({ webhooks }) => webhooks.delays.push(30),
  },
])

const content = webhookFaultsOf([
  {
    name: 'webhook-retry-with-new-id',
    summary: 'A retry has an event id of its own.',
    violates: ['WEBHOOK-RETRY-SAME-EVENT'],
    alter: ({ webhooks }) => {
      webhooks.attempts.push((attempt) => {
        if (attempt.number > 1) attempt.body = attempt.body.replace(/"id":"[^"]*/, `$&-${attempt.number}`)
      })
      webhooks.requests.push(({ headers }, { number, delivery }) => {
        if (number > 1) headers['X-Service-Event-ID'] = `${delivery.event.id}-${number}`
      })
    },
  },
  {
    name: 'webhook-retry-without-payload',
    summary: 'A retry has an empty payload.',
    violates: ['WEBHOOK-RETRY-SAME-EVENT'],
    alter: ({ webhooks }) => {
      webhooks.attempts.push((attempt) => {
        if (attempt.number === 1) return
        attempt.body = JSON.stringify({ ...JSON.parse(attempt.body), payload: {} })
      })
    },
  },
  {
    name: 'webhook-failed-event-lost',
    summary: 'An event whose five attempts have failed is no longer found by a search.',
    violates: ['WEBHOOK-FAILED-RETRIEVABLE'],
    alter: ({ webhooks, hub }) => {
      const lost = new Set<string>()
      const { order } = hub
      webhooks.exhausted.push(({ id }) => void lost.add(id))
      hub.order = (found) => order(found.filter(({ id }) => !lost.has(id)))
    },
  },
])

export const webhookRetryFaults = [...reasons, ...givenUp, ...marks, ...schedule, ...content]
