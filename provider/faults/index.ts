import type { Fault } from '../alteration.ts'
import { accessTokenFaults } from './access-token.ts'
import { authorizationFaults } from './authorization.ts'
import { authorizationErrorFormFaults } from './authorization-error-forms.ts'
import { authorizationErrorNameFaults } from './authorization-error-names.ts'
import { authorizationPkceFaults } from './authorization-pkce.ts'
import { authorizationRequestFaults } from './authorization-request.ts'
import { authorizationStateFaults } from './authorization-state.ts'
import { authorizationWithoutSessionFaults } from './authorization-without-session.ts'
import { claimChangeFaults } from './claim-change.ts'
import { clientAuthenticationFaults } from './client-authentication.ts'
import { disclosingRefusalFaults } from './disclosing-refusals.ts'
import { discoveryFaults } from './discovery.ts'
import { eventCredentialFaults } from './event-credentials.ts'
import { eventEntitlementFaults } from './event-entitlement.ts'
import { eventLaterPageFaults } from './event-later-pages.ts'
import { eventOmittedParameterFaults } from './event-omitted-paging.ts'
import { eventOrderFaults } from './event-order.ts'
import { eventPageBoundFaults } from './event-page-bounds.ts'
import { eventPageShapeFaults } from './event-page-shape.ts'
import { eventPageValueFaults } from './event-page-values.ts'
import { eventPageFaults } from './event-pages.ts'
import { eventSearchFaults } from './event-search.ts'
import { eventSingleResponseFaults } from './event-single-responses.ts'
import { eventSomeSearchesFaults } from './event-some-searches.ts'
import { eventTimeFormatFaults } from './event-time-format.ts'
import { eventWindowFaults } from './event-window.ts'
import { eventWindowContentFaults } from './event-window-content.ts'
import { eventFaults } from './events.ts'
import { exchangeRedirectUriFaults } from './exchange-redirect-uri.ts'
import { idTokenFaults } from './id-token.ts'
import { idTokenFormFaults } from './id-token-form.ts'
import { interactionFaults } from './interaction.ts'
import { introspectionFaults } from './introspection.ts'
import { introspectionRequestFaults } from './introspection-requests.ts'
import { keySetFaults } from './key-set.ts'
import { laterKeySetFaults } from './later-key-set.ts'
import { laterTokenFaults } from './later-tokens.ts'
import { nonceFaults } from './nonces.ts'
import { platformFaults } from './platform.ts'
import { privateKeyFaults } from './private-keys.ts'
import { redirectUriFaults } from './redirect-uri.ts'
import { refreshFaults } from './refresh.ts'
import { refreshClientAuthenticationFaults } from './refresh-client-authentication.ts'
import { refreshedTokenFaults } from './refreshed-tokens.ts'
import { refusedOnceInAWhileFaults } from './refused-once-in-a-while.ts'
import { secondApplicationFaults } from './second-application.ts'
import { silentTokenFaults } from './silent-tokens.ts'
import { throttlingFaults } from './throttling.ts'
import { tokenCodeFaults } from './token-code.ts'
import { tokenErrorFaults, tokenGrantFaults } from './token-grants.ts'
import { tokenRequestFaults } from './token-request.ts'
import { tokenResponseFaults } from './token-response.ts'
import { userinfoFaults } from './userinfo.ts'
import { userinfoBearerFaults } from './userinfo-bearer.ts'
import { userinfoDisclosureFaults } from './userinfo-disclosures.ts'
import { userinfoExpiredFaults } from './userinfo-expired.ts'
import { userinfoForgedTokenFaults } from './userinfo-forged-tokens.ts'
import { webhookAccessFaults } from './webhook-access.ts'
import { webhookCreationFaults } from './webhook-creation.ts'
import { webhookDeliveryFaults } from './webhook-deliveries.ts'
import { webhookHeaderFaults } from './webhook-headers.ts'
import { webhookManagementFaults } from './webhook-management.ts'
import { webhookRetryFaults } from './webhook-retries.ts'
import { webhookSeveralEventsFaults } from './webhook-several-events.ts'
import { webhookSignatureFaults } from './webhook-signatures.ts'
import { webhookSingleResponseFaults } from './webhook-single-responses.ts'

/** All faults, grouped by area. */
export const faults: readonly Fault[] = [
  ...discoveryFaults,
  ...authorizationFaults,
  ...authorizationStateFaults,
  ...authorizationRequestFaults,
  ...authorizationPkceFaults,
  ...authorizationWithoutSessionFaults,
  ...authorizationErrorNameFaults,
  ...authorizationErrorFormFaults,
  ...redirectUriFaults,
  ...interactionFaults,
  ...tokenResponseFaults,
  ...tokenCodeFaults,
  ...exchangeRedirectUriFaults,
  ...tokenRequestFaults,
  ...clientAuthenticationFaults,
  ...tokenGrantFaults,
  ...tokenErrorFaults,
  ...refreshFaults,
  ...refreshClientAuthenticationFaults,
  ...idTokenFormFaults,
  ...idTokenFaults,
  ...accessTokenFaults,
  ...refreshedTokenFaults,
  ...laterTokenFaults,
  ...silentTokenFaults,
  ...nonceFaults,
  ...userinfoBearerFaults,
  ...userinfoForgedTokenFaults,
  ...userinfoFaults,
  ...userinfoDisclosureFaults,
  ...userinfoExpiredFaults,
  ...refusedOnceInAWhileFaults,
  ...secondApplicationFaults,
  ...keySetFaults,
  ...laterKeySetFaults,
  ...privateKeyFaults,
  ...introspectionRequestFaults,
  ...introspectionFaults,
  ...eventSearchFaults,
  ...eventPageShapeFaults,
  ...eventPageBoundFaults,
  ...eventSomeSearchesFaults,
  ...eventSingleResponseFaults,
  ...eventTimeFormatFaults,
  ...eventWindowFaults,
  ...eventWindowContentFaults,
  ...eventCredentialFaults,
  ...eventEntitlementFaults,
  ...disclosingRefusalFaults,
  ...eventPageFaults,
  ...eventOmittedParameterFaults,
  ...eventLaterPageFaults,
  ...eventPageValueFaults,
  ...eventOrderFaults,
  ...eventFaults,
  ...claimChangeFaults,
  ...webhookCreationFaults,
  ...webhookAccessFaults,
  ...webhookManagementFaults,
  ...webhookDeliveryFaults,
  ...webhookHeaderFaults,
  ...webhookSignatureFaults,
  ...webhookSingleResponseFaults,
  ...webhookRetryFaults,
  ...webhookSeveralEventsFaults,
  ...throttlingFaults,
  ...platformFaults,
]
