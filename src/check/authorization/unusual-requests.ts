import type { Changes } from '../../oauth/authorization-request.ts'
import { longRandomValue, randomValue } from '../../oauth/pkce.ts'
import type { Target } from '../../target/target.ts'
import { reservedState } from './long-state.ts'

/**
 * Valid requests, most of them with unusual values, which checks of the authorization endpoint judge. For the users
 * `signed-in` and `passive`, see `userBehaviours`.
 */
export const unusualRequests = {
  'a long nonce': { user: 'passive', changes: () => ({ nonce: longRandomValue() }) },
  'prompt=none': { user: 'passive', changes: () => ({ prompt: 'none', nonce: longRandomValue() }) },
  'reserved characters in its state': { user: 'signed-in', changes: () => ({ state: reservedState() }) },
  'non-ASCII characters in its state': {
    user: 'passive',
    changes: () => ({ state: `Ä€😀${randomValue()}` }),
  },
  'one more scope, which is unknown': {
    user: 'passive',
    changes: ({ scope }) => ({ scope: `${scope} plumbline-no-such-scope` }),
  },
  'openid as its last scope': {
    user: 'signed-in',
    changes: ({ scope }) => ({ scope: scope.split(' ').toSorted(openidLast).join(' ') }),
  },
  'no acr_values': { user: 'signed-in', changes: () => ({ acr_values: null }) },
  'auth_level in place of acr_values': {
    user: 'passive',
    changes: ({ requiredAcr }) => ({ acr_values: null, auth_level: requiredAcr ?? null }),
  },
} as const satisfies Readonly<
  Record<string, { readonly user: 'signed-in' | 'passive'; readonly changes: (target: Target) => Changes }>
>

function openidLast(one: string, other: string): number {
  return Number(one === 'openid') - Number(other === 'openid')
}

export type UnusualRequest = keyof typeof unusualRequests

/** Whether changes certainly keep a request valid: at most, they give it another nonce. */
export function keepRequestValid(changes: Changes): boolean {
  return Object.entries(changes).every(([name, value]) => name === 'nonce' && value)
}

/** How a request with changes differs from the valid one. */
export function differenceOf(changes: Changes): string {
  const differences = Object.entries(changes).map(([name, value]) =>
    value === null ? `without ${name}` : `with another ${name}`,
  )
  return differences.join(' and ') || 'without changes'
}
