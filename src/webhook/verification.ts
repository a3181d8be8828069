import { createHash } from 'node:crypto'
import type { JWK } from 'jose'
import { type DecodedJwt, decodeJwt, verifySignature } from '../oauth/jwt.ts'
import { type Delivery, envelopeOf, headerOf } from './delivery.ts'
import type { NonceStore } from './nonce-store.ts'
import { instantOf, isCurrent } from './timestamp.ts'

/** The rules for deliveries (section Authentication, point 6, and section Webhook delivery headers). */
export const deliveryRules = {
  signed: 'the delivery has one X-Service-Signature',
  jws: 'the signature is a compact JWS whose payload is a JSON object',
  algorithm: 'the algorithm of the signature is RS256',
  key: 'the kid of the signature identifies one RSA key of the key set',
  signature: 'the key with its kid verifies the signature',
  digest: 'the signed digest is "SHA-256:" and the hexadecimal hash of the raw body',
  'timestamp-equal': 'the signed timestamp equals X-Service-Timestamp',
  'timestamp-current': 'X-Service-Timestamp is within five minutes of the clock',
  'nonce-equal': 'the signed nonce equals X-Service-Nonce',
  'nonce-unseen': 'the nonce was not used before',
  envelope: 'the body is a JSON object with an id and a type',
  'event-id': 'X-Service-Event-ID is the id of the event',
  'event-type': 'X-Service-Event-Type is the type of the event',
} as const

export type Rule = keyof typeof deliveryRules

interface DeliveryFinding {
  readonly rule: Rule
  /** A clause that quotes no content of the delivery. */
  readonly reason: string
}

export interface Verification {
  /** All violated rules; a delivery without findings is genuine. */
  readonly findings: readonly DeliveryFinding[]
  /** Rules that could not be judged because of another finding. */
  readonly unjudged: ReadonlySet<Rule>
  /** The body, if it is a JSON object. Trust it only if there are no findings. */
  readonly event: Readonly<Record<string, unknown>> | undefined
  /** The decoded signature, verified or not. */
  readonly signed: DecodedJwt | undefined
}

export interface VerifierOptions {
  /** Returns the key with this `kid` from the cached key set. `verifyDelivery` does not catch its errors. */
  readonly keyByKid: (kid: string) => Promise<JWK | undefined>
  readonly nonces: Pick<NonceStore, 'has' | 'take'>
  /** Milliseconds since the epoch, by the receiver's clock. */
  readonly now?: () => number
}

/**
 * Judges a delivery by all rules. Marks the nonce as used at the end, if all other rules hold. So a forged delivery uses
 * up no nonce, and only the first of two genuine deliveries with the same nonce is accepted.
 * @throws {NonceStoreFull} if the nonce cannot be stored
 * @throws the errors of `keyByKid`, if the key set is unavailable
 */
export async function verifyDelivery(
  delivery: Delivery,
  { keyByKid, nonces, now = Date.now }: VerifierOptions,
): Promise<Verification> {
  const compact = headerOf(delivery, 'signature')
  const signed = compact === undefined ? undefined : decodeStrictly(compact)
  const event = envelopeOf(delivery)
  const judge = new Judge()
  judge.require('signed', compact !== undefined, 'there is no X-Service-Signature')
  if (compact !== undefined)
    judge.require('jws', signed !== undefined, 'X-Service-Signature is not a compact JWS with JSON content')
  if (signed) {
    await judgeSignature(judge, signed, keyByKid)
    judgePayload(judge, delivery, signed.claims)
  }
  judgeTime(judge, delivery, now())
  judgeEvent(judge, delivery, event)
  judgeNonce(judge, headerOf(delivery, 'nonce'), nonces)
  return { ...judge.result(), event, signed }
}

/**
 * Decodes a compact JWS whose parts are canonical base64url (RFC 4648, 3.5). Without this condition, one signature has
 * several valid encodings.
 */
function decodeStrictly(compact: string): DecodedJwt | undefined {
  const isCanonical = compact
    .split('.')
    .every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
  return isCanonical ? decodeJwt(compact) : undefined
}

