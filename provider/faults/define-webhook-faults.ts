import { type Fault, withSurface } from '../alteration.ts'

/** Completes definitions to faults of a provider that pushes events. */
export function defineWebhookFaults(definitions: Omit<Fault, 'surface' | 'variants'>[]): Fault[] {
  return withSurface('webhooks', definitions).map((fault) => ({ ...fault, variants: ['webhooks'] }))
}
