import { type Fault, withSurface } from '../alteration.ts'

/** Turns definitions into faults of a provider with webhooks. */
export function defineWebhookFaults(definitions: Omit<Fault, 'surface' | 'variants'>[]): Fault[] {
  return withSurface('webhooks', definitions).map((fault) => ({ ...fault, variants: ['webhooks'] }))
}
