import type { Alter } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import type { AttemptOutcome } from '../webhook/behaviour.ts'
import { defineWebhookFaults } from './define-webhook-faults.ts'

const hasStatus = (outcome: AttemptOutcome, matches: (status: number) => boolean) =>
  outcome.kind === 'response' && matches(outcome.status)

function neverRetryAfter(matches: (outcome: AttemptOutcome) => boolean): Alter {
  return ({ webhooks }) => {
    const { shouldRetry } = webhooks
    webhooks.shouldRetry = (outcome, number, event) =>
      !matches(outcome) && shouldRetry(outcome, number, event)
  }
}

function alsoRetryAfter(matches: (status: number) => boolean): Alter {
  return ({ webhooks }) => {
    const { shouldRetry } = webhooks
    webhooks.shouldRetry = (outcome, number, event) =>
      hasStatus(outcome, matches) || shouldRetry(outcome, number, event)
  }
}

/** Sets the delay before a retry, in seconds. @param index 0 for the second attempt, 1 for the third */
function setDelay(index: number, seconds: number): Alter {
  return ({ webhooks }) => {
    webhooks.delays[index] = seconds
  }
}

const outcomes = defineWebhookFaults([
  {
    name: 'webhook-no-retry-after-503',
    summary: 'Does not retry a delivery after a 503.',
    violates: ['WEBHOOK-RETRY-SERVER-ERROR'],
    alter: neverRetryAfter((outcome) => hasStatus(outcome, (status) => status === 503)),
  },
  {
    name: 'webhook-no-retry-after-500',
    summary: 'Retries after 502, 503 and 504, but after no other server error.',
    violates: ['WEBHOOK-RETRY-SERVER-ERROR'],
    alter: neverRetryAfter((outcome) =>
      hasStatus(outcome, (status) => status >= 500 && ![502, 503, 504].includes(status)),
    ),
  },
  {
    name: 'webhook-no-retry-after-429',
    summary: 'Does not retry a delivery after a 429.',
    violates: ['WEBHOOK-RETRY-THROTTLED'],
    alter: neverRetryAfter((outcome) => hasStatus(outcome, (status) => status === 429)),
  },
  {
    name: 'webhook-no-retry-after-timeout',
    summary: 'Does not retry a delivery after a time-out.',
    violates: ['WEBHOOK-RETRY-TIMEOUT'],
    alter: neverRetryAfter(({ kind }) => kind === 'timeout'),
  },
  {
    name: 'webhook-no-retry-without-response',
    summary: 'Does not retry a delivery whose connection ends without a response.',
    violates: ['WEBHOOK-RETRY-NO-RESPONSE'],
    alter: neverRetryAfter(({ kind }) => kind === 'no-response'),
  },
  {
    name: 'webhook-retry-after-delivery',
    summary: 'Retries a delivery after a 2xx.',
    violates: ['WEBHOOK-NO-RETRY-DELIVERED'],
    alter: alsoRetryAfter((status) => status >= 200 && status < 300),
  },
  {
    name: 'webhook-retry-unless-200',
    summary: 'Retries a delivery after any 2xx other than 200.',
    violates: ['WEBHOOK-NO-RETRY-DELIVERED'],
    alter: alsoRetryAfter((status) => status > 200 && status < 300),
  },
  {
    name: 'webhook-retry-after-400',
    summary: 'Retries a delivery after a 400.',
    violates: ['WEBHOOK-NO-RETRY-REFUSED'],
    alter: alsoRetryAfter((status) => status === 400),
  },
  {
    name: 'webhook-retry-after-refusals',
    summary: 'Retries a delivery after any 4xx other than 400.',
    violates: ['WEBHOOK-NO-RETRY-REFUSED'],
    alter: alsoRetryAfter((status) => status > 400 && status < 500),
  },
  {
    name: 'webhook-receiver-has-three-seconds',
    summary: 'Times out an attempt after 3 s.',
    violates: ['WEBHOOK-RECEIVER-TIME'],
    alter: ({ webhooks }) => {
      webhooks.receiverTimeout = 3000
    },
  },
])

/** Ends a delivery if its second or a later attempt has a matching outcome. */
function retryOnceAfter(matches: (outcome: AttemptOutcome) => boolean): Alter {
  return ({ webhooks }) => {
    const { shouldRetry } = webhooks
    webhooks.shouldRetry = (outcome, number, event) =>
      shouldRetry(outcome, number, event) && !(number > 1 && matches(outcome))
  }
}

const earlyEnds = defineWebhookFaults([
  {
    name: 'webhook-second-500-is-the-last',
    summary: 'Ends a delivery when its second or a later attempt receives 500.',
    violates: ['WEBHOOK-RETRY-SERVER-ERROR'],
    alter: retryOnceAfter((outcome) => hasStatus(outcome, (status) => status === 500)),
  },
  {
    name: 'webhook-second-without-response-is-the-last',
    summary: 'Ends a delivery when its second or a later attempt receives no response.',
    violates: ['WEBHOOK-RETRY-NO-RESPONSE'],
    alter: retryOnceAfter(({ kind }) => kind === 'no-response'),
  },
])

