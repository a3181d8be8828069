import type { Effect, TargetName } from './profiles.ts'

export type ClientAuthMethod = 'client_secret_basic' | 'client_secret_post'

/** The method if CLIENT_AUTH_METHOD is not set. */
export const defaultAuthMethod: ClientAuthMethod = 'client_secret_basic'

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
  /**
   * File that records when the last used one-time password ends, so that no later command uses this password again.
   */
  readonly totpLog?: string
}

/** A proxy for requests to the target: HTTPS_PROXY, and NO_PROXY as `bypass`. */
export interface ProxySettings {
  readonly url: string
  readonly bypass: string
}

/**
 * A validated deployment to check, with all settings of a run. It is plain data, so that it can be sent to a worker of
 * Vitest. It contains secrets and is never written to a file.
 */
export interface Target {
  readonly name: TargetName
  /** {base_url} as configured, to compare it byte for byte with `iss`. May be absent if no selected area needs it. */
  readonly issuer?: string
  /** {partner_api_url} without a trailing slash. If it is absent, the areas of the partner API do not apply. */
  readonly partnerApiUrl?: string
  /** {jwks_url}. If it is absent, checks use `jwks_uri` of discovery. */
  readonly jwksUrl?: string
  /** May be absent if no selected area needs it. */
  readonly application?: Application
  readonly secondApplication?: Application
  readonly scope: string
  /** X-Client-Id and X-Client-Secret. If they are absent, the areas of the partner API do not apply. */
  readonly partner?: ClientCredentials
  readonly unentitledPartner?: ClientCredentials
  readonly user?: TestUser
  /** Another test user, for limits per user. */
  readonly secondUser?: TestUser
  /** Path of a login recipe. If it is absent, the built-in heuristic recognises login pages. */
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
    /** Public address for deliveries; by default, the loopback address of this machine. */
    readonly url?: string
    /** Local port that receives the deliveries; by default, any free port. */
    readonly port?: number
  }
  /** Endpoint of a test deployment that advances the clock of its webhook deliveries. */
  readonly webhookClockUrl?: string
  /** Random seed; by default, different in each run. */
  readonly seed?: number
  readonly allowedEffects: readonly Effect[]
  /** The only hosts that may receive requests, with the port unless it is the scheme's default. */
  readonly hosts: readonly string[]
  /** The hosts of production, which any other target refuses (PRODUCTION_HOSTS). */
  readonly productionHosts: readonly string[]
  readonly requestsPerSecond: number
  readonly requestBudget: number
  readonly loginBudget: number
  /** A run waits for a code or an access token to expire if its lifetime is at most this long, in seconds. */
  readonly longestLifetime: number
  /** Seconds after which a code should have expired. */
  readonly codeLifetime: number
  readonly load: {
    readonly maxRate: number
    readonly maxRequests: number
    readonly maxSeconds: number
    /** Production hosts to which load probes may send requests (ALLOW_PRODUCTION_LOAD). */
    readonly productionHosts: readonly string[]
    /**
     * Source addresses of this machine, with which load probes recognise a limit per address; the usual address first.
     */
    readonly addresses: readonly string[]
  }
  readonly reportDir: string
  readonly proxy?: ProxySettings
  readonly chromiumPath?: string
}
