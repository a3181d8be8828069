import { issuerOf } from '../target/parts.ts'
import type { Target } from '../target/target.ts'

/**
 * Documented addresses of the identity provider (sections Discovery, Authorization, Token, UserInfo, Introspection).
 */
const paths = {
  discovery: '/.well-known/openid-configuration',
  authorization: '/mga/sps/oauth/oauth20/authorize',
  token: '/mga/sps/oauth/oauth20/token',
  userinfo: '/mga/sps/oauth/oauth20/userinfo',
  introspection: '/mga/sps/oauth/oauth20/introspect',
} as const

/** The address of an endpoint below {base_url}, which may end in slashes. */
export function endpoint(target: Target, name: keyof typeof paths): URL {
  return new URL(issuerOf(target).replace(/\/+$/, '') + paths[name])
}

/**
 * A phrase that lists the endpoints whose address in discovery differs from the documented one; undefined if there is
 * none.
 */
export function otherAddresses(
  target: Target,
  metadata: Readonly<Record<string, unknown>>,
): string | undefined {
  const documented = ['authorization', 'token', 'userinfo', 'introspection'] as const
  const others = documented
    .map((name) => [`${name}_endpoint`, endpoint(target, name)] as const)
    .filter(([member, { href }]) => metadata[member] !== undefined && metadata[member] !== href)
    .map(([member, { pathname }]) => `${member} (Plumbline uses ${pathname})`)
  return others.length === 0
    ? undefined
    : `addresses that differ from the documented ones: ${others.join(', ')}`
}
