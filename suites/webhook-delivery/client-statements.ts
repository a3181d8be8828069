import { client, type Requirement } from '../../src/check/requirement.ts'

const contract = 'Receiver contract for webhooks (planned)'
const verification = 'Authentication, 6'
const limits = 'Limits'

/** Duties of receivers of webhooks, which Plumbline's own receiver fulfils (src/webhook, docs/webhooks.md). */
export const clientStatements = {
  'WEBHOOK-CLIENT-ACKNOWLEDGE': client(
    contract,
    'A receiver responds with a 2xx within 10 s.',
    'The receiver of Plumbline waits at most 5 s for the request and 4 s for the key set (tests/webhook/receiver.test.ts, "ends a fetch of the key set before the time limit of the sender")',
  ),
  'WEBHOOK-CLIENT-ASYNCHRONOUS': client(
    contract,
    'A receiver acknowledges first and processes later.',
    'The receiver of Plumbline queues events (tests/webhook/receiver.test.ts, "acknowledges before it processes, however long that takes")',
  ),
  'WEBHOOK-CLIENT-REFUSE': client(
    contract,
    'A receiver responds with 400 if verification fails.',
    'The receiver of Plumbline responds with 400 (tests/webhook/receiver.test.ts, "responds with 400 to a delivery that fails verification, and does not process it")',
  ),
  'WEBHOOK-CLIENT-KEYS': client(
    verification,
    'A receiver fetches the key set and caches it.',
    'Plumbline uses one cache for tokens and webhooks (tests/webhook/forged-signatures.test.ts, "an unknown kid fetches the key set once, and then not for a while")',
  ),
  'WEBHOOK-CLIENT-KID': client(
    verification,
    'A receiver verifies the signature with the key that its `kid` identifies.',
    'Plumbline tries no key other than that of the `kid` (tests/webhook/forged-signatures.test.ts, "a published key that kid does not name")',
  ),
  'WEBHOOK-CLIENT-RS256': client(
    verification,
    'A receiver accepts RS256.',
    'Plumbline accepts no algorithm other than RS256 (tests/webhook/forged-signatures.test.ts)',
  ),
  'WEBHOOK-CLIENT-DIGEST': client(
    verification,
    'A receiver compares the digest with its own hash of the raw body.',
    'Plumbline hashes the received bytes (tests/webhook/verification.test.ts, "the same JSON with a space")',
  ),
  'WEBHOOK-CLIENT-TIMESTAMP': client(
    verification,
    'A receiver refuses a timestamp more than five minutes before or after its clock.',
    'Plumbline compares timestamps to the nanosecond (tests/webhook/delivery-timestamps.test.ts)',
  ),
  'WEBHOOK-CLIENT-NONCE': client(
    verification,
    'A receiver refuses a nonce that it has seen before.',
    'Plumbline refuses a repeated nonce, even in two concurrent deliveries (tests/webhook/verification.test.ts, "of two deliveries at once with one nonce, exactly one is genuine")',
  ),
  'WEBHOOK-CLIENT-NONCE-KEPT': client(
    limits,
    'A receiver keeps nonces for at least 10 minutes.',
    'Plumbline keeps nonces for 10 min, and accepts no delivery whose nonce it cannot keep (tests/webhook/nonce-store.test.ts)',
  ),
  'WEBHOOK-CLIENT-IDEMPOTENT': client(
    'Events',
    'A receiver recognises repeated deliveries of an event by its `id`.',
    'The receiver of Plumbline processes each event once (tests/webhook/receiver.test.ts, "processes an event once, however often it is delivered")',
  ),
} as const satisfies Readonly<Record<string, Requirement>>
