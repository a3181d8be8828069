import { type Behaviour, withFace } from '../behaviour.ts'

/** Subscriptions and pushed events, which the specification plans. */
export const webhookVariants = withFace('webhooks', [
  {
    name: 'webhooks',
    summary: 'Webhook subscriptions can be managed, and events are pushed to them.',
    concerns: ['WEBHOOK-SUBSCRIPTION-CREATE', 'WEBHOOK-DELIVERY-POST'],
    ambiguity: 'Webhooks are planned and not available.',
    alter: ({ webhooks }: Behaviour) => {
      webhooks.enabled = true
    },
  },
])
