import { createHash } from 'node:crypto'
import type { JWK } from 'jose'
import { type DecodedJwt, decodeJwt, verifySignature } from '../oauth/jwt.ts'
import { type Delivery, envelopeOf, headerOf } from './delivery.ts'
import type { NonceStore } from './nonce-store.ts'
import { instantOf, isCurrent } from './timestamp.ts'

/** The rules of a delivery, each by itself (sections Authentication, 6, and Webhook delivery headers). */
export const rules = {
  signed: 'X-Service-Signature is there, once',
  jws: 'the signature is a compact JWS with a JSON object for a payload',
  algorithm: 'the signature is one of RS256',
  key: 'kid names one RSA key of the key set',
  signature: 'the key verifies the signature',
  digest: 'digest is SHA-256 of the raw body',
  'timestamp-equal': 'the signed timestamp equals the header',
  'timestamp-current': 'the timestamp is within five minutes of the clock',
  'nonce-equal': 'the signed nonce equals the header',
  'nonce-unseen': 'the nonce was not used before',
  envelope: 'the body is a JSON object with an id and a type',
  'event-id': 'X-Service-Event-ID is the id of the event',
  'event-type': 'X-Service-Event-Type is the type of the event',
} as const

export type Rule = keyof typeof rules

/** A rule that a delivery breaks. */
export interface Finding {
  readonly rule: Rule
  /** Half a sentence that holds nothing of the delivery. */
  readonly reason: string
}

export interface Verification {
  /** Every rule that is broken; a delivery without findings is genuine. */
  readonly findings: readonly Finding[]
  /** Rules that another finding leaves nothing to judge by. */
  readonly open: ReadonlySet<Rule>
  /** The envelope, where the body is one; to be believed only where there are no findings. */
  readonly event: Readonly<Record<string, unknown>> | undefined
  /** What the signature is about, believed or not. */
  readonly signed: DecodedJwt | undefined
}

export interface VerifierOptions {
  /** The one key with a kid, from the cached key set; what it throws is thrown on. */
  readonly keyByKid: (kid: string) => Promise<JWK | undefined>
  readonly nonces: Pick<NonceStore, 'has' | 'take'>
  /** Milliseconds since the epoch, by the receiver's clock. */
  readonly now?: () => number
}

/**
 * Judges a delivery by every rule. Its nonce is taken last, and only where all other rules hold: a delivery
 * that was forged or altered uses up nobody's nonce, and of two genuine ones with the same nonce one has it.
 * @throws {NonceStoreFull} where no nonce can be taken for now
 * @throws whatever `keyByKid` does, where the key set cannot be had
 */
export async function verifyDelivery(
  delivery: Delivery,
  { keyByKid, nonces, now = Date.now }: VerifierOptions,
): Promise<Verification> {
  const compact = headerOf(delivery, 'signature')
  const signed = compact === undefined ? undefined : strictlyDecoded(compact)
  const event = envelopeOf(delivery)
  const judge = new Judge()
  judge.needs('signed', compact !== undefined, 'there is no X-Service-Signature')
  if (compact !== undefined)
    judge.needs('jws', signed !== undefined, 'X-Service-Signature is no compact JWS with JSON in it')
  if (signed) await judgeSignature(judge, signed, keyByKid)
  judgePayload(judge, delivery, signed)
  judgeTime(judge, delivery, now())
  judgeEvent(judge, delivery, event)
  judgeNonce(judge, headerOf(delivery, 'nonce'), nonces)
  return { ...judge.result(), event, signed }
}

/**
 * A compact JWS whose parts are encoded as encoders have to (RFC 4648, 3.5): with other padding bits, the same
 * signature could be written in several ways.
 */
function strictlyDecoded(compact: string): DecodedJwt | undefined {
  const isCanonical = compact
    .split('.')
    .every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
  return isCanonical ? decodeJwt(compact) : undefined
}

/** RS256 alone, whatever the header says, and with the key that kid names alone. */
async function judgeSignature(
  judge: Judge,
  { header, compact }: DecodedJwt,
  keyByKid: VerifierOptions['keyByKid'],
): Promise<void> {
  judge.needs('algorithm', header.alg === 'RS256', 'the signature names another algorithm than RS256')
  const kid = typeof header.kid === 'string' ? header.kid : undefined
  const key = kid === undefined ? undefined : await keyByKid(kid)
  judge.needs(
    'key',
    key?.kty === 'RSA',
    kid === undefined
      ? 'the signature names no kid'
      : 'the key set has no RSA key, or more than one, with its kid',
  )
  if (key?.kty !== 'RSA' || header.alg !== 'RS256') return
  const verdict = await verifySignature(compact, async () => key)
  judge.needs('signature', verdict.valid, 'the key with its kid does not verify the signature')
}

function judgePayload(judge: Judge, delivery: Delivery, signed: DecodedJwt | undefined): void {
  if (!signed) return
  const { digest, timestamp, nonce } = signed.claims
  const hex = createHash('sha256').update(delivery.body).digest('hex')
  // The letters of hexadecimal digits may be written either way.
  const isDigest =
    typeof digest === 'string' && digest.startsWith('SHA-256:') && digest.slice(8).toLowerCase() === hex
  judge.needs(
    'digest',
    isDigest,
    'the signed digest is not SHA-256: and the hexadecimal hash of the raw body',
  )
  const equals = (value: unknown, header: string | undefined) => typeof value === 'string' && value === header
  judge.needs(
    'timestamp-equal',
    equals(timestamp, headerOf(delivery, 'timestamp')),
    'the signed timestamp is not that of X-Service-Timestamp',
  )
  judge.needs(
    'nonce-equal',
    nonce !== '' && equals(nonce, headerOf(delivery, 'nonce')),
    'the signed nonce is not that of X-Service-Nonce',
  )
}

function judgeTime(judge: Judge, delivery: Delivery, now: number): void {
  const at = instantOf(headerOf(delivery, 'timestamp'))
  judge.needs(
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
  judge.needs('envelope', isEnvelope, 'the body is no JSON object with an id and a type')
  if (!isEnvelope) return
  judge.needs(
    'event-id',
    headerOf(delivery, 'eventId') === id,
    'X-Service-Event-ID is not the id in the body',
  )
  judge.needs(
    'event-type',
    headerOf(delivery, 'eventType') === type,
    'X-Service-Event-Type is not the type in the body',
  )
}

/** Comes last, and without waiting for anything, so that nobody takes the nonce in between. */
function judgeNonce(judge: Judge, nonce: string | undefined, nonces: VerifierOptions['nonces']): void {
  if (nonce === undefined || nonce === '') return
  const unseen = judge.isGenuine ? nonces.take(nonce) : !nonces.has(nonce)
  judge.needs('nonce-unseen', unseen, 'the nonce was used before')
}

class Judge {
  readonly #findings: Finding[] = []
  readonly #judged = new Set<Rule>()

  get isGenuine(): boolean {
    return this.#findings.length === 0
  }

  needs(rule: Rule, holds: boolean, reason: string): void {
    this.#judged.add(rule)
    if (!holds) this.#findings.push({ rule, reason })
  }

  result(): Pick<Verification, 'findings' | 'open'> {
    const all = Object.keys(rules) as Rule[]
    return { findings: this.#findings, open: new Set(all.filter((rule) => !this.#judged.has(rule))) }
  }
}
