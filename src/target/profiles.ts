import { type Effect, type OptionalEffect, optionalEffects } from './effects.ts'

export const targetNames = ['embedded', 'uat', 'production'] as const
export type TargetName = (typeof targetNames)[number]

/** The permitted effects and the limits of a kind of target. */
interface Profile extends Readonly<Record<Limit, number>> {
  /** Effects allowed without ENABLE. */
  readonly allowed: readonly Effect[]
  /** Effects that ENABLE may add. */
  readonly mayEnable: readonly OptionalEffect[]
}

/** Units: requests/s (`Infinity` is unpaced), requests, logins, seconds; for load: requests/s, requests, seconds. */
export type Limit =
  | 'requestsPerSecond'
  | 'requestBudget'
  | 'loginBudget'
  | 'longestLifetime'
  | `loadMax${'Rate' | 'Requests' | 'Seconds'}`

export const profiles: Readonly<Record<TargetName, Profile>> = {
  embedded: {
    allowed: [
      'login',
      'burns-codes',
      'bad-credentials',
      'token-destruction',
      'credential-probes',
      'claim-change',
    ],
    mayEnable: optionalEffects,
    requestsPerSecond: Number.POSITIVE_INFINITY,
    requestBudget: 1000,
    loginBudget: 25,
    longestLifetime: 120,
    loadMaxRate: 200,
    loadMaxRequests: 5000,
    loadMaxSeconds: 120,
  },
  uat: {
    allowed: ['login', 'burns-codes', 'bad-credentials'],
    mayEnable: optionalEffects,
    requestsPerSecond: 5,
    requestBudget: 500,
    loginBudget: 15,
    longestLifetime: 3600,
    loadMaxRate: 5,
    loadMaxRequests: 200,
    loadMaxSeconds: 120,
  },
  production: {
    allowed: ['login'],
    mayEnable: ['slow'],
    requestsPerSecond: 2,
    requestBudget: 300,
    loginBudget: 5,
    longestLifetime: 3600,
    loadMaxRate: 2,
    loadMaxRequests: 50,
    loadMaxSeconds: 60,
  },
}
