import { type Misbehave, misbehaviours, transients } from './misbehaviours.ts'
import { type Endpoint, endpoints, type Outcome, requirements } from './target-outcomes.ts'

/** One endpoint that misbehaves in one way, and the expected outcomes of a run. */
export interface TargetCase {
  /** Endpoint and misbehaviour. */
  readonly name: string
  readonly endpoint: Endpoint
  /** The misbehaviour, as the table names it. */
  readonly what: string
  readonly misbehave: Misbehave
  /** Whether the endpoint misbehaves at the nth request. */
  readonly isBroken: (count: number) => boolean
  /** The requirements to check. */
  readonly only: readonly string[]
  /** Permitted outcomes of the requirements that need the endpoint. */
  readonly expected: readonly Outcome[]
  /** Permitted outcomes of all other requirements; only `pass` by default. */
  readonly others?: readonly Outcome[]
}

const names = Object.keys(endpoints) as Endpoint[]
const isPartOfLogin = (endpoint: Endpoint) => ['authorization', 'token', 'UserInfo'].includes(endpoint)

/** All requirements of target-outcomes.ts; without those that need a login if the endpoint is not part of a login. */
function onlyFor(endpoint: Endpoint): string[] {
  const ids = Object.keys(requirements)
  return isPartOfLogin(endpoint) ? ids : ids.slice(0, 5)
}

/** Different outcomes at the authorization endpoint, because a login page can be any text. */
function atAuthorization(...outcomes: readonly Outcome[]): Partial<Record<Endpoint, readonly Outcome[]>> {
  return { authorization: outcomes }
}

/** Login pages may be on other hosts. A redirected search indicates a wrong base address. */
function redirected(authorization: Outcome): Partial<Record<Endpoint, readonly Outcome[]>> {
  return { authorization: [authorization], 'event search': ['configuration'] }
}

/** Expected outcomes of permanent misbehaviours. `at` has exceptions: UserInfo's body, for example, is unspecified. */
const permanent: Readonly<
  Record<
    keyof typeof misbehaviours,
    Pick<TargetCase, 'expected' | 'others'> & { readonly at?: Partial<Record<Endpoint, readonly Outcome[]>> }
  >
> = {
  'never responds': { expected: ['environment'] },
  'sends one space every 500 ms': { expected: ['environment'] },
  'resets the connection': { expected: ['environment'] },
  'resets the connection in the body': { expected: ['environment'] },
  'sends less than Content-Length announces': { expected: ['environment'] },
  'sends more than Content-Length announces': { expected: ['fail', 'target'], at: { UserInfo: ['pass'] } },
  'sends truncated JSON': { expected: ['fail', 'target'], at: { UserInfo: ['pass'] } },
  'sends an endless body': { expected: ['environment'] },
  'sends a decompression bomb': { expected: ['environment'] },
  'sends deeply nested JSON': { expected: ['environment'], at: atAuthorization('fail', 'target') },
  'sends a huge JSON array': { expected: ['environment'], at: atAuthorization('fail', 'target') },
  'sends bytes that are not text': { expected: ['fail', 'target'], at: { UserInfo: ['pass'] } },
  'sends another charset': { expected: ['fail', 'target'], at: { UserInfo: ['pass'] } },
  'sends 100,000 headers': { expected: ['environment'] },
  'sends HTML': {
    expected: ['fail', 'target'],
    at: { ...atAuthorization('environment'), UserInfo: ['pass'] },
  },
  'sends nothing': { expected: ['fail', 'target'], at: { UserInfo: ['pass'] } },
  'redirects in a loop': { expected: ['fail', 'target'], at: redirected('environment') },
  'redirects to another host': { expected: ['fail', 'target'], at: redirected('configuration') },
  'redirects to another port': { expected: ['fail', 'target'], at: redirected('configuration') },
  'redirects to another scheme': { expected: ['fail', 'target'], at: redirected('configuration') },
  'sends 500': { expected: ['environment'] },
  'sends 502': { expected: ['environment'] },
  'sends 503': { expected: ['environment'] },
  'sends 504': { expected: ['environment'] },
  'sends 500 with the error of throttling': { expected: ['environment'] },
  'sends 429': { expected: ['throttled'] },
  'sends 429 for an hour': { expected: ['throttled'], others: ['pass', 'throttled'] },
  'sends 429 until a date in a year': { expected: ['throttled'], others: ['pass', 'throttled'] },
}

function permanentCases(endpoint: Endpoint): TargetCase[] {
  return (Object.keys(misbehaviours) as (keyof typeof misbehaviours)[]).map((what) => {
    const { at, expected, ...rest } = permanent[what]
    return {
      name: `${endpoint} ${what}`,
      endpoint,
      what,
      misbehave: misbehaviours[what],
      isBroken: () => true,
      only: onlyFor(endpoint),
      expected: at?.[endpoint] ?? expected,
      ...rest,
    }
  })
}

/** Failures after which a request that changes something is never retried. */
const unrepeatable: ReadonlySet<string> = new Set(['500', '502', '504'])

/** Number of the first request of a check: the preflight has already sent a request to discovery. */
const firstOf = (endpoint: Endpoint) => (endpoint === 'discovery' ? 2 : 1)

/** Endpoints tried with all forms of Retry-After: one for the browser, and one for the HTTP client. */
const withAllForms: ReadonlySet<Endpoint> = new Set(['authorization', 'event search'])

function onceCases(endpoint: Endpoint): TargetCase[] {
  const failures = Object.entries(transients).filter(
    ([failure]) => withAllForms.has(endpoint) || !/ with(?! seconds)/.test(failure),
  )
  return failures.map(([failure, misbehave]) => ({
    name: `${endpoint} sends ${failure} once`,
    endpoint,
    what: `sends ${failure} once`,
    misbehave,
    isBroken: (count: number) => count === firstOf(endpoint),
    only: onlyFor(endpoint),
    expected: ['pass'] as const,
  }))
}

/** Checks that send several requests to an endpoint. */
const many: Readonly<Partial<Record<Endpoint, readonly string[]>>> = {
  authorization: ['AUTHZ-STATE-REQUIRED', 'AUTHZ-NONCE-REQUIRED', 'AUTHZ-PKCE-REQUIRED', 'AUTHZ-CODE-FLOW'],
  token: ['TOKEN-CODE-EXCHANGE', 'TOKEN-REFRESH', 'TOKEN-MISSING-*', 'TOKEN-GRANT-UNKNOWN'],
  UserInfo: ['USERINFO-*'],
  'event search': ['EVENT-FROM-REQUIRED', 'EVENT-TO-REQUIRED', 'EVENT-TIME-*', 'EVENT-WINDOW-LIMIT'],
}

function fourthCases(endpoint: Endpoint): TargetCase[] {
  const only = many[endpoint]
  if (only === undefined) return []
  return (['500', '502', '503', '504', '429 with seconds'] as const).map((failure) => ({
    name: `${endpoint} sends ${failure} every fourth time`,
    endpoint,
    what: `sends ${failure} every fourth time`,
    misbehave: transients[failure],
    isBroken: (count: number) => count % 4 === 0,
    only,
    expected: [
      'pass',
      'observed',
      'not-applicable',
      ...(unrepeatable.has(failure) ? (['environment'] as const) : []),
      // A run stops after twelve throttled responses.
      ...(failure.startsWith('429') ? (['throttled'] as const) : []),
    ],
  }))
}

/** All misbehaviours of all endpoints. */
export const targetCases: readonly TargetCase[] = names.flatMap((endpoint) => [
  ...permanentCases(endpoint),
  ...onceCases(endpoint),
  ...fourthCases(endpoint),
])
