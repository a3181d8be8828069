import { createHmac } from 'node:crypto'

export type AuthMethod = 'client_secret_basic' | 'client_secret_post'

export interface Application {
  id: string
  secret: string
  name: string
  authMethod: AuthMethod
  redirectUris: string[]
  refresh: boolean
  /** Users have one subject identifier per Sphere. */
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
  /** Users change it on their account page. */
  givenName: string
  familyName: string
  email: string
  /** Base32 secret of the second factor, if the user has one. */
  totpSecret?: string
}

export interface Deployment {
  application: Application
  postApplication: Application
  secondApplication: Application
  applications: Application[]
  partner: Partner
  unentitledPartner: Partner
  partners: Partner[]
  users: [User, ...User[]]
  /** Authentication levels, weakest first. */
  levels: readonly string[]
}

export const LEVELS = ['remembered', 'password', 'second-factor'].map((level) => `urn:plumbline:acr:${level}`)
export const PASSWORD_LEVEL = 'urn:plumbline:acr:password'
export const SECOND_FACTOR_LEVEL = 'urn:plumbline:acr:second-factor'

/** A secret that depends on nothing but the seed and its label. */
function secretFor(seed: string, label: string, length: number): string {
  return createHmac('sha256', seed).update(label).digest('hex').slice(0, length)
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function totpSecretFor(seed: string, label: string): string {
  const bytes = createHmac('sha256', seed).update(label).digest()
  return Array.from(bytes.subarray(0, 32), (byte) => BASE32[byte % 32]).join('')
}

/** Subject identifier of an account within a Sphere: stable, and different in every Sphere. */
export function subjectFor(seed: string, sphere: string, account: string): string {
  return createHmac('sha256', seed).update(`subject ${sphere} ${account}`).digest('base64url').slice(0, 22)
}

/** What a behaviour decides about the applications. */
export interface ApplicationPolicy {
  authMethod: AuthMethod
  secondApplicationRefreshes: boolean
}

/** Applications, partners and users of one provider. The same seed gives the same deployment. */
export function createDeployment(
  seed: string,
  { authMethod, secondApplicationRefreshes }: ApplicationPolicy,
): Deployment {
  const redirectUri = 'https://partner.invalid/callback'
  const application: Application = {
    id: 'partner-portal',
    secret: secretFor(seed, 'partner-portal', 40),
    name: 'Partner Portal',
    authMethod,
    redirectUris: [redirectUri],
    refresh: true,
    sphere: 'north',
  }
  const postApplication: Application = {
    ...application,
    id: 'partner-app',
    secret: secretFor(seed, 'partner-app', 40),
    name: 'Partner App',
    authMethod: 'client_secret_post',
  }
  const secondApplication: Application = {
    id: 'second-kiosk',
    secret: secretFor(seed, 'second-kiosk', 40),
    name: 'Second Kiosk',
    authMethod,
    redirectUris: ['https://second.invalid/callback'],
    refresh: secondApplicationRefreshes,
    sphere: 'south',
  }
  const partner = { id: 'partner-hub', secret: secretFor(seed, 'partner-hub', 40), eventHub: true }
  const unentitledPartner = {
    id: 'partner-no-hub',
    secret: secretFor(seed, 'partner-no-hub', 40),
    eventHub: false,
  }
  const user = (first: string, last: string): User => ({
    account: `account-${first.toLowerCase()}`,
    username: `${first}.${last}@users.invalid`.toLowerCase(),
    password: secretFor(seed, `password ${first}`, 20),
    givenName: first,
    familyName: last,
    email: `${first}.${last}@users.invalid`.toLowerCase(),
  })
  return {
    application,
    postApplication,
    secondApplication,
    applications: [application, postApplication, secondApplication],
    partner,
    unentitledPartner,
    partners: [partner, unentitledPartner],
    users: [
      user('Ada', 'Alho'),
      user('Ben', 'Berg'),
      { ...user('Cleo', 'Korpi'), totpSecret: totpSecretFor(seed, 'totp cleo') },
    ],
    levels: LEVELS,
  }
}
