import { type Delivery, SECRET, type WebhookFixture } from './webhook-fixture.ts'

export type Fields = Record<string, unknown>

interface ManagementResponse {
  status: number
  text: string
  headers: { values(): Iterable<string> }
}

/** Collects the requirements that a provider violates, without those that could not be observed. */
export class Observer {
  readonly broken = new Set<string>()
  readonly fixture: WebhookFixture
  /** Whether subscriptions can have a description. If it is required, only some requests omit it. */
  describes = true

  constructor(fixture: WebhookFixture) {
    this.fixture = fixture
  }

  require(id: string, holds: boolean): void {
    if (!holds) this.broken.add(`WEBHOOK-${id}`)
  }

  withDescription(fields: Fields): Fields {
    return this.describes ? fields : { ...fields, description: undefined }
  }

  requireSecretWithheld(...responses: ManagementResponse[]): void {
    for (const { text, headers } of responses) {
      const isDisclosed = [text, ...headers.values()].some((part) => part.includes(SECRET))
      this.require('SUBSCRIPTION-SECRET-WITHHELD', !isDisclosed)
    }
  }

  /** Deliveries of an event to a path, identified by header or body. */
  deliveriesOf(path: string, id: string): Delivery[] {
    return this.fixture.deliveries.filter(
      ({ url, headers, body }) => url === path && (headers['x-service-event-id'] === id || body.includes(id)),
    )
  }
}

export const isSuccess = ({ status }: { status: number }) => status >= 200 && status < 300

export function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

export function asObject(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

export function parseObject(text: string): Fields | undefined {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return undefined
  }
}
