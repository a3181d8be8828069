import type { FindAccount } from 'oidc-provider'
import type { Deployment, User } from '../deployment.ts'

/** The claims of each scope (OpenID Connect Core section 5.4). */
export const CLAIMS = {
  openid: ['sub', 'acr', 'azp', 'auth_time'],
  profile: ['name', 'given_name'],
  email: ['email', 'email_verified'],
}

/** Separates an account id from a suffix that a behaviour adds at login. */
const SUFFIX = '~'

/** An account id without suffix. */
function baseAccount(account: string): string {
  return account.split(SUFFIX)[0] ?? account
}

export function userOf(deployment: Deployment, account: string): User | undefined {
  return deployment.users.find((user) => user.account === baseAccount(account))
}

/** Returns the function by which oidc-provider finds an account, with all claims that a scope can release. */
export function accountLoader(deployment: Deployment): FindAccount {
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
 * The scopes that users have allowed to applications. A consent remains when a grant is revoked, so that the user sees
 * no second consent page.
 */
export class Consents {
  private readonly allowed = new Map<string, Set<string>>()

  allow(account: string, clientId: string, scopes: Iterable<string>): void {
    const key = keyOf(account, clientId)
    this.allowed.set(key, new Set([...(this.allowed.get(key) ?? []), ...scopes]))
  }

  covers(account: string, clientId: string, scopes: Iterable<string>): boolean {
    const allowed = this.allowed.get(keyOf(account, clientId))
    return allowed !== undefined && [...scopes].every((scope) => allowed.has(scope))
  }
}

function keyOf(account: string, clientId: string): string {
  return `${clientId} ${baseAccount(account)}`
}
