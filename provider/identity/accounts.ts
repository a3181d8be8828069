import type { FindAccount } from 'oidc-provider'
import type { Deployment, User } from '../deployment.ts'

/** Separates an account from a suffix that a behaviour may add at login. */
const SUFFIX = '~'

/** The user behind an account id. */
export function userOf(deployment: Deployment, account: string): User | undefined {
  const [base] = account.split(SUFFIX)
  return deployment.users.find((user) => user.account === base)
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
        name: user.name,
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
    const known = this.allowed.get(`${clientId} ${account}`) ?? new Set()
    for (const scope of scopes) known.add(scope)
    this.allowed.set(`${clientId} ${account}`, known)
  }

  covers(account: string, clientId: string, scopes: Iterable<string>): boolean {
    const known = this.allowed.get(`${clientId} ${account}`)
    return known !== undefined && [...scopes].every((scope) => known.has(scope))
  }
}
