import type { FindAccount } from 'oidc-provider'
import type { Deployment, User } from '../deployment.ts'

/** Scopes a user can be asked for, with the claims they release (OpenID Connect Core section 5.4). */
export const CLAIMS = {
  openid: ['sub', 'acr', 'azp', 'auth_time'],
  profile: ['name', 'given_name'],
  email: ['email', 'email_verified'],
}

/** Separates an account from a suffix that a behaviour may add at login. */
const SUFFIX = '~'

/** An account id without the suffix. */
export function baseAccount(account: string): string {
  return account.split(SUFFIX)[0] ?? account
}

/** The user behind an account id. */
export function userOf(deployment: Deployment, account: string): User | undefined {
  return deployment.users.find((user) => user.account === baseAccount(account))
}

/** Looks accounts up for oidc-provider, with the claims a scope can release. */
export function accountFinder(deployment: Deployment): FindAccount {
  return (ctx, account) => {
    const user = userOf(deployment, account)
    if (!user) return undefined
    return {
      accountId: account,
      claims: (use) => ({
        sub: account,
        name: `${user.givenName} ${user.familyName}`,
        given_name: user.givenName,
        email: user.email,
        email_verified: true,
        ...(use === 'id_token' && { azp: ctx.oidc.client?.clientId }),
      }),
    }
  }
}

/**
 * Which users have allowed which application what. A consent outlives the grants made from it, so that revoking
 * one grant does not ask the user again.
 */
export class Consents {
  private readonly allowed = new Map<string, Set<string>>()

  allow(account: string, clientId: string, scopes: Iterable<string>): void {
    const known = this.allowed.get(`${clientId} ${baseAccount(account)}`) ?? new Set()
    for (const scope of scopes) known.add(scope)
    this.allowed.set(`${clientId} ${baseAccount(account)}`, known)
  }

  covers(account: string, clientId: string, scopes: Iterable<string>): boolean {
    const known = this.allowed.get(`${clientId} ${baseAccount(account)}`)
    return known !== undefined && [...scopes].every((scope) => known.has(scope))
  }
}
