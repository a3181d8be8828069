import { type Variant, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import type { WebhookBehaviour } from '../webhook/behaviour.ts'

type Definition = Omit<Variant, 'surface' | 'alter'> & {
  alter?: (webhooks: WebhookBehaviour, behaviour: Behaviour) => void
}

/** Turns definitions into variants of a provider with webhooks. */
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
