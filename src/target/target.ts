import type { Effect } from './effects.ts'
import { SetupError } from './problem.ts'
import type { TargetName } from './profiles.ts'

export type ClientAuthMethod = 'client_secret_basic' | 'client_secret_post'

export interface ClientCredentials {
  readonly id: string
  readonly secret: string
}

export interface Application extends ClientCredentials {
  readonly redirectUri: string
  readonly authMethod: ClientAuthMethod
}

export interface TestUser {
  readonly name: string
  readonly password: string
  /** Base32 secret of the second factor. */
  readonly totpSecret?: string
  /** File in REPORT_DIR that says which one-time passwords are used, for later commands. */
  readonly totpLog?: string
}

/** A proxy for requests to the target: HTTPS_PROXY, and NO_PROXY as `bypass`. */
export interface ProxySettings {
  readonly url: string
  readonly bypass: string
}

/**
 * A validated deployment to check, with all settings of a run. It is plain data, so that it can be passed to a worker. It
 * contains secrets and is never written to a file.
 */
export interface Target {
  readonly name: TargetName
  /** {base_url}, as configured: compared byte for byte with `iss`. Absent only if no selected area needs it. */
  readonly issuer?: string
  /** {partner_api_url} without a trailing slash; absent: the areas of the partner API do not apply. */
  readonly partnerApiUrl?: string
  /** {jwks_url}; absent: discovery's jwks_uri. */
  readonly jwksUrl?: string
  /** Absent only if no selected area needs it. */
  readonly application?: Application
  readonly secondApplication?: Application
  readonly scope: string
  /** X-Client-Id and X-Client-Secret; absent: the areas of the partner API do not apply. */
  readonly partner?: ClientCredentials
  readonly unentitledPartner?: ClientCredentials
  readonly user?: TestUser
  /** Another test user, for limits per user. */
  readonly secondUser?: TestUser
  /** Path of a login recipe; absent: the built-in heuristic. */
  readonly loginRecipe?: string
  /** Time limit for each response of the target in the browser. */
  readonly loginTimeoutSeconds: number
  /** Path of a claim recipe, which describes the page on which the test user changes a claim. */
  readonly claimRecipe?: string
  readonly requiredAcr?: string
  /** Levels, weakest first. */
  readonly acrOrder?: readonly string[]
  /** IANA zone of Event Hub local times, or `unknown`. */
  readonly eventTimeZone: string
  /** Local date-times of a past window that contains events. */
  readonly eventWindow?: { readonly from: string; readonly to: string }
  /** The receiver of webhooks; absent if the target cannot reach this machine. */
  readonly webhookReceiver?: {
    /** Public address for deliveries; absent: the loopback address of this machine. */
    readonly url?: string
    /** Port of this machine to which they are forwarded; absent: any free port. */
    readonly port?: number
  }
  /** Endpoint of a test deployment that advances the clock of its webhook deliveries. */
  readonly webhookClockUrl?: string
  /** Random seed; absent: a new one in each run. */
  readonly seed?: number
  readonly allowedEffects: readonly Effect[]
  /** The only hosts (with port, if not the default) that requests may be sent to. */
  readonly hosts: readonly string[]
  /** The hosts of production, which any other target refuses (PRODUCTION_HOSTS). */
  readonly productionHosts: readonly string[]
  readonly requestsPerSecond: number
  readonly requestBudget: number
  readonly loginBudget: number
  /** Longest lifetime of a code or an access token until whose expiry a run waits, in seconds. */
  readonly longestLifetime: number
  /** Lifetime of authorization codes in seconds, as far as known. */
  readonly codeLifetime: number
  readonly load: {
    readonly maxRate: number
    readonly maxRequests: number
    readonly maxSeconds: number
    /** Production hosts to which load probes may send requests (ALLOW_PRODUCTION_LOAD). */
    readonly productionHosts: readonly string[]
    /** Source addresses of this machine that distinguish limits per address; the first is the usual one. */
    readonly addresses: readonly string[]
  }
  readonly reportDir: string
  readonly proxy?: ProxySettings
  readonly chromiumPath?: string
}

/** The address and the credentials of the partner API. */
interface PartnerApi {
  readonly url: string
  readonly credentials: ClientCredentials
}

/** The variables of each part that a target needs, unless only areas are selected that do not. */
export const requiredVariables = {
  issuer: ['IDP_BASE_URL'],
  application: ['CLIENT_ID', 'CLIENT_SECRET', 'REDIRECT_URI'],
} as const

export type RequiredPart = keyof typeof requiredVariables
export const requiredParts = Object.keys(requiredVariables) as RequiredPart[]

/** The issuer of a target. @throws {SetupError} if it is not set */
export function issuerOf({ issuer }: Pick<Target, 'issuer'>): string {
  return issuer ?? notSet('requests to the identity provider need it', requiredVariables.issuer)
}

/** The application of a target. @throws {SetupError} if a part of it is not set */
export function applicationOf({ application }: Pick<Target, 'application'>): Application {
  return application ?? notSet('authorization and token requests need it', requiredVariables.application)
}

function notSet(why: string, names: readonly string[]): never {
  throw new SetupError(names.map((name) => ({ name, what: `is not set; ${why}` })))
}

/** Variables of the partner API that are not set. */
export function missingForPartnerApi({
  partnerApiUrl,
  partner,
}: Pick<Target, 'partnerApiUrl' | 'partner'>): string[] {
  return [
    ...(partnerApiUrl === undefined ? ['PARTNER_API_URL'] : []),
    ...(partner === undefined ? ['PARTNER_CLIENT_ID', 'PARTNER_CLIENT_SECRET'] : []),
  ]
}

/**
 * The partner API of a target.
 * @throws {SetupError} if its address or its credentials are not set
 */
export function partnerApiOf(target: Pick<Target, 'partnerApiUrl' | 'partner'>): PartnerApi {
  const { partnerApiUrl, partner } = target
  if (partnerApiUrl !== undefined && partner !== undefined)
    return { url: partnerApiUrl, credentials: partner }
  return notSet('requests to the partner API need it', missingForPartnerApi(target))
}
