import type { Variant } from '../alteration.ts'
import { authorizationVariants } from './authorization.ts'
import { authorizationErrorVariants } from './authorization-errors.ts'
import { authorizationResponseVariants } from './authorization-responses.ts'
import { claimChangeVariants } from './claim-change.ts'
import { discoveryVariants } from './discovery.ts'
import { eventArrivalVariants } from './event-arrivals.ts'
import { eventConfigurationVariants } from './event-configuration.ts'
import { eventHubVariants } from './event-hub.ts'
import { eventPageVariants } from './event-pages.ts'
import { eventRefusalVariants } from './event-refusals.ts'
import { eventSpellingVariants } from './event-spellings.ts'
import { eventSupplyVariants } from './event-supply.ts'
import { eventTimeVariants } from './event-times.ts'
import { eventZoneVariants } from './event-zones.ts'
import { gatewayBlockVariants } from './gateway-blocks.ts'
import { introspectionVariants } from './introspection.ts'
import { jwtVariants } from './jwts.ts'
import { keySetVariants } from './key-sets.ts'
import { limitedLoginVariants } from './limited-logins.ts'
import { lockedClientVariants } from './locked-clients.ts'
import { misconfigurations } from './misconfigurations.ts'
import { pageFlowVariants } from './page-flows.ts'
import { pagePaceVariants } from './page-pace.ts'
import { serverErrors } from './server-errors.ts'
import { throttlingVariants } from './throttling.ts'
import { tokenLifetimeVariants } from './token-lifetimes.ts'
import { tokenRequestVariants } from './token-requests.ts'
import { tokenResponseVariants } from './token-responses.ts'
import { transientFailures } from './transient-failures.ts'
import { userinfoVariants } from './userinfo.ts'
import { webhookDeliveryVariants } from './webhook-deliveries.ts'
import { webhookErrorVariants } from './webhook-errors.ts'
import { webhookRetryVariants } from './webhook-retries.ts'
import { webhookSubscriptionVariants } from './webhook-subscriptions.ts'
import { webhookRefusalVariants } from './webhooks-absent.ts'

/** All variants, in the order of the specification's areas. */
export const variants: readonly Variant[] = [
  ...authorizationVariants,
  ...authorizationResponseVariants,
  ...authorizationErrorVariants,
  ...pageFlowVariants,
  ...pagePaceVariants,
  ...limitedLoginVariants,
  ...tokenResponseVariants,
  ...tokenRequestVariants,
  ...gatewayBlockVariants,
  ...lockedClientVariants,
  ...tokenLifetimeVariants,
  ...jwtVariants,
  ...keySetVariants,
  ...introspectionVariants,
  ...discoveryVariants,
  ...userinfoVariants,
  ...throttlingVariants,
  ...eventHubVariants,
  ...eventRefusalVariants,
  ...eventPageVariants,
  ...eventSpellingVariants,
  ...eventSupplyVariants,
  ...eventTimeVariants,
  ...eventConfigurationVariants,
  ...claimChangeVariants,
  ...webhookSubscriptionVariants,
  ...webhookRefusalVariants,
  ...webhookErrorVariants,
  ...webhookDeliveryVariants,
  ...webhookRetryVariants,
  ...eventArrivalVariants,
  ...eventZoneVariants,
  ...serverErrors,
  ...transientFailures,
  ...misconfigurations,
]
