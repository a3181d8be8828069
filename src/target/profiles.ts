import type { Effect, OptionalEffect } from './effects.ts'

export const targetNames = ['embedded', 'uat', 'production'] as const
export type TargetName = (typeof targetNames)[number]

/** What a kind of target allows, and how gently it is treated. */
export interface Profile {
  /** Effects allowed without asking. */
  readonly allowed: readonly Effect[]
  /** Effects that ENABLE may add. */
  readonly mayEnable: readonly OptionalEffect[]
  /** Requests a second; `Infinity` is unpaced. */
  readonly requestsPerSecond: number
  readonly requestBudget: number
  readonly loginBudget: number
  readonly loadMaxRate: number
  readonly loadMaxRequests: number
  readonly loadMaxSeconds: number
}

export const profiles: Readonly<Record<TargetName, Profile>> = {
  embedded: {
    allowed: ['login', 'burns-codes', 'token-destruction', 'credential-probes', 'claim-change'],
    mayEnable: ['credential-probes', 'token-destruction', 'claim-change', 'slow', 'planned'],
    requestsPerSecond: Number.POSITIVE_INFINITY,
    requestBudget: 1000,
    loginBudget: 25,
    loadMaxRate: 200,
    loadMaxRequests: 5000,
    loadMaxSeconds: 120,
  },
  uat: {
    allowed: ['login', 'burns-codes'],
    mayEnable: ['credential-probes', 'token-destruction', 'claim-change', 'slow', 'planned'],
    requestsPerSecond: 5,
    requestBudget: 500,
    loginBudget: 15,
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
    loadMaxRate: 2,
    loadMaxRequests: 50,
    loadMaxSeconds: 60,
  },
}