/** Headers and methods that are wrong only in retries. */
const retryRequests = defineWebhookFaults([
  ...(
    [
      ['X-Service-Signature', 'WEBHOOK-HEADER-SIGNATURE'],
      ['X-Service-Nonce', 'WEBHOOK-HEADER-NONCE'],
      ['X-Service-Event-ID', 'WEBHOOK-HEADER-EVENT-ID'],
      ['X-Service-Event-Type', 'WEBHOOK-HEADER-EVENT-TYPE'],
      ['X-Service-Timestamp', 'WEBHOOK-HEADER-TIMESTAMP'],
    ] as const
  ).map(([header, id]) => ({
    name: `webhook-retry-without-${header.slice('X-Service-'.length).toLowerCase()}`,
    summary: `Omits \`${header}\` from retries.`,
    violates: [id],
    alter: ({ webhooks }: Behaviour) => {
      webhooks.requests.push(({ headers }, { number }) => {
        if (number > 1) delete headers[header]
      })
    },
  })),
  {
    name: 'webhook-retry-timestamp-as-word',
    summary: 'Sends the word `retry` as `X-Service-Timestamp` and as the signed timestamp of a retry.',
    violates: ['WEBHOOK-HEADER-TIMESTAMP'],
    alter: ({ webhooks }) => {
      webhooks.attempts.push((attempt) => {
        if (attempt.number > 1) attempt.timestamp = 'retry'
      })
    },
  },
  {
    name: 'webhook-retry-nonce-constant',
    summary: 'Sends the same nonce in the retries of all deliveries.',
    violates: ['WEBHOOK-NONCE-SINGLE-USE'],
    alter: ({ webhooks }) => {
      webhooks.attempts.push((attempt) => {
        if (attempt.number > 1) attempt.nonce = 'bm9uY2UtMg'
      })
    },
  },
  {
    name: 'webhook-retry-by-put',
    summary: 'Retries a delivery with PUT.',
    violates: ['WEBHOOK-DELIVERY-POST'],
    alter: ({ webhooks }) => {
      webhooks.requests.push((request, { number }) => {
        if (number > 1) request.method = 'PUT'
      })
    },
  },
])

const schedule = defineWebhookFaults([
  {
    name: 'webhook-second-attempt-early',
    summary: 'Makes the second attempt 2 s after the first.',
    violates: ['WEBHOOK-RETRY-SECOND'],
    alter: setDelay(0, 2),
  },
  {
    name: 'webhook-second-attempt-late',
    summary: 'Makes the second attempt 5 min after the first.',
    violates: ['WEBHOOK-RETRY-SECOND'],
    alter: setDelay(0, 300),
  },
  {
    name: 'webhook-third-attempt-early',
    summary: 'Makes the third attempt 30 s after the second.',
    violates: ['WEBHOOK-RETRY-THIRD'],
    alter: setDelay(1, 30),
  },
  {
    name: 'webhook-third-attempt-late',
    summary: 'Makes the third attempt 10 min after the second.',
    violates: ['WEBHOOK-RETRY-THIRD'],
    alter: setDelay(1, 600),
  },
  {
    name: 'webhook-fourth-attempt-early',
    summary: 'Makes the fourth attempt 2 min after the third.',
    violates: ['WEBHOOK-RETRY-FOURTH'],
    alter: setDelay(2, 120),
  },
  {
    name: 'webhook-fourth-attempt-late',
    summary: 'Makes the fourth attempt 1 h after the third.',
    violates: ['WEBHOOK-RETRY-FOURTH'],
    alter: setDelay(2, 3600),
  },
  {
    name: 'webhook-fifth-attempt-early',
    summary: 'Makes the fifth attempt 10 min after the fourth.',
    violates: ['WEBHOOK-RETRY-FIFTH'],
    alter: setDelay(3, 600),
  },
  {
    name: 'webhook-fifth-attempt-late',
    summary: 'Makes the fifth attempt 3 h after the fourth.',
    violates: ['WEBHOOK-RETRY-FIFTH'],
    alter: setDelay(3, 3 * 3600),
  },
  {
    name: 'webhook-four-attempts',
    summary: 'Ends a delivery after four attempts.',
    violates: ['WEBHOOK-RETRY-FIFTH'],
    alter: ({ webhooks }) => webhooks.delays.pop(),
  },
  {
    name: 'webhook-six-attempts',
    summary: 'Makes a sixth attempt 1 h after the fifth.',
    violates: ['WEBHOOK-RETRY-LIMIT'],
    alter: ({ webhooks }) => webhooks.delays.push(3600),
  },
  {
    name: 'webhook-sixth-attempt-soon',
    summary: 'Makes a sixth attempt 30 s after the fifth.',
    violates: ['WEBHOOK-RETRY-LIMIT'],
    alter: ({ webhooks }) => webhooks.delays.push(30),
  },
])

const content = defineWebhookFaults([
  {
    name: 'webhook-retry-with-new-id',
    summary: 'Sends a new event id in a retry.',
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
    summary: 'Sends an empty payload in a retry.',
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
    summary: 'Omits an event from searches after its five delivery attempts have failed.',
    violates: ['WEBHOOK-FAILED-RETRIEVABLE'],
    alter: ({ webhooks, hub }) => {
      const lost = new Set<string>()
      const { order } = hub
      webhooks.exhausted.push(({ id }) => void lost.add(id))
      hub.order = (ascending) => order(ascending.filter(({ id }) => !lost.has(id)))
    },
  },
])

export const webhookRetryFaults = [...outcomes, ...earlyEnds, ...retryRequests, ...schedule, ...content]
