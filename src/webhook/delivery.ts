import { responseLimits } from '../http/response-limits.ts'
import { isObject, parseJson } from '../text/json.ts'

/** A request as the receiver got it, before verification. */
export interface Delivery {
  readonly method: string
  /** Path and query as received. */
  readonly path: string
  /** Values by lower-case header name. The values of a repeated header are joined: `a, b`. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The raw body. The signed digest is the hash of these bytes. */
  readonly body: Buffer
  /** Milliseconds since the epoch. */
  readonly receivedAt: number
}

/** Headers of a delivery (section Webhook delivery headers). */
export const deliveryHeaders = {
  signature: 'x-service-signature',
  eventId: 'x-service-event-id',
  eventType: 'x-service-event-type',
  timestamp: 'x-service-timestamp',
  nonce: 'x-service-nonce',
} as const

export type DeliveryHeader = keyof typeof deliveryHeaders

/** The value of a header of a delivery; undefined if it is missing. */
export function headerOf({ headers }: Delivery, name: DeliveryHeader): string | undefined {
  return headers[deliveryHeaders[name]]
}

/** The body as a JSON object; undefined if it is another value, not JSON, or not UTF-8. */
export function envelopeOf({ body }: Delivery): Readonly<Record<string, unknown>> | undefined {
  try {
    const json = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body), responseLimits)
    return isObject(json) ? json : undefined
  } catch {
    return undefined
  }
}

/** Texts to search for secrets: the body, the header values, and the decoded header and payload of the signature. */
export function textsOf(delivery: Delivery): readonly string[] {
  const parts = (headerOf(delivery, 'signature') ?? '').split('.').slice(0, 2)
  const decoded = parts.map((part) => Buffer.from(part, 'base64url').toString())
  return [delivery.body.toString(), ...decoded, ...Object.values(delivery.headers).map(String)]
}
