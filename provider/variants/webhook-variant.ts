import { type Behaviour, type Variant, withFace } from '../behaviour.ts'
import type { WebhookBehaviour } from '../webhook/behaviour.ts'

type Definition = Omit<Variant, 'face' | 'alter'> & {
  alter?: (webhooks: WebhookBehaviour, behaviour: Behaviour) => void
}

/** Lawful providers that push events. */
export function pushing(definitions: Definition[]): Variant[] {
  return withFace(
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