/** Accepts only RS256, whatever `alg` is, and only the key with the `kid` of the header. */
async function judgeSignature(
  judge: Judge,
  token: DecodedJwt,
  keyByKid: VerifierOptions['keyByKid'],
): Promise<void> {
  const { header } = token
  judge.require('algorithm', header.alg === 'RS256', 'the algorithm of the signature is not RS256')
  const kid = typeof header.kid === 'string' ? header.kid : undefined
  const key = kid === undefined ? undefined : await keyByKid(kid)
  judge.require(
    'key',
    key?.kty === 'RSA',
    kid === undefined
      ? 'the signature has no kid'
      : 'the key set has no RSA key, or more than one, with its kid',
  )
  if (key?.kty !== 'RSA' || header.alg !== 'RS256') return
  const verdict = await verifySignature(token, async () => key)
  judge.require('signature', verdict.valid, 'the key with its kid does not verify the signature')
}

function judgePayload(
  judge: Judge,
  delivery: Delivery,
  { digest, timestamp, nonce }: DecodedJwt['claims'],
): void {
  const hex = createHash('sha256').update(delivery.body).digest('hex')
  const isDigest =
    typeof digest === 'string' && digest.startsWith('SHA-256:') && digest.slice(8).toLowerCase() === hex
  judge.require(
    'digest',
    isDigest,
    'the signed digest is not "SHA-256:" and the hexadecimal hash of the raw body',
  )
  const equals = (value: unknown, header: string | undefined) => typeof value === 'string' && value === header
  judge.require(
    'timestamp-equal',
    equals(timestamp, headerOf(delivery, 'timestamp')),
    'the signed timestamp is not that of X-Service-Timestamp',
  )
  judge.require(
    'nonce-equal',
    nonce !== '' && equals(nonce, headerOf(delivery, 'nonce')),
    'the signed nonce is not that of X-Service-Nonce',
  )
}

function judgeTime(judge: Judge, delivery: Delivery, now: number): void {
  const at = instantOf(headerOf(delivery, 'timestamp'))
  judge.require(
    'timestamp-current',
    at !== undefined && isCurrent(at, now),
    at === undefined
      ? 'X-Service-Timestamp is not a date-time with a trailing Z'
      : 'X-Service-Timestamp is more than five minutes away from the clock',
  )
}

function judgeEvent(judge: Judge, delivery: Delivery, event: Verification['event']): void {
  const { id, type } = event ?? {}
  const isEnvelope = typeof id === 'string' && id !== '' && typeof type === 'string' && type !== ''
  judge.require('envelope', isEnvelope, 'the body is not a JSON object with an id and a type')
  if (!isEnvelope) return
  judge.require(
    'event-id',
    headerOf(delivery, 'eventId') === id,
    'X-Service-Event-ID is not the id in the body',
  )
  judge.require(
    'event-type',
    headerOf(delivery, 'eventType') === type,
    'X-Service-Event-Type is not the type in the body',
  )
}

/** Runs last and synchronously, so that no other delivery can use the nonce in between. */
function judgeNonce(judge: Judge, nonce: string | undefined, nonces: VerifierOptions['nonces']): void {
  if (nonce === undefined || nonce === '') return
  const unseen = judge.isGenuine ? nonces.take(nonce) : !nonces.has(nonce)
  judge.require('nonce-unseen', unseen, 'the nonce was used before')
}

class Judge {
  readonly #findings: DeliveryFinding[] = []
  readonly #judged = new Set<Rule>()

  get isGenuine(): boolean {
    return this.#findings.length === 0
  }

  require(rule: Rule, holds: boolean, reason: string): void {
    this.#judged.add(rule)
    if (!holds) this.#findings.push({ rule, reason })
  }

  result(): Pick<Verification, 'findings' | 'unjudged'> {
    const all = Object.keys(deliveryRules) as Rule[]
    return { findings: this.#findings, unjudged: new Set(all.filter((rule) => !this.#judged.has(rule))) }
  }
}
