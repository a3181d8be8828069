import { type Fault, withFace } from '../behaviour.ts'

/** Faults of a provider that pushes events. */
export function webhookFaultsOf(definitions: Omit<Fault, 'face' | 'variants'>[]): Fault[] {
  return withFace('webhooks', definitions).map((fault) => ({ ...fault, variants: ['webhooks'] }))
}
