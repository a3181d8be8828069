import type { Variant } from '../behaviour.ts'
import { authorizationVariants } from './authorization.ts'
import { authorizationAnswerVariants } from './authorization-answers.ts'
import { claimChangeVariants } from './claim-change.ts'
import { disturbances } from './disturbances.ts'
import { eventArrivalVariants } from './event-arrivals.ts'
import { eventHubVariants } from './event-hub.ts'
import { eventZoneVariants } from './event-zones.ts'
import { hiccups } from './hiccups.ts'
import { keyVariants } from './keys.ts'
import { misconfigurations } from './misconfigurations.ts'
import { serviceVariants } from './services.ts'
import { tokenDecisions } from './token-decisions.ts'
import { tokenLiveVariants } from './token-lives.ts'
import { tokenVariants } from './tokens.ts'
import { webhookDeliveryVariants } from './webhook-deliveries.ts'
import { webhookManagementVariants } from './webhook-management.ts'

/** Every variant, in the order of the specification's areas. */
export const variants: readonly Variant[] = [
  ...authorizationVariants,
  ...authorizationAnswerVariants,
  ...tokenVariants,
  ...tokenDecisions,
  ...keyVariants,
  ...tokenLiveVariants,
  ...serviceVariants,
  ...eventHubVariants,
  ...claimChangeVariants,
  ...webhookManagementVariants,
  ...webhookDeliveryVariants,
  ...eventArrivalVariants,
  ...eventZoneVariants,
  ...disturbances,
  ...hiccups,
  ...misconfigurations,
]
