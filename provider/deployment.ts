import { createHmac } from 'node:crypto'

/** Client identifier of the second application. */
export const SECOND_APPLICATION_ID = 'second-kiosk'
/** Redirect URI of the second application. */
export const SECOND_REDIRECT_URI = 'https://second.invalid/callback'

/** Whether a redirect leads to the second application. */
export function leadsToSecondApplication({ hostname }: URL): boolean {
  return hostname === new URL(SECOND_REDIRECT_URI).hostname
}

export type AuthMethod = 'client_secret_basic' | 'client_secret_post'

export interface Application {
  id: string
  secret: string
  name: string
  authMethod: AuthMethod
  redirectUris: string[]
  /** Whether the application may use the refresh grant. */
  refresh: boolean
  /** A user has one subject identifier per Sphere. */
  sphere: string
}

export interface Partner {
  id: string
  secret: string
  eventHub: boolean
}

export interface User {
  /** Internal account id. */
  account: string
  username: string
  password: string
  /** The user can change this name on the account page. */
  givenName: string
  familyName: string
  email: string
  /** Base32 secret of the second factor; unset for users without one. */
  totpSecret?: string
}

export interface Deployment {
  application: Application
  secondApplication: Application
  applications: Application[]
  partner: Partner
  unentitledPartner: Partner
  partners: Partner[]
  users: [User, ...User[]]
  /** Authentication levels, weakest first. */
  levels: readonly string[]
}

export const PASSWORD_LEVEL = 'urn:plumbline:acr:password'
export const SECOND_FACTOR_LEVEL = 'urn:plumbline:acr:second-factor'
/** Authentication levels, weakest first. */
export const LEVELS: readonly string[] = ['urn:plumbline:acr:remembered', PASSWORD_LEVEL, SECOND_FACTOR_LEVEL]

/** A secret of `length` hexadecimal digits that depends only on the seed and the label. */
function secretFor(seed: string, label: string, length: number): string {
  return createHmac('sha256', seed).update(label).digest('hex').slice(0, length)
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function totpSecretFor(seed: string, label: string): string {
  const bytes = createHmac('sha256', seed).update(label).digest()
  return Array.from(bytes, (byte) => BASE32[byte % 32]).join('')
}

/** Subject identifier of an account in a Sphere: stable, and different in every Sphere. */
export function subjectFor(seed: string, sphere: string, account: string): string {
  return createHmac('sha256', seed).update(`subject ${sphere} ${account}`).digest('base64url').slice(0, 22)
}

/** The settings of applications that faults and variants can change. */
interface ApplicationPolicy {
  authMethod: AuthMethod
  secondApplicationRefreshes: boolean
}

/** Applications, partners and users of one provider. The same seed gives the same deployment. */
export function createDeployment(
  seed: string,
  { authMethod, secondApplicationRefreshes }: ApplicationPolicy,
): Deployment {
  const application: Application = {
    id: 'partner-portal',
    secret: secretFor(seed, 'partner-portal', 40),
    name: 'Partner Portal',
    authMethod,
    redirectUris: ['https://partner.invalid/callback'],
    refresh: true,
    sphere: 'north',
  }
  const secondApplication: Application = {
    id: SECOND_APPLICATION_ID,
    secret: secretFor(seed, SECOND_APPLICATION_ID, 40),
    name: 'Second Kiosk',
    authMethod,
    redirectUris: [SECOND_REDIRECT_URI],
    refresh: secondApplicationRefreshes,
    sphere: 'south',
  }
  const partner = partnerOf(seed, 'partner-hub', true)
  const unentitledPartner = partnerOf(seed, 'partner-no-hub', false)
  return {
    application,
    secondApplication,
    applications: [application, secondApplication],
    partner,
    unentitledPartner,
    partners: [partner, unentitledPartner],
    users: [
      userOf(seed, 'Ada', 'Alho'),
      userOf(seed, 'Ben', 'Berg'),
      { ...userOf(seed, 'Cleo', 'Korpi'), totpSecret: totpSecretFor(seed, 'totp cleo') },
    ],
    levels: LEVELS,
  }
}

function partnerOf(seed: string, id: string, eventHub: boolean): Partner {
  return { id, secret: secretFor(seed, id, 40), eventHub }
}

function userOf(seed: string, first: string, last: string): User {
  const email = `${first}.${last}@users.invalid`.toLowerCase()
  return {
    account: `account-${first.toLowerCase()}`,
    username: email,
    password: secretFor(seed, `password ${first}`, 20),
    givenName: first,
    familyName: last,
    email,
  }
}
