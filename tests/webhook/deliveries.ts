import { createHash, type KeyObject } from 'node:crypto'
import { type Delivery, deliveryHeaders } from '../../src/webhook/delivery.ts'
import { NonceStore } from '../../src/webhook/nonce-store.ts'
import { type Rule, type VerifierOptions, verifyDelivery } from '../../src/webhook/verification.ts'
import { keyByKid, signed } from '../oauth/forged.ts'

/** The time at which the genuine delivery was created, and by default received. */
export const now = Date.parse('2026-03-02T10:00:00.123Z')

export const event = {
  id: 'event-1',
  timestamp: '2026-03-02T10:00:00.123Z',
  type: 'ClaimValuesChanged',
  version: '1.0',
  payload: { changedClaims: ['email'], 'ä€': '\u2028' },
}

export const hash = (body: Buffer | string) => createHash('sha256').update(body).digest('hex')

/** Changes to a delivery that was created `offsetMs` after the genuine one. */
export function at(offsetMs: number): Changes {
  const timestamp = new Date(now + offsetMs).toISOString()
  return { headers: { timestamp }, claims: { timestamp } }
}

/** Differences from the genuine delivery. */
export interface Changes {
  readonly body?: string | Buffer
  /** Headers by the names of `deliveryHeaders`; undefined omits one. */
  readonly headers?: Partial<Record<keyof typeof deliveryHeaders, string | undefined>>
  /** Header of the JWS. */
  readonly jws?: object
  readonly claims?: object
  readonly key?: KeyObject
  readonly signing?: typeof signed
}

/** The genuine delivery with changes. A changed body or header does not change the signed values. */
export function delivery(changes: Changes = {}): Delivery {
  const genuine = Buffer.from(JSON.stringify(event))
  const claims = { digest: `SHA-256:${hash(genuine)}`, timestamp: event.timestamp, nonce: 'nonce-1' }
  const { signing = signed, jws = {}, key } = changes
  const all = {
    signature: signing(
      { alg: 'RS256', kid: 'good', ...jws },
      { ...claims, ...changes.claims },
      { ...(key && { key }) },
    ),
    eventId: event.id,
    eventType: event.type,
    timestamp: event.timestamp,
    nonce: 'nonce-1',
    ...changes.headers,
  }
  return {
    method: 'POST',
    path: '/hook',
    headers: Object.fromEntries(
      Object.entries(all).map(([name, value]) => [deliveryHeaders[name as keyof typeof all], value]),
    ),
    body: Buffer.from(changes.body ?? genuine),
    receivedAt: now,
  }
}

export const verify = (one: Delivery, options: Partial<VerifierOptions> = {}) =>
  verifyDelivery(one, { keyByKid, nonces: new NonceStore({ now: () => now }), now: () => now, ...options })

/** The rules that a delivery breaks. */
export const broken = async (one: Delivery, options: Partial<VerifierOptions> = {}): Promise<Rule[]> =>
  (await verify(one, options)).findings.map(({ rule }) => rule)
