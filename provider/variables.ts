import { join } from 'node:path'
import { type Deployment, PASSWORD_LEVEL } from './deployment.ts'

const CLAIM_RECIPE = join(import.meta.dirname, 'claim-recipe.json')

export interface Addresses {
  issuer: string
  partnerApiUrl: string
  jwksUrl: string
}

/** Configuration variables of a run against a provider. */
export function variablesOf(
  deployment: Deployment,
  { issuer, partnerApiUrl, jwksUrl }: Addresses,
  eventZone: string,
): Record<string, string> {
  const { application, secondApplication, partner, unentitledPartner, users, levels } = deployment
  const [user, secondUser] = users
  return {
    TARGET: 'embedded',
    IDP_BASE_URL: issuer,
    PARTNER_API_URL: partnerApiUrl,
    PRODUCTION_HOSTS: 'none',
    JWKS_URL: jwksUrl,
    CLIENT_ID: application.id,
    CLIENT_SECRET: application.secret,
    CLIENT_AUTH_METHOD: application.authMethod,
    REDIRECT_URI: application.redirectUris[0] ?? '',
    SCOPE: 'openid profile email',
    PARTNER_CLIENT_ID: partner.id,
    PARTNER_CLIENT_SECRET: partner.secret,
    TEST_USER: user.username,
    TEST_PASSWORD: user.password,
    SECOND_TEST_USER: secondUser?.username ?? '',
    SECOND_TEST_PASSWORD: secondUser?.password ?? '',
    // All addresses 127.0.0.0/8 are loopback.
    LOAD_SOURCE_ADDRESSES: '127.0.0.1,127.0.0.2',
    REQUIRED_ACR: PASSWORD_LEVEL,
    ACR_ORDER: levels.join(','),
    EVENT_TIME_ZONE: eventZone,
    CLAIM_RECIPE: CLAIM_RECIPE,
    SECOND_CLIENT_ID: secondApplication.id,
    SECOND_CLIENT_SECRET: secondApplication.secret,
    SECOND_REDIRECT_URI: secondApplication.redirectUris[0] ?? '',
    UNENTITLED_CLIENT_ID: unentitledPartner.id,
    UNENTITLED_CLIENT_SECRET: unentitledPartner.secret,
  }
}
