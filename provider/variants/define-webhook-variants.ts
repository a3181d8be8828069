import { type Variant, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import type { WebhookBehaviour } from '../webhook/behaviour.ts'

type Definition = Omit<Variant, 'surface' | 'alter'> & {
  alter?: (webhooks: WebhookBehaviour, behaviour: Behaviour) => void
}

/** Completes definitions to variants of a provider that pushes events. */
export function defineWebhookVariants(definitions: Definition[]): Variant[] {
  return withSurface(
    'webhooks',
    definitions.map(({ alter, ...definition }) => ({
      ...definition,
      alter: (behaviour: Behaviour) => {
        behaviour.webhooks.enabled = true
        alter?.(behaviour.webhooks, behaviour)
      },
    })),
  )
}
