import type { Cause, Verdict } from '../src/check/verdict.ts'

export type Endpoint = 'discovery' | 'key set' | 'authorization' | 'token' | 'UserInfo' | 'event search'

/** Patterns of the addresses of each endpoint. */
export const endpoints: Readonly<Record<Endpoint, RegExp>> = {
  discovery: /openid-configuration/,
  'key set': /jwks/,
  authorization: /\/authorize/,
  token: /\/token/,
  UserInfo: /\/userinfo/,
  'event search': /\/events\/search/,
}

/** The endpoints that the checks of each requirement need. */
export const requirements: Readonly<Record<string, readonly Endpoint[]>> = {
  'DISCOVERY-PUBLIC': ['discovery'],
  'DISCOVERY-METADATA': ['discovery'],
  'KEYSET-PUBLIC': ['key set'],
  'KEYSET-SHAPE': ['key set'],
  'EVENT-SEARCH': ['event search'],
  'AUTHZ-CODE-FLOW': ['authorization'],
  'TOKEN-CODE-EXCHANGE': ['authorization', 'token'],
  'USERINFO-BEARER': ['authorization', 'token', 'UserInfo'],
}

/** The outcome of a requirement: its verdict, or the cause of an inconclusive one. */
export type Outcome = Exclude<Verdict, 'inconclusive'> | Cause

/** The exit code that a run with these outcomes has. */
export function exitCodeFor(outcomes: readonly Outcome[]): number {
  if (outcomes.includes('harness')) return 4
  if (outcomes.includes('fail')) return 1
  return outcomes.every((outcome) => ['pass', 'observed', 'not-applicable'].includes(outcome)) ? 0 : 2
}
