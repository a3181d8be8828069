import { issuerOf } from '../target/parts.ts'
import type { Target } from '../target/target.ts'

/** Documented addresses of the identity provider (sections Discovery, Authorization, Token, UserInfo, Introspection). */
const paths = {
  discovery: '/.well-known/openid-configuration',
  authorization: '/mga/sps/oauth/oauth20/authorize',
  token: '/mga/sps/oauth/oauth20/token',
  userinfo: '/mga/sps/oauth/oauth20/userinfo',
  introspection: '/mga/sps/oauth/oauth20/introspect',
} as const

/** The address of an endpoint below {base_url}, which may end in a slash. */
export function endpoint(target: Target, name: keyof typeof paths): URL {
  return new URL(issuerOf(target).replace(/\/+$/, '') + paths[name])
}
